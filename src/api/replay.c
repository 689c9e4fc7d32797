/* replay.c - the trial of a trace once more, compared with it step by step.
 *
 * The trace gives the log; the recorder's callbacks compare what happens with what is written. The
 * first difference ends the trial and is named. With tolerance the decisions of the trace are found
 * again one by one (drift.h) instead, and differences are counted. SPDX-License-Identifier: MIT
 */
#include "api/crash.h"
#include "api/drift.h"
#include "api/engine.h"
#include "api/identity.h"
#include "api/names.h"
#include "api/output.h"
#include "api/phases.h"
#include "api/record.h"
#include "api/repeats.h"
#include "api/run.h"
#include "api/signature.h"
#include "engine/explore.h"
#include "engine/here.h"
#include "engine/mem.h"
#include "engine/op.h"
#include "events/events.h"
#include "oracle/leak.h"
#include "substrate/machine.h"
#include "substrate/print.h"
#include "substrate/process.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct replay {
    const struct trace *trace;
    struct names names;
    struct engine *engine;
    struct explore *explore;
    struct output output;
    struct crash crash;
    struct drift *drift; /* NULL: strict */
    uint32_t next;       /* record that is expected next, among steps and draws */
    char payload[RECORD_PAYLOAD];
    struct replay_report report;
    struct sn_result result;
    struct err why;
};

/* ---- Comparing ------------------------------------------------------------------------------ */

static struct replay *of(struct trial *t)
{
    return t->recorder->self;
}

/* The next step or draw of the trace, NULL at its end. */
static const struct trace_record *expect(struct replay *r)
{
    while (r->next < r->trace->n_records) {
        const struct trace_record *record = &r->trace->records[r->next];

        if (record->kind == TRACE_STEP || record->kind == TRACE_DRAW)
            return record;
        r->next++;
    }
    return NULL;
}

static void compare_payload(struct trial *t, struct replay *r, const struct trace_record *record,
                            const struct sn_op *op, const void *payload)
{
    struct sn_text out;

    if (record->step.digest == record_digest_step(t, op, payload))
        return;
    text_init(&out, r->payload, sizeof(r->payload));
    if (op->kind == SN_OP_PROCESS)
        process_describe(t, op, &out);
    else if (payload != NULL)
        print_op(&out, t, op, payload);
    trial_diverge(t, "the payload was \"%.160s\", but is \"%.160s\"",
                  record->step.payload.bytes != NULL ? record->step.payload.bytes : "", r->payload);
}

static void on_step(struct trial *t, const struct sn_op *op, const void *payload)
{
    struct replay *r = of(t);
    const struct trace_record *record = expect(r);
    const char *task = names_get(&r->names, op->task);
    const char *event = op_event_name(op);

    if (r->drift != NULL)
        return;
    if (record == NULL || record->kind != TRACE_STEP) {
        trial_diverge(t, "a step is performed where the trace has none");
        return;
    }
    if (strcmp(record->step.event, event) != 0 || strcmp(record->step.task, task) != 0)
        trial_diverge(t, "it is now %s of %s", event, task);
    compare_payload(t, r, record, op, payload);
    r->next++;
    sn_debug_break(t->now.steps, NULL, machine_first_action(t, op));
}

static void on_draw(struct trial *t, const struct sn_draw *draw, uint64_t value)
{
    struct replay *r = of(t);
    const struct trace_record *record = expect(r);

    (void)value;
    if (r->drift != NULL)
        return;
    if (record == NULL || record->kind != TRACE_DRAW || record->draw.key != draw->key) {
        trial_diverge(t, "the value \"%s\" is drawn where the trace has another decision",
                      draw->label);
        return;
    }
    if (record->draw.of != draw->n)
        trial_diverge(t, "\"%s\" was one of %" PRIu64 " values, but is one of %" PRIu64,
                      draw->label, record->draw.of, draw->n);
    r->next++;
}

static void on_create(struct trial *t, uint32_t task, const struct sn_machine *type)
{
    struct replay *r = of(t);

    names_add(&r->names, task, type);
    if (r->drift != NULL)
        drift_create(r->drift, t, task);
}

static void on_name(struct trial *t, uint32_t task, const char *name)
{
    names_set(&of(t)->names, task, name);
}

static const char *task_name(struct trial *t, uint32_t task)
{
    const char *name = names_get(&of(t)->names, task);

    return name != NULL ? name : "nobody";
}

static const struct recorder callbacks = {
    .step = on_step,
    .draw = on_draw,
    .create = on_create,
    .name = on_name,
    .task_name = task_name,
};

/* ---- The log -------------------------------------------------------------------------------- */

static int load_log(struct replay *r)
{
    struct log *log = &r->engine->t->log;

    log->n = 0;
    for (size_t i = 0; i < r->trace->n_records; i++) {
        const struct trace_record *record = &r->trace->records[i];

        if (log->n == LOG_ENTRIES_MAX)
            return err_set(&r->why, SN_EFORMAT, "the trace has too many decisions");
        if (record->kind == TRACE_STEP)
            log_push(log, LOG_OP, record->step.id, 0);
        else if (record->kind == TRACE_DRAW)
            log_push(log, LOG_DRAW, record->draw.value, 0);
    }
    return 0;
}

/* ---- What came out -------------------------------------------------------------------------- */

static void add_pending(struct sn_text *out, struct replay *r)
{
    const struct trial *t = r->engine->t;
    uint32_t shown = t->now.n_enabled < 5 ? t->now.n_enabled : 5;

    text_puts(out, shown > 0 ? "; pending are: " : "; nothing is pending");
    for (uint32_t i = 0; i < shown; i++) {
        const struct sn_op *op = &t->ops[t->sources[(uint32_t)t->enabled[i]].ready];

        text_print(out, "%s%s of %s", i > 0 ? ", " : "", op_event_name(op),
                   names_get(&r->names, op->task));
    }
    if (t->now.n_enabled > shown)
        text_print(out, " and %" PRIu32 " more", t->now.n_enabled - shown);
}

static void describe_divergence(struct replay *r, const struct identity *identity)
{
    const struct trial *t = r->engine->t;
    const struct trace_record *record = expect(r);
    const struct trace_header *header = &r->trace->header;
    struct sn_text out;

    r->report.has_diverged = true;
    text_init(&out, r->report.divergence, sizeof(r->report.divergence));
    if (record != NULL && record->kind == TRACE_STEP)
        text_print(&out, "step %" PRIu64 ", %s of %s: ", record->step.number, record->step.event,
                   record->step.task);
    else
        text_print(&out, "in step %" PRIu64 ": ", t->now.steps);
    text_puts(&out, t->divergence.text);
    if (strstr(t->divergence.text, "not pending") != NULL)
        add_pending(&out, r);
    if (strcmp(header->build, identity->build) != 0)
        text_puts(&out, ". The program has changed since the trace was written");
    else
        text_puts(&out, ". The program is the same: something in it is not under control");
}

/* Whether a failure is the one in the trace: in the same step at the same place, or, in a program
 * that has moved on, what is recognisably the same. */
static bool is_same_failure(const struct replay *r)
{
    const struct trial *t = r->engine->t;
    const struct trace_verdict *was = &r->trace->verdict;
    struct trace_verdict is = {.oracle = t->verdict.oracle,
                               .at = t->verdict.at,
                               .message = trace_text_of(t->verdict.message),
                               .cut = t->cut};

    if (r->drift != NULL)
        return signature_is_alike(was, &is);
    if (was->step != t->now.steps)
        return false;
    /* What a sanitizer has made of a crash need not be what a signal makes of it. */
    return signature_is_traced(was, &t->verdict, t->cut) ||
           (strcmp(was->oracle, is.oracle) == 0 &&
            strcmp(was->at != NULL ? was->at : "", is.at) == 0);
}

static void describe_verdict(struct replay *r)
{
    const struct trial *t = r->engine->t;
    const struct trace_verdict *was = &r->trace->verdict;
    struct sn_result *result = &r->result;
    bool is_same = was->verdict == (enum trace_verdict_kind)(TRACE_PASSED + t->verdict.verdict);

    result->verdict = t->verdict.verdict;
    result->failures = t->verdict.verdict != SN_PASSED;
    if (t->verdict.at[0] != '\0')
        (void)snprintf(result->failure, sizeof(result->failure), "%s: %.180s: %.300s",
                       t->verdict.oracle, t->verdict.at, t->verdict.message);
    else if (result->failures > 0)
        (void)snprintf(result->failure, sizeof(result->failure), "%s: %.480s", t->verdict.oracle,
                       t->verdict.message);
    if (is_same && was->verdict != TRACE_PASSED)
        is_same = is_same_failure(r);
    if (!is_same)
        (void)snprintf(r->report.expected, sizeof(r->report.expected),
                       "step %" PRIu64 ", %s: %.400s", was->step,
                       was->oracle != NULL ? was->oracle : "passed",
                       was->message.bytes != NULL ? was->message.bytes : "");
}

static void after(struct trial *t, void *self)
{
    struct replay *r = self;
    struct identity identity;

    (void)fflush(NULL); /* what was printed, before the memory of stdio is put back */
    r->result.trials = 1;
    r->result.steps = t->now.steps;
    r->result.failing_steps = t->now.steps;
    r->result.cut = t->cut;
    if (r->drift != NULL)
        r->report.has_drifted = drift_describe(r->drift, r->report.drift, sizeof(r->report.drift));
    if (t->divergence.text[0] == '\0') {
        describe_verdict(r);
        return;
    }
    identity_get(&identity);
    describe_divergence(r, &identity);
    r->result.nondeterministic = true;
    (void)snprintf(r->result.failure, sizeof(r->result.failure), "%.500s", r->report.divergence);
}

/* ---- The replay ----------------------------------------------------------------------------- */

static int replay_open(struct replay *r, const struct run_request *request)
{
    struct explore_options options = {.test = request->test,
                                      .is_lab = true,
                                      .max_steps = r->trace->header.max_steps,
                                      .fair_from = r->trace->header.fair_from,
                                      .timers = request->options.timers,
                                      .fork = request->fork};
    int rc;

    if (r->trace->header.world == TRACE_WORLD_FORK)
        options.fork = true;
    r->engine = engine_get(&r->why);
    if (r->engine == NULL)
        return SN_ENOMEM;
    if (r->engine->is_running)
        return err_set(&r->why, SN_EINVAL, "a run is going on already");
    rc = names_init(&r->names, &r->why);
    if (rc < 0)
        return rc;
    names_clear(&r->names);
    rc = output_open(&r->output, &r->why);
    if (rc < 0)
        return rc;
    if (request->show_output)
        output_show(&r->output);
    r->engine->is_running = true;
    r->crash.suite = r->trace->header.suite;
    r->crash.test = r->trace->header.test;
    r->crash.fd = r->output.saved[1];
    crash_watch(&r->crash);
    machines_forget(r->engine->t);
    events_forget(r->engine->t);
    if (request->leaks ||
        (r->trace->verdict.oracle != NULL && strcmp(r->trace->verdict.oracle, "leak") == 0))
        rc = leak_open(r->engine->t, REACH_CALLER, &r->why);
    if (rc < 0)
        return rc;
    request_set_limits(request, r->engine->t);
    rc = explore_open(&r->explore, r->engine->t, &options, &r->why);
    if (rc < 0)
        return rc;
    if (request->tolerant)
        return drift_new(&r->drift, r->trace, &r->names, &r->why);
    return load_log(r);
}

static void replay_run(struct replay *r)
{
    struct recorder recorder = callbacks;
    struct explore_repeat repeat = {
        .recorder = &recorder, .decisions = r->engine->t->log.n, .after = after, .self = r};

    if (r->drift != NULL)
        repeat.guide = drift_guide(r->drift);
    recorder.self = r;
    explore_repeat(r->explore, &repeat);
}

/* Whether it went as the trace says, or there is no other way. */
static bool is_shown(const struct replay *r)
{
    return r->report.has_diverged || r->drift != NULL ||
           (r->result.failures > 0 && r->report.expected[0] == '\0');
}

/* What is not under control is run until it fails as it did. */
static void replay_runs(struct replay *r, const struct run_request *request)
{
    uint32_t runs = request_shrink_repeats(request);
    uint32_t run = 1;

    replay_run(r);
    for (; run < runs && !is_shown(r); run++) {
        r->next = 0;
        r->report = (struct replay_report){.has_diverged = false};
        r->result = (struct sn_result){0};
        names_clear(&r->names);
        (void)load_log(r); /* it was read before */
        replay_run(r);
    }
    r->report.run = run;
    r->report.runs = runs;
}

int run_replay(const struct run_request *request, const struct trace *trace,
               struct replay_report *report, struct sn_result *result)
{
    struct replay *r = mem_reserve_shared(sizeof(*r), NULL);
    int rc;

    *result = (struct sn_result){0};
    if (r == NULL)
        return SN_ENOMEM;
    r->trace = trace;
    rc = replay_open(r, request);
    if (rc == 0)
        replay_runs(r, request);
    explore_close(r->explore);
    drift_free(r->drift);
    if (r->engine != NULL)
        leak_close(r->engine->t);
    if (r->output.is_open) {
        crash_unwatch(&r->crash);
        r->engine->is_running = false;
    }
    output_close(&r->output);
    names_done(&r->names);
    *result = r->result;
    *report = r->report;
    if (rc < 0)
        memcpy(result->failure, r->why.text, sizeof(result->failure));
    mem_release(r, sizeof(*r));
    return rc;
}

int sn_replay(const struct sn_test *test, const char *trace_path, struct sn_result *result)
{
    struct run_request request = {.test = test};
    struct replay_report report;
    struct trace trace;
    struct err why = {""};
    int rc = trace_read(&trace, trace_path, &why);

    if (rc < 0) {
        *result = (struct sn_result){0};
        memcpy(result->failure, why.text, sizeof(result->failure));
        return rc;
    }
    rc = run_replay(&request, &trace, &report, result);
    trace_done(&trace);
    return rc;
}
