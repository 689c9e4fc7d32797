/* raced_claims.h - what both comparisons of conflict analysis with brute force claim, whatever the
 * programs consist of: to be included once, where `totals` are counted.
 * SPDX-License-Identifier: MIT
 */
#ifndef BRUTE_RACED_CLAIMS_H
#define BRUTE_RACED_CLAIMS_H

#include "raced.h"

enum { RACED_STRATEGIES = 5 };

static struct raced_totals totals;
static uint64_t n_waited[RACED_STRATEGIES]; /* as totals.n_waited, of each strategy */

static void the_pairs_that_raced_are_those_between_which_there_is_no_path(void **state)
{
    (void)state;
    assert_true(totals.n_pairs > 0);
    assert_true(totals.n_calm > 0);
    assert_int_equal(totals.n_wrong_races, 0);
}

static void what_raced_in_any_trial_of_earlier_epochs_is_known_to_race(void **state)
{
    (void)state;
    assert_int_equal(totals.n_wrong_known, 0);
}

static void trials_are_analysed_until_an_epoch_shows_nothing_new(void **state)
{
    (void)state;
    assert_true(totals.n_skipped > 0);
    assert_int_equal(totals.n_wrong_analysed, 0);
}

static void what_was_seen_and_never_raced_runs_before_all_else(void **state)
{
    (void)state;
    assert_true(totals.n_kept > 0);
    assert_int_equal(totals.n_wrong_picks, 0);
}

static void a_run_tells_the_sums_of_its_trials(void **state)
{
    (void)state;
    assert_true(totals.n_false_negatives > 0);
    assert_true(totals.n_false_positives > 0);
    assert_int_equal(totals.n_wrong_figures, 0);
}

static void in_one_trial_in_32_what_never_raced_waits_for_others_too(void **state)
{
    (void)state;
    for (int i = 0; i < RACED_STRATEGIES; i++)
        assert_true(n_waited[i] > 0);
}

#define RACED_CLAIMS                                                                               \
    cmocka_unit_test(the_pairs_that_raced_are_those_between_which_there_is_no_path),               \
        cmocka_unit_test(what_raced_in_any_trial_of_earlier_epochs_is_known_to_race),              \
        cmocka_unit_test(trials_are_analysed_until_an_epoch_shows_nothing_new),                    \
        cmocka_unit_test(what_was_seen_and_never_raced_runs_before_all_else),                      \
        cmocka_unit_test(in_one_trial_in_32_what_never_raced_waits_for_others_too),                \
        cmocka_unit_test(a_run_tells_the_sums_of_its_trials)

#endif
