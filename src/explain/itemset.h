/* itemset.h - sets of items, and what is asked about them. SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_ITEMSET_H
#define EXPLAIN_ITEMSET_H

#include "explain/ask.h"

struct items {
    uint32_t list[EXPLAIN_ITEMS_MAX]; /* ascending */
    uint32_t n;
};

struct sufficient_search {
    const struct asker *asker;
    const struct item *items;
    uint32_t n_items;      /* that together stand for the whole trial ... */
    uint32_t n_known;      /* ... and, after those, ones that follow from them: at least n_items */
    uint64_t next_stream;  /* STREAM_VERIFY at first: one that nobody has used */
    struct beginning from; /* of the trial, that stays: only items of what comes after it count */
};

void items_add(struct items *set, uint32_t item);
void items_remove(struct items *set, uint32_t at);
bool items_has(const struct items *set, uint32_t item);
void items_sort(struct items *set);
void items_subtract(const struct items *all, const struct items *those, struct items *out);
void items_unite(const struct items *one, const struct items *other, struct items *out);

/* Whether an item is about what comes after the beginning that stays. */
bool items_counts(const struct sufficient_search *s, uint32_t item);

/* The items that stand for the whole trial: the orders of them, and the others. */
void items_all(const struct sufficient_search *s, struct items *out);
void items_orders(const struct sufficient_search *s, const struct items *set, struct items *out);
void items_values(const struct sufficient_search *s, const struct items *set, struct items *out);

/* Lists a set, the items of the highest rank first. Returns how many there are. */
uint32_t items_by_rank(const struct sufficient_search *s, const struct items *set,
                       uint64_t *entries);

/* Asks q, whose choices these items become. */
int items_ask(struct sufficient_search *s, const struct items *set, struct question q,
              struct answer *out);

/* Whether nearly all trials fail with these items. */
int items_are_enough(struct sufficient_search *s, const struct items *set, uint32_t trials,
                     uint64_t stream, bool *out);

/* How many do, by trials of the search; and by ones that nobody has used. */
int items_rate(struct sufficient_search *s, const struct items *set, uint32_t trials,
               struct answer *out);
int items_verify(struct sufficient_search *s, const struct items *set, struct answer *out);

#endif
