/* narrow.c - see narrow.h. SPDX-License-Identifier: MIT */
#include "explain/narrow.h"

#include "base/ddmin.h"

#include <stdlib.h>
#include <string.h>

/* From which items, or operations, as many as possible are left out. */
struct narrowing {
    struct sufficient_search *s;
    const struct items *fixed;  /* stay whatever is left out */
    const struct items *orders; /* if operations are left out: orders of two that stay, stay */
    const struct ddmin *list;
    uint32_t trials;
    uint64_t stream;
    int rc;
    struct items set; /* that is asked about */
    uint64_t kept[2 * EXPLAIN_ITEMS_MAX];
    uint32_t n_kept; /* operations, sorted */
};

/* ---- Narrowing ------------------------------------------------------------------------------ */

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a;
    uint64_t y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static bool is_kept(const struct narrowing *n, uint32_t operation)
{
    uint64_t entry = operation;

    return bsearch(&entry, n->kept, n->n_kept, sizeof(entry), compare) != NULL;
}

static void keep_operations(struct narrowing *n, struct ddmin_range without)
{
    n->n_kept = 0;
    for (uint32_t i = 0; i < n->list->n; i++) {
        if (i < without.from || i >= without.to)
            n->kept[n->n_kept++] = n->list->entries[i];
    }
    qsort(n->kept, n->n_kept, sizeof(n->kept[0]), compare);
}

/* The items that are left if a range of the list is left out. */
static void fill_set(struct narrowing *n, struct ddmin_range without)
{
    const struct sufficient_search *s = n->s;

    n->set = *n->fixed;
    for (uint32_t i = 0; n->orders == NULL && i < n->list->n; i++) {
        if (i < without.from || i >= without.to)
            n->set.list[n->set.n++] = (uint32_t)n->list->entries[i];
    }
    if (n->orders != NULL)
        keep_operations(n, without);
    for (uint32_t i = 0; n->orders != NULL && i < n->orders->n; i++) {
        uint32_t item = n->orders->list[i];

        if (is_kept(n, s->items[item].first) && is_kept(n, s->items[item].second))
            n->set.list[n->set.n++] = item;
    }
    items_sort(&n->set);
}

static uint32_t test(void *self, const struct ddmin_range *without, uint32_t n)
{
    struct narrowing *narrowing = self;

    for (uint32_t i = 0; i < n; i++) {
        bool enough;

        fill_set(narrowing, without[i]);
        narrowing->rc = items_are_enough(narrowing->s, &narrowing->set, narrowing->trials,
                                         narrowing->stream, &enough);
        if (narrowing->rc != 0)
            return DDMIN_STOP;
        if (enough)
            return i;
    }
    return n;
}

static void take(void *self, struct ddmin *d, struct ddmin_range without)
{
    (void)self;
    ddmin_leave_out(d, without);
}

/* Leaves out of a list what it can; *left is what is asked about in the end. */
static int narrow(struct narrowing *n, uint64_t *entries, uint32_t n_entries, struct items *left)
{
    struct ddmin d = {
        .entries = entries, .n = n_entries, .width = 1, .test = test, .take = take, .self = n};

    n->list = &d;
    n->rc = 0;
    (void)ddmin_run(&d);
    fill_set(n, (struct ddmin_range){0, 0});
    *left = n->set;
    return n->rc;
}

int narrow_items(struct sufficient_search *s, const struct items *fixed, const struct items *from,
                 uint32_t trials, struct items *left)
{
    struct narrowing n = {.s = s, .fixed = fixed, .trials = trials, .stream = STREAM_SEARCH};
    uint64_t entries[EXPLAIN_ITEMS_MAX];

    if (trials > EXPLAIN_SEARCH_TRIALS)
        n.stream = STREAM_MINIMISE;
    return narrow(&n, entries, items_by_rank(s, from, entries), left);
}

static void add_operation(uint64_t *entries, uint32_t *n, uint32_t operation)
{
    for (uint32_t i = 0; i < *n; i++) {
        if (entries[i] == operation)
            return;
    }
    entries[(*n)++] = operation;
}

int narrow_operations(struct sufficient_search *s, const struct items *fixed,
                      const struct items *orders, struct items *left)
{
    struct narrowing n = {.s = s,
                          .fixed = fixed,
                          .orders = orders,
                          .trials = EXPLAIN_SEARCH_TRIALS,
                          .stream = STREAM_SEARCH};
    uint64_t by_rank[EXPLAIN_ITEMS_MAX];
    uint64_t entries[2 * EXPLAIN_ITEMS_MAX];
    uint32_t n_entries = 0;

    (void)items_by_rank(s, orders, by_rank);
    for (uint32_t i = 0; i < orders->n; i++) {
        add_operation(entries, &n_entries, s->items[by_rank[i]].second);
        add_operation(entries, &n_entries, s->items[by_rank[i]].first);
    }
    return narrow(&n, entries, n_entries, left);
}

/* ---- Asking for less ----------------------------------------------------------------------- */

/* The order of two operations, if it is an item; UINT32_MAX: it is none. */
static uint32_t find_order(const struct sufficient_search *s, uint32_t first, uint32_t second)
{
    for (uint32_t i = 0; i < s->n_known; i++) {
        if (s->items[i].kind == ITEM_ORDER && s->items[i].first == first &&
            s->items[i].second == second && items_counts(s, i))
            return i;
    }
    return UINT32_MAX;
}

/* Puts another item in the place of one, if that does as well. */
static int replace(struct sufficient_search *s, struct items *set, uint32_t at, uint32_t item,
                   bool *done)
{
    struct items with = *set;
    int rc;

    *done = false;
    if (item == UINT32_MAX || items_has(set, item))
        return 0;
    items_remove(&with, at);
    items_add(&with, item);
    rc = items_are_enough(s, &with, EXPLAIN_SEARCH_TRIALS, STREAM_SEARCH, done);
    if (*done)
        *set = with;
    return rc;
}

/* Puts a weaker item in the place of one that it weakens, if there is one that does. */
static int weaken(struct sufficient_search *s, struct items *set, uint32_t at, bool *done)
{
    uint32_t item = set->list[at];
    int rc = 0;

    *done = false;
    for (uint32_t i = 0; rc == 0 && !*done && i < s->n_known; i++) {
        if (s->items[i].weakens == item + 1 && items_counts(s, i))
            rc = replace(s, set, at, i, done);
    }
    return rc;
}

/* Of a before b and b before c, says a before c instead of one of them where that is enough. */
static int shortcut(struct sufficient_search *s, struct items *set, uint32_t at, bool *done)
{
    const struct item *one = &s->items[set->list[at]];

    *done = false;
    for (uint32_t i = 0; i < set->n; i++) {
        const struct item *next = &s->items[set->list[i]];
        uint32_t item;
        int rc;

        if (one->kind != ITEM_ORDER || next->kind != ITEM_ORDER || one->second != next->first)
            continue;
        item = find_order(s, one->first, next->second);
        rc = replace(s, set, at, item, done);
        if (rc == 0 && !*done)
            rc = replace(s, set, i, item, done);
        if (rc != 0 || *done)
            return rc;
    }
    return 0;
}

/* Asks for less where that is enough: it explains more trials. */
static int generalise(struct sufficient_search *s, struct items *set)
{
    for (uint32_t i = 0; i < set->n;) {
        bool done;
        int rc = weaken(s, set, i, &done);

        if (rc == 0 && !done)
            rc = shortcut(s, set, i, &done);
        if (rc != 0)
            return rc;
        i = done ? 0 : i + 1; /* each time less is asked for, so this ends */
    }
    return 0;
}

/* ---- Unsticking ----------------------------------------------------------------------------- */

int narrow_unstick(struct sufficient_search *s, struct items *set)
{
    uint32_t blamed[EXPLAIN_ITEMS_MAX];

    for (;;) {
        struct items left = {.n = 0};
        struct answer a;
        uint32_t most = 0;
        int rc;

        memset(blamed, 0, sizeof(blamed));
        rc = items_ask(s, set,
                       (struct question){.stream = STREAM_SEARCH,
                                         .trials = EXPLAIN_SEARCH_TRIALS,
                                         .misses_max = UINT32_MAX,
                                         .blamed = blamed},
                       &a);
        if (rc != 0 || a.stuck * 100 <= EXPLAIN_SEARCH_TRIALS)
            return rc;
        for (uint32_t i = 0; i < set->n; i++)
            most = blamed[i] > most ? blamed[i] : most;
        if (most == 0)
            return 0;
        /* Half as often blamed as the worst is blamed enough: one by one takes too long. */
        for (uint32_t i = 0; i < set->n; i++) {
            if (blamed[i] == 0 || blamed[i] * 2 < most)
                left.list[left.n++] = set->list[i];
        }
        *set = left;
    }
}

/* ---- A whole set ---------------------------------------------------------------------------- */

int narrow_set(struct sufficient_search *s, struct items *set, struct items *wide)
{
    struct items draws;
    struct items orders;
    int rc;

    items_orders(s, set, &orders);
    items_values(s, set, &draws);
    *wide = *set;
    rc = narrow_items(s, &orders, &draws, EXPLAIN_SEARCH_TRIALS, set);
    if (rc != 0)
        return rc;
    items_values(s, set, &draws);
    rc = narrow_operations(s, &draws, &orders, set);
    if (rc != 0)
        return rc;
    items_orders(s, set, &orders);
    rc = narrow_items(s, &draws, &orders, EXPLAIN_SEARCH_TRIALS, set);
    return rc == 0 ? generalise(s, set) : rc;
}
