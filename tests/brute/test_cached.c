/* test_cached.c - what a bounded search finds with its cache, against what it finds without.
 *
 *     test_cached [PROGRAMS [SEED]]
 *
 * The enumerator lists all schedules of a random program, and the situations in which they end.
 * SPDX-License-Identifier: MIT
 */
#include "bounded.h"
#include "mutants.h"
#include "reloaded.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

/* The rarest mistake shows in one program of about two thousand. */
enum { MUTANTS_FROM = 20000 };

static uint64_t n_programs = 100;
static uint64_t first_seed = 1;

enum { NONE, ONE, TWO, THREE, STOPPED, ENDLESS, ORDER, COST, CONTENT, CASES };

/* Filled before the first test. */
static struct bounded_case cases[CASES] = {
    [NONE] = {.name = "delay", .delays = 0},
    [ONE] = {.name = "delay", .delays = 1},
    [TWO] = {.name = "delay", .delays = 2},
    [THREE] = {.name = "delay", .delays = 3},
    [STOPPED] = {.name = "reloaded:delay", .delays = 3},
    [ENDLESS] = {.name = "delay", .delays = -1},
    [ORDER] = {.name = "mutant_order", .delays = 2},
    [COST] = {.name = "mutant_cost", .delays = 2},
    [CONTENT] = {.name = "mutant_content", .delays = 2},
};

static int search_all(void **state)
{
    (void)state;
    bounded_random_programs(cases, n_programs >= MUTANTS_FROM ? CASES : ORDER, n_programs,
                            first_seed);
    return 0;
}

static struct bounded_totals assert_same(int number)
{
    struct bounded_totals totals = cases[number].totals;

    assert_int_equal(totals.n_programs, n_programs);
    assert_int_equal(totals.n_wrong, 0);
    assert_int_equal(totals.n_missed, 0);
    assert_int_equal(totals.n_strange, 0);
    assert_true(totals.n_cached <= totals.n_plain);
    return totals;
}

static void without_delays_the_cache_changes_no_outcome(void **state)
{
    (void)state;
    (void)assert_same(NONE);
}

static void with_one_delay_the_cache_changes_no_outcome(void **state)
{
    (void)state;
    assert_true(assert_same(ONE).n_pruned > 0);
}

static void with_two_delays_the_cache_changes_no_outcome(void **state)
{
    (void)state;
    assert_true(assert_same(TWO).n_pruned > 0);
}

static void with_three_delays_the_cache_changes_no_outcome(void **state)
{
    struct bounded_totals totals = assert_same(THREE);

    (void)state;
    assert_true(totals.n_pruned > 0);
    assert_true(totals.n_cached < totals.n_plain);
}

/* What was met is forgotten whenever the search is stopped. */
static void a_search_that_is_stopped_now_and_then_finds_the_same(void **state)
{
    struct bounded_totals totals = assert_same(STOPPED);

    (void)state;
    assert_true(totals.n_pruned > 0);
    assert_true(totals.n_cached < totals.n_plain);
}

static void with_delays_without_end_every_outcome_of_the_program_is_found(void **state)
{
    struct bounded_totals totals = assert_same(ENDLESS);

    (void)state;
    assert_int_equal(totals.n_incomplete, 0);
    assert_true(2 * totals.n_cached < totals.n_plain);
}

/* ---- Caches that are wrong ------------------------------------------------------------------- */

/* Each of these programs shows it, and so do some of those drawn, if there are enough. */
static void assert_noticed(int number, const uint64_t *seeds, size_t n)
{
    struct bounded_case mutant = {.name = cases[number].name, .delays = cases[number].delays};
    struct bounded_case right = {.name = "delay", .delays = cases[number].delays};

    bounded_programs(&mutant, seeds, n);
    bounded_programs(&right, seeds, n);
    assert_int_equal(mutant.totals.n_wrong + right.totals.n_wrong, 0);
    assert_int_equal(mutant.totals.n_missed, n);
    assert_int_equal(right.totals.n_missed, 0);
    if (n_programs >= MUTANTS_FROM)
        assert_true(cases[number].totals.n_missed > 0);
}

static void a_cache_without_the_order_of_what_is_pending_is_noticed(void **state)
{
    static const uint64_t seeds[] = {
        UINT64_C(451403921109587314),
        UINT64_C(17782671102734078029),
        UINT64_C(8192363271029079969),
    };

    (void)state;
    assert_noticed(ORDER, seeds, 3);
}

static void a_cache_that_ignores_what_a_state_costs_is_noticed(void **state)
{
    static const uint64_t seeds[] = {
        UINT64_C(5173703476926599414),
    };

    (void)state;
    assert_noticed(COST, seeds, 1);
}

static void a_cache_without_what_messages_carry_is_noticed(void **state)
{
    static const uint64_t seeds[] = {
        UINT64_C(15989510510266438150),
        UINT64_C(11979573159537159069),
        UINT64_C(2907041011103410692),
    };

    (void)state;
    assert_noticed(CONTENT, seeds, 3);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_delays_the_cache_changes_no_outcome),
        cmocka_unit_test(with_one_delay_the_cache_changes_no_outcome),
        cmocka_unit_test(with_two_delays_the_cache_changes_no_outcome),
        cmocka_unit_test(with_three_delays_the_cache_changes_no_outcome),
        cmocka_unit_test(a_search_that_is_stopped_now_and_then_finds_the_same),
        cmocka_unit_test(with_delays_without_end_every_outcome_of_the_program_is_found),
        cmocka_unit_test(a_cache_without_the_order_of_what_is_pending_is_noticed),
        cmocka_unit_test(a_cache_that_ignores_what_a_state_costs_is_noticed),
        cmocka_unit_test(a_cache_without_what_messages_carry_is_noticed),
    };

    if (argc > 1)
        n_programs = strtoull(argv[1], NULL, 10);
    if (argc > 2)
        first_seed = strtoull(argv[2], NULL, 10);
    if (mutants_register() < 0 || reloaded_register() < 0)
        return 99;
    return cmocka_run_group_tests(tests, search_all, NULL);
}
