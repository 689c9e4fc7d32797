/* chain_monitor.c - the invariants of chain replication.
 *
 * Of the servers in the chain, as the master has it:
 *   - update propagation: the history of a server is a prefix of its predecessor's;
 *   - requests in process: what a server takes for stable is in the history of every server that is
 *     synced; so predecessor's history = successor's history and what is sent but not stable;
 *   - what is committed, that is, answered, is in the history of every synced server, for good, and
 *     at the place it had when it was answered;
 *   - no update is in a history twice.
 * Servers that were taken out of the chain, and those that have started again and wait to come in,
 * may believe what they like.
 *
 * SPDX-License-Identifier: MIT
 */
#include "machines.h"

struct record {
    uint32_t boot;
    uint32_t count;
    uint32_t stable;
    bool is_synced;
    struct chain_update history[CHAIN_UPDATES_MAX];
};

struct monitor {
    struct chain chain;
    struct record records[SERVERS_END]; /* by number */
    struct chain_update committed[CHAIN_UPDATES_MAX];
    uint32_t committed_count; /* the last of them; there may be gaps before it */
};

static bool are_equal(const struct chain_update *a, const struct chain_update *b)
{
    return a->client == b->client && a->request == b->request && a->value == b->value;
}

/* The record of the server at a place of the chain, or NULL if that life of it has ended. */
static const struct record *member(const struct monitor *monitor, uint32_t place)
{
    const struct record *record = &monitor->records[monitor->chain.servers[place]];

    return record->boot == monitor->chain.boots[place] ? record : NULL;
}

static void check_prefix(const struct monitor *monitor, uint32_t front, uint32_t back)
{
    const struct record *longer = member(monitor, front);
    const struct record *shorter = member(monitor, back);

    if (longer == NULL || shorter == NULL)
        return;
    sn_assertf(shorter->count <= longer->count, "server %u has %u updates, server %u before it %u",
               monitor->chain.servers[back], shorter->count, monitor->chain.servers[front],
               longer->count);
    for (uint32_t i = 0; i < shorter->count; i++)
        sn_assertf(are_equal(&shorter->history[i], &longer->history[i]),
                   "servers %u and %u differ in update %u", monitor->chain.servers[front],
                   monitor->chain.servers[back], i + 1);
    sn_assertf(!shorter->is_synced || longer->stable <= shorter->count,
               "server %u takes %u updates for stable, but server %u has %u",
               monitor->chain.servers[front], longer->stable, monitor->chain.servers[back],
               shorter->count);
}

static void check_committed(const struct monitor *monitor, uint32_t place)
{
    const struct record *record = member(monitor, place);

    if (record == NULL || !record->is_synced)
        return;
    sn_assertf(record->count >= monitor->committed_count,
               "server %u has lost update %u, which was committed", monitor->chain.servers[place],
               monitor->committed_count);
    for (uint32_t i = 0; i < monitor->committed_count; i++) {
        const struct chain_update *committed = &monitor->committed[i];

        sn_assertf(committed->client == 0 || are_equal(committed, &record->history[i]),
                   "server %u has another update %u than the one that was committed",
                   monitor->chain.servers[place], i + 1);
    }
}

static void check(const struct monitor *monitor)
{
    for (uint32_t place = 0; place < monitor->chain.count; place++) {
        check_committed(monitor, place);
        if (place > 0)
            check_prefix(monitor, place - 1, place);
    }
}

static void on_chain(void *self, const void *payload)
{
    struct monitor *monitor = self;

    monitor->chain = *(const struct chain *)payload;
    check(monitor);
}

static void on_born(void *self, const void *payload)
{
    struct monitor *monitor = self;
    const struct server_notice *notice = payload;

    monitor->records[notice->server] = (struct record){
        .boot = notice->boot,
        .is_synced = notice->is_synced != 0,
    };
}

static void on_status(void *self, const void *payload)
{
    struct monitor *monitor = self;
    const struct server_notice *notice = payload;
    struct record *record = &monitor->records[notice->server];

    record->stable = notice->stable;
    record->is_synced = notice->is_synced != 0;
    check(monitor);
}

static void on_apply(void *self, const void *payload)
{
    struct monitor *monitor = self;
    const struct apply *apply = payload;
    struct record *record = &monitor->records[apply->server];

    for (uint32_t i = 0; i < record->count; i++)
        sn_assertf(record->history[i].client != apply->update.client ||
                       record->history[i].request != apply->update.request,
                   "server %u has request %u of client %u twice, as updates %u and %u",
                   apply->server, apply->update.request, apply->update.client, i + 1,
                   apply->sequence);
    record->history[record->count++] = apply->update;
    check(monitor);
}

static void on_commit(void *self, const void *payload)
{
    struct monitor *monitor = self;
    const struct commit *commit = payload;
    struct chain_update *committed = &monitor->committed[commit->sequence - 1];

    sn_assertf(committed->client == 0 || are_equal(committed, &commit->update),
               "server %u answers another update %u than was committed", commit->server,
               commit->sequence);
    *committed = commit->update;
    if (commit->sequence > monitor->committed_count)
        monitor->committed_count = commit->sequence;
    check(monitor);
}

static const struct sn_on watching_on[] = {
    {.event = &chain_event, .run = on_chain},   {.event = &born_event, .run = on_born},
    {.event = &status_event, .run = on_status}, {.event = &apply_event, .run = on_apply},
    {.event = &commit_event, .run = on_commit}, {0},
};

static const struct sn_state watching = {.name = "Watching", .on = watching_on};

const struct sn_machine chain_monitor = {
    .name = "Chain",
    .size = sizeof(struct monitor),
    .start = &watching,
};
