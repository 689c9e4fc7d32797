/* bounded.h - the situations in which the schedules of a bounded search end, with and without a
 * cache. SPDX-License-Identifier: MIT
 */
#ifndef BRUTE_BOUNDED_H
#define BRUTE_BOUNDED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bounded_totals {
    uint64_t n_programs;
    uint64_t n_outcomes;   /* within the bound */
    uint64_t n_plain;      /* trials of delay:D */
    uint64_t n_cached;     /* of the strategy that is compared with it */
    uint64_t n_pruned;     /* trials that it left */
    uint64_t n_missed;     /* programs of which an outcome was missed */
    uint64_t n_strange;    /* of which one was found that delay:D does not find */
    uint64_t n_wrong;      /* that went wrong otherwise */
    uint64_t n_incomplete; /* with delays without end: of which not all outcomes were found */
};

/* A strategy that is compared with delay:D: NAME:D:cache, or a mutant's NAME:D. Less than no delays
 * means enough for every schedule. */
struct bounded_case {
    const char *name;
    int delays;
    struct bounded_totals totals;
};

/* Compares all of them on random programs. */
void bounded_random_programs(struct bounded_case *cases, size_t n_cases, uint64_t n_programs,
                             uint64_t seed);

/* Compares one on programs that were made from these seeds. */
void bounded_programs(struct bounded_case *compared, const uint64_t *seeds, size_t n);

#endif
