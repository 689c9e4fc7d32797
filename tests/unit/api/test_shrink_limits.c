/* test_shrink_limits.c - shrinking that is stopped, refused, or finds something else than it was
 * given. SPDX-License-Identifier: MIT
 */
#include "shrink_harness.h"

#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* A trial with one failure in which another one is hidden that is smaller. */
static void find_slip(void)
{
    bool is_found = false;

    for (uint64_t seed = 1; !is_found; seed++) {
        shrink_find("slip", "random", seed);
        for (uint64_t step = 1; step <= shrink_found.n_steps; step++) {
            const struct trace_record *r = &shrink_found.records[shrink_found.step_index[step]];

            is_found |= r->step.from != NULL && strcmp(r->step.from, "D") == 0 &&
                        strstr(shrink_found.verdict.message.bytes, "wrong way") != NULL;
        }
    }
}

static void any_failure_may_become_another_one_and_says_so(void **unused)
{
    (void)unused;
    find_slip();
    assert_int_equal(shrink_with((struct shrink_options){.workers = 1, .any_failure = true}), 0);

    assert_int_equal(shrink_report.how, SHRINK_DONE);
    assert_non_null(strstr(shrink_smallest.verdict.message.bytes, "D comes first"));
    assert_true(shrink_report.is_other);
    assert_memory_equal(shrink_report.text, "it is another failure now: assert: ", 35);
}

static void a_budget_of_runs_leaves_what_was_reached(void **unused)
{
    (void)unused;
    shrink_find("noisy", "random", 3);
    assert_int_equal(shrink_with((struct shrink_options){.workers = 1, .runs = 20}), 0);

    assert_int_equal(shrink_report.how, SHRINK_STOPPED);
    assert_true(shrink_report.runs >= 20 && shrink_report.runs < 60);
    assert_true(shrink_smallest.n_steps < shrink_found.n_steps);
    assert_non_null(strstr(shrink_report.text, "; it was stopped after "));
}

static void a_shorter_trial_of_the_run_is_begun_with(void **unused)
{
    struct shrink_options options = {.workers = 1, .runs = 1, .has_other = true};

    (void)unused;
    for (uint64_t seed = 1; shrink_found.n_steps < 200; seed++)
        shrink_find("noisy", "pct:3", seed);
    shrink_request.options.strategy = "random";
    do
        assert_int_equal(shrink_with(options), 0);
    while (shrink_smallest.n_steps == shrink_found.n_steps && ++options.other_trial < 50);

    assert_true(shrink_smallest.n_steps < shrink_found.n_steps);
}

static void a_trial_that_does_not_fail_any_more_is_left_alone(void **unused)
{
    struct sn_test fixed = *shrunk_test("default");

    (void)unused;
    shrink_find("order", "random", 1);
    fixed.name = "order";
    shrink_request.test = &fixed;
    assert_int_equal(shrink_with((struct shrink_options){.workers = 1}), 0);

    assert_int_equal(shrink_report.how, SHRINK_NOT_FAILING);
    assert_int_equal(access(shrink_path, F_OK), -1);
}

static void what_is_not_controlled_is_shrunk_by_repeating(void **unused)
{
    (void)unused;
    shrink_find("flaky", "random", 1);
    assert_int_equal(shrink_with((struct shrink_options){.workers = 1, .repeats = 40}), 0);

    assert_int_equal(shrink_report.how, SHRINK_DONE);
    assert_int_equal(shrink_smallest.n_steps, 5);
}

static void a_trial_that_has_passed_is_refused(void **unused)
{
    (void)unused;
    shrink_find("order", "random", 1);
    shrink_found.verdict.verdict = TRACE_PASSED;
    assert_int_equal(shrink_with((struct shrink_options){.workers = 1}), 0);

    assert_int_equal(shrink_report.how, SHRINK_REFUSED);
    assert_non_null(strstr(shrink_report.text, "has passed"));
}

static void a_trial_over_which_control_was_lost_is_refused(void **unused)
{
    (void)unused;
    shrink_find("order", "random", 1);
    shrink_found.verdict.verdict = TRACE_UNCONTROLLED;
    assert_int_equal(shrink_with((struct shrink_options){.workers = 1}), 0);

    assert_int_equal(shrink_report.how, SHRINK_REFUSED);
    assert_non_null(strstr(shrink_report.text, "control"));
}

/* ---- Time ----------------------------------------------------------------------------------- */

static void time_that_is_up_before_the_first_run_is_told(void **unused)
{
    struct shrink_options options = {.workers = 1, .seconds = 1e-9, .request = &shrink_request};

    (void)unused;
    shrink_find("order", "random", 1);
    assert_int_equal(shrink_trace(&options, &shrink_found, shrink_path, &shrink_report, NULL), 0);

    assert_int_equal(shrink_report.how, SHRINK_STOPPED);
    assert_int_equal(shrink_report.after.steps, 0);
    assert_string_equal(shrink_report.text, "its time was up before its first run");
}

/* The second trial, and the first one of what is kept for exceptions, wait until they are ended. */
static void when_time_is_up_what_there_is_is_written_and_that_is_told(void **unused)
{
    (void)unused;
    shrink_find("waits", "random", 1);
    shrunk_executions = mmap(NULL, sizeof(*shrunk_executions), PROT_READ | PROT_WRITE,
                             MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_int_equal(shrink_with((struct shrink_options){.workers = 1, .seconds = 1.5}), 0);
    (void)munmap(shrunk_executions, sizeof(*shrunk_executions));
    shrunk_executions = NULL;

    assert_int_equal(shrink_report.how, SHRINK_STOPPED);
    assert_int_equal(shrink_smallest.n_steps, shrink_found.n_steps);
    assert_string_equal(shrink_report.text, "nothing was left out of its 6 steps; its time was up "
                                            "after 2 runs: it could be smaller");
}

/* ---- Another failure ------------------------------------------------------------------------ */

/* As if the program had failed elsewhere when the trace was written. */
static void find_moved(void)
{
    shrink_find("order", "random", 1);
    shrink_found.verdict.at = "elsewhere.c:1";
}

static void any_failure_whose_first_run_is_another_one_says_so(void **unused)
{
    (void)unused;
    find_moved();
    assert_int_equal(shrink_with((struct shrink_options){.workers = 1, .any_failure = true}), 0);

    assert_int_equal(shrink_report.how, SHRINK_DONE);
    assert_true(shrink_report.is_other);
    assert_memory_equal(shrink_report.text, "it is another failure now: assert: ", 35);
}

static void a_trial_that_fails_elsewhere_is_left_alone(void **unused)
{
    (void)unused;
    find_moved();
    assert_int_equal(shrink_with((struct shrink_options){.workers = 1}), 0);

    assert_int_equal(shrink_report.how, SHRINK_NOT_FAILING);
    assert_non_null(strstr(shrink_report.text, "fails in another way now"));
}

static void a_monitor_that_is_hot_in_another_state_is_another_failure(void **unused)
{
    (void)unused;
    shrink_find("hot", "random", 1);
    shrink_found.verdict.message =
        trace_text_of("monitor Answers is still hot (state Elsewhere) at the limit of 200 steps");
    assert_int_equal(shrink_with((struct shrink_options){.workers = 1}), 0);

    assert_int_equal(shrink_report.how, SHRINK_NOT_FAILING);
}

/* ---- Traces that nobody has written so ------------------------------------------------------ */

static void a_limit_that_no_trial_can_have_is_as_much_as_there_is_room_for(void **unused)
{
    (void)unused;
    shrink_find("order", "random", 1);
    shrink_found.header.max_steps = UINT64_MAX;
    shrink_it();

    assert_int_equal(shrink_smallest.n_steps, 5);
}

static void a_fair_end_that_begins_after_the_limit_is_refused(void **unused)
{
    (void)unused;
    shrink_find("hot", "random", 1);
    shrink_found.header.fair_from = shrink_found.header.max_steps + 1;
    assert_int_equal(shrink_with((struct shrink_options){.workers = 1}), 0);

    assert_int_equal(shrink_report.how, SHRINK_REFUSED);
    assert_non_null(strstr(shrink_report.text, "after its limit"));
}

static void numbers_and_ids_that_no_trial_has_do_no_harm(void **unused)
{
    (void)unused;
    shrink_find("value", "random", 1);
    for (size_t i = 0; i < shrink_found.n_records; i++) {
        struct trace_record *r = &shrink_found.records[i];

        if (r->kind == TRACE_STEP)
            r->step.id = 0;
        if (r->kind == TRACE_DRAW && i % 2 == 0)
            r->draw.key = 0;
        if (r->kind == TRACE_DRAW)
            r->draw.value = UINT64_MAX;
    }
    assert_int_equal(shrink_with((struct shrink_options){.workers = 1, .any_failure = true}), 0);
}

/* ---- Files ---------------------------------------------------------------------------------- */

static void what_another_one_writes_beside_it_is_not_in_the_way(void **unused)
{
    char taken[256];
    glob_t left;

    (void)unused;
    (void)snprintf(taken, sizeof(taken), "%s.new", shrink_path);
    assert_int_equal(mkdir(taken, 0700), 0);
    shrink_find("order", "random", 1);
    shrink_it();
    (void)rmdir(taken);
    (void)snprintf(taken, sizeof(taken), "%s.*", shrink_path);

    assert_int_equal(glob(taken, 0, NULL, &left), GLOB_NOMATCH);
    assert_int_equal(shrink_smallest.n_steps, 5);
}

static void a_file_that_cannot_be_written_is_said(void **unused)
{
    struct shrink_options options = {.workers = 1, .request = &shrink_request};
    struct err why = {""};

    (void)unused;
    shrink_find("order", "random", 1);

    assert_int_equal(shrink_trace(&options, &shrink_found, "/nowhere/at/all", &shrink_report, &why),
                     SN_EIO);
    assert_non_null(strstr(why.text, "/nowhere/at/all"));
}

static void note_progress(void *self, const struct shrink_progress *progress)
{
    (void)progress;
    ++*(int *)self;
}

static void a_file_that_cannot_be_written_is_said_before_anything_is_run(void **unused)
{
    int n = 0;
    struct shrink_options options = {
        .workers = 1, .request = &shrink_request, .progress = note_progress, .progress_self = &n};
    struct err why = {""};

    (void)unused;
    shrink_find("order", "random", 1);

    assert_int_equal(shrink_trace(&options, &shrink_found, "/tmp", &shrink_report, &why), SN_EIO);
    assert_string_equal(why.text, "/tmp: cannot be written (Is a directory)");
    assert_int_equal(n, 0);
}

/* ---- Words ---------------------------------------------------------------------------------- */

static void only_what_has_changed_is_said(void **unused)
{
    (void)unused;
    shrink_find("value", "random", 1);
    shrink_it();

    assert_string_equal(shrink_report.text,
                        "3 steps, 32 -> 2 drawn values; the default schedule fails, too");
}

static void a_trial_of_which_nothing_can_be_left_out_is_said_to_be_one(void **unused)
{
    (void)unused;
    shrink_find("order", "random", 1);
    shrink_it();
    trace_done(&shrink_found);
    assert_int_equal(trace_read(&shrink_found, shrink_path, NULL), 0);
    shrink_it();

    assert_string_equal(shrink_report.text, "nothing can be left out of its 5 steps, 2 exceptions "
                                            "to the default schedule");
}

static void some_of_the_budget_is_kept_for_exceptions(void **unused)
{
    (void)unused;
    shrink_find("noisy", "random", 3);
    assert_int_equal(shrink_with((struct shrink_options){.workers = 1, .runs = 100}), 0);

    assert_int_equal(shrink_report.how, SHRINK_STOPPED);
    assert_true(shrink_report.has_exceptions);
    assert_true(shrink_report.exceptions > 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        SHRINK_TEST(any_failure_may_become_another_one_and_says_so),
        SHRINK_TEST(a_budget_of_runs_leaves_what_was_reached),
        SHRINK_TEST(a_shorter_trial_of_the_run_is_begun_with),
        SHRINK_TEST(a_trial_that_does_not_fail_any_more_is_left_alone),
        SHRINK_TEST(what_is_not_controlled_is_shrunk_by_repeating),
        SHRINK_TEST(a_trial_that_has_passed_is_refused),
        SHRINK_TEST(a_trial_over_which_control_was_lost_is_refused),
        SHRINK_TEST(time_that_is_up_before_the_first_run_is_told),
        SHRINK_TEST(when_time_is_up_what_there_is_is_written_and_that_is_told),
        SHRINK_TEST(any_failure_whose_first_run_is_another_one_says_so),
        SHRINK_TEST(a_trial_that_fails_elsewhere_is_left_alone),
        SHRINK_TEST(a_monitor_that_is_hot_in_another_state_is_another_failure),
        SHRINK_TEST(a_limit_that_no_trial_can_have_is_as_much_as_there_is_room_for),
        SHRINK_TEST(a_fair_end_that_begins_after_the_limit_is_refused),
        SHRINK_TEST(numbers_and_ids_that_no_trial_has_do_no_harm),
        SHRINK_TEST(what_another_one_writes_beside_it_is_not_in_the_way),
        SHRINK_TEST(a_file_that_cannot_be_written_is_said),
        SHRINK_TEST(a_file_that_cannot_be_written_is_said_before_anything_is_run),
        SHRINK_TEST(only_what_has_changed_is_said),
        SHRINK_TEST(a_trial_of_which_nothing_can_be_left_out_is_said_to_be_one),
        SHRINK_TEST(some_of_the_budget_is_kept_for_exceptions),
    };

    return shrink_main(argc, argv, "shrink_limits", tests, sizeof(tests) / sizeof(tests[0]));
}
