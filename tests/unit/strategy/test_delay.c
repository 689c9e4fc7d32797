/* test_delay.c - schedules with few delays: how many there are is known, and each is run once.
 * SPDX-License-Identifier: MIT
 */
#include "forest.h"

#include "../observe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static struct sn_result run(const struct forest *forest, const char *strategy, bool rerun)
{
    const struct sn_options options = {.strategy = strategy, .iterations = 100000, .rerun = rerun};
    struct sn_result result;

    assert_int_equal(forest_run(forest, &options, &result), 0);
    assert_int_equal(result.failures, 0);
    return result;
}

/* n messages to one actor. The schedules with i inversions are counted by the Mahonian numbers. */
static void assert_schedules_of_5(const char *strategy, uint64_t n, const char *within)
{
    struct race race;
    struct sn_result result;

    race_inbox(&race, 5);
    result = run(&race.forest, strategy, false);

    assert_int_equal(result.trials, n);
    assert_int_equal(result.distinct_orders, n);
    assert_string_equal(result.within, within);
    assert_int_equal(result.exhausted, within[0] == '\0');
}

static void no_delay_is_one_schedule(void **unused)
{
    (void)unused;
    assert_schedules_of_5("delay:0", 1, "with at most 0 delays");
}

static void schedules_with_few_delays_are_as_many_as_known(void **unused)
{
    (void)unused;
    assert_schedules_of_5("delay:1", 1 + 4, "with at most 1 delay");
    assert_schedules_of_5("delay:2", 1 + 4 + 9, "with at most 2 delays");
    assert_schedules_of_5("delay:3", 1 + 4 + 9 + 15, "with at most 3 delays");
    assert_schedules_of_5("delay:4", 1 + 4 + 9 + 15 + 20, "with at most 4 delays");
    assert_schedules_of_5("delay:5", 71, "with at most 5 delays");
    assert_schedules_of_5("delay:8", 115, "with at most 8 delays");
    assert_schedules_of_5("delay:9", 119, "with at most 9 delays");
}

static void with_enough_delays_every_schedule_is_run_and_that_is_said(void **unused)
{
    (void)unused;
    assert_schedules_of_5("delay:10", 120, "");
    assert_schedules_of_5("delay:1000000", 120, "");
}

static void going_back_by_running_again_visits_the_same(void **unused)
{
    struct race race;

    (void)unused;
    race_inbox(&race, 5);
    assert_int_equal(run(&race.forest, "delay:3", true).trials, 29);
    assert_int_equal(run(&race.forest, "delay:3", true).distinct_orders, 29);
}

/* Two chains: 0 -> 1 and 2 -> 3. Oldest first is 0 2 1 3; one delay is each of 2 0 1 3, 0 1 2 3 and
 * 0 2 3 1. In 0 1 2 3 the second pick takes 1, which 2 is older than. */
static void what_is_announced_later_counts_as_younger(void **unused)
{
    struct forest forest = {.n = 0};
    int actor = forest_actor(&forest);
    int first = forest_message(&forest, FOREST_NOBODY, actor);
    int second;

    (void)unused;
    (void)forest_message(&forest, first, actor);
    second = forest_message(&forest, FOREST_NOBODY, actor);
    (void)forest_message(&forest, second, actor);

    assert_int_equal(run(&forest, "delay:0", false).trials, 1);
    assert_int_equal(run(&forest, "delay:1", false).trials, 4);
    assert_int_equal(run(&forest, "delay:9", false).trials, 6);
    assert_true(run(&forest, "delay:9", false).exhausted);
}

/* 5! / (4 * 2) ways to deliver 0 -> {1 -> 3, 2} and 4. */
static void with_enough_delays_it_runs_what_dfs_runs(void **unused)
{
    struct forest forest = {.n = 0};
    int actor = forest_actor(&forest);
    int root = forest_message(&forest, FOREST_NOBODY, actor);
    int child = forest_message(&forest, root, actor);

    (void)unused;
    (void)forest_message(&forest, root, actor);
    (void)forest_message(&forest, child, actor);
    (void)forest_message(&forest, FOREST_NOBODY, actor);

    assert_int_equal(run(&forest, "dfs", false).trials, 15);
    assert_int_equal(run(&forest, "delay:100", false).trials, 15);
}

static void on_drawing(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    if (sn_choose("first", 3) == 1)
        (void)sn_choose("second", 2);
}

static const struct sn_state drawing = {.name = "Drawing", .entry = on_drawing};
static const struct sn_machine drawer = {.name = "Drawer", .start = &drawing};

static void run_three_drawers(void)
{
    for (int i = 0; i < 3; i++)
        (void)sn_create(&drawer, NULL);
}

static void assert_trials_of_drawers(const char *strategy, uint64_t n)
{
    const struct sn_test test = {.name = "draw", .run = run_three_drawers, .world = SN_WORLD_TRIAL};
    const struct sn_options options = {.strategy = strategy};
    struct sn_result result;

    assert_int_equal(sn_run(&test, &options, &result), 0);

    assert_int_equal(result.trials, n);
    assert_int_equal(result.distinct_orders, 4 * 4 * 4);
}

/* Values cost nothing: each of three draws in one of four ways, in one order, or in three that have
 * one delay at most, or in all six. */
static void all_values_are_tried_whatever_the_delays(void **unused)
{
    (void)unused;
    assert_trials_of_drawers("delay:0", 4 * 4 * 4);
    assert_trials_of_drawers("delay:1", 4 * 4 * 4 * 3);
    assert_trials_of_drawers("delay:9", 4 * 4 * 4 * 6);
}

/* ---- Faults ---------------------------------------------------------------------------------- */

enum { MESSAGES = 3 };

static const struct sn_event message_event = {.name = "Message"};

static void on_message(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    seen->count[0]++;
}

static const struct sn_state listening = {
    .name = "Listening",
    .on = (const struct sn_on[]){{.event = &message_event, .run = on_message}, {0}},
};

static const struct sn_machine listener = {.name = "Listener", .start = &listening};

static void run_listener(void)
{
    sn_id id = sn_create_on(sn_node_new("node"), &listener, NULL);

    for (int i = 0; i < MESSAGES; i++)
        sn_send(id, &message_event, NULL);
}

static void count_short_trials(void *self, const struct sn_trial_view *view)
{
    (void)self;
    (void)view;
    seen->count[1] += seen->count[0] < MESSAGES;
    seen->count[0] = 0;
}

static uint64_t short_trials(const char *strategy)
{
    const struct sn_faults stop = {.stops = 1};
    const struct sn_test test = {
        .name = "stop", .run = run_listener, .world = SN_WORLD_TRIAL, .faults = &stop};
    const struct sn_options options = {.strategy = strategy, .watch = count_short_trials};
    struct sn_result result;

    observe_clear();
    assert_int_equal(sn_run(&test, &options, &result), 0);
    assert_int_equal(result.failures, 0);
    return seen->count[1];
}

/* The node could stop from the start on, but that it does before something else costs a delay. */
static void faults_come_last_unless_something_is_delayed(void **unused)
{
    (void)unused;
    assert_int_equal(short_trials("delay:0"), 0);
    assert_true(short_trials("delay:1") > 0);
}

/* ---- With a coin ----------------------------------------------------------------------------- */

/* Two actors, two messages each: 0 and 1, 2 and 3. */
static void make_turns(struct race *race)
{
    *race = (struct race){.n_pairs = 0};
    for (int i = 0; i < 2; i++) {
        int actor = forest_actor(&race->forest);

        (void)forest_message(&race->forest, FOREST_NOBODY, actor);
        (void)forest_message(&race->forest, FOREST_NOBODY, actor);
    }
}

static void tasks_take_turns_while_the_coin_says_nothing(void **unused)
{
    struct race race;

    (void)unused;
    make_turns(&race);
    race_order(&race, 0, 2);
    race_order(&race, 2, 1);
    race_order(&race, 1, 3);

    assert_int_equal(race_hits(&race, "delay:0:coin", 100), 100);
}

/* With one delay left the coin says "delay" once in five, and then half the time. Who was skipped
 * is next. */
static void one_step_in_five_may_skip_a_task(void **unused)
{
    struct race race = {.n_pairs = 0};
    uint64_t hits;

    (void)unused;
    for (int i = 0; i < 3; i++)
        (void)forest_private_chain(&race.forest, FOREST_NOBODY, 1);
    race_order(&race, 1, 0);

    hits = race_hits(&race, "delay:1:coin", 10000);

    assert_false(chance_is_wrong(hits, 10000, 0.1));
    race_order(&race, 0, 2);
    assert_int_equal(race_hits(&race, "delay:1:coin", 10000), hits);
}

static void a_spent_budget_allows_no_more_delays(void **unused)
{
    struct race race;

    (void)unused;
    make_turns(&race);
    race_order(&race, 2, 0); /* one delay at the first step, and one at the third */
    race_order(&race, 0, 1);
    race_order(&race, 1, 3);

    assert_int_equal(race_hits(&race, "delay:1:coin", 10000), 0);
    assert_true(race_hits(&race, "delay:2:coin", 10000) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_delay_is_one_schedule),
        cmocka_unit_test(schedules_with_few_delays_are_as_many_as_known),
        cmocka_unit_test(with_enough_delays_every_schedule_is_run_and_that_is_said),
        cmocka_unit_test(going_back_by_running_again_visits_the_same),
        cmocka_unit_test(what_is_announced_later_counts_as_younger),
        cmocka_unit_test(with_enough_delays_it_runs_what_dfs_runs),
        cmocka_unit_test(all_values_are_tried_whatever_the_delays),
        cmocka_unit_test(faults_come_last_unless_something_is_delayed),
        cmocka_unit_test(tasks_take_turns_while_the_coin_says_nothing),
        cmocka_unit_test(one_step_in_five_may_skip_a_task),
        cmocka_unit_test(a_spent_budget_allows_no_more_delays),
    };

    forest_register();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
