/* leak_of_install.c - a server that is closed while it installs a snapshot loses memory.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cluster.h"

enum moment { AFTER_WRITE, DURING_WRITE, DURING_WRITE_THAT_IS_DONE };

/* The blocks that are left when all servers are closed, and server 3 at this moment. */
static long left(enum moment moment)
{
    cluster_start(3, 3, 3); /* a snapshot every three entries */

    /* Leader 1 and server 2 apply three commands and take a snapshot. Server 3 gets nothing. */
    cluster_elect(1, 2);
    for (unsigned digit = 1; digit <= 3; digit++)
        (void)cluster_apply(1, digit);
    for (int i = 0; i < 4; i++) {
        cluster_replicate(1, 2);
        (void)cluster_drop(1, 3);
        cluster_tick(1, 1);
    }

    /* The leader sends it the snapshot, which it begins to write. */
    for (int i = 0; i < 10 && servers[3].n_writes == 0; i++) {
        cluster_tick(1, 1);
        (void)cluster_deliver(1, 3);
        (void)cluster_deliver(3, 1);
    }
    if (servers[3].n_writes != 1 || servers[3].writes[0].kind != WRITE_SNAPSHOT)
        return -1;
    if (moment == AFTER_WRITE)
        cluster_end_writes(3);
    cluster_close(3, moment == DURING_WRITE ? RAFT_CANCELED : 0);
    cluster_close(1, 0);
    cluster_close(2, 0);
    return blocks;
}

int main(void)
{
    cluster_conclude(left(AFTER_WRITE) == 0 && left(DURING_WRITE) == 1 &&
                         left(DURING_WRITE_THAT_IS_DONE) == 1,
                     "a server that is closed while it installs a snapshot leaves a block behind");
}
