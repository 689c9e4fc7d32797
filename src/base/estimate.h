/* estimate.h - what a share seen in some trials says of the share in all of them.
 *
 * Intervals have a confidence of 95 %. They hold for a number of trials that was fixed before: a
 * count that was stopped because of what it showed is no estimate. SPDX-License-Identifier: MIT
 */
#ifndef BASE_ESTIMATE_H
#define BASE_ESTIMATE_H

#include <stdint.h>

struct interval {
    double low;
    double high;
};

/* Of Wilson's score: the one to show. All of [0, 1] if there were no trials. */
struct interval estimate_wilson(uint64_t hits, uint64_t trials);

/* Of Clopper and Pearson: contains the true share at least as often as it says, so it is the one to
 * decide by. */
struct interval estimate_exact(uint64_t hits, uint64_t trials);

/* What the share is at least, with 95 %, if every one of so many trials hit. */
double estimate_at_least(uint64_t trials);

/* The square root of x >= 0: the library needs no mathematical one. */
double estimate_root(double x);

#endif
