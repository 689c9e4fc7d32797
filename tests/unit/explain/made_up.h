/* made_up.h - programs of a few operations that fail if their order fulfils a formula, and answers
 * to what is asked about them. SPDX-License-Identifier: MIT
 */
#ifndef TESTS_UNIT_EXPLAIN_MADE_UP_H
#define TESTS_UNIT_EXPLAIN_MADE_UP_H

#include "explain/sufficient.h"

#include <stddef.h>

enum {
    MADE_UP_OPS_MAX = 256,
    MADE_UP_DRAWS_MAX = 8,
    MADE_UP_NEVER = 1000,
};

/* What happened in a trial. */
struct made_up_run {
    uint32_t at[MADE_UP_OPS_MAX]; /* position of each operation, MADE_UP_NEVER if it did not run */
    uint32_t draws[MADE_UP_DRAWS_MAX];
    uint32_t n_ran;
};

struct made_up_op {
    uint32_t after;  /* the operation that announces it, plus 1; 0: it is there from the start */
    uint32_t object; /* that it touches: operations on one object conflict */
};

struct made_up {
    const struct made_up_op *ops;
    uint32_t n_ops;
    const uint32_t *values; /* how many values each draw has */
    uint32_t n_draws;
    bool (*fails)(const struct made_up_run *run);
    /* Whether an operation is announced, once what announces it has run. NULL: yes. */
    bool (*exists)(const struct made_up_run *run, uint32_t op);
    /* The failing trial: its order and its values. An operation that never ran comes last. */
    const uint32_t *order;
    uint32_t n_order;
    const uint32_t *drawn;
    bool hides_draws; /* values are no items: chance decides on them */
    bool draws_late;  /* when all steps were taken */
    uint32_t n_steps; /* that were really taken; 0: all of the order */

    struct item items[EXPLAIN_ITEMS_MAX];
    uint32_t n_items;
    uint64_t executions;     /* so far */
    uint64_t executions_max; /* the budget; 0: there is none */
    struct asker asker;
    struct sufficient_search search;
};

/* Lists the items of the failing trial: the values, and the orders of operations that conflict and
 * do not announce each other. */
void made_up_open(struct made_up *m);

/* The item that is the order of two operations; fails the test if there is none. */
uint32_t made_up_order(const struct made_up *m, uint32_t first, uint32_t second);

/* Runs a trial that nothing is asked of; true: it fails. */
bool made_up_try(struct made_up *m, uint32_t trial, struct made_up_run *out);

/* Whether an item, the other way round or not, holds in a trial. */
bool made_up_holds(const struct made_up *m, const struct made_up_run *run, uint32_t item);

static inline bool before(const struct made_up_run *run, uint32_t a, uint32_t b)
{
    return run->at[a] < run->at[b];
}

#endif
