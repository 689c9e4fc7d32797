/* test_next.c - what a run says of its next trial, for programs whose partial orders are known.
 *
 * SPDX-License-Identifier: MIT
 */
#include "families.h"
#include "interpret.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct record *record;

static struct sn_result run(const struct program *program, const char *strategy, uint64_t seed,
                            uint64_t trials)
{
    struct sn_options options = {.strategy = strategy, .iterations = trials, .seed = seed};
    struct sn_test test;
    struct sn_result r;

    interpret_prepare(program, SN_WORLD_TRIAL, &test, record);
    assert_int_equal(sn_run(&test, &options, &r), 0);
    assert_int_equal(r.failures, 0);
    return r;
}

/* Of so many seeds, how many intervals contain what is left of `orders` equally likely ones. */
static int count_hits(const struct program *program, const char *strategy, uint64_t orders,
                      uint64_t trials, int seeds)
{
    int hits = 0;

    for (int seed = 1; seed <= seeds; seed++) {
        struct sn_result r = run(program, strategy, (uint64_t)seed, trials);
        double left = (double)(orders - r.distinct_orders) / (double)orders;

        assert_true(r.has_next);
        assert_true(r.orders_least >= r.distinct_orders);
        hits += r.next_low <= left && left <= r.next_high;
    }
    return hits;
}

/* Each order of five messages is as likely as any other, by a random walk and by random ranks. */
static void the_interval_contains_the_chance_of_the_next_new_order(void **state)
{
    struct program program;

    (void)state;
    family_fifo(&program, 5, 1);
    assert_in_range(count_hits(&program, "random", 120, 150, 200), 180, 200);
    assert_in_range(count_hits(&program, "random", 120, 600, 200), 180, 200);
    assert_in_range(count_hits(&program, "pos", 120, 300, 200), 180, 200);
}

static void the_estimated_number_of_orders_comes_near_the_real_one_from_below(void **state)
{
    struct program program;
    double sum = 0;

    (void)state;
    family_fifo(&program, 5, 1);
    for (uint64_t seed = 1; seed <= 100; seed++)
        sum += (double)run(&program, "random", seed, 200).orders_least;

    assert_true(sum / 100 > 100 && sum / 100 < 125);
}

/* 1680 schedules, of which 400 trials would show something new nearly each time. */
static void schedules_of_one_partial_order_are_nothing_new(void **state)
{
    struct program program;
    struct sn_result r;

    (void)state;
    family_pairs(&program, 3, 3);
    r = run(&program, "random", 1, 400);

    assert_int_equal(r.distinct_orders, 1);
    assert_true(r.has_next);
    assert_true(r.next_new == 0);
    assert_int_equal(r.orders_least, 1);
}

static void once_all_orders_have_come_the_chance_of_a_new_one_is_small(void **state)
{
    struct program program;
    struct sn_result r;

    (void)state;
    family_fifo(&program, 4, 1);
    r = run(&program, "random", 1, 5000);

    assert_int_equal(r.distinct_orders, 24);
    assert_true(r.next_new == 0);
    assert_true(r.next_high < 0.001);
}

static void a_search_that_goes_from_trial_to_trial_is_no_sample(void **state)
{
    struct program program;

    (void)state;
    family_fifo(&program, 5, 1);
    assert_false(run(&program, "dfs", 1, 110).has_next);
    assert_false(run(&program, "odpor", 1, 110).has_next);
}

/* pct counts anew whenever it has learned that trials are longer than it knew. */
static void a_strategy_that_learns_is_judged_by_what_it_has_become(void **state)
{
    struct program program;

    (void)state;
    family_fifo(&program, 4, 1);
    assert_true(run(&program, "pct:3", 1, 600).has_next);
    assert_true(run(&program, "portfolio", 1, 2000).has_next);
}

static int set_up(void **state)
{
    (void)state;
    record = shared_memory(sizeof(*record));
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_interval_contains_the_chance_of_the_next_new_order),
        cmocka_unit_test(the_estimated_number_of_orders_comes_near_the_real_one_from_below),
        cmocka_unit_test(schedules_of_one_partial_order_are_nothing_new),
        cmocka_unit_test(once_all_orders_have_come_the_chance_of_a_new_one_is_small),
        cmocka_unit_test(a_search_that_goes_from_trial_to_trial_is_no_sample),
        cmocka_unit_test(a_strategy_that_learns_is_judged_by_what_it_has_become),
    };

    return cmocka_run_group_tests(tests, set_up, NULL);
}
