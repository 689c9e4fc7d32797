/* leader_without_election.c - the only voter that is left becomes leader of a term that has had
 * another leader, and two different entries have the same index and term.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cluster.h"

int main(void)
{
    cluster_start(3, 3, 0);

    /* Server 1 leads term 2. It is told to remove server 3, and then itself. */
    cluster_elect(1, 2);
    cluster_replicate(1, 2);
    (void)cluster_remove(1, 3);
    cluster_replicate(1, 2);
    (void)cluster_remove(1, 1);
    (void)cluster_apply(1, 7); /* before it steps down: entry 4, which is written last */

    bool has_led = servers[1].raft.state == RAFT_LEADER && cluster_term(1, 4) == 2;

    cluster_end_write(1, 0);
    cluster_deliver_one(1, 2); /* entry 3, the configuration */
    (void)cluster_drop(1, 2);
    cluster_end_writes(2);
    (void)cluster_deliver(2, 1);
    cluster_end_writes(1);

    bool has_stepped_down = servers[1].raft.state == RAFT_FOLLOWER;

    /* Server 2 is the only voter now: it leads without an election, in the same term. */
    cluster_tick(2, 8);

    bool leads = servers[2].raft.state == RAFT_LEADER && servers[2].raft.current_term == 2;

    (void)cluster_apply(2, 8);
    cluster_end_writes(2);

    bool differ = cluster_term(2, 4) == 2 && servers[1].disk.log[4].data[0] == 7 &&
                  servers[2].disk.log[4].data[0] == 8;

    /* Server 1 is added again, and gets what comes behind entry 4. */
    (void)cluster_add(2, 1);
    cluster_end_writes(2);
    (void)cluster_assign(2, 1, RAFT_STANDBY);
    cluster_replicate_all(2, "1");
    cluster_conclude(has_led && has_stepped_down && leads && differ && servers[1].state == 7 &&
                         servers[2].state == 8,
                     "servers 1 and 2 have led term 2, and applied different entries 4 of it");
}
