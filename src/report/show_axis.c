/* show_axis.c - see show_axis.h. SPDX-License-Identifier: MIT */
#include "report/show_axis.h"

#include "base/err.h"
#include "report/show_tasks.h"

#include <sennit/test.h>

#define WIDTH_ALONE_NS 1000             /* if there is but one moment */
#define TIME_MAX_NS (UINT64_C(1) << 62) /* later moments are put here, so that nothing wraps */

static uint64_t moment_of(const struct trace *trace, uint64_t step)
{
    uint64_t time_ns = step == 0 ? 0 : show_step(trace, step)->step.time_ns;

    return time_ns < TIME_MAX_NS ? time_ns : TIME_MAX_NS;
}

/* The largest of 1, 2, 5, 10, 20, ... that is not above a number; 1 for 0. */
static uint64_t round_down(uint64_t number)
{
    uint64_t power = 1;

    while (number / power >= 10)
        power *= 10;
    return number / power >= 5 ? 5 * power : number / power >= 2 ? 2 * power : power;
}

static uint64_t width_of(const struct trace *trace, struct show_range range)
{
    uint64_t narrowest = 0; /* 0: there is but one moment */
    uint64_t row = 0;
    uint64_t widest;

    for (uint64_t step = range.first; step <= range.last; step++) {
        uint64_t gap = 0;

        row++;
        if (step < range.last && moment_of(trace, step + 1) > moment_of(trace, step))
            gap = moment_of(trace, step + 1) - moment_of(trace, step);
        if (gap == 0)
            continue;
        if (narrowest == 0 || gap / (2 * row) < narrowest)
            narrowest = gap / (2 * row) == 0 ? 1 : gap / (2 * row);
        row = 0;
    }
    /* The steps of the last moment have no other moment behind them. */
    widest = TIME_MAX_NS / (range.last < range.first ? 1 : range.last - range.first + 1);
    if (narrowest == 0)
        return WIDTH_ALONE_NS;
    return round_down(narrowest < widest ? narrowest : widest);
}

int show_axis_init(struct show_axis *axis, const struct trace *trace, struct show_range range,
                   struct arena *arena)
{
    size_t n = range.last < range.first ? 0 : (size_t)(range.last - range.first) + 1;

    *axis = (struct show_axis){.range = range, .width_ns = width_of(trace, range)};
    axis->at_ns = arena_array(arena, n, sizeof(*axis->at_ns));
    if (axis->at_ns == NULL)
        return SN_ENOMEM;
    for (uint64_t step = range.first; step <= range.last; step++) {
        uint64_t moment = moment_of(trace, step);

        axis->at_ns[step - range.first] = moment > axis->end_ns ? moment : axis->end_ns;
        axis->end_ns = axis->at_ns[step - range.first] + axis->width_ns;
    }
    return 0;
}

uint64_t show_axis_inside(const struct show_axis *axis, uint64_t step, size_t i, size_t n)
{
    uint64_t part = axis->width_ns / (n + 1);

    sn_check(i < n);
    return axis->at_ns[step - axis->range.first] + part * (i + 1);
}
