/* enumerate.c - tries every decision at every moment, going back by copying the whole situation.
 * SPDX-License-Identifier: MIT
 */
#include "enumerate.h"

#include <string.h>

/* The draws of one step, counted up like digits. */
struct digits {
    uint8_t n; /* given */
    uint8_t used;
    uint8_t value[DRAWS_MAX];
    uint8_t bound[DRAWS_MAX];
};

struct enumeration {
    struct performer performer;
    struct limits limits;
    struct tree *tree;
    struct digits *digits;
    uint32_t node;
    uint32_t n_choices;
    uint8_t choices[DECISIONS_MAX];
    struct step steps[STEPS_MAX + 1];
    struct observation observations[OBSERVATIONS_MAX];
};

static void explore(struct enumeration *e, const struct situation *before, uint32_t node);

/* The decision of an edge is taken: goes to its child. */
static void descend(struct enumeration *e, uint8_t edge)
{
    e->choices[e->n_choices++] = edge;
    e->node = e->tree->edges[e->tree->nodes[e->node].first + edge].child;
}

static uint8_t take_draw(void *self, uint8_t n)
{
    struct enumeration *e = self;
    struct digits *digits = e->digits;
    uint8_t i = digits->used;

    if (i == DRAWS_MAX || e->performer.is_out_of_bounds ||
        (e->tree->nodes[e->node].kind == NODE_OPEN && !tree_open(e->tree, e->node, NODE_DRAW, n))) {
        e->performer.is_out_of_bounds = true;
        return 0;
    }
    if (i >= digits->n)
        digits->value[i] = 0;
    digits->bound[i] = n;
    digits->used++;
    descend(e, digits->value[i]);
    return digits->value[i];
}

/* The next values of the draws of a step; false: all have been tried. */
static bool count_up(struct digits *digits)
{
    uint8_t n = digits->used;

    while (n > 0 && digits->value[n - 1] + 1 == digits->bound[n - 1])
        n--;
    if (n == 0)
        return false;
    digits->value[n - 1]++;
    digits->n = n;
    return true;
}

/* Performs operation i (or, if i < 0, begins the trial) with each value of each draw, and goes on.
 */
static void branch(struct enumeration *e, const struct situation *s, uint32_t node, int edge, int i)
{
    struct performer *p = &e->performer;
    struct digits digits = {0};
    uint32_t n_choices = e->n_choices;

    do {
        struct situation next = *s;

        e->n_choices = n_choices;
        e->node = node;
        e->digits = &digits;
        digits.used = 0;
        p->s = &next;
        p->step = &e->steps[i < 0 ? 0 : next.n_steps + 1];
        if (i < 0) {
            situation_begin(p);
        } else {
            descend(e, (uint8_t)edge);
            situation_perform(p, (uint8_t)i);
        }
        if (p->is_out_of_bounds)
            return;
        explore(e, &next, e->node);
    } while (!p->is_out_of_bounds && count_up(&digits));
    e->n_choices = n_choices;
}

static void add_leaf(struct enumeration *e, const struct situation *s, uint32_t node)
{
    struct tree *tree = e->tree;
    struct leaf *leaf = &tree->leaves[tree->n_leaves];

    if (tree->n_leaves == e->limits.leaves_max || tree->n_choices + e->n_choices > POOL_MAX ||
        tree->n_observations + s->n_observations > POOL_MAX) {
        e->performer.is_out_of_bounds = true;
        return;
    }
    tree->nodes[node] = (struct node){.kind = NODE_LEAF, .first = tree->n_leaves++};
    *leaf = (struct leaf){.first_choice = tree->n_choices,
                          .n_choices = (uint16_t)e->n_choices,
                          .first_observation = tree->n_observations,
                          .n_observations = s->n_observations,
                          .n_set_up = s->n_set_up,
                          .trace = trace_number(tree, e->steps, s->n_steps),
                          .searched = trace_number_searched(tree, e->steps, s->n_steps),
                          .outcome = outcome_number(tree, s)};
    memcpy(&tree->choices[tree->n_choices], e->choices, e->n_choices);
    tree->n_choices += e->n_choices;
    memcpy(&tree->observations[tree->n_observations], e->observations,
           s->n_observations * sizeof(e->observations[0]));
    tree->n_observations += s->n_observations;
}

/* Two operations that the public headers cannot tell apart: two timers of one machine, started in
 * one step for one event, or two such messages. (A copy can be told by and by: see walk.c.) */
static bool are_alike(const struct op *a, const struct op *b)
{
    bool are_timers = a->kind == OP_TIMER || a->kind == OP_TIMER_ANY;

    return (are_timers ? b->kind == OP_TIMER || b->kind == OP_TIMER_ANY : a->kind == b->kind) &&
           a->to == b->to && a->from == b->from && a->event == b->event && a->cause == b->cause &&
           !a->is_copy && !b->is_copy;
}

static void list_edges(struct enumeration *e, const struct situation *s, uint32_t node,
                       const uint8_t *enabled, uint8_t n)
{
    struct edge *edges = &e->tree->edges[e->tree->nodes[node].first];

    for (uint8_t i = 0; i < n; i++) {
        const struct op *op = &s->ops[enabled[i]];

        edges[i].row = op->row;
        edges[i].deadline = op->deadline;
        edges[i].kind = op->kind;
        edges[i].task = op->to;
        edges[i].from = op->from;
        edges[i].event = op->event;
        edges[i].cause = op->cause;
        edges[i].is_copy = op->is_copy;
        edges[i].number = op->number;
        edges[i].task_name = s->actors[op->to].name;
        edges[i].from_name = s->actors[op->from].name;
        for (uint8_t j = 0; j < i; j++)
            e->performer.is_out_of_bounds |= are_alike(op, &s->ops[enabled[j]]);
    }
}

static void explore(struct enumeration *e, const struct situation *before, uint32_t node)
{
    struct situation s = *before;
    uint8_t enabled[OPS_MAX];
    uint8_t n;

    e->performer.s = &s;
    n = situation_enabled(&e->performer, enabled);
    if (n == 0) {
        add_leaf(e, &s, node);
        return;
    }
    if (s.n_steps == e->limits.steps_max || !tree_open(e->tree, node, NODE_PICK, n)) {
        e->performer.is_out_of_bounds = true;
        return;
    }
    list_edges(e, &s, node, enabled, n);
    for (uint8_t i = 0; i < n && !e->performer.is_out_of_bounds; i++)
        branch(e, &s, node, i, enabled[i]);
}

bool enumerate(const struct program *program, const struct limits *limits, struct tree *tree,
               uint64_t features[FEATURES])
{
    struct enumeration e = {.limits = *limits, .tree = tree};
    const struct situation nothing = {0};

    tree_clear(tree);
    e.performer = (struct performer){.program = program,
                                     .tree = tree,
                                     .drawer = {take_draw, &e},
                                     .observations = e.observations};
    branch(&e, &nothing, 0, 0, -1);
    if (e.performer.is_out_of_bounds || tree->n_leaves < limits->leaves_min)
        return false;
    for (int i = 0; i < FEATURES; i++)
        features[i] += e.performer.features[i];
    return true;
}
