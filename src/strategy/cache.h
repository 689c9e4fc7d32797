/* cache.h - states that a search has met, each with the least that it cost to come there.
 *
 * Entries lie in the order in which they came and are found through a table that doubles as they
 * become more, so that memory is touched only as it is used. A full cache takes no more states and
 * is right about those that it has. SPDX-License-Identifier: MIT
 */
#ifndef STRATEGY_CACHE_H
#define STRATEGY_CACHE_H

#include "engine/mem.h"
#include "engine/state.h"

enum { CACHE_STATES_MAX = (1 << 22) >> MEM_SAVING_SHIFT };

struct cache_entry {
    struct state_key key;
    uint32_t cost;
    uint32_t next; /* in the same slot; 0: none */
};

struct cache {
    uint32_t n;                                       /* states */
    uint32_t max;                                     /* no more than these are kept */
    uint32_t slots;                                   /* in use: a power of two, or 0 at first */
    bool is_full;                                     /* a state was not kept */
    struct cache_entry entries[CACHE_STATES_MAX + 1]; /* from 1 */
    uint32_t first[CACHE_STATES_MAX];                 /* of each slot */
};

/* A zeroed cache becomes one for at most so many states, at least 1. */
void cache_init(struct cache *c, uint32_t states_max);

/* Forgets all states. */
void cache_clear(struct cache *c);

/* The search is in a state. True: it was there before and it had cost no more, so what follows is
 * known. False: from now on it was there at this cost, unless the cache is full. */
bool cache_meet(struct cache *c, struct state_key key, uint32_t cost);

#endif
