/* uncommitted_after_install.c - a server whose log is replaced by a snapshot goes on believing in a
 * configuration that is not committed, and as leader refuses to change the members, for good.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cluster.h"

/* What leader 1 says when it is to add server 4; it was told so once before, or not. */
static int answer(bool was_told)
{
    cluster_start(4, 3, 3); /* a snapshot every three entries */

    /* Leader 1 is told to add server 4, and only its own disk hears of it. */
    cluster_elect(1, 2);
    cluster_replicate_all(1, "2");
    if (was_told)
        (void)cluster_add(1, 4);
    cluster_end_writes(1);
    cluster_forget(1);

    /* Server 2 is elected by server 3. They apply commands and take snapshots; then server 1 gets
     * the snapshot and all the rest. */
    cluster_forget(3);
    cluster_elect(2, 3);
    for (unsigned digit = 1; digit <= 4; digit++) {
        (void)cluster_apply(2, digit);
        cluster_replicate_all(2, "3");
    }
    (void)cluster_drop(2, 1);
    cluster_replicate_all(2, "13");

    /* Server 1 leads again. Everything in its log is committed. */
    cluster_forget(2);
    cluster_elect(1, 2);
    (void)cluster_apply(1, 5);
    cluster_replicate_all(1, "2");
    return apply_status[5] == 0 ? cluster_add(1, 4) : -1;
}

int main(void)
{
    cluster_conclude(answer(false) == 0 && answer(true) == RAFT_CANTCHANGE,
                     "a leader without any change under way refuses to make one");
}
