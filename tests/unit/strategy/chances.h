/* chances.h - asserting how likely strategies make the outcomes of races.
 * SPDX-License-Identifier: MIT
 */
#ifndef STRATEGY_CHANCES_H
#define STRATEGY_CHANCES_H

#include "forest.h"

enum { CHANCE_TRIALS_MIN = 10000 };

/* Enough to tell a chance from half of it with near certainty, and more. */
static inline uint64_t trials_for(double p)
{
    uint64_t n = p > 0 ? (uint64_t)(200 / p) : 0;

    return n > CHANCE_TRIALS_MIN ? n : CHANCE_TRIALS_MIN;
}

static inline bool is_wrong(const struct race *race, const char *strategy, double p)
{
    return chance_is_wrong(race_hits(race, strategy, trials_for(p)), trials_for(p), p);
}

/* A macro, so that the line of a test that fails is told. */
#define assert_chance(race_, strategy_, p_)                                                        \
    do {                                                                                           \
        uint64_t n_ = trials_for(p_);                                                              \
        uint64_t hits_ = race_hits(race_, strategy_, n_);                                          \
                                                                                                   \
        if (chance_is_wrong(hits_, n_, p_))                                                        \
            print_error("%s: %llu hits of %llu, %.5f, where %.5f is right\n", strategy_,           \
                        (unsigned long long)hits_, (unsigned long long)n_,                         \
                        (double)hits_ / (double)n_, p_);                                           \
        assert_false(chance_is_wrong(hits_, n_, p_));                                              \
    } while (0)

#endif
