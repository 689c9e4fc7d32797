/* test_reloaded.c - searches that are stopped and gone on with, against brute force.
 *
 *     test_reloaded [PROGRAMS [SEED]]
 *
 * SPDX-License-Identifier: MIT
 */
#include "reloaded.h"
#include "search.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static uint64_t n_programs = 100;
static uint64_t first_seed = 1;

/* Every trace is met, and as often as without stopping. */
static void assert_same(const char *strategy, const char *reloaded)
{
    struct search_totals whole = {.may_repeat = true};
    struct search_totals parts = {.may_repeat = true};

    search_random_programs(strategy, n_programs, first_seed, &whole);
    search_random_programs(reloaded, n_programs, first_seed, &parts);
    assert_int_equal(parts.n_wrong, 0);
    assert_int_equal(parts.n_missed, 0);
    assert_int_equal(parts.n_repeated, whole.n_repeated);
    assert_int_equal(parts.n_trials, whole.n_trials);
    assert_int_equal(parts.n_blocked, whole.n_blocked);
}

static void dfs_goes_on_where_it_was_stopped(void **state)
{
    (void)state;
    assert_same("dfs", "reloaded:dfs");
}

static void odpor_goes_on_where_it_was_stopped(void **state)
{
    (void)state;
    assert_same("odpor", "reloaded:odpor");
}

static void dpor_goes_on_where_it_was_stopped(void **state)
{
    (void)state;
    assert_same("dpor", "reloaded:dpor");
}

static void transdpor_goes_on_where_it_was_stopped(void **state)
{
    (void)state;
    assert_same("transdpor", "reloaded:transdpor");
}

static void ired_goes_on_where_it_was_stopped(void **state)
{
    (void)state;
    assert_same("ired", "reloaded:ired");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dfs_goes_on_where_it_was_stopped),
        cmocka_unit_test(odpor_goes_on_where_it_was_stopped),
        cmocka_unit_test(dpor_goes_on_where_it_was_stopped),
        cmocka_unit_test(transdpor_goes_on_where_it_was_stopped),
        cmocka_unit_test(ired_goes_on_where_it_was_stopped),
    };

    if (argc > 1)
        n_programs = strtoull(argv[1], NULL, 10);
    if (argc > 2)
        first_seed = strtoull(argv[2], NULL, 10);
    if (reloaded_register() < 0)
        return 99;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
