/* show_dot.c - what happened before what, as a graph for Graphviz.
 *
 * Each machine is a column of its steps, in their order; an edge from another step leads to each
 * step that it caused. Two steps without a path between them could have come in either order.
 * SPDX-License-Identifier: MIT
 */
#include "base/arena.h"
#include "base/err.h"
#include "base/hash.h"
#include "report/show.h"

#include <inttypes.h>
#include <sennit/test.h>
#include <string.h>

enum {
    LABEL_COLUMNS = 40,
    TABLE_FIRST = 64,
};

/* A machine and its steps, which are linked through `next` of the graph. */
struct column {
    const char *name;
    uint64_t first;
    uint64_t last;
};

struct graph {
    const struct trace *trace;
    struct show_range range;
    bool is_wide;
    uint64_t *next;         /* by step - range.first: the next step of the same machine, or 0 */
    uint64_t *previous;     /* the same backwards */
    struct column *columns; /* in order of appearance */
    size_t n_columns;
    size_t *table; /* of indexes of columns plus 1, hashed by name; its size is a power of two */
    size_t table_size;
    struct arena arena;
};

static const struct trace_record *step_record(const struct graph *g, uint64_t step)
{
    return &g->trace->records[g->trace->step_index[step]];
}

/* The place of a name in the table: that of its column, or a free one. */
static size_t *find_column(struct graph *g, const char *name)
{
    size_t i = (size_t)hash_add(HASH_START, name, strlen(name));

    for (;; i++) {
        size_t *entry = &g->table[i & (g->table_size - 1)];

        if (*entry == 0 || strcmp(g->columns[*entry - 1].name, name) == 0)
            return entry;
    }
}

/* Makes room for one column more. Old tables stay in the arena; together they are no larger than
 * the new one. */
static int grow_table(struct graph *g)
{
    size_t size = g->table_size == 0 ? TABLE_FIRST : g->table_size * 2;
    struct column *columns;
    size_t *table;

    if (g->n_columns * 2 < g->table_size)
        return 0;
    table = arena_array(&g->arena, size, sizeof(*table));
    columns = arena_array(&g->arena, size / 2 + 1, sizeof(*columns));
    if (table == NULL || columns == NULL)
        return SN_ENOMEM;
    if (g->n_columns > 0)
        memcpy(columns, g->columns, g->n_columns * sizeof(*columns));
    g->columns = columns;
    g->table = table;
    g->table_size = size;
    for (size_t i = 0; i < g->n_columns; i++)
        *find_column(g, g->columns[i].name) = i + 1;
    return 0;
}

/* Sorts the steps into columns. */
static int build(struct graph *g)
{
    uint64_t first = g->range.first == 0 ? 1 : g->range.first;
    size_t n = g->range.last < g->range.first ? 0 : (size_t)(g->range.last - g->range.first) + 1;

    g->next = arena_array(&g->arena, n, sizeof(*g->next));
    g->previous = arena_array(&g->arena, n, sizeof(*g->previous));
    if (g->next == NULL || g->previous == NULL)
        return SN_ENOMEM;
    for (uint64_t step = first; step <= g->range.last; step++) {
        const char *task = step_record(g, step)->step.task;
        struct column *column;
        size_t *entry;

        if (grow_table(g) < 0)
            return SN_ENOMEM;
        entry = find_column(g, task);
        if (*entry == 0) {
            *entry = ++g->n_columns;
            g->columns[*entry - 1] = (struct column){.name = task, .first = step};
        }
        column = &g->columns[*entry - 1];
        if (column->last != 0)
            g->next[column->last - g->range.first] = step;
        g->previous[step - g->range.first] = column->last;
        column->last = step;
    }
    return 0;
}

/* Text inside a quoted string of DOT, where a quote and a backslash mean something. */
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
    }
}

static void put_node(struct sn_text *out, const struct graph *g, uint64_t step)
{
    const struct trace_record *record = step_record(g, step);
    const struct trace_verdict *verdict = &g->trace->verdict;
    size_t columns = g->is_wide ? 400 : LABEL_COLUMNS;

    text_print(out, "    s%" PRIu64 " [label=\"%" PRIu64 " ", step, step);
    put_label(out, trace_text_of(record->step.event), columns);
    if (record->step.payload.bytes != NULL) {
        text_puts(out, "\\n");
        put_label(out, record->step.payload, columns);
    }
    text_puts(out, "\"");
    if (verdict->verdict != TRACE_PASSED && verdict->step == step)
        text_puts(out, ", color=red, fontcolor=red");
    text_puts(out, "];\n");
}

static void put_columns(struct sn_text *out, const struct graph *g)
{
    for (size_t i = 0; i < g->n_columns; i++) {
        text_print(out, "  subgraph cluster_%zu {\n    label=\"", i);
        put_label(out, trace_text_of(g->columns[i].name), LABEL_COLUMNS);
        text_puts(out, "\";\n");
        for (uint64_t s = g->columns[i].first; s != 0; s = g->next[s - g->range.first])
            put_node(out, g, s);
        text_puts(out, "  }\n");
    }
}

static void put_edges(struct sn_text *out, const struct graph *g)
{
    uint64_t first = g->range.first == 0 ? 1 : g->range.first;

    for (uint64_t step = first; step <= g->range.last; step++) {
        uint64_t before = g->previous[step - g->range.first];
        uint64_t cause = step_record(g, step)->step.cause;
        uint64_t sent = step_record(g, step)->step.sent;

        if (before != 0)
            text_print(out, "  s%" PRIu64 " -> s%" PRIu64 " [color=gray, weight=10];\n", before,
                       step);
        if (cause >= g->range.first && (cause == 0 || cause != before))
            text_print(out, "  s%" PRIu64 " -> s%" PRIu64 ";\n", cause, step);
        if (sent != 0 && sent >= g->range.first && sent != before && sent != cause)
            text_print(out, "  s%" PRIu64 " -> s%" PRIu64 ";\n", sent, step);
    }
}

int show_dot(struct sn_text *out, const struct trace *trace, const struct show_options *options)
{
    struct graph g = {
        .trace = trace, .range = show_range_of(trace, options), .is_wide = options->is_wide};
    int rc = build(&g);

    if (rc == 0) {
        text_puts(out, "digraph trace {\n  label=\"");
        put_label(out, trace_text_of(trace->header.test), LABEL_COLUMNS);
        text_puts(out, "\";\n  node [shape=box, fontname=\"monospace\"];\n");
        if (g.range.first == 0)
            text_puts(out, "  s0 [label=\"set-up\", shape=ellipse];\n");
        put_columns(out, &g);
        put_edges(out, &g);
        text_puts(out, "}\n");
        rc = out->cut || text_flush(out) < 0 ? SN_EIO : 0;
    }
    arena_done(&g.arena);
    return rc;
}
