/* tree.c - the tree of decisions: room, growth, and exact numbering of operations and traces.
 * SPDX-License-Identifier: MIT */
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
    tree->n_machines = 0;
    tree->n_choices = 0;
    tree->n_observations = 0;
    tree->traces.n = 0;
    tree->traces.n_words = 0;
    tree->searched.n = 0;
    tree->searched.n_words = 0;
    tree->outcomes.n = 0;
    tree->outcomes.n_words = 0;
    tree->generation++;
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

static uint32_t hash_words(const uint32_t *words, uint32_t n)
{
    uint64_t h = n;

    for (uint32_t i = 0; i < n; i++)
        h = stamp_child(h, words[i]);
    return (uint32_t)(h >> 16);
}

static bool is_row(const struct row *a, const struct row *b)
{
    return a->parent == b->parent && a->index == b->index && a->n_created == b->n_created &&
           a->has_sent == b->has_sent && a->to == b->to && a->kind == b->kind &&
           a->event == b->event;
}

uint32_t tree_row(struct tree *tree, const struct row *row)
{
    const uint32_t words[] = {row->parent, row->index, row->n_created, row->has_sent,
                              row->to,     row->kind,  row->event};
    uint32_t i = hash_words(words, 7) % (2 * ROWS_MAX);

    for (; tree->row_slots[i].generation == tree->generation; i = (i + 1) % (2 * ROWS_MAX))
        if (is_row(&tree->rows[tree->row_slots[i].index], row))
            return tree->row_slots[i].index;
    if (tree->n_rows == ROWS_MAX)
        return 0;
    tree->row_slots[i] = (struct slot){tree->generation, tree->n_rows};
    tree->rows[tree->n_rows] = *row;
    return tree->n_rows++;
}

uint8_t tree_machine(struct tree *tree, struct machine_name name)
{
    for (uint8_t i = 1; i <= tree->n_machines; i++)
        if (memcmp(&tree->machines[i], &name, sizeof(name)) == 0)
            return i;
    if (tree->n_machines + 1 == UINT8_MAX)
        return 0;
    tree->machines[++tree->n_machines] = name;
    return tree->n_machines;
}

uint32_t tree_trace(struct tree *tree, struct traces *traces, const uint32_t *words, uint32_t n)
{
    uint32_t i = hash_words(words, n) % (2 * LEAVES_MAX);

    for (; traces->slots[i].generation == tree->generation; i = (i + 1) % (2 * LEAVES_MAX)) {
        const struct trace *known = &traces->all[traces->slots[i].index];

        if (known->n == n && memcmp(&traces->words[known->first], words, n * sizeof(*words)) == 0)
            return traces->slots[i].index;
    }
    if (traces->n == LEAVES_MAX || traces->n_words + n > POOL_MAX)
        return UINT32_MAX;
    traces->slots[i] = (struct slot){tree->generation, traces->n};
    traces->all[traces->n] = (struct trace){traces->n_words, n};
    memcpy(&traces->words[traces->n_words], words, n * sizeof(*words));
    traces->n_words += n;
    return traces->n++;
}
