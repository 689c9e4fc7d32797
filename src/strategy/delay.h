/* delay.h - what delay:D and delay:D:cache have in common. SPDX-License-Identifier: MIT */
#ifndef STRATEGY_DELAY_H
#define STRATEGY_DELAY_H

#include "strategy/path.h"

struct delay {
    uint64_t bound;
    struct path path;
    uint32_t spent[PATH_DEPTH_MAX + 1]; /* delays before each decision of the path */
};

/* Callbacks of struct sn_strategy, of which self is, or begins with, a struct delay. */
bool delay_begin(void *self, uint64_t trial, uint64_t *keep);
uint64_t delay_draw(void *self, const struct sn_draw *draw);
bool delay_is_exhausted(const void *self);
void delay_within(const void *self, char *text, size_t size);
double delay_progress(const void *self);

/* The source whose operation runs next. */
uint32_t delay_pick_source(struct trial *t, void *self);

/* The next decision is one that the trial before did not take. */
static inline bool delay_is_new(const struct delay *d)
{
    return d->path.depth >= d->path.keep;
}

/* Delays before the next decision. */
static inline uint32_t delay_spent(const struct delay *d)
{
    return d->spent[d->path.depth];
}

#endif
