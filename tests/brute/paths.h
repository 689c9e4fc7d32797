/* paths.h - which steps of a trial could have come the other way round, by searching for paths.
 *
 * Says the same as conflict analysis (docs/strategies.md) in the plainest way: what comes before
 * what is a list of arrows, and whether one step comes before another is asked by going back along
 * them, one by one. Shares nothing with the analysis, which has clocks.
 * SPDX-License-Identifier: MIT
 */
#ifndef BRUTE_PATHS_H
#define BRUTE_PATHS_H

#include <stdbool.h>
#include <stdint.h>

enum { PATHS_STEPS_MAX = 63 };

/* Sets of steps have bit n for step n; steps are numbered from 1. */
struct paths {
    uint32_t n;
    uint64_t needs[PATHS_STEPS_MAX + 1];   /* earlier steps without which it could not be, ... */
    uint64_t clashes[PATHS_STEPS_MAX + 1]; /* ... and those with which it does not commute */
    uint64_t races[PATHS_STEPS_MAX + 1];   /* of the latter: found by paths_find */
};

#define STEP_BIT(step_) (UINT64_C(1) << (step_))

/* All steps before one. */
static inline uint64_t steps_before(uint32_t step)
{
    return STEP_BIT(step) - 2;
}

/* A step races with an earlier one with which it clashes, if no path leads from that one to
 * anything that the step needs. What clashes comes one before the other as it did. */
void paths_find(struct paths *p);

/* The steps that are part of a pair. */
uint64_t paths_raced(const struct paths *p);

#endif
