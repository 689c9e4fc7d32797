/* remote.c - see remote.h. SPDX-License-Identifier: MIT */
#include "remote/remote.h"

#include "api/engine.h"
#include "engine/op.h"
#include "remote/emit.h"

#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
    BATCH_NS = 50000000, /* that a question should take at most */
};

static struct remote *remote_of(const struct trial *t)
{
    return t->events->self;
}

/* Not libc's, which shows virtual time in a trial. */
static uint64_t clock_ns(void)
{
    struct timespec now = {0};

    (void)syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

/* ---- The client of this process ------------------------------------------------------------- */

/* What an outcome consists of belongs to the client that has told it: as long as one is judged,
 * that client stays, without its program; and the first one always does. */
static void drop_client(struct remote *r)
{
    if (r->client != NULL && (r->client == r->judged || r->client == r->first))
        client_stop(r->client);
    else
        client_close(r->client);
    r->client = NULL;
    r->n_runs = r->next_run = 0;
}

/* The outcome that `client` has told is judged from now on; NULL: none is. */
static void judge_of(struct remote *r, struct client *client)
{
    if (r->judged != client && r->judged != r->client && r->judged != r->first)
        client_close(r->judged);
    r->judged = client;
}

static enum client_trouble open_client(struct remote *r, struct err *why)
{
    enum client_trouble trouble;

    drop_client(r);
    if (r->options.command == NULL) {
        (void)err_set(why, SN_EIO, "the client has ended, and nobody can start it again");
        return CLIENT_REFUSED;
    }
    trouble = client_open(&r->client, &r->options, &r->recording, why);
    r->owner = getpid();
    r->is_used = false;
    return trouble;
}

/* A forked process must not end what belongs to another one. */
static int open_remote(struct trial *t, struct err *why)
{
    struct remote *r = remote_of(t);

    r->store = NULL;
    if (r->store_path != NULL && !t->is_lab) {
        if (store_open(&r->store, r->store_path, &r->campaign, why) < 0)
            return SN_EIO;
        rule_files_tell(&r->files, &r->recording);
    }
    if (r->options.command == NULL) {
        r->client = r->first; /* there is but one, for whoever is next */
        r->n_runs = r->next_run = 0;
        r->owner = getpid();
        return 0;
    }
    if (r->client != NULL && r->owner != getpid()) {
        client_abandon(r->client);
        r->judged = NULL;
    }
    if (r->client != NULL && r->owner == getpid())
        return 0;
    r->client = NULL;
    return open_client(r, why) == CLIENT_OK ? 0 : SN_EFORMAT;
}

static void close_remote(struct trial *t)
{
    struct remote *r = remote_of(t);

    if (r->owner != getpid())
        return;
    store_close(r->store);
    r->store = NULL;
    judge_of(r, NULL);
    if (r->options.command != NULL)
        drop_client(r);
}

/* A client that can run another interleaving. */
static enum client_trouble ready_client(struct remote *r, struct err *why)
{
    if (r->client == NULL || (r->is_used && !client_can_restore(r->client)))
        return open_client(r, why);
    return CLIENT_OK;
}

/* What is wrong with an interleaving; without an oracle: nothing. */
struct finding {
    const char *oracle;
    const char *at;
    char sentence[512];
};

static void settle(struct trial *t, const struct client_outcome *outcome,
                   const struct finding *finding);

/* ---- Trouble -------------------------------------------------------------------------------- */

/* What the client says makes no sense, or it cannot do what it is asked: nobody can go on. */
static void give_up(struct trial *t, const struct err *why)
{
    trial_lose_control(t, TRIAL_REFUSED, "%s", why->text);
}

/* It has ended or is silent: that is a finding. */
static void blame(struct trial *t, enum client_trouble trouble, uint32_t event,
                  const struct err *why)
{
    const struct recording *r = &t->events->recording;
    static const struct client_outcome nothing;
    struct finding finding = {.oracle = trouble == CLIENT_SILENT ? "silent" : "crash"};
    char place[512];
    struct sn_text text;

    text_init(&text, place, sizeof(place));
    if (event < r->n) {
        text_print(&text, " in event %u, ", event);
        recording_print_event(r, event, &text);
    } else {
        text_puts(&text, event == UINT32_MAX ? " before the first event"
                                             : " when the test checks its assertions");
    }
    (void)snprintf(finding.sentence, sizeof(finding.sentence), "%.250s%.250s", why->text, place);
    settle(t, &nothing, &finding);
}

/* Runs the interleaving of the trial event by event, to see where it goes wrong. */
static void locate(struct trial *t)
{
    struct remote *r = remote_of(t);
    const struct events_now *now = &t->events->now;
    struct err why = {""};
    static const struct client_outcome nothing;
    const char *failed;
    const char *at;
    enum client_trouble trouble = open_client(r, &why);

    r->careful = REMOTE_BATCH_MAX;
    if (trouble == CLIENT_OK)
        trouble = client_begin(r->client, &why);
    if (trouble == CLIENT_ENDED || trouble == CLIENT_SILENT) {
        drop_client(r);
        blame(t, trouble, UINT32_MAX, &why);
    }
    for (uint32_t i = 0; i < now->n && trouble == CLIENT_OK; i++) {
        const char *result;

        trouble = client_event(r->client, now->order[i], &result, NULL, &why);
        if (trouble == CLIENT_ENDED || trouble == CLIENT_SILENT) {
            drop_client(r);
            blame(t, trouble, now->order[i], &why);
        }
    }
    if (trouble == CLIENT_OK)
        trouble = client_end(r->client, &failed, &at, &why);
    if (trouble == CLIENT_ENDED || trouble == CLIENT_SILENT) {
        drop_client(r);
        blame(t, trouble, UINT32_MAX - 1, &why);
    }
    r->is_used = true;
    if (trouble != CLIENT_OK)
        give_up(t, &why);
    settle(t, &nothing,
           &(struct finding){.oracle = "crash",
                             .sentence = "the client ended or was silent when this was run at "
                                         "once, but not event by event"});
}

/* ---- Judging -------------------------------------------------------------------------------- */

/* What is wrong with an outcome as far as that can be told without running more. */
static void look(const struct remote *r, const struct events *e, const uint8_t *order, uint32_t n,
                 const struct client_outcome *outcome, struct finding *finding)
{
    const struct check_job job = {.recording = &e->recording,
                                  .expect = r->expect,
                                  .watched = e->rules.watched,
                                  .watched_queries = e->rules.watched_queries,
                                  .order = order,
                                  .n = n,
                                  .outcome = &outcome->seen,
                                  .recorded = r->recorded};

    if (outcome->failed == NULL) {
        finding->oracle = checks_judge(&job, finding->sentence, sizeof(finding->sentence));
        return;
    }
    finding->oracle = "assert";
    finding->at = outcome->at;
    (void)snprintf(finding->sentence, sizeof(finding->sentence), "%.400s", outcome->failed);
}

/* ---- Keeping -------------------------------------------------------------------------------- */

/* Whether it takes more questions to judge an interleaving. What was found out by then is not lost
 * if this process ends in between: the interleaving is kept only when it has been judged. */
static bool asks_more(const struct remote *r)
{
    return (r->expect & (SN_EXPECT_IDEMPOTENCE | CHECK_NO_LOST_UPDATE)) != 0;
}

static void keep(struct trial *t, const uint8_t *order, const struct client_outcome *outcome,
                 const struct finding *finding)
{
    struct remote *r = remote_of(t);
    bool is_wrong = finding->oracle != NULL;
    const struct store_outcome how = {.results = outcome->seen.results,
                                      .states = outcome->seen.states,
                                      .oracle = finding->oracle,
                                      .message = is_wrong ? finding->sentence : NULL,
                                      .at = finding->at};
    struct err why = {""};

    if (store_add(r->store, order, t->events->recording.n, &how, &why) < 0)
        give_up(t, &why);
}

/* What is kept together is there wholly or not at all. */
static void begin_keeping(struct trial *t)
{
    struct err why = {""};

    if (store_begin(remote_of(t)->store, &why) < 0)
        give_up(t, &why);
}

static void end_keeping(struct trial *t, bool is_last)
{
    struct remote *r = remote_of(t);
    struct err why = {""};
    int rc = is_last ? store_finish(r->store, &why) : 0;

    if (rc == 0)
        rc = store_commit(r->store, &why);
    if (rc < 0)
        give_up(t, &why);
}

static void keep_runs(struct trial *t)
{
    struct remote *r = remote_of(t);

    if (r->store == NULL || asks_more(r))
        return;
    begin_keeping(t);
    for (uint32_t i = 0; i < r->n_runs; i++) {
        struct finding finding = {.oracle = NULL};

        look(r, t->events, r->runs[i].order, t->events->recording.n, r->runs[i].outcome, &finding);
        keep(t, r->runs[i].order, r->runs[i].outcome, &finding);
    }
    end_keeping(t, r->is_end);
}

/* While a failing trial is recorded, or replayed: whoever comes last has made it smallest. */
static void emit(struct trial *t, const char *sentence)
{
    const struct remote *r = remote_of(t);
    const struct emit_job job = {.path = r->emit,
                                 .command = r->options.command,
                                 .recording = &t->events->recording,
                                 .order = t->events->now.order,
                                 .n = t->events->now.n,
                                 .what = sentence};
    struct err why = {""};

    if (r->emit != NULL && t->recorder != NULL && emit_write(&job, &why) < 0)
        give_up(t, &why);
}

/* The trial has come to its end: what is known of it is kept, unless it is, and the trial fails if
 * something is wrong. */
static void settle(struct trial *t, const struct client_outcome *outcome,
                   const struct finding *finding)
{
    struct remote *r = remote_of(t);
    const struct events_now *now = &t->events->now;

    if (r->store != NULL && r->is_walking && t->recorder == NULL && !r->is_kept &&
        now->n == t->events->recording.n) {
        begin_keeping(t);
        keep(t, now->order, outcome, finding);
        end_keeping(t, r->is_end && r->next_run == r->n_runs);
    }
    if (finding->oracle == NULL)
        return;
    emit(t, finding->sentence);
    trial_fail(t, finding->oracle, finding->at, "%s", finding->sentence);
}

static bool resume(struct trial *t, uint8_t *order)
{
    struct remote *r = remote_of(t);

    return r->store != NULL && store_last(r->store, order, t->events->recording.n);
}

/* ---- Asking --------------------------------------------------------------------------------- */

/* Runs one order now. NULL: the client did not survive it. */
static const struct client_outcome *run_one(struct trial *t, const uint8_t *order, uint32_t n,
                                            bool checks)
{
    struct remote *r = remote_of(t);
    const struct client_order one = {order, n};
    const struct client_outcome *outcome = NULL;
    struct err why = {""};
    enum client_trouble trouble = ready_client(r, &why);

    if (trouble == CLIENT_OK)
        trouble = client_run(r->client, &one, 1, checks, &outcome, &why);
    r->is_used = true;
    if (trouble == CLIENT_NONSENSE || trouble == CLIENT_REFUSED)
        give_up(t, &why);
    if (trouble != CLIENT_OK)
        drop_client(r); /* it might answer this question when it is asked the next */
    return trouble == CLIENT_OK ? outcome : NULL;
}

/* Asks for the interleavings that come next, as many as take a reasonable time. */
static void run_ahead(struct trial *t, const struct interleave *it)
{
    struct remote *r = remote_of(t);
    struct interleave ahead = *it;
    struct client_order orders[REMOTE_BATCH_MAX];
    const struct client_outcome *outcomes[REMOTE_BATCH_MAX];
    struct err why = {""};
    uint64_t began = clock_ns();
    uint32_t n = 0;
    bool has_next;
    enum client_trouble trouble;

    judge_of(r, NULL);
    do {
        memcpy(r->runs[n].order, ahead.order, ahead.n);
        orders[n] = (struct client_order){r->runs[n].order, ahead.n};
        n++;
        has_next = interleave_next(&ahead);
    } while (n < r->batch && has_next);
    trouble = client_run(r->client, orders, n, true, outcomes, &why);
    if (trouble == CLIENT_NONSENSE || trouble == CLIENT_REFUSED)
        give_up(t, &why);
    r->n_runs = r->next_run = 0;
    if (trouble != CLIENT_OK) {
        r->careful = n;
        r->batch = 1;
        drop_client(r);
        return;
    }
    for (uint32_t i = 0; i < n; i++)
        r->runs[i].outcome = outcomes[i];
    r->n_runs = n;
    r->is_end = !has_next;
    keep_runs(t);
    if (clock_ns() - began < BATCH_NS / 2 && n == r->batch && r->batch < r->batch_max)
        r->batch *= 2;
    else if (clock_ns() - began > BATCH_NS && r->batch > 1)
        r->batch /= 2;
}

static bool is_known(const struct remote *r, const uint8_t *order, uint32_t n)
{
    return r->next_run < r->n_runs && memcmp(r->runs[r->next_run].order, order, n) == 0;
}

/* Files of constraints that have come since. */
static bool has_other_rules(struct trial *t)
{
    struct remote *r = remote_of(t);
    struct events *e = t->events;
    struct err why = {""};

    if (r->files.directory == NULL || t->is_lab ||
        !rule_files_read_again(&r->files, &e->recording, &e->rules))
        return false;
    if (events_change_units(e, &why) < 0)
        give_up(t, &why); /* each file was tried */
    return true;
}

/* The trial is asked for alone: whether it is the last one. */
static void look_ahead(struct remote *r, const struct interleave *it)
{
    struct interleave ahead = *it;

    r->is_end = r->store != NULL && !interleave_next(&ahead);
}

static bool ahead(struct trial *t, const struct interleave *it)
{
    struct remote *r = remote_of(t);
    struct err why = {""};

    r->is_walking = true;
    if (t->recorder != NULL || is_known(r, it->order, it->n))
        return false;
    if (has_other_rules(t))
        return true;
    if (r->careful == 0 && ready_client(r, &why) != CLIENT_OK)
        give_up(t, &why);
    if (r->careful == 0 && client_can_restore(r->client)) {
        run_ahead(t, it);
    } else {
        r->careful -= r->careful > 0;
        look_ahead(r, it);
    }
    return false;
}

/* ---- Inferring ------------------------------------------------------------------------------ */

/* Whether the order of two units may show in a message, of which nothing is known. */
static bool may_tell(const struct events *e, uint32_t unit, uint32_t other)
{
    const struct units *u = &e->units;

    if ((u->replicas[unit] & u->replicas[other]) == 0)
        return false;
    for (uint32_t i = 0; i < u->n_of[unit]; i++) {
        uint8_t event = u->events[u->first[unit] + i];

        if (e->recording.events[event].kind == SN_EVENT_REQUEST)
            return true;
        for (uint32_t j = 0; j < e->recording.n; j++) {
            if (e->recording.events[j].kind == SN_EVENT_DELIVER &&
                e->recording.events[j].of == event)
                return true;
        }
    }
    return false;
}

static uint32_t put_unit(const struct units *u, uint32_t unit, uint8_t *order)
{
    memcpy(order, u->events + u->first[unit], u->n_of[unit]);
    return u->n_of[unit];
}

/* Whether these replicas have states by which it can be told that they are the same. */
static bool shows_all(const struct events *e, const struct client_outcome *outcome,
                      uint32_t replicas)
{
    for (uint32_t i = 0; i < e->recording.n_replicas; i++) {
        if ((replicas & 1U << i) != 0 && outcome->seen.states[i] == NULL)
            return false;
    }
    return true;
}

/* Runs both orders behind a prefix and compares states and results. */
static bool commute(void *self, const uint8_t *prefix, uint32_t n, uint32_t unit, uint32_t other)
{
    struct trial *t = self;
    struct remote *r = remote_of(t);
    const struct units *u = &t->events->units;
    uint8_t orders[2][RECORDING_EVENTS_MAX];
    const struct client_order both[2] = {
        {orders[0], n + u->n_of[unit] + u->n_of[other]},
        {orders[1], n + u->n_of[unit] + u->n_of[other]},
    };
    const struct client_outcome *outcomes[2];
    struct err why = {""};
    enum client_trouble trouble;

    if (may_tell(t->events, unit, other) || may_tell(t->events, other, unit) ||
        ready_client(r, &why) != CLIENT_OK || !client_can_restore(r->client))
        return false;
    memcpy(orders[0], prefix, n);
    memcpy(orders[1], prefix, n);
    (void)put_unit(u, other, orders[0] + n + put_unit(u, unit, orders[0] + n));
    (void)put_unit(u, unit, orders[1] + n + put_unit(u, other, orders[1] + n));
    trouble = client_run(r->client, both, 2, false, outcomes, &why);
    if (trouble == CLIENT_NONSENSE || trouble == CLIENT_REFUSED)
        give_up(t, &why);
    if (trouble != CLIENT_OK)
        drop_client(r);
    return trouble == CLIENT_OK && outcomes[0] == outcomes[1] &&
           shows_all(t->events, outcomes[0], u->replicas[unit] | u->replicas[other]);
}

static interleave_ask *infer(struct trial *t)
{
    return remote_of(t)->infers ? commute : NULL;
}

/* ---- Performing ----------------------------------------------------------------------------- */

/* While a trial is recorded each event is performed at once, so that the trace can tell what it
 * did. */
static void perform_now(struct trial *t, uint32_t event)
{
    struct remote *r = remote_of(t);
    const char *states[RECORDING_REPLICAS_MAX] = {NULL};
    const char *result = NULL;
    struct err why = {""};
    enum client_trouble trouble = CLIENT_OK;
    char line[1024];

    if (t->events->now.n == 0) {
        trouble = ready_client(r, &why);
        if (trouble == CLIENT_OK)
            trouble = client_begin(r->client, &why);
        r->is_used = true;
    } else if (r->client == NULL) {
        return; /* it did not survive an event before this one */
    }
    if (trouble == CLIENT_OK)
        trouble = client_event(r->client, event, &result, states, &why);
    if (trouble == CLIENT_ENDED || trouble == CLIENT_SILENT)
        drop_client(r);
    if (trouble == CLIENT_ENDED || trouble == CLIENT_SILENT)
        return; /* in a search it is found at the end, and this is to be the same trial */
    if (trouble != CLIENT_OK)
        give_up(t, &why);
    (void)snprintf(line, sizeof(line), "returns %.300s", result);
    trial_record(t, note, line);
    for (uint32_t i = 0; i < t->events->recording.n_replicas; i++) {
        if (states[i] == NULL || i != t->events->recording.events[event].replica)
            continue;
        (void)snprintf(line, sizeof(line), "%s is %.900s", t->events->recording.replicas[i],
                       states[i]);
        trial_record(t, note, line);
    }
}

static void perform(struct trial *t, uint32_t event)
{
    if (t->recorder != NULL)
        perform_now(t, event);
}

static bool same_states(const struct recording *r, const struct outcome *a, const struct outcome *b,
                        uint32_t *differs)
{
    for (uint32_t i = 0; i < r->n_replicas; i++) {
        const char *one = a->states[i] != NULL ? a->states[i] : "";
        const char *other = b->states[i] != NULL ? b->states[i] : "";

        *differs = i;
        if (strcmp(one, other) != 0)
            return false;
    }
    return true;
}

/* A state, for people to read. */
static const char *shown(const char *state)
{
    return state != NULL ? state : "nothing";
}

/* Applies each message twice in a row. */
static void check_idempotence(struct trial *t, const struct client_outcome *outcome,
                              struct finding *finding)
{
    const struct recording *r = &t->events->recording;
    const struct events_now *now = &t->events->now;
    const struct client_outcome *twice;
    uint8_t order[2 * RECORDING_EVENTS_MAX];
    uint32_t n = 0;
    uint32_t replica;

    for (uint32_t i = 0; i < now->n; i++) {
        order[n++] = now->order[i];
        if (recorded_is_applied(&r->events[now->order[i]]))
            order[n++] = now->order[i];
    }
    if (n == now->n)
        return;
    twice = run_one(t, order, n, false);
    if (twice != NULL && same_states(r, &outcome->seen, &twice->seen, &replica))
        return;
    finding->oracle = "idempotence";
    if (twice == NULL)
        (void)snprintf(finding->sentence, sizeof(finding->sentence),
                       "if each message is applied twice in a row, the client ends or is silent");
    else
        (void)snprintf(finding->sentence, sizeof(finding->sentence),
                       "if each message is applied twice in a row, %s becomes %.180s and not "
                       "%.180s",
                       r->replicas[replica], shown(twice->seen.states[replica]),
                       shown(outcome->seen.states[replica]));
}

/* Leaves each update out in turn. */
static void check_updates(struct trial *t, const struct client_outcome *outcome,
                          struct finding *finding)
{
    const struct recording *r = &t->events->recording;
    const struct events_now *now = &t->events->now;
    uint32_t replica;

    for (uint32_t u = 0; u < now->n && finding->oracle == NULL; u++) {
        const struct client_outcome *without;
        uint8_t order[RECORDING_EVENTS_MAX];
        uint32_t n = 0;
        char what[512];
        struct sn_text text;

        if (r->events[now->order[u]].kind != SN_EVENT_UPDATE)
            continue;
        for (uint32_t i = 0; i < now->n; i++) {
            if (i != u)
                order[n++] = now->order[i];
        }
        without = run_one(t, order, n, false);
        if (without == NULL || !same_states(r, &outcome->seen, &without->seen, &replica))
            continue;
        text_init(&text, what, sizeof(what));
        recording_print_event(r, now->order[u], &text);
        finding->oracle = "lost-update";
        (void)snprintf(finding->sentence, sizeof(finding->sentence),
                       "all states are as if event %u, %.200s, had never happened", now->order[u],
                       what);
    }
}

static void finish(struct trial *t)
{
    struct remote *r = remote_of(t);
    const struct events_now *now = &t->events->now;
    const struct client_outcome *outcome;
    struct finding finding = {.oracle = NULL};

    judge_of(r, NULL);
    r->is_kept = false;
    if (t->recorder == NULL && is_known(r, now->order, now->n)) {
        outcome = r->runs[r->next_run++].outcome;
        r->is_kept = !asks_more(r);
    } else {
        outcome = run_one(t, now->order, now->n, true);
    }
    if (outcome == NULL)
        locate(t);
    judge_of(r, r->client);
    look(r, t->events, now->order, now->n, outcome, &finding);
    if (finding.oracle == NULL && (r->expect & SN_EXPECT_IDEMPOTENCE) != 0)
        check_idempotence(t, outcome, &finding);
    if (finding.oracle == NULL && (r->expect & CHECK_NO_LOST_UPDATE) != 0)
        check_updates(t, outcome, &finding);
    settle(t, outcome, &finding);
}

const struct events_host remote_host = {
    .open = open_remote,
    .close = close_remote,
    .perform = perform,
    .finish = finish,
    .resume = resume,
    .infer = infer,
    .ahead = ahead,
};

int remote_attach(struct remote *r, const struct rules *rules, struct err *why)
{
    struct engine *engine = engine_get(why);
    struct events *e;

    if (engine == NULL)
        return SN_ENOMEM;
    e = engine->t->events;
    e->recording = r->recording;
    e->rules = *rules;
    e->host = &remote_host;
    e->self = r;
    r->batch = 1;
    return events_know(e, why);
}
