/* exact_set.c - one value of a set: is it in or not. A set that is read as a whole is looked at by
 * exact_set_whole.c.
 *
 * How often it has come or gone says whether it is there. Events are gone through in their order;
 * it comes or goes as late as possible, only when an operation that returns needs it, and then the
 * open operation that returns first is the one that does it. SPDX-License-Identifier: MIT
 */
#include "linear/exact_set.h"
#include "linear/exact.h"
#include "linear/heap.h"
#include "linear/models/models.h"

struct sweep {
    const struct object *object;
    const struct events *events;
    struct outcome *out;
    struct heap changes[2]; /* open operations that make it come, and that make it go */
    uint64_t flips;
    uint64_t *flips_at_call; /* of operations that look; UINT64_MAX: done */
    bool *is_done;
};

static bool is_change(const struct sn_operation *op)
{
    return op->function != SET_CONTAINS && (!is_completed(op) || has_succeeded(op));
}

/* Whether it must be there before the operation. */
static bool is_needed(const struct sn_operation *op)
{
    if (op->function == SET_CONTAINS)
        return has_succeeded(op);
    return op->function == SET_ADD ? !is_change(op) : is_change(op);
}

static bool flip(struct sweep *s)
{
    uint32_t span = heap_pop(&s->changes[s->flips % 2]);

    if (span == HEAP_NONE)
        return false;
    s->is_done[span] = true;
    s->flips++;
    return true;
}

static void call(struct sweep *s, uint32_t span)
{
    const struct sn_operation *op = s->events->spans[span].op;

    if (is_change(op))
        heap_push(&s->changes[op->function == SET_ADD ? 0 : 1], span);
    else if (is_needed(op) == (s->flips % 2 == 1))
        s->is_done[span] = true;
    else
        s->flips_at_call[span] = s->flips;
}

static bool give_back(struct sweep *s, uint32_t span)
{
    const struct sn_operation *op = s->events->spans[span].op;

    if (s->is_done[span])
        return true;
    if (!is_change(op))
        return s->flips > s->flips_at_call[span] || flip(s);
    if (is_needed(op) != (s->flips % 2 == 1) && !flip(s))
        return false;
    return flip(s) && s->is_done[span];
}

/* One that does not tell what it found. */
static bool is_mute(const struct sn_operation *op)
{
    return is_completed(op) && op->result == SN_VALUE_NIL;
}

/* Whether the operation says nothing about the value: not which outcome, or not which value. */
static bool is_idle(const struct sn_operation *op)
{
    return op->function == SET_READ ||
           (op->function == SET_CONTAINS && (is_mute(op) || !is_completed(op)));
}

static bool check(const struct object *object, const struct events *events, struct outcome *out)
{
    struct sweep s = {.object = object, .events = events, .out = out};
    struct pool *pool = object->pool;

    if (set_is_whole(events))
        return set_check_whole(object, events, out);
    for (size_t i = 0; i < 2; i++)
        s.changes[i] = (struct heap){
            .spans = events->spans,
            .entries = pool_alloc(pool, (events->n_spans + 1) * sizeof(*s.changes[i].entries))};
    s.is_done = pool_alloc(pool, events->n_spans + 1);
    s.flips_at_call = pool_alloc(pool, (events->n_spans + 1) * sizeof(*s.flips_at_call));
    if (s.changes[0].entries == NULL || s.changes[1].entries == NULL || s.is_done == NULL ||
        s.flips_at_call == NULL)
        return false;
    for (size_t i = 0; i < events->n_spans; i++) {
        const struct sn_operation *op = events->spans[i].op;

        s.is_done[i] = is_idle(op);
        if (is_mute(op) && !s.is_done[i])
            return false;
    }
    for (size_t t = 0; t < events->n; t++) {
        struct event event = events->order[t];

        if (!event.is_return && !s.is_done[event.span]) {
            call(&s, event.span);
        } else if (event.is_return && !give_back(&s, event.span)) {
            exact_refuse(object, events->spans[event.span].op, out,
                         "does not fit what was added and removed before it returned");
            return true;
        }
    }
    (void)outcome_yes(out);
    return true;
}

const struct exact exact_set = {.name = "set", .check = check};
