/* show_shrunk.h - what a shrunk trial was made of, and its exceptions to the default schedule, in
 * words. SPDX-License-Identifier: MIT
 */
#ifndef REPORT_SHOW_SHRUNK_H
#define REPORT_SHOW_SHRUNK_H

#include "base/text.h"
#include "trace/trace.h"

/* Lines of text; nothing if the trace is not one of a shrunk trial. */
void show_put_shrunk(struct sn_text *out, const struct trace *trace);

/* What the operation of this id is called in a trace. False, and nothing is written: it is not in
 * it. */
bool show_put_operation(struct sn_text *out, const struct trace *trace, uint64_t id);

/* The same for one exception, without the end of the line: "hold X until Y". */
void show_put_hold(struct sn_text *out, const struct trace *trace, const struct trace_record *hold);

#endif
