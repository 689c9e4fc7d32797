/* test_drift.c - a trace of a program, followed in the program after a small change.
 * SPDX-License-Identifier: MIT
 */
#include "api/run.h"
#include "moved.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char directory[] = "/tmp/sennit-drift-XXXXXX";
static struct trace trace; /* of the original; with an alarm, and an age that has no place in 6 */

/* ---- Helpers -------------------------------------------------------------------------------- */

static bool is_wanted(const struct trace *of)
{
    bool has_alarm = false;
    bool has_age = false;

    for (size_t i = 0; i < of->n_records; i++) {
        const struct trace_record *record = &of->records[i];

        has_alarm |= record->kind == TRACE_STEP && strcmp(record->step.event, "Alarm") == 0;
        has_age |= record->kind == TRACE_DRAW && record->draw.value >= 6;
    }
    return has_alarm && has_age;
}

static int find_trace(void **unused)
{
    (void)unused;
    if (mkdtemp(directory) == NULL)
        return -1;
    for (uint64_t seed = 1; seed < 100; seed++) {
        struct sn_options options = {.seed = seed, .outdir = directory};
        struct sn_result r;
        int rc;

        if (sn_run(&moved_original, &options, &r) < 0 || r.failures == 0)
            return -1;
        rc = trace_read(&trace, r.trace, NULL);
        (void)unlink(r.trace);
        if (rc < 0)
            return -1;
        if (is_wanted(&trace))
            return 0;
        trace_done(&trace);
    }
    return -1;
}

static int forget_trace(void **unused)
{
    (void)unused;
    trace_done(&trace);
    return rmdir(directory);
}

static struct replay_report report;

static struct sn_result follow(const struct sn_test *test)
{
    struct run_request request = {.test = test, .tolerant = true};
    struct sn_result r;

    assert_int_equal(run_replay(&request, &trace, &report, &r), 0);
    assert_false(r.nondeterministic);
    return r;
}

/* The bug is found again although the program has moved on. */
static void assert_fails_again(const struct sn_test *test)
{
    struct sn_result r = follow(test);

    assert_int_equal(r.failures, 1);
    assert_string_equal(report.expected, "");
    assert_non_null(strstr(r.failure, "the value is gone"));
}

#define assert_says(sentence_, part_)                                                              \
    do {                                                                                           \
        if (strstr((sentence_), (part_)) == NULL)                                                  \
            fail_msg("\"%s\" is not in: %s", (part_), (sentence_));                                \
    } while (0)

/* ---- Claims --------------------------------------------------------------------------------- */

static void the_default_schedule_does_not_show_the_bug(void **unused)
{
    struct sn_options options = {.strategy = "oldest", .iterations = 1};
    struct sn_result r;

    (void)unused;

    assert_int_equal(sn_run(&moved_original, &options, &r), 0);

    assert_int_equal(r.failures, 0);
}

static void in_an_unchanged_program_nothing_drifts(void **unused)
{
    (void)unused;

    assert_fails_again(&moved_original);

    assert_false(report.has_drifted);
    assert_says(report.drift, " decisions followed, 0 skipped, 0 invented");
    assert_null(strstr(report.drift, "found by name"));
}

static void a_message_added_in_front_goes_first_and_derails_nothing(void **unused)
{
    (void)unused;

    assert_fails_again(&moved_message_added);

    assert_true(report.has_drifted);
    /* Of the operations only those behind a greeting have another id: Put and Get. */
    assert_says(report.drift, "(2 found by name), 0 skipped, 2 invented; first drift in step ");
    assert_says(report.drift, ": expected was Put of Store from User, but Hello of Store from User "
                              "came, which the trace does not have");
}

static void a_machine_added_first_derails_nothing(void **unused)
{
    (void)unused;

    assert_fails_again(&moved_machine_added);

    /* The starts of the machines that were there before; all that follows has its old id. */
    assert_says(report.drift, "(3 found by name), 0 skipped, ");
}

static void a_machine_of_a_known_type_added_last_derails_nothing(void **unused)
{
    (void)unused;

    assert_fails_again(&moved_sibling_added);

    assert_says(report.drift, "0 skipped, ");
}

static void a_renamed_event_is_known_by_its_id(void **unused)
{
    (void)unused;

    assert_fails_again(&moved_event_renamed);

    assert_says(report.drift, "(1 found by name), 0 skipped, 0 invented");
    assert_says(report.drift, "expected was Put of Store from User, but Insert of Store from User "
                              "came");
}

static void a_renamed_machine_is_known_by_its_id(void **unused)
{
    (void)unused;

    assert_fails_again(&moved_machine_renamed);

    assert_says(report.drift, "0 skipped, 0 invented; first drift in step ");
    assert_says(report.drift, "of Cupboard");
}

static void values_that_a_renamed_machine_draws_are_found_by_their_labels(void **unused)
{
    (void)unused;

    assert_fails_again(&moved_drawer_renamed);

    assert_says(report.drift, "0 skipped, 0 invented");
}

static void operations_of_a_removed_timer_are_skipped(void **unused)
{
    (void)unused;

    assert_fails_again(&moved_timer_removed);

    assert_says(report.drift, " skipped, 0 invented; first drift in step ");
    assert_null(strstr(report.drift, " 0 skipped"));
    assert_says(report.drift, "expected was Alarm of Cleaner, but ");
}

static void a_value_beyond_a_narrower_range_is_the_largest_there_is(void **unused)
{
    (void)unused;

    assert_fails_again(&moved_range_narrowed);

    assert_says(report.drift, " 0 skipped, 0 invented");
    assert_says(report.drift, ", but must now be below 6");
}

static void a_value_under_another_label_is_the_default(void **unused)
{
    struct sn_result r;

    (void)unused;

    r = follow(&moved_label_changed);

    assert_int_equal(r.failures, 0);
    assert_says(report.expected, "the value is gone");
    assert_says(report.drift, "\"how old\" is drawn, which the trace does not have");
}

static void a_draw_that_was_added_shifts_no_other(void **unused)
{
    (void)unused;

    assert_fails_again(&moved_draw_added);

    assert_says(report.drift, "0 skipped, 1 invented");
    assert_says(report.drift, "\"mood\" is drawn, which the trace does not have");
}

static void a_repaired_program_does_not_fail(void **unused)
{
    struct sn_result r;

    (void)unused;

    r = follow(&moved_repaired);

    assert_int_equal(r.failures, 0);
    assert_says(report.expected, "assert: the value is gone");
}

static void another_failure_is_told_from_the_traces(void **unused)
{
    struct sn_result r;

    (void)unused;

    r = follow(&moved_other_bug);

    assert_int_equal(r.failures, 1);
    assert_says(r.failure, "nothing is ever deleted");
    assert_says(report.expected, "the value is gone");
}

static void a_strict_replay_still_stops_at_the_first_difference(void **unused)
{
    struct run_request request = {.test = &moved_message_added};
    struct sn_result r;

    (void)unused;

    assert_int_equal(run_replay(&request, &trace, &report, &r), 0);

    assert_true(r.nondeterministic);
    assert_string_equal(report.drift, "");
}

static void a_process_per_trial_follows_in_the_same_way(void **unused)
{
    struct run_request request = {.test = &moved_message_added, .tolerant = true, .fork = true};
    char drift[sizeof(report.drift)];
    struct sn_result r;

    (void)unused;
    assert_fails_again(&moved_message_added);
    memcpy(drift, report.drift, sizeof(drift));

    assert_int_equal(run_replay(&request, &trace, &report, &r), 0);

    assert_int_equal(r.failures, 1);
    assert_string_equal(report.drift, drift);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_default_schedule_does_not_show_the_bug),
        cmocka_unit_test(in_an_unchanged_program_nothing_drifts),
        cmocka_unit_test(a_message_added_in_front_goes_first_and_derails_nothing),
        cmocka_unit_test(a_machine_added_first_derails_nothing),
        cmocka_unit_test(a_machine_of_a_known_type_added_last_derails_nothing),
        cmocka_unit_test(a_renamed_event_is_known_by_its_id),
        cmocka_unit_test(a_renamed_machine_is_known_by_its_id),
        cmocka_unit_test(values_that_a_renamed_machine_draws_are_found_by_their_labels),
        cmocka_unit_test(operations_of_a_removed_timer_are_skipped),
        cmocka_unit_test(a_value_beyond_a_narrower_range_is_the_largest_there_is),
        cmocka_unit_test(a_value_under_another_label_is_the_default),
        cmocka_unit_test(a_draw_that_was_added_shifts_no_other),
        cmocka_unit_test(a_repaired_program_does_not_fail),
        cmocka_unit_test(another_failure_is_told_from_the_traces),
        cmocka_unit_test(a_strict_replay_still_stops_at_the_first_difference),
        cmocka_unit_test(a_process_per_trial_follows_in_the_same_way),
    };

    return cmocka_run_group_tests(tests, find_trace, forget_trace);
}
