/* durability.c - what a server takes for stored is on its disk.
 *
 * SPDX-License-Identifier: MIT
 */
#include "events.h"

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

static const struct sn_on watching_on[] = {
    {.event = &stored_event, .run = on_stored},
    {0},
};

static const struct sn_state watching = {.name = "Watching", .on = watching_on};

const struct sn_machine durability = {
    .name = "Durability",
    .start = &watching,
};
