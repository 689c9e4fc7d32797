/* show_json.c - a trace as one JSON document, with what happened in a step inside the step.
 * SPDX-License-Identifier: MIT
 */
#include "report/show.h"
#include "trace/schema.h"

#include <sennit/test.h>

/* A step object, without its end: the set-up has nothing but its number. */
static void put_step(struct schema_sink *sink, const struct trace *trace, uint64_t step)
{
    if (step == 0)
        text_puts(sink->out, "{\"step\":0");
    else {
        text_puts(sink->out, "{");
        schema_put(sink, &schema_records[TRACE_STEP], &trace->records[trace->step_index[step]]);
    }
}

int show_json(struct sn_text *out, const struct trace *trace, const struct show_options *options)
{
    struct show_range range = show_range_of(trace, options);
    struct schema_sink sink = {.out = out};

    text_puts(out, "{\"header\":{");
    schema_put(&sink, &schema_header, &trace->header);
    text_puts(out, "},\n\"steps\":[");
    for (uint64_t step = range.first; step <= range.last; step++) {
        size_t n;
        const struct trace_record *details = show_details(trace, step, &n);

        text_puts(out, step == range.first ? "\n" : ",\n");
        put_step(&sink, trace, step);
        text_puts(out, ",\"details\":[");
        for (size_t i = 0; i < n; i++) {
            text_puts(out, i == 0 ? "{" : ",{");
            schema_put(&sink, &schema_records[details[i].kind], &details[i]);
            text_puts(out, "}");
        }
        text_puts(out, "]}");
    }
    text_puts(out, "],\n\"verdict\":{");
    schema_put(&sink, &schema_verdict, &trace->verdict);
    text_puts(out, "}}\n");
    return out->cut || text_flush(out) < 0 ? SN_EIO : 0;
}
