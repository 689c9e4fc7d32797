/* election.c - see election.h. A node that hears nothing asks for votes in a new term; one that has
 * a majority sends heartbeats. Timers may fire at any moment; messages cancel and restart them.
 * SPDX-License-Identifier: MIT
 */
#include "election.h"

#include <sennit/sennit.h>

enum { NODES = 3 };

struct ballot {
    uint64_t term;
    uint64_t from;
};

static const struct sn_event birth_event = {.name = "Birth", .size = sizeof(sn_id)};

static const struct sn_event request_event = {.name = "RequestVote", .size = sizeof(struct ballot)};
static const struct sn_event vote_event = {.name = "Vote", .size = sizeof(struct ballot)};
static const struct sn_event heartbeat_event = {.name = "Heartbeat", .size = sizeof(struct ballot)};
static const struct sn_event silence_event = {.name = "Silence"};
static const struct sn_event beat_event = {.name = "Beat"};

struct node {
    sn_id id;
    sn_timer silence;
    uint64_t term;
    uint64_t voted_in; /* the last term in which it gave its vote */
    uint32_t votes;
    bool is_leader;
};

static void restart_silence(struct node *n)
{
    (void)sn_timer_cancel(n->silence);
    n->silence = sn_timer_start_any(&silence_event, NULL);
}

static void broadcast(const struct node *n, const struct sn_event *event)
{
    for (sn_id i = 0; i < NODES - 1; i++)
        sn_send((n->id + i) % NODES + 1, event, &(struct ballot){n->term, n->id});
}

static void on_start(void *self, const void *payload)
{
    struct node *n = self;

    n->id = *(const sn_id *)payload;
    n->silence = sn_timer_start_any(&silence_event, NULL);
}

static void on_silence(void *self, const void *payload)
{
    struct node *n = self;

    (void)payload;
    n->term++;
    n->voted_in = n->term;
    n->votes = 1;
    n->is_leader = false;
    broadcast(n, &request_event);
    n->silence = sn_timer_start_any(&silence_event, NULL);
}

static void on_request(void *self, const void *payload)
{
    struct node *n = self;
    const struct ballot *ballot = payload;

    if (ballot->term <= n->voted_in || ballot->term < n->term)
        return;
    n->term = ballot->term;
    n->voted_in = ballot->term;
    n->is_leader = false;
    restart_silence(n);
    sn_send((sn_id)ballot->from, &vote_event, &(struct ballot){n->term, n->id});
}

static void on_vote(void *self, const void *payload)
{
    struct node *n = self;
    const struct ballot *ballot = payload;

    if (ballot->term != n->term || n->is_leader || ++n->votes <= NODES / 2)
        return;
    n->is_leader = true;
    (void)sn_timer_cancel(n->silence);
    broadcast(n, &heartbeat_event);
    (void)sn_timer_start_any(&beat_event, NULL);
}

static void on_beat(void *self, const void *payload)
{
    struct node *n = self;

    (void)payload;
    if (!n->is_leader)
        return;
    broadcast(n, &heartbeat_event);
    (void)sn_timer_start_any(&beat_event, NULL);
}

static void on_heartbeat(void *self, const void *payload)
{
    struct node *n = self;
    const struct ballot *ballot = payload;

    if (ballot->term < n->term)
        return;
    sn_assert(ballot->term > n->term || !n->is_leader); /* one leader per term */
    n->term = ballot->term;
    n->is_leader = false;
    restart_silence(n);
}

static const struct sn_state running = {
    .name = "Running",
    .entry = on_start,
    .on =
        (const struct sn_on[]){
            {.event = &silence_event, .run = on_silence},
            {.event = &beat_event, .run = on_beat},
            {.event = &request_event, .run = on_request},
            {.event = &vote_event, .run = on_vote},
            {.event = &heartbeat_event, .run = on_heartbeat},
            {0},
        },
};

static const struct sn_machine node_machine = {
    .name = "Node", .size = sizeof(struct node), .start = &running, .birth = &birth_event};

void election_run(void)
{
    for (sn_id id = 1; id <= NODES; id++)
        (void)sn_create(&node_machine, &id);
}
