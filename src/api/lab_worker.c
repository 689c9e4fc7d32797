/* lab_worker.c - the processes of a lab: what one of them does. SPDX-License-Identifier: MIT */
#include "api/lab_own.h"
#include "engine/board.h"
#include "events/events.h"
#include "oracle/leak.h"
#include "substrate/liveness.h"
#include "substrate/machine.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- Results -------------------------------------------------------------------------------- */

/* Room on the shelf; NULL: there is none left. */
static void *shelve(struct lab *lab, size_t n, size_t size)
{
    size_t bytes = (n * size + 63) / 64 * 64;
    uint64_t at = atomic_fetch_add(&lab->shelf_used, bytes);

    return at + bytes <= LAB_SHELF_BYTES ? lab->shelf + at : NULL;
}

static void put_pending(struct lab *lab, const struct trial *t, struct lab_result *r)
{
    uint32_t n = t->now.n_ops < LAB_PENDING_MAX ? t->now.n_ops : LAB_PENDING_MAX;
    struct follow_op *pending = shelve(lab, n, sizeof(*pending));

    if (pending == NULL)
        return;
    r->pending = pending;
    r->n_pending = follow_pending(t, pending, n);
}

static void put_passed(struct lab *lab, const struct hand *hand, struct lab_result *r)
{
    uint32_t n;
    const struct follow_passed *from = follow_passed(hand->follow, &n);
    struct follow_passed *passed = shelve(lab, n, sizeof(*passed));

    if (passed == NULL)
        return;
    memcpy(passed, from, n * sizeof(*passed));
    r->passed = passed;
    r->n_passed = n;
}

static struct lab_entry draw_entry(uint64_t key, uint64_t value, const struct follow_drawn *drawn)
{
    return (struct lab_entry){.is_draw = true,
                              .id = key,
                              .value = value,
                              .place = drawn->place,
                              .label = drawn->label,
                              .task = drawn->task,
                              .who = drawn->who,
                              .depth = drawn->depth,
                              .low = drawn->low};
}

/* Puts up the decisions of the trial as the strategy of plans has noted them. */
static void put_log(struct lab *lab, const struct hand *hand, struct lab_result *r)
{
    const struct trial *t = hand->engine->t;
    const uint64_t *keys = follow_keys(hand->follow);
    const struct follow_drawn *drawn = follow_drawn(hand->follow);
    struct lab_entry *entries = shelve(lab, t->log.n, sizeof(*entries));
    struct follow_op *ops = shelve(lab, t->now.steps, sizeof(*ops));

    if (entries == NULL || ops == NULL)
        return;
    for (uint64_t i = 0; i < t->log.n; i++) {
        const struct log_entry *entry = &t->log.entries[i];
        bool is_draw = entry->kind == LOG_DRAW;

        entries[i] = is_draw ? draw_entry(keys[i], entry->value, &drawn[i])
                             : (struct lab_entry){.id = entry->value};
    }
    memcpy(ops, follow_steps(hand->follow), t->now.steps * sizeof(*ops));
    r->entries = entries;
    r->ops = ops;
    put_pending(lab, t, r);
    put_passed(lab, hand, r);
}

/* A trial at whose end nothing but faults is held could have ended there, and was judged. */
static bool is_stuck(const struct trial *t)
{
    uint32_t blamed;

    return t->stuck && (require_holds(t) || require_blame(t, &blamed, 1) > 0);
}

static enum lab_how how_of(const struct hand *hand)
{
    const struct trial *t = hand->engine->t;

    if (t->divergence.text[0] != '\0' || t->verdict.verdict == SN_UNCONTROLLED)
        return LAB_UNCONTROLLED;
    if (t->verdict.verdict == SN_FAILED)
        return LAB_FAILED;
    if (is_stuck(t) || (t->unfinished && follow_is_stuck(hand->follow)))
        return LAB_STUCK;
    return LAB_PASSED;
}

/* No job after this one is wanted. */
static void limit(struct lab *lab, uint32_t job)
{
    uint32_t now = atomic_load(&lab->limit);

    while (job + 1 < now && !atomic_compare_exchange_weak(&lab->limit, &now, job + 1))
        continue;
}

static bool is_same(const struct lab *lab, const struct lab_result *r)
{
    return lab->wanted_by_caller != NULL && lab_is_wanted(&lab->wanted, r);
}

static bool wants_log(const struct lab *lab, const struct hand *hand)
{
    const struct lab_job *job = &lab->jobs[hand->job];

    return job->wants_log || (job->wants_log_if_same && is_same(lab, &lab->results[hand->job]));
}

void lab_settle(struct lab *lab, struct hand *hand)
{
    struct trial *t = hand->engine->t;
    const struct lab_job *job = &lab->jobs[hand->job];
    struct lab_result *r = &lab->results[hand->job];

    *r = (struct lab_result){.how = how_of(hand),
                             .steps = t->now.steps,
                             .decisions = t->log.n,
                             .order = t->now.order,
                             .steps_max = t->steps_max,
                             .fair_from = t->fair_from,
                             .hot_since = liveness_hot_since(t),
                             .mark = t->mark,
                             .cut = t->cut,
                             .verdict = t->verdict};
    r->signature = signature_of(t);
    if (t->stuck)
        r->n_blamed = require_blame(t, r->blamed, LAB_BLAMED_MAX);
    if (job->strategy == NULL && wants_log(lab, hand))
        put_log(lab, hand, r);
}

void lab_refuse(struct lab *lab, const struct hand *hand, const char *why)
{
    struct lab_result *r = &lab->results[hand->job];

    *r = (struct lab_result){.how = LAB_UNCONTROLLED, .verdict = {.verdict = SN_UNCONTROLLED}};
    (void)snprintf(r->verdict.message, sizeof(r->verdict.message), "%.400s", why);
}

void lab_finish(struct lab *lab, struct hand *hand)
{
    if (is_same(lab, &lab->results[hand->job]))
        limit(lab, hand->job);
    atomic_store(&lab->done[hand->job], true);
    atomic_store(&hand->stage, HAND_IDLE);
}

/* ---- Decisions of others -------------------------------------------------------------------- */

/* A trial that a strategy has decided is run again to be written down. It need not be the same one.
 */
struct collector {
    struct lab_entry *entries;
    struct follow_op *ops;
    uint64_t n;
    uint64_t n_max;
    uint64_t steps;
    uint64_t steps_max;
    struct follow_draws draws;
};

static void on_step(struct trial *t, const struct sn_op *op, const void *payload)
{
    struct collector *c = t->recorder->self;

    (void)payload;
    if (c->n < c->n_max)
        c->entries[c->n++] = (struct lab_entry){.id = op->id};
    if (c->steps < c->steps_max)
        c->ops[c->steps++] = follow_describe(t, op);
}

static void on_draw(struct trial *t, const struct sn_draw *draw, uint64_t value)
{
    struct collector *c = t->recorder->self;
    struct follow_drawn drawn = follow_describe_draw(&c->draws, t, draw->label);

    if (c->n < c->n_max)
        c->entries[c->n++] = draw_entry(draw->key, value, &drawn);
}

/* Whether the trial, which was run once more, has ended its process in the same way, or has not
 * ended it again. */
static bool died_alike(struct trial *t, const struct lab_result *r)
{
    struct signature now;

    if (!signature_is_death(t->verdict.oracle) && !signature_is_death(r->verdict.oracle))
        return true;
    now = signature_of(t);
    return signature_is_same(&now, &r->signature);
}

/* Runs the trial of a hand once more. False: it was another one. */
static bool repeat_trial(struct lab *lab, struct hand *hand, struct explore *e,
                         const struct explore_repeat *repeat)
{
    struct trial *t = hand->engine->t;
    const struct lab_result *r = &lab->results[hand->job];

    explore_repeat(e, repeat);
    if (t->divergence.text[0] == '\0' && t->log.n == r->decisions && died_alike(t, r))
        return true;
    lab_refuse(lab, hand, "it did not repeat itself when it was run once more");
    return false;
}

static void collect(struct lab *lab, struct hand *hand, struct explore *e)
{
    struct trial *t = hand->engine->t;
    struct lab_result *r = &lab->results[hand->job];
    struct collector c = {.entries = shelve(lab, t->log.n, sizeof(*c.entries)),
                          .n_max = t->log.n,
                          .ops = shelve(lab, t->now.steps, sizeof(*c.ops)),
                          .steps_max = t->now.steps};
    struct recorder recorder = {.step = on_step, .draw = on_draw, .self = &c};
    struct explore_repeat repeat = {.recorder = &recorder, .decisions = t->log.n};

    if (c.entries == NULL || c.ops == NULL)
        return;
    put_pending(lab, t, r);
    if (!repeat_trial(lab, hand, e, &repeat))
        return;
    r->entries = c.entries;
    r->ops = c.ops;
}

/* Runs the trial again to see what happened in it. */
static void find_events(struct lab *lab, struct hand *hand, struct explore *e)
{
    struct explore_repeat repeat = {.recorder = happened_recorder(hand->happened),
                                    .decisions = lab->results[hand->job].decisions,
                                    .before = happened_before,
                                    .after = happened_after,
                                    .after_death = happened_after_death,
                                    .self = hand->happened};

    sn_check(lab->n_jobs == 1);
    if (repeat_trial(lab, hand, e, &repeat))
        lab->results[hand->job].happened = hand->happened;
}

/* ---- Jobs ----------------------------------------------------------------------------------- */

/* A strategy as if it had just been opened. */
static int open_one(const struct lab *lab, struct hand *hand, const char *name, uint64_t seed,
                    struct explore_phase *phase, struct err *why)
{
    for (uint32_t i = 0; i < hand->n_strategies; i++) {
        struct lab_strategy *s = &hand->strategies[i];
        int rc = 0;

        if (strcmp(s->name, name) != 0)
            continue;
        if (s->seed != seed || s->phase.entry->strategy->learns)
            rc = strategies_renew(name, seed, &s->phase, why);
        s->seed = seed;
        *phase = s->phase;
        return rc;
    }
    return strategies_open_one(&lab->engine->strategies, name, seed, phase, why);
}

/* The phases of a job's trial. */
static int open_phases(const struct lab *lab, struct hand *hand, const struct lab_job *job,
                       struct explore_phase *phases, uint32_t *n, struct err *why)
{
    int rc = 0;

    *n = 0;
    if (job->plan != NULL || job->strategy == NULL) {
        phases[(*n)++] = hand->plan;
        phases[0].until = job->strategy != NULL ? job->plan_steps : UINT64_MAX;
    }
    if (job->strategy != NULL) {
        rc = open_one(lab, hand, job->strategy, job->seed, &phases[*n], why);
        phases[(*n)++].until = UINT64_MAX;
    }
    if (rc == 0 && job->fair_from > 0) {
        phases[*n - 1].until = job->fair_from;
        phases[*n - 1].until_ns = lab->options.request->test->max_time_ns / 2;
        if (*n > 1 && phases[0].until > job->fair_from)
            phases[0].until = job->fair_from;
        rc = open_one(lab, hand, "fair", job->seed, &phases[*n], why);
        phases[(*n)++].until = UINT64_MAX;
    }
    return rc;
}

static bool is_kept(const struct hand *hand, const struct explore_phase *phase)
{
    bool is_kept = phase->self == hand->plan.self;

    for (uint32_t i = 0; i < hand->n_strategies; i++)
        is_kept |= phase->self == hand->strategies[i].phase.self;
    return is_kept;
}

static void close_phases(const struct hand *hand, struct explore_phase *phases, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (!is_kept(hand, &phases[i]))
            strategies_close(&phases[i], 1);
    }
}

static void seek(struct explore *e, uint64_t trial)
{
    e->trial = trial;
    for (uint32_t i = 0; i < e->n_phases; i++) {
        const struct sn_strategy *strategy = e->phases[i].entry->strategy;

        if (strategy->seek != NULL)
            strategy->seek(e->phases[i].self, trial);
    }
}

/* Runs the trial and writes it down. */
static void run_trial(struct lab *lab, struct hand *hand, struct explore *e, bool thoroughly)
{
    const struct lab_job *job = &lab->jobs[hand->job];
    struct trial *t = hand->engine->t;
    struct err why = {""};

    death_forget(t);
    t->steps_max = lab->steps_max;
    if (job->max_steps != 0 && job->max_steps < t->steps_max)
        t->steps_max = job->max_steps;
    if (job->plan != NULL)
        follow_set(hand->follow, job->plan);
    else
        follow_set(hand->follow, &(struct plan){0});
    seek(e, job->trial);
    atomic_store(&hand->stage, HAND_TRIAL);
    atomic_fetch_add(&lab->trials, 1);
    if (!explore_next(e)) {
        lab_refuse(lab, hand, "the strategy has nothing to try");
        return;
    }
    if (t->verdict.verdict != SN_UNCONTROLLED && explore_check(e, thoroughly, &why) != 0) {
        t->verdict = (struct verdict){.verdict = SN_UNCONTROLLED};
        (void)snprintf(t->verdict.message, sizeof(t->verdict.message), "%.400s", why.text);
        hand->is_spoilt = true;
    }
    lab_settle(lab, hand);
    atomic_store(&hand->stage, HAND_AFTER);
    if (job->strategy != NULL && !hand->is_spoilt && wants_log(lab, hand))
        collect(lab, hand, e);
    if (job->wants_events && !hand->is_spoilt)
        find_events(lab, hand, e);
}

/* Makes the job's constraints those of the next trial. */
static int constrain(struct hand *hand, const struct lab_job *job, struct explore *e,
                     struct err *why)
{
    if (job->constraints == hand->constraints && job->version == hand->version)
        return 0;
    hand->constraints = job->constraints;
    hand->version = job->version;
    return explore_require(e, job->constraints, true, why);
}

/* Whether to look thoroughly after this trial. Not by its number: all may be the same one, with
 * another plan. Memory of strategies that were opened for it would look like the trial's. */
static bool is_due(struct hand *hand, const struct explore_phase *phases, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (!is_kept(hand, &phases[i]))
            return false;
    }
    return explore_is_due(hand->run++);
}

static void run_job(struct lab *lab, struct hand *hand, struct explore *e)
{
    const struct lab_job *job = &lab->jobs[hand->job];
    struct explore_phase phases[EXPLORE_PHASES_MAX];
    uint32_t n = 0;
    struct err why = {""};
    int rc = open_phases(lab, hand, job, phases, &n, &why);

    if (rc == 0)
        rc = constrain(hand, job, e, &why);
    if (rc == 0) {
        explore_set_phases(e, phases, n);
        run_trial(lab, hand, e, is_due(hand, phases, n));
    } else {
        lab_refuse(lab, hand, why.text);
    }
    close_phases(hand, phases, n);
}

/* Runs jobs of the batch until there are none. False: this process must end. */
static bool run_batch(struct lab *lab, struct hand *hand, struct explore *e)
{
    for (;;) {
        uint32_t job = atomic_fetch_add(&lab->next, 1);

        if (job >= lab->n_jobs)
            return true;
        if (job >= atomic_load(&lab->limit))
            continue;
        atomic_store(&hand->job, job);
        atomic_store(&hand->stage, HAND_BEGINS);
        run_job(lab, hand, e);
        lab_finish(lab, hand);
        if (hand->is_spoilt)
            return false;
    }
}

static void ring(struct lab *lab)
{
    atomic_fetch_add(&lab->bell, 1);
    board_wake(&lab->bell);
}

/* ---- The process ---------------------------------------------------------------------------- */

static struct explore *open_explore(struct lab *lab, struct hand *hand)
{
    const struct run_request *request = lab->options.request;
    struct explore_options options = {
        .test = request->test,
        .is_lab = true,
        .phases = &hand->plan,
        .n_phases = 1,
        .max_steps = lab->steps_max,
        .timers = request->options.timers,
        .rerun = request->options.rerun,
        .fork = request->fork || lab->options.fork,
    };
    struct explore *e = NULL;

    if (request->leaks)
        hand->rc = leak_open(hand->engine->t, REACH_CALLER, &hand->why);
    if (hand->rc < 0)
        return NULL;
    hand->constraints = NULL;
    hand->version = 0;
    if (hand->engine->t->require != NULL) /* a process that died may have left some behind */
        (void)require_set(hand->engine->t, NULL, true, NULL);
    machines_forget(hand->engine->t);
    events_forget(hand->engine->t);
    hand->rc = explore_open(&e, hand->engine->t, &options, &hand->why);
    if (hand->rc < 0)
        return NULL;
    hand->is_mode_fork = e->mode == SN_WORLD_FORK;
    return e;
}

_Noreturn void lab_work(struct lab *lab, struct hand *hand)
{
    struct explore *e;

    engine_enter(hand->engine, lab->parent);
    e = open_explore(lab, hand);
    while (e != NULL) {
        uint32_t order = atomic_load(&lab->orders);

        if (!run_batch(lab, hand, e))
            break;
        hand->idle_deaths = 0;
        atomic_store(&hand->idle, order);
        ring(lab);
        while (atomic_load(&lab->orders) == order)
            board_sleep(&lab->orders, order);
    }
    ring(lab);
    _exit(0);
}
