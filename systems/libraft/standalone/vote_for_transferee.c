/* vote_for_transferee.c - a server that was to hand over its leadership votes for the one that it
 * was to hand it to, though it has voted for another one in the same term: two leaders are elected.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cluster.h"

/* Whether two servers lead a term; with or without the order to hand over. */
static bool two_lead(bool hands_over)
{
    cluster_start(3, 3, 0);

    /* Server 2 leads term 2, and nobody hears of it. It is told to hand over to server 1, and steps
     * down soon after, since nobody answers. */
    cluster_elect(2, 1);
    (void)cluster_drop(2, 1);
    (void)cluster_drop(2, 3);
    cluster_tick(2, 1);
    if (hands_over)
        (void)cluster_transfer(2, 1);
    while (servers[2].raft.state == RAFT_LEADER)
        cluster_tick(2, 1);
    (void)cluster_drop(2, 1);
    (void)cluster_drop(2, 3);

    /* Servers 1 and 3 are candidates of term 3 at the same time. Server 2 votes for the second, and
     * then for the first. */
    while (servers[1].raft.current_term < 3)
        cluster_tick(1, 1);
    while (servers[3].raft.current_term < 3)
        cluster_tick(3, 1);
    (void)cluster_drop(1, 3);
    (void)cluster_drop(3, 1);
    (void)cluster_deliver(3, 2);
    (void)cluster_deliver(2, 3);
    (void)cluster_deliver(1, 2);
    (void)cluster_deliver(2, 1);
    return servers[1].raft.state == RAFT_LEADER && servers[3].raft.state == RAFT_LEADER &&
           servers[1].raft.current_term == servers[3].raft.current_term;
}

int main(void)
{
    cluster_conclude(!two_lead(false) && two_lead(true),
                     "servers 1 and 3 both lead term 3, by the votes of server 2");
}
