/* test_shrink.c - the smallest trial that fails in the same way. SPDX-License-Identifier: MIT */
#include "report/show_shrunk.h"
#include "shrink_harness.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum { RANDOM_PROGRAMS = 12 };

static const char *event_of(uint64_t step)
{
    return shrink_smallest.records[shrink_smallest.step_index[step]].step.task;
}

static const char *sender_of(uint64_t step)
{
    const char *from = shrink_smallest.records[shrink_smallest.step_index[step]].step.from;

    return from != NULL ? from : "";
}

/* What exception number i says. */
static void assert_hold(size_t i, const char *text)
{
    char said[512];
    struct sn_text out;
    const struct trace_record *r = shrink_smallest.records;

    while (r->kind != TRACE_HOLD || i-- > 0)
        r++;
    text_init(&out, said, sizeof(said));
    show_put_hold(&out, &shrink_smallest, r);
    assert_string_equal(said, text);
}

static void what_the_failure_does_not_need_is_left_out(void **unused)
{
    (void)unused;
    shrink_find("order", "random", 1);
    shrink_it();

    assert_int_equal(shrink_smallest.n_steps, 5);
    assert_string_equal(event_of(4), "Hub");
    assert_string_equal(event_of(5), "Hub");
    shrink_assert_minimal();
}

static void noise_of_hundreds_of_messages_of_unrelated_machines_is_removed(void **unused)
{
    (void)unused;
    for (uint64_t seed = 1; shrink_found.n_steps < 200; seed++)
        shrink_find("noisy", "pct:3", seed);
    shrink_it();

    assert_int_equal(shrink_smallest.n_steps, 5);
    shrink_assert_minimal();
}

static void the_exceptions_to_the_default_schedule_are_those_that_are_known(void **unused)
{
    (void)unused;
    shrink_find("order", "random", 1);
    shrink_it();

    assert_true(shrink_report.has_exceptions);
    assert_int_equal(shrink_report.exceptions, 2);
    assert_int_equal(shrink_count(&shrink_smallest, TRACE_HOLD), 2);
    assert_int_equal(shrink_count(&shrink_smallest, TRACE_SHRUNK), 1);
    assert_hold(0, "hold step 3 (start of B) until step 2 (start of C)");
    assert_hold(1, "hold start of Sender (not run here) until step 5 (bytes of Hub from B)");
}

static void the_smallest_of_a_million_values_is_found_in_few_trials(void **unused)
{
    (void)unused;
    shrink_find("amount", "random", 1);
    shrink_it();

    assert_int_equal(shrink_smallest.n_steps, 1);
    for (size_t i = 0; i < shrink_smallest.n_records; i++) {
        const struct trace_record *r = &shrink_smallest.records[i];

        assert_true(r->kind != TRACE_DRAW || r->draw.value == 123457);
    }
    assert_true(shrink_report.runs < 500);
}

static void drawn_values_become_0_or_as_small_as_they_can_be(void **unused)
{
    size_t n = 0;

    (void)unused;
    shrink_find("value", "random", 1);
    shrink_it();

    for (size_t i = 0; i < shrink_smallest.n_records; i++) {
        const struct trace_record *r = &shrink_smallest.records[i];

        if (r->kind != TRACE_DRAW || r->draw.value == 0)
            continue;
        assert_int_equal(r->draw.value, strcmp(r->draw.label, "number") == 0 ? 37 : 1);
        n++;
    }
    assert_int_equal(n, 2);
    assert_int_equal(shrink_smallest.n_steps, 3);
    shrink_assert_minimal();
}

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

static void the_signature_is_kept_although_another_failure_is_near(void **unused)
{
    (void)unused;
    find_slip();
    shrink_it();

    assert_non_null(strstr(shrink_smallest.verdict.message.bytes, "wrong way"));
    assert_false(shrink_report.is_other);
    shrink_assert_minimal();
}

static void a_deadlock_keeps_who_is_blocked(void **unused)
{
    (void)unused;
    shrink_find("deadlock", "random", 1);
    shrink_it();

    assert_string_equal(shrink_smallest.verdict.oracle, "deadlock");
    assert_non_null(strstr(shrink_smallest.verdict.message.bytes, "Taker waits in state Second"));
    assert_non_null(strstr(shrink_smallest.verdict.message.bytes, "Taker#2 waits in state Second"));
    assert_true(shrink_report.has_exceptions);
    shrink_assert_minimal();
}

static void a_liveness_failure_keeps_its_fair_end(void **unused)
{
    (void)unused;
    shrink_find("hot", "random", 1);
    assert_true(shrink_found.verdict.cut);
    shrink_it();

    assert_string_equal(shrink_smallest.verdict.oracle, "hot");
    assert_int_equal(shrink_report.fair_steps, 100);
    assert_int_equal(shrink_smallest.header.fair_from, shrink_smallest.n_steps - 100);
    assert_true(shrink_smallest.n_steps < shrink_found.n_steps);
}

/* B, and not A, comes first, and then C: an end that happens to do that is no reason to leave it
 * out. */
static void what_decides_a_liveness_failure_lies_before_its_fair_end(void **unused)
{
    (void)unused;
    shrink_find("hot", "random", 1);
    shrink_it();

    assert_int_equal(shrink_smallest.header.fair_from, 5);
    assert_string_equal(sender_of(5), "C");
    assert_true(strcmp(sender_of(4), "B") == 0 || strcmp(sender_of(3), "B") == 0);
}

/* One fair end in three does by itself what leads to the failure. */
static void a_liveness_failure_shows_with_several_fair_ends(void **unused)
{
    (void)unused;
    shrink_find("debt", "random", 1);
    shrink_it();

    assert_int_equal(shrink_smallest.header.fair_from, 3);
    assert_string_equal(sender_of(3), "B");
}

/* Hardly any other fair end draws that. */
static void what_went_wrong_in_a_fair_end_is_kept(void **unused)
{
    (void)unused;
    shrink_find("gamble", "random", 1);
    assert_int_equal(shrink_found.header.fair_from, 1);
    shrink_it();

    assert_int_equal(shrink_report.how, SHRINK_DONE);
    assert_string_equal(shrink_smallest.verdict.oracle, "hot");
    assert_int_equal(shrink_smallest.header.fair_from, 5);
    assert_int_equal(shrink_report.fair_steps, 199);
}

static void a_crash_is_shrunk_as_anything_else(void **unused)
{
    (void)unused;
    (void)signal(SIGSEGV, SIG_DFL); /* cmocka has a handler, which sanitizers leave in place */
    shrink_find("segfault", "random", 1);
    shrink_it();

    assert_string_equal(shrink_smallest.verdict.oracle, "crash");
    assert_int_equal(shrink_smallest.n_steps, 5);
    shrink_assert_minimal();
}

static void an_abort_is_shrunk_as_anything_else(void **unused)
{
    (void)unused;
    shrink_find("abort", "random", 1);
    shrink_it();

    assert_string_equal(shrink_smallest.verdict.oracle, "crash");
    assert_int_equal(shrink_smallest.n_steps, 5);
    shrink_assert_minimal();
}

static void only_the_fault_that_is_needed_is_left(void **unused)
{
    (void)unused;
    shrink_find("fault", "random", 1);
    shrink_it();

    assert_int_equal(shrink_count(&shrink_smallest, TRACE_FAULT),
                     2); /* a crash, and the node comes back */
    shrink_assert_minimal();
}

static void a_failure_of_the_default_schedule_needs_no_exception(void **unused)
{
    (void)unused;
    shrink_find("default", "random", 1);
    shrink_it();

    assert_true(shrink_report.has_exceptions);
    assert_int_equal(shrink_report.exceptions, 0);
    assert_non_null(strstr(shrink_report.text, "; the default schedule fails, too"));
    shrink_assert_minimal();
}

static void a_history_is_cut_where_it_is_wrong(void **unused)
{
    (void)unused;
    shrink_find("history", "random", 1);
    shrink_it();

    assert_string_equal(shrink_smallest.verdict.oracle, "linear");
    assert_true(shrink_smallest.n_steps < shrink_found.n_steps);
    assert_int_equal(shrink_smallest.n_steps, 7);
    assert_true(shrink_report.runs < 100); /* most of it is left out at once */
    shrink_assert_minimal();
}

static void early_rounds_that_cannot_be_left_out_are_decided_anew(void **unused)
{
    (void)unused;
    for (uint64_t seed = 1; shrink_found.n_steps < 100; seed++)
        shrink_find("rounds", "random", seed);
    shrink_it();

    assert_true(shrink_smallest.n_steps <= shrink_found.n_steps / 2);
    shrink_assert_minimal();
}

static void rounds_of_a_loop_are_left_out_with_the_values_that_they_drew(void **unused)
{
    (void)unused;
    for (uint64_t seed = 1; shrink_found.n_steps < 50; seed++)
        shrink_find("turns", "random", seed);
    shrink_it();

    /* Two starts, the turn that the sender begins, and the two that matter. */
    assert_int_equal(shrink_smallest.n_steps, 5);
    assert_int_equal(shrink_report.after.draws, 2);
    shrink_assert_minimal();
}

static void the_smallest_of_several_failing_trials_is_taken(void **unused)
{
    (void)unused;
    for (uint64_t seed = 1; shrink_found.n_steps < 60; seed++)
        shrink_find("ways", "random", seed);
    shrink_it();

    assert_int_equal(shrink_smallest.n_steps, 41);
    shrink_assert_minimal();
}

static void what_goes_only_together_is_left_out_together(void **unused)
{
    (void)unused;
    for (uint64_t seed = 1; shrink_found.n_steps < 45; seed++)
        shrink_find("detours", "random", seed);
    shrink_it();

    assert_int_equal(shrink_smallest.n_steps, 42);
    assert_int_equal(shrink_report.after.draws, 3);
    shrink_assert_minimal();
}

static size_t count_events(const struct trace *trace, const char *event)
{
    size_t n = 0;

    for (uint64_t i = 1; i <= trace->n_steps; i++)
        n += strcmp(trace->records[trace->step_index[i]].step.event, event) == 0;
    return n;
}

static void a_fault_is_left_out_although_another_of_its_kind_comes_later(void **unused)
{
    (void)unused;
    for (uint64_t seed = 1; count_events(&shrink_found, "crash") < 2; seed++)
        shrink_find("crashes", "random", seed);
    shrink_it();

    assert_int_equal(count_events(&shrink_smallest, "crash"), 1);
    assert_int_equal(shrink_report.after.draws,
                     1); /* which node it is, and no longer from which step on */
    shrink_assert_minimal();
}

static size_t count_draws(const struct trace *trace, const char *label)
{
    size_t n = 0;

    for (size_t i = 0; i < trace->n_records; i++) {
        const struct trace_record *r = &trace->records[i];

        n += r->kind == TRACE_DRAW && r->draw.value != 0 && strcmp(r->draw.label, label) == 0;
    }
    return n;
}

static void faults_are_there_from_the_first_step_on(void **unused)
{
    (void)unused;
    shrink_find("reborn", "random", 1);
    assert_int_equal(count_draws(&shrink_found, "fault from step"), 2);
    shrink_it();

    assert_int_equal(count_events(&shrink_smallest, "crash"), 2);
    assert_int_equal(count_draws(&shrink_smallest, "fault from step"), 0);
    shrink_assert_minimal();
}

static void no_single_entry_of_a_shrunk_log_can_be_removed(void **unused)
{
    (void)unused;
    for (uint64_t number = 1; number <= RANDOM_PROGRAMS; number++) {
        shrink_set_number(number);
        shrink_find("random", "random", number);
        shrink_it();
        assert_true(shrink_smallest.n_steps <= shrink_found.n_steps);
        shrink_assert_minimal();
    }
}

static void read_file(const char *name, char *bytes, size_t size)
{
    FILE *file = fopen(name, "r");
    size_t n;

    assert_non_null(file);
    n = fread(bytes, 1, size - 1, file);
    bytes[n] = '\0';
    (void)fclose(file);
}

/* Shrinks with one worker and with three. */
static void assert_same_for_workers(struct shrink_options options)
{
    static char one[1 << 20];
    static char three[1 << 20];

    options.workers = 1;
    assert_int_equal(shrink_with(options), 0);
    read_file(shrink_path, one, sizeof(one));
    options.workers = 3;
    assert_int_equal(shrink_with(options), 0);
    read_file(shrink_path, three, sizeof(three));

    assert_string_equal(one, three);
}

static void the_result_is_the_same_for_any_number_of_workers(void **unused)
{
    (void)unused;
    shrink_find("noisy", "random", 5);
    assert_same_for_workers((struct shrink_options){0});
}

static void the_result_of_a_crash_is_the_same_for_any_number_of_workers(void **unused)
{
    (void)unused;
    shrink_find("abort", "random", 1);
    assert_same_for_workers((struct shrink_options){0});
}

static void the_result_of_a_liveness_failure_is_the_same_for_any_number_of_workers(void **unused)
{
    (void)unused;
    shrink_find("hot", "random", 1);
    assert_same_for_workers((struct shrink_options){0});
}

static void what_is_decided_anew_is_the_same_for_any_number_of_workers(void **unused)
{
    (void)unused;
    for (uint64_t seed = 1; shrink_found.n_steps < 100; seed++)
        shrink_find("rounds", "random", seed);
    assert_same_for_workers((struct shrink_options){0});
}

static void a_budget_of_runs_leads_to_the_same_with_any_number_of_workers(void **unused)
{
    (void)unused;
    shrink_find("noisy", "random", 3);
    assert_same_for_workers((struct shrink_options){.runs = 50});
    assert_int_equal(shrink_report.how, SHRINK_STOPPED);
}

static void the_result_always_fails_in_a_fresh_process(void **unused)
{
    char command[1024];

    (void)unused;
    shrink_find("noisy", "pos", 2);
    shrink_it();
    (void)snprintf(command, sizeof(command), "%s --replay %s > /dev/null",
                   shrink_smallest.header.program, shrink_path);

    assert_int_equal(WEXITSTATUS(system(command)), 1);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        SHRINK_TEST(what_the_failure_does_not_need_is_left_out),
        SHRINK_TEST(noise_of_hundreds_of_messages_of_unrelated_machines_is_removed),
        SHRINK_TEST(the_exceptions_to_the_default_schedule_are_those_that_are_known),
        SHRINK_TEST(drawn_values_become_0_or_as_small_as_they_can_be),
        SHRINK_TEST(the_smallest_of_a_million_values_is_found_in_few_trials),
        SHRINK_TEST(the_signature_is_kept_although_another_failure_is_near),
        SHRINK_TEST(a_deadlock_keeps_who_is_blocked),
        SHRINK_TEST(a_liveness_failure_keeps_its_fair_end),
        SHRINK_TEST(what_decides_a_liveness_failure_lies_before_its_fair_end),
        SHRINK_TEST(a_liveness_failure_shows_with_several_fair_ends),
        SHRINK_TEST(what_went_wrong_in_a_fair_end_is_kept),
        SHRINK_TEST(a_crash_is_shrunk_as_anything_else),
        SHRINK_TEST(an_abort_is_shrunk_as_anything_else),
        SHRINK_TEST(only_the_fault_that_is_needed_is_left),
        SHRINK_TEST(a_failure_of_the_default_schedule_needs_no_exception),
        SHRINK_TEST(a_history_is_cut_where_it_is_wrong),
        SHRINK_TEST(early_rounds_that_cannot_be_left_out_are_decided_anew),
        SHRINK_TEST(rounds_of_a_loop_are_left_out_with_the_values_that_they_drew),
        SHRINK_TEST(the_smallest_of_several_failing_trials_is_taken),
        SHRINK_TEST(what_goes_only_together_is_left_out_together),
        SHRINK_TEST(a_fault_is_left_out_although_another_of_its_kind_comes_later),
        SHRINK_TEST(faults_are_there_from_the_first_step_on),
        SHRINK_TEST(no_single_entry_of_a_shrunk_log_can_be_removed),
        SHRINK_TEST(the_result_is_the_same_for_any_number_of_workers),
        SHRINK_TEST(the_result_of_a_crash_is_the_same_for_any_number_of_workers),
        SHRINK_TEST(the_result_of_a_liveness_failure_is_the_same_for_any_number_of_workers),
        SHRINK_TEST(what_is_decided_anew_is_the_same_for_any_number_of_workers),
        SHRINK_TEST(a_budget_of_runs_leads_to_the_same_with_any_number_of_workers),
        SHRINK_TEST(the_result_always_fails_in_a_fresh_process),
    };

    return shrink_main(argc, argv, "shrink", tests, sizeof(tests) / sizeof(tests[0]));
}
