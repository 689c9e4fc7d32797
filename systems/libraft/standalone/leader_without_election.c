/* leader_without_election.c - the only voter that is left becomes leader of a term that has had
 * another leader, and two different entries have the same index and term.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cluster.h"

static void replicate(unsigned from, unsigned to)
{
    cluster_end_writes(from);
    (void)cluster_deliver(from, to);
    cluster_end_writes(to);
    (void)cluster_deliver(to, from);
    cluster_end_writes(from);
}

int main(void)
{
    cluster_start(3, 3, 0);

    /* Server 1 leads term 2. It is told to remove server 3, and then itself. */
    cluster_elect(1, 2);
    replicate(1, 2);
    (void)cluster_remove(1, 3);
    replicate(1, 2);
    (void)cluster_remove(1, 1);
    (void)cluster_apply(1, 7); /* before it steps down: entry 4, on its own disk */

    bool has_led = servers[1].raft.state == RAFT_LEADER && cluster_term(1, 4) == 2;

    cluster_end_writes(1);
    cluster_deliver_one(1, 2); /* entry 3, the configuration */
    (void)cluster_drop(1, 2);
    cluster_end_writes(2);
    (void)cluster_deliver(2, 1);

    /* Server 2 is the only voter now: it leads without an election, in the same term. */
    cluster_tick(2, 8);

    bool leads = servers[2].raft.state == RAFT_LEADER && servers[2].raft.current_term == 2;

    (void)cluster_apply(2, 8);
    cluster_conclude(has_led && leads && cluster_term(2, 4) == 2,
                     "servers 1 and 2 have led term 2, and their entries 4 of term 2 differ");
}
