/* campaign.h - many programs, each compared in several ways. SPDX-License-Identifier: MIT */
#ifndef BRUTE_CAMPAIGN_H
#define BRUTE_CAMPAIGN_H

#include "compare.h"

struct campaign {
    struct tree *tree;
    struct comparison *comparison;
    uint64_t n_programs; /* compared */
    uint64_t n_leaves;   /* schedules of them */
    uint64_t n_traces;
    uint64_t n_runs[WAYS];
    uint64_t n_visited[WAYS]; /* schedules visited by these */
    uint64_t wrong[WAYS][WRONGS];
    uint64_t features[FEATURES];
};

/* In shared memory, so that children count too. */
struct campaign *campaign_new(void);

/* Compares n random programs. The first one that shows something wrong is made small and printed to
 * stderr. With BRUTE_CAREFUL in the environment each program is compared in a process of its own,
 * so that one that kills or hangs it is found; that is slower. */
void campaign_run(struct campaign *campaign, uint64_t seed, uint64_t n);

/* Compares one program in the ways of a set (1 << way) until one shows something wrong; the tree is
 * filled already. What was found is in campaign->comparison. */
void campaign_compare(struct campaign *campaign, const struct program *program, uint32_t ways);

/* Makes a program smaller for as long as it shows the same, and prints it and what is wrong. */
void campaign_report(struct campaign *campaign, const struct program *program, uint32_t ways);

#endif
