/* step_text.c - a session for a person at a terminal. SPDX-License-Identifier: MIT */
#include "api/step_own.h"
#include "report/show.h"
#include "report/words.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

enum { SHOWN_MAX = 30 }; /* operations, unless one asks for all */

/* ---- What happened -------------------------------------------------------------------------- */

static void hear(struct step *s, const struct trace_record *record)
{
    struct sn_text *out = &s->happened;

    if (record->kind == TRACE_DRAW || record->kind == TRACE_OUTPUT)
        return;
    text_puts(out, "    ");
    if (record->kind == TRACE_NOTE) {
        text_puts(out, "note: ");
        (void)show_put(out, record->note.text, SIZE_MAX);
    } else {
        words_record(out, record);
    }
    text_putc(out, '\n');
}

/* What the code under test printed, marked so that nobody takes it for something else. */
static void put_printed(struct step *s)
{
    const char *at = s->printed;
    size_t left = s->n_printed;

    while (left > 0) {
        const char *stop = memchr(at, '\n', left);
        size_t n = stop != NULL ? (size_t)(stop - at) : left;

        text_puts(&s->out, "    | ");
        (void)show_put(&s->out, (struct trace_text){at, n}, SIZE_MAX);
        text_putc(&s->out, '\n');
        n += stop != NULL ? 1 : 0;
        at += n;
        left -= n;
    }
    if (s->printed_is_cut && s->n_printed > 0)
        text_puts(&s->out, "    | ...\n");
}

static void put_happened(struct step *s)
{
    text_add(&s->out, s->happened.buffer, s->happened.used);
    if (s->happened_is_cut)
        text_puts(&s->out, "    ...\n");
    put_printed(s);
}

/* ---- Questions ------------------------------------------------------------------------------ */

static void ask_operation(struct step *s, bool is_whole)
{
    struct sn_text *out = &s->out;
    uint32_t n = s->n_pending;

    if (!is_whole)
        put_happened(s);
    text_print(out, "step %" PRIu64, s->t->now.steps + 1);
    if (s->t->now.time_ns > 0) {
        text_puts(out, ", at ");
        show_put_time(out, s->t->now.time_ns);
    }
    text_print(out, ": %" PRIu32 " operation%s can run\n", n, n == 1 ? "" : "s");
    if (!is_whole && n > SHOWN_MAX)
        n = SHOWN_MAX;
    for (uint32_t i = 0; i < n; i++) {
        text_print(out, "%5" PRIu32 "  ", i + 1);
        text_puts(out, step_operation(s, step_pending_op(s, i)));
        text_putc(out, '\n');
    }
    if (n < s->n_pending)
        text_print(out, "       and %" PRIu32 " more: pending lists all\n", s->n_pending - n);
}

static void ask_value(struct step *s)
{
    put_happened(s);
    if (s->draw.task == 0)
        text_puts(&s->out, "the test");
    else
        words_name(&s->out, s->t->recorder->task_name(s->t, s->draw.task));
    words_phrase(&s->out, " draws ", s->draw.label, "", NULL);
    text_print(&s->out, ": a value below %" PRIu64 "\n", s->draw.n);
}

static void ask_next(struct step *s, const struct step_end *end)
{
    static const char *const words[] = {
        [SN_PASSED] = "passed", [SN_FAILED] = "FAILED", [SN_UNCONTROLLED] = "NOT UNDER CONTROL"};
    struct sn_text *out = &s->out;

    put_happened(s);
    text_print(out, "%s after %" PRIu64 " steps", words[end->verdict], end->steps);
    if (end->cut)
        text_puts(out, ", at the limit");
    if (end->failure[0] != '\0')
        words_phrase(out, ": ", end->failure, "", NULL);
    text_putc(out, '\n');
    if (end->trace[0] != '\0') {
        words_phrase(out, "    look:      sennit show ", end->trace, "\n", "");
        words_phrase(out, "    reproduce: sennit replay ", end->trace, "\n", "");
    }
    text_puts(out, "the trial has ended: back, save, log, state, quit\n");
}

static void invite(struct step *s)
{
    text_puts(&s->out, "> ");
    (void)text_flush(&s->out);
}

/* A terminal shows what is typed; what comes from elsewhere is shown here. */
static void echo(struct step *s)
{
    if (isatty(s->in) == 0)
        words_phrase(&s->out, "", s->line, "\n", "");
}

/* ---- Replies -------------------------------------------------------------------------------- */

static void machines(struct step *s)
{
    struct step_machine m;

    for (uint32_t i = 0; step_machine(s, i, &m); i++) {
        size_t width = m.name != NULL ? show_put(NULL, trace_text_of(m.name), SIZE_MAX) : 0;

        if (m.name == NULL)
            continue;
        words_phrase(&s->out, "    ", m.name, "", NULL);
        do
            text_putc(&s->out, ' ');
        while (++width < 20);
        words_name(&s->out, m.state != NULL ? m.state : m.is);
        if (m.state != NULL && strcmp(m.is, "running") != 0)
            text_print(&s->out, ", %s", m.is);
        if (m.node != NULL)
            words_phrase(&s->out, ", on ", m.node, m.is_down ? ", which is down" : "", "");
        if (m.is_monitor)
            text_print(&s->out, " (monitor%s%s)", m.temperature != NULL ? ", " : "",
                       m.temperature != NULL ? m.temperature : "");
        text_putc(&s->out, '\n');
    }
}

static void put_log(struct step *s, const struct trace *trace)
{
    struct show_options options = {.is_bare = true};

    if (trace->n_steps == 0)
        text_puts(&s->out, "    no step has been taken\n");
    else
        (void)show_text(&s->out, trace, &options);
}

static void saved(struct step *s, const char *path)
{
    words_phrase(&s->out, "    saved: sennit show ", path, "\n", "");
}

static void help(struct step *s)
{
    text_puts(&s->out, "    N, or a part of its text   this operation runs next\n"
                       "    back [N], back all, undo   go back N decisions, all of them, one\n"
                       "    pending                    all operations that can run\n"
                       "    state                      the machines and their states\n"
                       "    log                        the steps so far, as sennit show has them\n"
                       "    save FILE                  write a trace of the trial so far\n"
                       "    run [STRATEGY][@STEP]      let a strategy go on, to the end or to a "
                       "step\n"
                       "    quit                       end the session; help: this text\n");
}

static void complain(struct step *s, const char *sentence)
{
    text_print(&s->out, "    %s\n", sentence);
}

static void done(struct step *s, const struct sn_result *r)
{
    if (r->nondeterministic)
        words_phrase(&s->out, "NOT DETERMINISTIC: ", r->failure, "\n", "");
    text_print(&s->out, "%" PRIu64 " trial%s ended, %" PRIu64 " failed\n", r->trials,
               r->trials == 1 ? "" : "s", r->failures);
    (void)text_flush(&s->out);
}

const struct step_view step_text = {
    .ask_operation = ask_operation,
    .ask_value = ask_value,
    .ask_next = ask_next,
    .invite = invite,
    .echo = echo,
    .hear = hear,
    .machines = machines,
    .log = put_log,
    .saved = saved,
    .help = help,
    .complain = complain,
    .done = done,
};
