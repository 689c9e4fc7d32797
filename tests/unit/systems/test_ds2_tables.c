/* test_ds2_tables.c - what DS2's tables are made of: the published figures, ours, and the reasons.
 * SPDX-License-Identifier: MIT
 */
#include "census.h"
#include "ds2_measure.h"
#include "ds2_reasons.h"
#include "harness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* ---- Published figures ---------------------------------------------------------------------- */

/* As printed: with at most two digits behind the point. */
static void check_ratio(double printed, double part, double whole)
{
    assert_true(fabs(printed - 100 * part / whole) <= 0.0051);
}

static void check_line(const struct ds2_paper_table *table, enum ds2_algorithm algorithm)
{
    struct ds2_line line = ds2_paper_line(table, algorithm);
    const double *cells = line.cells;

    check_ratio(cells[DS2_NL_UH], cells[DS2_NL], cells[DS2_UH]);
    check_ratio(cells[DS2_UH_S], cells[DS2_UH], cells[DS2_S]);
    check_ratio(cells[DS2_NL_S], cells[DS2_NL], cells[DS2_S]);
    assert_true(cells[DS2_IH] <= cells[DS2_S]);
    assert_true(cells[DS2_S] <= (algorithm == DS2_SR ? 100000 : 50000));
    assert_true(fabs(cells[DS2_TS] + cells[DS2_TC] - cells[DS2_TT]) <= 1);
    assert_int_equal(isnan(cells[DS2_HF]), cells[DS2_NL] == 0);
    if (cells[DS2_NL] > 0)
        assert_true(cells[DS2_HF] < cells[DS2_UH]);
}

static void check_table(unsigned number)
{
    const struct ds2_paper_table *table = &ds2_paper_tables[number - DS2_PAPER_FIRST];

    assert_int_equal(table->number, number);
    assert_int_equal(table->size.writes, 1 + number % 2);
    for (enum ds2_algorithm i = 0; i < DS2_ALGORITHMS; i++)
        check_line(table, i);
}

#define CHECK_TABLE(number_)                                                                       \
    static void published_table_a##number_##_agrees_with_itself(void **state)                      \
    {                                                                                              \
        (void)state;                                                                               \
        check_table(number_);                                                                      \
    }

CHECK_TABLE(2)
CHECK_TABLE(3)
CHECK_TABLE(4)
CHECK_TABLE(5)
CHECK_TABLE(6)
CHECK_TABLE(7)
CHECK_TABLE(8)
CHECK_TABLE(9)
CHECK_TABLE(10)
CHECK_TABLE(11)

static void published_times_are_minutes_and_seconds(void **state)
{
    struct ds2_line line = ds2_paper_line(&ds2_paper_tables[7 - DS2_PAPER_FIRST], DS2_EX);

    (void)state;
    assert_true(line.cells[DS2_TS] == 693 * 60 + 56);
    assert_true(line.cells[DS2_ST] == 2635 * 60 + 48);
}

/* ---- Ours ----------------------------------------------------------------------------------- */

static const struct ds2_strategy *strategy_of(const char *name)
{
    const struct ds2_strategy *strategy = ds2_strategies;

    while (strcmp(strategy->name, name) != 0)
        strategy++;
    return strategy;
}

static const struct sn_test *test_of(const char *name)
{
    const struct sn_test *test = ds2_suite.tests;

    while (strcmp(test->name, name) != 0)
        test++;
    return test;
}

static struct ds2_outcome measure(unsigned table, const char *strategy, struct ds2_effort effort)
{
    struct ds2_outcome outcome;
    char why[512];

    assert_int_equal(ds2_measure(&ds2_paper_tables[table - DS2_PAPER_FIRST], false,
                                 strategy_of(strategy), &effort, &outcome, why),
                     0);
    assert_true(outcome.is_there);
    return outcome;
}

/* Takes the census of the erroneous register. */
static struct ds2_census take(const struct sn_options *options)
{
    struct ds2_census census;
    struct sn_result result;

    ds2_parameters = (struct ds2_parameters){.reads = 2, .writes = 1, .variant = "asis"};
    assert_int_equal(ds2_census_take(test_of("erroneous"), options, 3, &census, &result), 0);
    return census;
}

static void the_mean_of_three_seeds_is_taken_where_strategies_draw(void **state)
{
    struct ds2_census one = take(&(struct sn_options){"random", .iterations = 40, .seed = 1});
    struct ds2_census two = take(&(struct sn_options){"random", .iterations = 40, .seed = 2});
    struct ds2_census three = take(&(struct sn_options){"random", .iterations = 40, .seed = 3});
    struct ds2_outcome mean =
        measure(4, "random", (struct ds2_effort){.limit = 40, .seeds = 3, .is_quick = true});

    (void)state;
    assert_true(one.unique != two.unique || two.unique != three.unique);
    assert_int_equal(mean.runs, 3);
    assert_int_equal(round(3 * mean.line.cells[DS2_S]), 120);
    assert_int_equal(round(3 * mean.line.cells[DS2_UH]), one.unique + two.unique + three.unique);
    assert_int_equal(round(3 * mean.line.cells[DS2_NL]),
                     one.not_linear + two.not_linear + three.not_linear);
    assert_int_equal(round(3 * mean.line.cells[DS2_HF]),
                     one.unique_before + two.unique_before + three.unique_before);
}

static void one_run_is_enough_where_strategies_do_not_draw(void **state)
{
    struct ds2_outcome outcome = measure(4, "odpor", (struct ds2_effort){.seeds = 3});

    (void)state;
    assert_int_equal(outcome.runs, 1);
    assert_true(outcome.is_over);
    assert_true(outcome.line.cells[DS2_S] == outcome.line.cells[DS2_ORDERS]);
    assert_true(outcome.line.cells[DS2_ST] > 0);
}

static void a_limit_lower_than_theirs_is_told_if_it_ends_the_search(void **state)
{
    struct ds2_outcome cut = measure(4, "dfs", (struct ds2_effort){.limit = 251});
    struct ds2_outcome whole = measure(4, "dfs", (struct ds2_effort){.limit = 253});

    (void)state;
    assert_false(cut.is_over);
    assert_true(cut.is_lowered);
    assert_true(whole.is_over);
    assert_false(whole.is_lowered);
}

static void a_strategy_that_a_build_does_not_have_is_told(void **state)
{
    char why[512];

    (void)state;
    assert_true(ds2_has_strategy("odpor", why, sizeof(why)));
    assert_false(ds2_has_strategy("nonesuch", why, sizeof(why)));
    assert_non_null(strstr(why, "there is no strategy called nonesuch"));
}

static void trials_with_histories_that_are_not_linearizable_are_those_that_fail(void **state)
{
    const struct sn_options options = {"dfs", .iterations = 1000, .keep_going = true};
    struct ds2_census census = take(&options);
    struct sn_result result;

    (void)state;
    assert_int_equal(sn_run(test_of("erroneous"), &options, &result), 0);
    assert_int_equal(result.failures, 20);
    assert_int_equal(census.failing, result.failures);
    assert_int_equal(census.first, result.failing_trial);
}

static void running_each_schedule_from_the_start_counts_the_same(void **state)
{
    struct ds2_census back = take(&(struct sn_options){"dfs", .iterations = 1000});
    struct ds2_census again = take(&(struct sn_options){"dfs", .iterations = 1000, .rerun = true});

    (void)state;
    assert_int_equal(back.schedules, 252);
    assert_int_equal(again.schedules, 252);
    assert_int_equal(again.unique, back.unique);
    assert_int_equal(again.not_linear, back.not_linear);
    assert_int_equal(again.unique_before, back.unique_before);
    assert_int_equal(again.orders, back.orders);
}

/* ---- Reasons -------------------------------------------------------------------------------- */

static int reason_of(unsigned table, const char *strategy, enum ds2_metric metric)
{
    return ds2_reason_of(
        &(struct ds2_figure){.table = table, .strategy = strategy_of(strategy), .metric = metric});
}

static void figures_that_must_agree_have_no_reason_to_differ(void **state)
{
    (void)state;
    assert_int_equal(reason_of(2, "dfs", DS2_S), -1);
    assert_int_equal(reason_of(4, "dfs", DS2_S), -1);
    assert_int_equal(reason_of(6, "dfs", DS2_S), -1);
    assert_int_equal(reason_of(6, "dfs", DS2_IH), -1);
    assert_int_equal(reason_of(6, "dfs", DS2_UH), -1);
    assert_int_equal(reason_of(10, "dfs", DS2_S), -1);
    assert_int_equal(reason_of(10, "dfs", DS2_UH), -1);
    assert_int_equal(reason_of(10, "dfs", DS2_NL), -1);
}

static void histories_of_the_registers_differ_because_of_what_is_not_copied(void **state)
{
    int reason = reason_of(2, "dfs", DS2_IH);

    (void)state;
    assert_true(reason >= 0);
    assert_non_null(strstr(ds2_reason_text(reason), "are not copied"));
    assert_int_equal(reason_of(4, "ired:paper", DS2_UH), reason);
    assert_int_not_equal(reason_of(4, "sr", DS2_UH), reason);
    assert_int_not_equal(reason_of(6, "ired:paper", DS2_UH), reason);
}

static void times_are_not_compared_and_ratios_as_they_are_printed(void **state)
{
    (void)state;
    assert_false(ds2_differs(DS2_TS, 360, 0.01));
    assert_false(ds2_differs(DS2_UH_S, 0.88, 100 * 37 / 4200.0));
    assert_true(ds2_differs(DS2_UH_S, 0.88, 100 * 38 / 4200.0));
    assert_true(ds2_differs(DS2_UH, 37, 38));
    assert_true(ds2_differs(DS2_HF, DS2_NONE, 0));
    assert_false(ds2_differs(DS2_HF, DS2_NONE, DS2_NONE));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_table_a2_agrees_with_itself),
        cmocka_unit_test(published_table_a3_agrees_with_itself),
        cmocka_unit_test(published_table_a4_agrees_with_itself),
        cmocka_unit_test(published_table_a5_agrees_with_itself),
        cmocka_unit_test(published_table_a6_agrees_with_itself),
        cmocka_unit_test(published_table_a7_agrees_with_itself),
        cmocka_unit_test(published_table_a8_agrees_with_itself),
        cmocka_unit_test(published_table_a9_agrees_with_itself),
        cmocka_unit_test(published_table_a10_agrees_with_itself),
        cmocka_unit_test(published_table_a11_agrees_with_itself),
        cmocka_unit_test(published_times_are_minutes_and_seconds),
        cmocka_unit_test(the_mean_of_three_seeds_is_taken_where_strategies_draw),
        cmocka_unit_test(one_run_is_enough_where_strategies_do_not_draw),
        cmocka_unit_test(a_limit_lower_than_theirs_is_told_if_it_ends_the_search),
        cmocka_unit_test(a_strategy_that_a_build_does_not_have_is_told),
        cmocka_unit_test(trials_with_histories_that_are_not_linearizable_are_those_that_fail),
        cmocka_unit_test(running_each_schedule_from_the_start_counts_the_same),
        cmocka_unit_test(figures_that_must_agree_have_no_reason_to_differ),
        cmocka_unit_test(histories_of_the_registers_differ_because_of_what_is_not_copied),
        cmocka_unit_test(times_are_not_compared_and_ratios_as_they_are_printed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
