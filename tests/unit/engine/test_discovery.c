/* test_discovery.c - what is said of orders that were not seen, against distributions that are
 * known. SPDX-License-Identifier: MIT
 */
#include "engine/discovery.h"

#include "base/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { KINDS_MAX = 5000, SEEDS = 400 };

static struct discovery *d;

/* Kinds of different weight, of which trials draw. */
struct urn {
    uint32_t n;
    double weights[KINDS_MAX];
    double total;
};

static struct urn urn;

static void fill(uint32_t n, double (*weight)(uint32_t kind))
{
    urn = (struct urn){.n = n};
    for (uint32_t i = 0; i < n; i++) {
        urn.weights[i] = weight(i);
        urn.total += urn.weights[i];
    }
}

static double same(uint32_t kind)
{
    (void)kind;
    return 1;
}

static double zipf(uint32_t kind)
{
    return 1.0 / (kind + 1);
}

static double geometric(uint32_t kind)
{
    double weight = 1;

    for (uint32_t i = 0; i < kind; i++)
        weight *= 0.97;
    return weight;
}

static uint32_t draw(struct rng *rng)
{
    double at = (double)(rng_next(rng) >> 11) / 9007199254740992.0 * urn.total;
    uint32_t kind = 0;

    while (kind + 1 < urn.n && at >= urn.weights[kind]) {
        at -= urn.weights[kind];
        kind++;
    }
    return kind;
}

/* Draws n times, and returns the part of the urn that never came. */
static double sample(uint64_t seed, uint32_t n)
{
    static bool came[KINDS_MAX];
    struct rng rng;
    double left = 0;

    mem_clear(d, sizeof(*d));
    memset(came, 0, sizeof(came));
    rng_init(&rng, seed, 1);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t kind = draw(&rng);

        came[kind] = true;
        (void)discovery_add(d, 0, 0, mix64(kind + 1));
    }
    for (uint32_t i = 0; i < urn.n; i++)
        left += came[i] ? 0 : urn.weights[i];
    return left / urn.total;
}

/* How often, of a hundred times, the interval contains what is really left. */
static double coverage(uint32_t n)
{
    int hits = 0;

    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        double left = sample(seed, n);
        struct discovery_estimate e = discovery_estimate(&d->arms[0], d->is_full);

        assert_int_equal(e.answer, DISCOVERY_KNOWN);
        hits += e.low <= left && left <= e.high;
    }
    return hits * 100.0 / SEEDS;
}

static void assert_at_least(double is, double least)
{
    if (is < least)
        print_error("%g is below %g\n", is, least);
    assert_true(is >= least);
}

/* ---- Claims --------------------------------------------------------------------------------- */

static void orders_that_came_once_and_twice_are_counted_exactly(void **state)
{
    static const uint64_t orders[] = {10, 20, 30, 40, 20, 30, 40, 30, 40, 40};

    (void)state;
    mem_clear(d, sizeof(*d));
    for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++)
        (void)discovery_add(d, 0, 0, mix64(orders[i]));

    assert_int_equal(d->arms[0].trials, 10);
    assert_int_equal(d->arms[0].orders, 4);
    assert_int_equal(d->arms[0].once, 1);
    assert_int_equal(d->arms[0].twice, 1);
    assert_int_equal(discovery_count(d, 0, mix64(10)), 1);
    assert_int_equal(discovery_count(d, 0, mix64(20)), 2);
    assert_int_equal(discovery_count(d, 0, mix64(40)), 3);
    assert_int_equal(discovery_count(d, 0, mix64(50)), 0);
}

static void counts_stay_when_the_table_grows(void **state)
{
    uint64_t n = DISCOVERY_SLOTS_FIRST * 8;

    (void)state;
    mem_clear(d, sizeof(*d));
    for (uint64_t i = 0; i < n; i++)
        (void)discovery_add(d, 0, 0, mix64(i));
    for (uint64_t i = 0; i < n / 4; i++)
        (void)discovery_add(d, 0, 0, mix64(i));

    assert_int_equal(d->arms[0].orders, n);
    assert_int_equal(d->arms[0].once, n - n / 4);
    assert_int_equal(d->arms[0].twice, n / 4);
}

static void the_interval_contains_what_is_left_of_equal_kinds(void **state)
{
    (void)state;
    fill(200, same);
    assert_at_least(coverage(300), 90);
    assert_at_least(coverage(1000), 90);
}

static void the_interval_contains_what_is_left_of_kinds_by_zipf(void **state)
{
    (void)state;
    fill(500, zipf);
    assert_at_least(coverage(300), 90);
    assert_at_least(coverage(2000), 90);
}

static void the_interval_contains_what_is_left_of_a_geometric_series(void **state)
{
    (void)state;
    fill(400, geometric);
    assert_at_least(coverage(150), 90);
    assert_at_least(coverage(1000), 90);
}

static void where_almost_every_trial_is_new_no_interval_is_given(void **state)
{
    (void)state;
    fill(5000, same);

    (void)sample(1, 50);
    assert_int_equal(discovery_estimate(&d->arms[0], false).answer, DISCOVERY_MOSTLY_NEW);
    (void)sample(1, 200);
    assert_int_equal(discovery_estimate(&d->arms[0], false).answer, DISCOVERY_MOSTLY_NEW);
}

static void fewer_than_a_hundred_trials_tell_nothing(void **state)
{
    (void)state;
    fill(3, same);

    (void)sample(1, 99);
    assert_int_equal(discovery_estimate(&d->arms[0], false).answer, DISCOVERY_FEW_TRIALS);
    (void)sample(1, 100);
    assert_int_equal(discovery_estimate(&d->arms[0], false).answer, DISCOVERY_KNOWN);
}

static void if_no_order_came_only_once_there_may_still_be_others(void **state)
{
    struct discovery_arm arm = {.trials = 1000, .orders = 5};
    struct discovery_estimate e = discovery_estimate(&arm, false);

    (void)state;
    assert_true(e.next == 0 && e.low == 0);
    assert_true(e.high > 0.0036 && e.high < 0.0038); /* 1 - 0.025^(1/1000) */
    assert_int_equal(e.least, 5);
}

static void the_least_number_of_orders_is_rarely_more_than_there_are(void **state)
{
    double sum = 0;

    (void)state;
    fill(500, zipf);
    for (uint64_t seed = 1; seed <= 100; seed++) {
        (void)sample(seed, 1000);
        sum += (double)discovery_estimate(&d->arms[0], false).least;
    }

    assert_true(sum / 100 < 500);
    assert_true(sum / 100 > 300);
}

static void who_draws_in_another_way_is_counted_anew(void **state)
{
    (void)state;
    mem_clear(d, sizeof(*d));
    for (uint64_t i = 0; i < 10; i++)
        (void)discovery_add(d, 0, 7, mix64(i));
    (void)discovery_add(d, 0, 8, mix64(3));

    assert_int_equal(d->arms[0].trials, 1);
    assert_int_equal(d->arms[0].orders, 1);
    assert_int_equal(discovery_count(d, 0, mix64(4)), 0);
    (void)discovery_add(d, 0, 7, mix64(3)); /* and it does not remember what it was before */
    assert_int_equal(d->arms[0].once, 1);
}

static void an_order_is_new_until_a_trial_of_the_arm_has_shown_it(void **state)
{
    (void)state;
    mem_clear(d, sizeof(*d));

    assert_true(discovery_add(d, 0, 0, mix64(1)));
    assert_false(discovery_add(d, 0, 0, mix64(1)));
    assert_true(discovery_add(d, 1, 0, mix64(1)));
    assert_true(discovery_add(d, 0, 1, mix64(1)));
}

static void arms_are_counted_apart(void **state)
{
    (void)state;
    mem_clear(d, sizeof(*d));
    (void)discovery_add(d, 0, 0, mix64(1));
    (void)discovery_add(d, 1, 0, mix64(1));
    (void)discovery_add(d, 1, 0, mix64(1));

    assert_int_equal(d->arms[0].once, 1);
    assert_int_equal(d->arms[1].once, 0);
    assert_int_equal(d->arms[1].twice, 1);
}

static void beyond_what_can_be_counted_nothing_is_said(void **state)
{
    (void)state;
    mem_clear(d, sizeof(*d));
    for (uint64_t i = 0; i < DISCOVERY_ORDERS_MAX; i++)
        (void)discovery_add(d, 0, 0, mix64(i / 2));
    for (uint64_t i = 0; i < DISCOVERY_ORDERS_MAX / 2; i++)
        (void)discovery_add(d, 0, 0, mix64(i + DISCOVERY_ORDERS_MAX));
    assert_false(d->is_full);
    (void)discovery_add(d, 0, 0, mix64(UINT64_C(1) << 40));

    assert_true(d->is_full);
    assert_int_equal(discovery_estimate(&d->arms[0], d->is_full).answer, DISCOVERY_TOO_MANY);
}

static void the_curve_has_few_points_that_are_evenly_apart(void **state)
{
    (void)state;
    mem_clear(d, sizeof(*d));
    for (uint64_t at = 1; at <= 100000;)
        at = discovery_mark(d, at, at / 2);

    assert_in_range(d->n_points, DISCOVERY_POINTS_MAX / 2, DISCOVERY_POINTS_MAX);
    for (uint32_t i = 0; i < d->n_points; i++) {
        assert_int_equal(d->points[i].trials, (i + 1) * d->stride);
        assert_int_equal(d->points[i].orders, d->points[i].trials / 2);
    }
    assert_true(d->points[d->n_points - 1].trials + d->stride > 100000);
}

static int set_up(void **state)
{
    (void)state;
    d = mem_reserve_shared(sizeof(*d), NULL);
    return d != NULL ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_that_came_once_and_twice_are_counted_exactly),
        cmocka_unit_test(counts_stay_when_the_table_grows),
        cmocka_unit_test(the_interval_contains_what_is_left_of_equal_kinds),
        cmocka_unit_test(the_interval_contains_what_is_left_of_kinds_by_zipf),
        cmocka_unit_test(the_interval_contains_what_is_left_of_a_geometric_series),
        cmocka_unit_test(where_almost_every_trial_is_new_no_interval_is_given),
        cmocka_unit_test(fewer_than_a_hundred_trials_tell_nothing),
        cmocka_unit_test(if_no_order_came_only_once_there_may_still_be_others),
        cmocka_unit_test(the_least_number_of_orders_is_rarely_more_than_there_are),
        cmocka_unit_test(who_draws_in_another_way_is_counted_anew),
        cmocka_unit_test(an_order_is_new_until_a_trial_of_the_arm_has_shown_it),
        cmocka_unit_test(arms_are_counted_apart),
        cmocka_unit_test(beyond_what_can_be_counted_nothing_is_said),
        cmocka_unit_test(the_curve_has_few_points_that_are_evenly_apart),
    };

    return cmocka_run_group_tests(tests, set_up, NULL);
}
