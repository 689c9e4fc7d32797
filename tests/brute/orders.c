/* orders.c - see orders.h. SPDX-License-Identifier: MIT */
#include "orders.h"

#include "generate.h"
#include "program.h"

#include <string.h>

/* ---- What is meant --------------------------------------------------------------------------- */

static bool is_timer(const struct edge *e)
{
    return e->kind == OP_TIMER || e->kind == OP_TIMER_ANY;
}

static bool is_repair(const struct edge *e)
{
    return e->kind == OP_REPAIR || e->kind == OP_REPAIR_ANY;
}

static bool is_same_kind(const struct edge *a, const struct edge *b)
{
    if (is_repair(a) && is_repair(b))
        return (a->event != 0) == (b->event != 0);
    if (a->kind == OP_START && b->kind == OP_START)
        return true;
    return (a->kind == b->kind || (is_timer(a) && is_timer(b))) && a->event == b->event;
}

static bool matches(const struct pattern *p, const struct edge *e)
{
    return is_same_kind(&p->like, e) &&
           (e->kind >= OP_FAULT || p->like.task_name == e->task_name) &&
           (!p->has_sender || p->like.from_name == e->from_name) &&
           (!p->has_number || p->like.number == e->number);
}

/* What has run so far of an order. */
struct past {
    bool has_first;
    bool has_first_anchor;
    bool has_later_anchor;
};

static bool is_held(const struct order *o, const struct past *past, const struct edge *e)
{
    return matches(&o->later.what, e) && !past->has_first &&
           (!o->later.has_anchor || past->has_later_anchor);
}

static struct past past_after(const struct order *o, const struct past *past, const struct edge *e)
{
    struct past next = *past;

    next.has_first |=
        matches(&o->first.what, e) && (!o->first.has_anchor || past->has_first_anchor);
    next.has_first_anchor |= o->first.has_anchor && matches(&o->first.anchor, e);
    next.has_later_anchor |= o->later.has_anchor && matches(&o->later.anchor, e);
    return next;
}

struct pasts {
    struct past all[ORDERS_MAX];
};

static void walk(const struct orders *orders, const struct tree *tree, uint32_t at,
                 struct pasts pasts, struct orders_left *left)
{
    const struct node *node = &tree->nodes[at];
    uint32_t n_gone = 0;

    if (node->kind == NODE_LEAF) {
        left->is_left[node->first] = true;
        left->n_leaves++;
        return;
    }
    for (uint32_t i = 0; i < node->n_edges; i++) {
        const struct edge *e = &tree->edges[node->first + i];
        struct pasts next = pasts;
        bool is_gone = false;

        for (uint32_t k = 0; node->kind == NODE_PICK && k < orders->n; k++) {
            is_gone |= is_held(&orders->all[k], &pasts.all[k], e);
            next.all[k] = past_after(&orders->all[k], &pasts.all[k], e);
        }
        n_gone += is_gone;
        if (!is_gone)
            walk(orders, tree, e->child, next, left);
    }
    left->n_stuck += n_gone == node->n_edges;
}

void orders_apply(const struct orders *orders, const struct tree *tree, struct orders_left *left)
{
    const struct pasts none = {0};

    left->n_leaves = left->n_stuck = 0;
    memset(left->is_left, 0, tree->n_leaves * sizeof(left->is_left[0]));
    walk(orders, tree, 0, none, left);
}

/* ---- Words ----------------------------------------------------------------------------------- */

static size_t put_machine(char *text, size_t size, const struct tree *tree, uint8_t name)
{
    const struct machine_name *m = &tree->machines[name];
    size_t n = 0;

    if (name == 0)
        return (size_t)snprintf(text, size, "nobody");
    if (m->creator != 0) {
        n = put_machine(text, size, tree, m->creator);
        n += (size_t)snprintf(text + n, size - n, "/");
    }
    n += (size_t)snprintf(text + n, size - n, "T%d", m->type);
    if (m->number > 1)
        n += (size_t)snprintf(text + n, size - n, "#%d", m->number);
    return n;
}

size_t pattern_put(char *text, size_t size, const struct tree *tree, const struct pattern *p)
{
    const struct edge *e = &p->like;
    char task[100];
    char from[100];
    char event[20];
    size_t n;

    (void)put_machine(task, sizeof(task), tree, e->task_name);
    (void)put_machine(from, sizeof(from), tree, e->from_name);
    (void)snprintf(event, sizeof(event), e->event == EVENT_HALT ? "halt" : "E%d", e->event);
    if (e->kind == OP_START)
        n = (size_t)snprintf(text, size, "start %s", task);
    else if (e->kind == OP_DELIVER)
        n = (size_t)snprintf(text, size, "deliver %s to %s%s%s", event, task,
                             p->has_sender ? " from " : "", p->has_sender ? from : "");
    else if (is_timer(e))
        n = (size_t)snprintf(text, size, "timer %s of %s", event, task);
    else if (e->kind == OP_FAULT)
        n = (size_t)snprintf(text, size, "fault %s", fault_names[e->event]);
    else
        n = (size_t)snprintf(text, size, "fault %s", e->event != 0 ? "restart" : "heal");
    if (p->has_number)
        n += (size_t)snprintf(text + n, size - n, " number %d", e->number);
    return n;
}

static size_t put_side(char *text, size_t size, const struct tree *tree, const struct side *side)
{
    size_t n = 0;

    if (side->has_anchor)
        n = (size_t)snprintf(text, size, "first ");
    n += pattern_put(text + n, size - n, tree, &side->what);
    if (!side->has_anchor)
        return n;
    n += (size_t)snprintf(text + n, size - n, " after (");
    n += pattern_put(text + n, size - n, tree, &side->anchor);
    return n + (size_t)snprintf(text + n, size - n, ")");
}

/* ---- Drawing --------------------------------------------------------------------------------- */

/* An operation that can run somewhere. */
static struct pattern draw_pattern(const struct tree *tree, uint64_t *random, bool can_have_number)
{
    struct pattern p = {0};
    const struct node *node;

    do
        node = &tree->nodes[random_below(random, tree->n_nodes)];
    while (node->kind != NODE_PICK);
    p.like = tree->edges[node->first + random_below(random, node->n_edges)];
    p.has_sender = p.like.kind == OP_DELIVER && random_below(random, 2) == 0;
    p.has_number = can_have_number && p.like.number != 0 && random_below(random, 2) == 0 &&
                   (p.has_sender || p.like.kind != OP_DELIVER);
    return p;
}

static struct side draw_side(const struct tree *tree, uint64_t *random)
{
    struct side side = {.has_anchor = random_below(random, 4) == 0};

    side.what = draw_pattern(tree, random, !side.has_anchor);
    if (side.has_anchor)
        side.anchor = draw_pattern(tree, random, true);
    return side;
}

void orders_draw(struct orders *orders, const struct tree *tree, uint64_t *random)
{
    *orders = (struct orders){.n = 1 + random_below(random, ORDERS_MAX)};
    for (uint32_t i = 0; i < orders->n; i++) {
        struct order *o = &orders->all[i];
        char first[ORDER_TEXT_MAX / 2 - 5];
        char later[ORDER_TEXT_MAX / 2 - 5];

        do {
            o->first = draw_side(tree, random);
            o->later = draw_side(tree, random);
            (void)put_side(first, sizeof(first), tree, &o->first);
            (void)put_side(later, sizeof(later), tree, &o->later);
        } while (strcmp(first, later) == 0);
        (void)snprintf(orders->texts[i], ORDER_TEXT_MAX, "%s before %s", first, later);
        orders->list[i] = orders->texts[i];
    }
}
