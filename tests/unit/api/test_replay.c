/* test_replay.c - the same trial again, in this process and in others.
 *
 * argv[1] is the directory of the test programs. Without SCALE in the environment the numbers are
 * those of a normal test run. SPDX-License-Identifier: MIT
 */
#include "race.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char directory[] = "/tmp/sennit-replay-XXXXXX";
static const char *programs;
static int n_here = 1000;
static int n_fresh = 20;

/* Runs with another seed until a trial fails; its trace is written. */
static struct sn_result find_failure(uint64_t seed)
{
    struct sn_options options = {.iterations = 1000, .seed = seed, .outdir = directory};
    struct sn_result r;

    assert_int_equal(sn_run(&race_test, &options, &r), 0);
    assert_int_equal(r.failures, 1);
    assert_int_not_equal(r.trace[0], '\0');
    return r;
}

static void a_trace_replays_to_the_same_failure_twice_in_the_same_process(void **unused)
{
    (void)unused;

    for (int seed = 1; seed <= n_here; seed++) {
        struct sn_result found = find_failure((uint64_t)seed);

        for (int again = 0; again < 2; again++) {
            struct sn_result r;

            assert_int_equal(sn_replay(&race_test, found.trace, &r), 0);
            assert_false(r.nondeterministic);
            assert_int_equal(r.verdict, SN_FAILED);
            assert_int_equal(r.steps, found.failing_steps);
            assert_string_equal(r.failure, found.failure);
        }
        (void)unlink(found.trace);
    }
}

/* Runs a command, returns its exit code and what it printed. */
static int command(char *printed, size_t size, const char *format, ...)
{
    char line[2048];
    va_list args;
    size_t n;
    FILE *f;

    va_start(args, format);
    (void)vsnprintf(line, sizeof(line), format, args);
    va_end(args);
    f = popen(line, "r");
    assert_non_null(f);
    n = fread(printed, 1, size - 1, f);
    printed[n] = '\0';
    return WEXITSTATUS(pclose(f));
}

static void a_trace_replays_to_the_same_failure_twice_in_fresh_processes(void **unused)
{
    (void)unused;

    for (int seed = 1; seed <= n_fresh; seed++) {
        char found[4096];
        char trace[512];
        char replayed[4096];
        int rc = command(found, sizeof(found), "%s/race_main -f race -o %s --seed %d -i 1000",
                         programs, directory, seed);
        char *at = strstr(found, "sennit show ");

        assert_int_equal(rc, 1);
        assert_non_null(at);
        assert_int_equal(sscanf(at, "sennit show %511s", trace), 1);
        for (int again = 0; again < 2; again++) {
            /* Another layout of the address space comes by itself; other heap contents by request.
             */
            rc = command(replayed, sizeof(replayed),
                         "SENNIT_HEAP_FILL=%02x %s/race_main --replay %s", 17 * again + seed,
                         programs, trace);
            assert_int_equal(rc, 1);
            assert_non_null(strstr(replayed, "race/race: failed again in step "));
        }
        (void)unlink(trace);
    }
}

static void a_changed_program_is_told_with_its_first_divergence(void **unused)
{
    char trace[512];
    char printed[4096];
    int rc;

    (void)unused;
    rc = command(printed, sizeof(printed), "%s/race_main -f race -o %s", programs, directory);
    assert_int_equal(rc, 1);
    assert_int_equal(sscanf(strstr(printed, "sennit show "), "sennit show %511s", trace), 1);

    rc = command(printed, sizeof(printed), "%s/race_changed --replay %s", programs, trace);

    assert_int_equal(rc, 4);
    assert_non_null(strstr(printed, "WENT ANOTHER WAY: step 1, "));
    assert_non_null(strstr(printed, "The program has changed since the trace was written"));
    (void)unlink(trace);
}

static void another_failure_than_the_traces_is_not_the_same_again(void **unused)
{
    char trace[512];
    char printed[4096];
    int rc;

    (void)unused;
    rc = command(printed, sizeof(printed), "%s/race_main -f race -o %s", programs, directory);
    assert_int_equal(rc, 1);
    assert_int_equal(sscanf(strstr(printed, "sennit show "), "sennit show %511s", trace), 1);

    rc =
        command(printed, sizeof(printed), "%s/race_main --bug strict --replay %s", programs, trace);

    assert_int_equal(rc, 1);
    assert_non_null(strstr(printed, "FAILED IN ANOTHER WAY in step 0: assert: "));
    assert_non_null(strstr(printed, "the trace says: step "));
    (void)unlink(trace);
}

static void the_same_assertion_in_another_step_is_another_failure(void **unused)
{
    char trace[512];
    char printed[4096];
    int rc;

    (void)unused;
    rc = command(printed, sizeof(printed), "%s/race_main -f late -o %s", programs, directory);
    assert_int_equal(rc, 1);
    assert_int_equal(sscanf(strstr(printed, "sennit show "), "sennit show %511s", trace), 1);

    rc =
        command(printed, sizeof(printed), "%s/race_main --bug strict --replay %s", programs, trace);

    assert_int_equal(rc, 1);
    assert_non_null(strstr(printed, "FAILED IN ANOTHER WAY in step 2: assert: "));
    assert_non_null(strstr(printed, "the trace says: step 5, assert: "));
    (void)unlink(trace);
}

static void a_replay_switches_on_the_bugs_that_the_trace_was_written_with(void **unused)
{
    char trace[512];
    char printed[4096];
    int rc;

    (void)unused;
    rc = command(printed, sizeof(printed), "%s/race_main --bug strict -f race -o %s", programs,
                 directory);
    assert_int_equal(rc, 1);
    assert_int_equal(sscanf(strstr(printed, "sennit show "), "sennit show %511s", trace), 1);

    rc = command(printed, sizeof(printed), "%s/race_main --replay %s", programs, trace);

    assert_int_equal(rc, 1);
    assert_non_null(strstr(printed, "failed again in step 0: assert: "));
    (void)unlink(trace);
}

static void a_repaired_program_does_not_fail_on_the_old_trace_of_another_test(void **unused)
{
    struct sn_result found = find_failure(1);
    struct sn_result r;

    (void)unused;

    assert_int_equal(sn_replay(&race_fixed_test, found.trace, &r), 0);

    assert_true(r.nondeterministic);
    assert_int_equal(r.failures, 0);
    (void)unlink(found.trace);
}

static void a_trace_holds_what_the_program_printed(void **unused)
{
    struct sn_result found = find_failure(1);
    char text[65536];
    FILE *f = fopen(found.trace, "r");
    size_t n;

    (void)unused;
    assert_non_null(f);

    n = fread(text, 1, sizeof(text) - 1, f);
    text[n] = '\0';

    assert_non_null(strstr(text, "{\"output\":\"counter is "));
    (void)fclose(f);
    (void)unlink(found.trace);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_trace_replays_to_the_same_failure_twice_in_the_same_process),
        cmocka_unit_test(a_trace_replays_to_the_same_failure_twice_in_fresh_processes),
        cmocka_unit_test(a_changed_program_is_told_with_its_first_divergence),
        cmocka_unit_test(another_failure_than_the_traces_is_not_the_same_again),
        cmocka_unit_test(the_same_assertion_in_another_step_is_another_failure),
        cmocka_unit_test(a_replay_switches_on_the_bugs_that_the_trace_was_written_with),
        cmocka_unit_test(a_repaired_program_does_not_fail_on_the_old_trace_of_another_test),
        cmocka_unit_test(a_trace_holds_what_the_program_printed),
    };
    const char *scale = getenv("SENNIT_TEST_SCALE");
    int rc;

    programs = argc > 1 ? argv[1] : ".";
    if (scale != NULL) {
        n_here = n_here * atoi(scale) / 100;
        n_fresh = n_fresh * atoi(scale) / 100 + 1;
    }
    if (mkdtemp(directory) == NULL)
        return 1;
    rc = cmocka_run_group_tests(tests, NULL, NULL);
    (void)rmdir(directory);
    return rc;
}
