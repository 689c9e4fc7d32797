/* test_failures.c - tests of failures.c: which trials of a run failed, written and read again, and
 * files that anyone may have written. SPDX-License-Identifier: MIT
 */
#include "api/failures.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define GOOD "\"sennit\": \"failures\", \"version\": 1, \"strategy\": \"pos\", \"seed\": 7"

static char folder[64];
static char list[128];
static char path[128];
static char shrunk[128];
static struct trace trace;
static struct failures failures;
static struct run_found found;
static struct run_request request;

static int setup(void **state)
{
    (void)state;
    (void)snprintf(folder, sizeof(folder), "/tmp/sennit-failures-XXXXXX");
    if (mkdtemp(folder) == NULL)
        return -1;
    (void)snprintf(list, sizeof(list), "%s/a-1.failures.json", folder);
    (void)snprintf(path, sizeof(path), "%s/a-1.trace", folder);
    (void)snprintf(shrunk, sizeof(shrunk), "%s/a-1.shrunk.trace", folder);
    trace = (struct trace){.header = {.strategy = "pos", .seed = 7}};
    request = (struct run_request){.options = {.strategy = "pos", .seed = 7}};
    found = (struct run_found){.n_failures = 1};
    found.failures[0] =
        (struct run_failure){.trial = 1, .count = 3, .trials = {1, 5, 9}, .n_trials = 3};
    memcpy(found.failures[0].trace, path, sizeof(path));
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    (void)unlink(list);
    return rmdir(folder);
}

static void write_list(const char *text)
{
    FILE *file = fopen(list, "w");

    assert_non_null(file);
    (void)fputs(text, file);
    (void)fclose(file);
}

static void assert_refused(const char *text)
{
    write_list(text);
    assert_false(failures_read(&failures, path, &trace));
}

static void what_was_written_is_read_beside_the_trace_and_the_shrunk_one(void **state)
{
    struct err why;

    (void)state;
    assert_int_equal(failures_write(&request, &found, &why), 0);

    assert_true(failures_read(&failures, path, &trace));
    assert_true(failures_read(&failures, shrunk, &trace));
    assert_int_equal(failures.n, 3);
    assert_true(failures.trials[2] == 9);
    assert_true(failures.count == 3);
}

static void one_failing_trial_is_no_list_and_takes_an_older_one_away(void **state)
{
    struct err why;

    (void)state;
    write_list("{" GOOD ", \"count\": 3, \"trials\": [1, 5, 9]}");
    found.failures[0].n_trials = 1;

    assert_int_equal(failures_write(&request, &found, &why), 0);
    assert_false(failures_read(&failures, path, &trace));
    assert_int_not_equal(access(list, F_OK), 0);
}

static void a_list_of_another_seed_or_strategy_is_not_of_this_run(void **state)
{
    (void)state;
    write_list("{" GOOD ", \"count\": 3, \"trials\": [1, 5, 9]}");
    assert_true(failures_read(&failures, path, &trace));

    trace.header.seed = 8;
    assert_false(failures_read(&failures, path, &trace));
    trace.header.seed = 7;
    trace.header.strategy = "random";
    assert_false(failures_read(&failures, path, &trace));
}

static void a_list_in_no_order_is_refused(void **state)
{
    (void)state;

    assert_refused("{" GOOD ", \"count\": 3, \"trials\": [1, 5, 5]}");
}

static void more_trials_than_are_kept_are_refused(void **state)
{
    char text[1024] = "{" GOOD ", \"count\": 100, \"trials\": [0";
    size_t n = strlen(text);

    (void)state;
    for (int i = 1; i <= RUN_TRIALS_MAX; i++)
        n += (size_t)snprintf(text + n, sizeof(text) - n, ",%d", i);
    (void)snprintf(text + n, sizeof(text) - n, "]}");

    assert_refused(text);
}

static void more_trials_than_failed_are_refused(void **state)
{
    (void)state;

    assert_refused("{" GOOD ", \"count\": 2, \"trials\": [1, 5, 9]}");
}

static void what_is_no_list_of_trials_is_refused(void **state)
{
    (void)state;

    assert_refused("{" GOOD ", \"count\": 3}");
    assert_refused("{" GOOD ", \"count\": 3, \"trials\": 1}");
    assert_refused("{" GOOD ", \"count\": 3, \"trials\": [\"1\"]}");
    assert_refused("{" GOOD ", \"count\": 3, \"trials\": [1");
    assert_refused("[]");
    assert_refused("");
}

static void another_version_is_refused(void **state)
{
    (void)state;

    assert_refused("{\"sennit\": \"failures\", \"version\": 2, \"strategy\": \"pos\", "
                   "\"seed\": 7, \"count\": 3, \"trials\": [1, 5, 9]}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            what_was_written_is_read_beside_the_trace_and_the_shrunk_one, setup, teardown),
        cmocka_unit_test_setup_teardown(one_failing_trial_is_no_list_and_takes_an_older_one_away,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(a_list_of_another_seed_or_strategy_is_not_of_this_run,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(a_list_in_no_order_is_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(more_trials_than_are_kept_are_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(more_trials_than_failed_are_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_no_list_of_trials_is_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(another_version_is_refused, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
