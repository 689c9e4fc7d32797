/* cache.c - see cache.h. SPDX-License-Identifier: MIT */
#include "strategy/cache.h"

#include <assert.h>
#include <string.h>

enum { SLOTS_MIN = 1024 };

static_assert((CACHE_STATES_MAX & (CACHE_STATES_MAX - 1)) == 0, "slots double up to it");

void cache_init(struct cache *c, uint32_t states_max)
{
    c->max = states_max < CACHE_STATES_MAX ? states_max : CACHE_STATES_MAX;
}

void cache_clear(struct cache *c)
{
    memset(c->first, 0, c->slots * sizeof(c->first[0]));
    c->n = 0;
    c->slots = 0;
    c->is_full = false;
}

static uint32_t *slot_of(struct cache *c, struct state_key key)
{
    return &c->first[key.low & (c->slots - 1)];
}

static void link_entry(struct cache *c, uint32_t i)
{
    uint32_t *slot = slot_of(c, c->entries[i].key);

    c->entries[i].next = *slot;
    *slot = i;
}

/* Doubles the table. */
static void grow(struct cache *c)
{
    memset(c->first, 0, c->slots * sizeof(c->first[0]));
    c->slots = c->slots == 0 ? SLOTS_MIN : 2 * c->slots;
    for (uint32_t i = 1; i <= c->n; i++)
        link_entry(c, i);
}

static void keep(struct cache *c, struct state_key key, uint32_t cost)
{
    if (c->n == c->max) {
        c->is_full = true;
        return;
    }
    if (c->n == c->slots)
        grow(c);
    c->entries[++c->n] = (struct cache_entry){.key = key, .cost = cost};
    link_entry(c, c->n);
}

static struct cache_entry *find(struct cache *c, struct state_key key)
{
    uint32_t i = c->slots > 0 ? *slot_of(c, key) : 0;

    while (i != 0 && !state_is_equal(c->entries[i].key, key))
        i = c->entries[i].next;
    return i != 0 ? &c->entries[i] : NULL;
}

bool cache_meet(struct cache *c, struct state_key key, uint32_t cost)
{
    struct cache_entry *entry = find(c, key);

    if (entry == NULL) {
        keep(c, key, cost);
        return false;
    }
    if (entry->cost <= cost)
        return true;
    entry->cost = cost;
    return false;
}
