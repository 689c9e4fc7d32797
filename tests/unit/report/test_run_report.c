/* test_run_report.c - tests of run_report.c and run_text.c. SPDX-License-Identifier: MIT */
#include "report/run_report.h"

#include "report/run_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static char printed[8192];
static struct sn_text out;
static const struct sn_test test = {.name = "test"};
static struct run_plan plan;
static struct sn_result result;
static struct run_failure failure;
static struct run_outcome outcome;

static int setup(void **state)
{
    (void)state;
    text_init(&out, printed, sizeof(printed));
    plan = (struct run_plan){
        .suite = "suite",
        .program = "./prog",
        .options = {.strategy = "random", .seed = 1, .iterations = 10},
        .shard = 1,
        .shards = 1,
        .n_tests = 1,
    };
    result = (struct sn_result){.trials = 4, .steps = 40, .distinct_orders = 3};
    failure = (struct run_failure){.trial = 2,
                                   .steps = 9,
                                   .count = 1,
                                   .verdict = SN_FAILED,
                                   .oracle = "assert",
                                   .text = "assert: a.c:12: no",
                                   .trace = "o/t.trace"};
    outcome = (struct run_outcome){.test = &test, .result = &result, .failures = &failure};
    return 0;
}

/* ---- How a test went ------------------------------------------------------------------------ */

static void a_test_that_took_steps_and_did_not_fail_has_passed(void **state)
{
    (void)state;

    assert_int_equal(run_status_of(&outcome), RUN_PASSED);
}

static void a_test_without_a_step_has_not_passed(void **state)
{
    (void)state;
    result.steps = 0;

    assert_int_equal(run_status_of(&outcome), RUN_NOTHING);
}

static void an_interrupted_test_has_not_passed(void **state)
{
    (void)state;
    outcome.is_interrupted = true;

    assert_int_equal(run_status_of(&outcome), RUN_INTERRUPTED);
}

static void what_failed_before_an_interruption_has_failed(void **state)
{
    (void)state;
    outcome.is_interrupted = true;
    result.failures = 1;
    result.verdict = SN_FAILED;

    assert_int_equal(run_status_of(&outcome), RUN_FAILED);
}

static void a_failure_whose_trace_got_lost_is_an_error(void **state)
{
    (void)state;
    outcome.rc = SN_EIO;
    result.failures = 1;

    assert_int_equal(run_status_of(&outcome), RUN_ERROR);
}

/* ---- Failures ------------------------------------------------------------------------------- */

static void the_message_of_a_failure_is_without_its_oracle(void **state)
{
    (void)state;

    assert_string_equal(run_failure_message(&failure), "a.c:12: no");
}

static void without_an_oracle_the_whole_text_is_the_message(void **state)
{
    (void)state;
    failure.oracle[0] = '\0';

    assert_string_equal(run_failure_message(&failure), "assert: a.c:12: no");
}

static void assert_place(const char *text, const char *wanted, uint64_t wanted_line)
{
    const char *file = "";
    size_t n = 0;
    uint64_t line = 0;

    (void)strcpy(failure.text, text);

    assert_int_equal(run_failure_place(&failure, &file, &n, &line), wanted != NULL);
    if (wanted == NULL)
        return;
    assert_int_equal(n, strlen(wanted));
    assert_memory_equal(file, wanted, n);
    assert_int_equal(line, wanted_line);
}

static void the_place_of_an_assertion_is_found(void **state)
{
    (void)state;

    assert_place("assert: a.c:12: no", "a.c", 12);
    assert_place("assert: a:b.c:7: x: y", "a:b.c", 7);
}

static void what_is_no_place_is_not_taken_for_one(void **state)
{
    (void)state;

    assert_place("assert: no place here", NULL, 0);
    assert_place("assert: it took 3:12: too long", NULL, 0);
    assert_place("assert: a.c: no line", NULL, 0);
    assert_place("assert: :12: no file", NULL, 0);
    assert_place("assert: a.c:99999999999: no such line", NULL, 0);
    assert_place("other: a.c:12: another oracle than is said", NULL, 0);
}

/* ---- Lines to reproduce --------------------------------------------------------------------- */

static void a_failure_with_a_trace_is_replayed(void **state)
{
    static const char *const args[] = {"--bug", "stale report", "--timers", "any"};

    (void)state;
    plan.args = args;
    plan.n_args = 4;

    run_put_repro(&out, &plan, &test, &failure);

    assert_string_equal(printed, "./prog --bug 'stale report' --timers any --replay o/t.trace");
}

static void a_failure_without_a_trace_is_searched_for_again(void **state)
{
    (void)state;
    failure.trace[0] = '\0';
    plan.options.max_steps = 50;
    plan.fork = true;
    plan.shard = 2;
    plan.shards = 4;

    run_put_repro(&out, &plan, &test, &failure);

    assert_string_equal(printed, "./prog -f test -s random --seed 1 --max-steps 50 "
                                 "--isolate=fork --shard 2/4 -i 3");
}

/* ---- Text ----------------------------------------------------------------------------------- */

static void print(int verbosity, bool is_coloured)
{
    struct run_text text = {.out = &out, .verbosity = verbosity, .is_coloured = is_coloured};
    struct run_report report = {0};
    struct err why;

    run_report_add(&report, run_text_reporter(&text));
    assert_int_equal(run_report_begin(&report, &plan, &why), 0);
    assert_int_equal(run_report_test(&report, &outcome, &why), 0);
    assert_int_equal(run_report_end(&report, false, &why), 0);
    run_report_done(&report);
}

static void text_of_a_failure_says_how_to_look_and_reproduce(void **state)
{
    (void)state;
    strcpy(failure.trace, "a b.trace");
    outcome.n_failures = 1;
    result.failures = 1;

    print(0, false);

    assert_string_equal(printed, "suite/test: FAILED in trial 2, step 9: assert: a.c:12: no\n"
                                 "    look:      sennit show 'a b.trace'\n"
                                 "    reproduce: ./prog --replay 'a b.trace'\n"
                                 "    4 trials, 40 steps, 3 distinct orders, 0.00 s\n");
}

static void a_limit_of_time_is_named_beside_that_of_steps(void **state)
{
    const struct sn_test timed = {.name = "test", .max_time_ns = 1};

    (void)state;
    result.cut = 2;
    print(0, false);
    assert_non_null(strstr(printed, ", 2 cut at the limit of steps, 0.00 s"));
    text_init(&out, printed, sizeof(printed));
    outcome.test = &timed;

    print(0, false);

    assert_non_null(strstr(printed, ", 2 cut at the limit of steps or of time, 0.00 s"));
}

static void quiet_text_says_nothing_of_what_passed(void **state)
{
    (void)state;

    print(-1, false);

    assert_string_equal(printed, "");
}

static void colour_adds_nothing_but_colour(void **state)
{
    (void)state;

    print(0, true);

    assert_string_equal(printed, "suite/test: \033[32mno bug found\033[0m\n"
                                 "    4 trials, 40 steps, 3 distinct orders, 0.00 s\n");
}

static void a_note_stays_on_its_line(void **state)
{
    (void)state;
    strcpy(result.note, "monitor x\nok 1 - forged");

    print(0, false);

    assert_non_null(strstr(printed, "    monitor x ok 1 - forged\n"));
}

static void seconds_have_three_digits(void **state)
{
    (void)state;

    run_put_seconds(&out, 61.0015);
    text_putc(&out, ' ');
    run_put_seconds(&out, -1);

    assert_string_equal(printed, "61.002 0.000");
}

/* ---- Several reporters ---------------------------------------------------------------------- */

static char happened[64];

static int refuse_begin(void *self, const struct run_plan *unused, struct err *why)
{
    (void)self;
    (void)unused;
    strcat(happened, "refuse ");
    return err_set(why, SN_EIO, "no");
}

static int note_begin(void *self, const struct run_plan *unused, struct err *why)
{
    (void)unused;
    (void)why;
    strcat(happened, self);
    return 0;
}

static int refuse_test(void *self, const struct run_outcome *unused, struct err *why)
{
    (void)unused;
    strcat(happened, self);
    return err_set(why, SN_EIO, "not %s", (const char *)self);
}

static void note_done(void *self)
{
    (void)self;
    strcat(happened, "done ");
}

static char name_a[] = "a ";
static char name_b[] = "b ";

static void after_one_refuses_to_begin_no_other_begins(void **state)
{
    static const struct run_reporter_kind refusing = {.begin = refuse_begin, .done = note_done};
    static const struct run_reporter_kind noting = {.begin = note_begin, .done = note_done};
    struct run_report report = {{{&noting, name_a}, {&refusing, NULL}, {&noting, name_b}}, 3};
    struct err why;

    (void)state;
    happened[0] = '\0';

    assert_int_equal(run_report_begin(&report, &plan, &why), SN_EIO);
    run_report_done(&report);

    assert_string_equal(happened, "a refuse done done done ");
    assert_string_equal(why.text, "no");
}

static void one_that_fails_keeps_no_other_from_hearing_of_a_test(void **state)
{
    static const struct run_reporter_kind refusing = {.test_end = refuse_test};
    struct run_report report = {{{&refusing, name_a}, {&refusing, name_b}}, 2};
    struct err why;

    (void)state;
    happened[0] = '\0';

    assert_int_equal(run_report_test(&report, &outcome, &why), SN_EIO);

    assert_string_equal(happened, "a b ");
    assert_string_equal(why.text, "not a ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_test_that_took_steps_and_did_not_fail_has_passed, setup),
        cmocka_unit_test_setup(a_test_without_a_step_has_not_passed, setup),
        cmocka_unit_test_setup(an_interrupted_test_has_not_passed, setup),
        cmocka_unit_test_setup(what_failed_before_an_interruption_has_failed, setup),
        cmocka_unit_test_setup(a_failure_whose_trace_got_lost_is_an_error, setup),
        cmocka_unit_test_setup(the_message_of_a_failure_is_without_its_oracle, setup),
        cmocka_unit_test_setup(without_an_oracle_the_whole_text_is_the_message, setup),
        cmocka_unit_test_setup(the_place_of_an_assertion_is_found, setup),
        cmocka_unit_test_setup(what_is_no_place_is_not_taken_for_one, setup),
        cmocka_unit_test_setup(a_failure_with_a_trace_is_replayed, setup),
        cmocka_unit_test_setup(a_failure_without_a_trace_is_searched_for_again, setup),
        cmocka_unit_test_setup(text_of_a_failure_says_how_to_look_and_reproduce, setup),
        cmocka_unit_test_setup(a_limit_of_time_is_named_beside_that_of_steps, setup),
        cmocka_unit_test_setup(quiet_text_says_nothing_of_what_passed, setup),
        cmocka_unit_test_setup(colour_adds_nothing_but_colour, setup),
        cmocka_unit_test_setup(a_note_stays_on_its_line, setup),
        cmocka_unit_test_setup(seconds_have_three_digits, setup),
        cmocka_unit_test_setup(after_one_refuses_to_begin_no_other_begins, setup),
        cmocka_unit_test_setup(one_that_fails_keeps_no_other_from_hearing_of_a_test, setup),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
