/* test_ql.c - what Q-learning learns, and how it chooses. SPDX-License-Identifier: MIT */
#include "base/rng.h"
#include "engine/explore.h"
#include "engine/mem.h"
#include "strategy/qtable.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "chances.h"

extern const struct strategy_entry ql_sure; /* worths count in full when operations are chosen */

static struct qtable *table;
static struct qtable *other;

static const int64_t one = INT64_C(1) << QTABLE_ONE_BITS;

enum { SLACK = 4 }; /* what rounding may do, in units of 2^-QTABLE_ONE_BITS */

static void assert_near(int64_t value, double expected)
{
    assert_true(fabs((double)value - expected * (double)one) <= SLACK);
}

static void clear(void)
{
    mem_clear(table, sizeof(*table));
}

/* ---- The table ------------------------------------------------------------------------------- */

/* Two states, 1 and 2, in each of which 7 leads to 2 and 8 ends the trial in 3. */
static void three_updates_of_a_toy_are_as_computed_by_hand(void **unused)
{
    const struct qstep go = {.from = 1, .action = 7, .to = 2, .n_possible = 2, .penalty = 1};
    const struct qstep stay = {.from = 2, .action = 7, .to = 2, .n_possible = 2, .penalty = 1};
    const struct qstep end = {.from = 2, .action = 8, .to = 3, .n_possible = 0, .penalty = 1};

    (void)unused;
    clear();
    qtable_next(table, 1);
    qtable_learn(table, &go); /* 2 is reached once: 0.3 (-1 + 0) */
    assert_near(qtable_value(table, 1, 7), -0.3);
    qtable_learn(table, &end); /* 0.3 (-1) */
    assert_near(qtable_value(table, 2, 8), -0.3);
    qtable_learn(table, &stay); /* 2 a second time, where 7 was never taken: 0.3 (-2 + 0) */
    assert_near(qtable_value(table, 2, 7), -0.6);
    qtable_learn(table, &stay); /* a third time, and 8 is the best: */
    assert_near(qtable_value(table, 2, 7), 0.7 * -0.6 + 0.3 * (-3 + 0.7 * -0.3));
    assert_near(qtable_value(table, 2, 9), 0); /* never taken */
    assert_near(qtable_value(table, 4, 7), 0); /* never reached */
}

/* As long as an action is left that was never taken, what comes next is worth 0. */
static void an_action_that_was_never_taken_is_the_best(void **unused)
{
    const struct qstep end = {.from = 2, .action = 8, .to = 3, .n_possible = 0, .penalty = 1};
    struct qstep go = {.from = 1, .action = 7, .to = 2, .n_possible = 2, .penalty = 1};

    (void)unused;
    clear();
    qtable_next(table, 1);
    qtable_learn(table, &end);
    qtable_learn(table, &go);
    assert_near(qtable_value(table, 1, 7), -0.3);
    go.n_possible = 1;
    qtable_learn(table, &go); /* the second visit of 2 */
    assert_near(qtable_value(table, 1, 7), 0.7 * -0.3 + 0.3 * (-2 + 0.7 * -0.3));
}

static void a_penalty_multiplies_what_is_paid(void **unused)
{
    const struct qstep go = {.from = 1, .action = 7, .to = 2, .n_possible = 0, .penalty = 1000};

    (void)unused;
    clear();
    qtable_next(table, 1);
    qtable_learn(table, &go);
    assert_near(qtable_value(table, 1, 7), -300);
}

static void the_exponential_is_right_to_one_in_ten_thousand(void **unused)
{
    (void)unused;
    for (uint64_t x = 0; x < 10 << QTABLE_ONE_BITS; x += 997) {
        double right = exp(-(double)x / (double)one);

        assert_true(fabs((double)qtable_exp(x) / 4294967296.0 - right) < 1e-4 * right + 1e-9);
    }
    assert_int_equal(qtable_exp(0), UINT64_C(1) << 32);
    assert_int_equal(qtable_exp(UINT64_MAX), 0);
}

static void learn_states(uint64_t from, uint64_t to)
{
    for (uint64_t i = from; i < to; i++) {
        qtable_next(table, 1);
        qtable_learn(table, &(struct qstep){.from = 1000 + i, .action = i, .to = 1, .penalty = 1});
    }
}

static void of_too_many_states_the_newest_are_kept(void **unused)
{
    (void)unused;
    clear();
    learn_states(0, 3 * QTABLE_STATES_MAX);
    assert_true(table->n_states <= QTABLE_STATES_MAX);
    assert_true(table->n_states > QTABLE_STATES_KEPT);
    assert_true(qtable_value(table, 1000 + 3 * QTABLE_STATES_MAX - 1, 3 * QTABLE_STATES_MAX - 1) <
                0);
    assert_true(qtable_value(table, 1000 + 2 * QTABLE_STATES_MAX + QTABLE_STATES_KEPT + 1,
                             2 * QTABLE_STATES_MAX + QTABLE_STATES_KEPT + 1) < 0);
    assert_int_equal(qtable_value(table, 1000, 0), 0);
}

static void a_table_that_was_saved_is_the_same(void **unused)
{
    static unsigned char bytes[1 << 22];
    size_t n;

    (void)unused;
    clear();
    learn_states(0, 100);
    for (uint64_t i = 0; i < 10; i++)
        qtable_learn(table, &(struct qstep){.from = 1005, .action = i, .to = 2, .penalty = 1});
    n = qtable_save(table, bytes, sizeof(bytes));
    assert_true(qtable_is_saved(bytes, n));
    qtable_load(other, bytes, n);
    assert_int_equal(other->n_states, table->n_states);
    for (uint64_t i = 0; i < 100; i++)
        assert_int_equal(qtable_value(other, 1000 + i, i), qtable_value(table, 1000 + i, i));
    assert_false(qtable_is_saved(bytes, n - 1));
    bytes[8]++; /* how many states there are */
    assert_false(qtable_is_saved(bytes, n));
}

/* ---- The strategy ---------------------------------------------------------------------------- */

/* Of how many of 2400 trials the orders of four messages to four machines differ from an even
 * share. */
static double unevenness(const char *strategy)
{
    struct forest forest = {.n = 0};
    struct forest_orders orders;
    double sum = 0;

    for (int i = 0; i < 4; i++)
        (void)forest_private_chain(&forest, FOREST_NOBODY, 1);
    forest_count_orders(&forest, FOREST_NOBODY, strategy, 256, 2400, &orders);
    assert_int_equal(orders.n, 24);
    for (int i = 0; i < 24; i++)
        sum += fabs((double)orders.counts[i] - 100);
    return sum;
}

static void states_that_were_reached_often_are_avoided(void **unused)
{
    (void)unused;
    assert_true(unevenness("ql") < unevenness("random") / 2);
}

/* All trials of an epoch are the same then. */
static void choices_that_are_too_sure_are_noticed(void **unused)
{
    (void)unused;
    assert_true(unevenness("ql_sure") > 5 * unevenness("random"));
}

/* The random walk needs 512 trials for one. */
static void a_long_chain_wins_far_more_often_than_by_chance(void **unused)
{
    struct race race;

    (void)unused;
    race_chain(&race, 8, 0);
    assert_true(race_hits(&race, "ql", 5000) > 10 * race_hits(&race, "random", 5000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_updates_of_a_toy_are_as_computed_by_hand),
        cmocka_unit_test(an_action_that_was_never_taken_is_the_best),
        cmocka_unit_test(a_penalty_multiplies_what_is_paid),
        cmocka_unit_test(the_exponential_is_right_to_one_in_ten_thousand),
        cmocka_unit_test(of_too_many_states_the_newest_are_kept),
        cmocka_unit_test(a_table_that_was_saved_is_the_same),
        cmocka_unit_test(states_that_were_reached_often_are_avoided),
        cmocka_unit_test(choices_that_are_too_sure_are_noticed),
        cmocka_unit_test(a_long_chain_wins_far_more_often_than_by_chance),
    };
    struct err why;

    table = mem_reserve_shared(sizeof(*table), &why);
    other = mem_reserve_shared(sizeof(*other), &why);
    forest_register();
    if (table == NULL || other == NULL || sn_strategy_register(ql_sure.strategy) < 0)
        return 99;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
