/* show_perfetto.h - what the parts of show_perfetto share: writing one event of the trace event
 * format. SPDX-License-Identifier: MIT
 */
#ifndef REPORT_SHOW_PERFETTO_H
#define REPORT_SHOW_PERFETTO_H

#include "base/text.h"
#include "report/show_axis.h"
#include "trace/trace.h"

#include <stddef.h>
#include <stdint.h>

/* Numbers of processes. Those of types follow, and then those of tracks: all are different, as a
 * track of the same number as its process would be its main thread. */
enum {
    PERFETTO_TEST = 1, /* the set-up of the test */
    PERFETTO_CLIENTS,  /* what clients called */
    PERFETTO_TYPES,
};

/* What every event has. Places are written in microseconds, as the format wants it. */
struct perfetto_event {
    const char *phase;
    const char *category; /* NULL: none */
    struct trace_text name;
    uint64_t at_ns;
    size_t process;
    size_t track;
};

/* An event without its end, so that more can follow: ,"key":value */
void perfetto_begin(struct sn_text *out, const struct perfetto_event *event);
void perfetto_end(struct sn_text *out);

/* A time as a number of microseconds. */
void perfetto_put_time(struct sn_text *out, uint64_t time_ns);

/* The first event of all: the name of a process or of a track, and its place among others. */
void perfetto_put_name(struct sn_text *out, size_t process, size_t track, const char *name);

/* What clients called, as slices of their own that need not lie in a step. Returns 0, or
 * SN_ENOMEM. */
int perfetto_put_operations(struct sn_text *out, const struct trace *trace,
                            const struct show_axis *axis);

#endif
