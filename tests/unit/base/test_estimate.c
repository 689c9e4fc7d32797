/* test_estimate.c - intervals of shares. SPDX-License-Identifier: MIT */
#include "base/estimate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void assert_interval(struct interval is, double low, double high)
{
    assert_float_equal(is.low, low, 1e-6);
    assert_float_equal(is.high, high, 1e-6);
}

static void wilson_of_none(void **state)
{
    (void)state;

    assert_interval(estimate_wilson(0, 10), 0.000000, 0.277533);
    assert_interval(estimate_wilson(0, 1000), 0.000000, 0.003827);
}

static void wilson_of_some(void **state)
{
    (void)state;

    assert_interval(estimate_wilson(1, 10), 0.017876, 0.404150);
    assert_interval(estimate_wilson(3, 20), 0.052369, 0.360419);
    assert_interval(estimate_wilson(50, 1000), 0.038130, 0.065314);
}

static void exact_of_none(void **state)
{
    (void)state;

    assert_interval(estimate_exact(0, 10), 0.000000, 0.308497);
    assert_interval(estimate_exact(0, 1000), 0.000000, 0.003682);
}

static void exact_of_some(void **state)
{
    (void)state;

    assert_interval(estimate_exact(1, 10), 0.002529, 0.445016);
    assert_interval(estimate_exact(3, 20), 0.032071, 0.378927);
    assert_interval(estimate_exact(50, 1000), 0.037335, 0.065390);
}

static void all_hits_mirror_none(void **state)
{
    (void)state;

    assert_interval(estimate_wilson(10, 10), 1 - 0.277533, 1);
    assert_interval(estimate_exact(10, 10), 1 - 0.308497, 1);
    assert_interval(estimate_exact(950, 1000), 1 - 0.065390, 1 - 0.037335);
}

static void without_trials_nothing_is_known(void **state)
{
    (void)state;

    assert_interval(estimate_wilson(0, 0), 0, 1);
    assert_interval(estimate_exact(0, 0), 0, 1);
}

/* The normal distribution is so near that both intervals agree with it to five digits. */
static void exact_of_a_million_neither_underflows_nor_overflows(void **state)
{
    (void)state;

    assert_float_equal(estimate_exact(500000, 1000000).low, 0.4990195, 2e-6);
    assert_float_equal(estimate_exact(500000, 1000000).high, 0.5009805, 2e-6);
}

/* 0.97 ^ 100 is 0.048: with a smaller share all of a hundred would hit less often than that. */
static void all_of_a_hundred_is_at_least_97_percent(void **state)
{
    (void)state;

    assert_float_equal(estimate_at_least(100), 0.970487, 1e-6);
    assert_float_equal(estimate_at_least(1), 0.05, 1e-6);
}

static void root_of_small_and_large(void **state)
{
    (void)state;

    assert_float_equal(estimate_root(2), 1.4142135623730951, 1e-12);
    assert_float_equal(estimate_root(1e-12), 1e-6, 1e-15);
    assert_float_equal(estimate_root(1e12), 1e6, 1e-3);
    assert_float_equal(estimate_root(0), 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wilson_of_none),
        cmocka_unit_test(wilson_of_some),
        cmocka_unit_test(exact_of_none),
        cmocka_unit_test(exact_of_some),
        cmocka_unit_test(all_hits_mirror_none),
        cmocka_unit_test(without_trials_nothing_is_known),
        cmocka_unit_test(exact_of_a_million_neither_underflows_nor_overflows),
        cmocka_unit_test(all_of_a_hundred_is_at_least_97_percent),
        cmocka_unit_test(root_of_small_and_large),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
