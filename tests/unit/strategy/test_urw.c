/* test_urw.c - urw makes every schedule equally likely, and surw every order of what one machine is
 * told.
 *
 * As in test_chances.c. Wrong copies of the sources show that the checks can fail.
 * SPDX-License-Identifier: MIT
 */
#include "engine/explore.h"
#include "engine/mem.h"
#include "strategy/causes.h"
#include "strategy/sums.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../observe.h"
#include "chances.h"

extern const struct strategy_entry urw_longest;  /* by the longest chain, not by all that follows */
extern const struct strategy_entry urw_even;     /* every weight is 1 */
extern const struct strategy_entry urw_tasks;    /* what is sent to oneself is a task's next step */
extern const struct strategy_entry urw_hoarding; /* the same, and tasks give nothing away */
extern const struct strategy_entry urw_eager;    /* what could run counts as if it had run */
extern const struct strategy_entry surw_loose;   /* what a step announced is not followed */

enum { LEARNED = 1 }; /* trials, after which the numbers are right if they are always the same */

static bool is_uneven(const struct forest *forest, int actor, const char *strategy, int expected)
{
    struct forest_orders orders;

    forest_count_orders(forest, actor, strategy, LEARNED, (uint64_t)expected * 200, &orders);
    return orders_are_uneven(&orders, expected);
}

/* Two messages that cause three and one, and one that causes nothing: 7! / (4 * 2) schedules, of
 * which there are as many as the test can count if one message less is sent. */
static void make_branches(struct forest *forest)
{
    int actor;

    *forest = (struct forest){.n = 0};
    actor = forest_actor(forest);
    (void)forest_message(forest, FOREST_NOBODY, actor);
    (void)forest_message(forest, 0, actor);
    (void)forest_message(forest, 0, actor);
    (void)forest_message(forest, 0, actor);
    (void)forest_message(forest, FOREST_NOBODY, actor);
    (void)forest_message(forest, 4, forest_actor(forest));
}

/* ---- All schedules --------------------------------------------------------------------------- */

static void every_schedule_of_gather_is_equally_likely(void **unused)
{
    struct forest forest;

    (void)unused;
    (void)forest_gather(&forest, 3);
    assert_false(is_uneven(&forest, FOREST_NOBODY, "urw", 90));
    assert_true(is_uneven(&forest, FOREST_NOBODY, "random", 90));
}

/* 6! / (4 * 2) */
static void every_schedule_of_messages_that_branch_is_equally_likely(void **unused)
{
    struct forest forest;

    (void)unused;
    make_branches(&forest);
    assert_false(is_uneven(&forest, FOREST_NOBODY, "urw", 90));
    assert_true(is_uneven(&forest, FOREST_NOBODY, "random", 90));
}

/* A chain of 3, one of 2 and a single message: 6! / (3! 2!). */
static void every_schedule_of_uneven_chains_is_equally_likely(void **unused)
{
    struct forest forest = {.n = 0};

    (void)unused;
    (void)forest_private_chain(&forest, FOREST_NOBODY, 3);
    (void)forest_private_chain(&forest, FOREST_NOBODY, 2);
    (void)forest_private_chain(&forest, FOREST_NOBODY, 1);
    assert_false(is_uneven(&forest, FOREST_NOBODY, "urw", 60));
    assert_true(is_uneven(&forest, FOREST_NOBODY, "random", 60));
}

static void weights_by_the_longest_chain_are_noticed(void **unused)
{
    struct forest forest;

    (void)unused;
    make_branches(&forest);
    assert_true(is_uneven(&forest, FOREST_NOBODY, "urw_longest", 90));
}

static void outcomes_are_as_likely_as_there_are_schedules_with_them(void **unused)
{
    struct race race;

    (void)unused;
    race_chain(&race, 3, 0);
    assert_chance(&race, "urw", 1.0 / 5);
    race_chain(&race, 3, 8); /* messages that touch nothing change nothing */
    assert_chance(&race, "urw", 1.0 / 5);
    race_between(&race, 1, 2);
    assert_chance(&race, "urw", 3.0 / 6);
    race_alternation(&race, 3);
    assert_chance(&race, "urw", 1.0 / 20);
    race_lost_update(&race);
    assert_chance(&race, "urw", 2.0 / 3);
    race_ends(&race, 3, 2);
    assert_chance(&race, "urw", 3.0 / 7);
    race_crowd(&race, 2);
    assert_chance(&race, "urw", 1.0 / 10);
}

static void weights_that_are_all_the_same_are_noticed(void **unused)
{
    struct race race;

    (void)unused;
    race_chain(&race, 3, 0);
    assert_true(is_wrong(&race, "urw_even", 1.0 / 5));
    assert_chance(&race, "urw_even", 1.0 / 16);
}

/* ---- Tasks ----------------------------------------------------------------------------------- */

/* A task of 3 steps, of which the first creates a task of 2; a task of 2: 7! / (5 * 2 * 2 * 2). */
static void make_tasks(struct forest *forest)
{
    int first;
    int second;

    *forest = (struct forest){.n = 0};
    first = forest_actor(forest);
    second = forest_actor(forest);
    (void)forest_message(forest, FOREST_NOBODY, first);
    (void)forest_message(forest, 0, first);
    (void)forest_message(forest, 1, first);
    (void)forest_message(forest, 0, second);
    (void)forest_message(forest, 3, second);
    (void)forest_message(forest, FOREST_NOBODY, forest_actor(forest));
    (void)forest_message(forest, 5, 2);
}

/* Their steps are not looked up: a task has what it had, less one, less what it gave away. */
static void every_schedule_of_tasks_that_create_others_is_equally_likely(void **unused)
{
    struct forest forest;

    (void)unused;
    make_tasks(&forest);
    assert_false(is_uneven(&forest, FOREST_NOBODY, "urw_tasks", 126));
    assert_false(is_uneven(&forest, FOREST_NOBODY, "urw", 126));
    assert_true(is_uneven(&forest, FOREST_NOBODY, "random", 126));
}

static void tasks_that_keep_the_weight_of_others_are_noticed(void **unused)
{
    struct forest forest;

    (void)unused;
    make_tasks(&forest);
    assert_true(is_uneven(&forest, FOREST_NOBODY, "urw_hoarding", 126));
}

/* ---- What never runs ------------------------------------------------------------------------- */

enum { TIMERS = 8, STEPS = 6 };

/* Places in seen->count. */
enum { HAS_STEPPED, BEGUN_FIRST };

static const struct sn_event begin_event = {.name = "Begin"};
static const struct sn_event cancel_event = {.name = "Cancel"};
static const struct sn_event tick_event = {.name = "Tick"};
static const struct sn_event step_event = {.name = "Step", .size = sizeof(int)};

struct holder {
    sn_timer timers[TIMERS];
};

static void on_begin(void *self, const void *payload)
{
    struct holder *h = self;

    (void)payload;
    seen->count[BEGUN_FIRST] += !seen->count[HAS_STEPPED];
    for (int i = 0; i < TIMERS; i++)
        h->timers[i] = sn_timer_start_any(&tick_event, NULL);
    sn_send(sn_self(), &cancel_event, NULL);
}

static void on_cancel(void *self, const void *payload)
{
    struct holder *h = self;

    (void)payload;
    for (int i = 0; i < TIMERS; i++)
        (void)sn_timer_cancel(h->timers[i]);
}

static void on_tick(void *self, const void *payload)
{
    (void)self;
    (void)payload;
}

static void on_step(void *self, const void *payload)
{
    int left = *(const int *)payload - 1;

    (void)self;
    seen->count[HAS_STEPPED] = true;
    if (left > 0)
        sn_send(sn_self(), &step_event, &left);
}

static const struct sn_state holding = {
    .name = "Holding",
    .on = (const struct sn_on[]){{.event = &begin_event, .run = on_begin},
                                 {.event = &cancel_event, .run = on_cancel},
                                 {.event = &tick_event, .run = on_tick},
                                 {0}},
};

static const struct sn_state stepping = {
    .name = "Stepping",
    .on = (const struct sn_on[]){{.event = &step_event, .run = on_step}, {0}},
};

static const struct sn_machine holder = {
    .name = "Holder", .size = sizeof(struct holder), .start = &holding};
static const struct sn_machine stepper = {.name = "Stepper", .start = &stepping};

static void run_timers(void)
{
    int steps = STEPS;

    sn_send(sn_create(&holder, NULL), &begin_event, NULL);
    sn_send(sn_create(&stepper, NULL), &step_event, &steps);
}

static void forget_steps(void *self, const struct sn_trial_view *view)
{
    (void)self;
    (void)view;
    seen->count[HAS_STEPPED] = false;
}

/* In how many of 10000 trials the timers are started before the other machine has taken a step. */
static uint64_t begun_first(const char *strategy)
{
    const struct sn_test test = {
        .name = "timers", .run = run_timers, .world = SN_WORLD_TRIAL, .links = SN_UNORDERED};
    struct sn_options options = {.iterations = CHANCE_TRIALS_MIN, .seed = 1, .watch = forget_steps};
    struct sn_result result;
    char composed[64];

    (void)snprintf(composed, sizeof(composed), "boot@2,%s", strategy);
    options.strategy = composed;
    observe_clear();
    assert_int_equal(sn_run(&test, &options, &result), 0);
    assert_int_equal(result.trials, CHANCE_TRIALS_MIN);
    return seen->count[BEGUN_FIRST];
}

/* Each of 8 timers and what cancels them are equally likely to be next, so that 4 timers fire in
 * the mean: to start them leads to 6 steps, as many as the other machine takes. */
static void timers_that_were_cancelled_lead_to_nothing(void **unused)
{
    (void)unused;
    assert_false(chance_is_wrong(begun_first("urw"), CHANCE_TRIALS_MIN, 6.0 / 12));
}

static void timers_that_count_although_they_never_fire_are_noticed(void **unused)
{
    (void)unused;
    assert_true(chance_is_wrong(begun_first("urw_eager"), CHANCE_TRIALS_MIN, 6.0 / 12));
    assert_false(chance_is_wrong(begun_first("urw_eager"), CHANCE_TRIALS_MIN, 10.0 / 16));
}

/* ---- What one machine is told ---------------------------------------------------------------- */

/* The collector gets A1 and then A2 from a chain with others between, B at the end of a chain, and
 * C; somebody else gets a lot: 4! / 2 orders. */
static int make_collector(struct forest *forest)
{
    int collector;
    int first;

    *forest = (struct forest){.n = 0};
    collector = forest_actor(forest);
    first = forest_message(forest, FOREST_NOBODY, collector);
    (void)forest_message(forest, forest_private_chain(forest, first, 2), collector);
    (void)forest_message(forest, forest_private_chain(forest, FOREST_NOBODY, 3), collector);
    (void)forest_message(forest, FOREST_NOBODY, collector);
    (void)forest_private_chain(forest, FOREST_NOBODY, 4);
    return collector;
}

static void every_order_of_what_a_machine_is_told_is_equally_likely(void **unused)
{
    struct forest forest;
    int collector = make_collector(&forest);

    (void)unused;
    assert_false(is_uneven(&forest, collector, "surw", 12));
    assert_true(is_uneven(&forest, collector, "urw", 12));
    assert_true(is_uneven(&forest, collector, "random", 12));
}

static void walks_that_do_not_follow_what_was_announced_are_noticed(void **unused)
{
    struct forest forest;
    int collector = make_collector(&forest);

    (void)unused;
    assert_true(is_uneven(&forest, collector, "surw_loose", 12));
}

static void what_leads_to_nothing_does_not_change_the_chances(void **unused)
{
    struct race race;

    (void)unused;
    race_chain(&race, 3, 0);
    assert_chance(&race, "surw", 1.0 / 2);
    race_chain(&race, 3, 8);
    assert_chance(&race, "surw", 1.0 / 2);
    race_ends(&race, 3, 2);
    assert_chance(&race, "surw", 1.0 / 2);
    race_crowd(&race, 2);
    assert_chance(&race, "surw", 1.0 / 3);
    race_between(&race, 1, 2);
    assert_chance(&race, "surw", 1.0 / 3);
    race_alternation(&race, 3);
    assert_chance(&race, "surw", 1.0 / 20);
}

/* Two machines, at each of which a message is in a hurry and another one comes a long way. */
static void machines_take_turns(void **unused)
{
    struct race races[2];
    struct forest forest = {.n = 0};
    uint64_t hits[2];
    int last[2];
    int single[2];

    (void)unused;
    for (int i = 0; i < 2; i++) {
        int actor = forest_actor(&forest);

        last[i] = forest_message(&forest, forest_private_chain(&forest, FOREST_NOBODY, 6), actor);
        single[i] = forest_message(&forest, FOREST_NOBODY, actor);
    }
    for (int i = 0; i < 2; i++) {
        races[i] = (struct race){.forest = forest};
        race_order(&races[i], last[i], single[i]);
    }
    /* Half of the trials in which it is this one's turn, which are half of all. */
    race_hits_each(races, 2, "surw", 10000, hits);
    assert_in_range(hits[0], 2000, 3000);
    assert_in_range(hits[1], 2000, 3000);
    race_hits_each(races, 2, "random", 10000, hits);
    assert_true(hits[0] < 500 && hits[1] < 500);
}

/* ---- Sums ------------------------------------------------------------------------------------ */

static void means_are_rounded_to_the_nearest(void **unused)
{
    (void)unused;
    assert_int_equal(sum_mean(&(struct sum){.sum = 5, .count = 2}), 3);
    assert_int_equal(sum_mean(&(struct sum){.sum = 7, .count = 3}), 2);
    assert_int_equal(sum_mean(&(struct sum){.sum = 0, .count = 3}), 0);
    assert_int_equal(sum_mean(&(struct sum){.sum = 1, .count = 0}), 0);
}

static void sums_that_were_saved_are_the_same(void **unused)
{
    struct sums *s = mem_reserve_shared(2 * sizeof(*s), &(struct err){.text = ""});
    unsigned char bytes[100 * SUMS_BYTES];

    (void)unused;
    for (uint64_t i = 0; i < 1000; i++)
        assert_non_null(sums_add(s, i % 100 * i % 97, i, 1));
    assert_true(s->n <= 100);
    sums_put(s, bytes);
    assert_true(sums_can_get(s + 1, bytes, s->n));
    sums_get(s + 1, bytes, s->n);
    assert_int_equal(s[1].n, s->n);
    assert_memory_equal(s[1].all, s->all, s->n * sizeof(s->all[0]));
    memcpy(bytes + SUMS_BYTES, bytes, 8); /* a key twice */
    assert_false(sums_can_get(s + 1, bytes, s->n));
    mem_release(s, 2 * sizeof(*s));
}

static void a_full_table_keeps_what_it_has(void **unused)
{
    struct sums *s = mem_reserve_shared(sizeof(*s), &(struct err){.text = ""});

    (void)unused;
    for (uint64_t i = 0; i < SUMS_MAX; i++)
        assert_non_null(sums_add(s, i, i, 1));
    assert_null(sums_add(s, SUMS_MAX, 1, 1));
    assert_non_null(sums_add(s, 7, 1, 1));
    assert_int_equal(sums_find(s, 7)->sum, 8);
    assert_null(sums_find(s, SUMS_MAX));
    mem_release(s, sizeof(*s));
}

/* Cleared so often that marks of old times come again. */
static void a_table_that_was_cleared_is_empty(void **unused)
{
    struct sums *s = mem_reserve_shared(sizeof(*s), &(struct err){.text = ""});

    (void)unused;
    for (uint64_t round = 0; round < 70000; round++) {
        assert_null(sums_find(s, 7));
        assert_null(sums_find(s, round));
        assert_non_null(sums_add(s, round, 3, 1));
        assert_int_equal(sums_find(s, round)->sum, 3);
        sums_clear(s);
        assert_null(sums_find(s, round));
    }
    mem_release(s, sizeof(*s));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_schedule_of_gather_is_equally_likely),
        cmocka_unit_test(every_schedule_of_messages_that_branch_is_equally_likely),
        cmocka_unit_test(every_schedule_of_uneven_chains_is_equally_likely),
        cmocka_unit_test(weights_by_the_longest_chain_are_noticed),
        cmocka_unit_test(outcomes_are_as_likely_as_there_are_schedules_with_them),
        cmocka_unit_test(weights_that_are_all_the_same_are_noticed),
        cmocka_unit_test(every_schedule_of_tasks_that_create_others_is_equally_likely),
        cmocka_unit_test(tasks_that_keep_the_weight_of_others_are_noticed),
        cmocka_unit_test(timers_that_were_cancelled_lead_to_nothing),
        cmocka_unit_test(timers_that_count_although_they_never_fire_are_noticed),
        cmocka_unit_test(every_order_of_what_a_machine_is_told_is_equally_likely),
        cmocka_unit_test(walks_that_do_not_follow_what_was_announced_are_noticed),
        cmocka_unit_test(what_leads_to_nothing_does_not_change_the_chances),
        cmocka_unit_test(machines_take_turns),
        cmocka_unit_test(means_are_rounded_to_the_nearest),
        cmocka_unit_test(sums_that_were_saved_are_the_same),
        cmocka_unit_test(a_full_table_keeps_what_it_has),
        cmocka_unit_test(a_table_that_was_cleared_is_empty),
    };

    forest_register();
    if (sn_strategy_register(urw_longest.strategy) < 0 ||
        sn_strategy_register(urw_even.strategy) < 0 ||
        sn_strategy_register(urw_tasks.strategy) < 0 ||
        sn_strategy_register(urw_hoarding.strategy) < 0 ||
        sn_strategy_register(urw_eager.strategy) < 0 ||
        sn_strategy_register(surw_loose.strategy) < 0)
        return 99;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
