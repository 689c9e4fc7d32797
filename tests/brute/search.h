/* search.h - the partial orders that a systematic strategy finds, against the enumerator's.
 * SPDX-License-Identifier: MIT
 */
#ifndef BRUTE_SEARCH_H
#define BRUTE_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct search_totals {
    bool is_printed;    /* everything that was tried is */
    uint64_t n_refused; /* programs about which the enumerator and the library disagree already */
    bool may_miss;      /* set by the caller: that is no news and is not printed */
    bool may_repeat;
    bool makes_no_claim; /* it cannot tell that it has seen everything */
    uint64_t n_programs;
    uint64_t n_traces;
    uint64_t n_schedules;
    uint64_t n_trials;
    uint64_t n_blocked;
    uint64_t n_probes;
    uint64_t n_missed;   /* programs of which a trace was missed */
    uint64_t n_missing;  /* traces that were missed */
    uint64_t n_repeated; /* ... met twice */
    uint64_t n_wrong;    /* ... that went wrong otherwise */
};

/* Runs a strategy to its end on random programs, each of which the enumerator has listed, and
 * prints where they disagree. */
void search_random_programs(const char *strategy, uint64_t n_programs, uint64_t seed,
                            struct search_totals *totals);

/* The same with programs that were made from these seeds. */
void search_programs(const char *strategy, const uint64_t *seeds, size_t n,
                     struct search_totals *totals);

/* Prints a program that was made from this seed, the trials of the strategy, and what it misses. */
void search_and_print(const char *strategy, uint64_t seed);

#endif
