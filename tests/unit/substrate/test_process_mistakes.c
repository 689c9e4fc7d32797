/* test_process_mistakes.c - what processes must not do, what they wait for in vain, and where a
 * trial of theirs ends. SPDX-License-Identifier: MIT
 */
#include "doing.h"

#include <time.h>
#include <unistd.h>

static const char *failure_of(doing *run)
{
    struct sn_test test = flow_test(run);

    return flow_failure(&test);
}

/* ---- Mistakes -------------------------------------------------------------------------------- */

static void flush_nothing(void)
{
    sn_send(sn_self(), &a_event, NULL);
    tell("%d", sn_demonitor(0, true));
    tell("%s", word_of(sn_receive(NULL, NULL, 0)));
}

static void run_flush_nothing(void)
{
    story_begin();
    (void)let(SN_NO_NODE, flush_nothing);
}

static void to_end_no_monitor_leaves_all_messages_alone(void **unused)
{
    (void)unused;

    assert_string_equal(all_of(run_flush_nothing), "0a");
}

static void call_itself(void)
{
    (void)sn_call(sn_self(), &a_event, NULL, 10, NULL);
}

static void call_itself_by_name(void)
{
    sn_assert(sn_register("me", sn_self()));
    (void)sn_call_name("me", &a_event, NULL, 10, NULL);
}

static void run_call_itself(void)
{
    story_begin();
    (void)let(SN_NO_NODE, call_itself);
}

static void run_call_itself_by_name(void)
{
    story_begin();
    (void)let(SN_NO_NODE, call_itself_by_name);
}

static void no_process_calls_itself(void **unused)
{
    (void)unused;

    assert_string_equal(failure_of(run_call_itself), "usage: sn_call: Doer calls itself");
    assert_string_equal(failure_of(run_call_itself_by_name),
                        "usage: sn_call_name: Doer calls itself");
}

static void answer_nobody(void)
{
    sn_answer(sn_self(), 0, &a_event, NULL);
}

static void run_answer_nobody(void)
{
    story_begin();
    (void)let(SN_NO_NODE, answer_nobody);
}

static void only_a_call_is_answered(void **unused)
{
    (void)unused;

    assert_string_equal(failure_of(run_answer_nobody), "usage: sn_answer: Doer has not called");
}

static void spawn_without_place(void)
{
    doing *what = do_nothing;

    (void)sn_spawn_monitor(&idle_doer, &what, NULL);
}

static void run_without_place(void)
{
    story_begin();
    (void)let(SN_NO_NODE, spawn_without_place);
}

static void a_monitor_from_birth_on_needs_a_place(void **unused)
{
    (void)unused;

    assert_string_equal(failure_of(run_without_place),
                        "usage: sn_spawn_monitor: there is no place for the monitor");
}

static void look_on_no_node(void)
{
    (void)sn_whereis_on(77, "x");
}

static void send_to_no_node(void)
{
    sn_send_name_on(77, "x", &a_event, NULL);
}

static void monitor_on_no_node(void)
{
    (void)sn_monitor_name(77, "x");
}

static void run_look_on_no_node(void)
{
    make_nodes();
    (void)let(here, look_on_no_node);
}

static void run_send_to_no_node(void)
{
    make_nodes();
    (void)let(here, send_to_no_node);
}

static void run_monitor_on_no_node(void)
{
    story_begin();
    (void)let(SN_NO_NODE, monitor_on_no_node);
}

static void names_are_those_of_nodes_that_exist(void **unused)
{
    (void)unused;

    assert_string_equal(failure_of(run_look_on_no_node),
                        "usage: sn_whereis_on: there is no node 77");
    assert_string_equal(failure_of(run_send_to_no_node),
                        "usage: sn_send_name_on: there is no node 77");
    assert_string_equal(failure_of(run_monitor_on_no_node),
                        "usage: sn_monitor_name: there is no node 77");
}

static bool send_while_matching(const struct sn_message *message, const void *with)
{
    sn_send(*(const sn_id *)with, message->event, NULL);
    return true;
}

static void match_badly(void)
{
    sn_id self = sn_self();

    sn_send(self, &a_event, NULL);
    (void)sn_receive(send_while_matching, &self, SN_FOREVER);
}

static void run_match_badly(void)
{
    story_begin();
    (void)let(SN_NO_NODE, match_badly);
}

static void a_match_function_may_only_look(void **unused)
{
    (void)unused;

    assert_string_equal(failure_of(run_match_badly),
                        "usage: a match function of Doer calls sn_send, but may only look");
}

/* ---- Foreign code ---------------------------------------------------------------------------- */

static uint64_t sleep_in_foreign(void *argument)
{
    struct timespec second = {.tv_sec = 1};
    uint64_t before_ns = sn_now_ns();

    (void)argument;
    return (uint64_t)nanosleep(&second, NULL) + sleep(1) + (uint64_t)usleep(1) + sn_now_ns() -
           before_ns;
}

static void sleep_foreign(void)
{
    tell("%llu", (unsigned long long)sn_foreign("sleep", sleep_in_foreign, NULL));
    tell("%llu", (unsigned long long)sn_now_ns());
}

static void run_sleep_foreign(void)
{
    story_begin();
    (void)let(SN_NO_NODE, sleep_foreign);
    (void)let(SN_NO_NODE, sleep_foreign);
}

static void foreign_code_that_sleeps_goes_on_at_once(void **unused)
{
    struct sn_test test = flow_test(run_sleep_foreign);
    struct sn_result r;

    (void)unused;

    r = stories_of(&test);
    assert_string_equal(stories_all(), "0000");
    assert_int_equal(r.distinct_orders, 1);
}

/* ---- Deadlocks ------------------------------------------------------------------------------- */

static sn_id first;
static sn_id second;

static void call_second(void)
{
    (void)sn_call(second, &a_event, NULL, SN_FOREVER, NULL);
}

static void call_first(void)
{
    (void)sn_call(first, &b_event, NULL, SN_FOREVER, NULL);
}

static void run_cycle(void)
{
    story_begin();
    first = let(SN_NO_NODE, call_second);
    second = let(SN_NO_NODE, call_first);
}

static void a_deadlock_names_the_calls_that_are_not_answered(void **unused)
{
    (void)unused;

    assert_string_equal(
        failure_of(run_cycle),
        "deadlock: nothing can happen any more, but Doer waits for an answer of Doer#2 to its call "
        "a (in its mailbox: b), Doer#2 waits for an answer of Doer to its call b (in its mailbox: "
        "a)");
}

static void wait_among_many(void)
{
    for (int i = 0; i < 1000; i++)
        sn_send(sn_self(), &doing_event, &(doing *){do_nothing});
    (void)sn_receive_event(&b_event, SN_FOREVER);
}

static void run_among_many(void)
{
    story_begin();
    (void)let(SN_NO_NODE, wait_among_many);
}

static void a_deadlock_counts_the_messages_that_have_no_room(void **unused)
{
    const char *failure;
    const char *more;
    uint64_t n = 0;

    (void)unused;

    failure = failure_of(run_among_many);
    more = strstr(failure, ", ... and ");
    assert_non_null(more);
    for (const char *at = failure; (at = strstr(at, "Doing")) != NULL; at++)
        n++;
    assert_int_equal(n + strtoull(more + strlen(", ... and "), NULL, 10), 1000);
    assert_non_null(strstr(more, " more)"));
}

/* ---- Limits ---------------------------------------------------------------------------------- */

static void tick(void)
{
    for (;;)
        sn_sleep_ns(SECOND);
}

static void wait_for_ever(void)
{
    (void)sn_receive_event(&a_event, SN_FOREVER);
}

static void wait_for_long(void)
{
    (void)sn_receive_event(&a_event, 50 * SECOND);
}

static void run_tick_with_node(void)
{
    make_nodes();
    (void)let(here, tick);
    (void)let(here, wait_for_ever);
}

static void run_tick_and_wait_for_long(void)
{
    story_begin();
    (void)let(SN_NO_NODE, tick);
    (void)let(SN_NO_NODE, wait_for_long);
}

/* Faults can strike at any time, but they are none that the one who waits is waiting for. */
static void
who_waits_at_the_limit_of_time_does_so_for_ever_whatever_faults_are_pending(void **unused)
{
    static const struct sn_faults faults = {.drops = 1, .horizon = 1};
    struct sn_test test = flow_test(run_tick_with_node);
    struct sn_result r;

    (void)unused;
    test.max_time_ns = 3 * SECOND;
    test.faults = &faults;

    assert_int_equal(
        sn_run(&test, &(struct sn_options){.strategy = "delay:0", .iterations = 1}, &r), 0);
    assert_string_equal(r.failure, "deadlock: time is at its limit, but Doer#2 waits for a (its "
                                   "mailbox is empty)");
}

static void who_waits_for_time_at_the_limit_of_time_does_not_do_so_for_ever(void **unused)
{
    struct sn_test test = flow_test(run_tick_and_wait_for_long);
    struct sn_result r;

    (void)unused;
    test.max_time_ns = 3 * SECOND;

    r = stories_run(&test, (struct sn_options){.strategy = "random", .iterations = 10});
    assert_string_equal(r.failure, "");
    assert_int_equal(r.cut, 10);
}

static void sleep_long(void)
{
    tell("s");
    sn_sleep_ns(10 * SECOND);
    tell("never");
}

static void run_sleep_long(void)
{
    story_begin();
    (void)let(SN_NO_NODE, sleep_long);
}

static void no_timer_fires_beyond_the_limit_of_time_of_whatever_kind(void **unused)
{
    struct sn_test test = flow_test(run_sleep_long);

    (void)unused;
    test.max_time_ns = 3 * SECOND;
    test.timers = SN_TIMERS_ANY;

    (void)stories_run(&test, (struct sn_options){.strategy = "random", .iterations = 10});
    assert_string_equal(stories_all(), "s");
}

static void run_too_many(void)
{
    story_begin();
    for (int i = 0; i < 16385; i++)
        (void)let_idle(SN_NO_NODE);
}

static void more_processes_than_a_trial_can_have_are_told_with_the_limit(void **unused)
{
    struct sn_test test = flow_test(run_too_many);
    struct sn_result r;

    (void)unused;
    test.max_steps = 100000;

    assert_int_equal(
        sn_run(&test, &(struct sn_options){.strategy = "delay:0", .iterations = 1}, &r), 0);
    assert_string_equal(r.failure, "limit: a trial has at most 16384 processes at a time");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(to_end_no_monitor_leaves_all_messages_alone),
        cmocka_unit_test(no_process_calls_itself),
        cmocka_unit_test(only_a_call_is_answered),
        cmocka_unit_test(a_monitor_from_birth_on_needs_a_place),
        cmocka_unit_test(names_are_those_of_nodes_that_exist),
        cmocka_unit_test(a_match_function_may_only_look),
        cmocka_unit_test(foreign_code_that_sleeps_goes_on_at_once),
        cmocka_unit_test(a_deadlock_names_the_calls_that_are_not_answered),
        cmocka_unit_test(a_deadlock_counts_the_messages_that_have_no_room),
        cmocka_unit_test(
            who_waits_at_the_limit_of_time_does_so_for_ever_whatever_faults_are_pending),
        cmocka_unit_test(who_waits_for_time_at_the_limit_of_time_does_not_do_so_for_ever),
        cmocka_unit_test(no_timer_fires_beyond_the_limit_of_time_of_whatever_kind),
        cmocka_unit_test(more_processes_than_a_trial_can_have_are_told_with_the_limit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
