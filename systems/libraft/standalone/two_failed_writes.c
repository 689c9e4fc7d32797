/* two_failed_writes.c - a leader dies when two of its writes fail, as they do when it is closed.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cluster.h"

static void close_with_writes(bool has_two)
{
    cluster_start(3, 3, 0);
    cluster_elect(1, 2);
    (void)cluster_apply(1, 1);
    if (has_two)
        (void)cluster_apply(1, 2);
    cluster_close(1, RAFT_CANCELED); /* each is reported as cancelled, in their order */
}

int main(void)
{
    cluster_conclude_crash(
        close_with_writes,
        "a leader that is closed with two writes under way dies of a signal, with one it "
        "does not");
}
