/* tally.h - what the trials of a run add up to, taken in their order.
 * SPDX-License-Identifier: MIT
 */
#ifndef API_TALLY_H
#define API_TALLY_H

#include "api/run.h"
#include "engine/distinct.h"
#include "engine/explore.h"

/* A trial that did not pass, as it was judged. */
struct finding {
    uint64_t trial;
    uint64_t steps;
    uint64_t order;
    uint64_t fair_from;
    uint64_t mark;
    bool cut;
    bool nondeterministic; /* verdict.message says how */
    bool has_died;         /* the process */
    int killed_by;         /* SIGKILL or SIGTERM, and not its parent; 0: it was not killed */
    struct verdict verdict;
    struct stack stack; /* where it ended; n is 0 if that is not known */
    int left;           /* what it has left behind (enum check_left); 0: nothing */
};

struct tally {
    struct sn_result *result;
    struct run_found found;
    uint64_t kinds[RUN_FAILURES_MAX];
    struct distinct orders;
};

/* What tells one failure from another: the oracle and the place, or what it says apart from
 * numbers. */
uint64_t finding_kind(const struct finding *f);

/* A trial has ended. */
void tally_trial(struct tally *tally, const struct explore_end *end);

/* ... and it failed, in a way of which there may be a record already. */
void tally_again(struct tally *tally, uint64_t kind);

/* ... and it failed. Returns where to put more about it if it is the first of its kind, and NULL if
 * not, or if there are too many kinds. */
struct run_failure *tally_failure(struct tally *tally, const struct finding *f);

/* The one line that says what a trial failed of. */
void finding_describe(const struct verdict *v, char *text, size_t size);

#endif
