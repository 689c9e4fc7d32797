/* test_require.c - tests of require.c: trials respect what is required, or are stuck.
 * SPDX-License-Identifier: MIT
 */
#include "required.h"

#include <stdlib.h>
#include <unistd.h>

/* ---- Orders --------------------------------------------------------------------------------- */

static const char *const third_first[] = {"deliver Put to Store from Writer#2 number 1 before "
                                          "deliver Put to Store from Writer number 2",
                                          NULL};

static void assert_third_first(const char *strategy)
{
    struct sn_result result = run_observed(&writers, strategy, third_first, 100);

    assert_true(result.trials > 0);
    assert_int_equal(result.failures, 0);
    assert_int_equal(result.stuck, 0);
    assert_true(always_before("put3", "put2"));
}

static void every_trial_of_a_random_walk_is_as_required(void **state)
{
    (void)state;
    assert_third_first("random");
}

static void every_trial_of_posr_is_as_required(void **state)
{
    (void)state;
    assert_third_first("posr");
}

static void every_trial_of_sr_is_as_required(void **state)
{
    (void)state;
    assert_third_first("sr");
}

static void every_trial_of_pct_is_as_required(void **state)
{
    (void)state;
    assert_third_first("pct:2");
}

static void every_trial_of_a_portfolio_is_as_required(void **state)
{
    (void)state;
    assert_third_first("portfolio");
}

static void every_trial_of_the_fair_strategy_is_as_required(void **state)
{
    (void)state;
    assert_third_first("fair");
}

static void the_default_schedule_departs_from_itself_where_it_must(void **state)
{
    (void)state;
    assert_third_first("oldest");
}

static void a_composition_is_as_required(void **state)
{
    (void)state;
    assert_third_first("oldest@2,random");
}

static void delay_tries_what_is_as_required_and_claims_no_more(void **state)
{
    struct sn_result result;

    (void)state;
    assert_third_first("delay:2");
    result = run_required(&writers, "delay:2", third_first, 1000);
    assert_string_equal(result.within, "with at most 2 delays that is as required");
    assert_false(result.exhausted);
}

static void dfs_tries_what_is_as_required_and_claims_no_more(void **state)
{
    struct sn_result all = run_test_all(&writers);
    struct sn_result result = run_required(&writers, "dfs", third_first, 1000000);
    const char *const reversed[] = {"deliver Put to Store from Writer number 2 before "
                                    "deliver Put to Store from Writer#2 number 1",
                                    NULL};
    struct sn_result rest = run_required(&writers, "dfs", reversed, 1000000);

    (void)state;
    assert_true(all.exhausted);
    assert_string_equal(result.within, "that is as required");
    assert_false(result.exhausted);
    assert_true(result.schedules > 0 && rest.schedules > 0);
    assert_int_equal(result.schedules + rest.schedules, all.schedules);
}

static void a_run_that_requires_nothing_is_as_before(void **state)
{
    struct sn_result before = run_test_all(&writers);
    struct sn_result required = run_required(&writers, "dfs", third_first, 1000000);
    struct sn_result after = run_test_all(&writers);

    (void)state;
    assert_true(required.trials < before.trials);
    assert_int_equal(after.trials, before.trials);
    assert_int_equal(after.steps, before.steps);
    assert_true(after.exhausted);
}

static void what_waits_behind_a_held_message_waits_too(void **state)
{
    const char *const orders[] = {"deliver Put to Store from Writer#2 number 2 before "
                                  "deliver Put to Store from Writer number 1",
                                  NULL};

    (void)state;
    (void)run_observed(&writers, "random", orders, 50);
    assert_memory_equal(seen->text, "put3 put4 put1 put2 |", 21);
    assert_true(always_before("put4", "put1"));
}

static void a_class_is_held_until_the_first_of_another_has_run(void **state)
{
    const char *const orders[] = {
        "deliver Put to Store from Writer#2 before deliver Put to Store from Writer", NULL};

    (void)state;
    (void)run_observed(&writers, "random", orders, 100);
    assert_true(always_before("put3", "put1"));
    assert_non_null(strstr(seen->text, "put3 put1 "));
}

static void a_key_tells_events_of_one_type_apart(void **state)
{
    const char *const orders[] = {"deliver Put to Store key 4 before deliver Put to Store key 1",
                                  NULL};

    (void)state;
    (void)run_observed(&writers, "random", orders, 50);
    assert_true(always_before("put4", "put1"));
}

/* ---- Stuck ---------------------------------------------------------------------------------- */

static const char *const impossible[] = {"deliver Get to Store before deliver Put to Store", NULL};

static void a_trial_that_cannot_go_on_is_stuck_and_has_not_failed(void **state)
{
    struct sn_result result = run_required(&writers, "random", impossible, 20);

    (void)state;
    assert_int_equal(result.trials, 20);
    assert_int_equal(result.stuck, 20);
    assert_int_equal(result.failures, 0);
    assert_int_equal(result.distinct_orders, 0);
}

static void of_nothing_but_stuck_trials_nothing_is_claimed(void **state)
{
    struct sn_result result = run_required(&writers, "dfs", impossible, 1000);

    (void)state;
    assert_int_equal(result.stuck, result.trials);
    assert_int_equal(result.schedules, 0);
    assert_string_equal(result.within, "");
    assert_false(result.exhausted);
}

static void a_name_that_no_trial_has_met_is_told(void **state)
{
    struct sn_result result = run_required(&writers, "random", impossible, 5);

    (void)state;
    assert_string_equal(result.unseen, "deliver Get to Store");
}

static void each_name_that_no_trial_has_met_is_told_once(void **state)
{
    const char *const orders[] = {"start Nemo before start Nobody",
                                  "start Nemo before deliver Put to Store", NULL};
    struct sn_result result = run_required(&writers, "random", orders, 5);

    (void)state;
    assert_string_equal(result.unseen, "start Nemo; start Nobody");
}

static void names_that_were_met_are_not_told(void **state)
{
    struct sn_result result = run_required(&writers, "random", third_first, 5);

    (void)state;
    assert_string_equal(result.unseen, "");
}

static const struct sn_state waiting = {
    .name = "Waiting",
    .must_leave = true,
    .on = (const struct sn_on[]){{.event = &get, .go_to = &storing}, {0}},
};
static const struct sn_machine waiter = {
    .name = "Waiter", .size = sizeof(uint64_t), .start = &waiting};

static void wait_for_get(void)
{
    sn_id w = sn_create(&waiter, NULL);

    sn_send(w, &get, NULL);
    sn_send(w, &put, &(struct put){1});
}

static void a_machine_that_waits_for_a_held_event_is_no_deadlock(void **state)
{
    const struct sn_test t = {.name = "waiter", .run = wait_for_get, .world = SN_WORLD_TRIAL};
    const char *const orders[] = {"deliver Put to Waiter before deliver Get to Waiter", NULL};
    struct sn_result result = run_required(&t, "random", orders, 5);

    (void)state;
    assert_int_equal(result.failures, 0);
    assert_int_equal(result.stuck, 5);
}

static void on_get_fail(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    sn_assert(false);
}

static const struct sn_state failing = {
    .name = "Failing",
    .on = (const struct sn_on[]){{.event = &get, .run = on_get_fail},
                                 {.event = &put, .run = on_put},
                                 {0}},
};
static const struct sn_machine brittle = {
    .name = "Brittle", .size = sizeof(uint64_t), .start = &failing};

static void make_brittle(void)
{
    sn_id b = sn_create(&brittle, NULL);

    sn_send(b, &get, NULL);
    sn_send(b, &put, &(struct put){1});
}

static void what_fails_while_something_is_held_has_failed(void **state)
{
    const struct sn_test t = {.name = "brittle", .run = make_brittle, .world = SN_WORLD_TRIAL};
    const char *const orders[] = {"deliver Tick to Brittle before deliver Put to Brittle", NULL};
    struct sn_result result = run_required(&t, "random", orders, 5);

    (void)state;
    assert_int_equal(result.failures, 5);
    assert_int_equal(result.stuck, 0);
}

/* ---- Time ----------------------------------------------------------------------------------- */

static void start_clock(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    (void)sn_timer_start(&tick, 10, NULL);
}

static void on_tick(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    observe("tick ");
}

static const struct sn_state ticking = {
    .name = "Ticking",
    .entry = start_clock,
    .on = (const struct sn_on[]){{.event = &tick, .run = on_tick},
                                 {.event = &get, .run = on_get},
                                 {0}},
};
static const struct sn_machine clock_machine = {.name = "Clock", .start = &ticking};

static void make_clock(void)
{
    sn_id c = sn_create(&clock_machine, NULL);

    sn_send(c, &get, NULL);
}

/* A message that is under way keeps an ideal timer from firing, held or not. */
static void an_ideal_timer_does_not_overtake_a_held_message(void **state)
{
    const struct sn_test t = {.name = "clock", .run = make_clock, .world = SN_WORLD_TRIAL};
    const char *const orders[] = {"timer Tick of Clock before deliver Get to Clock", NULL};
    struct sn_result result = run_required(&t, "random", orders, 5);

    (void)state;
    assert_int_equal(result.stuck, 5);
}

static void a_timer_that_fires_at_any_moment_can_be_required_to_be_first(void **state)
{
    const struct sn_test t = {
        .name = "clock", .run = make_clock, .world = SN_WORLD_TRIAL, .timers = SN_TIMERS_ANY};
    const char *const orders[] = {"timer Tick of Clock before deliver Get to Clock", NULL};
    struct sn_result result = run_observed(&t, "random", orders, 20);

    (void)state;
    assert_int_equal(result.stuck, 0);
    assert_true(always_before("tick", "get"));
}

/* ---- Liveness ------------------------------------------------------------------------------- */

static const struct sn_state cold = {.name = "Cold", .temperature = SN_COLD};
static const struct sn_state hot = {
    .name = "Hot",
    .temperature = SN_HOT,
    .on = (const struct sn_on[]){{.event = &get, .go_to = &cold}, {0}},
};
static const struct sn_machine hopes = {.name = "Hopes", .start = &hot};

static void on_get_hope(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    sn_monitor(&hopes, &get, NULL);
}

static void on_tick_again(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    sn_send(sn_self(), &tick, NULL);
}

static const struct sn_state looping = {
    .name = "Looping",
    .on = (const struct sn_on[]){{.event = &tick, .run = on_tick_again},
                                 {.event = &get, .run = on_get_hope},
                                 {0}},
};
static const struct sn_machine looper = {.name = "Looper", .start = &looping};

static void make_looper(void)
{
    sn_id l = sn_create(&looper, NULL);

    sn_send(sn_create(&looper, NULL), &get, NULL);
    sn_send(l, &tick, NULL);
}

static const struct sn_machine *const hope_list[] = {&hopes, NULL};

static void a_monitor_that_is_hot_because_something_is_held_is_not_judged(void **state)
{
    const struct sn_test t = {.name = "looper",
                              .run = make_looper,
                              .world = SN_WORLD_TRIAL,
                              .monitors = hope_list,
                              .max_steps = 200};
    const char *const orders[] = {"deliver Put to Looper before deliver Get to Looper#2", NULL};
    struct sn_result result = run_required(&t, "random", orders, 5);

    (void)state;
    assert_int_equal(result.failures, 0);
    assert_int_equal(result.stuck, 5);
    assert_int_equal(result.cut, 5);
}

/* ---- Refusals ------------------------------------------------------------------------------- */

static void assert_refused(const char *strategy, const char *order, int rc, const char *sentence)
{
    const char *const orders[] = {order, NULL};
    struct sn_options options = {.strategy = strategy, .iterations = 1, .require = orders};
    struct sn_result result;

    assert_int_equal(sn_run(&writers, &options, &result), rc);
    assert_string_equal(result.failure, sentence);
}

static void a_text_that_is_no_order_is_refused(void **state)
{
    (void)state;
    assert_refused("random", "deliver Put to Store", SN_EFORMAT,
                   "\"deliver Put to Store\": expected \"before\" and an operation, at its end");
}

static void strategies_that_leave_out_schedules_are_refused(void **state)
{
    (void)state;
    assert_refused("odpor", "start Writer before start Writer#2", SN_EINVAL,
                   "strategy odpor leaves out schedules that others stand for, and cannot tell "
                   "which of them are as required: use dfs or delay:D with --require");
    assert_refused("random@5,dpor", "start Writer before start Writer#2", SN_EINVAL,
                   "strategy dpor leaves out schedules that others stand for, and cannot tell "
                   "which of them are as required: use dfs or delay:D with --require");
}

static void a_search_that_remembers_states_is_refused(void **state)
{
    struct sn_result result;
    struct sn_options options = {.strategy = "delay:2:cache", .require = third_first};

    (void)state;
    observe_clear();
    assert_int_equal(sn_run(&writers, &options, &result), SN_EINVAL);
    assert_non_null(strstr(result.failure, "what has run of an order that is required is no part"));
}

/* ---- Traces --------------------------------------------------------------------------------- */

static void on_put_in_order(void *self, const void *payload)
{
    uint64_t *last = self;

    sn_assert(((const struct put *)payload)->value > *last);
    *last = ((const struct put *)payload)->value;
}

static const struct sn_state sorting = {
    .name = "Sorting",
    .on = (const struct sn_on[]){{.event = &put, .run = on_put_in_order}, {0}},
};
static const struct sn_machine sorted_store = {
    .name = "Store", .size = sizeof(uint64_t), .start = &sorting};

static void write_sorted(void)
{
    sn_id s = sn_create(&sorted_store, NULL);

    (void)sn_create(&writer, &(struct writer){s, 1});
    (void)sn_create(&writer, &(struct writer){s, 3});
}

static const struct sn_test sorted = {
    .name = "sorted", .run = write_sorted, .world = SN_WORLD_TRIAL};

static void the_trace_of_a_failing_trial_replays_without_what_was_required(void **state)
{
    char directory[] = "/tmp/sennit-require-XXXXXX";
    const struct sn_options options = {.strategy = "random",
                                       .iterations = 1,
                                       .require = third_first,
                                       .outdir = mkdtemp(directory)};
    struct sn_result result;
    struct sn_result again;

    (void)state;
    assert_int_equal(sn_run(&sorted, &options, &result), 0);
    assert_int_equal(result.failures, 1);
    assert_int_equal(sn_replay(&sorted, result.trace, &again), 0);
    assert_false(again.nondeterministic);
    assert_int_equal(again.failures, 1);
    assert_string_equal(again.failure, result.failure);
    (void)unlink(result.trace);
    (void)rmdir(directory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_trial_of_a_random_walk_is_as_required),
        cmocka_unit_test(every_trial_of_posr_is_as_required),
        cmocka_unit_test(every_trial_of_sr_is_as_required),
        cmocka_unit_test(every_trial_of_pct_is_as_required),
        cmocka_unit_test(every_trial_of_a_portfolio_is_as_required),
        cmocka_unit_test(every_trial_of_the_fair_strategy_is_as_required),
        cmocka_unit_test(the_default_schedule_departs_from_itself_where_it_must),
        cmocka_unit_test(a_composition_is_as_required),
        cmocka_unit_test(delay_tries_what_is_as_required_and_claims_no_more),
        cmocka_unit_test(dfs_tries_what_is_as_required_and_claims_no_more),
        cmocka_unit_test(a_run_that_requires_nothing_is_as_before),
        cmocka_unit_test(what_waits_behind_a_held_message_waits_too),
        cmocka_unit_test(a_class_is_held_until_the_first_of_another_has_run),
        cmocka_unit_test(a_key_tells_events_of_one_type_apart),
        cmocka_unit_test(a_trial_that_cannot_go_on_is_stuck_and_has_not_failed),
        cmocka_unit_test(of_nothing_but_stuck_trials_nothing_is_claimed),
        cmocka_unit_test(a_name_that_no_trial_has_met_is_told),
        cmocka_unit_test(each_name_that_no_trial_has_met_is_told_once),
        cmocka_unit_test(names_that_were_met_are_not_told),
        cmocka_unit_test(a_machine_that_waits_for_a_held_event_is_no_deadlock),
        cmocka_unit_test(what_fails_while_something_is_held_has_failed),
        cmocka_unit_test(an_ideal_timer_does_not_overtake_a_held_message),
        cmocka_unit_test(a_timer_that_fires_at_any_moment_can_be_required_to_be_first),
        cmocka_unit_test(a_monitor_that_is_hot_because_something_is_held_is_not_judged),
        cmocka_unit_test(a_text_that_is_no_order_is_refused),
        cmocka_unit_test(strategies_that_leave_out_schedules_are_refused),
        cmocka_unit_test(a_search_that_remembers_states_is_refused),
        cmocka_unit_test(the_trace_of_a_failing_trial_replays_without_what_was_required),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
