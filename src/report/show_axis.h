/* show_axis.h - where steps lie on an axis of virtual time.
 *
 * Operations cost no virtual time, so whole rows of steps happen at one moment. To be seen, and
 * seen in their order, they are spread over what follows that moment: each step gets the same
 * width, the largest round one with which no row takes more than half of the time up to the next
 * moment. A step so lies between its own moment and the next one. Only where there is less than
 * that between two moments (some nanoseconds) are later steps pushed on.
 * SPDX-License-Identifier: MIT
 */
#ifndef REPORT_SHOW_AXIS_H
#define REPORT_SHOW_AXIS_H

#include "base/arena.h"
#include "report/show.h"
#include "trace/trace.h"

#include <stdint.h>

struct show_axis {
    struct show_range range;
    uint64_t *at_ns; /* by step - range.first, the set-up being step 0 */
    uint64_t width_ns;
    uint64_t end_ns; /* of the last step */
};

/* Returns 0, or SN_ENOMEM. Memory is taken from the arena. */
int show_axis_init(struct show_axis *axis, const struct trace *trace, struct show_range range,
                   struct arena *arena);

/* The place of the i-th of n things that happened in a step, one after the other inside of it. */
uint64_t show_axis_inside(const struct show_axis *axis, uint64_t step, size_t i, size_t n);

#endif
