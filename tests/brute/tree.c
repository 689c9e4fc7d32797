/* tree.c - the tree of decisions: room and growth. SPDX-License-Identifier: MIT */
#include "tree.h"

#include <assert.h>
#include <string.h>

struct tree *tree_new(void)
{
    struct tree *tree = shared_memory(sizeof(*tree));

    tree_clear(tree);
    return tree;
}

void tree_clear(struct tree *tree)
{
    tree->n_nodes = 1;
    tree->n_edges = 0;
    tree->n_leaves = 0;
    tree->n_rows = 1;
    tree->n_choices = 0;
    tree->n_observations = 0;
    tree->n_traces = 0;
    memset(&tree->nodes[0], 0, sizeof(tree->nodes[0]));
    memset(&tree->rows[0], 0, sizeof(tree->rows[0]));
}

bool tree_open(struct tree *tree, uint32_t node, enum node_kind kind, uint8_t n)
{
    assert(tree->nodes[node].kind == NODE_OPEN);
    if (tree->n_edges + n > NODES_MAX || tree->n_nodes + n > NODES_MAX)
        return false;
    tree->nodes[node].kind = (uint8_t)kind;
    tree->nodes[node].n_edges = n;
    tree->nodes[node].first = tree->n_edges;
    for (uint32_t i = 0; i < n; i++) {
        memset(&tree->nodes[tree->n_nodes], 0, sizeof(tree->nodes[0]));
        memset(&tree->edges[tree->n_edges], 0, sizeof(tree->edges[0]));
        tree->edges[tree->n_edges++].child = tree->n_nodes++;
    }
    return true;
}
