/* leak_of_install.c - a server that is closed while it installs a snapshot loses memory.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cluster.h"

#include <string.h>

/* The blocks that are left when server 1 is closed; with or without a snapshot under way. */
static long left(bool installs)
{
    struct raft_message message = {
        .type = RAFT_IO_INSTALL_SNAPSHOT,
        .server_id = 2,
        .server_address = "2",
        .install_snapshot = {.term = 2, .last_index = 5, .last_term = 2, .conf_index = 1},
    };
    struct raft_install_snapshot *install = &message.install_snapshot;

    blocks = 0;
    memset(servers, 0, sizeof(servers));
    cluster_start(1, 3, 0);
    if (installs) {
        raft_configuration_init(&install->conf);
        for (raft_id id = 1; id <= 3; id++)
            (void)raft_configuration_add(&install->conf, id,
                                         id == 1   ? "1"
                                         : id == 2 ? "2"
                                                   : "3",
                                         RAFT_VOTER);
        install->data.len = sizeof(servers[1].state);
        install->data.base = raft_calloc(1, install->data.len);
        servers[1].recv(&servers[1].io, &message);
    }
    cluster_close(1); /* which ends the write with RAFT_CANCELED */
    return blocks;
}

int main(void)
{
    long without = left(false);
    long with = left(true);

    cluster_conclude(without == 0 && with > 0,
                     "a server that is closed while it installs a snapshot leaves memory behind");
}
