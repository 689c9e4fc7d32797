/* nearest.c - see nearest.h. SPDX-License-Identifier: MIT */
#include "explain/nearest.h"

#include "base/err.h"

#include <string.h>

static bool is_nearer(const struct neighbour *a, const struct neighbour *b)
{
    return a->inversions != b->inversions ? a->inversions < b->inversions : a->alone < b->alone;
}

/* The next of the orders that were named that was not tried; UINT32_MAX: there is none. */
static uint32_t pick_named(const struct nearest *n, const bool *tried)
{
    for (uint32_t i = 0; i < n->n_before; i++) {
        if (n->items[n->before[i]].kind == ITEM_ORDER && !tried[n->before[i]])
            return n->before[i];
    }
    return UINT32_MAX;
}

/* The same of all orders, by rank. */
static uint32_t pick(const struct nearest *n, const bool *tried)
{
    uint32_t best = UINT32_MAX;

    for (uint32_t i = 0; i < n->n_items; i++) {
        if (n->items[i].kind == ITEM_ORDER && !tried[i] &&
            (best == UINT32_MAX || n->items[i].rank > n->items[best].rank))
            best = i;
    }
    return best;
}

/* Whether an order that was named is good enough: it says more than others. */
static bool is_near(const struct nearest *n)
{
    return n->is_found && n->best.inversions <= n->near_max;
}

int nearest_find(struct nearest *n)
{
    bool tried[EXPLAIN_ITEMS_MAX] = {false};
    bool has_tried_named = false; /* all of them */

    sn_check(n->n_items <= EXPLAIN_ITEMS_MAX);
    n->is_found = false;
    n->tried = 0;
    for (uint32_t i = 0; i < n->tries_max; i++) {
        uint32_t item = pick_named(n, tried);
        struct neighbour one = {.passes = false};
        int rc;

        if (item == UINT32_MAX && !has_tried_named && n->n_before > 0 && is_near(n))
            break;
        has_tried_named |= item == UINT32_MAX;
        if (has_tried_named)
            item = pick(n, tried);
        if (item == UINT32_MAX)
            break;
        tried[item] = true;
        rc = n->reverse(n->self, item, &one);
        if (rc != 0)
            return rc;
        n->tried++;
        if (!one.passes || (n->is_found && !is_nearer(&one, &n->best)))
            continue;
        n->is_found = true;
        n->item = item;
        n->best = one;
        if (one.inversions <= 1 && one.alone == 0)
            break; /* no other can be nearer */
    }
    return 0;
}
