/* ds2_measure.h - one search on one of DS2's systems, measured.
 * SPDX-License-Identifier: MIT
 */
#ifndef BENCH_DS2_MEASURE_H
#define BENCH_DS2_MEASURE_H

#include "ds2_paper.h"

#include <stdbool.h>
#include <stddef.h>

/* A strategy that has a line in each table. */
struct ds2_strategy {
    const char *name;
    enum ds2_algorithm algorithm; /* of DS2 that it stands beside; DS2_ALGORITHMS: none */
    bool is_random;               /* the mean of several seeds is measured */
    bool is_drawn;                /* it is in the figures */
};

enum { DS2_STRATEGIES = 14 };

extern const struct ds2_strategy ds2_strategies[DS2_STRATEGIES];

struct ds2_effort {
    uint64_t limit; /* schedules of each search; 0: as DS2, 50,000 or for SR 100,000 */
    unsigned seeds; /* of strategies that are random */
    bool is_quick;  /* ST is not measured */
};

/* What a search did. */
struct ds2_outcome {
    struct ds2_line line;
    bool is_there;   /* false: it was not measured */
    bool is_over;    /* it came to an end by itself */
    bool is_lowered; /* it was ended by a limit lower than DS2's */
    unsigned runs;
    unsigned runs_found; /* of these, how many have found a history that is not linearizable */
};

/* Everything that was measured: by table and by strategy. */
struct ds2_results {
    bool is_measured[DS2_PAPER_TABLES];
    struct ds2_outcome outcomes[DS2_PAPER_TABLES][DS2_STRATEGIES];
};

/* Whether this build has a strategy; if not, a sentence is in why. */
bool ds2_has_strategy(const char *name, char *why, size_t size);

/* Measures a strategy on the system of a table; `is_fixed` is about the register alone. 0, or a
 * negative SN_E* with a sentence in why. */
int ds2_measure(const struct ds2_paper_table *table, bool is_fixed,
                const struct ds2_strategy *strategy, const struct ds2_effort *effort,
                struct ds2_outcome *out, char why[512]);

#endif
