/* drain.c - see drain.h. SPDX-License-Identifier: MIT */
#include "history/drain.h"

#include <inttypes.h>
#include <sennit/test.h>
#include <stdlib.h>

int drain_complete(struct history *h, const struct history_event *event,
                   const struct sn_operation *op, const sn_value *elements, size_t n)
{
    struct history_drain drain = {
        .key = op->key, .call = op->call, .line = op->line, .first = h->n, .n_taken = n};
    struct sn_operation taken = *op;

    if (n == 0)
        return 0;
    if (h->has_time)
        return history_fail(h, event->line,
                            "a drain took several values, and its times do not say when it took "
                            "each of them: write dequeues instead");
    if (grow_to(&h->operations, h->n + n, sizeof(taken)) < 0 ||
        grow_to(&h->drains, h->n_drains + 1, sizeof(drain)) < 0)
        return history_fail_memory(h);
    for (size_t i = 0; i < n; i++) {
        taken.call = ++h->events;
        taken.ret = ++h->events;
        taken.result = elements[i];
        ((struct sn_operation *)h->operations.base)[h->n++] = taken;
    }
    drain.ret = h->events;
    ((struct history_drain *)h->drains.base)[h->n_drains++] = drain;
    return 0;
}

/* By key, and then by time. */
static int compare(const void *a, const void *b)
{
    const struct history_drain *x = a;
    const struct history_drain *y = b;

    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->call > y->call) - (x->call < y->call);
}

static int refuse(struct history *h, const struct history_drain *drain, uint64_t line)
{
    return history_fail(h, drain->line,
                        "while this drain was under way, the operation of line %" PRIu64
                        " was, too: nobody knows what the drain took before it and after it; "
                        "write dequeues instead",
                        line);
}

/* The last drain of this key that is called before this moment; NULL: none is. */
static const struct history_drain *last_before(const struct history *h, sn_value key, uint64_t time)
{
    const struct history_drain *drains = h->drains.base;
    size_t low = 0;
    size_t high = h->n_drains;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (drains[middle].key < key || (drains[middle].key == key && drains[middle].call < time))
            low = middle + 1;
        else
            high = middle;
    }
    return low == 0 || drains[low - 1].key != key ? NULL : &drains[low - 1];
}

int drain_check_all(struct history *h)
{
    const struct sn_operation *operations = h->operations.base;
    struct history_drain *drains = h->drains.base;

    if (h->n_drains == 0)
        return 0;
    qsort(drains, h->n_drains, sizeof(*drains), compare);
    for (size_t i = 1; i < h->n_drains; i++) {
        if (drains[i].key == drains[i - 1].key && drains[i].call < drains[i - 1].ret)
            return refuse(h, &drains[i], drains[i - 1].line);
    }
    for (size_t i = 0; i < h->n; i++) {
        const struct sn_operation *op = &operations[i];
        const struct history_drain *drain;

        if (op->ret == SN_TIME_NEVER || op->function == HISTORY_DROPPED)
            continue;
        drain = last_before(h, op->key, op->ret);
        if (drain != NULL && op->call < drain->ret &&
            (i < drain->first || i >= drain->first + drain->n_taken))
            return refuse(h, drain, op->line);
    }
    return 0;
}
