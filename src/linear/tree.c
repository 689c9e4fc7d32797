/* tree.c - see tree.h. SPDX-License-Identifier: MIT */
#include "linear/tree.h"

#include <sennit/test.h>

static void update(struct tree *tree, size_t node)
{
    tree->nodes[node] =
        intern_add(&tree->pairs, &tree->nodes[2 * node], 2 * sizeof(tree->nodes[0]));
    tree->is_full = tree->is_full || tree->nodes[node] == INTERN_NONE;
}

int tree_init(struct tree *tree, size_t n, struct pool *pool)
{
    *tree = (struct tree){.n_leaves = 2};
    while (tree->n_leaves < n)
        tree->n_leaves *= 2;
    intern_init(&tree->pairs, pool);
    tree->nodes = pool_alloc(pool, 2 * tree->n_leaves * sizeof(*tree->nodes));
    if (tree->nodes == NULL)
        return SN_ENOMEM;
    for (size_t node = tree->n_leaves - 1; node >= 1; node--)
        update(tree, node);
    return tree->is_full ? SN_ENOMEM : 0;
}

void tree_done(struct tree *tree)
{
    if (tree->pairs.pool != NULL)
        intern_done(&tree->pairs);
}

void tree_set(struct tree *tree, size_t place, uint32_t value)
{
    size_t node = tree->n_leaves + place;

    tree->nodes[node] = value;
    for (node /= 2; node >= 1; node /= 2)
        update(tree, node);
}
