/* exact_stack.c - a stack onto which no value is put twice.
 *
 * At a moment at which no value is inside for certain the stack may have been empty: what comes
 * before and what comes after have nothing to do with each other. If there is no such moment some
 * value lies at the bottom all the time: it was put there before the others came and is taken after
 * they went, and the others are a stack of their own. If neither is the case there is no order.
 *
 * Values are sorted by when they are both called to be put and to be taken, so that what comes
 * before a moment is the first part of a row, and rows are split in place.
 * SPDX-License-Identifier: MIT
 */
#include "linear/container.h"
#include "linear/models/models.h"
#include "linear/sort.h"

#include <string.h>

struct rows {
    struct kept *values;
    struct part { /* not looked at yet */
        size_t from;
        size_t to;
    } * parts;
    size_t n_parts;
};

static uint64_t last_call(const struct kept *value)
{
    return value->take_call > value->put_call ? value->take_call : value->put_call;
}

static uint64_t first_return(const struct kept *value)
{
    return value->take_ret < value->put_ret ? value->take_ret : value->put_ret;
}

/* Splits at all moments at which nothing is inside for certain. Such a moment need only be looked
 * for right behind a value's last call: until the next one nothing goes, things only come. Values
 * that are still inside then stand further behind. Returns whether there was one. */
static bool split(struct rows *rows, struct part part)
{
    uint64_t first_inside = EVENTS_NEVER + 1;
    size_t to = part.to;

    for (size_t i = part.to; i-- > part.from;) {
        const struct kept *value = &rows->values[i];

        if (i + 1 < to && last_call(value) < EVENTS_NEVER && first_inside > last_call(value)) {
            rows->parts[rows->n_parts++] = (struct part){i + 1, to};
            to = i + 1;
        }
        if (value->put_ret < value->take_call && value->put_ret < first_inside)
            first_inside = value->put_ret;
    }
    if (to == part.to)
        return false;
    rows->parts[rows->n_parts++] = (struct part){part.from, to};
    return true;
}

/* Takes away a value that may lie below all others. Returns whether there was one. */
static bool unwrap(struct rows *rows, struct part part)
{
    uint64_t returns[2] = {UINT64_MAX, UINT64_MAX}; /* the two first ones */
    uint64_t calls[2] = {0, 0};                     /* the two last ones */

    for (size_t i = part.from; i < part.to; i++) {
        uint64_t ret = first_return(&rows->values[i]);
        uint64_t call = last_call(&rows->values[i]);

        returns[1] = ret < returns[0] ? returns[0] : ret < returns[1] ? ret : returns[1];
        returns[0] = ret < returns[0] ? ret : returns[0];
        calls[1] = call > calls[0] ? calls[0] : call > calls[1] ? call : calls[1];
        calls[0] = call > calls[0] ? call : calls[0];
    }
    for (size_t i = part.from; i < part.to; i++) {
        const struct kept *value = &rows->values[i];
        uint64_t ret = first_return(value) == returns[0] ? returns[1] : returns[0];
        uint64_t call = last_call(value) == calls[0] ? calls[1] : calls[0];

        if (value->put_call >= ret || value->take_ret <= call)
            continue;
        memmove(&rows->values[i], &rows->values[i + 1], (part.to - i - 1) * sizeof(*value));
        rows->parts[rows->n_parts++] = (struct part){part.from, part.to - 1};
        return true;
    }
    return false;
}

static const struct sn_operation *find_stuck(const struct rows *rows, struct part part)
{
    const struct kept *last = &rows->values[part.from];

    for (size_t i = part.from; i < part.to; i++) {
        const struct kept *value = &rows->values[i];

        if (value->take != NULL && (last->take == NULL || value->take_ret > last->take_ret))
            last = value;
    }
    return last->take != NULL ? last->take : last->put;
}

static void solve(const struct container *c, struct rows *rows, struct outcome *out)
{
    rows->parts[rows->n_parts++] = (struct part){0, c->n};
    while (rows->n_parts > 0) {
        struct part part = rows->parts[--rows->n_parts];

        if (part.to - part.from <= 1 || unwrap(rows, part) || split(rows, part))
            continue;
        exact_refuse(c->object, find_stuck(rows, part), out,
                     "cannot be put in order with what was put on the stack and taken off");
        return;
    }
    (void)outcome_yes(out);
}

static bool sort_values(const struct container *c, struct rows *rows)
{
    struct pool *pool = c->object->pool;
    size_t room = c->n + 1;
    struct sortable *entries = pool_alloc(pool, room * sizeof(*entries));
    struct sortable *other = pool_alloc(pool, room * sizeof(*other));

    rows->values = pool_alloc(pool, room * sizeof(*rows->values));
    rows->parts = pool_alloc(pool, (room + 1) * sizeof(*rows->parts));
    if (entries == NULL || other == NULL || rows->values == NULL || rows->parts == NULL)
        return false;
    for (size_t i = 0; i < c->n; i++)
        entries[i] = (struct sortable){last_call(&c->values[i]), i};
    sort_by_key(entries, other, c->n);
    for (size_t i = 0; i < c->n; i++)
        rows->values[i] = c->values[entries[i].index];
    return true;
}

static bool check(const struct object *object, const struct events *events, struct outcome *out)
{
    struct container c;
    struct rows rows = {0};

    if (!container_init(&c, object, events, out) || c.n_unknown > 0)
        return false;
    if (out->verdict == SN_LINEAR_NO)
        return true;
    if (!sort_values(&c, &rows))
        return false;
    if (container_was_empty(&c, out))
        solve(&c, &rows, out);
    return true;
}

const struct exact exact_stack = {.name = "stack", .check = check};
