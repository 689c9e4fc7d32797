/* itemset.c - see itemset.h. SPDX-License-Identifier: MIT */
#include "explain/itemset.h"

#include <string.h>

/* ---- Sets ----------------------------------------------------------------------------------- */

void items_add(struct items *set, uint32_t item)
{
    uint32_t i = set->n;

    while (i > 0 && set->list[i - 1] > item) {
        set->list[i] = set->list[i - 1];
        i--;
    }
    set->list[i] = item;
    set->n++;
}

void items_remove(struct items *set, uint32_t at)
{
    memmove(&set->list[at], &set->list[at + 1], (set->n - at - 1) * sizeof(set->list[0]));
    set->n--;
}

bool items_has(const struct items *set, uint32_t item)
{
    uint32_t low = 0;
    uint32_t high = set->n;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (set->list[middle] == item)
            return true;
        if (set->list[middle] < item)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

/* There are few numbers that an item can have, so each is looked at. */
void items_sort(struct items *set)
{
    bool is_in[EXPLAIN_ITEMS_MAX] = {false};

    for (uint32_t i = 0; i < set->n; i++)
        is_in[set->list[i]] = true;
    set->n = 0;
    for (uint32_t i = 0; i < EXPLAIN_ITEMS_MAX; i++) {
        if (is_in[i])
            set->list[set->n++] = i;
    }
}

void items_subtract(const struct items *all, const struct items *those, struct items *out)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < all->n; i++) {
        if (!items_has(those, all->list[i]))
            out->list[n++] = all->list[i];
    }
    out->n = n;
}

void items_unite(const struct items *one, const struct items *other, struct items *out)
{
    bool is_in[EXPLAIN_ITEMS_MAX] = {false};

    for (uint32_t i = 0; i < one->n; i++)
        is_in[one->list[i]] = true;
    for (uint32_t i = 0; i < other->n; i++)
        is_in[other->list[i]] = true;
    out->n = 0;
    for (uint32_t i = 0; i < EXPLAIN_ITEMS_MAX; i++) {
        if (is_in[i])
            out->list[out->n++] = i;
    }
}

bool items_counts(const struct sufficient_search *s, uint32_t item)
{
    return !s->from.is_kept || s->items[item].since > s->from.steps;
}

void items_all(const struct sufficient_search *s, struct items *out)
{
    out->n = 0;
    for (uint32_t i = 0; i < s->n_items; i++) {
        if (items_counts(s, i))
            out->list[out->n++] = i;
    }
}

static void take_kind(const struct sufficient_search *s, const struct items *set, bool are_orders,
                      struct items *out)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < set->n; i++) {
        if (item_is_order(s->items[set->list[i]].kind) == are_orders)
            out->list[n++] = set->list[i];
    }
    out->n = n;
}

void items_orders(const struct sufficient_search *s, const struct items *set, struct items *out)
{
    take_kind(s, set, true, out);
}

void items_values(const struct sufficient_search *s, const struct items *set, struct items *out)
{
    take_kind(s, set, false, out);
}

uint32_t items_by_rank(const struct sufficient_search *s, const struct items *set,
                       uint64_t *entries)
{
    for (uint32_t i = 0; i < set->n; i++) {
        uint32_t at = i;

        while (at > 0 && s->items[entries[at - 1]].rank < s->items[set->list[i]].rank) {
            entries[at] = entries[at - 1];
            at--;
        }
        entries[at] = set->list[i];
    }
    return set->n;
}

/* ---- Asking --------------------------------------------------------------------------------- */

int items_ask(struct sufficient_search *s, const struct items *set, struct question q,
              struct answer *out)
{
    struct choice choices[EXPLAIN_ITEMS_MAX];

    for (uint32_t i = 0; i < set->n; i++)
        choices[i] = (struct choice){.item = set->list[i]};
    q.choices = choices;
    q.n_choices = set->n;
    q.from = s->from;
    *out = (struct answer){0};
    return s->asker->ask(s->asker->self, &q, out);
}

int items_are_enough(struct sufficient_search *s, const struct items *set, uint32_t trials,
                     uint64_t stream, bool *out)
{
    struct question q = {.stream = stream, .trials = trials, .misses_max = answer_misses(trials)};
    struct answer a;
    int rc = items_ask(s, set, q, &a);

    *out = rc == 0 && a.trials == trials && a.trials - a.failed <= q.misses_max;
    return rc;
}

int items_rate(struct sufficient_search *s, const struct items *set, uint32_t trials,
               struct answer *out)
{
    return items_ask(
        s, set,
        (struct question){.stream = STREAM_SEARCH, .trials = trials, .misses_max = UINT32_MAX},
        out);
}

int items_verify(struct sufficient_search *s, const struct items *set, struct answer *out)
{
    return items_ask(s, set,
                     (struct question){.stream = s->next_stream++,
                                       .trials = EXPLAIN_VERIFY_TRIALS,
                                       .misses_max = UINT32_MAX},
                     out);
}
