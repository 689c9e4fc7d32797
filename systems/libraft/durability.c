/* durability.c - what a server takes for stored is on its disk, and found there when it starts.
 *
 * SPDX-License-Identifier: MIT
 */
#include "events.h"

struct monitor {
    uint64_t kept[SERVERS_MAX + 1]; /* by server: up to where its snapshot goes */
};

static void on_stored(void *self, const void *payload)
{
    const struct stored *stored = payload;

    (void)self;
    sn_assertf(stored->claimed <= stored->durable,
               "server %u takes entry %u for stored, and its disk ends at %u", stored->server,
               (unsigned)stored->claimed, (unsigned)stored->durable);
    sn_assertf(stored->claimed_term == 0 || stored->durable_term == 0 ||
                   stored->claimed_term == stored->durable_term,
               "server %u takes entry %u of term %u for stored, and on its disk it is of term %u",
               stored->server, (unsigned)stored->claimed, (unsigned)stored->claimed_term,
               (unsigned)stored->durable_term);
}

static void on_kept(void *self, const void *payload)
{
    struct monitor *monitor = self;
    const struct kept *kept = payload;

    if (monitor->kept[kept->server] < kept->index)
        monitor->kept[kept->server] = kept->index;
}

static void on_kept_found(void *self, const void *payload)
{
    const struct monitor *monitor = self;
    const struct kept *kept = payload;

    sn_assertf(kept->index >= monitor->kept[kept->server],
               "server %u starts with a snapshot up to entry %u, and has stored one up to entry %u",
               kept->server, (unsigned)kept->index, (unsigned)monitor->kept[kept->server]);
}

/* In memory, too: who has a snapshot without installing it has its last entry. */
static void on_confirmed(void *self, const void *payload)
{
    const struct confirmed *confirmed = payload;

    (void)self;
    sn_assertf(confirmed->own_term == confirmed->term,
               "server %u says that it has a snapshot up to entry %u of term %u, and its own entry "
               "there is of term %u",
               confirmed->server, (unsigned)confirmed->index, (unsigned)confirmed->term,
               (unsigned)confirmed->own_term);
}

static const struct sn_on watching_on[] = {
    {.event = &stored_event, .run = on_stored},
    {.event = &kept_event, .run = on_kept},
    {.event = &kept_found_event, .run = on_kept_found},
    {.event = &confirmed_event, .run = on_confirmed},
    {0},
};

static const struct sn_state watching = {.name = "Watching", .on = watching_on};

const struct sn_machine durability = {
    .name = "Durability",
    .size = sizeof(struct monitor),
    .start = &watching,
};
