/* counted_leftovers.c - a leader counts what a follower has left over from an earlier term as its
 * own entry, and a committed command is lost.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cluster.h"

/* Whether command 8 is reported as applied; with or without something left over. */
static bool is_acknowledged(bool has_leftovers)
{
    cluster_start(3, 3, 0);

    /* Server 1 leads term 2 and writes command 7 to its own disk; nobody else hears of it. */
    cluster_elect(1, 2);
    (void)cluster_drop(1, 2);
    (void)cluster_drop(1, 3);
    if (has_leftovers)
        (void)cluster_apply(1, 7);
    cluster_end_writes(1);
    (void)cluster_drop(1, 2);
    (void)cluster_drop(1, 3);

    /* Server 2 leads term 3 by the vote of server 3. Its first message, without entries, is on its
     * way to server 1 when it is given command 8. */
    cluster_tick(2, 1);
    cluster_elect(2, 3);
    (void)cluster_drop(2, 3);
    (void)cluster_apply(2, 8);
    cluster_end_writes(2);

    /* Server 1 answers that first message: it agrees up to entry 1, and has two. */
    while (servers[1].raft.current_term < 3 || servers[1].raft.state != RAFT_FOLLOWER)
        cluster_deliver_one(2, 1);
    (void)cluster_deliver(1, 2);
    return apply_status[8] == 0;
}

int main(void)
{
    bool needs_leftovers = !is_acknowledged(false);
    bool was_acknowledged = is_acknowledged(true);

    /* Server 2 fails before anything else of it arrives. Server 1, whose log ends with command 7,
     * is elected by server 3. */
    (void)cluster_drop(2, 1);
    (void)cluster_drop(2, 3);
    cluster_crash(2);
    cluster_elect(1, 3);
    cluster_conclude(
        needs_leftovers && was_acknowledged && cluster_term(1, 2) == 2,
        "command 8 was reported as applied, and the next leader has command 7 instead");
}
