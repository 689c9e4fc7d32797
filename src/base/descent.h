/* descent.h - how large a tree is, by going down in it at random.
 *
 * A descent goes from the root to a leaf and takes any child with the same chance. The product of
 * the numbers of children on its way is, in the mean, the number of leaves (Knuth, "Estimating the
 * efficiency of backtrack programs", 1975). Few descents may be far larger than all others, so the
 * mean is told with its standard error and with the largest one. SPDX-License-Identifier: MIT
 */
#ifndef BASE_DESCENT_H
#define BASE_DESCENT_H

#include "base/rng.h"

#include <stdbool.h>

enum {
    DESCENTS_KEPT = 1 << 16,
    DESCENTS_ABOVE_MIN = 30, /* so many must be above the mean for the mean to be trusted */
};

#define DESCENT_SIZE_MAX 1e150 /* its square is still a number */

struct descent {
    bool is_on;
    bool is_open; /* one has begun */
    uint64_t seed;
    uint64_t n; /* that have ended */
    struct rng rng;
    double size; /* of the tree, by the present one so far */
    double sum;
    double largest;
    double kept[DESCENTS_KEPT]; /* the first ones: spread and doubt go by them */
};

struct descent_result {
    uint64_t n;
    double mean;
    double error; /* the standard error of the mean */
    double largest;
    bool is_doubtful; /* few descents are above the mean: it may be far too small */
};

void descent_start(struct descent *p, uint64_t seed);

/* The next one begins, and the one before has ended. */
void descent_begin(struct descent *p);

/* Which of n children is taken. */
static inline uint64_t descent_choose(struct descent *p, uint64_t n)
{
    p->size = p->size < DESCENT_SIZE_MAX ? p->size * (double)n : DESCENT_SIZE_MAX;
    return rng_below64(&p->rng, n);
}

/* No other one will begin. */
struct descent_result descent_finish(struct descent *p);

#endif
