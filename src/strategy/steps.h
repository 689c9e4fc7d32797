/* steps.h - steps as a test's own predicates see them, each kept once.
 *
 * What a predicate is asked about may have happened in an earlier trial, so payloads are copied.
 * SPDX-License-Identifier: MIT
 */
#ifndef STRATEGY_STEPS_H
#define STRATEGY_STEPS_H

#include <sennit/dependence.h>

enum {
    STEPS_KNOWN_MAX = 1 << 16,
    STEPS_SLOTS = 2 * STEPS_KNOWN_MAX,
    STEPS_BYTES_MAX = 1 << 24,
};

struct steps {
    const struct sn_dependence *asks; /* what the test says; NULL: nothing */
    uint32_t n;
    uint32_t n_bytes;
    uint32_t slots[STEPS_SLOTS];
    struct sn_taken_step all[STEPS_KNOWN_MAX + 1];
    _Alignas(16) char bytes[STEPS_BYTES_MAX];
};

/* The number of a step; 0: there is no more room. */
uint32_t steps_get(struct steps *s, const struct sn_taken_step *step);

static inline bool steps_has(const struct steps *s, uint64_t step)
{
    return step != 0 && step <= s->n;
}

/* Steps of which nothing is known are dependent, and enable nothing. */
static inline bool steps_are_dependent(const struct steps *s, uint64_t a, uint64_t b)
{
    return !steps_has(s, a) || !steps_has(s, b) || s->asks->dependent(&s->all[a], &s->all[b]);
}

static inline bool steps_is_enabled_by(const struct steps *s, uint64_t later, uint64_t earlier)
{
    return steps_has(s, later) && steps_has(s, earlier) &&
           s->asks->enabled_by(&s->all[later], &s->all[earlier]);
}

#endif
