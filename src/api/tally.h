/* tally.h - what the trials of a run add up to, taken in their order.
 * SPDX-License-Identifier: MIT
 */
#ifndef API_TALLY_H
#define API_TALLY_H

#include "api/run.h"
#include "api/signature.h"
#include "engine/discovery.h"
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
    struct signature signature; /* of a trial that has failed */
    struct stack stack;         /* where it ended; n is 0 if that is not known */
    uint32_t run;               /* which run of the trial it was, from 1; 0: it is run once */
    int left;                   /* what it has left behind (enum check_left); 0: nothing */
};

struct tally {
    struct sn_result *result;
    bool is_sampled;  /* trials are drawn independently of each other, and counted by `discovery` */
    uint64_t mark_at; /* after so many trials there is a point of the curve */
    struct run_found found;
    uint64_t kinds[RUN_FAILURES_MAX];
    struct distinct orders;
    uint64_t earlier_orders; /* of those, of the runs before */
    struct discovery discovery;
    uint64_t classes[CLASSES_MAX + 1]; /* trials that are said to be each */
};

/* What tells one finding from another: the signature of a failure; of what else can be found, what
 * is said of it apart from numbers, and where. */
uint64_t finding_kind(const struct finding *f);

/* A trial has ended. */
void tally_trial(struct tally *tally, const struct explore_end *end);

/* The orders of this run that were seen in none before it. */
uint64_t tally_orders(const struct tally *tally);

/* ... and it failed, in a way of which there may be a record already. */
void tally_again(struct tally *tally, uint64_t kind, uint64_t trial, uint64_t steps);

/* ... and it failed. Returns where to put more about it if it is the first of its kind, and NULL if
 * not, or if there are too many kinds. */
struct run_failure *tally_failure(struct tally *tally, const struct finding *f);

/* The one line that says what a trial failed of. */
void finding_describe(const struct verdict *v, char *text, size_t size);

#endif
