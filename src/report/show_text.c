/* show_text.c - a trace as a table, one line a step.
 *
 * Two walks over the steps: the first finds how wide each column must be, the second prints. A
 * column that is empty in all steps is left out. SPDX-License-Identifier: MIT
 */
#include "report/show.h"

#include "report/words.h"

#include <inttypes.h>
#include <sennit/test.h>
#include <stdio.h>
#include <string.h>

enum column {
    COLUMN_STEP = 0,
    COLUMN_TIME,
    COLUMN_TASK,
    COLUMN_EVENT,
    COLUMN_PAYLOAD,
    COLUMN_STATE,
    COLUMN_DRAWS,
    COLUMNS,
};

static const char *const titles[COLUMNS] = {
    [COLUMN_STEP] = "step",     [COLUMN_TIME] = "time",       [COLUMN_TASK] = "machine",
    [COLUMN_EVENT] = "event",   [COLUMN_PAYLOAD] = "payload", [COLUMN_STATE] = "state",
    [COLUMN_DRAWS] = "choices",
};

/* Which columns are narrowed when a line does not fit, in this order, and what each keeps. A long
 * payload gives way first, but not all its room to columns that few steps use. */
static const struct {
    enum column column;
    size_t min;
} narrowed[] = {
    {COLUMN_PAYLOAD, 40}, {COLUMN_DRAWS, 20}, {COLUMN_STATE, 24}, {COLUMN_PAYLOAD, 16},
    {COLUMN_EVENT, 24},   {COLUMN_TASK, 12},  {COLUMN_STATE, 16}, {COLUMN_DRAWS, 12},
};

enum {
    CELL_SIZE = 4096, /* bytes; a longer cell is cut even in a wide table */
    GAP = 2,
};

struct table {
    struct sn_text *out;
    const struct trace *trace;
    const struct show_options *options;
    size_t widths[COLUMNS];
    size_t columns; /* of the terminal */
};

/* One cell of a step, in a buffer of its own. */
struct cell {
    struct sn_text text;
    char buffer[CELL_SIZE];
};

/* ---- Cells ---------------------------------------------------------------------------------- */

/* The machine that took a step; NULL for the set-up. */
static const char *task_of(const struct table *t, uint64_t step)
{
    return step == 0 ? NULL : t->trace->records[t->trace->step_index[step]].step.task;
}

static void fill_cell(struct cell *cell, const struct table *t, uint64_t step, enum column column)
{
    const struct trace_record *r =
        step == 0 ? NULL : &t->trace->records[t->trace->step_index[step]];
    struct sn_text *out = &cell->text;

    text_init(out, cell->buffer, sizeof(cell->buffer));
    if (column == COLUMN_STEP)
        text_print(out, "%" PRIu64, step);
    else if (column == COLUMN_STATE)
        words_changes(out, t->trace, step);
    else if (column == COLUMN_DRAWS)
        words_draws(out, t->trace, step);
    else if (column == COLUMN_TIME)
        show_put_time(out, r == NULL ? 0 : r->step.time_ns);
    else if (column == COLUMN_TASK)
        words_name(out, r == NULL ? "(test)" : r->step.task);
    else if (column == COLUMN_EVENT && r == NULL)
        text_puts(out, "set-up");
    else if (column == COLUMN_EVENT)
        words_step(out, r);
}

/* The text of a cell of a step, which lives in `cell` unless it is the payload: that may be larger
 * than any buffer. */
static struct trace_text cell_text(struct cell *cell, const struct table *t, uint64_t step,
                                   enum column column)
{
    if (column == COLUMN_PAYLOAD && step > 0)
        return t->trace->records[t->trace->step_index[step]].step.payload;
    fill_cell(cell, t, step, column);
    return (struct trace_text){.bytes = cell->text.buffer, .n = cell->text.used};
}

/* The set-up is worth a line only if there is something to say about it; in a brief table so is any
 * step but the last. */
static bool has_line(const struct table *t, uint64_t step)
{
    bool is_plain = step > 0 && (!t->options->is_brief || step == t->trace->n_steps);
    size_t n;
    const struct trace_record *r = show_details(t->trace, step, &n);

    if (is_plain || (t->options->is_verbose && n > 0))
        return true;
    for (size_t i = 0; i < n; i++) {
        if (r[i].kind == TRACE_DRAW || words_is_told(&r[i], NULL, false))
            return true;
    }
    return false;
}

/* ---- Widths --------------------------------------------------------------------------------- */

static void measure(struct table *t, struct show_range range)
{
    struct cell cell;

    for (uint64_t step = range.first; step <= range.last; step++) {
        if (!has_line(t, step))
            continue;
        for (unsigned c = 0; c < COLUMNS; c++) {
            size_t width = show_put(NULL, cell_text(&cell, t, step, (enum column)c), SIZE_MAX);
            if (width > t->widths[c])
                t->widths[c] = width;
        }
    }
}

/* Makes room for the titles, and narrows the columns so that a line fits. */
static void narrow(struct table *t)
{
    size_t sum = 0;

    for (unsigned c = 0; c < COLUMNS; c++) {
        if (t->widths[c] > 0 && t->widths[c] < strlen(titles[c]))
            t->widths[c] = strlen(titles[c]);
        if (t->widths[c] > 0)
            sum += t->widths[c] + (sum > 0 ? GAP : 0);
    }
    for (size_t i = 0; !t->options->is_wide && i < sizeof(narrowed) / sizeof(narrowed[0]); i++) {
        size_t *width = &t->widths[narrowed[i].column];
        size_t over = sum > t->columns ? sum - t->columns : 0;
        size_t can = *width > narrowed[i].min ? *width - narrowed[i].min : 0;

        *width -= over < can ? over : can;
        sum -= over < can ? over : can;
    }
}

/* ---- Lines ---------------------------------------------------------------------------------- */

static void put_spaces(struct sn_text *out, size_t n)
{
    while (n-- > 0)
        text_putc(out, ' ');
}

static void put_colour(const struct table *t, const char *code)
{
    if (t->options->is_coloured)
        text_print(t->out, "\033[%sm", code);
}

/* A line of cells. Each is cut to its column, but for the last, which may go on to the end of the
 * terminal. Spaces are written only when something follows them. */
static void put_cells(const struct table *t, const struct trace_text cells[COLUMNS])
{
    unsigned last = 0;
    size_t pending = 0;
    size_t at = 0;

    for (unsigned c = 0; c < COLUMNS; c++)
        last = cells[c].n > 0 && t->widths[c] > 0 ? c : last;
    for (unsigned c = 0; c <= last; c++) {
        size_t width = t->widths[c];
        size_t used = show_put(NULL, cells[c], width);

        if (width == 0)
            continue;
        put_spaces(t->out, pending + (c == COLUMN_STEP ? width - used : 0));
        if (c == last && at < t->columns && t->columns - at > width)
            (void)show_put(t->out, cells[c], t->columns - at);
        else
            (void)show_put(t->out, cells[c], width);
        pending = GAP + (c == COLUMN_STEP ? 0 : width - used);
        at += width + GAP;
    }
}

static void put_titles(const struct table *t)
{
    struct trace_text cells[COLUMNS];

    if (t->widths[COLUMN_STEP] == 0)
        return;
    for (unsigned c = 0; c < COLUMNS; c++)
        cells[c] = trace_text_of(titles[c]);
    put_colour(t, "1");
    put_cells(t, cells);
    put_colour(t, "0");
    text_putc(t->out, '\n');
}

/* What the code under test printed, line by line. */
static void put_output(const struct table *t, struct trace_text text, size_t indent, size_t room)
{
    while (text.n > 0) {
        const char *end = memchr(text.bytes, '\n', text.n);
        size_t n = end == NULL ? text.n : (size_t)(end - text.bytes);

        put_spaces(t->out, indent);
        text_puts(t->out, "| ");
        (void)show_put(t->out, (struct trace_text){text.bytes, n}, room);
        text_putc(t->out, '\n');
        n += end == NULL ? 0 : 1;
        text.bytes += n;
        text.n -= n;
    }
}

static void put_details(const struct table *t, uint64_t step)
{
    const char *task = task_of(t, step);
    size_t indent = t->widths[COLUMN_STEP] + t->widths[COLUMN_TIME] + (size_t)2 * GAP;
    size_t room = t->options->is_wide        ? SIZE_MAX
                  : t->columns > indent + 20 ? t->columns - indent
                                             : 20;
    size_t n;
    const struct trace_record *r = show_details(t->trace, step, &n);

    for (size_t i = 0; i < n; i++) {
        if (!words_is_told(&r[i], task, t->options->is_verbose))
            continue;
        if (r[i].kind == TRACE_OUTPUT) {
            put_output(t, r[i].output.text, indent, room - strlen("| "));
            continue;
        }
        put_spaces(t->out, indent);
        words_told(t->out, &r[i], room);
        text_putc(t->out, '\n');
    }
}

static void put_step(const struct table *t, uint64_t step)
{
    const struct trace_verdict *verdict = &t->trace->verdict;
    bool is_failing = verdict->verdict != TRACE_PASSED && verdict->step == step;
    struct cell cells[COLUMNS];
    struct trace_text texts[COLUMNS];

    if (!has_line(t, step))
        return;
    for (unsigned c = 0; c < COLUMNS; c++)
        texts[c] = cell_text(&cells[c], t, step, (enum column)c);
    if (is_failing)
        put_colour(t, "31");
    put_cells(t, texts);
    if (is_failing)
        put_colour(t, "0");
    text_putc(t->out, '\n');
    put_details(t, step);
}

int show_text(struct sn_text *out, const struct trace *trace, const struct show_options *options)
{
    struct show_range range = show_range_of(trace, options);
    struct table t = {.out = out,
                      .trace = trace,
                      .options = options,
                      .columns = options->columns == 0 ? 100 : options->columns};

    if (!options->is_bare)
        show_put_head(out, trace);
    measure(&t, range);
    narrow(&t);
    put_titles(&t);
    for (uint64_t step = range.first; step <= range.last; step++)
        put_step(&t, step);
    if (!options->is_bare)
        show_put_foot(out, trace, options);
    return out->cut || text_flush(out) < 0 ? SN_EIO : 0;
}
