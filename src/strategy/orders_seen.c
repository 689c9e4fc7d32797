/* orders_seen.c - see orders_seen.h. SPDX-License-Identifier: MIT */
#include "strategy/orders_seen.h"

#include "base/bytes.h"
#include "base/rng.h"

#include <string.h>

static uint32_t set_of(const struct orders_seen *o, uint64_t order)
{
    return (uint32_t)mix64(order) & (o->n_sets - 1);
}

/* What belongs there goes to the other set; both keep their order. */
static void divide(struct orders_seen *o, uint32_t set, uint32_t other)
{
    uint32_t n_left = 0;
    uint32_t n_moved = 0;

    for (uint32_t i = 0; i < ORDERS_WAYS; i++) {
        uint64_t order = o->sets[set][i];

        o->sets[set][i] = 0;
        if (order != 0 && set_of(o, order) == other)
            o->sets[other][n_moved++] = order;
        else if (order != 0)
            o->sets[set][n_left++] = order;
    }
}

static void grow(struct orders_seen *o)
{
    uint32_t n = o->n_sets;

    o->n_sets *= 2;
    for (uint32_t i = 0; i < n; i++)
        divide(o, i, i + n);
}

static bool has(const uint64_t *set, uint64_t order)
{
    for (uint32_t i = 0; i < ORDERS_WAYS; i++) {
        if (set[i] == order)
            return true;
    }
    return false;
}

bool orders_see(struct orders_seen *o, uint64_t order)
{
    uint64_t *set;

    order += order == 0; /* 0 marks an empty place */
    if (o->n_sets == 0)
        o->n_sets = ORDERS_SETS_FIRST;
    if (has(o->sets[set_of(o, order)], order))
        return false;
    while (o->sets[set_of(o, order)][ORDERS_WAYS - 1] != 0 && o->n_sets < ORDERS_SETS_MAX)
        grow(o);
    set = o->sets[set_of(o, order)];
    o->n += set[ORDERS_WAYS - 1] == 0;
    memmove(set + 1, set, (ORDERS_WAYS - 1) * sizeof(*set));
    set[0] = order;
    return true;
}

void orders_forget(struct orders_seen *o)
{
    memset(o->sets, 0, o->n_sets * sizeof(o->sets[0]));
    o->n_sets = 0;
    o->n = 0;
}

void orders_copy(struct orders_seen *to, const struct orders_seen *from)
{
    orders_forget(to);
    to->n_sets = from->n_sets;
    to->n = from->n;
    memcpy(to->sets, from->sets, from->n_sets * sizeof(from->sets[0]));
}

void orders_put(const struct orders_seen *o, unsigned char *to)
{
    for (uint32_t i = 0; i < o->n_sets; i++) {
        for (uint32_t k = ORDERS_WAYS; k > 0; k--) {
            if (o->sets[i][k - 1] == 0)
                continue;
            bytes_put(to, o->sets[i][k - 1]);
            to += 8;
        }
    }
}
