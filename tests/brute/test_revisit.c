/* test_revisit.c - the receive-revisit search against brute force.
 *
 *     test_revisit [PROGRAMS [SEED]]
 *
 * SPDX-License-Identifier: MIT
 */
#include "covered.h"
#include "generate.h"
#include "pieces.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint64_t n_programs = 1000;
static uint64_t first_seed = 1;
static struct campaign *campaign;

static void search_programs(const char *strategy, void (*make)(uint64_t, struct program *),
                            struct covered_totals *totals)
{
    uint64_t random = first_seed;
    struct program program;

    memset(totals, 0, sizeof(*totals));
    while (totals->n_programs < n_programs) {
        covered_next(campaign, &random, &program, make);
        covered_search(campaign, &program, strategy, totals);
    }
    print_message("%s: %llu programs, %llu schedules, %llu traces, %llu trials, %llu refused\n",
                  strategy, (unsigned long long)totals->n_programs,
                  (unsigned long long)totals->n_schedules, (unsigned long long)totals->n_traces,
                  (unsigned long long)totals->n_trials, (unsigned long long)totals->n_refused);
}

static void assert_exact(const struct covered_totals *totals)
{
    assert_int_equal(totals->n_wrong, 0);
    assert_int_equal(totals->n_missed, 0);
    assert_int_equal(totals->n_repeated, 0);
    assert_int_equal(totals->n_trials, totals->n_traces);
    assert_int_equal(totals->n_refused, 0);
}

static void every_partial_order_is_met_exactly_once(void **state)
{
    struct covered_totals totals;

    (void)state;
    search_programs("odpor:revisit", covered_generate, &totals);
    assert_exact(&totals);
}

static void assert_exact_in_pieces(uint32_t split_one_in, uint32_t save_one_in)
{
    struct covered_totals totals;

    pieces_want(split_one_in, save_one_in);
    search_programs("pieces", covered_generate, &totals);
    print_message("%llu splits, %llu saves\n", (unsigned long long)pieces_done()->n_splits,
                  (unsigned long long)pieces_done()->n_saves);
    assert_exact(&totals);
    assert_int_equal(pieces_done()->n_unfinished, 0);
}

static void nothing_is_lost_or_repeated_when_it_is_split(void **state)
{
    (void)state;
    assert_exact_in_pieces(4, 0);
    assert_true(pieces_done()->n_splits > n_programs / 4);
}

static void nothing_is_lost_or_repeated_when_it_is_saved(void **state)
{
    (void)state;
    assert_exact_in_pieces(0, 3);
    assert_true(pieces_done()->n_saves > n_programs / 4);
}

static void pieces_can_be_run_in_any_order(void **state)
{
    (void)state;
    assert_exact_in_pieces(2, 2);
}

static void what_it_does_not_cover_is_left_to_wakeup_trees_and_not_repeated(void **state)
{
    struct covered_totals trees;
    struct covered_totals totals;

    (void)state;
    search_programs("odpor:trees", generate, &trees);
    search_programs("odpor", generate, &totals);
    assert_int_equal(totals.n_wrong, 0);
    assert_int_equal(totals.n_missed, 0);
    assert_int_equal(totals.n_repeated, trees.n_repeated);
    assert_int_equal(totals.n_trials, trees.n_trials);
}

static void what_it_does_not_refuse_it_meets_exactly_once(void **state)
{
    struct covered_totals totals;

    (void)state;
    search_programs("odpor:revisit", generate, &totals);
    assert_true(totals.n_refused > 0);
    totals.n_refused = 0;
    assert_exact(&totals);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_partial_order_is_met_exactly_once),
        cmocka_unit_test(nothing_is_lost_or_repeated_when_it_is_split),
        cmocka_unit_test(nothing_is_lost_or_repeated_when_it_is_saved),
        cmocka_unit_test(pieces_can_be_run_in_any_order),
        cmocka_unit_test(what_it_does_not_cover_is_left_to_wakeup_trees_and_not_repeated),
        cmocka_unit_test(what_it_does_not_refuse_it_meets_exactly_once),
    };

    if (argc > 1)
        n_programs = strtoull(argv[1], NULL, 10);
    if (argc > 2)
        first_seed = strtoull(argv[2], NULL, 10);
    campaign = campaign_new();
    pieces_register();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
