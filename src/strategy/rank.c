/* rank.c - see rank.h: the rarer cases. SPDX-License-Identifier: MIT */
#include "strategy/rank.h"

static uint32_t firings(const struct ranks *r, uint32_t task)
{
    return r->fired[task] >> 8 == r->lull ? (uint32_t)(r->fired[task] & 0xff) : 0;
}

uint32_t rank_of_timer(const struct ranks *r, uint32_t task, uint32_t rank)
{
    uint32_t n = firings(r, task);

    if (rank == RANK_BEGIN)
        return rank;
    if (n >= RANK_FIRINGS_MAX)
        return RANK_SPENT;
    return rank >= RANK_END ? rank : RANK_END - (RANK_END - rank) / (1 + n);
}

void rank_fires(struct ranks *r, uint32_t task)
{
    uint32_t n = firings(r, task);

    r->fired[task] = r->lull << 8 | (n < RANK_FIRINGS_MAX ? n + 1 : n);
}

static uint64_t rank_missing(struct trial *t, struct ranks *r, rank_natural *natural)
{
    for (uint32_t i = 0; i < t->now.n_enabled; i++) {
        if (rank_of(t->enabled[i]) == 0)
            rank_at(t, r, i, natural);
    }
    return rank_smallest(t->enabled, t->now.n_enabled);
}

uint64_t rank_all(struct trial *t, struct ranks *r, rank_natural *natural)
{
    uint64_t lowest = rank_missing(t, r, natural);

    if (rank_of(lowest) < RANK_SPENT)
        return lowest;
    r->lull++;
    for (uint32_t i = 0; i < t->now.n_enabled; i++)
        t->enabled[i] = (uint32_t)t->enabled[i];
    return rank_missing(t, r, natural);
}
