/* test_backtracking.c - the partial orders that strategies with backtrack sets find, against brute
 * force.
 *
 *     test_backtracking [PROGRAMS [SEED]]
 *     test_backtracking program SEED STRATEGY      prints one
 *
 * SPDX-License-Identifier: MIT
 */
#include "search.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint64_t n_programs = 1000;
static uint64_t first_seed = 1;

static void check_misses_none(const char *strategy)
{
    struct search_totals totals = {.may_repeat = true};

    search_random_programs(strategy, n_programs, first_seed, &totals);
    assert_int_equal(totals.n_wrong, 0);
    assert_int_equal(totals.n_missed, 0);
}

static void dpor_misses_no_partial_order(void **state)
{
    (void)state;
    check_misses_none("dpor");
}

static void transdpor_misses_no_partial_order(void **state)
{
    (void)state;
    check_misses_none("transdpor");
}

static void ired_misses_no_partial_order(void **state)
{
    (void)state;
    check_misses_none("ired");
}

static void count_misses(const char *strategy)
{
    struct search_totals totals = {.may_repeat = true, .may_miss = true};

    search_random_programs(strategy, n_programs, first_seed, &totals);
    print_message("# %s: missed %llu of %llu traces, some of %llu of %llu programs\n", strategy,
                  (unsigned long long)totals.n_missing, (unsigned long long)totals.n_traces,
                  (unsigned long long)totals.n_missed, (unsigned long long)totals.n_programs);
    assert_int_equal(totals.n_wrong, 0);
    assert_true(totals.n_missed > 0);
}

static void what_transdpor_misses_as_published_is_counted(void **state)
{
    (void)state;
    count_misses("transdpor:paper");
}

static void what_ired_misses_as_published_is_counted(void **state)
{
    (void)state;
    count_misses("ired:paper");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dpor_misses_no_partial_order),
        cmocka_unit_test(transdpor_misses_no_partial_order),
        cmocka_unit_test(ired_misses_no_partial_order),
        cmocka_unit_test(what_transdpor_misses_as_published_is_counted),
        cmocka_unit_test(what_ired_misses_as_published_is_counted),
    };

    if (argc == 4 && strcmp(argv[1], "program") == 0) {
        search_and_print(argv[3], strtoull(argv[2], NULL, 10));
        return 0;
    }
    if (argc > 1)
        n_programs = strtoull(argv[1], NULL, 10);
    if (argc > 2)
        first_seed = strtoull(argv[2], NULL, 10);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
