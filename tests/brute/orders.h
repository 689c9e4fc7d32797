/* orders.h - orders of operations that are required of a program's schedules, and which of them are
 * as required, found by walking through the tree of all. SPDX-License-Identifier: MIT
 */
#ifndef BRUTE_ORDERS_H
#define BRUTE_ORDERS_H

#include "tree.h"

#include <stddef.h>

enum { ORDERS_MAX = 3, ORDER_TEXT_MAX = 600 };

/* A class of operations, or one of them. */
struct pattern {
    struct edge like;
    bool has_sender; /* the sender must be the same, ... */
    bool has_number; /* ... and the number */
};

/* What comes first, or later: an operation, or the first one after another. */
struct side {
    struct pattern what;
    struct pattern anchor;
    bool has_anchor;
};

struct order {
    struct side first;
    struct side later;
};

struct orders {
    uint32_t n;
    struct order all[ORDERS_MAX];
    char texts[ORDERS_MAX][ORDER_TEXT_MAX];
    const char *list[ORDERS_MAX + 1]; /* for sn_options.require */
};

/* Writes what is meant as --require takes it; returns how much that is. */
size_t pattern_put(char *text, size_t size, const struct tree *tree, const struct pattern *p);

/* Between one and three orders of operations that some schedule has. */
void orders_draw(struct orders *orders, const struct tree *tree, uint64_t *random);

/* What is left of the tree if the orders are respected. */
struct orders_left {
    uint64_t n_leaves; /* schedules that come to their end */
    uint64_t n_stuck;  /* that cannot */
    bool *is_left;     /* by leaf */
};

void orders_apply(const struct orders *orders, const struct tree *tree, struct orders_left *left);

#endif
