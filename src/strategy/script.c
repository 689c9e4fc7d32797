/* script.c - a strategy that does what a text says, line by line.
 *
 * Lines name operations as people do; the names come from the recorder of the trial, which keeps
 * them while a strategy like this one decides. When the text has nothing more to say the next
 * strategy of a composition takes over, or else the default schedule. A line that cannot be done
 * ends the trial: control over it is lost. SPDX-License-Identifier: MIT
 */
#include "strategy/script.h"

#include "engine/explore.h"
#include "engine/here.h"
#include "engine/loop.h"
#include "strategy/oldest.h"
#include "strategy/strategies.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct script_run {
    uint32_t at;        /* the next line */
    uint64_t done;      /* steps of it, if it says how many */
    uint64_t phase_end; /* of the phase in which it decides */
    bool is_asked;      /* it has decided something in this trial */
    struct script script;
};

static int script_init(void *self, const char *parameters, uint64_t seed, char *error, size_t size)
{
    struct script_run *s = self;
    struct err why = {""};

    (void)seed;
    if (parameters[0] == '\0') {
        (void)snprintf(error, size, "give a file: script:FILE");
        return -1;
    }
    if (script_read(&s->script, parameters, &why) == 0)
        return 0;
    (void)snprintf(error, size, "%s", why.text);
    return -1;
}

static bool script_begin(void *self, uint64_t trial, uint64_t *keep)
{
    struct script_run *s = self;

    (void)keep;
    s->at = 0;
    s->done = 0;
    s->is_asked = false;
    return !oldest_is_over(trial);
}

/* The line to be done next; NULL: nothing more is said. */
static const struct script_line *current(const struct script_run *s)
{
    const struct script_line *line = &s->script.lines[s->at];

    return s->at < s->script.n && line->kind != SCRIPT_END ? line : NULL;
}

/* The line is done; its step, if it is one, has this number. */
static void advance(struct trial *t, struct script_run *s, uint64_t step)
{
    s->at++;
    s->done = 0;
    if (current(s) == NULL)
        trial_end_phase(t, step);
}

/* ---- Matching ------------------------------------------------------------------------------- */

static bool is_named(struct trial *t, uint32_t task, const struct script_run *s, uint32_t name)
{
    return name == 0 || strcmp(t->recorder->task_name(t, task), s->script.text + name) == 0;
}

static bool matches(struct trial *t, const struct script_run *s, const struct script_line *line,
                    const struct sn_op *op)
{
    if (line == NULL || line->kind == SCRIPT_PICK)
        return true;
    if (line->has_id)
        return op->id == line->id;
    return op->kind == line->kind &&
           (line->event == 0 || strcmp(op_event_name(op), s->script.text + line->event) == 0) &&
           is_named(t, op->task, s, line->task) && is_named(t, op->from, s, line->from);
}

/* The oldest operation that matches and is younger than `last`, which may be NULL; NULL: none is.
 * Without a line everything matches. */
static const struct sn_op *next_match(struct trial *t, const struct script_run *s,
                                      const struct script_line *line, const struct sn_op *last)
{
    const struct sn_op *best = NULL;

    for (uint32_t i = 0; i < t->now.n_enabled; i++) {
        const struct sn_op *op = oldest_op(t, i);

        if ((last == NULL || oldest_is_before(last, op)) &&
            (best == NULL || oldest_is_before(op, best)) && matches(t, s, line, op))
            best = op;
    }
    return best;
}

/* ---- Complaints ----------------------------------------------------------------------------- */

/* «script.txt:3: "deliver Ping to Server"» */
static void put_place(struct sn_text *out, const struct script_run *s,
                      const struct script_line *line)
{
    text_print(out, "%s:%" PRIu32 ": \"", s->script.name, line->line);
    script_put_line(out, &s->script, line);
    text_putc(out, '"');
}

/* What could run instead, as much as there is room for. */
static void put_pending(struct sn_text *out, struct trial *t, const struct script_run *s)
{
    const struct sn_op *op = next_match(t, s, NULL, NULL);
    char buffer[160];
    struct sn_text text;

    for (uint32_t i = 0; op != NULL; op = next_match(t, s, NULL, op), i++) {
        text_init(&text, buffer, sizeof(buffer));
        script_put_op(&text, t, op);
        if (out->used + text.used + sizeof(", and 1000000 more") > out->size) {
            text_print(out, ", and %" PRIu32 " more", t->now.n_enabled - i);
            return;
        }
        text_print(out, "%s%s", i > 0 ? ", " : "", buffer);
    }
}

static void refuse(struct trial *t, const struct script_run *s, const char *cause)
{
    char buffer[sizeof(t->verdict.message)];
    struct sn_text out;

    text_init(&out, buffer, sizeof(buffer));
    put_place(&out, s, current(s));
    text_print(&out, " %s; pending: ", cause);
    put_pending(&out, t, s);
    trial_lose_control(t, "script", "%s", buffer);
}

/* ---- Picking -------------------------------------------------------------------------------- */

/* The source of the n-th oldest operation that matches, n from 1 on; 0: there are not so many. */
static uint32_t find(struct trial *t, const struct script_run *s, const struct script_line *line)
{
    const struct sn_op *op = next_match(t, s, line, NULL);

    for (uint64_t n = line->number; n > 1 && op != NULL; n--)
        op = next_match(t, s, line, op);
    return op != NULL ? op->source : 0;
}

static uint32_t by_default(struct trial *t)
{
    return (uint32_t)t->enabled[oldest_index(t)];
}

/* What is decided from now on is fair, unless somebody else takes over. */
static void begin_fairness(struct trial *t)
{
    if (t->phase_end == UINT64_MAX)
        trial_begin_fairness(t);
}

/* The script is at its end and nobody else takes over. The default schedule is fair. */
static uint32_t after_end(struct trial *t)
{
    begin_fairness(t);
    return by_default(t);
}

/* Does the current line, which names an operation or says how many steps. 0: it is done already. */
static uint32_t follow(struct trial *t, struct script_run *s, const struct script_line *line)
{
    uint32_t source;

    if (line->kind == SCRIPT_FAIR) {
        begin_fairness(t);
        advance(t, s, t->now.steps);
        return 0;
    }
    if (line->kind == SCRIPT_ANY) {
        if (++s->done == line->number)
            advance(t, s, t->now.steps + 1);
        return by_default(t);
    }
    if (line->kind == SCRIPT_STEP) {
        if (t->now.steps + 1 >= line->number)
            advance(t, s, line->number);
        return t->now.steps < line->number ? by_default(t) : 0;
    }
    source = find(t, s, line);
    if (source != 0)
        advance(t, s, t->now.steps + 1);
    else if (line->is_until)
        source = by_default(t);
    else
        refuse(t, s, line->kind == SCRIPT_PICK ? "has no such number" : "matches nothing");
    return source;
}

static uint32_t pick_source(struct trial *t, void *self)
{
    struct script_run *s = self;

    s->is_asked = true;
    s->phase_end = t->phase_end;
    for (const struct script_line *line = current(s); line != NULL; line = current(s)) {
        uint32_t source;

        if (line->kind == SCRIPT_DRAW)
            refuse(t, s, "was not asked for in the step before");
        source = follow(t, s, line);
        if (source != 0)
            return source;
    }
    return after_end(t);
}

static uint32_t script_pick(void *self, const struct sn_pending *pending)
{
    struct trial *t = trial_here();

    sn_check((const struct trial *)pending == t);
    return t->sources[pick_source(t, self)].position - 1;
}

static void script_loop(struct trial *t)
{
    struct script_run *s = t->strategy_self;

    if (current(s) == NULL && t->phase_end != UINT64_MAX) {
        trial_end_phase(t, t->now.steps);
        t->phase_over = true;
        return;
    }
    trial_loop_with(t, pick_source, NULL, s);
}

/* ---- Values and the end --------------------------------------------------------------------- */

/* A value that the script does not say is 0. One that it says waits for its label. */
static uint64_t script_draw(void *self, const struct sn_draw *draw)
{
    struct script_run *s = self;
    const struct script_line *line = current(s);
    struct trial *t = trial_here();

    if (line == NULL || line->kind != SCRIPT_DRAW ||
        strcmp(s->script.text + line->event, draw->label) != 0)
        return 0;
    if (line->number >= draw->n)
        trial_lose_control(t, "script", "%s:%" PRIu32 ": %.100s must be below %" PRIu64,
                           s->script.name, line->line, draw->label, draw->n);
    advance(t, s, t->now.steps);
    return line->number;
}

/* A trial that passes although it did not get to the last line has proved nothing. */
static void script_end(void *self, const struct sn_trial_end *end)
{
    struct script_run *s = self;
    struct trial *t = trial_here();
    char buffer[sizeof(t->verdict.message)];
    struct sn_text out;

    while (current(s) != NULL && current(s)->kind == SCRIPT_FAIR)
        s->at++;
    if (end->failed || !s->is_asked || current(s) == NULL || end->steps >= s->phase_end)
        return;
    text_init(&out, buffer, sizeof(buffer));
    put_place(&out, s, current(s));
    text_print(&out, " was not reached: the trial %s after %" PRIu64 " steps",
               end->cut ? "was cut" : "ended", end->steps);
    trial_lose_control(t, "script", "%s", buffer);
}

static const struct sn_strategy script_strategy = {
    .name = "script",
    .about = "does what a file says, line by line: script:FILE",
    .state_size = sizeof(struct script_run),
    .init = script_init,
    .begin = script_begin,
    .pick = script_pick,
    .draw = script_draw,
    .end = script_end,
};

const struct strategy_entry strategy_script = {
    .strategy = &script_strategy, .loop = script_loop, .is_driven = true};
