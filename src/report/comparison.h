/* comparison.h - strategies side by side: how often each one's trials of a test fail.
 *
 * What is judged is the share of trials that fail, with Wilson's interval; trials per second depend
 * on the machine and are only told. Two strategies are told apart if their intervals do not
 * overlap. SPDX-License-Identifier: MIT
 */
#ifndef REPORT_COMPARISON_H
#define REPORT_COMPARISON_H

#include "base/err.h"
#include "base/estimate.h"
#include "base/text.h"
#include "report/run_report.h"

enum {
    COMPARISON_STRATEGIES_MAX = 32,
    COMPARISON_NAME_MAX = 128, /* bytes of the name of a strategy, with the zero byte */
};

/* How a strategy did in a test. */
struct comparison_row {
    const char *strategy;
    bool is_run;       /* false: the comparison was interrupted before, and the rest is empty */
    bool is_cut_short; /* it was interrupted, or its time was up: there are fewer trials */
    bool is_sampled;   /* its trials are drawn; otherwise there is no interval, and no rank */
    uint64_t trials;   /* without those that could not go on as is required */
    uint64_t failed;
    uint64_t steps;  /* of all trials */
    uint64_t orders; /* distinct */
    double seconds;
    char problem[512]; /* why the run has come to no result; "" if it has */

    /* ---- What follows from these ------------------------------------------------------------ */

    struct interval interval; /* of the share that fails */
    /* Among the strategies of the test: behind all whose interval lies above its own, before all
     * whose interval lies below. 0: it has none. */
    uint32_t rank_first;
    uint32_t rank_last;
    double mean;     /* trials until one fails; 0: none has failed */
    uint64_t median; /* the same; 0: not known */
    bool is_least;   /* it is more than that */
};

struct comparison_test {
    const char *name;
    struct comparison_row rows[COMPARISON_STRATEGIES_MAX];
};

struct comparison {
    const char *suite;
    const char *program;     /* as it was called */
    const char *const *args; /* what made it this program */
    size_t n_args;
    uint64_t iterations;
    uint64_t seed;
    uint32_t n_strategies;
    size_t n_tests;
    struct comparison_test *tests;
    bool is_interrupted;
};

/* Fills in what a run has shown, and the interval, mean and median. */
void comparison_take(struct comparison_row *row, const struct run_outcome *outcome);

/* Fills in the ranks, once all of a test's rows are there. */
void comparison_rank(struct comparison_test *test, uint32_t n_strategies);

/* The table of a test, and what it says. */
void comparison_text(struct sn_text *out, const struct comparison *c,
                     const struct comparison_test *test);

/* All of it, as one JSON object. */
void comparison_json(struct sn_text *out, const struct comparison *c);

/* All of it as a picture: SVG that needs nothing else. 0, or SN_E* with a sentence. */
int comparison_picture(const struct comparison *c, const char *path, struct err *why);

/* Appends a share with as many digits as tell. */
void comparison_put_share(struct sn_text *out, double share);

#endif
