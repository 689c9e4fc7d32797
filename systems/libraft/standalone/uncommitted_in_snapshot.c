/* uncommitted_in_snapshot.c - a server takes a snapshot while it has a configuration that is not
 * committed, which goes into the snapshot: who gets that is elected by a minority.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cluster.h"

/* Has leader 1 send its snapshot to server 2, and nothing else to anybody. */
static void install(void)
{
    for (int i = 0; i < 40 && servers[2].disk.snapshot.index == 0; i++) {
        cluster_tick(1, 1);
        (void)cluster_deliver(1, 2);
        cluster_end_writes(2);
        (void)cluster_deliver(2, 1);
        (void)cluster_drop(1, 3);
        (void)cluster_drop(1, 4);
    }
}

/* Whether two leaders have their commands applied; server 1 is told to change members or not. */
static bool are_two(bool is_told)
{
    cluster_start(5, 4, 0);
    raft_set_snapshot_threshold(&servers[1].raft, 3); /* only this one takes snapshots */
    raft_set_snapshot_trailing(&servers[1].raft, 3);

    /* Servers 1 to 4 are voters, and server 5 is a spare. Server 2 has not heard of that yet. */
    (void)cluster_stand(1, 3, 4);
    (void)cluster_add(1, 5);
    cluster_replicate_all(1, "34");
    (void)cluster_drop(1, 2);

    /* Leader 1 gets two commands, and while the others write them it is told to make server 4 a
     * spare. Before it has written that it hears of the commands, and takes a snapshot of them,
     * which it writes behind the change. */
    (void)cluster_apply(1, 1);
    (void)cluster_apply(1, 2);
    cluster_end_writes(1);
    for (unsigned id = 3; id <= 4; id++) {
        (void)cluster_deliver(1, id);
        cluster_end_writes(id);
    }
    if (is_told)
        (void)cluster_assign(1, 4, RAFT_SPARE);
    for (unsigned id = 3; id <= 4; id++)
        (void)cluster_deliver(id, 1);
    cluster_end_writes(1);

    /* Server 2 gets the snapshot, and then leader 1 is cut off. Nobody else has the change. */
    install();
    cluster_forget(1);

    /* Server 3 is elected by servers 2 and 4, and has a command applied by them: three of four. It
     * makes server 5 a voter, by servers 3, 4 and 5: three of five. */
    cluster_forget(2);
    cluster_forget(4);
    (void)cluster_stand(3, 2, 4);
    (void)cluster_apply(3, 3);
    cluster_replicate_all(3, "24");
    (void)cluster_assign(3, 5, RAFT_VOTER);
    cluster_replicate_all(3, "45");
    (void)cluster_drop(3, 1);
    (void)cluster_drop(3, 2);

    /* Servers 1 and 2 are cut off from the others: two of five. */
    if (apply_status[3] != 0 || !cluster_stand(2, 1, 1))
        return false;
    (void)cluster_apply(2, 7);
    cluster_replicate_all(2, "1");
    (void)cluster_apply(3, 8);
    cluster_replicate_all(3, "45");
    return apply_status[7] == 0 && apply_status[8] == 0;
}

int main(void)
{
    cluster_conclude(!are_two(false) && are_two(true),
                     "servers 2 and 3 lead at the same time, and each has had a command applied");
}
