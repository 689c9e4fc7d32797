/* events.c - see events.h. SPDX-License-Identifier: MIT */
#include "linear/events.h"

#include "linear/sort.h"

#include <sennit/test.h>

int events_init(struct events *events, const struct object *object)
{
    struct sortable *entries = pool_alloc(object->pool, (2 * object->n + 1) * sizeof(*entries));
    struct sortable *other = pool_alloc(object->pool, (2 * object->n + 1) * sizeof(*other));

    *events = (struct events){.n_spans = object->n};
    events->spans = pool_alloc(object->pool, (object->n + 1) * sizeof(*events->spans));
    events->order = pool_alloc(object->pool, (2 * object->n + 1) * sizeof(*events->order));
    if (entries == NULL || other == NULL || events->spans == NULL || events->order == NULL)
        return SN_ENOMEM;
    for (size_t i = 0; i < object->n; i++) {
        const struct sn_operation *op = object_op(object, i);

        events->spans[i] = (struct span){.op = op, .ret = EVENTS_NEVER};
        entries[events->n++] = (struct sortable){2 * op->call, 2 * i};
        if (op->ret != SN_TIME_NEVER)
            entries[events->n++] = (struct sortable){2 * op->ret + 1, 2 * i + 1};
    }
    sort_by_key(entries, other, events->n);
    for (size_t t = 0; t < events->n; t++) {
        size_t i = entries[t].index / 2;

        events->order[t] = (struct event){(uint32_t)i, entries[t].index % 2 == 1};
        if (entries[t].index % 2 == 1)
            events->spans[i].ret = t + 1;
        else
            events->spans[i].call = t + 1;
    }
    return 0;
}
