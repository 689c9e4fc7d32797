/* follower_keeps_unwritten.c - a follower whose write fails keeps the entry in memory, and never
 * writes it: what it writes next lies where that should be.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cluster.h"

int main(void)
{
    cluster_start(3, 3, 0);
    cluster_elect(1, 2);
    (void)cluster_deliver(1, 2);
    (void)cluster_deliver(2, 1);

    /* The disk of follower 2 is full when command 1 comes. */
    (void)cluster_apply(1, 1);
    cluster_end_writes(1);
    (void)cluster_deliver(1, 2);
    cluster_end_write(2, RAFT_NOSPACE);

    /* There is room again. The leader repeats command 1 as often as it likes; then comes command 2,
     * which the follower has written before the leader itself has. */
    for (int i = 0; i < 4; i++) {
        (void)cluster_deliver(2, 1);
        cluster_tick(1, 1);
        (void)cluster_deliver(1, 2);
        cluster_end_writes(2);
    }

    bool was_repeated = servers[2].disk.last_index == 1;

    (void)cluster_apply(1, 2);
    for (int i = 0; i < 4; i++) {
        (void)cluster_deliver(1, 2);
        cluster_end_writes(2);
        (void)cluster_deliver(2, 1);
        cluster_tick(1, 1);
    }

    const struct disk *disk = &servers[2].disk;
    bool lacks_one = cluster_term(2, 3) == 2 && disk->last_index == 2 && disk->log[2].data[0] == 2;
    bool was_acknowledged = apply_status[1] == 0;

    /* The leader fails, and the follower is started again from its disk and elected. */
    (void)cluster_drop(1, 2);
    (void)cluster_drop(1, 3);
    cluster_crash(1);
    cluster_crash(2);
    cluster_restart(2);
    cluster_elect(2, 3);
    cluster_conclude(was_repeated && lacks_one && was_acknowledged && cluster_term(2, 3) == 0,
                     "command 1 was reported as applied, and the next leader lacks it");
}
