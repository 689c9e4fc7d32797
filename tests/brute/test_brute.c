/* test_brute.c - what dfs visits, and the order hash, against brute force on random programs, some
 * of them with other links than ordered ones, with nodes and with faults.
 *
 *     test_brute [PROGRAMS [SEED]]
 *
 * One campaign is run; each test asks it about one claim. BRUTE_PROGRAMS in the environment
 * overrides the number of programs. SPDX-License-Identifier: MIT
 */
#include "campaign.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static struct campaign *campaign;

static uint64_t n_wrong(enum way way, enum wrong wrong)
{
    return campaign->wrong[way][wrong];
}

/* How often a way went wrong in the sense of the claim about schedules. */
static uint64_t n_wrong_schedules(enum way way)
{
    return n_wrong(way, WRONG_RUN) + n_wrong(way, WRONG_SCHEDULE) + n_wrong(way, WRONG_REPEATED) +
           n_wrong(way, WRONG_MISSED) + n_wrong(way, WRONG_DIED);
}

static void strategies_are_offered_exactly_the_operations_that_can_run(void **state)
{
    (void)state;
    assert_true(campaign->n_runs[WAY_WALK] == campaign->n_programs && campaign->n_programs > 0);
    assert_int_equal(n_wrong(WAY_WALK, WRONG_PENDING), 0);
    assert_int_equal(n_wrong_schedules(WAY_WALK), 0);
}

static void going_back_to_any_prefix_continues_as_if_never_left(void **state)
{
    (void)state;
    assert_int_equal(n_wrong(WAY_WALK, WRONG_OBSERVATION), 0);
}

static void an_operation_has_the_same_id_in_every_trial_and_no_other_has_it(void **state)
{
    (void)state;
    assert_int_equal(n_wrong(WAY_WALK, WRONG_ID), 0);
}

static void dfs_visits_exactly_the_schedules_of_the_enumerator_by_restoring(void **state)
{
    (void)state;
    assert_int_equal(campaign->n_runs[WAY_RESTORE], campaign->n_programs);
    assert_int_equal(n_wrong_schedules(WAY_RESTORE), 0);
}

static void dfs_visits_exactly_the_schedules_of_the_enumerator_by_rerunning(void **state)
{
    (void)state;
    assert_int_equal(campaign->n_runs[WAY_RERUN], campaign->n_programs);
    assert_int_equal(n_wrong_schedules(WAY_RERUN), 0);
}

static void dfs_visits_exactly_the_schedules_of_programs_with_state_in_globals(void **state)
{
    (void)state;
    assert_true(campaign->n_runs[WAY_FULL] > 0);
    assert_int_equal(n_wrong_schedules(WAY_FULL), 0);
}

static void dfs_visits_exactly_the_schedules_in_forked_processes(void **state)
{
    (void)state;
    assert_true(campaign->n_runs[WAY_FORK] > 0);
    assert_int_equal(n_wrong_schedules(WAY_FORK), 0);
}

static void every_way_of_going_back_visits_in_the_same_order(void **state)
{
    (void)state;
    for (enum way way = 0; way < WAYS; way++)
        assert_int_equal(n_wrong(way, WRONG_SEQUENCE), 0);
}

static void machines_see_in_every_trial_what_the_enumerator_says(void **state)
{
    (void)state;
    for (enum way way = WAY_RESTORE; way < WAYS; way++)
        assert_int_equal(n_wrong(way, WRONG_OBSERVATION), 0);
}

static void order_hash_has_as_many_values_as_there_are_mazurkiewicz_traces(void **state)
{
    (void)state;
    assert_true(campaign->n_traces > 0 && campaign->n_traces < campaign->n_leaves);
    for (enum way way = 0; way < WAYS; way++)
        assert_int_equal(n_wrong(way, WRONG_ORDER), 0);
}

/* The claims above say nothing about what the programs never did. */
static void the_programs_met_everything_the_claims_are_about(void **state)
{
    (void)state;
    for (int i = 0; i < FEATURES; i++) {
        if (campaign->features[i] == 0)
            print_error("feature %d was never met\n", i);
        assert_true(campaign->features[i] > 0);
    }
}

static uint64_t number_from(const char *text, uint64_t otherwise)
{
    return text != NULL ? strtoull(text, NULL, 10) : otherwise;
}

static void summarise(void)
{
    (void)fprintf(stderr, "# %llu programs, %llu schedules, %llu traces\n",
                  (unsigned long long)campaign->n_programs, (unsigned long long)campaign->n_leaves,
                  (unsigned long long)campaign->n_traces);
    for (enum way way = 0; way < WAYS; way++)
        (void)fprintf(stderr, "# by %s: %llu programs, %llu schedules visited, %llu wrong\n",
                      way_names[way], (unsigned long long)campaign->n_runs[way],
                      (unsigned long long)campaign->n_visited[way],
                      (unsigned long long)(campaign->n_runs[way] - n_wrong(way, WRONG_NOTHING)));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strategies_are_offered_exactly_the_operations_that_can_run),
        cmocka_unit_test(going_back_to_any_prefix_continues_as_if_never_left),
        cmocka_unit_test(an_operation_has_the_same_id_in_every_trial_and_no_other_has_it),
        cmocka_unit_test(dfs_visits_exactly_the_schedules_of_the_enumerator_by_restoring),
        cmocka_unit_test(dfs_visits_exactly_the_schedules_of_the_enumerator_by_rerunning),
        cmocka_unit_test(dfs_visits_exactly_the_schedules_of_programs_with_state_in_globals),
        cmocka_unit_test(dfs_visits_exactly_the_schedules_in_forked_processes),
        cmocka_unit_test(every_way_of_going_back_visits_in_the_same_order),
        cmocka_unit_test(machines_see_in_every_trial_what_the_enumerator_says),
        cmocka_unit_test(order_hash_has_as_many_values_as_there_are_mazurkiewicz_traces),
        cmocka_unit_test(the_programs_met_everything_the_claims_are_about),
    };
    uint64_t n =
        number_from(getenv("BRUTE_PROGRAMS"), number_from(argc > 1 ? argv[1] : NULL, 1000));

    campaign = campaign_new();
    campaign_run(campaign, number_from(argc > 2 ? argv[2] : NULL, 1), n);
    summarise();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
