/* record.c - see record.h. SPDX-License-Identifier: MIT */
#include "api/record.h"

#include "base/rng.h"
#include "engine/mem.h"
#include "linear/core.h"
#include "substrate/environment.h"
#include "substrate/machine.h"
#include "substrate/print.h"
#include "substrate/process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int record_new(struct record **out, struct err *why)
{
    struct record *r = mem_reserve_shared(sizeof(*r), why);

    *out = r;
    if (r == NULL)
        return SN_ENOMEM;
    if (names_init(&r->names, why) == 0)
        return 0;
    record_free(r);
    *out = NULL;
    return SN_ENOMEM;
}

void record_free(struct record *r)
{
    if (r == NULL)
        return;
    names_done(&r->names);
    mem_release(r, sizeof(*r));
}

static uint64_t hash_bytes(uint64_t h, const void *bytes, size_t n)
{
    const unsigned char *at = bytes;

    for (; n > 0; n--)
        h = mix_pair(h, *at++);
    return h;
}

uint64_t record_digest(const struct sn_op *op, const void *payload)
{
    const struct sn_event *event = op->what;
    uint64_t h = op->size;

    if (payload == NULL)
        return 0;
    if (event == NULL)
        return hash_bytes(h, payload, op->size);
    /* What lies between members is padding, whose contents are an accident: without a table of
     * fields nobody can tell it from the rest. */
    for (const struct sn_field *field = event->fields; field != NULL && field->name != NULL;
         field++) {
        size_t n = (size_t)field->size * (field->count > 0 ? field->count : 1);

        h = hash_bytes(h, (const char *)payload + field->offset, n);
    }
    return h;
}

uint64_t record_digest_step(const struct trial *t, const struct sn_op *op, const void *payload)
{
    const struct sn_op *taken = process_taken(t, op);
    struct sn_op sent;
    const void *bytes;

    if (op->kind != SN_OP_PROCESS)
        return record_digest(op, payload);
    if (taken != NULL)
        return record_digest(taken, op_payload(t, taken));
    bytes = process_sends(t, op, &sent);
    return bytes != NULL ? record_digest(&sent, bytes) : 0;
}

/* ---- The recorder's callbacks --------------------------------------------------------------- */

static struct record *of(struct trial *t)
{
    return t->recorder->self;
}

static void put(struct record *r, const struct trace_record *record)
{
    int rc;

    if (r->sink != NULL) {
        r->sink(r->sink_self, record);
        return;
    }
    if (r->rc < 0)
        return;
    rc = trace_write_record(&r->writer, record);
    if (rc < 0)
        r->rc = rc;
}

static struct trace_text payload_text(struct record *r, struct trial *t, const struct sn_op *op,
                                      const void *payload)
{
    struct sn_text out;

    text_init(&out, r->payload, sizeof(r->payload));
    if (op->kind == SN_OP_PROCESS)
        process_describe(t, op, &out);
    else if (payload != NULL)
        print_op(&out, t, op, payload);
    if (out.used == 0 && payload == NULL)
        return trace_text_of(NULL);
    return (struct trace_text){r->payload, out.used};
}

static struct trace_text event_text(struct record *r, const struct sn_event *event,
                                    const void *payload)
{
    struct sn_text out;

    if (payload == NULL || event == NULL || event->size == 0)
        return trace_text_of(NULL);
    text_init(&out, r->payload, sizeof(r->payload));
    print_payload(&out, event, payload, event->size);
    return (struct trace_text){r->payload, out.used};
}

/* What was printed since the last record belongs to the step before. */
static void put_output(struct record *r)
{
    struct trace_record record = {.kind = TRACE_OUTPUT};

    if (r->output == NULL)
        return;
    for (;;) {
        size_t n = output_take(r->output, r->printed, sizeof(r->printed));

        if (n == 0)
            return;
        record.output.text = (struct trace_text){r->printed, n};
        put(r, &record);
    }
}

static void on_step(struct trial *t, const struct sn_op *op, const void *payload)
{
    struct record *r = of(t);
    struct trace_record record = {.kind = TRACE_STEP};

    put_output(r);
    r->memory.stepped = op->task;
    record.step.number = t->now.steps;
    record.step.time_ns = t->now.time_ns;
    record.step.id = op->id;
    record.step.op = (enum trace_op)op->kind;
    record.step.task = names_get(&r->names, op->task);
    if (op->kind == SN_OP_START || op->kind == SN_OP_DELIVER)
        record.step.from = names_get(&r->names, op->from);
    record.step.event = op_event_name(op);
    record.step.payload = payload_text(r, t, op, payload);
    record.step.digest = record_digest_step(t, op, payload);
    if (process_taken(t, op) != NULL)
        record.step.sent = process_taken(t, op)->cause;
    record.step.cause = op->cause;
    put(r, &record);
}

static void on_draw(struct trial *t, const struct sn_draw *draw, uint64_t value)
{
    struct trace_record record = {.kind = TRACE_DRAW};

    record.draw.label = draw->label;
    record.draw.value = value;
    record.draw.of = draw->n;
    record.draw.key = draw->key;
    put(of(t), &record);
}

static void on_create(struct trial *t, uint32_t task, const struct sn_machine *type)
{
    struct record *r = of(t);
    struct trace_record record = {.kind = TRACE_CREATE};

    names_add(&r->names, task, type);
    r->memory.tasks[task] = 0;
    record.create.name = names_get(&r->names, task);
    record.create.type = type->name;
    record.create.id = t->tasks[task].id;
    if (!t->machines->all[task].is_started)
        record.create.start = op_next_child_id(t); /* it is about to be announced */
    if (t->machines->all[task].node != 0)
        record.create.node = t->environment->nodes[t->machines->all[task].node].name;
    put(r, &record);
}

static void on_name(struct trial *t, uint32_t task, const char *name)
{
    names_set(&of(t)->names, task, name);
}

static void on_send(struct trial *t, const struct sn_op *op, const void *payload)
{
    struct record *r = of(t);
    struct trace_record record = {.kind = TRACE_SEND};

    record.send.event = op_event_name(op);
    record.send.to = names_get(&r->names, op->task);
    record.send.payload = payload_text(r, t, op, payload);
    record.send.id = op->id;
    put(r, &record);
}

static enum trace_how how_of(const char *how)
{
    static const char *const names[] = {"start", "goto", "push", "pop", "halt"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(names[i], how) == 0)
            return (enum trace_how)(TRACE_HOW_START + i);
    }
    return TRACE_HOW_GOTO;
}

/* Of a monitor's state. */
static const char *heat_of(const struct sn_state *state)
{
    if (state == NULL || state->temperature == SN_PLAIN)
        return NULL;
    return state->temperature == SN_HOT ? "hot" : "cold";
}

static void on_state(struct trial *t, const char *was, const struct sn_state *is, const char *how)
{
    struct record *r = of(t);
    const struct machine *m = t->machines->actor;
    struct trace_record record = {.kind = TRACE_STATE};

    record.state.how = how_of(how);
    record.state.state = is != NULL ? is->name : was != NULL ? was : "running";
    record.state.was = is != NULL ? was : NULL;
    record.state.heat = heat_of(is);
    record.state.task = m->task != 0 ? names_get(&r->names, m->task) : m->type->name;
    put(r, &record);
}

static void on_monitor(struct trial *t, const struct sn_machine *type, const struct sn_event *event,
                       const void *payload)
{
    struct record *r = of(t);
    struct trace_record record = {.kind = TRACE_MONITOR};

    record_memory_told(&r->memory, t, type);
    record.monitor.monitor = type->name;
    record.monitor.event = event->name;
    record.monitor.payload = event_text(r, event, payload);
    put(r, &record);
}

static void on_timer(struct trial *t, const char *how, const struct sn_op *op)
{
    struct trace_record record = {.kind = TRACE_TIMER};

    record.timer.what = TRACE_TIMER_CANCEL;
    if (strcmp(how, "start") == 0)
        record.timer.what =
            t->sources[op->source].is_waiting ? TRACE_TIMER_START : TRACE_TIMER_START_ANY;
    record.timer.event = op_event_name(op);
    record.timer.delay_ns = op->deadline > t->now.time_ns ? op->deadline - t->now.time_ns : 0;
    put(of(t), &record);
}

static void on_event(struct trial *t, const char *what, const struct sn_event *event, uint32_t to,
                     const void *payload)
{
    struct record *r = of(t);
    const char *name = event != NULL ? event->name : "bytes";
    struct trace_record record = {.kind = TRACE_RAISE};

    if (strcmp(what, "ignored") == 0) {
        record.kind = TRACE_IGNORED;
        record.ignored.event = name;
    } else if (strcmp(what, "dropped") == 0) {
        record.kind = TRACE_DROPPED;
        record.dropped.event = name;
        record.dropped.to = names_get(&r->names, to);
    } else {
        record.raise.event = name;
        record.raise.payload = event_text(r, event, payload);
    }
    put(r, &record);
}

static void on_note(struct trial *t, const char *text)
{
    struct trace_record record = {.kind = TRACE_NOTE};

    record.note.text = trace_text_of(text);
    put(of(t), &record);
}

static void on_fault(struct trial *t, const char *what, const char *node, const struct sn_op *op)
{
    struct record *r = of(t);
    struct trace_record record = {.kind = TRACE_FAULT};

    record.fault.what = what;
    record.fault.node = node;
    if (op != NULL) {
        record.fault.event = op_event_name(op);
        record.fault.from = names_get(&r->names, op->from);
        record.fault.to = names_get(&r->names, op->task);
        record.fault.id = op->id;
    }
    put(r, &record);
}

static void on_operation(struct trial *t, enum operation_event what, uint32_t number,
                         const struct sn_operation *op)
{
    struct record *r = of(t);
    struct trace_record record = {.kind = TRACE_OPERATION};
    struct sn_operation shown = *op;
    struct sn_text out;

    text_init(&out, r->payload, sizeof(r->payload));
    if (what != OPERATION_RETURN)
        shown.ret = SN_TIME_NEVER;
    core_print_operation(t->test->model, &shown, NULL, &out);
    record.operation.what = (enum trace_operation)(TRACE_OPERATION_CALL + what - OPERATION_CALL);
    record.operation.number = number;
    record.operation.process = op->process != 0 ? names_get(&r->names, op->process) : "test";
    record.operation.text = (struct trace_text){r->payload, out.used};
    put(r, &record);
}

/* Writes the text in the payload's room, `from` bytes of which are used, and says where it is. */
static struct trace_text text_behind(const struct record *r, const struct sn_text *out, size_t from)
{
    return (struct trace_text){r->payload + from, out->used - from};
}

/* The place of an operation in the longest order, from 1; 0: it has none. */
static uint64_t place_of(const struct core *core, size_t index)
{
    for (size_t i = 0; i < core->n_order; i++) {
        if (core->order[i] == index)
            return i + 1;
    }
    return 0;
}

static void put_member(struct record *r, const struct core *core, size_t index,
                       struct trace_record *record)
{
    struct sn_text out;
    size_t from;

    text_init(&out, r->payload, sizeof(r->payload));
    record->core.place = place_of(core, index);
    if (record->core.place > 0 && core->steps != NULL) {
        core_print_step(core, record->core.place - 1, NULL, &out);
        record->core.state = text_behind(r, &out, 0);
    }
    from = out.used;
    for (size_t i = 0; i < core->n_candidates; i++) {
        if (core->candidates[i].index != index)
            continue;
        core_print_reason(&core->candidates[i], NULL, &out);
        record->core.why = text_behind(r, &out, from);
    }
    put(r, record);
}

static void on_core(struct trial *t, const struct core *core, const uint32_t *numbers)
{
    struct record *r = of(t);
    struct trace_record record = {.kind = TRACE_ILLEGAL};
    struct sn_text out;

    text_init(&out, r->payload, sizeof(r->payload));
    core_print_state(core, NULL, &out);
    record.illegal.model = core->model->name;
    record.illegal.is_minimal = core->is_minimal;
    record.illegal.is_longest = core->is_longest;
    record.illegal.state = text_behind(r, &out, 0);
    record.illegal.stuck = core->has_stuck ? numbers[core->stuck] : 0;
    put(r, &record);
    for (size_t i = 0; i < core->n; i++) {
        size_t index = core->operations[i].index;

        record = (struct trace_record){.kind = TRACE_CORE};
        record.core.number = numbers[index];
        record.core.is_definite = !core->operations[i].is_relaxed;
        put_member(r, core, index, &record);
    }
}

static void on_foreign(struct trial *t, const char *name, uint64_t result)
{
    struct trace_record record = {.kind = TRACE_NOTE};
    char text[160];

    (void)snprintf(text, sizeof(text), "foreign %.100s returned %llu", name,
                   (unsigned long long)result);
    record.note.text = trace_text_of(text);
    put(of(t), &record);
}

static void put_memory(void *self, const struct trace_record *record)
{
    put(self, record);
}

/* What was printed in a step comes before what is remembered after it. */
static void between_steps(struct trial *t)
{
    struct record *r = of(t);

    if (r->sink != NULL)
        return;
    put_output(r);
    record_memory_look(&r->memory, t, &r->names, put_memory, r);
}

static const char *task_name(struct trial *t, uint32_t task)
{
    const char *name = names_get(&of(t)->names, task);

    return name != NULL ? name : "nobody";
}

static void on_over(struct trial *t)
{
    of(t)->sink(of(t)->sink_self, NULL);
}

/* ---- A recorded trial ----------------------------------------------------------------------- */

static void write_verdict(struct trial *t, void *self)
{
    struct record *r = self;
    const struct verdict *v = &t->verdict;
    struct trace_verdict verdict = {.step = t->now.steps, .order = t->now.order, .cut = t->cut};
    int rc;

    put_output(r);
    if (strcmp(v->oracle, "crash") != 0) /* its memory is gone with the process */
        record_memory_look(&r->memory, t, &r->names, put_memory, r);
    for (size_t i = 0; i < r->n_extra; i++)
        put(r, &r->extra[i]);
    verdict.verdict = (enum trace_verdict_kind)(TRACE_PASSED + v->verdict);
    if (t->unfinished) {
        verdict.cut = true;
        verdict.message = trace_text_of("it was left before its end");
    }
    if (v->verdict != SN_PASSED) {
        verdict.oracle = v->oracle;
        verdict.message = trace_text_of(v->message);
        verdict.at = v->at[0] != '\0' ? v->at : NULL;
    }
    rc = trace_write_verdict(&r->writer, &verdict);
    if (rc == 0)
        rc = trace_write_end(&r->writer);
    if (r->rc == 0)
        r->rc = rc;
}

static const struct recorder callbacks = {
    .step = on_step,
    .between = between_steps,
    .draw = on_draw,
    .create = on_create,
    .name = on_name,
    .send = on_send,
    .state = on_state,
    .monitor = on_monitor,
    .timer = on_timer,
    .event = on_event,
    .note = on_note,
    .fault = on_fault,
    .operation = on_operation,
    .core = on_core,
    .foreign = on_foreign,
    .over = on_over,
    .task_name = task_name,
};

static void on_step_of_namer(struct trial *t, const struct sn_op *op, const void *payload)
{
    (void)t;
    (void)op;
    (void)payload;
}

static void on_create_of_namer(struct trial *t, uint32_t task, const struct sn_machine *type)
{
    names_add(&of(t)->names, task, type);
}

static const struct recorder namer = {
    .step = on_step_of_namer,
    .create = on_create_of_namer,
    .name = on_name,
    .task_name = task_name,
};

const struct recorder *record_listen(struct record *r,
                                     void (*sink)(void *self, const struct trace_record *record),
                                     void *self)
{
    r->listener = sink != NULL ? callbacks : namer;
    r->listener.self = r;
    r->sink = sink;
    r->sink_self = self;
    names_clear(&r->names);
    return &r->listener;
}

/* What must be the same the second time. */
struct before {
    enum sn_verdict verdict;
    bool unfinished;
    char oracle[16];
    char at[256];
    uint64_t order;
    uint64_t steps;
};

static struct before remember(const struct trial *t)
{
    struct before b = {.verdict = t->verdict.verdict,
                       .unfinished = t->unfinished,
                       .order = t->now.order,
                       .steps = t->now.steps};

    memcpy(b.oracle, t->verdict.oracle, sizeof(b.oracle));
    memcpy(b.at, t->verdict.at, sizeof(b.at));
    return b;
}

static int compare(const struct before *b, const struct trial *t, struct err *why)
{
    unsigned long long step = t->now.steps;

    if (t->divergence.text[0] != '\0')
        return err_set(why, SN_EINVAL, "the trial does not repeat itself: after step %llu, %s",
                       step, t->divergence.text);
    if (strcmp(t->verdict.oracle, "crash") == 0 && strcmp(b->oracle, "crash") != 0)
        return err_set(why, SN_EIO,
                       "the program died while the trial was run again to be recorded, "
                       "perhaps in a printer of payloads");
    if (trial_was_refused(t))
        return err_set(why, SN_EIO, "it could not be run again to be recorded: %.300s",
                       t->verdict.message);
    if (t->unfinished != b->unfinished || t->now.steps != b->steps)
        return err_set(
            why, SN_EINVAL,
            "the trial does not repeat itself: it ended at step %llu, but not the second "
            "time",
            (unsigned long long)b->steps);
    if (t->verdict.verdict != b->verdict || strcmp(t->verdict.oracle, b->oracle) != 0 ||
        strcmp(t->verdict.at, b->at) != 0)
        return err_set(why, SN_EINVAL,
                       "the trial does not repeat itself: its verdict was another "
                       "the second time");
    if (t->now.order != b->order)
        return err_set(why, SN_EINVAL,
                       "the trial does not repeat itself: the same operations "
                       "touched other things the second time");
    return 0;
}

int record_trial(struct record *r, struct explore *e, const struct trace_header *header, int fd,
                 struct err *why)
{
    struct before before = remember(e->t);
    struct recorder recorder = callbacks;
    struct explore_repeat repeat = {
        .recorder = &recorder, .decisions = e->t->log.n, .after = write_verdict, .self = r};
    int rc;

    recorder.self = r;
    r->rc = 0;
    names_clear(&r->names);
    record_memory_begin(&r->memory);
    text_init_fd(&r->out, r->buffer, sizeof(r->buffer), fd);
    trace_writer_init(&r->writer, &r->out);
    rc = trace_write_header(&r->writer, header);
    if (rc < 0)
        return err_set(why, rc, "the trace cannot be written");
    if (r->output != NULL)
        output_keep(r->output);
    explore_repeat(e, &repeat);
    if (r->output != NULL)
        output_drop(r->output);
    rc = compare(&before, e->t, why);
    if (rc == 0 && r->rc < 0)
        rc = err_set(why, r->rc,
                     r->rc == SN_EIO ? "the trace cannot be written"
                                     : "the trial is too long for a trace");
    return rc;
}

int record_to_file(struct record *r, struct explore *e, const struct trace_header *header,
                   const char *path, struct err *why)
{
    char temporary[4096 + 8];
    int fd;
    int rc;

    if (snprintf(temporary, sizeof(temporary), "%s.part", path) >= (int)sizeof(temporary))
        return err_set(why, SN_EINVAL, "the name of the trace is too long");
    fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0)
        return err_set(why, SN_EIO, "%s: cannot be written (%s)", temporary,
                       strerrordesc_np(errno));
    rc = record_trial(r, e, header, fd, why);
    if (close(fd) < 0 && rc == 0)
        rc = err_set(why, SN_EIO, "%s: cannot be written (%s)", temporary, strerrordesc_np(errno));
    if (rc == 0 && rename(temporary, path) < 0)
        rc = err_set(why, SN_EIO, "%s: cannot be written (%s)", path, strerrordesc_np(errno));
    if (rc < 0)
        (void)unlink(temporary);
    return rc;
}
