/* comparison.c - see comparison.h: what the figures of a comparison are.
 *
 * Trials to a failure. The trials of a strategy are independent, so the number of trials from one
 * failure to the next is distributed as that to the first: a run of many trials is many waits. The
 * last wait has no end, and counts as longer than it has lasted. SPDX-License-Identifier: MIT
 */
#include "report/comparison.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WAITS_MAX = 2048 };

/* ---- Trials to a failure -------------------------------------------------------------------- */

/* Of each way to fail only the first trials are known by their numbers: up to which trial all of
 * them are. */
static uint64_t known_until(const struct run_outcome *outcome)
{
    uint64_t until = UINT64_MAX;

    for (size_t i = 0; i < outcome->n_failures; i++) {
        const struct run_failure *f = &outcome->failures[i];

        if (f->n_trials < f->count && f->trials[f->n_trials - 1] < until)
            until = f->trials[f->n_trials - 1];
    }
    return until;
}

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a;
    uint64_t y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static size_t list_trials(const struct run_outcome *outcome, uint64_t until, uint64_t *trials)
{
    size_t n = 0;

    for (size_t i = 0; i < outcome->n_failures; i++) {
        const struct run_failure *f = &outcome->failures[i];

        for (uint32_t k = 0; k < f->n_trials && n < WAITS_MAX; k++) {
            if (f->trials[k] <= until)
                trials[n++] = f->trials[k];
        }
    }
    qsort(trials, n, sizeof(trials[0]), compare);
    return n;
}

/* The wait that half of all waits do not exceed, as Kaplan and Meier estimate it: one that has not
 * ended counts for as long as it has lasted. */
static void find_median(struct comparison_row *row, const uint64_t *waits, size_t n, uint64_t open)
{
    double longer = 1; /* the part of waits that are */
    size_t left = n + (open > 0);
    bool is_open = open > 0;

    for (size_t i = 0; i < n; i++) {
        if (is_open && open < waits[i]) {
            is_open = false;
            left--;
        }
        longer *= 1 - 1 / (double)left--;
        row->median = waits[i];
        if (longer <= 0.5)
            return;
    }
    row->median = open;
    row->is_least = true;
}

static void take_median(struct comparison_row *row, const struct run_outcome *outcome)
{
    uint64_t until = known_until(outcome);
    uint64_t waits[WAITS_MAX];
    size_t n = list_trials(outcome, until, waits);
    uint64_t before = 0; /* trials up to the last failure */
    uint64_t counted = 0;

    for (size_t i = 0; i < outcome->n_failures; i++)
        counted += outcome->failures[i].count;
    if (counted != row->failed)
        return; /* there were too many ways to fail, and nobody knows when the others came */
    for (size_t i = 0; i < n; i++) {
        uint64_t at = waits[i] + 1;

        waits[i] = at - before;
        before = at;
    }
    qsort(waits, n, sizeof(waits[0]), compare);
    find_median(row, waits, n, until == UINT64_MAX ? outcome->result->trials - before : 0);
}

/* ---- Rows ----------------------------------------------------------------------------------- */

void comparison_take(struct comparison_row *row, const struct run_outcome *outcome)
{
    const struct sn_result *r = outcome->result;

    row->is_run = true;
    row->is_cut_short = outcome->is_interrupted || outcome->is_timed_out;
    row->trials = r->trials - r->stuck;
    row->failed = r->failures;
    row->steps = r->steps;
    row->orders = r->distinct_orders;
    row->seconds = outcome->seconds;
    if (outcome->rc < 0 || r->nondeterministic || r->verdict == SN_UNCONTROLLED)
        (void)snprintf(row->problem, sizeof(row->problem), "%s", r->failure);
    row->interval = estimate_wilson(row->failed, row->trials);
    row->mean = row->failed > 0 ? (double)row->trials / (double)row->failed : 0;
    take_median(row, outcome);
}

static bool is_ranked(const struct comparison_row *row)
{
    return row->is_run && row->is_sampled && row->problem[0] == '\0' && row->trials > 0;
}

void comparison_rank(struct comparison_test *test, uint32_t n_strategies)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < n_strategies; i++)
        n += is_ranked(&test->rows[i]);
    for (uint32_t i = 0; i < n_strategies; i++) {
        struct comparison_row *row = &test->rows[i];
        uint32_t above = 0;
        uint32_t below = 0;

        for (uint32_t k = 0; k < n_strategies; k++) {
            const struct comparison_row *other = &test->rows[k];

            above += is_ranked(other) && other->interval.low > row->interval.high;
            below += is_ranked(other) && other->interval.high < row->interval.low;
        }
        row->rank_first = is_ranked(row) ? above + 1 : 0;
        row->rank_last = is_ranked(row) ? n - below : 0;
    }
}

void comparison_put_share(struct sn_text *out, double share)
{
    text_print(out, share == 0 || share == 1 ? "%.0f" : share < 0.001 ? "%.2e" : "%.4f", share);
}
