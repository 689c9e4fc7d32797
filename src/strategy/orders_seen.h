/* orders_seen.h - which orders were seen already: a million of them, of each set the newest.
 *
 * The table begins small and doubles when a set would be full, so that short runs touch few pages;
 * until it is as large as it can be nothing is forgotten. SPDX-License-Identifier: MIT
 */
#ifndef STRATEGY_ORDERS_SEEN_H
#define STRATEGY_ORDERS_SEEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    ORDERS_SETS_FIRST = 1 << 8,
    ORDERS_SETS_MAX = 1 << 17,
    ORDERS_WAYS = 8,
};

/* Zeroed is empty. */
struct orders_seen {
    uint32_t n_sets; /* 0: none was seen */
    uint64_t n;
    uint64_t sets[ORDERS_SETS_MAX][ORDERS_WAYS]; /* the newest of each set first; 0: none */
};

/* Whether an order is new; from now on it is not. */
bool orders_see(struct orders_seen *o, uint64_t order);

void orders_forget(struct orders_seen *o);
void orders_copy(struct orders_seen *to, const struct orders_seen *from);

/* Writes all, 8 bytes for each: who sees them in this order has the same ones, and forgets them in
 * the same order. */
void orders_put(const struct orders_seen *o, unsigned char *to);

#endif
