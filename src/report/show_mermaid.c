/* show_mermaid.c - a trace as a sequence diagram for Mermaid, which many pages draw where a text
 * block says so.
 *
 * An arrow for each message, where it is received; notes for everything else. Participants have
 * names of our own (m1, m2, ...), and whatever the trace says stands behind a colon or an «as»,
 * with all characters that Mermaid, HTML or TeX know written as Mermaid's #CODE;.
 * SPDX-License-Identifier: MIT
 */
#include "report/show.h"

#include "base/utf8.h"
#include "report/show_tasks.h"
#include "report/words.h"

#include <inttypes.h>
#include <sennit/test.h>
#include <string.h>

enum {
    TEXT_COLUMNS = 60,
    TEXT_WIDE = 400,
    BYTES_MAX = 50000, /* that Mermaid draws, unless whoever calls it allows more */
    TEST = 0,          /* the number of the test as a participant; tasks follow */
};

struct diagram {
    struct sn_text *out;
    const struct trace *trace;
    const struct show_options *options;
    struct show_tasks tasks;
    size_t columns; /* of a text */
};

/* ---- Text ----------------------------------------------------------------------------------- */

/* What Mermaid shows as it is. It marks characters that were written as codes by U+FB02 before and
 * U+00B6 behind them. */
static bool is_plain(uint32_t code)
{
    if (code >= 0x80)
        return code != 0xfb02 && code != 0xb6;
    return (code >= '0' && code <= '9') || (code >= 'a' && code <= 'z') ||
           (code >= 'A' && code <= 'Z') || (code != 0 && strchr(" _.,()=/+*!?|-", (int)code));
}

static void put_escaped(struct sn_text *out, const char *bytes, size_t n)
{
    for (size_t at = 0; at < n;) {
        uint32_t code;
        size_t taken = utf8_decode(bytes + at, n - at, &code);

        sn_check(taken > 0);
        if (is_plain(code))
            text_add(out, bytes + at, taken);
        else
            text_print(out, "#%" PRIu32 ";", code);
        at += taken;
    }
}

/* Any text of a trace, cut. */
static void put_text(const struct diagram *d, struct trace_text text)
{
    char buffer[16 * TEXT_WIDE];
    struct sn_text shown;

    text_init(&shown, buffer, sizeof(buffer));
    (void)show_put(&shown, text, d->columns);
    put_escaped(d->out, buffer, shown.used);
}

static void put_name(const struct diagram *d, const char *name)
{
    put_text(d, trace_text_of(name));
}

static size_t number_of(const struct diagram *d, const char *name)
{
    size_t task = roster_find(&d->tasks.names, name);

    return task == ROSTER_NONE ? TEST : task + 1;
}

/* ---- Notes ---------------------------------------------------------------------------------- */

static void begin_note(const struct diagram *d, size_t who)
{
    text_print(d->out, "    Note over m%zu: ", who);
}

/* A note of words, if there are any, that were made visible already. */
static void put_note(const struct diagram *d, size_t who, const struct sn_text *words)
{
    if (words->used == 0)
        return;
    begin_note(d, who);
    put_text(d, (struct trace_text){words->buffer, words->used});
    text_puts(d->out, "\n");
}

static bool is_of_message(const struct diagram *d, const struct trace_record *r)
{
    return r->kind == TRACE_FAULT && r->fault.event != NULL &&
           roster_find(&d->tasks.names, r->fault.from) != ROSTER_NONE &&
           roster_find(&d->tasks.names, r->fault.to) != ROSTER_NONE;
}

/* What became of a message: an arrow with a cross, or an open one if it still comes. */
static void put_lost(const struct diagram *d, const struct trace_record *r)
{
    text_print(d->out, "    m%zu%sm%zu: ", number_of(d, r->fault.from),
               words_is_lost(r) ? "--x" : "--)", number_of(d, r->fault.to));
    put_name(d, r->fault.event);
    text_puts(d->out, " ");
    put_name(d, r->fault.what);
    text_puts(d->out, "\n");
}

static void put_told(const struct diagram *d, uint64_t step, size_t who)
{
    const char *task = step == 0 ? NULL : show_step(d->trace, step)->step.task;
    char buffer[4096];
    struct sn_text words;
    size_t n;
    const struct trace_record *r = show_details(d->trace, step, &n);

    text_init(&words, buffer, sizeof(buffer));
    words_changes(&words, d->trace, step);
    put_note(d, who, &words);
    text_clear(&words);
    if (d->options->is_verbose)
        words_draws(&words, d->trace, step);
    put_note(d, who, &words);
    for (size_t i = 0; i < n; i++) {
        if (!words_is_told(&r[i], task, d->options->is_verbose))
            continue;
        if (is_of_message(d, &r[i])) {
            put_lost(d, &r[i]);
            continue;
        }
        text_clear(&words);
        words_told(&words, &r[i], d->columns);
        put_note(d, who, &words);
    }
}

static void put_verdict(const struct diagram *d, uint64_t step, size_t who)
{
    const struct trace_verdict *verdict = &d->trace->verdict;

    if (verdict->verdict == TRACE_PASSED || verdict->step != step)
        return;
    text_puts(d->out, "    rect rgb(255, 214, 214)\n");
    begin_note(d, who);
    text_puts(d->out, verdict->verdict == TRACE_FAILED ? "FAILED (" : "UNCONTROLLED (");
    put_name(d, verdict->oracle);
    text_puts(d->out, ") ");
    put_text(d, verdict->message);
    text_puts(d->out, "\n    end\n");
}

/* ---- Steps ---------------------------------------------------------------------------------- */

/* The arrow or the note of a step, up to its text. */
static void begin_step(const struct diagram *d, const struct trace_record *r, size_t who)
{
    const char *source = show_source(d->trace, r);

    if (r->step.op == TRACE_OP_TIMER)
        text_print(d->out, "    m%zu-->>m%zu: ", who, who);
    else if (source != NULL || r->step.op == TRACE_OP_DELIVER)
        text_print(d->out, "    m%zu%sm%zu: ", number_of(d, source),
                   r->step.op == TRACE_OP_START ? "-->>" : "->>", who);
    else
        begin_note(d, who);
}

static void put_step(const struct diagram *d, uint64_t step)
{
    const struct trace_record *r = show_step(d->trace, step);
    size_t who = show_tasks_of(&d->tasks, step) + 1;

    begin_step(d, r, who);
    text_print(d->out, "%" PRIu64 " ", step);
    put_name(d, r->step.op == TRACE_OP_START ? "start" : r->step.event);
    if (r->step.op == TRACE_OP_TIMER)
        text_puts(d->out, " (timer)");
    if (r->step.payload.bytes != NULL) {
        text_puts(d->out, " ");
        put_text(d, r->step.payload);
    }
    text_puts(d->out, "\n");
    put_told(d, step, who);
    put_verdict(d, step, who);
}

/* Whether the test has to be a participant: something is said of its set-up, or it sent something.
 */
static bool has_test(const struct diagram *d)
{
    size_t n;
    const struct trace_record *r = show_details(d->trace, 0, &n);

    if (d->tasks.range.first == 0 && d->trace->verdict.verdict != TRACE_PASSED &&
        d->trace->verdict.step == 0)
        return true;
    for (size_t i = 0; d->tasks.range.first == 0 && i < n; i++) {
        if (words_is_told(&r[i], NULL, d->options->is_verbose) ||
            (r[i].kind == TRACE_DRAW && d->options->is_verbose))
            return true;
    }
    for (uint64_t step = d->tasks.first; step <= d->tasks.range.last; step++) {
        r = show_step(d->trace, step);
        if (r->step.op == TRACE_OP_DELIVER && r->step.from == NULL)
            return true;
    }
    return false;
}

static void put_participants(const struct diagram *d)
{
    if (has_test(d))
        text_print(d->out, "    participant m%d as (test)\n", TEST);
    for (size_t i = 0; i < d->tasks.names.n; i++) {
        text_print(d->out, "    participant m%zu as ", i + 1);
        put_name(d, d->tasks.names.list[i][0] == '\0' ? "(no name)" : d->tasks.names.list[i]);
        text_puts(d->out, "\n");
    }
}

static void put_all(const struct diagram *d)
{
    text_puts(d->out, "sequenceDiagram\n");
    put_participants(d);
    if (d->tasks.range.first == 0) {
        put_told(d, 0, TEST);
        put_verdict(d, 0, TEST);
    }
    for (uint64_t step = d->tasks.first; step <= d->tasks.range.last; step++)
        put_step(d, step);
}

int show_mermaid(struct sn_text *out, const struct trace *trace, const struct show_options *options)
{
    struct diagram d = {.out = out,
                        .trace = trace,
                        .options = options,
                        .columns = options->is_wide ? TEXT_WIDE : TEXT_COLUMNS};
    size_t before = out->flushed + out->used;
    int rc = show_tasks_init(&d.tasks, trace, show_range_of(trace, options));

    if (rc == 0) {
        put_all(&d);
        if (out->flushed + out->used - before > BYTES_MAX)
            (void)err_set(options->remark, 0,
                          "the diagram has %zu bytes, and Mermaid draws %d unless its maxTextSize "
                          "is raised: --from and --to choose steps",
                          out->flushed + out->used - before, BYTES_MAX);
        rc = out->cut || text_flush(out) < 0 ? SN_EIO : 0;
    }
    show_tasks_done(&d.tasks);
    return rc;
}
