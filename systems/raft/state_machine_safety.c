/* state_machine_safety.c - all servers apply the same entry at an index, and are in the same state
 * after it; and no server's state goes back while it runs.
 *
 * SPDX-License-Identifier: MIT
 */
#include "events.h"
#include "machines.h"

struct known {
    uint32_t term; /* of the entry; 0: not known */
    uint32_t digest;
    bool has_digest;
};

struct monitor {
    struct known indexes[INDEXES_MAX];
    uint32_t applied[RAFT_SERVERS_MAX + 1]; /* by server, since its last start */
};

static void on_applied(void *self, const void *payload)
{
    struct monitor *monitor = self;
    const struct applied *applied = payload;

    sn_assertf(applied->index == monitor->applied[applied->server] + 1,
               "server %u applies entry %u after entry %u", applied->server, applied->index,
               monitor->applied[applied->server]);
    monitor->applied[applied->server] = applied->index;
    if (applied->index >= INDEXES_MAX)
        return;

    struct known *known = &monitor->indexes[applied->index];

    sn_assertf(known->term == 0 || known->term == applied->term,
               "server %u applies an entry of term %u at %u, another server one of term %u",
               applied->server, applied->term, applied->index, known->term);
    sn_assertf(!known->has_digest || known->digest == applied->digest,
               "the state of server %u after entry %u is not that of another server",
               applied->server, applied->index);
    known->term = applied->term;
    known->digest = applied->digest;
    known->has_digest = true;
}

static void on_restored(void *self, const void *payload)
{
    struct monitor *monitor = self;
    const struct restored *restored = payload;

    sn_assertf(restored->is_start != 0 || restored->index >= monitor->applied[restored->server],
               "the state of server %u goes back from entry %u to entry %u", restored->server,
               monitor->applied[restored->server], restored->index);
    monitor->applied[restored->server] = restored->index;
    if (restored->index >= INDEXES_MAX)
        return;

    struct known *known = &monitor->indexes[restored->index];

    sn_assertf(!known->has_digest || known->digest == restored->digest,
               "the snapshot that server %u restores at entry %u is not the state that another "
               "server had there",
               restored->server, restored->index);
}

static const struct sn_on watching_on[] = {
    {.event = &applied_event, .run = on_applied},
    {.event = &restored_event, .run = on_restored},
    {0},
};

static const struct sn_state watching = {.name = "Watching", .on = watching_on};

const struct sn_machine state_machine_safety = {
    .name = "StateMachineSafety",
    .size = sizeof(struct monitor),
    .start = &watching,
};
