/* uncommitted_after_restart.c - a server that is started again takes a configuration which was
 * never committed for committed, keeps it when it drops the entry, and is elected by a minority.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cluster.h"

/* Whether two leaders have their commands applied; server 1 is started again or not. */
static bool are_two(bool is_started_again)
{
    cluster_start(5, 4, 0);

    /* Servers 1 to 4 are voters, and server 5 is a spare, as all of them know. */
    (void)cluster_stand(1, 2, 3);
    (void)cluster_add(1, 5);
    cluster_replicate_all(1, "234");

    /* Leader 1 is told to make server 4 a spare, and only its own disk hears of it. */
    (void)cluster_assign(1, 4, RAFT_SPARE);
    cluster_end_writes(1);
    cluster_forget(1);
    if (is_started_again) {
        cluster_crash(1);
        cluster_restart(1);
    }

    /* Server 3 is elected by servers 2 and 4. All of the four have its command 1, and server 1 has
     * it in the place of the configuration. */
    cluster_forget(2);
    cluster_forget(4);
    (void)cluster_stand(3, 2, 4);
    (void)cluster_apply(3, 1);
    cluster_replicate_all(3, "124");

    /* It makes server 5 a voter, by servers 3, 4 and 5: three of five. */
    (void)cluster_assign(3, 5, RAFT_VOTER);
    cluster_replicate_all(3, "45");
    (void)cluster_drop(3, 1);
    (void)cluster_drop(3, 2);

    /* Servers 1 and 2 are cut off from the others: two of four. */
    cluster_forget(2);
    if (!cluster_stand(1, 2, 2))
        return false;
    (void)cluster_apply(1, 7);
    cluster_replicate_all(1, "2");
    (void)cluster_apply(3, 8);
    cluster_replicate_all(3, "45");
    return apply_status[7] == 0 && apply_status[8] == 0;
}

int main(void)
{
    cluster_conclude(!are_two(false) && are_two(true),
                     "servers 1 and 3 lead at the same time, and each has had a command applied");
}
