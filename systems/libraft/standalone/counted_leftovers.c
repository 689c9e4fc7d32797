/* counted_leftovers.c - a leader counts what a follower has left over from an earlier term as its
 * own entry, and a committed command is lost: when a message without entries is answered, and when
 * a write ends.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cluster.h"

/* Whether command 8 is reported as applied; with or without something left over. */
static bool is_acknowledged_by_answer(bool has_leftovers)
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

static bool is_acknowledged_by_write(bool has_leftovers)
{
    cluster_start(3, 3, 0);

    /* Server 1 leads term 2 and sends command 7 to server 2, which begins to write it. Server 1
     * itself fails before it has. */
    cluster_elect(1, 2);
    (void)cluster_deliver(1, 2);
    (void)cluster_deliver(2, 1);
    if (has_leftovers)
        (void)cluster_apply(1, 7);
    (void)cluster_deliver(1, 2);
    (void)cluster_drop(1, 3);
    cluster_crash(1);
    cluster_restart(1);

    /* Server 3 leads term 3 by the vote of server 1. Its first message, without entries, is
     * answered by server 2: it agrees up to entry 1, and has no more on its disk. */
    cluster_elect(3, 1);
    (void)cluster_deliver(3, 2);
    (void)cluster_deliver(2, 3);

    /* Server 3 is given command 8. Before that arrives anywhere, server 2 has written command 7,
     * and tells its new leader. */
    (void)cluster_apply(3, 8);
    cluster_end_writes(3);
    cluster_end_writes(2);
    (void)cluster_deliver(2, 3);
    return apply_status[8] == 0;
}

/* A leader fails before anything else of it arrives. The server whose log ends with command 7 is
 * elected by the third one. Returns whether it still has that, in the place of command 8. */
static bool is_lost(unsigned leader, unsigned next, unsigned third)
{
    (void)cluster_drop(leader, next);
    (void)cluster_drop(leader, third);
    cluster_crash(leader);
    cluster_elect(next, third);
    return cluster_term(next, 2) == 2;
}

int main(void)
{
    bool needs_leftovers = !is_acknowledged_by_answer(false);

    cluster_show(needs_leftovers && is_acknowledged_by_answer(true) && is_lost(2, 1, 3),
                 "command 8 was reported as applied, and the next leader has command 7 instead");
    needs_leftovers = !is_acknowledged_by_write(false);
    cluster_conclude(needs_leftovers && is_acknowledged_by_write(true) && is_lost(3, 2, 1),
                     "the same, when command 7 is being written while the leader changes");
}
