/* show_lanes_fit.c - how wide the columns of show_lanes.c are.
 *
 * If there is room, each lane is wide enough for the names of events at its arrows. If not, lanes
 * are narrow and the names stand in the text beside them. If even narrow lanes leave no room for
 * text, the machines that matter least have no lane. SPDX-License-Identifier: MIT
 */
#include "report/show_lanes.h"

#include "report/words.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    COLUMNS_DEFAULT = 100,
    NAME_MAX_COLUMNS = 24, /* of an event or a machine, in a lane */
    NARROW = 3,            /* columns of the narrowest lane: |-> */
    NARROW_MAX = 12,
    TEXT_BESIDE_LABELS = 20, /* columns that the text gets at least, ... */
    TEXT_ALONE = 32,         /* ... and if it has the names of events as well, ... */
    TEXT_WELL = 60,          /* ... for which lanes are made narrower, but not the narrowest */
    WIDE_LABELS_MAX = 40,    /* lanes with names at the arrows when nothing is cut */
    GAP = 2,
};

const char *lanes_event(const struct trace_record *step)
{
    return step->step.op == TRACE_OP_START ? "start" : step->step.event;
}

const char *lanes_style(size_t lane)
{
    static const char *const styles[] = {"36", "33", "35", "32", "34", "96", "93", "95"};

    return styles[lane % (sizeof(styles) / sizeof(styles[0]))];
}

size_t lanes_left(const struct lanes *lanes)
{
    return lanes->step_width + GAP + (lanes->time_width > 0 ? lanes->time_width + GAP : 0);
}

static size_t columns_of(const char *name, size_t max)
{
    return show_put(NULL, trace_text_of(name), max);
}

static void raise_to(size_t *number, size_t other)
{
    if (other > *number)
        *number = other;
}

/* The widest things of their kind in all steps. */
struct widest {
    size_t label; /* at an arrow, or at a mark */
    size_t name;  /* of a machine */
};

static struct widest find_widest(struct lanes *lanes)
{
    struct widest widest = {0};
    char buffer[64];
    struct sn_text time;
    bool has_time = false;

    for (uint64_t step = lanes->tasks.first; step <= lanes->tasks.range.last; step++) {
        const struct trace_record *r = show_step(lanes->trace, step);

        raise_to(&widest.label, columns_of(lanes_event(r), NAME_MAX_COLUMNS));
        text_init(&time, buffer, sizeof(buffer));
        show_put_time(&time, r->step.time_ns);
        raise_to(&lanes->time_width, time.used);
        has_time = has_time || r->step.time_ns != 0;
    }
    if (!has_time)
        lanes->time_width = 0;
    for (size_t i = 0; i < lanes->tasks.names.n; i++)
        raise_to(&widest.name, columns_of(lanes->tasks.names.list[i], NAME_MAX_COLUMNS));
    return widest;
}

int lanes_measure(struct lanes *lanes)
{
    struct widest widest = find_widest(lanes);
    size_t n = lanes->tasks.names.n;
    size_t labelled = widest.label + 6 > widest.name + GAP ? widest.label + 6 : widest.name + GAP;
    size_t room;
    size_t left;
    char digits[32];

    lanes->step_width =
        (size_t)snprintf(digits, sizeof(digits), "%" PRIu64, lanes->tasks.range.last);
    lanes->step_width = lanes->step_width < 4 ? 4 : lanes->step_width;
    lanes->columns = lanes->options->is_wide        ? SIZE_MAX
                     : lanes->options->columns == 0 ? COLUMNS_DEFAULT
                                                    : lanes->options->columns;
    left = lanes_left(lanes);
    lanes->n = n;
    lanes->lane_width = labelled;
    lanes->has_labels = true;
    if (lanes->options->is_wide && n <= WIDE_LABELS_MAX)
        return 0;
    room = lanes->columns > left ? lanes->columns - left : 0;
    if (!lanes->options->is_wide && n * labelled + TEXT_BESIDE_LABELS <= room)
        return 0;
    lanes->has_labels = false;
    lanes->lane_width = widest.name + GAP < NARROW_MAX ? widest.name + GAP : NARROW_MAX;
    lanes->lane_width = lanes->lane_width < NARROW ? NARROW : lanes->lane_width;
    while (lanes->lane_width > NARROW + 1 && n * lanes->lane_width + TEXT_WELL > room)
        lanes->lane_width--;
    if (n * lanes->lane_width + TEXT_ALONE > room)
        lanes->lane_width = NARROW;
    if (!lanes->options->is_wide && n * NARROW + TEXT_ALONE > room) {
        lanes->n = room > TEXT_ALONE ? (room - TEXT_ALONE) / NARROW : 0;
        lanes->n = lanes->n < 2 ? 2 : lanes->n;
        lanes->n = lanes->n > n ? n : lanes->n;
    }
    return show_tasks_prefer(&lanes->tasks, lanes->n);
}
