/* test_handed.c - searches that go on where another one has led, against brute force.
 *
 *     test_handed [PROGRAMS [SEED]]
 *
 * The first of two systematic strategies decides some steps, and the second tries what can follow.
 * Together they meet every trace, since the first meets every beginning.
 * SPDX-License-Identifier: MIT
 */
#include "search.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static uint64_t n_programs = 100;
static uint64_t first_seed = 1;

static struct search_totals search_all(const char *strategy)
{
    struct search_totals totals = {.may_repeat = true, .makes_no_claim = true};

    search_random_programs(strategy, n_programs, first_seed, &totals);
    assert_int_equal(totals.n_wrong, 0);
    assert_int_equal(totals.n_missed, 0);
    return totals;
}

static void every_schedule_is_run_once_by_dfs_after_dfs(void **state)
{
    struct search_totals totals = search_all("dfs@3,dfs");

    (void)state;
    assert_int_equal(totals.n_trials, totals.n_schedules);
}

static void every_partial_order_is_met_by_odpor_after_dfs(void **state)
{
    struct search_totals totals = search_all("dfs@2,odpor");

    (void)state;
    assert_true(totals.n_trials < totals.n_schedules);
}

static void every_partial_order_is_met_by_dpor_after_dfs(void **state)
{
    struct search_totals totals = search_all("dfs@3,dpor");

    (void)state;
    assert_true(totals.n_trials < totals.n_schedules);
}

/* What several steps had sent before the search began was taken for what one step had. */
static void messages_that_wait_when_it_begins_keep_their_order(void **state)
{
    static const uint64_t seeds[] = {UINT64_C(2279020473698689138), UINT64_C(8260882770044631771)};
    struct search_totals dpor;
    struct search_totals odpor;

    (void)state;
    search_programs("dfs@3,dpor", seeds, 2, &dpor);
    search_programs("dfs@3,odpor", seeds, 2, &odpor);
    assert_int_equal(dpor.n_programs, 2);
    assert_int_equal(dpor.n_missed, 0);
    assert_int_equal(odpor.n_missed, 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_schedule_is_run_once_by_dfs_after_dfs),
        cmocka_unit_test(every_partial_order_is_met_by_odpor_after_dfs),
        cmocka_unit_test(every_partial_order_is_met_by_dpor_after_dfs),
        cmocka_unit_test(messages_that_wait_when_it_begins_keep_their_order),
    };

    if (argc > 1)
        n_programs = strtoull(argv[1], NULL, 10);
    if (argc > 2)
        first_seed = strtoull(argv[2], NULL, 10);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
