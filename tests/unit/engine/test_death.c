/* test_death.c - who looks after a process that runs trials, and what is taken for a hang.
 * SPDX-License-Identifier: MIT
 */
#include "engine/death.h"
#include "engine/trial.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

/* A trial that is in the middle of a step, and was in the same one when the machine was started. */
static struct trial *long_in_a_step(void)
{
    struct trial *t = calloc(1, sizeof(*t));

    assert_non_null(t);
    t->running = true;
    t->death.hang_s = 1;
    t->death.last.since_ns = 1;
    return t;
}

static pid_t start_computing(void)
{
    pid_t pid = fork();

    while (pid == 0)
        continue;
    assert_true(pid > 0);
    return pid;
}

static pid_t start_waiting(void)
{
    pid_t pid = fork();
    int status = 0;

    if (pid == 0) {
        (void)raise(SIGSTOP);
        _exit(0);
    }
    assert_true(pid > 0);
    assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
    return pid;
}

/* The signal that ended the process: one that ends it here comes too late if there was another. */
static int end(pid_t pid)
{
    int status = 0;

    (void)kill(pid, SIGTERM);
    (void)kill(pid, SIGCONT);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status));
    return WTERMSIG(status);
}

static void a_process_that_waits_too_long_is_ended(void **state)
{
    struct trial *t = long_in_a_step();
    pid_t pid = start_waiting();

    (void)state;
    death_look(t, pid);
    assert_int_equal(t->death.kind, DEATH_BLOCKED);
    assert_int_equal(end(pid), SIGKILL);
    free(t);
}

static uint64_t seconds_ago(unsigned seconds)
{
    struct timespec now = {0};

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return ((uint64_t)now.tv_sec - seconds) * 1000000000 + (uint64_t)now.tv_nsec;
}

static void a_process_may_wait_for_as_long_as_a_step_may_take(void **state)
{
    struct trial *t = long_in_a_step();
    pid_t pid = start_waiting();

    (void)state;
    t->death.hang_s = 100;
    t->death.last.since_ns = seconds_ago(50);

    death_look(t, pid);
    assert_int_equal(t->death.kind, DEATH_UNKNOWN);
    t->death.last.since_ns = seconds_ago(101);
    death_look(t, pid);

    assert_int_equal(t->death.kind, DEATH_BLOCKED);
    assert_int_equal(end(pid), SIGKILL);
    free(t);
}

static void one_that_only_waits_for_a_processor_is_not(void **state)
{
    struct trial *t = long_in_a_step();
    pid_t pid = start_computing();

    (void)state;
    death_look(t, pid);
    assert_int_equal(t->death.kind, DEATH_UNKNOWN);
    assert_int_equal(end(pid), SIGTERM);
    free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_process_that_waits_too_long_is_ended),
        cmocka_unit_test(a_process_may_wait_for_as_long_as_a_step_may_take),
        cmocka_unit_test(one_that_only_waits_for_a_processor_is_not),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
