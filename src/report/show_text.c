/* show_text.c - a trace as a table, one line a step.
 *
 * Two walks over the steps: the first finds how wide each column must be, the second prints. A
 * column that is empty in all steps is left out. SPDX-License-Identifier: MIT
 */
#include "report/show.h"

#include "report/show_shrunk.h"
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

static void put_event(struct sn_text *out, const struct trace_record *r)
{
    words_name(out, r->step.op == TRACE_OP_START ? "start" : r->step.event);
    if (r->step.op == TRACE_OP_TIMER) {
        text_puts(out, " (timer)");
    } else if (r->step.from != NULL) {
        text_puts(out, " <- ");
        words_name(out, r->step.from);
    }
}

/* The machine that took a step; NULL for the set-up. */
static const char *task_of(const struct table *t, uint64_t step)
{
    return step == 0 ? NULL : t->trace->records[t->trace->step_index[step]].step.task;
}

/* Whether a record is shown in the line of its step rather than beneath it. */
static bool is_in_line(const struct trace_record *r, const char *task)
{
    if (r->kind == TRACE_STATE)
        return task != NULL && strcmp(r->state.task, task) == 0;
    return r->kind == TRACE_DRAW;
}

/* The changes of state of the machine that took the step: «Idle -> Busy -> Done». */
static void put_changes(struct sn_text *out, const struct table *t, uint64_t step)
{
    const char *task = task_of(t, step);
    const struct trace_record *before = NULL;
    size_t n;
    const struct trace_record *r = show_details(t->trace, step, &n);

    for (size_t i = 0; i < n; i++) {
        bool is_next;

        if (r[i].kind != TRACE_STATE || !is_in_line(&r[i], task))
            continue;
        is_next = before != NULL && words_left_state(&r[i]) != NULL &&
                  strcmp(words_left_state(&r[i]), before->state.state) == 0;
        if (before != NULL && !is_next)
            text_puts(out, ", ");
        words_change(out, &r[i], is_next);
        before = &r[i];
    }
}

static void put_draws(struct sn_text *out, const struct table *t, uint64_t step)
{
    const char *before = "choose ";
    size_t n;
    const struct trace_record *r = show_details(t->trace, step, &n);

    for (size_t i = 0; i < n; i++) {
        if (r[i].kind != TRACE_DRAW)
            continue;
        text_puts(out, before);
        before = ", ";
        words_name(out, r[i].draw.label);
        text_print(out, "=%" PRIu64 "/%" PRIu64, r[i].draw.value, r[i].draw.of);
    }
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
        put_changes(out, t, step);
    else if (column == COLUMN_DRAWS)
        put_draws(out, t, step);
    else if (column == COLUMN_TIME)
        show_put_time(out, r == NULL ? 0 : r->step.time_ns);
    else if (column == COLUMN_TASK)
        words_name(out, r == NULL ? "(test)" : r->step.task);
    else if (column == COLUMN_EVENT && r == NULL)
        text_puts(out, "set-up");
    else if (column == COLUMN_EVENT)
        put_event(out, r);
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
        if (r[i].kind == TRACE_DRAW || r[i].kind == TRACE_NOTE || r[i].kind == TRACE_OUTPUT ||
            r[i].kind == TRACE_STATE || r[i].kind == TRACE_FAULT || r[i].kind == TRACE_OPERATION)
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

/* What a record says, cut to so many columns. */
static void put_sentence(struct sn_text *out, const struct trace_record *r, size_t room)
{
    struct cell cell;

    text_init(&cell.text, cell.buffer, sizeof(cell.buffer));
    words_record(&cell.text, r);
    (void)show_put(out, (struct trace_text){cell.buffer, cell.text.used}, room);
    if (cell.text.cut && room > sizeof(cell.buffer))
        text_puts(out, "...");
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
        bool is_always = r[i].kind == TRACE_NOTE || r[i].kind == TRACE_OUTPUT ||
                         r[i].kind == TRACE_STATE || r[i].kind == TRACE_FAULT ||
                         r[i].kind == TRACE_OPERATION;

        if (is_in_line(&r[i], task) || (!is_always && !t->options->is_verbose) ||
            r[i].kind == TRACE_SHRUNK || r[i].kind == TRACE_HOLD)
            continue;
        if (r[i].kind == TRACE_OUTPUT) {
            put_output(t, r[i].output.text, indent, room - strlen("| "));
            continue;
        }
        put_spaces(t->out, indent);
        if (r[i].kind == TRACE_NOTE) {
            text_puts(t->out, "note: ");
            (void)show_put(t->out, r[i].note.text, room - strlen("note: "));
        } else {
            put_sentence(t->out, &r[i], room);
        }
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

/* ---- Head and foot -------------------------------------------------------------------------- */

static void put_head(const struct table *t)
{
    const struct trace_header *h = &t->trace->header;

    text_puts(t->out, "test      ");
    words_phrase(t->out, "", h->suite, "/", h->test);
    text_puts(t->out, "\nprogram   ");
    words_name(t->out, h->program[0] != '\0' ? h->program : "(one that calls sn_run)");
    for (size_t i = 0; i < h->n_args; i++)
        words_phrase(t->out, " ", h->args[i], "", NULL);
    text_puts(t->out, "\nstrategy  ");
    words_name(t->out, h->strategy);
    text_print(t->out, ", seed %" PRIu64 ", trial %" PRIu64 "\n\n", h->seed, h->trial);
}

/* A path as a word of a shell's command line. */
static void put_word(struct sn_text *out, const char *path)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+,:=@%-";

    if (path[0] != '\0' && path[strspn(path, plain)] == '\0') {
        text_puts(out, path);
        return;
    }
    text_putc(out, '\'');
    for (; *path != '\0'; path++) {
        if (*path == '\'')
            text_puts(out, "'\\''");
        else
            text_putc(out, *path);
    }
    text_putc(out, '\'');
}

static void put_foot(const struct table *t)
{
    static const char *const words[] = {[TRACE_PASSED] = "passed",
                                        [TRACE_FAILED] = "failed",
                                        [TRACE_UNCONTROLLED] = "uncontrolled"};
    const struct trace_verdict *v = &t->trace->verdict;

    text_putc(t->out, '\n');
    put_colour(t, v->verdict == TRACE_PASSED ? "32" : "31");
    text_puts(t->out, words[v->verdict]);
    put_colour(t, "0");
    if (v->verdict == TRACE_PASSED)
        text_print(t->out, " after %" PRIu64 " steps", t->trace->n_steps);
    else
        text_print(t->out, " in step %" PRIu64 " of %" PRIu64, v->step, t->trace->n_steps);
    if (v->cut && v->verdict == TRACE_PASSED && v->message.bytes != NULL)
        text_puts(t->out, ", cut"); /* not at a limit: the message says why */
    else if (v->cut && t->trace->n_steps < t->trace->header.max_steps)
        text_puts(t->out, ", cut at the limit of virtual time");
    else if (v->cut)
        text_print(t->out, ", cut at the limit of %" PRIu64 " steps", t->trace->header.max_steps);
    if (v->oracle != NULL)
        words_phrase(t->out, " (", v->oracle, ")", "");
    if (v->message.bytes != NULL) {
        text_puts(t->out, ": ");
        (void)show_put(t->out, v->message, SIZE_MAX);
    }
    text_putc(t->out, '\n');
    if (v->at != NULL)
        words_phrase(t->out, "at         ", v->at, "\n", "");
    show_put_shrunk(t->out, t->trace);
    if (t->options->path != NULL) {
        text_puts(t->out, t->trace->header.program[0] != '\0' ? "reproduce  sennit replay "
                                                              : "reproduce  sn_replay with ");
        put_word(t->out, t->options->path);
        text_putc(t->out, '\n');
    }
}

int show_text(struct sn_text *out, const struct trace *trace, const struct show_options *options)
{
    struct show_range range = show_range_of(trace, options);
    struct table t = {.out = out,
                      .trace = trace,
                      .options = options,
                      .columns = options->columns == 0 ? 100 : options->columns};

    if (!options->is_bare)
        put_head(&t);
    measure(&t, range);
    narrow(&t);
    put_titles(&t);
    for (uint64_t step = range.first; step <= range.last; step++)
        put_step(&t, step);
    if (!options->is_bare)
        put_foot(&t);
    return out->cut || text_flush(out) < 0 ? SN_EIO : 0;
}
