/* test_fest.c - how fest varies trials. What is kept, and that it does not depend on workers, is
 * tested in test_shared.c. SPDX-License-Identifier: MIT
 */
#include "engine/explore.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../observe.h"
#include "chances.h"

extern const struct strategy_entry fest_same;  /* what was kept is repeated, and nothing is fresh */
extern const struct strategy_entry fest_one;   /* the same, with one number changed */
extern const struct strategy_entry fest_turns; /* all is fresh, and after 64 trials repeated */
extern const struct strategy_entry fest_fresh; /* nothing that was kept is varied */

enum { MESSAGES = 6, TRIALS = 2000 };

/* All look alike, so that the first trial is the only one that is kept. */
static void count_orders(const char *strategy, struct forest_orders *orders)
{
    struct race race;

    race_inbox(&race, MESSAGES);
    forest_count_orders(&race.forest, FOREST_NOBODY, strategy, 0, TRIALS, orders);
}

/* An order without one of its messages. */
static uint64_t without(uint64_t code, uint64_t message)
{
    uint64_t rest = 0;

    for (int i = MESSAGES - 1; i >= 0; i--) {
        if ((code >> (4 * i) & 15) != message)
            rest = rest << 4 | (code >> (4 * i) & 15);
    }
    return rest;
}

static bool is_one_move(uint64_t a, uint64_t b)
{
    for (uint64_t message = 0; message < MESSAGES; message++) {
        if (without(a, message) == without(b, message))
            return true;
    }
    return false;
}

static bool are_all_one_move(const struct forest_orders *orders)
{
    for (int i = 1; i < orders->n; i++) {
        if (!is_one_move(orders->codes[0], orders->codes[i]))
            return false;
    }
    return true;
}

static void numbers_that_are_not_changed_repeat_the_trial(void **unused)
{
    struct forest_orders orders;

    (void)unused;
    count_orders("fest_same", &orders);
    assert_int_equal(orders.n, 1);
    assert_int_equal(orders.counts[0], TRIALS);
}

/* So all that was decided before it could run, and the order of the others, stays as it was. Of 6
 * messages one can be moved in 5 * 5 ways. */
static void a_number_that_is_changed_moves_one_operation(void **unused)
{
    struct forest_orders orders;

    (void)unused;
    count_orders("fest_one", &orders);
    assert_true(are_all_one_move(&orders));
    assert_int_equal(orders.n, 1 + (MESSAGES - 1) * (MESSAGES - 1));
}

static void trials_that_are_not_varied_are_noticed(void **unused)
{
    struct forest_orders orders;

    (void)unused;
    count_orders("pos", &orders);
    assert_false(are_all_one_move(&orders));
}

/* Three in ten are fresh. */
static void every_order_stays_possible(void **unused)
{
    struct race race;

    (void)unused;
    race_inbox(&race, 4);
    assert_true(race_hits(&race, "fest", 4800) > 0);
    assert_false(chance_is_below(race_hits(&race, "fest", 4800), 4800, 0.3 / 24));
}

/* ---- What is kept ---------------------------------------------------------------------------- */

/* Two messages of different senders to one actor, whose orders are all that trials can show. */
static int make_pair(struct forest *forest)
{
    int actor;

    *forest = (struct forest){.n = 0};
    actor = forest_actor(forest);
    for (int i = 0; i < 2; i++)
        (void)forest_message(forest, forest_private_chain(forest, FOREST_NOBODY, 1), actor);
    return actor;
}

static void count_turns(uint64_t skipped, uint64_t n, struct forest_orders *orders)
{
    struct forest forest;
    int actor = make_pair(&forest);

    forest_count_orders(&forest, actor, "fest_turns", skipped, n, orders);
}

/* And nothing else is, so that these two are all that is kept of 64 trials. */
static void both_orders_of_a_pair_are_new(void **unused)
{
    struct forest_orders orders;

    (void)unused;
    count_turns(64, 192, &orders);
    assert_int_equal(orders.n, 2);
    assert_int_equal(orders.counts[0], 96);
    assert_int_equal(orders.counts[1], 96);
}

static void kept_trials_are_varied_sixteen_times_each_in_turn(void **unused)
{
    struct forest_orders first;
    struct forest_orders second;
    struct forest_orders third;

    (void)unused;
    count_turns(64, 16, &first);
    count_turns(80, 16, &second);
    count_turns(96, 16, &third);
    assert_int_equal(first.n, 1);
    assert_int_equal(second.n, 1);
    assert_int_equal(third.n, 1);
    assert_true(first.codes[0] != second.codes[0]);
    assert_int_equal(first.codes[0], third.codes[0]);
}

/* ---- Draws ----------------------------------------------------------------------------------- */

enum { DRAWS = 8, NUMBERS = DRAWS + 3 }; /* a start and two deliveries have numbers, too */

/* Places in seen->count: the values of the first trial, and: */
enum { TRIALS_ENDED = DRAWS, CHANGED, CHANGED_NONE, CHANGED_ONE };

static const struct sn_event hint_event = {.name = "Hint"};

static void on_hint(void *self, const void *payload)
{
    (void)self;
    (void)payload;
}

static const struct sn_state listening = {
    .name = "Listening",
    .on = (const struct sn_on[]){{.event = &hint_event, .run = on_hint}, {0}},
};

static const struct sn_machine listener = {.name = "Listener", .start = &listening};

/* Two hints follow each other, which the first trial alone is the first to show. */
static void draw_values(void)
{
    sn_id id = sn_create(&listener, NULL);

    for (int i = 0; i < DRAWS; i++) {
        uint64_t value = sn_choose("value", UINT64_C(1) << 32);

        if (seen->count[TRIALS_ENDED] == 0)
            seen->count[i] = value;
        seen->count[CHANGED] += value != seen->count[i];
    }
    sn_send(id, &hint_event, NULL);
    sn_send(id, &hint_event, NULL);
}

static void count_changed(void *self, const struct sn_trial_view *view)
{
    (void)self;
    (void)view;
    seen->count[TRIALS_ENDED]++;
    seen->count[CHANGED_NONE] += seen->count[CHANGED] == 0;
    seen->count[CHANGED_ONE] += seen->count[CHANGED] == 1;
    seen->count[CHANGED] = 0;
}

static void a_number_that_is_changed_may_be_a_drawn_value(void **unused)
{
    const struct sn_test test = {.name = "draws", .run = draw_values, .world = SN_WORLD_TRIAL};
    struct sn_options options = {
        .strategy = "fest_one", .iterations = TRIALS, .seed = 1, .watch = count_changed};
    struct sn_result result;

    (void)unused;
    observe_clear();
    assert_int_equal(sn_run(&test, &options, &result), 0);
    assert_int_equal(seen->count[CHANGED_NONE] + seen->count[CHANGED_ONE], TRIALS);
    assert_false(chance_is_wrong(seen->count[CHANGED_ONE], TRIALS, (double)DRAWS / NUMBERS));
}

/* ---- What feedback is for -------------------------------------------------------------------- */

/* Twice: a message falls between two of a chain that come long after each other. A trial in which
 * one of them does so is kept, since that pair of steps is new, and the other one is tried with
 * it. */
static void make_two_betweens(struct race *race, int k)
{
    struct forest *forest = &race->forest;

    *race = (struct race){.n_pairs = 0};
    for (int i = 0; i < 2; i++) {
        int actor = forest_actor(forest);
        int chain = forest_private_chain(forest, FOREST_NOBODY, k);
        int first = forest_message(forest, chain, actor);
        int last = forest_message(forest, forest_private_chain(forest, first, k), actor);
        int single = forest_message(forest, FOREST_NOBODY, actor);

        race_order(race, first, single);
        race_order(race, single, last);
    }
}

/* In 20000 trials of each of several lengths, so that no single trial that is kept decides. */
static uint64_t hits_of_two_betweens(const char *strategy)
{
    uint64_t hits = 0;

    for (int k = 1; k <= 5; k++) {
        struct race race;

        make_two_betweens(&race, k);
        hits += race_hits(&race, strategy, 20000);
    }
    return hits;
}

static void two_rare_things_meet_far_more_often_than_without_feedback(void **unused)
{
    uint64_t hits = hits_of_two_betweens("fest");

    (void)unused;
    assert_true(hits > 2 * hits_of_two_betweens("pos"));
    assert_true(hits > 2 * hits_of_two_betweens("random"));
}

static void feedback_that_is_not_used_is_noticed(void **unused)
{
    (void)unused;
    assert_false(2 * hits_of_two_betweens("fest_fresh") > 3 * hits_of_two_betweens("pos"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_that_are_not_changed_repeat_the_trial),
        cmocka_unit_test(a_number_that_is_changed_moves_one_operation),
        cmocka_unit_test(trials_that_are_not_varied_are_noticed),
        cmocka_unit_test(every_order_stays_possible),
        cmocka_unit_test(both_orders_of_a_pair_are_new),
        cmocka_unit_test(kept_trials_are_varied_sixteen_times_each_in_turn),
        cmocka_unit_test(a_number_that_is_changed_may_be_a_drawn_value),
        cmocka_unit_test(two_rare_things_meet_far_more_often_than_without_feedback),
        cmocka_unit_test(feedback_that_is_not_used_is_noticed),
    };

    forest_register();
    if (sn_strategy_register(fest_same.strategy) < 0 ||
        sn_strategy_register(fest_one.strategy) < 0 ||
        sn_strategy_register(fest_turns.strategy) < 0 ||
        sn_strategy_register(fest_fresh.strategy) < 0)
        return 99;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
