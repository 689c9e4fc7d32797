/* chatter.h - machines that talk, draw and use timers, so that every kind of decision is met, and
 * the sequence of orders that the trials of a strategy have. SPDX-License-Identifier: MIT
 */
#ifndef STRATEGY_CHATTER_H
#define STRATEGY_CHATTER_H

#include <stddef.h>
#include <stdint.h>

enum { CHATTER_TRIALS_MAX = 4096 };

/* What the trials of a run were. */
struct chatter {
    uint64_t n;
    uint64_t orders[CHATTER_TRIALS_MAX];
};

/* In memory that no trial reaches; NULL: there is none. */
struct chatter *chatter_new(void);

/* Runs at most n trials of the strategy. 0, or a negative SN_E*. */
int chatter_run(struct chatter *chatter, const char *strategy, uint64_t n);

/* One number for all of them, in their order. */
uint64_t chatter_hash(const struct chatter *chatter);

#endif
