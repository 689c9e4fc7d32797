/* failed_write_reuses_index.c - a leader whose write fails forgets an entry that it has sent, and
 * sends another one with the same index and term.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cluster.h"

/* Gives two commands to leader 1; the first write of its own may fail. */
static void give_commands(bool is_full)
{
    cluster_start(3, 3, 0);
    cluster_elect(1, 2);
    (void)cluster_deliver(1, 2);
    (void)cluster_deliver(2, 1);
    (void)cluster_deliver(1, 3);
    (void)cluster_deliver(3, 1);

    /* Server 2 gets and stores command 1; the disk of server 1, the leader, is full. */
    (void)cluster_apply(1, 1);
    (void)cluster_deliver(1, 2);
    cluster_end_writes(2);
    (void)cluster_drop(1, 3);
    cluster_end_write(1, is_full ? RAFT_NOSPACE : 0);

    /* There is room again. Server 3 gets and stores command 2, under the same number. */
    (void)cluster_apply(1, 2);
    cluster_end_writes(1);
    (void)cluster_drop(1, 2);
    (void)cluster_deliver(1, 3);
    cluster_end_writes(3);
    (void)cluster_deliver(3, 1);

    /* Server 2 confirms the entry that was forgotten, and takes what is there for committed. */
    (void)cluster_deliver(2, 1);
    for (int i = 0; i < 4; i++) {
        cluster_tick(1, 1);
        (void)cluster_deliver(1, 2);
        cluster_end_writes(2);
        (void)cluster_deliver(2, 1);
    }
}

int main(void)
{
    give_commands(false);

    bool is_well = servers[1].state == 12 && servers[2].state == 12;

    give_commands(true);
    cluster_conclude(is_well && apply_status[2] == 0 && servers[1].state == 2 &&
                         servers[2].state == 1,
                     "server 1 has applied command 2 at index 2, and server 2 command 1");
}
