/* show_lanes.h - what the parts of show_lanes share: the drawing, and where its columns are.
 * SPDX-License-Identifier: MIT
 */
#ifndef REPORT_SHOW_LANES_H
#define REPORT_SHOW_LANES_H

#include "report/canvas.h"
#include "report/show.h"
#include "report/show_tasks.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum lane_life {
    LANE_NOT_YET = 0,
    LANE_RUNS,
    LANE_DOWN, /* its node has crashed */
    LANE_ENDED,
};

struct lanes {
    struct sn_text *out;
    const struct trace *trace;
    const struct show_options *options;
    struct show_tasks tasks;
    struct canvas canvas;

    /* Where things are, in columns. */
    size_t columns;    /* of the terminal; SIZE_MAX: as many as there are */
    size_t step_width; /* of the number of a step */
    size_t time_width; /* 0: all happened at once */
    size_t lane_width;
    size_t n;        /* lanes: the tasks behind these are hidden */
    bool has_labels; /* names of events stand at arrows and marks, not in the text */

    const struct trace_record **births; /* by task */
    uint8_t *lives;                     /* by lane: enum lane_life */
    uint64_t last_time_ns;              /* that was written */
    bool has_time;                      /* whether it was */
    unsigned since_head;                /* lines */
};

/* Finds out how wide everything is, and who has a lane. Returns 0, or SN_ENOMEM. */
int lanes_measure(struct lanes *lanes);

/* The name of an event as the drawing has it. */
const char *lanes_event(const struct trace_record *step);

/* The colour of a lane. */
const char *lanes_style(size_t lane);

/* The columns before the first lane. */
size_t lanes_left(const struct lanes *lanes);

#endif
