/* nonvoter_blocks.c - a leader makes itself a spare by an entry that nobody else gets: it votes
 * for nobody any more and does not stand, and no leader is elected although all servers run.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cluster.h"

/* Time passes for all servers, and whatever they send or write arrives. Returns whether there is a
 * leader then. */
static bool is_there_a_leader(void)
{
    for (int i = 0; i < 1000; i++) {
        for (unsigned from = 1; from <= 3; from++) {
            cluster_tick(from, 1);
            for (unsigned to = 1; to <= 3; to++) {
                (void)cluster_deliver(from, to);
                cluster_end_writes(to);
                (void)cluster_deliver(to, from);
                cluster_end_writes(from);
            }
        }
    }
    return servers[1].raft.state == RAFT_LEADER || servers[2].raft.state == RAFT_LEADER ||
           servers[3].raft.state == RAFT_LEADER;
}

/* Whether there is a leader in the end; leader 1 makes itself a spare, or has a command instead. */
static bool is_elected(bool demotes_itself)
{
    cluster_start(3, 3, 0);

    /* The entry of leader 1, of term 2, reaches nobody. */
    cluster_elect(1, 2);
    if (demotes_itself)
        (void)cluster_assign(1, 1, RAFT_SPARE);
    else
        (void)cluster_apply(1, 1);
    cluster_end_writes(1);
    cluster_forget(1);

    /* Server 2 is elected by server 3, and makes that a spare. Its entry, of a later term, reaches
     * nobody either. Servers 1 and 2 are the voters now, as far as server 2 knows. */
    cluster_elect(2, 3);
    (void)cluster_drop(2, 3);
    (void)cluster_assign(2, 3, RAFT_SPARE);
    cluster_end_writes(2);
    cluster_forget(2);

    return is_there_a_leader();
}

int main(void)
{
    cluster_conclude(is_elected(false) && !is_elected(true),
                     "all servers run and hear each other, and in 100 seconds none is elected");
}
