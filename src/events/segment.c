/* segment.c - see segment.h: recording and noting calls. SPDX-License-Identifier: MIT */
#include "events/segment.h"

#include "base/json.h"
#include "engine/here.h"
#include "engine/op.h"
#include "substrate/machine.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { EXIT_RECORDED = 0, EXIT_FAILED = 1 };

/* ---- Who is asked --------------------------------------------------------------------------- */

/* The trial of a mark. The process that records may not act, but comes to marks, too. */
static struct trial *marking_trial(const char *function)
{
    struct trial *t = machine_trial(function);

    return t->bail != NULL ? t : machine_acting_trial(function);
}

static struct segment *segment_of(struct trial *t, const char *function)
{
    if (t->now.is_set_up)
        trial_fail(t, "usage", NULL, "%s may only be called in the test's run function", function);
    return t->events->segment;
}

void segment_begin(struct segment *s)
{
    s->mode = SEGMENT_OUTSIDE;
    s->n_replicas = 0;
}

/* ---- Values --------------------------------------------------------------------------------- */

static uint64_t load_integer(const struct sn_arg *arg, const void *args)
{
    const char *at = (const char *)args + arg->offset;
    bool is_signed = arg->type == SN_ARG_INT;
    uint8_t one;
    uint16_t two;
    uint32_t four;
    uint64_t eight;

    switch (arg->size) {
    case 1:
        memcpy(&one, at, 1);
        return is_signed ? (uint64_t)(int64_t)(int8_t)one : one;
    case 2:
        memcpy(&two, at, 2);
        return is_signed ? (uint64_t)(int64_t)(int16_t)two : two;
    case 4:
        memcpy(&four, at, 4);
        return is_signed ? (uint64_t)(int64_t)(int32_t)four : four;
    default:
        memcpy(&eight, at, 8);
        return eight;
    }
}

static void *load_pointer(const struct sn_arg *arg, const void *args)
{
    void *pointer;

    memcpy(&pointer, (const char *)args + arg->offset, sizeof(pointer));
    return pointer;
}

static void store_pointer(const struct sn_arg *arg, void *args, const void *pointer)
{
    memcpy((char *)args + arg->offset, &pointer, sizeof(pointer));
}

/* Puts back what the recorded call returned. Numbers are kept in the bytes of the machine. */
static void store_integer(const struct sn_arg *arg, void *args, uint64_t value)
{
    memcpy((char *)args + arg->offset, &value, arg->size);
}

void segment_print_value(struct sn_text *out, const struct sn_arg *arg, const void *args)
{
    const char *string;

    switch (arg->type) {
    case SN_ARG_INT:
        text_print(out, "%lld", (long long)load_integer(arg, args));
        break;
    case SN_ARG_UINT:
        text_print(out, "%llu", (unsigned long long)load_integer(arg, args));
        break;
    case SN_ARG_BOOL:
        text_puts(out, load_integer(arg, args) != 0 ? "true" : "false");
        break;
    case SN_ARG_STRING:
        string = load_pointer(arg, args);
        if (string != NULL)
            json_put_string(out, string, strlen(string));
        else
            text_puts(out, "null");
        break;
    default:
        text_puts(out, "null");
    }
}

static const char *keep_string(struct trial *t, struct segment *s, const char *string)
{
    size_t n = strlen(string) + 1;

    if (n > sizeof(s->strings) - s->n_strings)
        trial_fail(t, "limit", NULL, "the strings in a segment have more than %d bytes",
                   SEGMENT_STRINGS_MAX);
    memcpy(s->strings + s->n_strings, string, n);
    s->n_strings += (uint32_t)n;
    return s->strings + s->n_strings - n;
}

/* ---- Replicas ------------------------------------------------------------------------------- */

void sn_replica(const void *object, const char *name,
                void (*print)(struct sn_text *out, const void *object))
{
    struct trial *t = marking_trial("sn_replica");
    struct segment *s = segment_of(t, "sn_replica");

    if (s->mode != SEGMENT_OUTSIDE)
        trial_fail(t, "usage", NULL, "sn_replica is called behind sn_events_begin");
    if (object == NULL || name == NULL || name[0] == '\0')
        trial_fail(t, "usage", NULL, "a replica needs an object and a name");
    if (s->n_replicas == RECORDING_REPLICAS_MAX)
        trial_fail(t, "limit", NULL, "there are more than %d replicas", RECORDING_REPLICAS_MAX);
    s->replicas[s->n_replicas].object = object;
    s->replicas[s->n_replicas].print = print;
    (void)snprintf(s->names[s->n_replicas], RECORDING_NAME_MAX, "%s", name);
    s->n_replicas++;
}

static uint32_t find_replica(struct trial *t, const struct segment *s,
                             const struct sn_event_op *call, const void *args)
{
    const struct sn_arg arg = {.type = SN_ARG_POINTER, .offset = call->replica};
    const void *object = load_pointer(&arg, args);

    for (uint32_t i = 0; i < s->n_replicas; i++) {
        if (s->replicas[i].object == object)
            return i;
    }
    trial_fail(t, "usage", NULL, "%s is called with an object that is no replica: sn_replica",
               call->op);
    return 0;
}

/* ---- Recording ------------------------------------------------------------------------------ */

/* The event that has made a message; UINT8_MAX: none has. */
static uint8_t find_message(const struct segment *s, const void *message)
{
    const char *token = message;

    if (s->mode == SEGMENT_NOTING && token >= s->tokens && token < s->tokens + s->n_calls)
        return (uint8_t)(token - s->tokens);
    for (uint32_t i = s->n_calls; s->mode == SEGMENT_RECORDING && i-- > 0;) {
        if (s->calls[i].message == message && message != NULL)
            return (uint8_t)i;
    }
    return UINT8_MAX;
}

/* Keeps the arguments of a call. */
static void keep_args(struct trial *t, struct segment *s, struct segment_call *kept,
                      const struct sn_event_op *call, const void *args)
{
    kept->call = call;
    memset(kept->of, UINT8_MAX, sizeof(kept->of));
    if (call->size > SEGMENT_ARGS_MAX)
        trial_fail(t, "limit", NULL, "%s has more than %d bytes of arguments", call->op,
                   SEGMENT_ARGS_MAX);
    memcpy(kept->args, args, call->size);
    for (uint32_t i = 0; call->args != NULL && call->args[i].type != 0; i++) {
        const struct sn_arg *arg = &call->args[i];
        const char *string = arg->type == SN_ARG_STRING ? load_pointer(arg, args) : NULL;

        if (i == sizeof(kept->of))
            trial_fail(t, "limit", NULL, "%s has more than %zu arguments", call->op,
                       sizeof(kept->of));
        if (string != NULL)
            store_pointer(arg, kept->args, keep_string(t, s, string));
        if (arg->type == SN_ARG_MESSAGE)
            kept->of[i] = find_message(s, load_pointer(arg, args));
    }
}

static void print_call(const struct segment_call *kept, char *out, size_t size)
{
    struct sn_text text;
    uint32_t shown = 0;

    text_init(&text, out, size);
    for (const struct sn_arg *arg = kept->call->args; arg != NULL && arg->type != 0; arg++) {
        if (arg->type == SN_ARG_POINTER || arg->type == SN_ARG_MESSAGE)
            continue;
        text_puts(&text, shown++ > 0 ? ", " : "");
        segment_print_value(&text, arg, kept->args);
    }
}

/* The message that a call applies: that of its first argument which is one. */
static void find_cause(struct trial *t, const struct segment *s, const struct segment_call *kept,
                       struct recorded *e)
{
    for (size_t i = 0; i < sizeof(kept->of); i++) {
        if (kept->of[i] == UINT8_MAX)
            continue;
        e->of = kept->of[i];
        e->peer = t->events->recording.events[e->of].replica;
        return;
    }
    (void)s;
    trial_fail(t, "usage", NULL, "%s applies a message that no event of the segment has made",
               kept->call->op);
}

static void describe(struct trial *t, struct segment *s, const struct segment_call *kept)
{
    struct recording *r = &t->events->recording;
    struct recorded *e = &r->events[s->n_calls];
    struct sn_text text;

    *e = (struct recorded){.kind = kept->call->kind,
                           .replica = (uint8_t)find_replica(t, s, kept->call, kept->args),
                           .is_free = s->is_next_free};
    e->peer = (uint8_t)((e->replica + 1) % s->n_replicas);
    (void)snprintf(e->op, sizeof(e->op), "%s", kept->call->op);
    if (recorded_is_applied(e))
        find_cause(t, s, kept, e);
    if (e->kind == SN_EVENT_EXECUTE)
        r->events[e->of].peer = e->replica;
    print_call(kept, e->args, sizeof(e->args));
    text_init(&text, e->result, sizeof(e->result));
    segment_print_value(&text, &kept->call->result, kept->args);
}

/* In the forked process: performs a call, and tells. */
static void record_call(struct trial *t, struct segment *s, const struct sn_event_op *call,
                        void *args)
{
    struct segment_call *kept = &s->calls[s->n_calls];
    const struct sn_arg *result = &call->result;

    keep_args(t, s, kept, call, args);
    /* What the call calls in turn is part of it, as it is when it is performed. */
    s->mode = SEGMENT_OUTSIDE;
    call->run(args);
    s->mode = SEGMENT_RECORDING;
    memcpy(kept->args + result->offset, (char *)args + result->offset, result->size);
    kept->message = result->type == SN_ARG_MESSAGE ? load_pointer(result, args) : NULL;
    kept->string = NULL;
    kept->result = 0;
    if (result->type == SN_ARG_STRING && load_pointer(result, args) != NULL)
        kept->string = keep_string(t, s, load_pointer(result, args));
    else if (result->type >= SN_ARG_INT && result->type <= SN_ARG_BOOL)
        kept->result = load_integer(result, args);
    describe(t, s, kept);
    s->n_calls++;
    t->events->recording.n = s->n_calls;
}

static void print_states(struct segment *s, bool is_recorded)
{
    for (uint32_t i = 0; i < s->n_replicas; i++) {
        struct segment_replica *replica = &s->replicas[i];
        struct sn_text text;

        text_init(&text, is_recorded ? replica->state : replica->now, SEGMENT_STATE_MAX);
        if (replica->print != NULL)
            replica->print(&text, replica->object);
    }
}

static void bail_out(struct trial *t)
{
    (void)t;
    _exit(EXIT_FAILED);
}

/* What the engine does with a process that dies must not happen to this one. */
static void become_recorder(struct trial *t)
{
    static const int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};

    for (size_t i = 0; i < sizeof(fatal) / sizeof(fatal[0]); i++)
        (void)signal(fatal[i], SIG_DFL);
    t->bail = bail_out;
    t->may_act = ACTS_NOT;
    t->recorder = NULL;
    t->events->segment->mode = SEGMENT_RECORDING;
}

static void judge_recording(struct trial *t, int status)
{
    struct segment *s = t->events->segment;

    if (WIFSIGNALED(status))
        trial_fail(t, "segment", NULL,
                   "in the order in which they are written the calls of the segment end the "
                   "program: signal %d",
                   WTERMSIG(status));
    if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_FAILED &&
        t->verdict.verdict == SN_FAILED) {
        char message[sizeof(t->verdict.message)];
        char oracle[sizeof(t->verdict.oracle)];
        char at[sizeof(t->verdict.at)];

        memcpy(message, t->verdict.message, sizeof(message));
        memcpy(oracle, t->verdict.oracle, sizeof(oracle));
        memcpy(at, t->verdict.at, sizeof(at));
        trial_fail(t, oracle, at, "in the order in which they are written: %.400s", message);
    }
    if (!s->is_complete)
        trial_fail(t, "segment", NULL, "the program ended before sn_events_end");
}

/* Has a forked process run the segment, and waits for what it tells. True: this is that process. */
static bool record(struct trial *t)
{
    struct segment *s = t->events->segment;
    struct trial_now now = t->now; /* it shares the trial with us */
    const struct recorder *recorder = t->recorder;
    uint8_t may_act = t->may_act;
    uint64_t log = t->log.n;
    pid_t pid;
    int status = 0;

    s->n_calls = s->n_strings = 0;
    s->is_complete = false;
    t->events->recording.n = 0;
    pid = fork();
    if (pid < 0)
        trial_fail(t, "segment", NULL, "no process can be started that records (%s)",
                   strerrordesc_np(errno));
    if (pid == 0) {
        become_recorder(t);
        return true;
    }
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    t->now = now;
    t->log.n = log;
    t->bail = NULL;
    t->recorder = recorder;
    t->may_act = may_act;
    s->mode = SEGMENT_OUTSIDE;
    judge_recording(t, status);
    return false;
}

/* ---- Marks ---------------------------------------------------------------------------------- */

static void read_rules(struct trial *t, const struct sn_events *how)
{
    struct events *e = t->events;
    struct err why = {""};
    int rc;

    e->rules = (struct rules){.is_free = how->is_free,
                              .is_fifo = how->is_fifo,
                              .counts_deliveries = (how->expect & SN_EXPECT_CONVERGENCE) != 0};
    rc = rules_set_prunings(&e->rules, how->prune != NULL ? how->prune : "all", &why);
    if (rc == 0 && how->watch != NULL)
        rc = rules_set_watched(&e->rules, &e->recording, how->watch, &why);
    if (rc == 0 && how->constraints != NULL)
        rc = rules_read(&e->rules, &e->recording, "constraints", how->constraints,
                        strlen(how->constraints), &why);
    if (rc == 0)
        rc = events_know(e, &why);
    if (rc < 0)
        trial_fail(t, "usage", NULL, "sn_events_begin: %s", why.text);
}

void sn_events_begin(const struct sn_events *how)
{
    struct trial *t = marking_trial("sn_events_begin");
    struct segment *s = segment_of(t, "sn_events_begin");
    struct events *e = t->events;
    const struct sn_events plain = {0};

    if (s->mode != SEGMENT_OUTSIDE || events_are_used(t))
        trial_fail(t, "usage", NULL, "a test has one segment of recorded events");
    if (s->n_replicas == 0)
        trial_fail(t, "usage", NULL, "sn_events_begin needs replicas: sn_replica");
    e->host = &segment_host;
    s->is_next_free = false;
    s->expect = how != NULL ? how->expect : 0;
    if (!e->is_known) {
        e->recording.n_replicas = s->n_replicas;
        memcpy(e->recording.replicas, s->names, sizeof(s->names));
        if (record(t))
            return;
        read_rules(t, how != NULL ? how : &plain);
    }
    s->mode = SEGMENT_NOTING;
    s->n_calls = s->n_strings = 0;
}

void sn_events_end(void (*check)(void))
{
    struct trial *t = marking_trial("sn_events_end");
    struct segment *s = segment_of(t, "sn_events_end");

    if (s->mode == SEGMENT_RECORDING) {
        print_states(s, true);
        s->is_complete = true;
        _exit(EXIT_RECORDED);
    }
    if (s->mode != SEGMENT_NOTING)
        trial_fail(t, "usage", NULL, "sn_events_end is called without sn_events_begin");
    if (s->n_calls != t->events->recording.n)
        trial_fail(t, "segment", NULL,
                   "the segment has %u calls now, and had %u when it was "
                   "recorded",
                   s->n_calls, t->events->recording.n);
    s->mode = SEGMENT_OUTSIDE;
    s->check = check;
    events_announce(t);
}

void sn_event_free(void)
{
    struct trial *t = marking_trial("sn_event_free");

    segment_of(t, "sn_event_free")->is_next_free = true;
}

/* Keeps a call instead of performing it, and returns what it returned when it was recorded. */
static void note_call(struct trial *t, struct segment *s, const struct sn_event_op *call,
                      void *args)
{
    struct segment_call *kept = &s->calls[s->n_calls];
    const struct sn_arg *result = &call->result;

    if (s->n_calls >= t->events->recording.n || kept->call != call)
        trial_fail(t, "segment", NULL,
                   "call %u of the segment, of %s, is another one than when it was recorded",
                   s->n_calls, call->op);
    keep_args(t, s, kept, call, args);
    if (result->type == SN_ARG_MESSAGE)
        store_pointer(result, args, &s->tokens[s->n_calls]);
    else if (result->type == SN_ARG_STRING)
        store_pointer(result, args, kept->string);
    else if (result->type >= SN_ARG_INT && result->type <= SN_ARG_BOOL)
        store_integer(result, args, kept->result);
    s->n_calls++;
}

void sn_event_call(const struct sn_event_op *call, void *args)
{
    struct trial *t = trial_here();
    struct segment *s = t != NULL && t->running ? t->events->segment : NULL;

    if (s == NULL || s->mode == SEGMENT_OUTSIDE) {
        call->run(args);
        return;
    }
    if (s->n_calls == RECORDING_EVENTS_MAX)
        trial_fail(t, "limit", NULL, "a segment has more than %d events", RECORDING_EVENTS_MAX);
    if (s->mode == SEGMENT_RECORDING)
        record_call(t, s, call, args);
    else
        note_call(t, s, call, args);
    s->is_next_free = false;
}

/* ---- Performing ----------------------------------------------------------------------------- */

/* Puts messages of this trial in the place of those that stood for them. False: one does not
 * exist, because what makes it has not happened. */
static bool fill_messages(const struct trial *t, const struct segment_call *kept, void *args)
{
    for (size_t i = 0; i < sizeof(kept->of); i++) {
        if (kept->of[i] == UINT8_MAX)
            continue;
        if (t->events->now.messages[kept->of[i]] == NULL)
            return false;
        store_pointer(&kept->call->args[i], args, t->events->now.messages[kept->of[i]]);
    }
    return true;
}

static void note_result(struct trial *t, uint32_t event, const void *args)
{
    struct segment *s = t->events->segment;
    const struct sn_arg *result = &s->calls[event].call->result;
    struct sn_text text;

    text_init(&text, s->results[event], sizeof(s->results[event]));
    segment_print_value(&text, result, args);
    s->has_result[event] = true;
    if (t->recorder != NULL && result->type != 0 && result->type != SN_ARG_MESSAGE) {
        char line[RECORDING_TEXT_MAX + 16];

        (void)snprintf(line, sizeof(line), "returns %s", s->results[event]);
        trial_record(t, note, line);
    }
}

static void perform(struct trial *t, uint32_t event)
{
    struct segment *s = t->events->segment;
    const struct segment_call *kept = &s->calls[event];
    _Alignas(16) unsigned char args[SEGMENT_ARGS_MAX];

    memcpy(args, kept->args, kept->call->size);
    s->has_result[event] = false;
    if (!fill_messages(t, kept, args))
        return;
    kept->call->run(args);
    if (kept->call->result.type == SN_ARG_MESSAGE)
        t->events->now.messages[event] = load_pointer(&kept->call->result, args);
    if (unlikely(s->expect != 0 || t->recorder != NULL))
        note_result(t, event, args);
}

/* Applies each message once more, at the end. */
static void check_idempotence(struct trial *t)
{
    struct segment *s = t->events->segment;
    const struct recording *r = &t->events->recording;
    const struct events_now *now = &t->events->now;
    _Alignas(16) unsigned char args[SEGMENT_ARGS_MAX];

    for (uint32_t i = 0; i < now->n; i++) {
        const struct recorded *e = &r->events[now->order[i]];
        struct segment_replica *replica = &s->replicas[e->replica];
        const struct segment_call *kept = &s->calls[now->order[i]];
        char before[SEGMENT_STATE_MAX];

        memcpy(args, kept->args, kept->call->size);
        if (!recorded_is_applied(e) || replica->print == NULL || !fill_messages(t, kept, args))
            continue;
        print_states(s, false);
        memcpy(before, replica->now, sizeof(before));
        kept->call->run(args);
        print_states(s, false);
        if (strcmp(before, replica->now) != 0)
            trial_fail(t, "idempotence", NULL,
                       "%s at %s (event %u), done once more, changes %.150s into %.150s", e->op,
                       r->replicas[e->replica], now->order[i], before, replica->now);
    }
}

static void fill_outcome(const struct segment *s, const struct recording *r,
                         struct outcome *outcome, struct outcome *recorded)
{
    for (uint32_t i = 0; i < s->n_replicas; i++) {
        bool has = s->replicas[i].print != NULL;

        outcome->states[i] = has ? s->replicas[i].now : NULL;
        recorded->states[i] = has ? s->replicas[i].state : NULL;
    }
    for (uint32_t i = 0; i < r->n; i++) {
        outcome->results[i] = s->has_result[i] ? s->results[i] : NULL;
        recorded->results[i] = r->events[i].result;
    }
}

static void finish(struct trial *t)
{
    struct segment *s = t->events->segment;
    const struct events *e = t->events;
    struct outcome outcome = {{NULL}, {NULL}};
    struct outcome recorded = {{NULL}, {NULL}};
    struct check_job job = {.recording = &e->recording,
                            .expect = s->expect,
                            .watched = e->rules.watched,
                            .watched_queries = e->rules.watched_queries,
                            .order = e->now.order,
                            .n = e->now.n,
                            .outcome = &outcome,
                            .recorded = &recorded};
    char sentence[512];
    const char *oracle;

    if (s->check != NULL)
        s->check();
    if (s->expect == 0)
        return;
    print_states(s, false);
    fill_outcome(s, &e->recording, &outcome, &recorded);
    oracle = checks_judge(&job, sentence, sizeof(sentence));
    if (oracle != NULL)
        trial_fail(t, oracle, NULL, "%s", sentence);
    if ((s->expect & SN_EXPECT_IDEMPOTENCE) != 0)
        check_idempotence(t);
}

const struct events_host segment_host = {.perform = perform, .finish = finish};
