/* no_leak.c - a server that was closed has given back all memory.
 *
 * SPDX-License-Identifier: MIT
 */
#include "events.h"

static void on_ended(void *self, const void *payload)
{
    const struct ended *ended = payload;

    (void)self;
    sn_assertf(ended->blocks == 0, "server %u is closed and has %d blocks of memory left",
               ended->server, (int)ended->blocks);
}

static const struct sn_on watching_on[] = {
    {.event = &ended_event, .run = on_ended},
    {0},
};

static const struct sn_state watching = {.name = "Watching", .on = watching_on};

const struct sn_machine no_leak = {
    .name = "NoLeak",
    .start = &watching,
};
