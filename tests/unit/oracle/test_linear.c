/* test_linear.c - what clients do in a trial is recorded, and checked against the test's model.
 * SPDX-License-Identifier: MIT
 */
#include "../observe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#define NIL SN_VALUE_NIL

static void (*body)(void);

static void run_body(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    body();
}

static const struct sn_state body_state = {.name = "Body", .entry = run_body};
static const struct sn_machine body_machine = {.name = "Body", .start = &body_state};

static void run_machine(void)
{
    (void)sn_create(&body_machine, NULL);
}

/* What the oracle says of a trial in which one machine does this in one step. */
static struct sn_result judge(void (*what)(void))
{
    const struct sn_test test = {.name = "judged", .run = run_machine, .model = &sn_model_register};

    body = what;
    return run_test_once(&test);
}

static void write_value(sn_value value)
{
    sn_op_end(sn_op_begin("write", 0, value, NIL), NIL);
}

static void read_value(sn_value value)
{
    sn_op_end(sn_op_begin("read", 0, NIL, NIL), value);
}

/* ---- What is judged ------------------------------------------------------------------------- */

static void read_stale(void)
{
    write_value(1);
    write_value(2);
    read_value(1);
}

static void a_stale_read_fails_and_is_named(void **unused)
{
    (void)unused;

    struct sn_result r = judge(read_stale);

    assert_int_equal(r.failures, 1);
    assert_string_equal(r.failure,
                        "linear: read() = 1 of Body, called in step 1, returned in step 1, cannot "
                        "be put in order with what came before: the history is not linearizable to "
                        "the model register");
}

static void read_fresh(void)
{
    write_value(1);
    write_value(2);
    read_value(2);
}

static void calls_and_returns_within_a_step_are_in_the_order_in_which_they_happened(void **unused)
{
    (void)unused;

    assert_string_equal(judge(read_fresh).failure, "");
}

static void read_twice_while_writing(void)
{
    sn_op_id write = sn_op_begin("write", 0, 1, NIL);

    read_value(NIL);
    read_value(1);
    sn_op_end(write, NIL);
}

static void an_operation_takes_effect_at_any_moment_until_it_returns(void **unused)
{
    (void)unused;

    assert_string_equal(judge(read_twice_while_writing).failure, "");
}

static void read_back_and_forth(void)
{
    sn_op_id write = sn_op_begin("write", 0, 1, NIL);

    read_value(1);
    read_value(NIL);
    sn_op_end(write, NIL);
}

static void an_operation_takes_effect_only_once(void **unused)
{
    (void)unused;

    assert_int_equal(judge(read_back_and_forth).failures, 1);
}

static void read_what_has_not_returned(void)
{
    (void)sn_op_begin("write", 0, 1, NIL);
    read_value(NIL);
    read_value(1);
}

static void what_never_returns_may_have_taken_effect(void **unused)
{
    (void)unused;

    assert_string_equal(judge(read_what_has_not_returned).failure, "");
}

static void read_what_has_failed(void)
{
    sn_op_fail(sn_op_begin("write", 0, 1, NIL));
    read_value(1);
}

static void what_has_failed_has_no_effect(void **unused)
{
    (void)unused;

    assert_int_equal(judge(read_what_has_failed).failures, 1);
}

static void a_test_can_say_what_the_object_holds_at_the_beginning(void **unused)
{
    const struct sn_test test = {.name = "initial",
                                 .run = run_machine,
                                 .model = &sn_model_register,
                                 .model_initial = 1,
                                 .has_model_initial = true};

    (void)unused;
    body = read_stale;
    assert_int_equal(run_test_once(&test).failures, 1);
    body = read_what_has_failed;
    assert_int_equal(run_test_once(&test).failures, 0);
}

/* ---- Several machines ----------------------------------------------------------------------- */

static const struct sn_event later = {.name = "Later"};

static void start_writing(void *self, const void *payload)
{
    (void)payload;
    *(sn_op_id *)self = sn_op_begin("write", 0, 1, NIL);
    sn_send(sn_self(), &later, NULL);
}

static void start_reading(void *self, const void *payload)
{
    (void)payload;
    *(sn_op_id *)self = sn_op_begin("read", 0, NIL, NIL);
    sn_send(sn_self(), &later, NULL);
}

static void end_writing(void *self, const void *payload)
{
    (void)payload;
    sn_op_end(*(sn_op_id *)self, NIL);
}

static void end_reading(void *self, const void *payload)
{
    (void)payload;
    sn_op_end(*(sn_op_id *)self, NIL);
}

static const struct sn_state writing = {
    .name = "Writing",
    .entry = start_writing,
    .on = (const struct sn_on[]){{.event = &later, .run = end_writing}, {0}}};
static const struct sn_state reading = {
    .name = "Reading",
    .entry = start_reading,
    .on = (const struct sn_on[]){{.event = &later, .run = end_reading}, {0}}};
static const struct sn_machine writer = {
    .name = "Writer", .size = sizeof(sn_op_id), .start = &writing};
static const struct sn_machine reader = {
    .name = "Reader", .size = sizeof(sn_op_id), .start = &reading};

static void run_pair(void)
{
    (void)sn_create(&writer, NULL);
    (void)sn_create(&reader, NULL);
}

/* Six orders of two starts and two ends; in one of them the write is over before the read begins,
 * which nevertheless does not see it. */
static void of_all_orders_those_fail_that_are_not_linearizable(void **unused)
{
    const struct sn_test test = {
        .name = "pair", .run = run_pair, .model = &sn_model_register, .world = SN_WORLD_TRIAL};

    (void)unused;

    struct sn_result r = run_test_all(&test);

    assert_true(r.exhausted);
    assert_int_equal(r.trials, 6);
    assert_int_equal(r.failures, 1);
}

static void the_history_is_the_same_whether_memory_is_put_back_or_the_trial_run_again(void **unused)
{
    const struct sn_test test = {.name = "pair", .run = run_pair, .model = &sn_model_register};
    struct sn_options options = {
        .iterations = 1000, .strategy = "dfs", .keep_going = true, .rerun = true};
    struct sn_result r;

    (void)unused;

    assert_int_equal(sn_run(&test, &options, &r), 0);
    assert_int_equal(r.trials, 6);
    assert_int_equal(r.failures, 1);
}

/* Whether the return of one comes before the call of the other is all that matters: three ways. */
static void orders_differ_if_a_return_and_a_call_change_places(void **unused)
{
    const struct sn_test test = {.name = "pair", .run = run_pair, .model = &sn_model_register};
    const struct sn_test without = {.name = "pair", .run = run_pair};

    (void)unused;

    assert_true(run_test_all(&test).distinct_orders >= 3);
    assert_int_equal(run_test_all(&without).distinct_orders, 1);
}

static void keep_reading(void *self, const void *payload)
{
    (void)payload;
    if (*(sn_op_id *)self == 0) {
        *(sn_op_id *)self = 1;
        read_stale();
    }
    sn_send(sn_self(), &later, NULL);
}

static const struct sn_state endless = {
    .name = "Endless",
    .entry = keep_reading,
    .on = (const struct sn_on[]){{.event = &later, .run = keep_reading}, {0}}};
static const struct sn_machine endless_machine = {
    .name = "Endless", .size = sizeof(sn_op_id), .start = &endless};

static void run_endless(void)
{
    (void)sn_create(&endless_machine, NULL);
}

static void a_trial_that_is_cut_is_judged_too(void **unused)
{
    const struct sn_test test = {
        .name = "endless", .run = run_endless, .model = &sn_model_register, .max_steps = 50};

    (void)unused;

    struct sn_result r = run_test_once(&test);

    assert_int_equal(r.failures, 1);
    assert_non_null(strstr(r.failure, "linear: read() = 1 of Endless"));
}

/* ---- What a watcher sees -------------------------------------------------------------------- */

static void watch_history(void *self, const struct sn_trial_view *trial)
{
    const struct sn_operation *last = &trial->history[trial->n_history];

    (void)self;
    for (const struct sn_operation *op = trial->history; op < last; op++) {
        bool has_returned = op->ret != SN_TIME_NEVER;

        observe("%u:%u(%d)", op->process, op->function, (int)op->argument[0]);
        if (has_returned)
            observe("=%d%s", (int)op->result, op->ret > op->call ? "" : "!");
        observe(" ");
    }
    observe("/ ");
}

static const char *history_of(void (*run)(void), const struct sn_model *model, const char *strategy)
{
    const struct sn_test test = {.name = "watched", .run = run, .model = model};
    const struct sn_options options = {.iterations = strategy != NULL ? 1000 : 1,
                                       .strategy = strategy,
                                       .keep_going = true,
                                       .watch = watch_history};
    struct sn_result r;

    observe_clear();
    assert_int_equal(sn_run(&test, &options, &r), 0);
    return seen->text;
}

static void leave_one_open(void)
{
    sn_op_id first = sn_op_begin("write", 0, 1, 0);

    sn_op_fail(sn_op_begin("write", 0, 2, 0));
    (void)sn_op_begin("write", 0, 3, 0);
    sn_op_end(sn_op_begin("read", 0, 0, 0), 1);
    sn_op_end(first, 0);
}

/* Functions are numbers of the model's table: 0 is read, 1 is write. */
static void a_watcher_sees_what_was_called_and_returned_but_not_what_failed(void **unused)
{
    (void)unused;
    body = leave_one_open;

    assert_string_equal(history_of(run_machine, &sn_model_register, NULL),
                        "1:1(1)=0 1:1(3) 1:0(0)=1 / ");
}

static void a_watcher_of_a_test_without_a_model_sees_no_operations(void **unused)
{
    (void)unused;
    body = leave_one_open;

    assert_string_equal(history_of(run_machine, NULL, NULL), "/ ");
}

static void call_both(void)
{
    write_value(1);
    read_value(1);
}

static void a_watcher_sees_the_history_of_each_trial_alone(void **unused)
{
    (void)unused;
    body = call_both;

    const char *text = history_of(run_machine, &sn_model_register, "random");

    assert_memory_equal(text, "1:1(1)=0 1:0(", 13);
    assert_non_null(strstr(text, "=1 / 1:1(1)="));
    assert_null(strstr(text, "!"));
}

/* ---- Models --------------------------------------------------------------------------------- */

enum { PRESS };

/* A light: each press tells whether it is on then. */
static enum sn_step light_step(void *state, const struct sn_operation *op, uint32_t choice)
{
    bool *is_on = state;

    (void)choice;
    *is_on = !*is_on;
    return op->ret == SN_TIME_NEVER || op->result == *is_on ? SN_STEP_TAKEN : SN_STEP_REFUSED;
}

static const struct sn_model light = {.name = "light",
                                      .functions =
                                          (const struct sn_function[]){{.name = "press"}, {0}},
                                      .state_size = sizeof(bool),
                                      .step = light_step};

static void press_twice(void)
{
    sn_op_end(sn_op_begin("press", 0, NIL, NIL), 1);
    sn_op_end(sn_op_begin("press", 0, NIL, NIL), 1);
}

static void a_test_can_have_a_model_of_its_own(void **unused)
{
    const struct sn_test test = {.name = "light", .run = run_machine, .model = &light};

    (void)unused;
    body = press_twice;

    assert_non_null(strstr(run_test_once(&test).failure, "linear: press() = 1 of Body"));
}

static void end_all_without_model(void)
{
    sn_op_id op = sn_op_begin("nothing that any model has", 0, NIL, NIL);

    observe("%u", op);
    sn_op_end(op, 1);
    sn_op_end(op, 1);
    sn_op_fail(op);
}

static void without_a_model_nothing_is_recorded(void **unused)
{
    const struct sn_test test = {.name = "none", .run = run_machine};

    (void)unused;
    observe_clear();
    body = end_all_without_model;

    assert_string_equal(run_test_once(&test).failure, "");
    assert_string_equal(seen->text, "0");
}

/* ---- Misuse --------------------------------------------------------------------------------- */

static void call_unknown(void)
{
    (void)sn_op_begin("jump", 0, NIL, NIL);
}

static void a_function_that_the_model_lacks_is_refused(void **unused)
{
    (void)unused;

    assert_string_equal(judge(call_unknown).failure,
                        "usage: sn_op_begin: the model register has no function jump");
}

static void end_twice(void)
{
    sn_op_id op = sn_op_begin("read", 0, NIL, NIL);

    sn_op_end(op, NIL);
    sn_op_end(op, NIL);
}

static void an_operation_ends_once(void **unused)
{
    (void)unused;

    assert_string_equal(judge(end_twice).failure,
                        "usage: sn_op_end: operation 1 has ended already");
}

static void end_nothing(void)
{
    sn_op_fail(7);
}

static void an_operation_that_was_not_called_cannot_end(void **unused)
{
    (void)unused;

    assert_string_equal(judge(end_nothing).failure, "usage: sn_op_fail: there is no operation 7");
}

static void call_for_ever(void)
{
    for (;;)
        (void)sn_op_begin("read", 0, NIL, NIL);
}

static void too_many_operations_are_a_limit_that_is_told(void **unused)
{
    (void)unused;

    assert_string_equal(judge(call_for_ever).failure,
                        "limit: the trial has more than 65536 operations of clients");
}

/* ---- What a trace tells --------------------------------------------------------------------- */

/* The second operation has failed: those behind it keep their numbers. */
static void read_stale_after_a_failure(void)
{
    write_value(1);
    sn_op_fail(sn_op_begin("write", 0, 7, NIL));
    write_value(2);
    read_value(1);
}

/* Copies the lines of a file that begin with one of two texts. */
static void read_lines(const char *path, const char *first, const char *second, char *to,
                       size_t size)
{
    FILE *f = fopen(path, "r");
    char line[4096];
    size_t used = 0;

    assert_non_null(f);
    while (fgets(line, sizeof(line), f) != NULL) {
        size_t n = strlen(line);

        if (strncmp(line, first, strlen(first)) != 0 && strncmp(line, second, strlen(second)) != 0)
            continue;
        assert_true(used + n < size);
        memcpy(to + used, line, n + 1);
        used += n;
    }
    (void)fclose(f);
}

static void the_core_is_in_the_trace_by_the_numbers_of_its_operations(void **unused)
{
    const struct sn_test test = {.name = "judged", .run = run_machine, .model = &sn_model_register};
    char directory[] = "/tmp/sennit-linear-XXXXXX";
    struct sn_options options = {.iterations = 1, .outdir = directory};
    struct sn_result r;
    char lines[4096] = "";

    (void)unused;
    assert_non_null(mkdtemp(directory));
    body = read_stale_after_a_failure;

    assert_int_equal(sn_run(&test, &options, &r), 0);

    read_lines(r.trace, "{\"illegal\"", "{\"core\"", lines, sizeof(lines));
    (void)unlink(r.trace);
    (void)rmdir(directory);
    assert_string_equal(
        lines, "{\"illegal\":\"register\",\"minimal\":true,\"longest\":true,\"state\":\"2\","
               "\"stuck\":4}\n"
               "{\"core\":1,\"definite\":true,\"place\":1,\"state\":\"1\"}\n"
               "{\"core\":3,\"definite\":true,\"place\":2,\"state\":\"2\"}\n"
               "{\"core\":4,\"definite\":true,\"why\":\"its result would be 2\"}\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stale_read_fails_and_is_named),
        cmocka_unit_test(calls_and_returns_within_a_step_are_in_the_order_in_which_they_happened),
        cmocka_unit_test(an_operation_takes_effect_at_any_moment_until_it_returns),
        cmocka_unit_test(an_operation_takes_effect_only_once),
        cmocka_unit_test(what_never_returns_may_have_taken_effect),
        cmocka_unit_test(what_has_failed_has_no_effect),
        cmocka_unit_test(a_test_can_say_what_the_object_holds_at_the_beginning),
        cmocka_unit_test(of_all_orders_those_fail_that_are_not_linearizable),
        cmocka_unit_test(the_history_is_the_same_whether_memory_is_put_back_or_the_trial_run_again),
        cmocka_unit_test(orders_differ_if_a_return_and_a_call_change_places),
        cmocka_unit_test(a_trial_that_is_cut_is_judged_too),
        cmocka_unit_test(a_watcher_sees_what_was_called_and_returned_but_not_what_failed),
        cmocka_unit_test(a_watcher_of_a_test_without_a_model_sees_no_operations),
        cmocka_unit_test(a_watcher_sees_the_history_of_each_trial_alone),
        cmocka_unit_test(a_test_can_have_a_model_of_its_own),
        cmocka_unit_test(without_a_model_nothing_is_recorded),
        cmocka_unit_test(a_function_that_the_model_lacks_is_refused),
        cmocka_unit_test(an_operation_ends_once),
        cmocka_unit_test(an_operation_that_was_not_called_cannot_end),
        cmocka_unit_test(too_many_operations_are_a_limit_that_is_told),
        cmocka_unit_test(the_core_is_in_the_trace_by_the_numbers_of_its_operations),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
