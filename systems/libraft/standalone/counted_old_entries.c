/* counted_old_entries.c - a leader takes an entry of an earlier term for committed because it is on
 * a majority, which figure 8 of the Raft paper forbids, and it is lost.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cluster.h"

int main(void)
{
    cluster_start(3, 3, 0);

    /* (a) Server 1 leads term 2 and has command 1 on its own disk. */
    cluster_elect(1, 2);
    (void)cluster_drop(1, 2);
    (void)cluster_drop(1, 3);
    (void)cluster_apply(1, 1);
    cluster_end_writes(1);
    (void)cluster_drop(1, 2);
    (void)cluster_drop(1, 3);
    cluster_crash(1);

    /* (b) Server 3 leads term 3 by the vote of server 2, and has command 3 on its own disk. */
    cluster_elect(3, 2);
    (void)cluster_drop(3, 2);
    (void)cluster_apply(3, 3);
    cluster_end_writes(3);
    (void)cluster_drop(3, 2);
    (void)cluster_drop(3, 1);
    cluster_crash(3);

    /* (c) Server 1 is back, leads term 4 by the vote of server 2, and brings it command 1. Nothing
     * of term 4 is in any log. */
    cluster_restart(1);
    cluster_elect(1, 2);
    for (int i = 0; i < 10 && servers[1].raft.commit_index < 2; i++) {
        cluster_tick(1, 1);
        (void)cluster_deliver(1, 2);
        cluster_end_writes(2);
        (void)cluster_deliver(2, 1);
    }

    bool was_committed = servers[1].raft.commit_index == 2 && servers[1].state == 1;

    /* (d) Server 1 is cut off. Server 3 is back, and is elected by server 2: its last entry is
     * newer. It brings server 2 what it has, and command 5 of its own term. */
    (void)cluster_drop(1, 2);
    (void)cluster_drop(1, 3);
    cluster_restart(3);
    cluster_tick(2, 4); /* which has not heard of a leader for long */
    (void)cluster_drop(2, 3);
    cluster_elect(3, 2);
    (void)cluster_apply(3, 5);
    cluster_replicate_all(3, "2");
    cluster_conclude(was_committed && servers[1].state == 1 && servers[2].state == 35 &&
                         servers[3].state == 35 && apply_status[5] == 0,
                     "server 1 has applied command 1, and the others commands 3 and 5 instead");
}
