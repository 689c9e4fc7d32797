/* exact_queue.c - a queue into which no value is put twice.
 *
 * Two values are enough to be wrong: one was put in before the other, and is taken out after it.
 * Operations that took out what is not known serve for values that nobody else took out although
 * they had to go: those that were in front of one that has gone. SPDX-License-Identifier: MIT
 */
#include "linear/container.h"
#include "linear/sort.h"

struct orders {
    struct sortable *by_put_call;
    struct sortable *by_put_ret;
    struct sortable *other;
};

static void sort_values(const struct container *c, struct orders *orders)
{
    for (size_t i = 0; i < c->n; i++) {
        orders->by_put_call[i] = (struct sortable){c->values[i].put_call, i};
        orders->by_put_ret[i] = (struct sortable){c->values[i].put_ret, i};
    }
    sort_by_key(orders->by_put_call, orders->other, c->n);
    sort_by_key(orders->by_put_ret, orders->other, c->n);
}

static bool compare(const struct container *c, const struct orders *orders, struct outcome *out)
{
    const struct kept *last = NULL;
    size_t before = 0;

    for (size_t i = 0; i < c->n; i++) {
        const struct kept *value = &c->values[orders->by_put_call[i].index];

        for (; before < c->n && orders->by_put_ret[before].key < value->put_call; before++) {
            const struct kept *earlier = &c->values[orders->by_put_ret[before].index];

            if (last == NULL || earlier->take_call > last->take_call)
                last = earlier;
        }
        if (last != NULL && last->take_call > value->take_ret) {
            exact_refuse(c->object, value->take, out, "takes out what was behind another value");
            return false;
        }
    }
    return true;
}

/* By when the values that are never taken must have gone; index: value. Returns how many. The list
 * is sorted in the other order first: it goes through the values put in last to first. */
static size_t find_deadlines(const struct container *c, const struct orders *orders,
                             struct sortable *deadlines)
{
    uint64_t deadline = EVENTS_NEVER;
    size_t after = c->n;
    size_t n = 0;

    for (size_t i = c->n; i-- > 0;) {
        const struct kept *value = &c->values[orders->by_put_ret[i].index];

        for (; after > 0 && orders->by_put_call[after - 1].key > value->put_ret; after--) {
            const struct kept *later = &c->values[orders->by_put_call[after - 1].index];

            if (later->take_ret < deadline)
                deadline = later->take_ret;
        }
        if (value->take == NULL && deadline < EVENTS_NEVER)
            deadlines[n++] = (struct sortable){deadline, orders->by_put_ret[i].index};
    }
    return n;
}

static bool use_unknown(struct container *c, struct orders *orders, struct sortable *deadlines,
                        struct outcome *out)
{
    size_t n = find_deadlines(c, orders, deadlines);

    sort_by_key(deadlines, orders->other, n);
    for (size_t i = 0; i < n; i++) {
        struct kept *value = &c->values[deadlines[i].index];

        if (i == c->n_unknown || c->unknown[i]->call >= deadlines[i].key) {
            exact_refuse(c->object, value->put, out,
                         "puts in what nobody takes out before what is behind it");
            return false;
        }
        value->take_call = c->unknown[i]->call;
        value->take_ret = EVENTS_NEVER;
    }
    return true;
}

static bool check(const struct object *object, const struct events *events, struct outcome *out)
{
    struct container c;
    struct orders orders;
    struct sortable *deadlines;
    size_t room;

    if (!container_init(&c, object, events, out) || (c.n_unknown > 0 && c.n_empty > 0))
        return false;
    if (out->verdict == SN_LINEAR_NO)
        return true;
    room = c.n + 1;
    orders.by_put_call = pool_alloc(object->pool, room * sizeof(*orders.by_put_call));
    orders.by_put_ret = pool_alloc(object->pool, room * sizeof(*orders.by_put_ret));
    orders.other = pool_alloc(object->pool, room * sizeof(*orders.other));
    deadlines = pool_alloc(object->pool, room * sizeof(*deadlines));
    if (orders.by_put_call == NULL || orders.by_put_ret == NULL || orders.other == NULL ||
        deadlines == NULL)
        return false;
    sort_values(&c, &orders);
    if (use_unknown(&c, &orders, deadlines, out) && container_was_empty(&c, out) &&
        compare(&c, &orders, out))
        (void)outcome_yes(out);
    return true;
}

const struct exact exact_queue = {.name = "queue", .check = check};
