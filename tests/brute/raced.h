/* raced.h - trials of a run as brute force sees them, compared with what conflict analysis found
 * and did: which steps raced, what is known of kinds of operations, and what runs at once.
 *
 * Written from docs/strategies.md. SPDX-License-Identifier: MIT
 */
#ifndef BRUTE_RACED_H
#define BRUTE_RACED_H

#include "captured.h"

enum { RACED_KINDS_MAX = 1024, RACED_PENDING_MAX = 32 };

/* What an operation is known by: equal for two exactly if the same is known of both. */
struct kind {
    uint64_t who;
    uint32_t what;
    uint32_t site;
};

struct raced_op {
    struct kind kind;
    bool is_always_explored; /* a fault, or a timer that may fire at any moment */
};

/* A trial as brute force sees it. */
struct raced_trial {
    struct paths paths;
    struct raced_op ran[PATHS_STEPS_MAX + 1];
    uint32_t n_pending[PATHS_STEPS_MAX + 1]; /* what could have run instead, itself included */
    struct raced_op pending[PATHS_STEPS_MAX + 1][RACED_PENDING_MAX];
};

/* Counts of all programs; those from n_wrong_races on should stay 0. */
struct raced_totals {
    uint64_t n_programs;
    uint64_t n_trials;
    uint64_t n_analysed;
    uint64_t n_skipped; /* trials that were not to be analysed */
    uint64_t n_steps;
    uint64_t n_pairs;
    uint64_t n_calm;   /* analysed steps that did not race */
    uint64_t n_quiet;  /* steps that ran at once, ... */
    uint64_t n_kept;   /* ... when something else could have, and was not let */
    uint64_t n_waited; /* of trials in which nothing is quiet: something else ran before what is */
    uint64_t n_false_negatives;
    uint64_t n_false_positives;
    uint64_t n_kinds;
    uint64_t n_odd;            /* trials that cannot be compared */
    uint64_t n_wrong_races;    /* trials in which other steps raced, ... */
    uint64_t n_wrong_kinds;    /* ... operations were told apart or not, and should not or should */
    uint64_t n_wrong_known;    /* ... something else was known when they began, ... */
    uint64_t n_wrong_analysed; /* ... that were analysed or not, and should not or should, ... */
    uint64_t n_wrong_picks;    /* ... in which something quiet had to wait */
    uint64_t n_wrong_figures;  /* runs that told other figures */
};

/* A run begins, in which nothing is known. Operations of one kind differ in who performs them,
 * unless who is left out (`is_by_site`). */
void raced_begin(bool is_by_site);

/* Fills in everything but paths.races, and may not know a trial: false. */
typedef bool raced_read(void *self, uint32_t number, struct raced_trial *out);

/* Compares what was captured of a run with what is read. False: something is wrong, and was
 * printed. */
bool raced_compare(const struct sn_result *result, raced_read *read, void *self,
                   struct raced_totals *totals);

void raced_print_totals(const char *what, const struct raced_totals *totals);

#endif
