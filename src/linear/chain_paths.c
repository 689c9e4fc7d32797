/* chain_paths.c - traces what was seen back to operations: see exact_chains.c.
 * SPDX-License-Identifier: MIT
 */
#include "linear/exact_chains.h"

#include <string.h>

/* How many of a row are called by a time. */
static size_t row_called(const struct chains *c, const struct row *row, uint64_t time)
{
    size_t low = 0;
    size_t high = row->n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (span_at(c, row->spans[middle])->call <= time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* ---- States --------------------------------------------------------------------------------- */

/* Performs an operation on a copy of a state. False: the model does not do what its roles say. */
static bool step(struct chains *c, const void *from, char *to, uint32_t span)
{
    memcpy(to, from, object_used(c->object, from));
    c->steps++;
    return c->object->model->step(to, span_at(c, span)->op, 0) == SN_STEP_TAKEN;
}

static bool shows(struct chains *c, void *state, uint32_t look)
{
    c->steps++;
    return c->object->model->step(state, span_at(c, look)->op, 0) != SN_STEP_REFUSED;
}

static void attach(struct chains *c, uint32_t look, uint32_t node)
{
    const struct span *span = span_at(c, look);
    struct node *to = &c->nodes[node];

    c->node_of[look] = node;
    if (to->look == NOBODY || span->ret < span_at(c, to->look)->ret)
        to->look = look;
    c->n_seen++;
    if (span->call > to->point.call)
        to->point.call = span->call;
    if (span->ret < to->point.begun)
        to->point.begun = span->ret;
}

/* Finds who sees a state that exists at a point. A look that returns before the point does not.
 * Nor does one that is called when one has returned that was called after the state had begun and
 * sees, or is, something else: the state is gone then, and states do not come back. All of them are
 * attached to the node; if that is NOBODY, the first one ends it. */
static bool see(struct chains *c, struct point point, void *state, uint32_t node)
{
    size_t i = row_called(c, &c->looks, point.begun);
    uint64_t gone = EVENTS_NEVER;
    bool is_seen = false;

    for (; i > 0 && c->looks.last_return[i - 1] > point.call && !(is_seen && node == NOBODY); i--) {
        uint32_t look = c->looks.spans[i - 1];

        if (c->node_of[look] != NOBODY || span_at(c, look)->ret < point.call ||
            !shows(c, state, look))
            continue;
        is_seen = true;
        if (node != NOBODY)
            attach(c, look, node);
    }
    for (uint64_t t = point.begun + 1; t <= c->events->n && t < gone; t++) {
        uint32_t span = c->events->order[t - 1].span;

        if (is_seen && node == NOBODY)
            break;
        if (c->events->order[t - 1].is_return)
            continue;
        if (c->node_of[span] == NOBODY && role_of(c, span) == SN_ROLE_SHOWS &&
            span_at(c, span)->ret != EVENTS_NEVER && shows(c, state, span)) {
            is_seen = true;
            if (node != NOBODY)
                attach(c, span, node);
        } else if (span_at(c, span)->ret < gone) {
            gone = span_at(c, span)->ret;
        }
    }
    return is_seen;
}

/* Returns NOBODY if the state has been there before, or there is no memory. */
static uint32_t add_node(struct chains *c, void *state, uint32_t writer, struct point point)
{
    uint32_t number = intern_add(&c->states, state, object_used(c->object, state));

    if (number != c->n_nodes)
        return NOBODY;
    c->nodes[number] = (struct node){.point = point,
                                     .state = number,
                                     .writer = writer,
                                     .look = NOBODY,
                                     .first = number,
                                     .prev = NOBODY,
                                     .next = NOBODY,
                                     .over = EVENTS_NEVER};
    if (writer != NOBODY)
        c->node_of[writer] = number;
    (void)see(c, point, state, number);
    return c->n_nodes++;
}

bool chains_begin(struct chains *c)
{
    (void)object_begin(c->object);
    memcpy(c->stack[0], c->object->scratch, c->object->scratch_size);
    if (add_node(c, c->stack[0], NOBODY, (struct point){0}) == NOBODY)
        return false;
    for (uint32_t i = 0; i < c->events->n_spans; i++) {
        const struct span *span = span_at(c, i);

        if (role_of(c, i) != SN_ROLE_BEGINS)
            continue;
        if (!step(c, c->object->scratch, c->stack[0], i) ||
            add_node(c, c->stack[0], i, (struct point){span->call, span->ret, 0}) == NOBODY)
            return false;
    }
    return true;
}

/* ---- What follows a state ------------------------------------------------------------------- */

/* A moment at which the chain of a node has begun, not too long ago. What is known of a state is
 * known of those before it, too, but not written down there. */
static uint64_t begun_before(const struct chains *c, uint32_t node)
{
    uint64_t begun = c->nodes[node].point.begun;

    for (uint32_t i = 0; i < LOOK_BACK && c->nodes[node].prev != NOBODY; i++) {
        node = c->nodes[node].prev;
        if (c->nodes[node].point.begun < begun)
            begun = c->nodes[node].point.begun;
    }
    return begun;
}

/* Whether an operation belongs to the chain of a node, or is on the path that is being tried. */
static bool is_of_chain(const struct chains *c, uint32_t span, uint32_t node)
{
    uint32_t of = c->node_of[span];

    return of == BUSY || (of != NOBODY && c->nodes[of].first == c->nodes[node].first);
}

/* Finds the operations that were called after the chain of a node had begun, and do not belong to
 * it: those of them that return first, as many as matter. */
static void find_foreign(struct chains *c, uint32_t node)
{
    uint64_t gone = EVENTS_NEVER;

    c->n_foreign = 0;
    for (uint64_t t = begun_before(c, node) + 1; t <= c->events->n && t < gone; t++) {
        struct event event = c->events->order[t - 1];
        size_t i = c->n_foreign;

        if (event.is_return || span_at(c, event.span)->ret >= gone ||
            is_of_chain(c, event.span, node))
            continue;
        if (i == FOREIGN_MAX)
            i--;
        else
            c->n_foreign++;
        for (; i > 0 && span_at(c, c->foreign[i - 1])->ret > span_at(c, event.span)->ret; i--)
            c->foreign[i] = c->foreign[i - 1];
        c->foreign[i] = event.span;
        if (c->n_foreign == FOREIGN_MAX)
            gone = span_at(c, c->foreign[FOREIGN_MAX - 1])->ret;
    }
}

/* The moment by which the path behind a node has come to its end: one of those has returned and is
 * not on the path. */
static uint64_t gone_by(const struct chains *c)
{
    for (size_t i = 0; i < c->n_foreign; i++) {
        if (c->node_of[c->foreign[i]] != BUSY)
            return span_at(c, c->foreign[i])->ret;
    }
    return EVENTS_NEVER;
}

/* Whether an operation is neither a look that is left over nor one that may extend a state. */
static bool is_elsewhere(const struct chains *c, uint32_t span)
{
    return c->node_of[span] != NOBODY || role_of(c, span) == SN_ROLE_BEGINS;
}

static bool is_like(const struct sn_operation *a, const struct sn_operation *b)
{
    return a->function == b->function && a->argument[0] == b->argument[0] &&
           a->argument[1] == b->argument[1] && a->result == b->result && a->key == b->key;
}

/* A look that may see what comes of a node; one of those that are alike is enough. */
static void add_target(struct chains *c, uint32_t look)
{
    if (c->node_of[look] != NOBODY || (c->focus != NOBODY && c->focus != look))
        return;
    if (span_at(c, look)->ret > c->until)
        c->until = span_at(c, look)->ret;
    for (size_t i = 0; i < c->n_targets; i++) {
        const struct span *other = span_at(c, c->targets[i]);

        if (!is_like(other->op, span_at(c, look)->op))
            continue;
        if (other->ret < span_at(c, look)->ret)
            c->targets[i] = look;
        return;
    }
    c->targets[c->n_targets++] = look;
}

/* Finds the looks that are left over and may see what comes of a node. One that is called when an
 * operation has returned that was called after the chain had begun, and belongs to another one,
 * does not. */
static void find_targets(struct chains *c, uint32_t node)
{
    struct point point = c->nodes[node].point;
    size_t i = row_called(c, &c->looks, point.begun);
    uint64_t over = EVENTS_NEVER;

    c->n_targets = 0;
    c->until = 0;
    for (; i > 0 && c->looks.last_return[i - 1] > point.call; i--) {
        if (span_at(c, c->looks.spans[i - 1])->ret > point.call)
            add_target(c, c->looks.spans[i - 1]);
    }
    for (uint64_t t = begun_before(c, node) + 1; t <= c->events->n && t < over; t++) {
        struct event event = c->events->order[t - 1];
        uint64_t ret = span_at(c, event.span)->ret;

        if (event.is_return || ret == EVENTS_NEVER || is_of_chain(c, event.span, node))
            continue;
        if (is_elsewhere(c, event.span))
            over = ret < over ? ret : over;
        else if (role_of(c, event.span) == SN_ROLE_SHOWS && t > point.begun && ret > point.call)
            add_target(c, event.span);
    }
    c->nodes[node].over = over;
}

/* Finds the operations that may be on a path behind a node, the last called first. Those that are
 * called after the chain has begun, and return before the look is called that the path must lead
 * to, are between the two. */
static void find_candidates(struct chains *c, uint32_t node)
{
    uint64_t call = c->nodes[node].point.call;
    uint64_t begun = begun_before(c, node);
    uint64_t end = c->focus == NOBODY ? 0 : span_at(c, c->focus)->call;
    size_t i = row_called(c, &c->extending, c->until);

    c->n_candidates = 0;
    c->n_required = 0;
    for (; i > 0 && c->extending.last_return[i - 1] > call; i--) {
        uint32_t span = c->extending.spans[i - 1];
        const struct span *at = span_at(c, span);
        bool is_required = at->call > begun && at->ret < end;

        if (c->node_of[span] != NOBODY || at->ret < call)
            continue;
        c->candidates[c->n_candidates++] = (struct candidate){span, is_required};
        c->n_required += is_required;
    }
    for (i = row_called(c, &c->unknown, c->until); i > 0; i--) {
        if (c->node_of[c->unknown.spans[i - 1]] == NOBODY)
            c->candidates[c->n_candidates++] = (struct candidate){c->unknown.spans[i - 1], false};
    }
}

/* Whether one of the targets sees a state on a path. */
static bool is_target(struct chains *c, struct point point, void *state)
{
    for (size_t i = 0; i < c->n_targets; i++) {
        if (span_at(c, c->targets[i])->ret > point.call && shows(c, state, c->targets[i]))
            return see(c, point, state, NOBODY);
    }
    return false;
}

/* Whether a state on a path may become one that a target sees. */
static bool leads_on(const struct chains *c, const void *state)
{
    const struct sn_model *model = c->object->model;

    if (model->leads == NULL)
        return true;
    for (size_t i = 0; i < c->n_targets; i++) {
        if (model->leads(state, span_at(c, c->targets[i])->op))
            return true;
    }
    return false;
}

static bool extend(struct chains *c, struct point point, uint32_t depth);

/* The state that an operation leads to, which is on the path. Whatever the path leads past came
 * before: the state has begun by then. */
static struct point point_after(const struct chains *c, struct point from, uint32_t span)
{
    const struct span *next = span_at(c, span);
    uint64_t gone = gone_by(c);

    return (struct point){.call = next->call > from.call ? next->call : from.call,
                          .begun = next->ret < gone ? next->ret : gone,
                          .gone = gone};
}

/* Whether an operation, and perhaps others behind it, lead to a state that is seen. */
static bool follow(struct chains *c, struct point from, uint32_t span, uint32_t depth)
{
    const struct span *next = span_at(c, span);
    uint32_t level = c->n_path;
    struct point point;
    bool is_found;

    if (c->node_of[span] != NOBODY || next->ret < from.call || next->call > from.gone ||
        c->steps > c->steps_max)
        return false;
    if (!step(c, c->stack[level], c->stack[level + 1], span)) {
        c->steps = c->steps_max + 1;
        return false;
    }
    if (!leads_on(c, c->stack[level + 1]))
        return false;
    c->path[c->n_path++] = span;
    c->node_of[span] = BUSY;
    point = point_after(c, from, span);
    is_found = depth == 1 ? is_target(c, point, c->stack[level + 1]) : extend(c, point, depth - 1);
    c->node_of[span] = NOBODY;
    c->is_cut = c->is_cut || depth == 1;
    if (!is_found)
        c->n_path--;
    return is_found;
}

/* Looks for `depth` operations that lead from the state on top of the stack to one that is seen;
 * the path has them then. The depth is at most DEPTH_MAX. */
static bool extend(struct chains *c, struct point point, uint32_t depth)
{
    if (depth < c->n_required) {
        c->is_cut = true;
        return false;
    }
    for (size_t i = 0; i < c->n_candidates; i++) {
        bool is_required = c->candidates[i].is_required;
        bool is_found;

        if (!is_required && depth == c->n_required) {
            c->is_cut = true;
            continue;
        }
        c->n_required -= is_required;
        is_found = follow(c, point, c->candidates[i].span, depth);
        c->n_required += is_required;
        if (is_found)
            return true;
    }
    return false;
}

/* Makes nodes of the path behind a node. False: a state was there before. */
static bool add_path(struct chains *c, uint32_t node)
{
    struct point points[DEPTH_MAX];

    for (uint32_t i = 0; i < c->n_path; i++) {
        c->node_of[c->path[i]] = BUSY;
        points[i] = point_after(c, i == 0 ? c->nodes[node].point : points[i - 1], c->path[i]);
    }
    for (uint32_t i = 0; i < c->n_path; i++) {
        uint32_t next = add_node(c, c->stack[i + 1], c->path[i], points[i]);

        if (next == NOBODY)
            return false;
        c->nodes[next].first = c->nodes[node].first;
        c->nodes[next].prev = node;
        c->nodes[node].next = next;
        node = next;
    }
    return true;
}

/* Whether at most so many operations lead from a node to a state that is seen; the shortest path
 * is found first, so that nobody sees the states on the way. */
static bool has_path(struct chains *c, uint32_t node, uint32_t depth_max)
{
    struct point point;

    c->n_path = 0;
    c->steps += STEPS_EACH_PATH;
    find_targets(c, node);
    if (c->n_targets == 0)
        return false;
    find_candidates(c, node);
    find_foreign(c, node);
    memcpy(c->stack[0], intern_at(&c->states, c->nodes[node].state),
           intern_size(&c->states, c->nodes[node].state));
    if (!leads_on(c, c->stack[0]))
        return false;
    point = c->nodes[node].point;
    point.gone = gone_by(c);
    for (uint32_t depth = c->nodes[node].tried + 1; depth <= depth_max; depth++) {
        if (extend(c, point, depth))
            return true;
    }
    return false;
}

/* What was tried in vain need not be tried again: what may be on a path, and where it may lead to,
 * only gets less. */
static bool is_worth_trying(const struct chains *c, uint32_t node, uint32_t depth)
{
    const struct node *from = &c->nodes[node];

    if (from->next != NOBODY || from->tried >= depth)
        return false;
    return c->focus == NOBODY || (span_at(c, c->focus)->ret > from->point.call &&
                                  span_at(c, c->focus)->call < from->over);
}

/* Looks at the clock now and then. */
static bool is_late(struct chains *c)
{
    if (c->steps < c->steps_clock)
        return false;
    c->steps_clock = c->steps + STEPS_CLOCK;
    return budget_is_late(&c->object->budget);
}

/* Tries paths of at most that length behind all nodes that nothing follows. */
static bool trace(struct chains *c, uint32_t depth, bool *is_found)
{
    *is_found = false;
    c->is_cut = false;
    for (uint32_t i = 0; i < c->n_nodes && c->n_seen < c->looks.n; i++) {
        if (!is_worth_trying(c, i, depth))
            continue;
        if (!has_path(c, i, depth)) {
            if (c->focus == NOBODY)
                c->nodes[i].tried = depth;
            continue;
        }
        *is_found = true;
        if (!add_path(c, i))
            return false;
    }
    return c->steps <= c->steps_max && !is_late(c);
}

uint32_t chains_first_left(const struct chains *c)
{
    uint32_t first = NOBODY;

    for (size_t i = 0; i < c->looks.n; i++) {
        uint32_t look = c->looks.spans[i];

        if (c->node_of[look] == NOBODY &&
            (first == NOBODY || span_at(c, look)->ret < span_at(c, first)->ret))
            first = look;
    }
    return first;
}

bool chains_trace(struct chains *c)
{
    uint32_t depth = 1;
    bool is_found;

    while (c->n_seen < c->looks.n) {
        c->focus = depth > DEPTH_ANY ? chains_first_left(c) : NOBODY;
        if (depth > DEPTH_MAX || !trace(c, depth, &is_found))
            return false;
        if (!is_found && !c->is_cut && depth > DEPTH_ANY)
            return true;
        depth = is_found ? 1 : depth + 1;
    }
    return c->steps <= c->steps_max;
}
