/* addressees.c - every message goes to a server that there is, at its address.
 *
 * SPDX-License-Identifier: MIT
 */
#include "events.h"

static void on_addressed(void *self, const void *payload)
{
    const struct addressed *addressed = payload;

    (void)self;
    sn_assertf(addressed->to >= 1 && addressed->to <= addressed->servers,
               "server %u sends a message to server %llu, which there is not", addressed->server,
               (unsigned long long)addressed->to);
    sn_assertf(addressed->to != addressed->server, "server %u sends a message to itself",
               addressed->server);
    sn_assertf(addressed->address != NULL && addressed->address[0] == (char)('0' + addressed->to) &&
                   addressed->address[1] == 0,
               "server %u sends a message to server %llu at a wrong address", addressed->server,
               (unsigned long long)addressed->to);
}

static const struct sn_on watching_on[] = {
    {.event = &addressed_event, .run = on_addressed},
    {0},
};

static const struct sn_state watching = {.name = "Watching", .on = watching_on};

const struct sn_machine addressees = {
    .name = "Addressees",
    .start = &watching,
};
