/* show_perfetto.c - a trace in the trace event format (JSON), which Perfetto and Chrome draw on an
 * axis of time.
 *
 * Each type of machines is a process and each machine a track of it; a step is a slice of the
 * track, a message an arrow between slices. Operations of clients are in show_perfetto_calls.c,
 * where steps lie in show_axis.h. All text of the trace is in strings of JSON, as it is and not
 * cut; sentences that are made of it have at most 4 KiB. SPDX-License-Identifier: MIT
 */
#include "report/show_perfetto.h"

#include "base/json.h"
#include "report/show_births.h"
#include "report/show_tasks.h"
#include "report/words.h"

#include <inttypes.h>
#include <sennit/test.h>
#include <string.h>

struct picture {
    struct sn_text *out;
    const struct trace *trace;
    const struct show_options *options;
    struct show_tasks tasks;
    struct show_axis axis;
    struct roster types;
    size_t *type_of; /* by task */
};

/* ---- One event ------------------------------------------------------------------------------ */

void perfetto_put_time(struct sn_text *out, uint64_t time_ns)
{
    text_print(out, "%" PRIu64 ".%03" PRIu64, time_ns / 1000, time_ns % 1000);
}

void perfetto_begin(struct sn_text *out, const struct perfetto_event *event)
{
    text_print(out, ",\n{\"ph\":\"%s\",\"pid\":%zu,\"tid\":%zu,\"ts\":", event->phase,
               event->process, event->track);
    perfetto_put_time(out, event->at_ns);
    if (event->category != NULL)
        text_print(out, ",\"cat\":\"%s\"", event->category);
    text_puts(out, ",\"name\":");
    json_put_string(out, event->name.bytes, event->name.n);
}

void perfetto_end(struct sn_text *out)
{
    text_puts(out, "}");
}

void perfetto_put_name(struct sn_text *out, size_t process, size_t track, const char *name)
{
    bool is_process = process == track;
    const char *what = is_process ? "process" : "thread";

    text_print(out,
               ",\n{\"ph\":\"M\",\"pid\":%zu,\"tid\":%zu,\"name\":\"%s_name\",\"args\":{\"name\":",
               process, track, what);
    json_put_string(out, name, strlen(name));
    text_print(out,
               "}},\n{\"ph\":\"M\",\"pid\":%zu,\"tid\":%zu,\"name\":\"%s_sort_index\","
               "\"args\":{\"sort_index\":%zu}}",
               process, track, what, track);
}

static void put_member(struct sn_text *out, const char *key, struct trace_text text)
{
    if (text.bytes == NULL || text.n == 0)
        return;
    text_print(out, ",\"%s\":", key);
    json_put_string(out, text.bytes, text.n);
}

/* ---- Types ---------------------------------------------------------------------------------- */

/* The type of a machine that was not seen to be created: its name without a number. */
static const char *guess_type(struct picture *p, const char *name)
{
    return arena_copy(&p->tasks.arena, name, strcspn(name, "#"));
}

static int find_types(struct picture *p)
{
    const struct trace_record **births;

    p->type_of = arena_array(&p->tasks.arena, p->tasks.names.n, sizeof(*p->type_of));
    p->types.arena = &p->tasks.arena;
    if (p->type_of == NULL || show_births_find(&p->tasks, &births) < 0)
        return SN_ENOMEM;
    for (size_t i = 0; i < p->tasks.names.n; i++) {
        const char *type =
            births[i] != NULL ? births[i]->create.type : guess_type(p, p->tasks.names.list[i]);

        if (type == NULL || roster_add(&p->types, type, &p->type_of[i]) < 0)
            return SN_ENOMEM;
    }
    return 0;
}

static size_t process_of(const struct picture *p, uint64_t step)
{
    return step == 0 ? PERFETTO_TEST : PERFETTO_TYPES + p->type_of[show_tasks_of(&p->tasks, step)];
}

static size_t track_of(const struct picture *p, uint64_t step)
{
    size_t first = PERFETTO_TYPES + p->types.n;

    return step == 0 ? first : first + 1 + show_tasks_of(&p->tasks, step);
}

static void put_names(const struct picture *p)
{
    size_t first = PERFETTO_TYPES + p->types.n;

    if (p->tasks.range.first == 0) {
        perfetto_put_name(p->out, PERFETTO_TEST, PERFETTO_TEST, "test");
        perfetto_put_name(p->out, PERFETTO_TEST, first, "set-up");
    }
    for (size_t i = 0; i < p->types.n; i++)
        perfetto_put_name(p->out, PERFETTO_TYPES + i, PERFETTO_TYPES + i, p->types.list[i]);
    for (size_t i = 0; i < p->tasks.names.n; i++)
        perfetto_put_name(p->out, PERFETTO_TYPES + p->type_of[i], first + 1 + i,
                          p->tasks.names.list[i]);
}

/* ---- Steps ---------------------------------------------------------------------------------- */

static const char *category_of(const struct trace_record *r)
{
    static const char *const names[] = {
        [TRACE_OP_START] = "start", [TRACE_OP_DELIVER] = "message", [TRACE_OP_TIMER] = "timer",
        [TRACE_OP_FAULT] = "fault", [TRACE_OP_PROCESS] = "process",
    };

    return names[r->step.op];
}

static struct perfetto_event event_of(const struct picture *p, const char *phase, uint64_t step)
{
    struct perfetto_event event = {
        .phase = phase,
        .category = "set-up",
        .name = trace_text_of("set-up"),
        .at_ns = p->axis.at_ns[step - p->axis.range.first],
        .process = process_of(p, step),
        .track = track_of(p, step),
    };

    if (step > 0) {
        const struct trace_record *r = show_step(p->trace, step);

        event.category = category_of(r);
        event.name = trace_text_of(r->step.op == TRACE_OP_START ? "start" : r->step.event);
    }
    return event;
}

static void put_slice(const struct picture *p, uint64_t step)
{
    const struct trace_verdict *verdict = &p->trace->verdict;
    struct perfetto_event event = event_of(p, "X", step);
    char buffer[4096];
    struct sn_text words;

    perfetto_begin(p->out, &event);
    text_puts(p->out, ",\"dur\":");
    perfetto_put_time(p->out, p->axis.width_ns);
    if (verdict->verdict != TRACE_PASSED && verdict->step == step)
        text_puts(p->out, ",\"cname\":\"terrible\"");
    text_print(p->out, ",\"args\":{\"step\":%" PRIu64, step);
    if (step > 0) {
        const struct trace_record *r = show_step(p->trace, step);

        text_init(&words, buffer, sizeof(buffer));
        show_put_time(&words, r->step.time_ns);
        put_member(p->out, "time", trace_text_of(buffer));
        put_member(p->out, "from", trace_text_of(show_source(p->trace, r)));
        put_member(p->out, "payload", r->step.payload);
    }
    text_init(&words, buffer, sizeof(buffer));
    words_changes(&words, p->trace, step);
    words_end(&words);
    put_member(p->out, "state", trace_text_of(buffer));
    text_clear(&words);
    words_draws(&words, p->trace, step);
    words_end(&words);
    put_member(p->out, "choices", trace_text_of(buffer));
    text_puts(p->out, "}");
    perfetto_end(p->out);
}

/* An arrow from a step to one that it led to. Both ends must have the same name, category and id.
 */
static void put_flow(const struct picture *p, uint64_t from, uint64_t to, unsigned kind)
{
    struct perfetto_event end = event_of(p, "f", to);
    struct perfetto_event begin = end;

    begin.phase = "s";
    begin.at_ns = p->axis.at_ns[from - p->axis.range.first];
    begin.process = process_of(p, from);
    begin.track = track_of(p, from);
    perfetto_begin(p->out, &begin);
    text_print(p->out, ",\"id\":%" PRIu64, 2 * to + kind);
    perfetto_end(p->out);
    perfetto_begin(p->out, &end);
    text_print(p->out, ",\"id\":%" PRIu64 ",\"bp\":\"e\"", 2 * to + kind);
    perfetto_end(p->out);
}

/* What a process does next is announced by what it did before: there is no arrow for that. */
static void put_flows(const struct picture *p, uint64_t step)
{
    const struct trace_record *r = show_step(p->trace, step);
    uint64_t first = p->axis.range.first;
    uint64_t sent = r->step.sent;

    if (r->step.cause >= first && r->step.op != TRACE_OP_PROCESS)
        put_flow(p, r->step.cause, step, 0);
    if (sent != 0 && sent >= first)
        put_flow(p, sent, step, 1);
}

/* What happened in a step and has no slice: faults, notes, output. Calls have their own. */
static void put_instants(const struct picture *p, uint64_t step)
{
    static const struct {
        const char *category; /* NULL: only if all is wanted */
    } kinds[TRACE_KINDS] = {
        [TRACE_NOTE] = {"note"},
        [TRACE_FAULT] = {"fault"},
        [TRACE_OUTPUT] = {"output"},
    };
    const char *task = step == 0 ? NULL : show_step(p->trace, step)->step.task;
    struct perfetto_event event = event_of(p, "i", step);
    char buffer[4096];
    struct sn_text words;
    size_t n;
    const struct trace_record *r = show_details(p->trace, step, &n);

    for (size_t i = 0; i < n; i++) {
        if (!words_is_told(&r[i], task, p->options->is_verbose) || r[i].kind == TRACE_OPERATION)
            continue;
        text_init(&words, buffer, sizeof(buffer));
        words_record(&words, &r[i]);
        words_end(&words);
        event.category = kinds[r[i].kind].category == NULL ? "detail" : kinds[r[i].kind].category;
        event.name = r[i].kind == TRACE_NOTE     ? r[i].note.text
                     : r[i].kind == TRACE_OUTPUT ? r[i].output.text
                                                 : (struct trace_text){buffer, words.used};
        event.at_ns = show_axis_inside(&p->axis, step, i, n);
        perfetto_begin(p->out, &event);
        text_puts(p->out, ",\"s\":\"t\"");
        perfetto_end(p->out);
    }
}

/* The verdict, across all tracks. */
static void put_verdict(const struct picture *p)
{
    const struct trace_verdict *verdict = &p->trace->verdict;
    struct perfetto_event event;
    char name[128];
    struct sn_text words;

    if (verdict->verdict == TRACE_PASSED || verdict->step < p->axis.range.first ||
        verdict->step > p->axis.range.last)
        return;
    text_init(&words, name, sizeof(name));
    text_puts(&words, verdict->verdict == TRACE_FAILED ? "FAILED" : "UNCONTROLLED");
    event = event_of(p, "i", verdict->step);
    event.category = "verdict";
    event.name = trace_text_of(name);
    event.at_ns += p->axis.width_ns;
    perfetto_begin(p->out, &event);
    text_print(p->out, ",\"s\":\"g\",\"args\":{\"step\":%" PRIu64, verdict->step);
    put_member(p->out, "oracle", trace_text_of(verdict->oracle));
    put_member(p->out, "message", verdict->message);
    put_member(p->out, "at", trace_text_of(verdict->at));
    text_puts(p->out, "}");
    perfetto_end(p->out);
}

/* ---- The whole ------------------------------------------------------------------------------ */

static void put_head(const struct picture *p)
{
    const struct trace_header *h = &p->trace->header;

    text_print(p->out, "{\"displayTimeUnit\":\"ms\",\n\"otherData\":{\"seed\":\"%" PRIu64 "\"",
               h->seed);
    text_print(p->out, ",\"trial\":\"%" PRIu64 "\"", h->trial);
    put_member(p->out, "suite", trace_text_of(h->suite));
    put_member(p->out, "test", trace_text_of(h->test));
    put_member(p->out, "program", trace_text_of(h->program));
    put_member(p->out, "strategy", trace_text_of(h->strategy));
    text_puts(p->out, "},\n\"traceEvents\":[");
    /* All that follows begins with a comma. */
    text_print(p->out,
               "\n{\"ph\":\"M\",\"pid\":%d,\"tid\":%d,\"name\":\"process_labels\","
               "\"args\":{\"labels\":\"sennit\"}}",
               p->types.n > 0 ? PERFETTO_TYPES : PERFETTO_TEST,
               p->types.n > 0 ? PERFETTO_TYPES : PERFETTO_TEST);
}

static int put_all(const struct picture *p)
{
    int rc;

    put_head(p);
    put_names(p);
    for (uint64_t step = p->axis.range.first; step <= p->axis.range.last; step++) {
        put_slice(p, step);
        if (step > 0)
            put_flows(p, step);
        put_instants(p, step);
    }
    rc = perfetto_put_operations(p->out, p->trace, &p->axis);
    if (rc < 0)
        return rc;
    put_verdict(p);
    text_puts(p->out, "\n]}\n");
    return p->out->cut || text_flush(p->out) < 0 ? SN_EIO : 0;
}

int show_perfetto(struct sn_text *out, const struct trace *trace,
                  const struct show_options *options)
{
    struct picture p = {.out = out, .trace = trace, .options = options};
    struct show_range range = show_range_of(trace, options);
    int rc = show_tasks_init(&p.tasks, trace, range);

    if (rc == 0)
        rc = show_axis_init(&p.axis, trace, range, &p.tasks.arena);
    if (rc == 0)
        rc = find_types(&p);
    if (rc == 0)
        rc = put_all(&p);
    show_tasks_done(&p.tasks);
    return rc;
}
