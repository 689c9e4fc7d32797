/* state.h - a state of a trial as a key of 128 bits.
 *
 * What is claimed because two states were taken to be the same needs so many: two of n keys are
 * equal by chance with a probability below n^2 / 2^128. Parts that have an order are added one
 * after the other, parts that have none are keys of their own and are summed up.
 * SPDX-License-Identifier: MIT
 */
#ifndef ENGINE_STATE_H
#define ENGINE_STATE_H

#include "base/rng.h"

#include <stdbool.h>

struct state_key {
    uint64_t low;
    uint64_t high;
};

/* The halves mix with different constants, and the second one depends on the first, too. */
static inline struct state_key state_add(struct state_key key, uint64_t value)
{
    uint64_t high = (key.high ^ rng_rotl(key.low, 32)) + value * UINT64_C(0xd6e8feb86659fd93);

    return (struct state_key){mix_pair(key.low, value), mix64(high + UINT64_C(0xa0761d6478bd642f))};
}

static inline struct state_key state_begin(uint64_t value)
{
    return state_add((struct state_key){0, 0}, value);
}

static inline struct state_key state_join(struct state_key key, struct state_key part)
{
    return state_add(state_add(key, part.low), part.high);
}

static inline struct state_key state_sum(struct state_key a, struct state_key b)
{
    return (struct state_key){a.low + b.low, a.high + b.high};
}

static inline bool state_is_equal(struct state_key a, struct state_key b)
{
    return a.low == b.low && a.high == b.high;
}

#endif
