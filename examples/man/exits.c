/* exits.c - sn_exit, sn_kill, sn_link, sn_unlink, sn_trap_exit, sn_spawn_link, sn_spawn_monitor,
 * sn_monitor_process, sn_monitor_name and sn_demonitor: the end of processes, and who is told.
 * SPDX-License-Identifier: MIT
 */
#include <sennit/sennit.h>
#include <string.h>

static void fail(const void *payload)
{
    (void)payload;
    sn_exit("broken");
}

static const struct sn_process failing = {.name = "Failing", .run = fail};

static void wait(const void *payload)
{
    (void)payload;
    (void)sn_receive(NULL, NULL, SN_FOREVER);
}

static const struct sn_process waiting = {.name = "Waiting", .run = wait, .may_wait = true};

static const char *next_reason(void)
{
    const struct sn_message *m = sn_receive(NULL, NULL, SN_FOREVER);

    if (m->event == &sn_down)
        return ((const struct sn_down_signal *)m->payload)->reason;
    sn_assert(m->event == &sn_exited);
    return ((const struct sn_exit_signal *)m->payload)->reason;
}

static void watch(const void *payload)
{
    sn_ref ref;
    sn_id other;

    (void)payload;
    (void)sn_trap_exit(true); /* exit signals are messages from now on */
    (void)sn_spawn_link(&failing, NULL);
    sn_assert(strcmp(next_reason(), "broken") == 0);

    other = sn_spawn_monitor(&waiting, NULL, &ref);
    sn_link(other);
    sn_unlink(other);
    sn_kill(other, SN_KILL); /* cannot be trapped */
    sn_assert(strcmp(next_reason(), SN_KILLED) == 0);

    (void)sn_monitor_process(other); /* has ended: the answer comes at once */
    sn_assert(strcmp(next_reason(), SN_NOPROC) == 0);
    ref = sn_monitor_name(SN_NO_NODE, "nobody");
    sn_assert(!sn_demonitor(ref, true)); /* that had its DOWN already, which is gone now */
    sn_assert(sn_receive(NULL, NULL, 0) == NULL);
}

static const struct sn_process watcher = {.name = "Watcher", .run = watch};

static void run(void)
{
    sn_spawn(&watcher, NULL);
}

static const struct sn_test tests[] = {{.name = "exits", .run = run}, {0}};
static const struct sn_suite suite = {.name = "exits", .tests = tests};

int main(int argc, char **argv)
{
    return sn_main(argc, argv, &suite);
}
