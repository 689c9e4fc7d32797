/* schema.c - the tables of the trace format, and writing by them. SPDX-License-Identifier: MIT */
#include "trace/schema.h"

#include "base/hash.h"
#include "base/json.h"

#include <inttypes.h>
#include <sennit/test.h>
#include <stdio.h>
#include <string.h>

static const char *const world_names[] = {"full", "trial", "fork", NULL};
static const char *const op_names[] = {"start", "deliver", "timer", "fault", "do", NULL};
static const char *const how_names[] = {"start", "goto", "push", "pop", "halt", NULL};
static const char *const operation_names[] = {"call", "return", "fail", NULL};
static const char *const timer_names[] = {"start", "start-any", "cancel", NULL};
static const char *const verdict_names[] = {"passed", "failed", "uncontrolled", NULL};

#define MEMBER(struct_, member_) .offset = offsetof(struct struct_, member_)
#define NEED(key_, type_, struct_, member_)                                                        \
    {                                                                                              \
        .key = (key_), .type = (type_), MEMBER(struct_, member_)                                   \
    }
#define MAY(key_, type_, struct_, member_)                                                         \
    {                                                                                              \
        .key = (key_), .type = (type_), MEMBER(struct_, member_), .is_optional = true              \
    }
#define MAY_BE_ZERO(key_, type_, struct_, member_)                                                 \
    {                                                                                              \
        .key = (key_), .type = (type_), MEMBER(struct_, member_), .is_optional = true,             \
        .zero_is_absent = true                                                                     \
    }
#define ENUM(key_, names_, struct_, member_)                                                       \
    {                                                                                              \
        .key = (key_), .type = SCHEMA_ENUM, MEMBER(struct_, member_), .names = (names_)            \
    }

static const struct schema_field header_fields[] = {
    {.key = "sennit", .type = SCHEMA_MAGIC},
    {.key = "version", .type = SCHEMA_VERSION},
    NEED("suite", SCHEMA_NAME, trace_header, suite),
    NEED("test", SCHEMA_NAME, trace_header, test),
    NEED("program", SCHEMA_NAME, trace_header, program),
    {.key = "args", .type = SCHEMA_ARGS},
    NEED("build", SCHEMA_BUILD, trace_header, build),
    NEED("seed", SCHEMA_NUMBER, trace_header, seed),
    NEED("trial", SCHEMA_NUMBER, trace_header, trial),
    NEED("strategy", SCHEMA_NAME, trace_header, strategy),
    NEED("max_steps", SCHEMA_NUMBER, trace_header, max_steps),
    MAY("fair_from", SCHEMA_NUMBER, trace_header, fair_from),
    ENUM("world", world_names, trace_header, world),
    {.key = NULL},
};

static const struct schema_field step_fields[] = {
    NEED("step", SCHEMA_NUMBER, trace_record, step.number),
    NEED("time_ns", SCHEMA_NUMBER, trace_record, step.time_ns),
    NEED("id", SCHEMA_HEX, trace_record, step.id),
    ENUM("op", op_names, trace_record, step.op),
    NEED("task", SCHEMA_NAME, trace_record, step.task),
    MAY("from", SCHEMA_NAME, trace_record, step.from),
    NEED("event", SCHEMA_NAME, trace_record, step.event),
    MAY("payload", SCHEMA_TEXT, trace_record, step.payload),
    NEED("digest", SCHEMA_HEX, trace_record, step.digest),
    NEED("cause", SCHEMA_NUMBER, trace_record, step.cause),
    MAY_BE_ZERO("sent", SCHEMA_NUMBER, trace_record, step.sent),
    {.key = NULL},
};

static const struct schema_field draw_fields[] = {
    NEED("draw", SCHEMA_NAME, trace_record, draw.label),
    NEED("value", SCHEMA_NUMBER, trace_record, draw.value),
    NEED("of", SCHEMA_NUMBER, trace_record, draw.of),
    NEED("key", SCHEMA_HEX, trace_record, draw.key),
    {.key = NULL},
};

static const struct schema_field send_fields[] = {
    NEED("send", SCHEMA_NAME, trace_record, send.event),
    NEED("to", SCHEMA_NAME, trace_record, send.to),
    MAY("payload", SCHEMA_TEXT, trace_record, send.payload),
    NEED("id", SCHEMA_HEX, trace_record, send.id),
    {.key = NULL},
};

static const struct schema_field create_fields[] = {
    NEED("create", SCHEMA_NAME, trace_record, create.name),
    NEED("type", SCHEMA_NAME, trace_record, create.type),
    NEED("id", SCHEMA_HEX, trace_record, create.id),
    MAY_BE_ZERO("start", SCHEMA_HEX, trace_record, create.start),
    MAY("node", SCHEMA_NAME, trace_record, create.node),
    {.key = NULL},
};

static const struct schema_field state_fields[] = {
    NEED("state", SCHEMA_NAME, trace_record, state.state),
    MAY("was", SCHEMA_NAME, trace_record, state.was),
    ENUM("how", how_names, trace_record, state.how),
    NEED("task", SCHEMA_NAME, trace_record, state.task),
    MAY("heat", SCHEMA_NAME, trace_record, state.heat),
    {.key = NULL},
};

static const struct schema_field monitor_fields[] = {
    NEED("monitor", SCHEMA_NAME, trace_record, monitor.monitor),
    NEED("event", SCHEMA_NAME, trace_record, monitor.event),
    MAY("payload", SCHEMA_TEXT, trace_record, monitor.payload),
    {.key = NULL},
};

static const struct schema_field timer_fields[] = {
    ENUM("timer", timer_names, trace_record, timer.what),
    NEED("event", SCHEMA_NAME, trace_record, timer.event),
    NEED("delay_ns", SCHEMA_NUMBER, trace_record, timer.delay_ns),
    {.key = NULL},
};

static const struct schema_field ignored_fields[] = {
    NEED("ignored", SCHEMA_NAME, trace_record, ignored.event),
    {.key = NULL},
};

static const struct schema_field dropped_fields[] = {
    NEED("dropped", SCHEMA_NAME, trace_record, dropped.event),
    NEED("to", SCHEMA_NAME, trace_record, dropped.to),
    {.key = NULL},
};

static const struct schema_field raise_fields[] = {
    NEED("raise", SCHEMA_NAME, trace_record, raise.event),
    MAY("payload", SCHEMA_TEXT, trace_record, raise.payload),
    {.key = NULL},
};

static const struct schema_field note_fields[] = {
    NEED("note", SCHEMA_TEXT, trace_record, note.text),
    {.key = NULL},
};

static const struct schema_field output_fields[] = {
    NEED("output", SCHEMA_TEXT, trace_record, output.text),
    {.key = NULL},
};

static const struct schema_field fault_fields[] = {
    NEED("fault", SCHEMA_NAME, trace_record, fault.what),
    MAY("node", SCHEMA_NAME, trace_record, fault.node),
    MAY("event", SCHEMA_NAME, trace_record, fault.event),
    MAY("from", SCHEMA_NAME, trace_record, fault.from),
    MAY("to", SCHEMA_NAME, trace_record, fault.to),
    MAY("id", SCHEMA_HEX, trace_record, fault.id),
    {.key = NULL},
};

static const struct schema_field operation_fields[] = {
    ENUM("operation", operation_names, trace_record, operation.what),
    NEED("number", SCHEMA_NUMBER, trace_record, operation.number),
    NEED("process", SCHEMA_NAME, trace_record, operation.process),
    NEED("text", SCHEMA_TEXT, trace_record, operation.text),
    {.key = NULL},
};

static const struct schema_field illegal_fields[] = {
    NEED("illegal", SCHEMA_NAME, trace_record, illegal.model),
    NEED("minimal", SCHEMA_BOOL, trace_record, illegal.is_minimal),
    NEED("longest", SCHEMA_BOOL, trace_record, illegal.is_longest),
    NEED("state", SCHEMA_TEXT, trace_record, illegal.state),
    MAY_BE_ZERO("stuck", SCHEMA_NUMBER, trace_record, illegal.stuck),
    {.key = NULL},
};

static const struct schema_field core_fields[] = {
    NEED("core", SCHEMA_NUMBER, trace_record, core.number),
    NEED("definite", SCHEMA_BOOL, trace_record, core.is_definite),
    MAY_BE_ZERO("place", SCHEMA_NUMBER, trace_record, core.place),
    MAY("state", SCHEMA_TEXT, trace_record, core.state),
    MAY("why", SCHEMA_TEXT, trace_record, core.why),
    {.key = NULL},
};

static const struct schema_field shrunk_fields[] = {
    NEED("shrunk", SCHEMA_NUMBER, trace_record, shrunk.steps),
    NEED("draws", SCHEMA_NUMBER, trace_record, shrunk.draws),
    NEED("runs", SCHEMA_NUMBER, trace_record, shrunk.runs),
    MAY("held_steps", SCHEMA_NUMBER, trace_record, shrunk.held_steps),
    {.key = NULL},
};

static const struct schema_field hold_fields[] = {
    NEED("hold", SCHEMA_HEX, trace_record, hold.held),
    NEED("until", SCHEMA_HEX, trace_record, hold.until),
    MAY("name", SCHEMA_NAME, trace_record, hold.name),
    MAY("until_name", SCHEMA_NAME, trace_record, hold.until_name),
    {.key = NULL},
};

static const struct schema_field memory_fields[] = {
    NEED("memory", SCHEMA_NAME, trace_record, memory.task),
    NEED("text", SCHEMA_TEXT, trace_record, memory.text),
    {.key = NULL},
};

static const struct schema_field verdict_fields[] = {
    ENUM("verdict", verdict_names, trace_verdict, verdict),
    MAY("oracle", SCHEMA_NAME, trace_verdict, oracle),
    MAY("message", SCHEMA_TEXT, trace_verdict, message),
    MAY("at", SCHEMA_NAME, trace_verdict, at),
    NEED("step", SCHEMA_NUMBER, trace_verdict, step),
    NEED("order", SCHEMA_HEX, trace_verdict, order),
    NEED("cut", SCHEMA_BOOL, trace_verdict, cut),
    {.key = NULL},
};

static const struct schema_field end_fields[] = {
    NEED("end", SCHEMA_BOOL, trace_end, end),
    NEED("steps", SCHEMA_NUMBER, trace_end, steps),
    NEED("lines", SCHEMA_NUMBER, trace_end, lines),
    NEED("check", SCHEMA_HEX, trace_end, check),
    {.key = NULL},
};

const struct schema_object schema_header = {"the header", header_fields};
const struct schema_object schema_verdict = {"the verdict", verdict_fields};
const struct schema_object schema_end = {"the end record", end_fields};

const struct schema_object schema_records[TRACE_KINDS] = {
    [TRACE_STEP] = {"a step record", step_fields},
    [TRACE_DRAW] = {"a draw record", draw_fields},
    [TRACE_SEND] = {"a send record", send_fields},
    [TRACE_CREATE] = {"a create record", create_fields},
    [TRACE_STATE] = {"a state record", state_fields},
    [TRACE_MONITOR] = {"a monitor record", monitor_fields},
    [TRACE_TIMER] = {"a timer record", timer_fields},
    [TRACE_IGNORED] = {"an ignored record", ignored_fields},
    [TRACE_DROPPED] = {"a dropped record", dropped_fields},
    [TRACE_RAISE] = {"a raise record", raise_fields},
    [TRACE_NOTE] = {"a note record", note_fields},
    [TRACE_OUTPUT] = {"an output record", output_fields},
    [TRACE_FAULT] = {"a fault record", fault_fields},
    [TRACE_OPERATION] = {"an operation record", operation_fields},
    [TRACE_ILLEGAL] = {"an illegal record", illegal_fields},
    [TRACE_CORE] = {"a core record", core_fields},
    [TRACE_SHRUNK] = {"a shrunk record", shrunk_fields},
    [TRACE_HOLD] = {"a hold record", hold_fields},
    [TRACE_MEMORY] = {"a memory record", memory_fields},
};

struct trace_text trace_text_of(const char *s)
{
    return (struct trace_text){.bytes = s, .n = s == NULL ? 0 : strlen(s)};
}

/* ---- Writing -------------------------------------------------------------------------------- */

void schema_put_bytes(struct schema_sink *sink, const char *bytes, size_t n)
{
    text_add(sink->out, bytes, n);
    sink->check = hash_add(sink->check, bytes, n);
    sink->n_bytes += n;
}

static void put_literal(struct schema_sink *sink, const char *s)
{
    schema_put_bytes(sink, s, strlen(s));
}

/* A string that decodes to at most max bytes; a longer one is cut and ends in "...". */
static void put_string(struct schema_sink *sink, struct trace_text text, size_t max)
{
    bool is_cut = json_decoded_size(text.bytes, text.n) > max;
    size_t room = is_cut ? max - 3 : max;

    put_literal(sink, "\"");
    while (text.n > 0) {
        struct json_piece piece;

        json_piece_next(&piece, text.bytes, text.n, room);
        if (piece.decoded > room)
            break;
        schema_put_bytes(sink, piece.bytes, piece.n);
        text.bytes += piece.taken;
        text.n -= piece.taken;
        room -= piece.decoded;
    }
    put_literal(sink, is_cut ? "...\"" : "\"");
}

static void put_args(struct schema_sink *sink, const struct trace_header *header)
{
    for (size_t i = 0; i < header->n_args; i++) {
        put_literal(sink, i == 0 ? "[" : ",");
        put_string(sink, trace_text_of(header->args[i]), TRACE_NAME_MAX);
    }
    put_literal(sink, header->n_args == 0 ? "[]" : "]");
}

static const void *place(const struct schema_field *field, const void *from)
{
    return (const char *)from + field->offset;
}

static bool is_present(const struct schema_field *field, const void *from)
{
    if (field->type == SCHEMA_NAME || field->type == SCHEMA_BUILD)
        return *(const char *const *)place(field, from) != NULL;
    if (field->type == SCHEMA_TEXT)
        return ((const struct trace_text *)place(field, from))->bytes != NULL;
    if (field->zero_is_absent)
        return *(const uint64_t *)place(field, from) != 0;
    return true;
}

static void put_number(struct schema_sink *sink, const char *format, uint64_t number)
{
    char digits[32];

    (void)snprintf(digits, sizeof(digits), format, number);
    put_literal(sink, digits);
}

static void put_value(struct schema_sink *sink, const struct schema_field *field, const void *from)
{
    const void *at = place(field, from);

    switch (field->type) {
    case SCHEMA_MAGIC:
        put_literal(sink, "\"trace\"");
        break;
    case SCHEMA_VERSION:
        put_number(sink, "%" PRIu64, TRACE_VERSION);
        break;
    case SCHEMA_NAME:
    case SCHEMA_BUILD:
        put_string(sink, trace_text_of(*(const char *const *)at), TRACE_NAME_MAX);
        break;
    case SCHEMA_TEXT:
        put_string(sink, *(const struct trace_text *)at, TRACE_TEXT_MAX);
        break;
    case SCHEMA_NUMBER:
        put_number(sink, "%" PRIu64, *(const uint64_t *)at);
        break;
    case SCHEMA_HEX:
        put_number(sink, "\"%016" PRIx64 "\"", *(const uint64_t *)at);
        break;
    case SCHEMA_ENUM:
        put_string(sink, trace_text_of(field->names[*(const unsigned *)at - 1]), TRACE_NAME_MAX);
        break;
    case SCHEMA_BOOL:
        put_literal(sink, *(const bool *)at ? "true" : "false");
        break;
    case SCHEMA_ARGS:
        put_args(sink, from);
        break;
    }
}

void schema_put(struct schema_sink *sink, const struct schema_object *object, const void *from)
{
    const char *before = "\"";

    for (const struct schema_field *field = object->fields; field->key != NULL; field++) {
        if (!is_present(field, from))
            continue;
        put_literal(sink, before);
        put_literal(sink, field->key);
        put_literal(sink, "\":");
        put_value(sink, field, from);
        before = ",\"";
    }
}

/* ---- What the tables cannot say ------------------------------------------------------------- */

int schema_check_present(const struct schema_object *object, const void *from, struct err *why)
{
    for (const struct schema_field *field = object->fields; field->key != NULL; field++) {
        unsigned n_names = 0;

        if (!field->is_optional && !is_present(field, from))
            return err_set(why, SN_EFORMAT, "%s lacks \"%s\"", object->what, field->key);
        if (field->type != SCHEMA_ENUM)
            continue;
        while (field->names[n_names] != NULL)
            n_names++;
        if (*(const unsigned *)place(field, from) - 1 >= n_names)
            return err_set(why, SN_EFORMAT, "%s lacks \"%s\"", object->what, field->key);
    }
    return 0;
}

int schema_check_header(const struct trace_header *header, struct err *why)
{
    size_t n = 0;

    if (header->n_args > TRACE_ARGS_MAX)
        return err_set(why, SN_EFORMAT, "the header has more than %d arguments", TRACE_ARGS_MAX);
    for (size_t i = 0; i < header->n_args; i++) {
        size_t size = json_decoded_size(header->args[i], strlen(header->args[i]));

        n += size;
        if (size > TRACE_NAME_MAX || n > TRACE_ARGS_BYTES_MAX)
            return err_set(why, SN_EFORMAT, "the arguments in the header are too long");
    }
    n = strspn(header->build, "0123456789abcdef");
    if (header->build[n] != '\0' || n > TRACE_NAME_MAX)
        return err_set(why, SN_EFORMAT, "\"build\" must be lower-case hexadecimal digits");
    return 0;
}

int schema_check_record(const struct trace_record *record, uint64_t steps, struct err *why)
{
    if (record->kind == TRACE_STEP && record->step.number != steps + 1)
        return err_set(why, SN_EFORMAT,
                       "steps must be numbered one after another: expected %" PRIu64
                       ", found %" PRIu64,
                       steps + 1, record->step.number);
    if (record->kind == TRACE_STEP && record->step.cause >= record->step.number)
        return err_set(why, SN_EFORMAT,
                       "the cause of a step must come before it: step %" PRIu64
                       " cannot be caused by step %" PRIu64,
                       record->step.number, record->step.cause);
    if (record->kind == TRACE_STEP && record->step.sent >= record->step.number)
        return err_set(why, SN_EFORMAT,
                       "what a step receives must have been sent before it: not by step %" PRIu64,
                       record->step.sent);
    if (record->kind == TRACE_DRAW && record->draw.value >= record->draw.of)
        return err_set(why, SN_EFORMAT,
                       "a drawn value must be below its bound: found %" PRIu64 " of %" PRIu64,
                       record->draw.value, record->draw.of);
    return 0;
}

int schema_check_verdict(const struct trace_verdict *verdict, uint64_t steps, struct err *why)
{
    if (verdict->verdict != TRACE_PASSED && verdict->oracle == NULL)
        return err_set(why, SN_EFORMAT, "the verdict lacks \"oracle\"");
    if (verdict->verdict != TRACE_PASSED && verdict->message.bytes == NULL)
        return err_set(why, SN_EFORMAT, "the verdict lacks \"message\"");
    if (verdict->step > steps)
        return err_set(why, SN_EFORMAT,
                       "the verdict is given in step %" PRIu64 ", but the trace has %" PRIu64
                       " steps",
                       verdict->step, steps);
    return 0;
}
