/* rollback_to_snapshot.c - a server that must give up a configuration which was never committed
 * dies if the one before is no longer in its log but in its snapshot.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cluster.h"

static void roll_back(bool takes_snapshots)
{
    cluster_start(4, 3, takes_snapshots ? 3 : 0); /* every three entries */

    /* Leader 1 replicates three commands and takes a snapshot: entry 1, the configuration, is gone
     * from its log. */
    cluster_elect(1, 2);
    cluster_replicate(1, 2);
    for (unsigned digit = 1; digit <= 3; digit++)
        (void)cluster_apply(1, digit);
    cluster_end_writes(1);
    cluster_replicate(1, 2);
    cluster_tick(1, 1);
    cluster_replicate(1, 2);

    /* It is told to add server 4, and nobody hears of it. */
    (void)cluster_add(1, 4);
    cluster_end_writes(1);
    (void)cluster_drop(1, 2);
    (void)cluster_drop(1, 3);
    (void)cluster_drop(1, 4);

    /* Server 2 leads by the vote of server 3, and puts something else there. */
    cluster_tick(1, 8); /* nobody answers it any more */
    (void)cluster_drop(1, 2);
    (void)cluster_drop(1, 3);
    cluster_elect(2, 3);
    (void)cluster_apply(2, 4);
    cluster_end_writes(2);
    for (int i = 0; i < 10; i++) {
        cluster_tick(2, 1);
        (void)cluster_deliver(2, 1);
        cluster_end_writes(1);
        (void)cluster_deliver(1, 2);
    }
}

int main(void)
{
    cluster_conclude_crash(roll_back, "a server dies of a signal when it gives up a configuration, "
                                      "without snapshots it does not");
}
