/* show.h - a trace for people and for other tools: as text and as lanes in a terminal, as JSON, and
 * for programs that draw it (Graphviz, ShiViz, Mermaid, Perfetto).
 *
 * What a trace says may come from anywhere, so nothing of it reaches a terminal or a file of
 * another format unescaped. SPDX-License-Identifier: MIT
 */
#ifndef REPORT_SHOW_H
#define REPORT_SHOW_H

#include "base/err.h"
#include "base/text.h"
#include "trace/trace.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zeroed means: all steps, without details, cut to 100 columns, without colour. */
struct show_options {
    const char *path; /* of the trace, for the line that says how to repeat it; NULL: no line */
    uint64_t from;    /* first step; 0 means from the set-up on */
    uint64_t to;      /* last step; 0 means the last of the trace */
    size_t columns;   /* 0 means 100 */
    bool is_verbose;  /* everything that happened in a step */
    bool is_brief;    /* text: only steps that changed a state, drew, noted or printed something */
    bool is_bare;     /* text: the table alone */
    bool is_wide;     /* cut nothing */
    bool is_coloured; /* with escape sequences of terminals */
    bool is_unicode;  /* lanes: drawn with lines and arrows, not with ASCII */

    /* What whoever asked should know about the result, as a sentence: set if there is something.
     * May be NULL. */
    struct err *remark;
};

/* Each writes to `out` and flushes it. Returns 0, or SN_EIO if `out` could not take it all, or
 * SN_ENOMEM, or SN_EINVAL if the form has no room for so much: then nothing was written, and the
 * remark says why. A script always begins with the first step. */
int show_text(struct sn_text *out, const struct trace *trace, const struct show_options *options);
int show_lanes(struct sn_text *out, const struct trace *trace, const struct show_options *options);
int show_json(struct sn_text *out, const struct trace *trace, const struct show_options *options);
int show_script(struct sn_text *out, const struct trace *trace, const struct show_options *options);
int show_dot(struct sn_text *out, const struct trace *trace, const struct show_options *options);
int show_shiviz(struct sn_text *out, const struct trace *trace, const struct show_options *options);
int show_mermaid(struct sn_text *out, const struct trace *trace,
                 const struct show_options *options);
int show_perfetto(struct sn_text *out, const struct trace *trace,
                  const struct show_options *options);

/* ---- What they share ------------------------------------------------------------------------ */

/* The steps that the options ask for: from first to last, which is below first if there is none. */
struct show_range {
    uint64_t first;
    uint64_t last;
};

struct show_range show_range_of(const struct trace *trace, const struct show_options *options);

/* The records of a step, its own excluded. *n is their number. */
const struct trace_record *show_details(const struct trace *trace, uint64_t step, size_t *n);

/* Appends text with everything that is not a visible character made visible, cut to `columns` (a
 * cut text ends in "..."). Returns the columns used. `out` may be NULL: then it only counts. */
size_t show_put(struct sn_text *out, struct trace_text text, size_t columns);

/* Appends virtual time: 0, 250ns, 1.5ms, 2s. */
void show_put_time(struct sn_text *out, uint64_t time_ns);

/* What was run, and after the steps how it ended and how it is repeated. */
void show_put_head(struct sn_text *out, const struct trace *trace);
void show_put_foot(struct sn_text *out, const struct trace *trace,
                   const struct show_options *options);

#endif
