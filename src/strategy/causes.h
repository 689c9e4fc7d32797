/* causes.h - the operations of a trial that could run, what caused each, and what others it looks
 * like: the forest that strategies learn from when the trial has ended.
 *
 * The signature of an operation is the same in every trial and on every machine: who performs it,
 * what it is called (of a process, also where in the code that is), and the same of the step that
 * announced it. Operations with one signature need not be the same. SPDX-License-Identifier: MIT
 */
#ifndef STRATEGY_CAUSES_H
#define STRATEGY_CAUSES_H

#include "engine/trial.h"

enum {
    CAUSES_OPS_MAX = TRIAL_OPS_MAX >> MEM_SAVING_SHIFT,
    CAUSES_MAX = (1 << 20) >> MEM_SAVING_SHIFT, /* operations and steps; later ones are not noted */
    CAUSES_NAMES = 256,
};

struct cause_record {
    uint64_t id;
    uint64_t signature;
    uint64_t look; /* the same without what announced it */
    uint64_t
        object; /* what it is about, its task as a rule; 0: its start, which nothing precedes */
    uint32_t parent; /* that announced it, which was noted before it; 0: none that is known */
    uint32_t weight; /* the user's own, ... */
    uint32_t size;   /* ... and this, too */
    uint32_t task;   /* in this trial */
    bool has_run;
};

/* By the number of an operation that is pending. */
struct cause_pending {
    uint64_t id;
    uint64_t trial; /* the record is of this one; 0: of none */
    uint32_t record;
};

/* What events of one kind of operation are called, which they are throughout a trial. */
struct cause_name {
    const void *what; /* the type of the event */
    uint64_t trial;   /* as in cause_pending */
    uint64_t hash;
    uint32_t kind;
};

/* Zeroed is ready to start. */
struct causes {
    uint64_t trial; /* a number of its own for each */
    uint64_t base;  /* steps before the first one that counts */
    uint32_t n;
    uint32_t n_steps;
    struct cause_name names[CAUSES_NAMES];   /* by the address of the type */
    struct cause_record all[CAUSES_MAX + 1]; /* from 1, in the order in which they were met */
    uint32_t steps[CAUSES_MAX + 1];          /* records, by step counted from base */
    struct cause_pending pending[CAUSES_OPS_MAX];
};

/* A trial begins, in which so many steps have been taken by others. */
void causes_start(struct causes *c, uint64_t base);

/* The record of an operation that can run, made when it is asked for the first time: *is_new. 0:
 * there are too many. */
uint32_t causes_meet(struct causes *c, struct trial *t, const struct sn_op *op, bool *is_new);

/* An operation that was met is about to run, as the step with this number of the whole trial.
 * Returns its record. */
uint32_t causes_run(struct causes *c, uint32_t index, const struct sn_op *op, uint64_t step);

#endif
