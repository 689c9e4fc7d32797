/* container.c - see container.h. SPDX-License-Identifier: MIT */
#include "linear/container.h"

#include "linear/models/models.h"
#include "linear/sort.h"

static bool is_take(const struct sn_operation *op)
{
    return op->function == CONTAINER_TAKE;
}

/* Sorts what is put in by value, index: span. Returns how many. */
static size_t sort_puts(const struct events *events, struct sortable *puts, struct sortable *other)
{
    size_t n = 0;

    for (size_t i = 0; i < events->n_spans; i++) {
        if (!is_take(events->spans[i].op))
            puts[n++] = (struct sortable){(uint64_t)events->spans[i].op->argument[0], i};
    }
    sort_by_key(puts, other, n);
    return n;
}

static bool is_taken(const struct sortable *takes, size_t n, uint64_t value)
{
    size_t i = sort_find(takes, n, value);

    return i < n && takes[i].key == value;
}

/* Puts that are not known to have returned are left out unless their value is taken. False: a value
 * is put in twice. */
static bool collect_puts(struct container *c, struct sortable *puts, size_t n_puts,
                         const struct sortable *takes, size_t n_takes)
{
    for (size_t i = 0; i < n_puts; i++) {
        const struct span *span = &c->events->spans[puts[i].index];

        if (puts[i].key == (uint64_t)SN_VALUE_NIL)
            return false;
        if (!is_completed(span->op) && !is_taken(takes, n_takes, puts[i].key))
            continue;
        if (c->n > 0 && (uint64_t)c->values[c->n - 1].put->argument[0] == puts[i].key)
            return false;
        puts[c->n].key = puts[i].key;
        c->values[c->n++] = (struct kept){.put_call = span->call,
                                          .put_ret = span->ret,
                                          .take_call = EVENTS_NEVER,
                                          .take_ret = EVENTS_NEVER + 1,
                                          .put = span->op};
    }
    return true;
}

/* Index: span. Those that found nothing or are not known to have returned go elsewhere. */
static size_t sort_takes(struct container *c, struct sortable *takes, struct sortable *other)
{
    size_t n = 0;

    for (size_t t = 0; t < c->events->n; t++) {
        const struct span *span = &c->events->spans[c->events->order[t].span];

        if (c->events->order[t].is_return || !is_take(span->op))
            continue;
        if (!is_completed(span->op))
            c->unknown[c->n_unknown++] = span;
        else if (span->op->result == SN_VALUE_NIL)
            c->empty[c->n_empty++] = span;
        else
            takes[n++] = (struct sortable){(uint64_t)span->op->result, c->events->order[t].span};
    }
    sort_by_key(takes, other, n);
    return n;
}

static void add_takes(struct container *c, const struct sortable *puts,
                      const struct sortable *takes, size_t n_takes, struct outcome *out)
{
    for (size_t i = 0; i < n_takes; i++) {
        const struct span *span = &c->events->spans[takes[i].index];
        size_t place = sort_find(puts, c->n, takes[i].key);
        struct kept *value = &c->values[place];
        const char *wrong = NULL;

        if (place == c->n || puts[place].key != takes[i].key)
            wrong = "takes out what nobody has put in";
        else if (value->take != NULL)
            wrong = "takes out what has been taken out already";
        else if (span->ret < value->put_call)
            wrong = "returns before what it takes out is put in";
        if (wrong != NULL) {
            exact_refuse(c->object, span->op, out, wrong);
            return;
        }
        value->take_call = span->call;
        value->take_ret = span->ret;
        value->take = span->op;
    }
}

bool container_init(struct container *container, const struct object *object,
                    const struct events *events, struct outcome *out)
{
    size_t room = events->n_spans + 1;
    struct sortable *puts = pool_alloc(object->pool, room * sizeof(*puts));
    struct sortable *takes = pool_alloc(object->pool, room * sizeof(*takes));
    struct sortable *other = pool_alloc(object->pool, room * sizeof(*other));
    size_t n_takes;

    *container = (struct container){.object = object, .events = events};
    container->values = pool_alloc(object->pool, room * sizeof(*container->values));
    container->empty = pool_alloc(object->pool, room * sizeof(*container->empty));
    container->unknown = pool_alloc(object->pool, room * sizeof(*container->unknown));
    if (puts == NULL || takes == NULL || other == NULL || container->values == NULL ||
        container->empty == NULL || container->unknown == NULL)
        return false;
    n_takes = sort_takes(container, takes, other);
    if (!collect_puts(container, puts, sort_puts(events, puts, other), takes, n_takes))
        return false;
    add_takes(container, puts, takes, n_takes, out);
    return true;
}

/* Sorts and merges the times during which some value is inside for certain. A component's end
 * stands in `ends`. */
static size_t merge(const struct container *c, struct sortable *inside, struct sortable *other,
                    uint64_t *ends)
{
    size_t n = 0;
    size_t n_merged = 0;

    for (size_t i = 0; i < c->n; i++) {
        if (c->values[i].put_ret < c->values[i].take_call)
            inside[n++] = (struct sortable){c->values[i].put_ret, i};
    }
    sort_by_key(inside, other, n);
    for (size_t i = 0; i < n; i++) {
        uint64_t end = c->values[inside[i].index].take_call;

        if (n_merged > 0 && inside[i].key < ends[n_merged - 1]) {
            if (ends[n_merged - 1] < end)
                ends[n_merged - 1] = end;
        } else {
            inside[n_merged].key = inside[i].key;
            ends[n_merged++] = end;
        }
    }
    return n_merged;
}

bool container_was_empty(const struct container *container, struct outcome *out)
{
    size_t room = container->n + 1;
    struct pool *pool = container->object->pool;
    struct sortable *inside = pool_alloc(pool, room * sizeof(*inside));
    struct sortable *other = pool_alloc(pool, room * sizeof(*other));
    uint64_t *ends = pool_alloc(pool, room * sizeof(*ends));
    size_t n;

    if (container->n_empty == 0)
        return true;
    if (inside == NULL || other == NULL || ends == NULL) {
        (void)outcome_unknown(out, "not decided within %zu MiB of memory", pool->limit >> 20);
        return false;
    }
    n = merge(container, inside, other, ends);
    for (size_t i = 0; i < container->n_empty; i++) {
        const struct span *span = container->empty[i];
        size_t place = sort_find(inside, n, span->call);

        if (place > 0 && span->ret < ends[place - 1]) {
            exact_refuse(container->object, span->op, out,
                         "finds nothing although something was inside all the time");
            return false;
        }
    }
    return true;
}
