/* ds2_measure.c - see ds2_measure.h. SPDX-License-Identifier: MIT */
#include "ds2_measure.h"

#include "../systems/ds2/census.h"
#include "../systems/ds2/harness.h"

#include <stdio.h>
#include <string.h>

enum { LIMIT = 50000, LIMIT_OF_SR = 100000 };

const struct ds2_strategy ds2_strategies[DS2_STRATEGIES] = {
    {.name = "dfs", .algorithm = DS2_EX, .is_drawn = true},
    {.name = "sr", .algorithm = DS2_SR, .is_random = true, .is_drawn = true},
    {.name = "delay:3", .algorithm = DS2_DB, .is_drawn = true},
    {.name = "delay:3:coin", .algorithm = DS2_DB, .is_random = true},
    {.name = "dpor", .algorithm = DS2_DP, .is_drawn = true},
    {.name = "transdpor:paper", .algorithm = DS2_TD},
    {.name = "transdpor", .algorithm = DS2_TD, .is_drawn = true},
    {.name = "ired:paper", .algorithm = DS2_IR},
    {.name = "ired", .algorithm = DS2_IR, .is_drawn = true},
    {.name = "liviola:paper", .algorithm = DS2_LV},
    {.name = "liviola", .algorithm = DS2_LV, .is_drawn = true},
    {.name = "odpor", .algorithm = DS2_ALGORITHMS, .is_drawn = true},
    {.name = "random", .algorithm = DS2_ALGORITHMS, .is_random = true, .is_drawn = true},
    {.name = "pos", .algorithm = DS2_ALGORITHMS, .is_random = true, .is_drawn = true},
};

static const struct sn_test *find_test(const char *name)
{
    const struct sn_test *test = ds2_suite.tests;

    while (strcmp(test->name, name) != 0)
        test++;
    return test;
}

bool ds2_has_strategy(const char *name, char *why, size_t size)
{
    const struct sn_options options = {.strategy = name, .iterations = 1};
    struct sn_result result = {0};

    if (sn_run(find_test("register"), &options, &result) == 0)
        return true;
    (void)snprintf(why, size, "%s", result.failure);
    return false;
}

/* ---- Runs ----------------------------------------------------------------------------------- */

/* A sum of runs, of which the mean is taken at the end. */
struct sum {
    double cells[DS2_METRICS];
    unsigned runs;
    unsigned found;
    bool is_over;
};

static void add_counts(struct sum *sum, const struct ds2_census *census)
{
    sum->cells[DS2_S] += (double)census->schedules;
    sum->cells[DS2_IH] += (double)census->incomplete;
    sum->cells[DS2_UH] += (double)census->unique;
    sum->cells[DS2_NL] += (double)census->not_linear;
    sum->cells[DS2_KINDS] += (double)census->alike;
    sum->cells[DS2_KINDS_NL] += (double)census->alike_not_linear;
    sum->cells[DS2_ORDERS] += (double)census->orders;
    sum->cells[DS2_TS] += census->run_s;
    sum->cells[DS2_TC] += census->check_s;
    sum->is_over = census->is_over;
    sum->runs++;
    if (census->not_linear == 0)
        return;
    sum->cells[DS2_HF] += (double)census->unique_before;
    sum->cells[DS2_TF] += census->first_s;
    sum->found++;
}

static double percent(double part, double whole)
{
    return whole > 0 ? 100 * part / whole : 0;
}

static void finish(const struct sum *sum, bool has_st, struct ds2_outcome *out)
{
    double *cells = out->line.cells;

    *out = (struct ds2_outcome){
        .is_there = true, .is_over = sum->is_over, .runs = sum->runs, .runs_found = sum->found};
    for (size_t i = 0; i < DS2_METRICS; i++)
        cells[i] = sum->cells[i] / sum->runs;
    cells[DS2_HF] = sum->found > 0 ? sum->cells[DS2_HF] / sum->found : DS2_NONE;
    cells[DS2_TF] = sum->found > 0 ? sum->cells[DS2_TF] / sum->found : DS2_NONE;
    cells[DS2_NL_UH] = percent(cells[DS2_NL], cells[DS2_UH]);
    cells[DS2_UH_S] = percent(cells[DS2_UH], cells[DS2_S]);
    cells[DS2_NL_S] = percent(cells[DS2_NL], cells[DS2_S]);
    cells[DS2_TT] = cells[DS2_TS] + cells[DS2_TC];
    if (!has_st)
        cells[DS2_ST] = DS2_NONE;
}

int ds2_measure(const struct ds2_paper_table *table, bool is_fixed,
                const struct ds2_strategy *strategy, const struct ds2_effort *effort,
                struct ds2_outcome *out, char why[512])
{
    const struct sn_test *test = find_test(table->test);
    uint64_t limit = strategy->algorithm == DS2_SR ? LIMIT_OF_SR : LIMIT;
    struct sn_options options = {.strategy = strategy->name,
                                 .iterations = effort->limit > 0 ? effort->limit : limit};
    uint64_t operations = table->size.reads + table->size.writes;
    struct ds2_census census;
    struct sn_result result;
    struct sum sum = {0};
    int rc = 0;

    ds2_parameters.reads = table->size.reads;
    ds2_parameters.writes = table->size.writes;
    ds2_parameters.agents = table->size.agents;
    ds2_parameters.variant = is_fixed ? "fixed" : "asis";
    for (options.seed = 1; rc == 0 && options.seed <= (strategy->is_random ? effort->seeds : 1);
         options.seed++) {
        options.rerun = false;
        rc = ds2_census_take(test, &options, operations, &census, &result);
        if (rc == 0)
            add_counts(&sum, &census);
        if (rc < 0 || effort->is_quick)
            continue;
        options.rerun = true;
        rc = ds2_census_take(test, &options, operations, &census, &result);
        sum.cells[DS2_ST] += census.run_s;
    }
    (void)snprintf(why, 512, "%s", result.failure);
    if (rc < 0)
        return rc;
    finish(&sum, !effort->is_quick, out);
    out->is_lowered = !out->is_over && options.iterations < limit;
    return 0;
}
