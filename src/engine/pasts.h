/* pasts.h - the past of an event: those that must come before it, and itself, as a set of bits.
 *
 * What could have come first is looked for while searching (strategy/course.c) and when a trial is
 * looked at once it is over (engine/happened_order.c). They know different things of a trial, but
 * mean the same by a past. SPDX-License-Identifier: MIT
 */
#ifndef ENGINE_PASTS_H
#define ENGINE_PASTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* With the number of an event, since which an operation could run: after it and all before it,
 * because nothing else could. */
#define PAST_AND_ALL (UINT32_C(1) << 30)

static inline bool past_has(const uint64_t *past, uint32_t i)
{
    return (past[i / 64] >> (i % 64) & 1) != 0;
}

static inline void past_add(uint64_t *past, uint32_t i)
{
    past[i / 64] |= UINT64_C(1) << (i % 64);
}

/* Empties the past of event k, of which later events are no part. */
static inline void past_clear(uint64_t *past, uint32_t k)
{
    memset(past, 0, (k / 64 + 1) * sizeof(past[0]));
}

/* Adds the past of event i, which is earlier. */
static inline void past_join(uint64_t *past, const uint64_t *of, uint32_t i)
{
    for (uint32_t w = 0; w <= i / 64; w++)
        past[w] |= of[w];
}

/* Adds what comes before an operation that could run since an event, whose past this is. */
static inline void past_join_since(uint64_t *past, const uint64_t *of, uint32_t since)
{
    uint32_t i = since & ~PAST_AND_ALL;

    past_join(past, of, i);
    for (uint32_t k = 0; (since & PAST_AND_ALL) != 0 && k < i; k++)
        past_add(past, k);
}

#endif
