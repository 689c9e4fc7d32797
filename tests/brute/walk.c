/* walk.c - a strategy of our own that takes the engine along every path of the enumerator's tree.
 *
 * At each moment it compares what the engine offers with what the enumerator found enabled, and
 * learns the engine's id of each operation. It visits the leaves in random order and keeps a random
 * part of what two successive ones have in common, so that going back is tried from and to
 * everywhere. SPDX-License-Identifier: MIT
 */
#include "compare.h"
#include "generate.h"

#include <string.h>

/* Set before a run and not changed by it; what it points to is in shared memory. */
static struct comparison *walking;
static bool has_fault_task; /* it comes before all machines */

/* Whether a copy of a message can ever run on the way to a leaf. */
static bool has_copy(const struct tree *tree, const struct leaf *leaf)
{
    uint32_t at = 0;

    for (int i = 0; i < leaf->n_choices; i++) {
        const struct node *node = &tree->nodes[at];

        for (uint32_t e = 0; node->kind == NODE_PICK && e < node->n_edges; e++)
            if (tree->edges[node->first + e].is_copy)
                return true;
        at = tree->edges[node->first + tree->choices[leaf->first_choice + (uint32_t)i]].child;
    }
    return false;
}

void walk_attach(struct comparison *c, bool has_faults)
{
    uint32_t n = 0;

    walking = c;
    has_fault_task = has_faults;
    for (uint32_t i = 0; i < c->tree->n_leaves; i++) {
        uint32_t j = random_below(&c->random, i + 1);

        c->sequence[i] = c->sequence[j];
        c->sequence[j] = i;
    }
    /* Those without copies first. What a copy is mistaken for has been met then. */
    for (uint32_t i = 0; i < c->tree->n_leaves; i++) {
        uint32_t leaf = c->sequence[i];

        if (!has_copy(c->tree, &c->tree->leaves[leaf])) {
            c->sequence[i] = c->sequence[n];
            c->sequence[n++] = leaf;
        }
    }
}

static void fail(struct comparison *c, enum wrong wrong)
{
    if (c->wrong == WRONG_NOTHING) {
        c->wrong = wrong;
        c->wrong_at = c->n_trials;
        c->wrong_node = c->node;
    }
}

/* Other operations were offered than can run: keeps them to be shown. */
static void fail_offered(struct comparison *c, const struct sn_pending *pending)
{
    fail(c, WRONG_PENDING);
    c->n_offered = 0;
    for (uint32_t i = 0; i < sn_pending_count(pending) && i < OPS_MAX; i++)
        c->offered[c->n_offered++] = *sn_pending_op(pending, i);
}

static const struct edge *edge_at(const struct comparison *c)
{
    const struct tree *tree = c->tree;
    const struct leaf *leaf = &tree->leaves[c->leaf];
    uint8_t choice = c->depth < leaf->n_choices ? tree->choices[leaf->first_choice + c->depth] : 0;

    return &tree->edges[tree->nodes[c->node].first + choice];
}

static void descend(struct comparison *c)
{
    c->node = edge_at(c)->child;
    c->depth++;
}

static bool walk_begin(void *self, uint64_t trial, uint64_t *keep)
{
    struct comparison *c = walking;
    const struct leaf *before = &c->tree->leaves[c->leaf];
    uint32_t n_common = 0;

    (void)self;
    if (trial >= c->tree->n_leaves || c->wrong != WRONG_NOTHING)
        return false;
    c->leaf = c->sequence[trial];
    if (trial > 0) {
        const uint8_t *a = &c->tree->choices[before->first_choice];
        const uint8_t *b = &c->tree->choices[c->tree->leaves[c->leaf].first_choice];

        while (a[n_common] == b[n_common]) /* no leaf's choices are a prefix of another's */
            n_common++;
        *keep = random_below(&c->random, n_common + 1);
    }
    c->node = 0;
    c->depth = 0;
    while (c->depth < *keep)
        descend(c);
    return true;
}

/* The engine's number of a task. */
static uint32_t task_number(uint8_t task)
{
    if (task == 0)
        return 0;
    return task == FAULT_TASK ? 1 : (uint32_t)task + has_fault_task;
}

static bool is_fault(const struct sn_op *op, const char *name)
{
    return op->kind == SN_OP_FAULT && strcmp(((const struct sn_event *)op->what)->name, name) == 0;
}

static bool is_edge(const struct edge *edge, const struct sn_op *op)
{
    if (task_number(edge->task) != op->task || task_number(edge->from) != op->from ||
        edge->cause != op->cause)
        return false;
    switch (edge->kind) {
    case OP_START:
        return op->kind == SN_OP_START;
    case OP_DELIVER:
        return op->kind == SN_OP_DELIVER && op->what == interpret_event(edge->event);
    case OP_TIMER:
        return op->kind == SN_OP_TIMER && op->what == interpret_event(edge->event) &&
               op->deadline == edge->deadline;
    case OP_TIMER_ANY:
        return op->kind == SN_OP_TIMER && op->what == interpret_event(edge->event);
    case OP_FAULT:
        return is_fault(op, fault_names[edge->event]);
    default:
        return is_fault(op, edge->event != 0 ? "restart" : "heal") &&
               op->deadline == edge->deadline;
    }
}

/* Whether the operation is known as another one of this moment. */
static bool is_of_another(const struct comparison *c, const struct edge *edge, uint64_t id)
{
    const struct node *node = &c->tree->nodes[c->node];

    for (uint32_t e = 0; e < node->n_edges; e++) {
        const struct edge *other = &c->tree->edges[node->first + e];

        if (other != edge && c->tree->rows[other->row].id == id)
            return true;
    }
    return false;
}

/* The place of an edge's operation among those offered; UINT32_MAX: it is not there. */
static uint32_t find_offered(const struct comparison *c, const struct edge *edge,
                             const struct sn_pending *pending)
{
    uint64_t known = c->tree->rows[edge->row].id;
    uint32_t found = UINT32_MAX;

    for (uint32_t i = 0; i < sn_pending_count(pending); i++) {
        const struct sn_op *op = sn_pending_op(pending, i);

        if (!is_edge(edge, op))
            continue;
        if (op->id == known)
            return i;
        if (!is_of_another(c, edge, op->id))
            found = i;
    }
    return found;
}

static uint32_t walk_pick(void *self, const struct sn_pending *pending)
{
    struct comparison *c = walking;
    const struct node *node = &c->tree->nodes[c->node];
    const struct edge *wanted = edge_at(c);
    uint32_t n = sn_pending_count(pending);
    uint32_t picked = 0;

    (void)self;
    if (c->wrong == WRONG_NOTHING && (node->kind != NODE_PICK || node->n_edges != n))
        fail_offered(c, pending);
    if (c->wrong != WRONG_NOTHING)
        return UINT32_MAX; /* nothing that was offered: the trial ends */
    for (uint32_t e = 0; e < n; e++) {
        struct edge *edge = &c->tree->edges[node->first + e];
        struct row *row = &c->tree->rows[edge->row];
        uint32_t i = find_offered(c, edge, pending);

        if (i == UINT32_MAX) {
            fail_offered(c, pending);
            return UINT32_MAX;
        }
        edge->id = sn_pending_op(pending, i)->id;
        if (row->id != 0 && row->id != edge->id)
            fail(c, WRONG_ID);
        row->id = edge->id;
        picked = edge == wanted ? i : picked;
    }
    descend(c);
    return picked;
}

static uint64_t walk_draw(void *self, const struct sn_draw *draw)
{
    struct comparison *c = walking;
    const struct node *node = &c->tree->nodes[c->node];
    uint64_t value;

    (void)self;
    if (c->wrong != WRONG_NOTHING)
        return 0;
    if (node->kind != NODE_DRAW || node->n_edges != draw->n) {
        fail(c, WRONG_PENDING);
        return 0;
    }
    value = (uint64_t)(edge_at(c) - &c->tree->edges[node->first]);
    descend(c);
    return value;
}

const struct sn_strategy walk_strategy = {
    .name = "brute-walk",
    .about = "every path of the enumerator's tree",
    .state_size = 8,
    .begin = walk_begin,
    .pick = walk_pick,
    .draw = walk_draw,
};
