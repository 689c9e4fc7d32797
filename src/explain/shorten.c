/* shorten.c - see sufficient.h: how long a set is, and what is left of one that is too long.
 * SPDX-License-Identifier: MIT
 */
#include "explain/label.h"
#include "explain/sufficient.h"

enum { LONG = 4 * EXPLAIN_ORDERS_MAX }; /* a set that nothing can make short */

uint32_t sufficient_orders(const struct sufficient_search *s, const struct sufficient *found)
{
    uint32_t n = 0;
    bool has_group = false;

    for (uint32_t i = 0; i < found->chosen.n; i++) {
        const struct item *item = &s->items[found->chosen.list[i]];

        has_group |= item->is_grouped;
        n += item_is_order(item->kind) && !item->is_grouped &&
             !items_has(&found->enabling, found->chosen.list[i]);
    }
    return n + has_group;
}

/* ---- Orders that only keep trials from getting stuck ---------------------------------------- */

static int drop_one(struct sufficient_search *s, const struct items *set, uint32_t at,
                    struct question q, struct answer *out)
{
    struct items without = *set;

    items_remove(&without, at);
    q.misses_max = UINT32_MAX;
    return items_ask(s, &without, q, out);
}

/* Few trials tell most of those that are none; those that are labelled tell the rest. */
static int is_enabling(struct sufficient_search *s, const struct items *set, uint32_t at, bool *out)
{
    struct answer a;
    int rc =
        drop_one(s, set, at,
                 (struct question){.stream = STREAM_SEARCH, .trials = EXPLAIN_SEARCH_TRIALS}, &a);

    *out = rc == 0 && label_is_enabling(&a);
    if (!*out)
        return rc;
    rc = drop_one(s, set, at,
                  (struct question){.stream = STREAM_LABEL, .trials = EXPLAIN_VERIFY_TRIALS}, &a);
    *out = rc == 0 && label_is_enabling(&a);
    return rc;
}

int sufficient_weigh(struct sufficient_search *s, struct sufficient *found)
{
    found->enabling.n = 0;
    if (sufficient_orders(s, found) > LONG)
        return 0;
    for (uint32_t i = 0; i < found->chosen.n; i++) {
        const struct item *item = &s->items[found->chosen.list[i]];
        bool is_one;
        int rc;

        if (!item_is_order(item->kind) || item->is_grouped)
            continue;
        rc = is_enabling(s, &found->chosen, i, &is_one);
        if (rc != 0)
            return rc;
        if (is_one)
            items_add(&found->enabling, found->chosen.list[i]);
    }
    return 0;
}

int sufficient_is_short(struct sufficient_search *s, struct sufficient *found, bool *out)
{
    int rc = 0;

    if (sufficient_orders(s, found) > EXPLAIN_ORDERS_MAX)
        rc = sufficient_weigh(s, found);
    *out = rc == 0 && sufficient_orders(s, found) <= EXPLAIN_ORDERS_MAX;
    return rc;
}

/* ---- The ladder ----------------------------------------------------------------------------- */

/* An order of a set, and how many trials fail without it. */
struct cost {
    uint32_t item;
    uint32_t failed;
};

/* Lists the orders without which most trials still fail, the best first. */
static int find_costs(struct sufficient_search *s, const struct sufficient *found,
                      struct cost *costs, uint32_t *n)
{
    *n = 0;
    for (uint32_t i = 0; i < found->chosen.n; i++) {
        uint32_t item = found->chosen.list[i];
        uint32_t at = *n;
        struct answer a;
        int rc;

        if (!item_is_order(s->items[item].kind) || items_has(&found->enabling, item))
            continue;
        rc = drop_one(s, &found->chosen, i,
                      (struct question){.stream = STREAM_SEARCH, .trials = EXPLAIN_SEARCH_TRIALS},
                      &a);
        if (rc != 0)
            return rc;
        for (; at > 0 && costs[at - 1].failed < a.failed; at--)
            costs[at] = costs[at - 1];
        costs[at] = (struct cost){.item = item, .failed = a.failed};
        ++*n;
    }
    return 0;
}

/* Leaves out a quarter of what is too much, and at least one. */
static int drop_least(struct sufficient_search *s, struct sufficient *found)
{
    struct cost costs[EXPLAIN_ITEMS_MAX];
    uint32_t excess = sufficient_orders(s, found) - EXPLAIN_ORDERS_MAX;
    uint32_t n;
    int rc = find_costs(s, found, costs, &n);

    for (uint32_t i = 0; rc == 0 && i < n && i < (excess + 3) / 4; i++) {
        for (uint32_t k = 0; k < found->chosen.n; k++) {
            if (found->chosen.list[k] == costs[i].item)
                items_remove(&found->chosen, k);
        }
    }
    return rc;
}

int sufficient_shorten(struct sufficient_search *s, struct sufficient *found)
{
    int rc = 0;

    found->n_ladder = 0;
    while (rc == 0 && sufficient_orders(s, found) > EXPLAIN_ORDERS_MAX) {
        struct rung *rung =
            &found->ladder[found->n_ladder < EXPLAIN_ORDERS_MAX ? found->n_ladder++
                                                                : EXPLAIN_ORDERS_MAX - 1];

        rc = drop_least(s, found);
        rung->orders = sufficient_orders(s, found);
        if (rc == 0)
            rc = items_rate(s, &found->chosen, EXPLAIN_SEARCH_TRIALS, &rung->answer);
    }
    found->is_enough = false;
    found->is_minimal = false;
    return rc == 0 ? items_verify(s, &found->chosen, &found->verified) : rc;
}
