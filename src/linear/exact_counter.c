/* exact_counter.c - a counter that grows by one: increments without a result, and reads.
 *
 * Increments take effect as late as possible, only when an increment or a read returns that needs
 * it, and then the open one that returns first does. The k-th one must not take effect before the
 * last call of a read that saw less than k. SPDX-License-Identifier: MIT
 */
#include "linear/exact.h"
#include "linear/heap.h"
#include "linear/models/models.h"

struct sweep {
    const struct events *events;
    struct heap open;     /* increments */
    uint64_t *not_before; /* when the last read of less than so many is called */
    bool *is_done;
    uint64_t start; /* the count at the beginning */
    uint64_t n;     /* increments that have taken effect */
    uint64_t n_max;
};

static bool is_increment(const struct sn_operation *op)
{
    return op->function == COUNTER_INC || op->function == COUNTER_ADD;
}

static bool is_by_one(const struct sn_operation *op)
{
    return op->function == COUNTER_INC || op->argument[0] == SN_VALUE_NIL || op->argument[0] == 1;
}

static bool increment(struct sweep *s, uint64_t now)
{
    uint32_t span = heap_pop(&s->open);

    if (span == HEAP_NONE)
        return false;
    s->is_done[span] = true;
    s->n++;
    return s->not_before[s->n] < now;
}

static bool give_back(struct sweep *s, uint32_t span, uint64_t now)
{
    const struct sn_operation *op = s->events->spans[span].op;

    if (is_increment(op))
        return s->is_done[span] || (increment(s, now) && s->is_done[span]);
    while (s->n < (uint64_t)op->result - s->start) {
        if (!increment(s, now))
            return false;
    }
    return true;
}

/* Notes the reads. Returns one that saw what cannot be; NULL: there is none. */
static const struct sn_operation *look(struct sweep *s)
{
    for (size_t i = 0; i < s->events->n_spans; i++) {
        const struct span *span = &s->events->spans[i];
        uint64_t count = (uint64_t)span->op->result - s->start;

        if (is_increment(span->op) || !is_completed(span->op))
            continue;
        if (count > s->n_max)
            return span->op;
        if (s->not_before[count + 1] < span->call)
            s->not_before[count + 1] = span->call;
    }
    for (uint64_t k = 1; k <= s->n_max; k++) {
        if (s->not_before[k] < s->not_before[k - 1])
            s->not_before[k] = s->not_before[k - 1];
    }
    return NULL;
}

static bool open_sweep(struct sweep *s, const struct object *object, const struct events *events)
{
    size_t room = events->n_spans + 2;

    s->events = events;
    s->start = object->initial == SN_VALUE_NIL ? 0 : (uint64_t)object->initial;
    for (size_t i = 0; i < events->n_spans; i++) {
        if (!is_increment(events->spans[i].op))
            continue;
        s->n_max++;
        if (!is_by_one(events->spans[i].op))
            return false;
    }
    s->open = (struct heap){.spans = events->spans};
    s->open.entries = pool_alloc(object->pool, room * sizeof(*s->open.entries));
    s->not_before = pool_alloc(object->pool, room * sizeof(*s->not_before));
    s->is_done = pool_alloc(object->pool, room);
    return s->open.entries != NULL && s->not_before != NULL && s->is_done != NULL;
}

static bool check(const struct object *object, const struct events *events, struct outcome *out)
{
    struct sweep s = {0};
    const struct sn_operation *stuck;

    if (!open_sweep(&s, object, events))
        return false;
    stuck = look(&s);
    for (size_t t = 0; t < events->n && stuck == NULL; t++) {
        struct event event = events->order[t];
        const struct sn_operation *op = events->spans[event.span].op;

        if (!event.is_return && is_increment(op))
            heap_push(&s.open, event.span);
        else if (event.is_return && !give_back(&s, event.span, t + 1))
            stuck = op;
    }
    if (stuck != NULL)
        exact_refuse(object, stuck, out, "does not fit the increments before and after it");
    else
        (void)outcome_yes(out);
    return true;
}

const struct exact exact_counter = {.name = "counter", .check = check};
