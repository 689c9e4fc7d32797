/* entries_before_snapshot.c - a follower that gets entries which are in its snapshot already takes
 * them for new ones, and dies.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cluster.h"

static void send_again(bool is_broken)
{
    cluster_start(3, 3, 3); /* a snapshot every three entries */

    /* Leader 1 replicates three commands. Servers 1 and 2 apply them all and take a snapshot.
     * Server 3 has them, but does not hear that they are committed. */
    cluster_elect(1, 2);
    cluster_replicate(1, 2);
    cluster_replicate(1, 3);
    for (unsigned digit = 1; digit <= 3; digit++)
        (void)cluster_apply(1, digit);
    cluster_end_writes(1);
    cluster_replicate(1, 3);
    cluster_replicate(1, 2);
    cluster_tick(1, 1);
    cluster_replicate(1, 2);
    (void)cluster_drop(1, 3);
    cluster_crash(1);

    /* Server 3 leads, by the vote of server 2. Its first message to that cannot be sent, so that it
     * begins with the first entry next time. Nothing else differs if it can. */
    cluster_tick(2, 4);
    (void)cluster_drop(2, 3);
    cluster_elect(3, 2);
    (void)cluster_drop(3, 2);
    if (is_broken)
        send_status = RAFT_NOCONNECTION;
    cluster_tick(3, 1);
    (void)cluster_drop(3, 2);
    send_status = 0;
    cluster_tick(3, 1);
    (void)cluster_deliver(3, 2);
    cluster_end_writes(2);
}

int main(void)
{
    cluster_conclude_crash(send_again,
                           "a follower dies of a signal when it gets entries of its snapshot");
}
