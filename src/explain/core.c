/* core.c - see core.h. SPDX-License-Identifier: MIT */
#include "explain/core.h"

#include "base/estimate.h"

#include <string.h>

#define FAILING_MIN 0.95 /* of the failing trials have it, ... */
#define PASSING_MAX 0.60 /* ... and at most so many of the passing ones; */
#define FURTHER_MAX 0.30 /* of further ones so many, ... */
#define WORSE_MAX 0.10   /* ... or so many more than of the first */

/* In how many trials an order is: every `step`-th from one on. */
static uint32_t count(const struct core *c, bool is_failing, uint32_t item, uint32_t from,
                      uint32_t step)
{
    uint32_t runs = is_failing ? c->n_failing : c->n_passing;
    uint32_t n = 0;

    for (uint32_t i = from; i < runs; i += step)
        n += c->has(c->self, is_failing, i, item);
    return n;
}

/* Keeps the orders that fewest passing trials have; of equals, the one of higher rank. */
static void enter(struct core *c, const struct core_order *order)
{
    uint32_t at = c->n_orders;

    while (at > 0 && (c->orders[at - 1].in_passing > order->in_passing ||
                      (c->orders[at - 1].in_passing == order->in_passing &&
                       c->items[c->orders[at - 1].item].rank < c->items[order->item].rank)))
        at--;
    if (at == CORE_MAX)
        return;
    if (c->n_orders < CORE_MAX)
        c->n_orders++;
    memmove(&c->orders[at + 1], &c->orders[at], (c->n_orders - at - 1) * sizeof(c->orders[0]));
    c->orders[at] = *order;
}

/* Chooses the orders by half of the passing trials. */
static void choose(struct core *c)
{
    uint32_t n = (c->n_passing + 1) / 2;

    for (uint32_t i = 0; i < c->n_items; i++) {
        struct core_order order = {.item = i};

        if (!item_is_order(c->items[i].kind))
            continue;
        order.in_failing = count(c, true, i, 0, 1);
        if (order.in_failing < FAILING_MIN * c->n_failing)
            continue;
        order.in_passing = count(c, false, i, 0, 2);
        /* What many passing trials have, too, is no cause. */
        if (order.in_passing <= PASSING_MAX * n)
            enter(c, &order);
    }
}

/* Counts the chosen ones in the other half, and forgets what chance has chosen, and what is much
 * worse than the best of them. */
static void count_fresh(struct core *c)
{
    uint32_t kept = 0;

    c->n_told = c->n_passing / 2;
    for (uint32_t i = 0; i < c->n_orders; i++) {
        struct core_order order = c->orders[i];

        order.in_passing = count(c, false, order.item, 1, 2);
        if (order.in_passing <= PASSING_MAX * c->n_told &&
            (kept == 0 || order.in_passing <= FURTHER_MAX * c->n_told ||
             order.in_passing <= c->orders[0].in_passing + WORSE_MAX * c->n_told))
            c->orders[kept++] = order;
    }
    c->n_orders = kept;
}

static int confirm(struct core *c, uint32_t item, bool is_reversed, struct answer *out)
{
    const struct choice choice = {.item = item, .is_reversed = is_reversed};
    const struct question q = {.choices = &choice,
                               .n_choices = 1,
                               .stream = STREAM_CORE,
                               .trials = EXPLAIN_VERIFY_TRIALS,
                               .misses_max = UINT32_MAX};

    return c->asker->ask(c->asker->self, &q, out);
}

static struct interval unstuck_share(const struct answer *a)
{
    return estimate_wilson(a->failed, a->trials - a->stuck);
}

/* Whether more trials fail with it than the other way round, and than without a word. */
static bool is_confirmed(const struct core *c, const struct core_order *order)
{
    struct interval forced = unstuck_share(&order->forced);

    return forced.low > unstuck_share(&order->reversed).high &&
           (c->base.trials == 0 || forced.low > unstuck_share(&c->base).high);
}

/* Forces trials to have each order, and the reverse, and keeps those that matter. */
static int confirm_all(struct core *c)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < c->n_orders; i++) {
        struct core_order order = c->orders[i];
        int rc = confirm(c, order.item, false, &order.forced);

        if (rc == 0)
            rc = confirm(c, order.item, true, &order.reversed);
        if (rc != 0) {
            c->n_orders = kept;
            return rc;
        }
        if (is_confirmed(c, &order))
            c->orders[kept++] = order;
    }
    c->n_orders = kept;
    return 0;
}

int core_find(struct core *c)
{

    c->n_orders = 0;
    if (c->n_failing < CORE_FAILING_MIN || c->n_passing < 2)
        return 0;
    choose(c);
    count_fresh(c);
    return confirm_all(c);
}
