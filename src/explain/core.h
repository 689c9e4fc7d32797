/* core.h - the necessary core: orders that nearly all failing trials have and fewer passing ones.
 *
 * It is what was seen in trials that nobody has forced to anything, so it finds what a sufficient
 * set, which may lie far upstream, does not show. That an order is always there does not say that
 * it is the cause, so the best ones are confirmed: trials are forced to have them, and to have them
 * the other way round; what does not make more of them fail is left out. Among thousands of orders
 * some are rare in passing trials by chance: every second one of those chooses, and the others are
 * counted. SPDX-License-Identifier: MIT
 */
#ifndef EXPLAIN_CORE_H
#define EXPLAIN_CORE_H

#include "explain/ask.h"

enum {
    CORE_MAX = 3,
    CORE_FAILING_MIN = 20, /* trials: fewer say too little */
};

struct core_order {
    uint32_t item;
    uint32_t in_failing;  /* trials that have it */
    uint32_t in_passing;  /* of those that had no part in choosing it */
    struct answer forced; /* how many of the trials fail that must have it */
    struct answer reversed;
};

struct core {
    void *self;
    const struct asker *asker;
    const struct item *items;
    uint32_t n_items;
    uint32_t n_failing; /* trials that were found independently */
    uint32_t n_passing;
    struct answer base; /* of trials that are forced to nothing; empty: it is not known */
    /* Whether a trial has an order: both operations ran in it, or the first one only. */
    bool (*has)(void *self, bool is_failing, uint32_t run, uint32_t item);

    uint32_t n_told; /* of the passing trials: the others have chosen the orders */
    struct core_order orders[CORE_MAX]; /* the fewer passing trials have it the earlier */
    uint32_t n_orders;
};

int core_find(struct core *c);

#endif
