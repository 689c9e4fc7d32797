/* forward.c - see sufficient.h: adding one item after the other. SPDX-License-Identifier: MIT */
#include "explain/narrow.h"
#include "explain/sufficient.h"

#include <string.h>

enum {
    SCORED_MAX = 96,     /* items, of the highest rank, are tried, */
    SCORE_TRIALS = 24,   /* tell what helps from what does not, */
    SCORE_FINALISTS = 8, /* and these are looked at closely */
};

#define GAIN_MIN 0.02

struct score {
    uint32_t item;
    uint32_t failed;
};

/* Keeps the best in order; of equals, the one of higher rank. */
static void enter(const struct sufficient_search *s, struct score best[SCORE_FINALISTS],
                  uint32_t *n, struct score score)
{
    uint32_t at = *n;

    while (at > 0 && (best[at - 1].failed < score.failed ||
                      (best[at - 1].failed == score.failed &&
                       s->items[best[at - 1].item].rank < s->items[score.item].rank)))
        at--;
    if (at == SCORE_FINALISTS)
        return;
    if (*n < SCORE_FINALISTS)
        (*n)++;
    memmove(&best[at + 1], &best[at], (*n - at - 1) * sizeof(best[0]));
    best[at] = score;
}

static int score(struct sufficient_search *s, const struct items *set, uint32_t item,
                 uint32_t trials, struct score *out)
{
    struct items with = *set;
    struct answer a;
    int rc;

    items_add(&with, item);
    rc = items_rate(s, &with, trials, &a);
    *out = (struct score){.item = item, .failed = a.failed};
    return rc;
}

/* The item that makes most trials fail, together with the set. */
static int find_best(struct sufficient_search *s, const struct items *set,
                     const struct items *orders, struct score *out)
{
    struct score finalists[SCORE_FINALISTS];
    struct score best[SCORE_FINALISTS];
    uint32_t n = 0;
    uint32_t n_best = 0;
    struct score one;
    int rc = 0;

    for (uint32_t i = 0; rc == 0 && i < orders->n; i++) {
        if (items_has(set, orders->list[i]))
            continue;
        rc = score(s, set, orders->list[i], SCORE_TRIALS, &one);
        enter(s, finalists, &n, one);
    }
    for (uint32_t i = 0; rc == 0 && i < n; i++) {
        rc = score(s, set, finalists[i].item, EXPLAIN_SEARCH_TRIALS, &one);
        enter(s, best, &n_best, one);
    }
    *out = n_best > 0 ? best[0] : (struct score){0};
    return rc;
}

/* Keeps those of the highest rank. */
static void keep_best(const struct sufficient_search *s, struct items *set)
{
    uint64_t entries[EXPLAIN_ITEMS_MAX];
    uint32_t n = items_by_rank(s, set, entries);

    set->n = n < SCORED_MAX ? n : SCORED_MAX;
    for (uint32_t i = 0; i < set->n; i++)
        set->list[i] = (uint32_t)entries[i];
    items_sort(set);
}

/* What it begins with: nothing, or all values that can be had at once, if more trials fail then.
 * All values of a trial are more than most others can have. */
static int choose_start(struct sufficient_search *s, struct items *set, struct answer *now)
{
    static const struct items none = {.n = 0};
    struct items all;
    struct answer without;
    int rc = items_rate(s, &none, EXPLAIN_SEARCH_TRIALS, &without);

    items_all(s, &all);
    items_values(s, &all, set);
    if (rc == 0)
        rc = narrow_unstick(s, set);
    if (rc == 0)
        rc = items_rate(s, set, EXPLAIN_SEARCH_TRIALS, now);
    if (rc == 0 && now->failed <= without.failed) {
        *now = without;
        *set = none;
    }
    return rc;
}

/* Adds items as long as one helps. */
static int add_best(struct sufficient_search *s, const struct items *candidates, struct items *set,
                    struct answer *now)
{
    uint32_t n_added = 0;
    int rc = 0;

    while (rc == 0 && !answer_is_enough(now, EXPLAIN_SEARCH_TRIALS) &&
           n_added < EXPLAIN_ORDERS_MAX) {
        struct score best;

        rc = find_best(s, set, candidates, &best);
        if (rc != 0 || best.failed < now->failed + GAIN_MIN * EXPLAIN_SEARCH_TRIALS)
            break;
        items_add(set, best.item);
        n_added += item_is_order(s->items[best.item].kind);
        now->failed = best.failed;
    }
    return rc;
}

int sufficient_forward(struct sufficient_search *s, struct sufficient *out)
{
    static const struct items none = {.n = 0};
    struct items candidates;
    struct items values;
    struct items set = none;
    struct answer now;
    int rc;

    *out = (struct sufficient){.is_enough = false, .from = s->from};
    items_all(s, &set);
    items_orders(s, &set, &candidates);
    items_values(s, &set, &values);
    keep_best(s, &candidates);
    items_unite(&candidates, &values, &candidates);
    rc = choose_start(s, &set, &now);
    if (rc == 0)
        rc = add_best(s, &candidates, &set, &now);
    out->chosen = set;
    if (rc != 0)
        return rc;
    if (!answer_is_enough(&now, EXPLAIN_SEARCH_TRIALS))
        return items_verify(s, &set, &out->verified);
    rc = narrow_items(s, &none, &set, EXPLAIN_SEARCH_TRIALS, &out->chosen);
    if (rc != 0)
        return rc;
    set = out->chosen;
    return sufficient_settle(s, &set, &set, out);
}
