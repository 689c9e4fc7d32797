/* reply_to_nobody.c - a follower whose write ends after it has lost its leader sends the result to
 * server 0, without an address.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cluster.h"

/* How many messages go to server 0; with a disk that takes longer than an election, or not. */
static unsigned lost(bool is_slow)
{
    cluster_start(3, 3, 0);

    /* Server 2 has an entry of leader 1 to write, and its disk takes its time. */
    cluster_elect(1, 2);
    (void)cluster_deliver(1, 2);
    (void)cluster_deliver(2, 1);
    (void)cluster_apply(1, 1);
    (void)cluster_deliver(1, 2);
    if (!is_slow)
        cluster_end_write(2, 0);

    /* Meanwhile it hears nothing and becomes candidate of term 3; then it hears of candidate 3, of
     * a later term, and is a follower that knows no leader. */
    cluster_tick(2, 6);
    cluster_tick(3, 12);
    (void)cluster_deliver(3, 2);

    bool is_orphan = servers[2].raft.state == RAFT_FOLLOWER && servers[2].raft.current_term > 2;

    if (is_slow)
        cluster_end_write(2, 0);
    return is_orphan ? messages_to_nobody : 0;
}

int main(void)
{
    cluster_conclude(lost(false) == 0 && lost(true) == 1,
                     "the follower has sent an AppendEntriesResult to server 0, at no address");
}
