/* exact_chains.c - objects whose states tell how they came about: a list, a text that grows.
 *
 * Each operation begins a new state whatever was before, extends the state, or shows it (sn_role).
 * A state that somebody has seen was made in one way only: from the state before it, by the one
 * operation that leads to it. So what was seen is traced back to operations:
 *
 *   1. The state at the beginning, and each one that an operation begins, is a node. An operation
 *      that may come next, by its times, and leads to a state that is seen makes a node behind it.
 *   2. Between two states that were seen there may be some that were not: then two operations are
 *      tried, then three, and so on, behind nodes that nothing follows yet.
 *      Where the model can tell what a state may become (sn_model.leads), wrong ones are given up
 *      at once.
 *   3. If a look is left over that way, no order makes what it sees.
 *
 * A beginning and the nodes behind it are a chain: its operations follow each other with nothing in
 * between, in the order that is known now. Whatever extends a state that nobody sees is a chain of
 * its own: it may come after the end of any chain. Chains are then put in order like the values of
 * a register (exact_register.c): let f be a chain's first return and s its last call; if f < s it
 * lasts from f to s at least, and no other may overlap with that or have to fit in there.
 *
 * An operation that is not known to have returned took place if it is in a chain that is seen, and
 * may be left out otherwise. Where states could have come about in two ways, or the second step
 * takes too many attempts, this does not apply.
 *
 * check > sort_roles, chains_begin, chains_trace > extend > see; make_zones, compare_zones
 * SPDX-License-Identifier: MIT
 */
#include "linear/exact_chains.h"
#include "linear/sort.h"

#include <string.h>

/* ---- Roles ---------------------------------------------------------------------------------- */

static bool row_init(struct chains *c, struct row *row)
{
    size_t room = c->events->n_spans + 1;

    row->spans = pool_alloc(c->object->pool, room * sizeof(*row->spans));
    row->last_return = pool_alloc(c->object->pool, room * sizeof(*row->last_return));
    return row->spans != NULL && row->last_return != NULL;
}

static void row_add(const struct chains *c, struct row *row, uint32_t span)
{
    uint64_t before = row->n > 0 ? row->last_return[row->n - 1] : 0;
    uint64_t ret = span_at(c, span)->ret;

    row->spans[row->n] = span;
    row->last_return[row->n++] = ret > before ? ret : before;
}

/* False: there is an operation that has another role. */
static bool sort_roles(struct chains *c)
{
    for (size_t t = 0; t < c->events->n; t++) {
        uint32_t span = c->events->order[t].span;
        bool is_unknown = span_at(c, span)->ret == EVENTS_NEVER;
        enum sn_role role;

        if (c->events->order[t].is_return)
            continue;
        role = c->object->model->role(span_at(c, span)->op);
        c->roles[span] = (unsigned char)role;
        if (role == SN_ROLE_OTHER)
            return false;
        if (role == SN_ROLE_SHOWS && !is_unknown)
            row_add(c, &c->looks, span);
        if (role == SN_ROLE_EXTENDS)
            row_add(c, is_unknown ? &c->unknown : &c->extending, span);
    }
    return true;
}

/* Whether some of the operations that extend are alike: which one it was cannot be told then. */
static bool has_alike(struct chains *c)
{
    struct intern likes;
    bool is_twice = false;

    intern_init(&likes, c->object->pool);
    for (uint32_t i = 0; i < c->events->n_spans && !is_twice; i++) {
        const struct sn_operation *op = span_at(c, i)->op;
        const sn_value like[] = {op->argument[0], op->argument[1], op->key, op->function};
        uint32_t n = likes.n;

        if (role_of(c, i) == SN_ROLE_EXTENDS)
            is_twice = intern_add(&likes, like, sizeof(like)) != n;
    }
    intern_done(&likes);
    return is_twice;
}

/* ---- Chains --------------------------------------------------------------------------------- */

/* Says which look is left over; true: none is. */
static bool are_all_seen(struct chains *c)
{
    uint32_t left = chains_first_left(c);

    if (left != NOBODY)
        exact_refuse(c->object, span_at(c, left)->op, c->out,
                     "sees what no order of operations leads to");
    return left == NOBODY;
}

static void widen(const struct chains *c, struct zone *zone, uint32_t span)
{
    const struct span *with = span_at(c, span);

    if (with->ret < zone->f)
        zone->f = with->ret;
    if (with->call > zone->s) {
        zone->s = with->call;
        zone->last = span;
    }
}

/* One for each chain, and for each operation that extends what nobody sees. A beginning that is not
 * known to have returned and that nobody has seen has no call: it never happened. */
static bool make_zones(struct chains *c)
{
    size_t room = c->events->n_spans + 2;

    c->zones = pool_alloc(c->object->pool, room * sizeof(*c->zones));
    if (c->zones == NULL)
        return false;
    for (uint32_t i = 0; i < c->n_nodes; i++)
        c->zones[i] = (struct zone){i == 0 ? 0 : EVENTS_NEVER, 0, NOBODY};
    c->n_zones = c->n_nodes;
    for (uint32_t i = 0; i < c->events->n_spans; i++) {
        if (c->node_of[i] != NOBODY) {
            widen(c, &c->zones[c->nodes[c->node_of[i]].first], i);
        } else if (role_of(c, i) == SN_ROLE_EXTENDS && span_at(c, i)->ret != EVENTS_NEVER) {
            c->zones[c->n_zones] = (struct zone){EVENTS_NEVER, 0, NOBODY};
            widen(c, &c->zones[c->n_zones++], i);
        }
    }
    return true;
}

/* Whether an operation of a chain returns before one that precedes it is called. */
static bool is_too_early(struct chains *c, uint32_t span, uint64_t call)
{
    if (span == NOBODY || span_at(c, span)->ret > call)
        return false;
    exact_refuse(c->object, span_at(c, span)->op, c->out,
                 "returns before the operations that it must follow are called");
    return true;
}

/* A look that was left over may have found its state on a path that led further. */
static bool are_in_order(struct chains *c)
{
    for (uint32_t i = 0; i < c->n_nodes; i++) {
        uint64_t call = 0;

        for (uint32_t j = i; c->nodes[i].first == i && j != NOBODY; j = c->nodes[j].next) {
            const struct node *node = &c->nodes[j];

            if (is_too_early(c, node->writer, call))
                return false;
            if (node->writer != NOBODY && span_at(c, node->writer)->call > call)
                call = span_at(c, node->writer)->call;
            if (is_too_early(c, node->look, call))
                return false;
            if (node->point.call > call)
                call = node->point.call;
        }
    }
    return true;
}

static void refuse_late(struct chains *c, const struct zone *zone)
{
    exact_refuse(c->object, span_at(c, zone->last)->op, c->out,
                 "is called when what it belongs to is gone for good");
}

/* Chains that last for a while must not overlap, and no other may lie within one. */
static bool compare_zones(struct chains *c, struct sortable *lasting, struct sortable *other)
{
    size_t n = 0;

    for (size_t i = 0; i < c->n_zones; i++) {
        if (c->zones[i].f < c->zones[i].s)
            lasting[n++] = (struct sortable){c->zones[i].f, i};
    }
    sort_by_key(lasting, other, n);
    for (size_t i = 1; i < n; i++) {
        const struct zone *a = &c->zones[lasting[i - 1].index];
        const struct zone *b = &c->zones[lasting[i].index];

        if (b->f < a->s) {
            refuse_late(c, a->s > b->s ? a : b);
            return false;
        }
    }
    for (size_t i = 0; i < c->n_zones; i++) {
        const struct zone *zone = &c->zones[i];
        size_t place = sort_find(lasting, n, zone->s);

        if (zone->f >= zone->s && place > 0 && zone->f < c->zones[lasting[place - 1].index].s) {
            refuse_late(c, &c->zones[lasting[place - 1].index]);
            return false;
        }
    }
    return true;
}

/* ---- Checking ------------------------------------------------------------------------------- */

static bool open_chains(struct chains *c)
{
    struct pool *pool = c->object->pool;
    size_t room = c->events->n_spans + 2;
    size_t state_bytes = (c->object->scratch_size + 15) / 16 * 16;
    char *stack = pool_alloc(pool, (DEPTH_MAX + 1) * (state_bytes + 16));

    c->node_of = pool_alloc(pool, room * sizeof(*c->node_of));
    c->nodes = pool_alloc(pool, room * sizeof(*c->nodes));
    c->roles = pool_alloc(pool, room);
    c->targets = pool_alloc(pool, room * sizeof(*c->targets));
    c->candidates = pool_alloc(pool, room * sizeof(*c->candidates));
    c->focus = NOBODY;
    if (c->roles == NULL || c->targets == NULL || c->candidates == NULL || stack == NULL ||
        c->node_of == NULL || c->nodes == NULL || !row_init(c, &c->looks) ||
        !row_init(c, &c->extending) || !row_init(c, &c->unknown))
        return false;
    memset(c->node_of, 0xff, room * sizeof(*c->node_of));
    for (size_t i = 0; i <= DEPTH_MAX; i++)
        c->stack[i] = stack + i * (state_bytes + 16);
    c->steps_max = STEPS_MIN + STEPS_EACH * (uint64_t)c->events->n_spans;
    c->states.equal = c->object->model->equal;
    c->states.hash = c->object->model->hash;
    return true;
}

/* False: this does not apply. */
static bool decide(struct chains *c)
{
    struct pool *pool = c->object->pool;
    size_t room = 2 * c->events->n_spans + 2;
    struct sortable *lasting = pool_alloc(pool, room * sizeof(*lasting));
    struct sortable *other = pool_alloc(pool, room * sizeof(*other));

    if (lasting == NULL || other == NULL || !open_chains(c) || !sort_roles(c) || has_alike(c) ||
        !chains_begin(c) || !chains_trace(c) || !make_zones(c))
        return false;
    if (are_all_seen(c) && are_in_order(c) && compare_zones(c, lasting, other))
        (void)outcome_yes(c->out);
    return true;
}

static bool check(const struct object *object, const struct events *events, struct outcome *out)
{
    struct chains c = {.object = object, .events = events, .out = out};
    bool is_decided;

    intern_init(&c.states, object->pool);
    is_decided = decide(&c);
    intern_done(&c.states);
    return is_decided;
}

const struct exact exact_chains = {.name = "chains", .is_slow = true, .check = check};
