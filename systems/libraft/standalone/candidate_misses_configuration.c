/* candidate_misses_configuration.c - a server that becomes candidate while it writes a
 * configuration never uses it, though it has it in its log, and is elected by a minority.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cluster.h"

/* Whether two leaders have their commands applied; the disk of server 2 is slow or not. */
static bool are_two(bool is_slow)
{
    cluster_start(5, 3, 0);

    /* Servers 1 to 3 are voters, and servers 4 and 5 are spares, as all voters know. */
    cluster_elect(1, 2);
    for (unsigned id = 4; id <= 5; id++) {
        (void)cluster_add(1, id);
        cluster_replicate_all(1, "23");
    }

    /* Leader 1 makes server 4 a voter. Server 2 gets that too, and becomes candidate before it has
     * written it, or after; nobody hears of that. */
    (void)cluster_assign(1, 4, RAFT_VOTER);
    cluster_replicate_all(1, "34");
    (void)cluster_deliver(1, 2);
    if (!is_slow)
        cluster_end_writes(2);
    cluster_forget(2);
    cluster_end_writes(2);
    cluster_replicate_all(1, "34");
    (void)cluster_drop(1, 2);

    /* Server 3 is elected by servers 1 and 4, and makes server 5 a voter, by servers 3, 4 and 5:
     * three of five. */
    cluster_forget(1);
    cluster_forget(4);
    (void)cluster_stand(3, 1, 4);
    (void)cluster_assign(3, 5, RAFT_VOTER);
    cluster_replicate_all(3, "45");
    (void)cluster_drop(3, 1);
    (void)cluster_drop(3, 2);

    /* Servers 1 and 2 are cut off from the others: two of four. */
    cluster_forget(1);
    if (!cluster_stand(2, 1, 1))
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
