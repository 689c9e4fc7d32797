/* pre_vote_hides_term.c - who is refused a pre-vote because of its term is not told the term, so it
 * asks in vain for ever, and so does the other one, whose log is too short.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cluster.h"

/* Whether one of two servers of three is elected by the other, when each can hear it. */
static bool is_elected(bool has_pre_vote)
{
    cluster_start(3, 3, 0);
    for (unsigned id = 1; id <= 3; id++)
        raft_set_pre_vote(&servers[id].raft, has_pre_vote);

    /* Server 3 wins a pre-vote. Then it is cut off, and stands again and again, until it is started
     * anew. */
    if (has_pre_vote) {
        while (cluster_deliver(3, 1) == 0)
            cluster_tick(3, 1);
        (void)cluster_deliver(1, 3);
    }
    cluster_forget(3);
    cluster_forget(3);
    cluster_crash(3);
    cluster_restart(3);
    raft_set_pre_vote(&servers[3].raft, has_pre_vote);

    /* Server 1 leads and has a command applied, by server 2, which fails for good. Server 1 gives
     * up its leadership since it hears of nobody. */
    cluster_elect(1, 2);
    (void)cluster_apply(1, 1);
    cluster_replicate_all(1, "2");
    cluster_crash(2);
    cluster_forget(1);

    /* Servers 1 and 3 hear each other from now on: two of three. */
    for (int i = 0; i < 1000; i++) {
        for (unsigned from = 1; from <= 3; from += 2) {
            cluster_tick(from, 1);
            (void)cluster_deliver(from, 4 - from);
            (void)cluster_deliver(4 - from, from);
            (void)cluster_drop(from, 2);
        }
    }
    return servers[1].raft.state == RAFT_LEADER || servers[3].raft.state == RAFT_LEADER;
}

int main(void)
{
    cluster_conclude(is_elected(false) && !is_elected(true),
                     "two of three servers hear each other, and in 100 seconds none is elected");
}
