/* epoch.h - when strategies that learn may change their minds. SPDX-License-Identifier: MIT */
#ifndef ENGINE_EPOCH_H
#define ENGINE_EPOCH_H

#include <stdint.h>

enum { EPOCH_TRIALS = 256 };

/* The first trial of the epoch that a trial belongs to: 0, 1, 2, 4, ... 256, 512, 768, ... The
 * first ones are short, because there is much to learn at first. */
static inline uint64_t epoch_of(uint64_t trial)
{
    uint64_t begin = 1;

    if (trial >= EPOCH_TRIALS)
        return trial - trial % EPOCH_TRIALS;
    while (begin * 2 <= trial)
        begin *= 2;
    return trial == 0 ? 0 : begin;
}

#endif
