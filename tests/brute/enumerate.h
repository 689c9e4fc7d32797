/* enumerate.h - all schedules of a program, by plain recursion. SPDX-License-Identifier: MIT */
#ifndef BRUTE_ENUMERATE_H
#define BRUTE_ENUMERATE_H

#include "situation.h"

struct limits {
    uint32_t leaves_min;
    uint32_t leaves_max;
    uint8_t steps_max;
};

/* Fills the tree with every schedule, each with its Mazurkiewicz trace, and adds to features what
 * was met. False: the program exceeds the limits or leaves the documented semantics; the tree then
 * holds nothing of use. */
bool enumerate(const struct program *program, const struct limits *limits, struct tree *tree,
               uint64_t features[FEATURES]);

/* The number of the trace of a schedule: steps[0] is the test, steps[1 .. n] follow. */
uint32_t trace_number(struct tree *tree, const struct step *steps, uint32_t n);
uint32_t trace_number_searched(struct tree *tree, const struct step *steps, uint32_t n);

/* The number of a situation in which a schedule ends. */
uint32_t outcome_number(struct tree *tree, const struct situation *s);

#endif
