/* counted_old_entries.c - a leader takes an entry of an earlier term for committed because it is on
 * a majority, which figure 8 of the Raft paper forbids, and it is lost: when a follower confirms
 * that entry, and when it confirms one behind it that the leader has not written itself.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cluster.h"

/* A server is elected by another one, and has a command on its own disk only when it fails. */
static void lead_alone(unsigned id, unsigned by, unsigned digit)
{
    cluster_elect(id, by);
    (void)cluster_drop(id, by);
    (void)cluster_apply(id, digit);
    cluster_end_writes(id);
    for (unsigned to = 1; to <= 3; to++)
        (void)cluster_drop(id, to);
    cluster_crash(id);
}

/* Whether an entry of term 2 is committed, and not in the log of the leader of term 5; depending on
 * whether the leader of term 4 has written an entry of its own when a follower confirms it. */
static bool is_lost(bool has_written)
{
    cluster_start(3, 3, 0);

    /* (a) Server 3 leads term 2 and has command 1, (b) server 1 leads term 3 and has command 3. */
    lead_alone(3, 2, 1);
    lead_alone(1, 2, 3);

    /* (c) Server 3 is back, leads term 4 by the vote of server 2, and is given command 5. It brings
     * server 2 both commands. */
    cluster_restart(3);
    cluster_elect(3, 2);
    (void)cluster_apply(3, 5);
    if (has_written)
        cluster_end_writes(3);
    for (int i = 0; i < 10 && servers[3].raft.commit_index < 2; i++) {
        cluster_tick(3, 1);
        (void)cluster_deliver(3, 2);
        cluster_end_writes(2);
        (void)cluster_deliver(2, 3);
    }

    bool was_committed = servers[3].raft.commit_index >= 2;

    /* (d) Server 3 fails and is back, and so is server 1, which asks it for its vote. */
    (void)cluster_drop(3, 1);
    (void)cluster_drop(3, 2);
    cluster_crash(3);
    cluster_restart(3);
    cluster_restart(1);
    return was_committed && cluster_stand(1, 3, 3) && cluster_term(1, 2) == 3;
}

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
    cluster_show(was_committed && servers[1].state == 1 && servers[2].state == 35 &&
                     servers[3].state == 35 && apply_status[5] == 0,
                 "server 1 has applied command 1, and the others commands 3 and 5 instead");
    cluster_conclude(!is_lost(true) && is_lost(false),
                     "a leader has applied command 1 since it and a command behind it were "
                     "confirmed, and the next leader has command 3 instead");
}
