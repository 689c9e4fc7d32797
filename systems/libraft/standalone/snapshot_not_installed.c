/* snapshot_not_installed.c - a server whose entry where a snapshot ends is of a later term says
 * that it has what is in the snapshot, does not install it, and gets nothing from its leader any
 * more.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cluster.h"

/* Whether leader 3 gets a command applied, by servers that are given as digits and run: with them
 * it is in a majority that cannot do without server 2, which is started again meanwhile. */
static bool serves(const char *others)
{
    (void)cluster_apply(3, 6);
    for (int i = 0; i < 100; i++) {
        cluster_replicate_all(3, others);
        for (unsigned id = 1; id <= CLUSTER_MAX; id++)
            (void)cluster_drop(3, id);
        if (i == 50) {
            cluster_crash(2);
            cluster_restart(2);
        }
    }
    return apply_status[6] == 0;
}

/* Leader 2 is cut off and fails. It has had commands, which nobody else has, or none. */
static void fail_apart(bool has_led)
{
    if (has_led) {
        (void)cluster_apply(2, 3);
        (void)cluster_apply(2, 4);
    }
    cluster_end_writes(2);
    cluster_forget(2);
    cluster_crash(2);
}

/* Of three servers. */
static bool trio_serves(bool has_led)
{
    cluster_start(3, 3, 3); /* a snapshot every three entries */

    /* Leader 1 has commands 1 and 2, entries 2 and 3, on its own disk only. */
    cluster_elect(1, 2);
    (void)cluster_apply(1, 1);
    (void)cluster_apply(1, 2);
    cluster_end_writes(1);
    cluster_forget(1);

    /* So has leader 2, in their place, commands 3 and 4; or it is not given any. */
    cluster_elect(2, 3);
    fail_apart(has_led);

    /* Leader 1 is elected by server 3, which gets commands 1 and 2 and takes a snapshot of them:
     * they count as committed, which they should not (counted_old_entries.c), and then by command 5
     * are. */
    cluster_elect(1, 3);
    cluster_replicate_all(1, "3");
    (void)cluster_apply(1, 5);
    cluster_replicate_all(1, "3");

    /* It fails, and server 3 is elected by server 2. */
    cluster_restart(2);
    cluster_forget(1);
    cluster_crash(1);
    cluster_forget(2);
    cluster_elect(3, 2);
    return serves("2");
}

/* Of five servers, where nothing counts as committed that is not. */
static bool quintet_serves(bool has_led)
{
    cluster_start(5, 5, 3);

    /* Leader 1 has commands 1 and 2 on its own disk only, and leader 2 commands 3 and 4. */
    (void)cluster_stand(1, 4, 5);
    (void)cluster_apply(1, 1);
    (void)cluster_apply(1, 2);
    cluster_end_writes(1);
    cluster_forget(1);
    cluster_forget(4);
    cluster_forget(5);
    (void)cluster_stand(2, 4, 5);
    fail_apart(has_led);

    /* Leader 1 is elected again. Server 3 gets commands 1 and 2, and while it writes command 5
     * behind them the others have written that. It hears that all is committed, has stored commands
     * 1 and 2 of it, and takes a snapshot of them. */
    cluster_forget(4);
    cluster_forget(5);
    (void)cluster_stand(1, 4, 5);
    cluster_replicate(1, 3);
    cluster_tick(1, 1);
    cluster_replicate(1, 3);
    (void)cluster_apply(1, 5);
    cluster_end_writes(1);
    (void)cluster_deliver(1, 3);
    for (int i = 0; i < 3; i++) {
        cluster_tick(1, 1);
        cluster_replicate(1, 4);
        cluster_replicate(1, 5);
    }
    cluster_tick(1, 1);
    (void)cluster_deliver(1, 3);
    cluster_end_writes(3);

    /* Leader 1 fails, and server 4. Server 3 is elected by servers 5 and 2. */
    cluster_restart(2);
    cluster_forget(1);
    cluster_crash(1);
    cluster_forget(4);
    cluster_crash(4);
    cluster_forget(5);
    cluster_forget(2);
    (void)cluster_stand(3, 5, 2);
    return serves("25");
}

int main(void)
{
    cluster_show(trio_serves(false) && !trio_serves(true),
                 "two of three servers run, and one of them never gets what it lacks");
    cluster_conclude(quintet_serves(false) && !quintet_serves(true),
                     "three of five servers run, and one of them never gets what it lacks");
}
