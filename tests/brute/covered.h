/* covered.h - random programs of machines that only exchange messages, and whether a search meets
 * each of their partial orders exactly once. SPDX-License-Identifier: MIT
 */
#ifndef BRUTE_COVERED_H
#define BRUTE_COVERED_H

#include "campaign.h"

/* What a search has found of the traces that the enumerator has listed. */
struct covered_totals {
    uint64_t n_programs;
    uint64_t n_traces;
    uint64_t n_schedules;
    uint64_t n_trials;
    uint64_t n_missed;   /* programs of which a trace was missed */
    uint64_t n_repeated; /* ... met twice */
    uint64_t n_wrong;    /* ... that went wrong otherwise */
    uint64_t n_refused;  /* ... that the strategy does not search */
};

/* A random program without values, monitors, deferred events, deadlines, faults and inboxes. */
void covered_generate(uint64_t seed, struct program *program);

/* Runs a strategy to its end on a program whose tree is in the campaign, and adds to the totals. */
void covered_search(struct campaign *campaign, const struct program *program, const char *strategy,
                    struct covered_totals *totals);

/* The next random program that can be listed, and its tree. */
void covered_next(struct campaign *campaign, uint64_t *random, struct program *program,
                  void (*make)(uint64_t seed, struct program *program));

#endif
