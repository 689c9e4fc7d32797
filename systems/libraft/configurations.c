/* configurations.c - a server uses the configuration of the entry that it names, and puts no other
 * one into its snapshots.
 *
 * That is how raft.h describes the members of struct raft and struct raft_snapshot. A configuration
 * that is in no log any more is one that was given up.
 *
 * SPDX-License-Identifier: MIT
 */
#include "events.h"

#include <string.h>

static void on_configured(void *self, const void *payload)
{
    const struct configured *configured = payload;
    bool is_same =
        memcmp(&configured->members, &configured->entry, sizeof(configured->members)) == 0;

    (void)self;
    sn_assertf(is_same || configured->entry.count == 0,
               "server %u %s the configuration of entry %u, and it is another one",
               configured->server, configured->is_snapshot != 0 ? "puts into a snapshot" : "uses",
               configured->index);
    sn_assertf(is_same, "server %u %s the configuration of entry %u, which it has dropped",
               configured->server, configured->is_snapshot != 0 ? "puts into a snapshot" : "uses",
               configured->index);
}

static const struct sn_on watching_on[] = {
    {.event = &configured_event, .run = on_configured},
    {0},
};

static const struct sn_state watching = {.name = "Watching", .on = watching_on};

const struct sn_machine configurations = {
    .name = "Configurations",
    .start = &watching,
};
