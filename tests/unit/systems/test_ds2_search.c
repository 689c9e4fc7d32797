/* test_ds2_search.c - what systematic strategies find in DS2's registers, with and without the
 * order of calls and returns.
 *
 * Two reads and one write. A step that lets an operation return and a step that calls one have no
 * machine in common, and still the history tells which came first. SPDX-License-Identifier: MIT
 */
#include "census.h"
#include "harness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void search(const char *object, const char *strategy, struct ds2_census *census)
{
    const struct sn_options options = {.strategy = strategy, .iterations = 100000};
    const struct sn_test *test = ds2_suite.tests;
    struct sn_result result;

    ds2_parameters.variant = "asis";
    while (test->name != NULL && strcmp(test->name, object) != 0)
        test++;
    assert_non_null(test->name);
    assert_int_equal(ds2_census_take(test, &options, 3, census, &result), 0);
    assert_int_not_equal(result.schedules, 0);
}

/* All 32 histories that the 252 schedules of the erroneous register have. */
static void check_finds_all_histories(const char *strategy)
{
    struct ds2_census census;

    search("erroneous", strategy, &census);
    assert_true(census.is_exhausted);
    assert_int_equal(census.unique, 32);
    assert_int_equal(census.not_linear, 12);
    assert_true(census.schedules < 252);
}

static void odpor_finds_every_history_of_the_erroneous_register(void **state)
{
    (void)state;
    check_finds_all_histories("odpor");
}

static void dpor_finds_every_history_of_the_erroneous_register(void **state)
{
    (void)state;
    check_finds_all_histories("dpor");
}

static void transdpor_finds_every_history_of_the_erroneous_register(void **state)
{
    (void)state;
    check_finds_all_histories("transdpor");
}

static void ired_finds_every_history_of_the_erroneous_register(void **state)
{
    (void)state;
    check_finds_all_histories("ired");
}

static void liviola_finds_every_history_of_the_erroneous_register(void **state)
{
    struct ds2_census census;

    (void)state;
    search("erroneous", "liviola", &census);
    assert_int_equal(census.unique, 32);
    assert_int_equal(census.not_linear, 12);
}

static void check_misses_the_bug(const char *strategy)
{
    struct ds2_census census;

    search("erroneous", strategy, &census);
    assert_false(census.is_exhausted);
    assert_int_equal(census.schedules, 8);
    assert_int_equal(census.not_linear, 0);
}

static void odpor_misses_the_bug_if_the_order_of_calls_and_returns_does_not_count(void **state)
{
    (void)state;
    check_misses_the_bug("odpor:causal");
}

static void dpor_misses_the_bug_if_the_order_of_calls_and_returns_does_not_count(void **state)
{
    (void)state;
    check_misses_the_bug("dpor:causal");
}

/* ---- Numbers that were computed elsewhere --------------------------------------------------- */

static void check_traces(const char *object, uint64_t n)
{
    struct ds2_census census;

    search(object, "odpor:causal", &census);
    assert_int_equal(census.schedules, n);
    search(object, "dpor:causal", &census);
    assert_int_equal(census.schedules, n);
}

static void another_register_has_200_orders_of_messages(void **state)
{
    (void)state;
    check_traces("another", 200);
}

static void the_register_has_536_orders_of_messages(void **state)
{
    (void)state;
    check_traces("register", 536);
}

static void chord_has_600_orders_of_messages(void **state)
{
    (void)state;
    check_traces("chord", 600);
}

/* Without sleep sets other choices led to 2981 to 3203 schedules. */
static void the_register_has_thousands_of_schedules_without_sleep_sets(void **state)
{
    struct ds2_census transdpor;
    struct ds2_census ired;

    (void)state;
    search("register", "transdpor:causal", &transdpor);
    search("register", "ired:causal", &ired);
    assert_in_range(transdpor.schedules, 2800, 3400);
    assert_in_range(ired.schedules, 2800, 3400);
}

/* The publication has 8 different histories, 2 of them not linearizable, in 14 schedules. */
static void ired_as_published_finds_what_was_published_of_the_erroneous_register(void **state)
{
    struct ds2_census census;

    (void)state;
    search("erroneous", "ired:paper", &census);
    assert_int_equal(census.unique, 8);
    assert_int_equal(census.not_linear, 2);
    assert_in_range(census.schedules, 9, 20);
}

static void liviola_as_published_is_ired_where_there_is_one_key(void **state)
{
    struct ds2_census ired;
    struct ds2_census liviola;

    (void)state;
    search("another", "ired:paper", &ired);
    search("another", "liviola:paper", &liviola);
    assert_int_equal(liviola.schedules, ired.schedules);
    assert_int_equal(liviola.unique, ired.unique);
}

/* Who joins a ring has no key: the messages that do it are never tried in another order. */
static void liviola_as_published_misses_histories_of_chord(void **state)
{
    struct ds2_census ired;
    struct ds2_census liviola;

    (void)state;
    search("chord", "ired:paper", &ired);
    search("chord", "liviola:paper", &liviola);
    assert_true(liviola.schedules * 10 < ired.schedules);
    assert_true(liviola.not_linear < ired.not_linear);
}

static void liviola_misses_no_history_of_chord_that_ired_finds(void **state)
{
    struct ds2_census census;

    (void)state;
    search("chord", "liviola", &census);
    assert_int_equal(census.not_linear, 17);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(odpor_finds_every_history_of_the_erroneous_register),
        cmocka_unit_test(dpor_finds_every_history_of_the_erroneous_register),
        cmocka_unit_test(transdpor_finds_every_history_of_the_erroneous_register),
        cmocka_unit_test(ired_finds_every_history_of_the_erroneous_register),
        cmocka_unit_test(liviola_finds_every_history_of_the_erroneous_register),
        cmocka_unit_test(odpor_misses_the_bug_if_the_order_of_calls_and_returns_does_not_count),
        cmocka_unit_test(dpor_misses_the_bug_if_the_order_of_calls_and_returns_does_not_count),
        cmocka_unit_test(another_register_has_200_orders_of_messages),
        cmocka_unit_test(the_register_has_536_orders_of_messages),
        cmocka_unit_test(chord_has_600_orders_of_messages),
        cmocka_unit_test(the_register_has_thousands_of_schedules_without_sleep_sets),
        cmocka_unit_test(ired_as_published_finds_what_was_published_of_the_erroneous_register),
        cmocka_unit_test(liviola_as_published_is_ired_where_there_is_one_key),
        cmocka_unit_test(liviola_as_published_misses_histories_of_chord),
        cmocka_unit_test(liviola_misses_no_history_of_chord_that_ired_finds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
