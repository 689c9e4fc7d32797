/* show_dot.c - what happened before what, as a graph for Graphviz.
 *
 * Each machine is a column of its steps, in their order; an edge from another step leads to each
 * step that it caused. Two steps without a path between them could have come in either order.
 * SPDX-License-Identifier: MIT
 */
#include "report/show.h"

#include "report/show_tasks.h"

#include <inttypes.h>
#include <sennit/test.h>
#include <string.h>

enum {
    LABEL_COLUMNS = 40,
    MESSAGE_COLUMNS = 100,
    LABEL_WIDE = 400,
};

/* Text of a label: inside a quoted string of DOT, where a quote and a backslash mean something, and
 * drawn by Graphviz with entities of HTML replaced by what they stand for. */
static void put_label(struct sn_text *out, struct trace_text text, size_t columns)
{
    char buffer[2048];
    struct sn_text shown;

    text_init(&shown, buffer, sizeof(buffer));
    (void)show_put(&shown, text, columns);
    for (size_t i = 0; i < shown.used; i++) {
        if (buffer[i] == '"' || buffer[i] == '\\')
            text_putc(out, '\\');
        text_putc(out, buffer[i]);
        if (buffer[i] == '&')
            text_puts(out, "amp;");
    }
}

/* The end of a node: the one in which the trial failed is red. */
static void end_node(struct sn_text *out, const struct trace_verdict *verdict, uint64_t step)
{
    if (verdict->verdict != TRACE_PASSED && verdict->step == step)
        text_puts(out, ", color=red, fontcolor=red");
    text_puts(out, "];\n");
}

/* How it failed, below the name of the test. */
static void put_verdict(struct sn_text *out, const struct trace_verdict *verdict, size_t columns)
{
    if (verdict->verdict == TRACE_PASSED || verdict->message.bytes == NULL)
        return;
    text_puts(out, "\\n");
    put_label(out, verdict->message, columns);
}

static void put_node(struct sn_text *out, const struct trace *trace, uint64_t step, size_t columns)
{
    const struct trace_record *record = show_step(trace, step);

    text_print(out, "    s%" PRIu64 " [label=\"%" PRIu64 " ", step, step);
    put_label(out, trace_text_of(record->step.op == TRACE_OP_START ? "start" : record->step.event),
              columns);
    if (record->step.payload.bytes != NULL) {
        text_puts(out, "\\n");
        put_label(out, record->step.payload, columns);
    }
    text_puts(out, "\"");
    end_node(out, &trace->verdict, step);
}

static void put_columns(struct sn_text *out, const struct show_tasks *tasks, size_t columns)
{
    size_t n = 0;

    for (size_t i = 0; i < tasks->names.n; i++) {
        if (tasks->first_of[i] == 0)
            continue;
        text_print(out, "  subgraph cluster_%zu {\n    label=\"", n++);
        put_label(out, trace_text_of(tasks->names.list[i]), LABEL_COLUMNS);
        text_puts(out, "\";\n");
        for (uint64_t s = tasks->first_of[i]; s != 0; s = tasks->next[s - tasks->first])
            put_node(out, tasks->trace, s, columns);
        text_puts(out, "  }\n");
    }
}

static void put_edges(struct sn_text *out, const struct show_tasks *tasks)
{
    uint64_t from = tasks->range.first;

    for (uint64_t step = tasks->first; step <= tasks->range.last; step++) {
        uint64_t before = tasks->previous[step - tasks->first];
        uint64_t cause = show_step(tasks->trace, step)->step.cause;
        uint64_t sent = show_step(tasks->trace, step)->step.sent;

        if (before != 0)
            text_print(out, "  s%" PRIu64 " -> s%" PRIu64 " [color=gray, weight=10];\n", before,
                       step);
        if (cause >= from && (cause == 0 || cause != before))
            text_print(out, "  s%" PRIu64 " -> s%" PRIu64 ";\n", cause, step);
        if (sent != 0 && sent >= from && sent != before && sent != cause)
            text_print(out, "  s%" PRIu64 " -> s%" PRIu64 ";\n", sent, step);
    }
}

int show_dot(struct sn_text *out, const struct trace *trace, const struct show_options *options)
{
    struct show_tasks tasks;
    int rc = show_tasks_init(&tasks, trace, show_range_of(trace, options));

    if (rc == 0) {
        text_puts(out, "digraph trace {\n  label=\"");
        put_label(out, trace_text_of(trace->header.test), LABEL_COLUMNS);
        put_verdict(out, &trace->verdict, options->is_wide ? LABEL_WIDE : MESSAGE_COLUMNS);
        text_puts(out, "\";\n  node [shape=box, fontname=\"monospace\"];\n");
        if (tasks.range.first == 0) {
            text_puts(out, "  s0 [label=\"set-up\", shape=ellipse");
            end_node(out, &trace->verdict, 0);
        }
        put_columns(out, &tasks, options->is_wide ? LABEL_WIDE : LABEL_COLUMNS);
        put_edges(out, &tasks);
        text_puts(out, "}\n");
        rc = out->cut || text_flush(out) < 0 ? SN_EIO : 0;
    }
    show_tasks_done(&tasks);
    return rc;
}
