/* show_lanes.c - a trace as a space-time diagram in a terminal: a lane for each machine, a line for
 * each step, and arrows from who sent something to who gets it.
 *
 * A line is drawn on a canvas as wide as the lanes, and text follows it: the payload, changes of
 * state and, where lanes are narrow, the name of the event. What else happened in a step stands
 * beneath it. Arrows are drawn where something is received: what is on its way is not shown.
 * SPDX-License-Identifier: MIT
 */
#include "report/show_lanes.h"

#include "base/err.h"
#include "report/show_births.h"
#include "report/show_unreceived.h"
#include "report/words.h"

#include <inttypes.h>
#include <sennit/test.h>
#include <string.h>

enum {
    HEAD_EVERY = 60, /* lines, so that the names of lanes are on the screen */
    NAMED_MAX = 8,   /* of hidden machines */
    OPEN_MAX = 12,   /* messages that are on their way at the end */
    OUTSIDE = 3,     /* columns behind the last lane, in which arrows to hidden machines end */
};

/* A message on its way from one lane to another; ROSTER_NONE is none, `n` of the lanes a hidden
 * one. */
struct arrow {
    size_t from;
    size_t to;
    enum canvas_glyph line;
    enum arrow_end {
        ARROW_ARRIVES = 0,
        ARROW_LOST,
        ARROW_ON_ITS_WAY,
    } end;
};

/* ---- Lines ---------------------------------------------------------------------------------- */

static size_t lane_at(const struct lanes *lanes, size_t lane)
{
    return lane < lanes->n ? lane * lanes->lane_width : lanes->canvas.n - 2;
}

/* The lane of a machine: `n` if it is hidden, ROSTER_NONE if there is no such machine. */
static size_t lane_of(const struct lanes *lanes, const char *name)
{
    size_t task = roster_find(&lanes->tasks.names, name);

    return task == ROSTER_NONE || task < lanes->n ? task : lanes->n;
}

static void begin_line(struct lanes *lanes)
{
    canvas_clear(&lanes->canvas);
    for (size_t i = 0; i < lanes->n; i++) {
        if (lanes->lives[i] == LANE_RUNS || lanes->lives[i] == LANE_DOWN)
            canvas_put(&lanes->canvas, lane_at(lanes, i),
                       lanes->lives[i] == LANE_RUNS ? CANVAS_LIFE : CANVAS_DOWN, CANVAS_FAINT);
    }
}

/* The number and the time of a step; 0 for a line that belongs to the one above. */
static void put_left(struct lanes *lanes, uint64_t step)
{
    char buffer[64];
    struct sn_text words;

    text_init(&words, buffer, sizeof(buffer));
    if (step > 0)
        text_print(&words, "%*" PRIu64, (int)lanes->step_width, step);
    text_pad(&words, 0, lanes->step_width + 2);
    if (step > 0 && lanes->time_width > 0) {
        uint64_t time_ns = show_step(lanes->trace, step)->step.time_ns;

        if (!lanes->has_time || time_ns != lanes->last_time_ns)
            show_put_time(&words, time_ns);
        lanes->last_time_ns = time_ns;
        lanes->has_time = true;
    }
    text_pad(&words, 0, lanes_left(lanes));
    text_puts(lanes->out, buffer);
}

/* The words of a line, behind the lanes; each piece in a style of its own. */
struct words {
    struct lanes *lanes;
    size_t at;   /* the column that is next; 0: nothing is written yet */
    size_t from; /* the column in which they begin */
};

/* Ends the lanes of a line; words may follow. */
static struct words end_lanes(struct lanes *lanes)
{
    size_t used = canvas_print(&lanes->canvas, lanes->out);

    lanes->since_head++;
    return (struct words){.lanes = lanes, .at = used, .from = lanes->canvas.n};
}

static size_t room_of(const struct words *words)
{
    size_t left = lanes_left(words->lanes) + words->at;

    return words->lanes->columns > left ? words->lanes->columns - left : 0;
}

static void say(struct words *words, struct trace_text text, const char *style)
{
    struct lanes *lanes = words->lanes;

    if (text.n == 0)
        return;
    while (words->at < words->from) {
        text_putc(lanes->out, ' ');
        words->at++;
    }
    if (words->at > words->from && room_of(words) > 2) {
        text_puts(lanes->out, "  ");
        words->at += 2;
    }
    if (room_of(words) < 4)
        return;
    if (style != NULL)
        canvas_style(&lanes->canvas, lanes->out, style);
    words->at += show_put(lanes->out, text, room_of(words));
    if (style != NULL)
        canvas_style(&lanes->canvas, lanes->out, CANVAS_PLAIN);
}

/* ---- Arrows and marks ----------------------------------------------------------------------- */

/* The name of an event in the last part of an arrow that ends at a lane. */
static void draw_label(struct lanes *lanes, size_t to, bool is_right, const char *label,
                       const char *style)
{
    struct canvas *canvas = &lanes->canvas;
    size_t room = lanes->lane_width - 6; /* with a blank and a bit of line on either side */
    size_t used = show_put(NULL, trace_text_of(label), room);
    size_t pad = (room - used) / 2;
    size_t at = is_right ? to - 3 - used - pad : to + 4 + pad;

    (void)canvas_write(canvas, at - 1, " ", 1, style);
    used = canvas_write(canvas, at, label, room, style);
    (void)canvas_write(canvas, at + used, " ", 1, style);
}

/* An arrow without its ends, but with its head, and with a label beside the head if one is given.
 */
static void draw_arrow(struct lanes *lanes, struct arrow arrow, const char *label)
{
    struct canvas *canvas = &lanes->canvas;
    bool is_right = arrow.from < arrow.to;
    size_t from = lane_at(lanes, arrow.from);
    size_t to = lane_at(lanes, arrow.to);
    size_t low = is_right ? from : to;
    size_t high = is_right ? to : from;
    size_t head = is_right ? to - 1 : to + 1;
    const char *style = arrow.end == ARROW_LOST ? CANVAS_RED : lanes_style(arrow.from);

    for (size_t x = low + 1; x < high; x++) {
        bool is_crossing = x % lanes->lane_width == 0 && x / lanes->lane_width < lanes->n &&
                           lanes->lives[x / lanes->lane_width] == LANE_RUNS;

        canvas_put(canvas, x, is_crossing ? CANVAS_CROSSING : arrow.line, style);
    }
    if (arrow.from < lanes->n)
        canvas_put(canvas, from, is_right ? CANVAS_TO_RIGHT : CANVAS_TO_LEFT, style);
    else
        canvas_put(canvas, from, arrow.line, style);
    if (arrow.end == ARROW_ARRIVES)
        canvas_put(canvas, head, is_right ? CANVAS_HEAD_RIGHT : CANVAS_HEAD_LEFT, style);
    else
        canvas_put(canvas, head, arrow.end == ARROW_LOST ? CANVAS_FAULT : CANVAS_CUT, style);
    if (label != NULL)
        draw_label(lanes, to, is_right, label, style);
}

/* Whether the machine halts in a step. */
static bool halts(const struct trace *trace, uint64_t step)
{
    const char *task = show_step(trace, step)->step.task;
    size_t n;
    const struct trace_record *r = show_details(trace, step, &n);

    for (size_t i = 0; i < n; i++) {
        if (words_is_change_of(&r[i], task) && r[i].state.how == TRACE_HOW_HALT)
            return true;
    }
    return false;
}

static bool is_failing(const struct lanes *lanes, uint64_t step)
{
    return lanes->trace->verdict.verdict != TRACE_PASSED && lanes->trace->verdict.step == step;
}

static void draw_mark(struct lanes *lanes, uint64_t step, size_t lane)
{
    static const enum canvas_glyph marks[] = {
        [TRACE_OP_START] = CANVAS_START, [TRACE_OP_DELIVER] = CANVAS_GET,
        [TRACE_OP_TIMER] = CANVAS_TIMER, [TRACE_OP_FAULT] = CANVAS_FAULT,
        [TRACE_OP_PROCESS] = CANVAS_DO,
    };
    const struct trace_record *r = show_step(lanes->trace, step);
    enum canvas_glyph mark = marks[r->step.op];
    const char *style = lanes_style(lane);

    if (r->step.op == TRACE_OP_PROCESS && r->step.sent != 0)
        mark = CANVAS_GET;
    if (r->step.op == TRACE_OP_FAULT)
        style = CANVAS_RED;
    if (halts(lanes->trace, step))
        mark = CANVAS_HALT;
    if (is_failing(lanes, step)) {
        mark = CANVAS_FAIL;
        style = CANVAS_RED;
    }
    canvas_put(&lanes->canvas, lane_at(lanes, lane), mark, style);
}

/* ---- Steps ---------------------------------------------------------------------------------- */

static struct trace_text text_of(struct sn_text *words)
{
    words_end(words);
    return (struct trace_text){words->buffer, words->used};
}

/* The record that says what a step of the fault task did, if there is one. */
static const struct trace_record *fault_of(const struct trace *trace, uint64_t step)
{
    size_t n;
    const struct trace_record *r = show_details(trace, step, &n);

    if (show_step(trace, step)->step.op != TRACE_OP_FAULT)
        return NULL;
    for (size_t i = 0; i < n; i++) {
        if (r[i].kind == TRACE_FAULT)
            return &r[i];
    }
    return NULL;
}

/* What stands beside the lanes in the line of a step. */
static void say_step(struct lanes *lanes, uint64_t step, struct arrow arrow)
{
    const struct trace_record *r = show_step(lanes->trace, step);
    const struct trace_record *fault = fault_of(lanes->trace, step);
    struct words words = end_lanes(lanes);
    const char *loud = is_failing(lanes, step) ? CANVAS_RED : NULL;
    char buffer[4096];
    struct sn_text piece;

    text_init(&piece, buffer, sizeof(buffer));
    if (arrow.to >= lanes->n)
        words_phrase(&piece, "", r->step.task, ": ", "");
    if (!lanes->has_labels && fault == NULL)
        words_name(&piece, lanes_event(r));
    if (!lanes->has_labels && r->step.op == TRACE_OP_TIMER)
        text_puts(&piece, " (timer)");
    if (arrow.from == lanes->n)
        words_phrase(&piece, " <- ", show_source(lanes->trace, r), "", NULL);
    say(&words, text_of(&piece), loud);
    if (fault != NULL) {
        text_clear(&piece);
        words_told(&piece, fault, SIZE_MAX);
        say(&words, text_of(&piece), CANVAS_RED);
    }
    if (r->step.payload.bytes != NULL)
        say(&words, r->step.payload, loud);
    text_clear(&piece);
    words_changes(&piece, lanes->trace, step);
    say(&words, text_of(&piece), loud != NULL ? loud : CANVAS_BOLD);
    text_clear(&piece);
    if (lanes->options->is_verbose)
        words_draws(&piece, lanes->trace, step);
    say(&words, text_of(&piece), CANVAS_FAINT);
    text_putc(lanes->out, '\n');
}

/* Machines of a node that crashes: their lanes are broken from here on. If they are drawn they are
 * marked, too. */
static void break_lanes(struct lanes *lanes, const struct trace_record *fault, bool is_drawn)
{
    bool is_crash =
        strcmp(fault->fault.what, "crash") == 0 || strcmp(fault->fault.what, "stop") == 0;

    for (size_t i = 0; is_crash && fault->fault.node != NULL && i < lanes->n; i++) {
        const struct trace_record *birth = lanes->births[i];

        if (birth == NULL || birth->create.node == NULL || lanes->lives[i] != LANE_RUNS ||
            strcmp(birth->create.node, fault->fault.node) != 0)
            continue;
        if (is_drawn)
            canvas_put(&lanes->canvas, lane_at(lanes, i), CANVAS_FAULT, CANVAS_RED);
        lanes->lives[i] = LANE_DOWN;
    }
}

static void put_line(struct lanes *lanes, uint64_t step)
{
    const struct trace_record *r = show_step(lanes->trace, step);
    const char *label = lanes->has_labels ? lanes_event(r) : NULL;
    struct arrow arrow = {
        .from = lane_of(lanes, show_source(lanes->trace, r)),
        .to = lane_of(lanes, r->step.task),
        .line = r->step.op == TRACE_OP_START ? CANVAS_DASH : CANVAS_LINE,
    };
    bool is_arrow = arrow.from != ROSTER_NONE && arrow.from != arrow.to;

    if (arrow.from < lanes->n && lanes->lives[arrow.from] == LANE_NOT_YET)
        lanes->lives[arrow.from] = LANE_RUNS;
    if (arrow.to < lanes->n)
        lanes->lives[arrow.to] = LANE_RUNS;
    put_left(lanes, step);
    begin_line(lanes);
    if (fault_of(lanes->trace, step) != NULL)
        break_lanes(lanes, fault_of(lanes->trace, step), true);
    if (is_arrow)
        draw_arrow(lanes, arrow, label);
    if (arrow.to < lanes->n) {
        draw_mark(lanes, step, arrow.to);
        if (!is_arrow && label != NULL)
            (void)canvas_write(&lanes->canvas, lane_at(lanes, arrow.to) + 2, label,
                               lanes->lane_width - 3, lanes_style(arrow.to));
        if (halts(lanes->trace, step))
            lanes->lives[arrow.to] = LANE_ENDED;
    }
    say_step(lanes, step, arrow);
}

/* Begins a line beneath a step, with an arrow if both of its ends are lanes. Returns whether. */
static bool begin_beneath(struct lanes *lanes, struct arrow arrow, const char *label)
{
    bool is_arrow = arrow.from != ROSTER_NONE && arrow.to != ROSTER_NONE && arrow.from != arrow.to;

    put_left(lanes, 0);
    begin_line(lanes);
    if (is_arrow)
        draw_arrow(lanes, arrow, lanes->has_labels ? label : NULL);
    return is_arrow;
}

static void end_beneath(struct lanes *lanes, struct sn_text *piece, const char *style)
{
    struct words words = end_lanes(lanes);

    say(&words, text_of(piece), style);
    text_putc(lanes->out, '\n');
}

/* What became of a message whose arrow says from whom to whom it is. */
static void words_lost(struct sn_text *out, const struct trace_record *r, bool has_event)
{
    if (has_event)
        words_phrase(out, "", r->fault.event, ", ", "");
    words_name(out, r->fault.what);
}

/* A line beneath a step: what became of a message, or anything else that happened. */
static void put_beneath(struct lanes *lanes, const struct trace_record *r)
{
    struct arrow arrow = {
        .line = CANVAS_DASH, .end = ARROW_LOST, .from = ROSTER_NONE, .to = ROSTER_NONE};
    bool is_fault = r->kind == TRACE_FAULT;
    bool is_arrow;
    char buffer[4096];
    struct sn_text piece;

    text_init(&piece, buffer, sizeof(buffer));
    if (is_fault && r->fault.event != NULL) {
        arrow.from = lane_of(lanes, r->fault.from);
        arrow.to = lane_of(lanes, r->fault.to);
        arrow.end = words_is_lost(r) ? ARROW_LOST : ARROW_ON_ITS_WAY;
    }
    is_arrow = begin_beneath(lanes, arrow, is_fault ? r->fault.event : NULL);
    if (is_fault)
        break_lanes(lanes, r, true);
    if (is_arrow && arrow.from < lanes->n && arrow.to < lanes->n)
        words_lost(&piece, r, !lanes->has_labels);
    else
        words_told(&piece, r, SIZE_MAX);
    end_beneath(lanes, &piece, is_fault ? CANVAS_RED : CANVAS_FAINT);
}

/* A message that nobody has got when the steps end. */
static void put_open(struct lanes *lanes, const struct show_message *message)
{
    const char *sender =
        message->step == 0 ? NULL : show_step(lanes->trace, message->step)->step.task;
    struct arrow arrow = {.line = CANVAS_DASH,
                          .end = ARROW_ON_ITS_WAY,
                          .from = lane_of(lanes, sender),
                          .to = lane_of(lanes, message->to)};
    char buffer[4096];
    struct sn_text piece;

    text_init(&piece, buffer, sizeof(buffer));
    if (!begin_beneath(lanes, arrow, message->event)) {
        words_phrase(&piece, "", message->event, " to ", message->to);
        text_puts(&piece, ", ");
    } else {
        if (arrow.to >= lanes->n)
            words_phrase(&piece, "", message->to, ": ", "");
        if (!lanes->has_labels)
            words_phrase(&piece, "", message->event, ", ", "");
    }
    text_print(&piece, "sent in step %" PRIu64, message->step);
    end_beneath(lanes, &piece, CANVAS_FAINT);
}

static int put_all_open(struct lanes *lanes)
{
    const struct show_message *list;
    size_t n;

    if (show_unreceived(&lanes->tasks, &list, &n) < 0)
        return SN_ENOMEM;
    if (n > 0)
        text_puts(lanes->out, "\non their way:\n");
    for (size_t i = 0; i < n && i < OPEN_MAX; i++)
        put_open(lanes, &list[i]);
    if (n > OPEN_MAX)
        text_print(lanes->out, "and %zu others\n", n - OPEN_MAX);
    return 0;
}

/* Whether a record has a line in a drawing that says what matters: not what disks did, and not in
 * which state something begins. */
static bool is_worth_a_line(const struct trace_record *r)
{
    static const char disk[] = "disk: ";

    if (r->kind == TRACE_NOTE)
        return strncmp(r->note.text.bytes, disk, strlen(disk)) != 0;
    return r->kind != TRACE_STATE || r->state.how != TRACE_HOW_START;
}

static void put_details(struct lanes *lanes, uint64_t step)
{
    const char *task = step == 0 ? NULL : show_step(lanes->trace, step)->step.task;
    const struct trace_record *told = step == 0 ? NULL : fault_of(lanes->trace, step);
    size_t n;
    const struct trace_record *r = show_details(lanes->trace, step, &n);

    for (size_t i = 0; !lanes->options->is_brief && i < n; i++) {
        if (words_is_told(&r[i], task, lanes->options->is_verbose) && &r[i] != told &&
            (lanes->options->is_verbose || is_worth_a_line(&r[i])))
            put_beneath(lanes, &r[i]);
    }
}

/* ---- Head and foot -------------------------------------------------------------------------- */

/* Whether each name fits in its lane. */
static bool is_flat(const struct lanes *lanes)
{
    for (size_t i = 0; i < lanes->n; i++) {
        if (show_put(NULL, trace_text_of(lanes->tasks.names.list[i]), SIZE_MAX) >
            lanes->lane_width - 1)
            return lanes->has_labels; /* then it is cut: it is long */
    }
    return true;
}

/* One name a line, with the lanes of those before. */
static void put_stairs(struct lanes *lanes)
{
    for (size_t i = 0; i < lanes->n; i++) {
        struct words words;

        canvas_clear(&lanes->canvas);
        for (size_t k = 0; k < i; k++)
            canvas_put(&lanes->canvas, lane_at(lanes, k), CANVAS_LIFE, lanes_style(k));
        put_left(lanes, 0);
        words = end_lanes(lanes);
        words.from = lane_at(lanes, i);
        say(&words, trace_text_of(lanes->tasks.names.list[i]), lanes_style(i));
        text_putc(lanes->out, '\n');
    }
}

/* The names of the lanes: side by side, or as stairs if they do not fit so. */
static void put_names(struct lanes *lanes)
{
    if (is_flat(lanes)) {
        canvas_clear(&lanes->canvas);
        for (size_t i = 0; i < lanes->n; i++)
            (void)canvas_write(&lanes->canvas, lane_at(lanes, i), lanes->tasks.names.list[i],
                               lanes->lane_width - 1, lanes_style(i));
        put_left(lanes, 0);
        (void)canvas_print(&lanes->canvas, lanes->out);
        text_putc(lanes->out, '\n');
    } else {
        put_stairs(lanes);
    }
    lanes->since_head = 0;
}

static void put_hidden(const struct lanes *lanes)
{
    const struct roster *names = &lanes->tasks.names;
    size_t n = names->n - lanes->n;

    if (n == 0)
        return;
    text_print(lanes->out, "%zu of %zu machines have no lane: ", n, names->n);
    for (size_t i = 0; i < n && i < NAMED_MAX; i++) {
        text_puts(lanes->out, i == 0 ? "" : ", ");
        (void)show_put(lanes->out, trace_text_of(names->list[lanes->n + i]), 24);
    }
    text_puts(lanes->out,
              n > NAMED_MAX ? ", ... (--wide shows all)\n\n" : " (--wide shows all)\n\n");
}

/* What has become of the machines before the first step that is shown. */
static void set_lives(struct lanes *lanes)
{
    for (uint64_t step = 0; step < lanes->tasks.first; step++) {
        size_t lane =
            step == 0 ? ROSTER_NONE : lane_of(lanes, show_step(lanes->trace, step)->step.task);
        size_t n;
        const struct trace_record *r = show_details(lanes->trace, step, &n);

        if (lane < lanes->n)
            lanes->lives[lane] = halts(lanes->trace, step) ? LANE_ENDED : LANE_RUNS;
        for (size_t i = 0; i < n; i++) {
            if (r[i].kind == TRACE_FAULT)
                break_lanes(lanes, &r[i], false);
        }
    }
    for (size_t i = 0; i < lanes->n; i++) {
        uint64_t first = lanes->tasks.first_of[i];

        if (lanes->lives[i] == LANE_NOT_YET &&
            (first == 0 || show_step(lanes->trace, first)->step.op != TRACE_OP_START))
            lanes->lives[i] = LANE_RUNS;
    }
}

static int prepare(struct lanes *lanes)
{
    size_t width;

    if (lanes_measure(lanes) < 0)
        return SN_ENOMEM;
    width = lanes->n * lanes->lane_width + (lanes->n < lanes->tasks.names.n ? OUTSIDE : 0);
    lanes->canvas.is_unicode = lanes->options->is_unicode;
    lanes->canvas.is_coloured = lanes->options->is_coloured;
    lanes->lives = arena_array(&lanes->tasks.arena, lanes->n, sizeof(*lanes->lives));
    if (lanes->lives == NULL || canvas_init(&lanes->canvas, width, &lanes->tasks.arena) < 0)
        return SN_ENOMEM;
    if (show_births_find(&lanes->tasks, &lanes->births) < 0)
        return SN_ENOMEM;
    set_lives(lanes);
    return 0;
}

/* What is said of the set-up, which has no line: what it drew comes first. */
static void put_set_up(struct lanes *lanes)
{
    char buffer[4096];
    struct sn_text piece;

    text_init(&piece, buffer, sizeof(buffer));
    if (lanes->options->is_verbose)
        words_draws(&piece, lanes->trace, 0);
    if (piece.used > 0) {
        (void)begin_beneath(lanes, (struct arrow){.from = ROSTER_NONE, .to = ROSTER_NONE}, NULL);
        end_beneath(lanes, &piece, CANVAS_FAINT);
    }
    put_details(lanes, 0);
}

static int put_all(struct lanes *lanes)
{
    show_put_head(lanes->out, lanes->trace);
    put_hidden(lanes);
    put_names(lanes);
    if (lanes->tasks.range.first == 0)
        put_set_up(lanes);
    for (uint64_t step = lanes->tasks.first; step <= lanes->tasks.range.last; step++) {
        if (lanes->since_head >= HEAD_EVERY) {
            text_putc(lanes->out, '\n');
            put_names(lanes);
        }
        put_line(lanes, step);
        put_details(lanes, step);
    }
    if (put_all_open(lanes) < 0)
        return SN_ENOMEM;
    show_put_foot(lanes->out, lanes->trace, lanes->options);
    return lanes->out->cut || text_flush(lanes->out) < 0 ? SN_EIO : 0;
}

int show_lanes(struct sn_text *out, const struct trace *trace, const struct show_options *options)
{
    struct lanes lanes = {.out = out, .trace = trace, .options = options};
    int rc = show_tasks_init(&lanes.tasks, trace, show_range_of(trace, options));

    if (rc == 0)
        rc = prepare(&lanes);
    if (rc == 0)
        rc = put_all(&lanes);
    show_tasks_done(&lanes.tasks);
    return rc;
}
