/* exactly_once.c - a command that was given once is executed once.
 *
 * No client gives a command twice, so no command may have two places in the order of all.
 *
 * SPDX-License-Identifier: MIT
 */
#include "events.h"

enum { IDS_MAX = 1024 };

struct monitor {
    uint64_t places[IDS_MAX]; /* by command; 0: not executed yet */
};

static void on_applied(void *self, const void *payload)
{
    struct monitor *monitor = self;
    const struct applied *applied = payload;

    if (applied->command >= IDS_MAX)
        return;

    uint64_t *place = &monitor->places[applied->command];

    sn_assertf(*place == 0 || *place == applied->count,
               "server %u executes command %u as the %u. and it is the %u. already",
               applied->server, applied->command, (unsigned)applied->count, (unsigned)*place);
    *place = applied->count;
}

static const struct sn_on watching_on[] = {
    {.event = &applied_event, .run = on_applied},
    {0},
};

static const struct sn_state watching = {.name = "Watching", .on = watching_on};

const struct sn_machine exactly_once = {
    .name = "ExactlyOnce",
    .size = sizeof(struct monitor),
    .start = &watching,
};
