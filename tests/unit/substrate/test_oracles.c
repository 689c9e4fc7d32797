/* test_oracles.c - what ends a trial as failed. SPDX-License-Identifier: MIT */
#include "../observe.h"

#include <assert.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

/* C's assert(), before cmocka's header takes the name for its own tests. */
static void fail_in_c(int two)
{
    assert(two == 3);
}

#include <cmocka.h>

static const struct sn_event go = {.name = "Go"};
static const struct sn_event done = {.name = "Done"};

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

static struct sn_result run_in_a_machine(void (*what)(void))
{
    const struct sn_test test = {.name = "body", .run = run_machine};

    observe_clear();
    body = what;
    return run_test_once(&test);
}

/* ---- Assertions ----------------------------------------------------------------------------- */

static void assert_something(void)
{
    int two = 2;

    sn_assertf(two == 3, "two is %d", two);
}

static void sn_assert_fails_the_trial_with_expression_message_and_place(void **unused)
{
    (void)unused;

    struct sn_result r = run_in_a_machine(assert_something);

    assert_int_equal(r.failures, 1);
    assert_non_null(strstr(r.failure, "assert: test_oracles.c:"));
    assert_non_null(strstr(r.failure, "two is 2 (two == 3)"));
}

static void c_assert(void)
{
    fail_in_c(2);
}

static void c_assert_fails_the_trial_instead_of_ending_the_program(void **unused)
{
    (void)unused;

    struct sn_result r = run_in_a_machine(c_assert);

    assert_int_equal(r.failures, 1);
    assert_non_null(strstr(r.failure, "two == 3"));
}

static void run_failing_setup(void)
{
    sn_assert(1 == 2);
}

static void an_assertion_in_the_set_up_fails_the_trial(void **unused)
{
    const struct sn_test test = {.name = "setup", .run = run_failing_setup};

    (void)unused;

    struct sn_result r = run_test_once(&test);

    assert_int_equal(r.failures, 1);
    assert_int_equal(r.failing_steps, 0);
}

/* ---- Monitors ------------------------------------------------------------------------------- */

struct balance {
    int value;
};

static void balance_up(void *self, const void *payload)
{
    struct balance *b = self;

    (void)payload;
    b->value++;
    sn_assertf(b->value < 3, "balance is %d", b->value);
}

static const struct sn_state watching = {
    .name = "Watching",
    .on = (const struct sn_on[]){{.event = &go, .run = balance_up}, {0}},
};

static const struct sn_machine balance_monitor = {
    .name = "Balance", .size = sizeof(struct balance), .start = &watching};

static const struct sn_machine *const balance_monitors[] = {&balance_monitor, NULL};

static void notify_three_times(void)
{
    sn_monitor(&balance_monitor, &go, NULL);
    observe("one ");
    sn_monitor(&balance_monitor, &go, NULL);
    observe("two ");
    sn_monitor(&balance_monitor, &go, NULL);
    observe("three ");
}

static void a_monitor_is_called_at_once_and_found_by_its_type(void **unused)
{
    const struct sn_test test = {
        .name = "monitor", .run = run_machine, .monitors = balance_monitors};

    (void)unused;
    observe_clear();
    body = notify_three_times;

    struct sn_result r = run_test_once(&test);

    assert_int_equal(r.failures, 1);
    assert_non_null(strstr(r.failure, "balance is 3"));
    assert_non_null(strstr(seen->text, "one two "));
    assert_null(strstr(seen->text, "three"));
}

static void a_monitor_that_the_test_does_not_list_is_not_called_and_the_run_says_so(void **unused)
{
    (void)unused;

    struct sn_result r = run_in_a_machine(notify_three_times);

    assert_int_equal(r.failures, 0);
    assert_string_equal(seen->text, "one two three ");
    assert_string_equal(r.note,
                        "monitor Balance was told of events, but is not among the test's monitors");
}

static void send_from_monitor(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    sn_send(1, &go, NULL);
}

static const struct sn_state sending_state = {
    .name = "Sending",
    .on = (const struct sn_on[]){{.event = &go, .run = send_from_monitor}, {0}},
};

static const struct sn_machine sending_monitor = {.name = "Sender", .start = &sending_state};
static const struct sn_machine *const sending_monitors[] = {&sending_monitor, NULL};

static void notify_sender(void)
{
    sn_monitor(&sending_monitor, &go, NULL);
}

static void a_monitor_must_not_send(void **unused)
{
    const struct sn_test test = {
        .name = "monitor", .run = run_machine, .monitors = sending_monitors};

    (void)unused;
    body = notify_sender;

    struct sn_result r = run_test_once(&test);

    assert_int_equal(r.failures, 1);
    assert_string_equal(r.failure,
                        "usage: monitor Sender calls sn_send, but monitors only receive");
}

/* ---- Hot states ----------------------------------------------------------------------------- */

static const struct sn_state hot_state; /* defined below */

static const struct sn_state cold_state = {
    .name = "Fine",
    .temperature = SN_COLD,
    .on = (const struct sn_on[]){{.event = &go, .go_to = &hot_state}, {0}},
};

static const struct sn_state hot_state = {
    .name = "Waiting",
    .temperature = SN_HOT,
    .on = (const struct sn_on[]){{.event = &done, .go_to = &cold_state}, {0}},
};

static const struct sn_machine liveness = {.name = "Liveness", .start = &cold_state};
static const struct sn_machine *const liveness_monitors[] = {&liveness, NULL};

static void heat_up(void)
{
    sn_monitor(&liveness, &go, NULL);
}

static void heat_and_cool(void)
{
    sn_monitor(&liveness, &go, NULL);
    sn_monitor(&liveness, &done, NULL);
}

static struct sn_result run_liveness(void (*what)(void))
{
    const struct sn_test test = {
        .name = "liveness", .run = run_machine, .monitors = liveness_monitors};

    body = what;
    return run_test_once(&test);
}

static void a_trial_that_ends_with_a_hot_monitor_fails(void **unused)
{
    (void)unused;

    struct sn_result hot = run_liveness(heat_up);
    struct sn_result cold = run_liveness(heat_and_cool);

    assert_int_equal(hot.failures, 1);
    assert_non_null(strstr(hot.failure, "monitor Liveness is still hot (state Waiting)"));
    assert_int_equal(cold.failures, 0);
}

/* ---- Limits --------------------------------------------------------------------------------- */

static void again(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    sn_send(sn_self(), &go, NULL);
}

static void heat_and_loop(void *self, const void *payload)
{
    sn_monitor(&liveness, &go, NULL);
    again(self, payload);
}

static const struct sn_state endless_state = {
    .name = "Endless",
    .entry = heat_and_loop,
    .on = (const struct sn_on[]){{.event = &go, .run = again}, {0}},
};

/* Has memory that it does not tell of: nobody can know whether it comes back to a state. */
static const struct sn_machine endless = {.name = "Endless", .size = 1, .start = &endless_state};

static void run_endless(void)
{
    (void)sn_create(&endless, NULL);
}

static void a_trial_at_the_limit_of_steps_is_cut_and_counted(void **unused)
{
    const struct sn_test test = {.name = "endless", .run = run_endless, .max_steps = 50};

    (void)unused;

    struct sn_result r = run_test_once(&test);

    assert_int_equal(r.failures, 0);
    assert_int_equal(r.cut, 1);
    assert_int_equal(r.steps, 50);
}

static void a_test_that_must_end_fails_at_the_limit_of_steps(void **unused)
{
    const struct sn_test test = {
        .name = "endless", .run = run_endless, .max_steps = 50, .must_end = true};

    (void)unused;

    struct sn_result r = run_test_once(&test);

    assert_int_equal(r.failures, 1);
    assert_string_equal(r.failure, "limit: the trial has not ended after 50 steps");
}

static void a_monitor_that_is_hot_at_the_limit_of_steps_is_a_bug(void **unused)
{
    const struct sn_test test = {
        .name = "endless", .run = run_endless, .max_steps = 50, .monitors = liveness_monitors};

    (void)unused;

    struct sn_result r = run_test_once(&test);

    assert_int_equal(r.failures, 1);
    assert_string_equal(
        r.failure, "hot: monitor Liveness is still hot (state Waiting) at the limit of 50 steps, "
                   "since step 1");
}

/* ---- Deadlock ------------------------------------------------------------------------------- */

static const struct sn_state waiting = {
    .name = "Waiting",
    .must_leave = true,
    .on = (const struct sn_on[]){{.event = &go, .defer = true}, {0}},
};

static const struct sn_machine waiter = {.name = "Waiter", .start = &waiting};

static void run_waiters(void)
{
    sn_send(sn_create(&waiter, NULL), &go, NULL);
    (void)sn_create(&waiter, NULL);
}

static void a_deadlock_lists_every_machine_that_waits(void **unused)
{
    const struct sn_test test = {.name = "deadlock", .run = run_waiters};

    (void)unused;

    struct sn_result r = run_test_once(&test);

    assert_int_equal(r.failures, 1);
    assert_string_equal(r.failure,
                        "deadlock: nothing can happen any more, but Waiter waits in state Waiting "
                        "(deferring 1 event), Waiter#2 waits in state Waiting");
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static void write_too_far(void *self, const void *payload)
{
    volatile char *volatile bytes = self;

    (void)payload;
    bytes[12] = 1;
}

static const struct sn_state careless_state = {.name = "Careless", .entry = write_too_far};
static const struct sn_machine careless = {
    .name = "Careless", .size = 12, .start = &careless_state};

static void run_careless(void)
{
    (void)sn_create(&careless, NULL);
}

static void writing_behind_self_is_a_bug(void **unused)
{
    const struct sn_test test = {.name = "careless", .run = run_careless};

    (void)unused;

    struct sn_result r = run_test_once(&test);

    assert_string_equal(r.failure,
                        "memory: what lies behind the 12 bytes of Careless's self was overwritten");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sn_assert_fails_the_trial_with_expression_message_and_place),
        cmocka_unit_test(c_assert_fails_the_trial_instead_of_ending_the_program),
        cmocka_unit_test(an_assertion_in_the_set_up_fails_the_trial),
        cmocka_unit_test(a_monitor_is_called_at_once_and_found_by_its_type),
        cmocka_unit_test(a_monitor_that_the_test_does_not_list_is_not_called_and_the_run_says_so),
        cmocka_unit_test(a_monitor_must_not_send),
        cmocka_unit_test(a_trial_that_ends_with_a_hot_monitor_fails),
        cmocka_unit_test(a_trial_at_the_limit_of_steps_is_cut_and_counted),
        cmocka_unit_test(a_test_that_must_end_fails_at_the_limit_of_steps),
        cmocka_unit_test(a_monitor_that_is_hot_at_the_limit_of_steps_is_a_bug),
        cmocka_unit_test(writing_behind_self_is_a_bug),
        cmocka_unit_test(a_deadlock_lists_every_machine_that_waits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
