/* tree.h - a vector of numbers whose every content has a number of its own, and that costs little
 * memory if few places change from one content to the next.
 *
 * The places are the leaves of a binary tree. A pair of numbers is interned, and its number stands
 * in the node above it: equal vectors have the same root. SPDX-License-Identifier: MIT
 */
#ifndef LINEAR_TREE_H
#define LINEAR_TREE_H

#include "linear/intern.h"

struct tree {
    struct intern pairs;
    uint32_t *nodes; /* the root is the first, the children of i are 2i and 2i + 1 */
    size_t n_leaves; /* a power of two */
    bool is_full;    /* memory has run out: roots mean nothing any more */
};

/* All places are 0. Lives in the pool; tree_done gives back what it has mapped itself. Returns 0 or
 * SN_ENOMEM. */
int tree_init(struct tree *tree, size_t n, struct pool *pool);
void tree_done(struct tree *tree);

void tree_set(struct tree *tree, size_t place, uint32_t value);

static inline uint32_t tree_get(const struct tree *tree, size_t place)
{
    return tree->nodes[tree->n_leaves + place];
}

/* The number of the content. */
static inline uint32_t tree_root(const struct tree *tree)
{
    return tree->nodes[1];
}

#endif
