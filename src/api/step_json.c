/* step_json.c - a session for a program: one line of JSON for each line that it is given, and one
 * more at the beginning. docs/step.md describes them. SPDX-License-Identifier: MIT
 */
#include "api/step_own.h"
#include "base/json.h"
#include "engine/op.h"
#include "strategy/script.h"
#include "trace/schema.h"

#include <inttypes.h>
#include <string.h>

/* ---- Pieces --------------------------------------------------------------------------------- */

static void put_bytes(struct step *s, const char *key, const char *bytes, size_t n)
{
    text_print(&s->out, ",\"%s\":", key);
    json_put_string(&s->out, bytes, n);
}

static void put_string(struct step *s, const char *key, const char *value)
{
    put_bytes(s, key, value, strlen(value));
}

/* Nothing if there is no value. */
static void put_optional(struct step *s, const char *key, const char *value)
{
    if (value != NULL && value[0] != '\0')
        put_string(s, key, value);
}

static void put_number(struct step *s, const char *key, uint64_t value)
{
    text_print(&s->out, ",\"%s\":%" PRIu64, key, value);
}

static void put_bool(struct step *s, const char *key, bool value)
{
    text_print(&s->out, ",\"%s\":%s", key, value ? "true" : "false");
}

static void end_line(struct step *s)
{
    text_puts(&s->out, "}\n");
    (void)text_flush(&s->out);
}

static void hear(struct step *s, const struct trace_record *record)
{
    struct schema_sink sink = {.out = &s->happened};

    if (record->kind == TRACE_OUTPUT)
        return;
    text_puts(&s->happened, s->happened.used > 0 ? ",{" : "{");
    schema_put(&sink, &schema_records[record->kind], record);
    text_putc(&s->happened, '}');
}

/* What the last step did, and how far the trial is. */
static void put_moment(struct step *s)
{
    put_number(s, "steps", s->t->now.steps);
    put_number(s, "time_ns", s->t->now.time_ns);
    put_number(s, "decisions", s->t->log.n);
    text_puts(&s->out, ",\"happened\":[");
    text_add(&s->out, s->happened.buffer, s->happened.used);
    text_puts(&s->out, "]");
    put_bool(s, "happened_cut", s->happened_is_cut);
    put_bytes(s, "output", s->printed, s->n_printed);
    put_bool(s, "output_cut", s->printed_is_cut && s->n_printed > 0);
}

/* ---- Questions ------------------------------------------------------------------------------ */

static void put_operation(struct step *s, uint32_t i)
{
    static const char *const kinds[] = {[SN_OP_START] = "start",
                                        [SN_OP_DELIVER] = "deliver",
                                        [SN_OP_TIMER] = "timer",
                                        [SN_OP_FAULT] = "fault",
                                        [SN_OP_PROCESS] = "do"};
    const struct sn_op *op = step_pending_op(s, i);
    struct sn_text line;

    text_print(&s->out, "%s{\"number\":%" PRIu32, i > 0 ? "," : "", i + 1);
    text_init(&line, s->operation, sizeof(s->operation));
    script_put_op(&line, s->t, op);
    put_string(s, "text", s->operation);
    put_string(s, "op", kinds[op->kind]);
    put_string(s, "event", op_event_name(op));
    put_string(s, "task", s->t->recorder->task_name(s->t, op->task));
    if (op->kind == SN_OP_START || op->kind == SN_OP_DELIVER)
        put_string(s, "from", s->t->recorder->task_name(s->t, op->from));
    put_optional(s, "payload", step_payload(s, op));
    put_number(s, "cause", op->cause);
    text_print(&s->out, ",\"id\":\"%016" PRIx64 "\"}", op->id);
}

static void ask_operation(struct step *s, bool is_whole)
{
    (void)is_whole;
    text_puts(&s->out, "{\"ask\":\"operation\"");
    put_moment(s);
    text_puts(&s->out, ",\"operations\":[");
    for (uint32_t i = 0; i < s->n_pending; i++)
        put_operation(s, i);
    text_puts(&s->out, "]");
    end_line(s);
}

static void ask_value(struct step *s)
{
    text_puts(&s->out, "{\"ask\":\"value\"");
    put_moment(s);
    put_string(s, "label", s->draw.label);
    put_number(s, "below", s->draw.n);
    put_string(s, "task", s->t->recorder->task_name(s->t, s->draw.task));
    end_line(s);
}

static void ask_next(struct step *s, const struct step_end *end)
{
    static const char *const words[] = {
        [SN_PASSED] = "passed", [SN_FAILED] = "failed", [SN_UNCONTROLLED] = "uncontrolled"};

    text_puts(&s->out, "{\"ask\":\"next\"");
    put_moment(s);
    put_string(s, "verdict", words[end->verdict]);
    put_bool(s, "cut", end->cut);
    put_optional(s, "failure", end->failure);
    put_optional(s, "trace", end->trace);
    end_line(s);
}

static void nothing(struct step *s)
{
    (void)s;
}

/* ---- Replies -------------------------------------------------------------------------------- */

static void machines(struct step *s)
{
    struct step_machine m;
    const char *before = "";

    text_puts(&s->out, "{\"reply\":\"state\",\"machines\":[");
    for (uint32_t i = 0; step_machine(s, i, &m); i++) {
        if (m.name == NULL)
            continue;
        text_print(&s->out, "%s{\"is\":\"%s\"", before, m.is);
        before = ",";
        put_string(s, "name", m.name);
        put_string(s, "type", m.type);
        put_optional(s, "state", m.state);
        put_bool(s, "monitor", m.is_monitor);
        put_optional(s, "temperature", m.temperature);
        put_optional(s, "node", m.node);
        if (m.node != NULL)
            put_bool(s, "node_down", m.is_down);
        text_putc(&s->out, '}');
    }
    text_puts(&s->out, "]");
    end_line(s);
}

static void put_log(struct step *s, const struct trace *trace)
{
    struct schema_sink sink = {.out = &s->out};

    text_puts(&s->out, "{\"reply\":\"log\",\"records\":[");
    for (size_t i = 0; i < trace->n_records; i++) {
        text_puts(&s->out, i > 0 ? ",{" : "{");
        schema_put(&sink, &schema_records[trace->records[i].kind], &trace->records[i]);
        text_putc(&s->out, '}');
    }
    text_puts(&s->out, "]");
    end_line(s);
}

static void saved(struct step *s, const char *path)
{
    text_puts(&s->out, "{\"reply\":\"saved\"");
    put_string(s, "trace", path);
    end_line(s);
}

static void help(struct step *s)
{
    text_puts(&s->out, "{\"reply\":\"help\",\"commands\":[\"N\",\"TEXT\",\"back [N]\",\"back all\","
                       "\"undo\",\"pending\",\"state\",\"log\",\"save FILE\","
                       "\"run [STRATEGY][@STEP]\",\"quit\",\"help\"]");
    end_line(s);
}

static void complain(struct step *s, const char *sentence)
{
    text_puts(&s->out, "{\"reply\":\"error\"");
    put_string(s, "error", sentence);
    end_line(s);
}

static void done(struct step *s, const struct sn_result *r)
{
    text_puts(&s->out, "{\"done\":true");
    put_number(s, "trials", r->trials);
    put_number(s, "failures", r->failures);
    put_bool(s, "nondeterministic", r->nondeterministic);
    put_optional(s, "failure", r->failure);
    put_optional(s, "trace", r->trace);
    end_line(s);
}

const struct step_view step_json = {
    .ask_operation = ask_operation,
    .ask_value = ask_value,
    .ask_next = ask_next,
    .invite = nothing,
    .echo = nothing,
    .hear = hear,
    .machines = machines,
    .log = put_log,
    .saved = saved,
    .help = help,
    .complain = complain,
    .done = done,
};
