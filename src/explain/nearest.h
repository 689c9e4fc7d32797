/* nearest.h - the passing trial that differs least from a failing one.
 *
 * It is looked for among trials that go as the failing one does but for one order, which is
 * reversed. Where those differ in more than a few orders, showing one would mislead.
 * SPDX-License-Identifier: MIT
 */
#ifndef EXPLAIN_NEAREST_H
#define EXPLAIN_NEAREST_H

#include "explain/ask.h"

/* How a trial with one order reversed came out. */
struct neighbour {
    bool passes; /* and did not get stuck */
    uint32_t
        inversions; /* orders of the failing trial that are reversed in it, this one included */
    uint32_t alone; /* operations that ran in one of the two only */
};

struct nearest {
    void *self;
    const struct item *items;
    uint32_t n_items;
    const uint32_t *before; /* items that are tried before all others, ... */
    uint32_t n_before;
    uint32_t near_max; /* ... which are not tried if one of these has so few inversions */
    uint32_t tries_max;
    /* 0, EXPLAIN_OVER, or a negative SN_E*. */
    int (*reverse)(void *self, uint32_t item, struct neighbour *out);

    uint32_t tried;
    bool is_found;
    uint32_t item; /* that is reversed in the nearest one */
    struct neighbour best;
};

/* Tries orders: those that were named, then those of higher rank first. */
int nearest_find(struct nearest *n);

#endif
