/* test_gen.c - what generators draw: within bounds, with everything that matters among it.
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <sennit/sennit.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* Trials leave these alone: nothing but the memory of the trial is put back. */
static uint64_t seen[64];

static struct sn_result run_with(void (*run)(void), const char *strategy, uint64_t iterations)
{
    const struct sn_test test = {.name = "gen", .run = run, .world = SN_WORLD_TRIAL};
    const struct sn_options options = {.strategy = strategy, .iterations = iterations};
    struct sn_result r;

    memset(seen, 0, sizeof(seen));
    assert_int_equal(sn_run(&test, &options, &r), 0);
    return r;
}

static struct sn_result run(void (*body)(void))
{
    struct sn_result r = run_with(body, "random", 20000);

    assert_string_equal(r.failure, "");
    assert_int_equal(r.verdict, SN_PASSED);
    return r;
}

/* ---- Numbers -------------------------------------------------------------------------------- */

static void draw_ints(void)
{
    int64_t x = sn_int("x", -100, 1000);

    sn_assert(x >= -100 && x <= 1000);
    seen[0] += x == -100;
    seen[1] += x == 1000;
    seen[2] += x == 0;
    seen[3] += x < 0;
    seen[4] += x > 500;
}

static void ints_are_within_bounds_and_meet_them(void **unused)
{
    (void)unused;
    run(draw_ints);
    assert_true(seen[0] > 5);
    assert_true(seen[1] > 20);
    assert_true(seen[2] > 100);
    assert_true(seen[3] > 1000);
    assert_true(seen[4] > 1000);
}

static void draw_all_ints(void)
{
    int64_t x = sn_int("x", INT64_MIN, INT64_MAX);
    uint64_t u = sn_uint("u", 0, UINT64_MAX);

    seen[0] += x == INT64_MIN;
    seen[1] += x == INT64_MAX;
    seen[2] += x == -1;
    seen[3] += u == UINT64_MAX;
    seen[4] += u == 0;
    seen[5] += u > UINT64_MAX / 2 && u < UINT64_MAX;
}

static void ints_of_64_bits_have_all_values_from_end_to_end(void **unused)
{
    (void)unused;
    run_with(draw_all_ints, "random", 200000);
    for (int i = 0; i < 6; i++)
        assert_true(seen[i] > 0);
}

static void draw_on_one_side(void)
{
    int64_t low = sn_int("low", -20, -10);
    int64_t high = sn_int("high", 10, 20);
    int64_t one = sn_int("one", 7, 7);

    sn_assert(low >= -20 && low <= -10 && high >= 10 && high <= 20 && one == 7);
    seen[low + 20]++;
    seen[high + 10]++;
}

static void ints_on_one_side_of_zero_have_each_value(void **unused)
{
    (void)unused;
    run(draw_on_one_side);
    for (int i = 0; i < 11; i++)
        assert_true(seen[i] > 0 && seen[20 + i] > 0);
}

static void draw_nothing_possible(void)
{
    (void)sn_int("x", 2, 1);
}

static void bounds_in_the_wrong_order_are_said(void **unused)
{
    struct sn_result r = run_with(draw_nothing_possible, "random", 1);

    (void)unused;
    assert_int_equal(r.verdict, SN_FAILED);
    assert_string_equal(r.failure, "usage: sn_int(\"x\"): the least is more than the most");
}

static void draw_doubles(void)
{
    double x = sn_double("x", -1.5, 1000.25);
    double y = sn_double("y", 0.25, 0.75);
    double any = sn_double_any("any");

    sn_assert(x >= -1.5 && x <= 1000.25 && y >= 0.25 && y <= 0.75);
    seen[0] += x == 0;
    seen[1] += x != floor(x);
    seen[2] += x < 0;
    seen[3] += isnan(any) != 0;
    seen[4] += isinf(any) && any > 0;
    seen[5] += isinf(any) && any < 0;
    seen[6] += any == 0 && signbit(any);
    seen[7] += fpclassify(any) == FP_SUBNORMAL;
    seen[8] += any > 1e300 && !isinf(any);
}

static void doubles_are_within_bounds_and_some_are_special(void **unused)
{
    (void)unused;
    run(draw_doubles);
    for (int i = 0; i < 9; i++)
        assert_true(seen[i] > 10);
}

static void count_up(void)
{
    seen[sn_int("x", -2, 2) + 2]++;
    seen[10 + (sn_bool("b") ? 1 : 0)]++;
}

static void systematic_strategies_try_each_value_once(void **unused)
{
    struct sn_result r = run_with(count_up, "dfs", 1000);

    (void)unused;
    assert_true(r.exhausted);
    assert_int_equal(r.schedules, 10);
    for (int i = 0; i < 5; i++)
        assert_int_equal(seen[i], 2);
    assert_int_equal(seen[10], 5);
}

static void count_lists(void)
{
    struct sn_list list = sn_list_begin("list", 0, 2);
    size_t which = 0;

    while (sn_list_next(&list))
        which = 2 * which + sn_choose("x", 2);
    seen[10 * list.n + which]++;
}

static void systematic_strategies_try_each_list_once(void **unused)
{
    struct sn_result r = run_with(count_lists, "dfs", 1000);

    (void)unused;
    assert_true(r.exhausted);
    assert_int_equal(r.schedules, 7);
    assert_true(seen[0] == 1 && seen[10] == 1 && seen[11] == 1);
    for (int i = 20; i < 24; i++)
        assert_int_equal(seen[i], 1);
}

static void must_be_three(void)
{
    int64_t x = sn_int("x", -10, 10);

    sn_assert(x == 3 || x == -3);
}

static void a_value_can_be_required(void **unused)
{
    const struct sn_test test = {.name = "three", .run = must_be_three};
    const char *const orders[] = {"draw x = 3", NULL};
    const struct sn_options options = {.iterations = 100, .require = orders};
    struct sn_result r;

    (void)unused;
    assert_int_equal(sn_run(&test, &options, &r), 0);
    assert_string_equal(r.failure, "");
    assert_int_equal(r.stuck, 0);
}

static void tell_first(void)
{
    sn_assertf(false, "%lld %llu %d %g %zu \"%s\"", (long long)sn_int("i", -5, 100),
               (unsigned long long)sn_uint("u", 3, 9), (int)sn_bool("b"), sn_double("d", 2.5, 9),
               sn_size("s", 1, 5), sn_string("t", "xyz", 2, 9));
}

/* Without a strategy that draws, all decisions are 0. */
static void the_smallest_decisions_mean_the_simplest_values(void **unused)
{
    struct sn_result r = run_with(tell_first, "dfs", 1);

    (void)unused;
    assert_non_null(strstr(r.failure, "0 3 0 3 1 \"xx\""));
}

/* ---- Choices -------------------------------------------------------------------------------- */

static void weigh(void)
{
    static const unsigned weights[] = {1, 0, 8, 1};

    seen[sn_weighted("w", weights, 4)]++;
}

static void weights_say_how_often_each_is_drawn(void **unused)
{
    (void)unused;
    run(weigh);
    assert_int_equal(seen[1], 0);
    assert_in_range(seen[0], 1800, 2200);
    assert_in_range(seen[2], 15700, 16300);
    assert_in_range(seen[3], 1800, 2200);
}

static void shuffle(void)
{
    static const char *const names[] = {"a", "b"};
    char order[3] = {0, 1, 2};
    bool is_in[3];

    sn_shuffle("order", order, 3, 1);
    sn_assert(order[0] + order[1] + order[2] == 3 && order[0] != order[1]);
    seen[order[0] * 3 + order[1]]++;
    seen[10 + sn_subset("subset", is_in, 3)]++;
    seen[20 + (sn_one_of("name", names)[0] == 'b')]++;
}

static void all_orders_and_subsets_are_equally_likely(void **unused)
{
    (void)unused;
    run(shuffle);
    for (int i = 0; i < 9; i++) {
        if (i % 4 != 0) /* not the same twice */
            assert_in_range(seen[i], 3000, 3700);
    }
    assert_in_range(seen[10], 2200, 2800);
    assert_in_range(seen[11], 7100, 7900);
    assert_in_range(seen[20], 9500, 10500);
}

/* ---- Lists ---------------------------------------------------------------------------------- */

static void draw_list(void)
{
    struct sn_list list = sn_list_begin("list", 2, 12);
    size_t n = 0;

    while (sn_list_next(&list))
        n++;
    sn_assert(list.n == n && n >= 2 && n <= 12);
    seen[n]++;
}

static void lists_have_every_length_within_bounds(void **unused)
{
    (void)unused;
    run(draw_list);
    for (int i = 2; i <= 12; i++)
        assert_true(seen[i] > 400);
}

static void draw_texts(void)
{
    size_t n;
    size_t n_ints;
    const char *text = sn_string("text", "ab", 0, 3);
    const unsigned char *bytes = sn_bytes("bytes", 0, 300, &n);
    const int64_t *ints = sn_ints("ints", 0, 100, -3, 3, &n_ints);

    sn_assert(strlen(text) <= 3 && strspn(text, "ab") == strlen(text));
    sn_assert(n <= 300 && n_ints <= 100);
    for (size_t i = 0; i < n_ints; i++)
        sn_assert(ints[i] >= -3 && ints[i] <= 3);
    seen[0] += strcmp(text, "bab") == 0;
    seen[1] += n == 300;
    seen[2] += n > 0 && bytes[n - 1] == 255;
    seen[3] += n_ints == 100;
    seen[4] += strlen(sn_string("printable", NULL, 5, 5)) == 5;
}

static void texts_bytes_and_numbers_are_lists(void **unused)
{
    (void)unused;
    run(draw_texts);
    for (int i = 0; i < 4; i++)
        assert_true(seen[i] > 100);
    assert_int_equal(seen[4], 20000);
}

static size_t grow(struct sn_budget *budget, size_t depth)
{
    size_t n = 1;

    sn_assert(depth <= 5);
    if (!sn_deeper("node", budget))
        return 0;
    n += grow(budget, depth + 1);
    n += grow(budget, depth + 1);
    sn_back(budget);
    return n;
}

static void draw_tree(void)
{
    struct sn_budget budget = {.size = 10, .depth = 5};
    size_t n = grow(&budget, 0);

    sn_assert(n <= 10);
    seen[n]++;
}

static void recursive_values_stay_within_their_budget(void **unused)
{
    (void)unused;
    run(draw_tree);
    for (int i = 0; i <= 10; i++)
        assert_true(seen[i] > 50);
}

/* ---- Trials --------------------------------------------------------------------------------- */

static void assume(void)
{
    sn_assume(sn_choose("x", 4) == 0);
}

static void trials_without_an_assumption_are_discarded_and_counted(void **unused)
{
    struct sn_result r = run(assume);

    (void)unused;
    assert_int_equal(r.trials, 20000);
    assert_in_range(r.discarded, 14700, 15300);
    assert_int_equal(r.draws, 20000);
}

static void holds(void)
{
    sn_assert(sn_int("x", 0, 10) < 11);
}

static void fails(void)
{
    sn_assert(sn_int("x", 0, 10) < 10);
}

static void vain(void)
{
    sn_assume(sn_int("x", 0, 10) > 10);
}

/* Where a sanitizer watches, each trial has a process of its own: as many as there are without
 * options take half a minute. */
static void forall_tells_whether_a_property_holds(void **unused)
{
    static const struct sn_options few = {.iterations = 200};
    const struct sn_options *options = SEEDS > 1 ? NULL : &few;
    struct sn_result r;

    (void)unused;
    assert_int_equal(sn_forall("holds", holds, options, NULL), 0);
    assert_int_equal(sn_forall("fails", fails, options, &r), 1);
    assert_int_equal(r.verdict, SN_FAILED);
    assert_int_equal(sn_forall("vain", vain, options, &r), 1);
    assert_int_equal(r.discarded, SEEDS > 1 ? 10000 : few.iterations);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ints_are_within_bounds_and_meet_them),
        cmocka_unit_test(ints_of_64_bits_have_all_values_from_end_to_end),
        cmocka_unit_test(ints_on_one_side_of_zero_have_each_value),
        cmocka_unit_test(bounds_in_the_wrong_order_are_said),
        cmocka_unit_test(doubles_are_within_bounds_and_some_are_special),
        cmocka_unit_test(systematic_strategies_try_each_value_once),
        cmocka_unit_test(systematic_strategies_try_each_list_once),
        cmocka_unit_test(a_value_can_be_required),
        cmocka_unit_test(the_smallest_decisions_mean_the_simplest_values),
        cmocka_unit_test(weights_say_how_often_each_is_drawn),
        cmocka_unit_test(all_orders_and_subsets_are_equally_likely),
        cmocka_unit_test(lists_have_every_length_within_bounds),
        cmocka_unit_test(texts_bytes_and_numbers_are_lists),
        cmocka_unit_test(recursive_values_stay_within_their_budget),
        cmocka_unit_test(trials_without_an_assumption_are_discarded_and_counted),
        cmocka_unit_test(forall_tells_whether_a_property_holds),
    };

    return cmocka_run_group_tests_name("gen", tests, NULL, NULL);
}
