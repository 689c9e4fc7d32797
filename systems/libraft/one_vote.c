/* one_vote.c - a server votes for one candidate of a term, also if it crashes in between.
 *
 * Two leaders of one term are what it leads to, which sn_one_leader sees; this sees the cause.
 *
 * SPDX-License-Identifier: MIT
 */
#include "events.h"

enum { TERMS_MAX = 64 };

struct monitor {
    uint64_t votes[SERVERS_MAX + 1][TERMS_MAX]; /* by server and term; 0: none */
};

static void on_voted(void *self, const void *payload)
{
    struct monitor *monitor = self;
    const struct voted *voted = payload;

    if (voted->term >= TERMS_MAX || voted->vote == 0)
        return;

    uint64_t *vote = &monitor->votes[voted->server][voted->term];

    sn_assertf(*vote == 0 || *vote == voted->vote,
               "server %u votes for server %u in term %u, and has voted for server %u",
               voted->server, (unsigned)voted->vote, (unsigned)voted->term, (unsigned)*vote);
    *vote = voted->vote;
}

static const struct sn_on watching_on[] = {
    {.event = &voted_event, .run = on_voted},
    {0},
};

static const struct sn_state watching = {.name = "Watching", .on = watching_on};

const struct sn_machine one_vote = {
    .name = "OneVote",
    .size = sizeof(struct monitor),
    .start = &watching,
};
