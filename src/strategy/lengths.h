/* lengths.h - how long trials are, for strategies that change their minds at steps drawn from all.
 *
 * Unless the number is given it is the largest one of earlier epochs. Nothing that is learned
 * counts within its epoch, so trial i does not depend on how far others of the same epoch have got.
 * SPDX-License-Identifier: MIT
 */
#ifndef STRATEGY_LENGTHS_H
#define STRATEGY_LENGTHS_H

#include "base/bytes.h"
#include "engine/epoch.h"

enum { LENGTHS_BYTES = 32 };

struct lengths {
    uint64_t given;    /* by the parameters; 0: to be learned */
    uint64_t learned;  /* the largest one seen in earlier epochs; 0: nothing was seen */
    uint64_t longest;  /* in the present epoch or before */
    uint64_t epoch;    /* trial with which the present one began */
    uint64_t open;     /* trials that have begun since the last one of which the end was told */
    bool is_told_late; /* of ends, by whoever has epochs of its own: see lengths_end */
};

static inline uint64_t lengths_expected(const struct lengths *l)
{
    return l->given != 0 ? l->given : l->learned;
}

static inline void lengths_begin(struct lengths *l, uint64_t trial)
{
    if (epoch_of(trial) != l->epoch || l->is_told_late) {
        l->epoch = epoch_of(trial);
        l->learned = l->longest;
    }
    l->is_told_late = false;
    l->open++;
}

/* Usually each end is told before the next trial begins. Where several ends are told at once, their
 * trials were run by others, or one of several strategies is told at the end of an epoch of its
 * own: then nothing that is not to count yet is among them. */
static inline void lengths_end(struct lengths *l, uint64_t length, uint64_t most)
{
    l->is_told_late |= l->open != 1;
    l->open = 0;
    if (length > l->longest)
        l->longest = length < most ? length : most;
}

static inline void lengths_put(const struct lengths *l, unsigned char *to)
{
    bytes_put(to, l->learned);
    bytes_put(to + 8, l->longest);
    bytes_put(to + 16, l->epoch);
    bytes_put(to + 24, l->is_told_late);
}

static inline bool lengths_can_get(const unsigned char *from, uint64_t most)
{
    return bytes_get(from + 8) <= most && bytes_get(from) <= bytes_get(from + 8) &&
           bytes_get(from + 24) <= 1;
}

static inline void lengths_get(struct lengths *l, const unsigned char *from)
{
    l->learned = bytes_get(from);
    l->longest = bytes_get(from + 8);
    l->epoch = bytes_get(from + 16);
    l->is_told_late = bytes_get(from + 24) == 1;
}

/* Another part of the same work goes on with what was learned. */
static inline void lengths_share(const struct lengths *l, struct lengths *other)
{
    other->learned = l->learned;
    other->longest = l->longest;
    other->epoch = l->epoch;
    other->is_told_late = l->is_told_late;
}

#endif
