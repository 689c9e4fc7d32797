/* run.c - trials until one fails, the strategy is done, or there were enough.
 * SPDX-License-Identifier: MIT
 */
#include "api/run.h"

#include "api/crash.h"
#include "api/engine.h"
#include "api/identity.h"
#include "api/output.h"
#include "api/record.h"
#include "api/step.h"
#include "engine/distinct.h"
#include "engine/explore.h"
#include "engine/mem.h"
#include "substrate/liveness.h"
#include "substrate/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DEFAULT_ITERATIONS = 10000, DEFAULT_SEED = 1 };

/* Everything a run needs, in the engine's own memory: what lies in the program's is rolled back. */
struct run {
    const struct run_request *request;
    struct engine *engine;
    struct explore *explore;
    struct record *record;
    struct explore_phase phases[EXPLORE_PHASES_MAX];
    uint32_t n_phases;
    struct step *step;               /* a person drives; NULL: nobody does */
    struct record *listener;         /* for strategies that go by names; NULL: there is none */
    const struct recorder *recorder; /* the listener's */
    uint32_t n_ranges;               /* of the trial, without those of this run */
    struct output output;
    struct crash crash;
    struct identity identity;
    struct sn_result result;
    struct distinct orders;
    struct err why;
    uint64_t *watched_log; /* for the watcher; reserved when there is one */
};

#define WATCHED_BYTES (LOG_ENTRIES_MAX * sizeof(uint64_t))

/* ---- Opening and closing -------------------------------------------------------------------- */

static uint64_t seed_of(const struct run_request *request)
{
    return request->options.seed != 0 ? request->options.seed : DEFAULT_SEED;
}

static const char *strategy_of(const struct run_request *request)
{
    if (request->step)
        return "step";
    return request->options.strategy != NULL ? request->options.strategy : "random";
}

static uint64_t steps_max_of(const struct run_request *request)
{
    if (request->options.max_steps != 0)
        return request->options.max_steps;
    return request->test->max_steps != 0 ? request->test->max_steps : EXPLORE_MAX_STEPS;
}

/* Where a limit is judged it is by what a fair strategy does: it decides at the end of every trial,
 * whoever decided before, from a step on or from half of the virtual time. A composition of one's
 * own, or a script, is taken as it is. */
static int open_phases(struct run *run)
{
    const struct run_request *request = run->request;
    const struct strategies *all = &run->engine->strategies;
    uint64_t steps_max = steps_max_of(request);
    uint64_t fair_steps = request->test->fair_steps;
    int rc;

    if (request->step) {
        run->n_phases = 1;
        rc = step_open(&run->phases[0], request->json, &run->why);
        run->step = run->phases[0].self;
        return rc;
    }
    rc = strategies_open(all, strategy_of(request), seed_of(request), run->phases, &run->n_phases,
                         &run->why);
    if (rc < 0 || run->n_phases != 1 || run->phases[0].entry->is_driven ||
        !liveness_matters(request->test))
        return rc;
    if (fair_steps == 0)
        fair_steps = steps_max / 2;
    run->phases[0].until = fair_steps < steps_max ? steps_max - fair_steps : 0;
    run->phases[0].until_ns = request->test->max_time_ns / 2;
    run->phases[1].until = UINT64_MAX;
    run->n_phases = 2;
    return strategies_open_one(all, "fair", seed_of(request), &run->phases[1], &run->why);
}

/* Keeps the names of machines for strategies that go by them. What was called something else at an
 * earlier point of a trial must be so again when the trial returns there. */
static int open_listener(struct run *run)
{
    struct trial *t = run->engine->t;
    bool is_driven = false;
    int rc;

    for (uint32_t i = 0; i < run->n_phases; i++)
        is_driven |= run->phases[i].entry->is_driven;
    if (!is_driven)
        return 0;
    rc = record_new(&run->listener, &run->why);
    if (rc < 0)
        return rc;
    run->recorder = record_listen(run->listener, run->step != NULL ? step_hear : NULL, run->step);
    run->n_ranges = t->n_ranges;
    trial_range_add(t, run->listener->names.text, &t->now.n_tasks, NAMES_BYTES);
    return 0;
}

static int open_explore(struct run *run)
{
    const struct run_request *request = run->request;
    struct explore_options options = {
        .test = request->test,
        .phases = run->phases,
        .n_phases = run->n_phases,
        .recorder = run->recorder,
        .max_steps = request->options.max_steps,
        .timers = request->options.timers,
        .rerun = request->options.rerun,
        .fork = request->fork,
    };

    machines_forget(run->engine->t);
    return explore_open(&run->explore, run->engine->t, &options, &run->why);
}

static int run_open(struct run *run)
{
    const struct run_request *request = run->request;
    int rc;

    if (request->test == NULL || request->test->run == NULL)
        return err_set(&run->why, SN_EINVAL, "a test needs a run function");
    run->engine = engine_get(&run->why);
    if (run->engine == NULL)
        return SN_ENOMEM;
    if (run->engine->is_running)
        return err_set(&run->why, SN_EINVAL, "a run is going on already");
    if (request->options.watch != NULL) {
        run->watched_log = mem_reserve_shared(WATCHED_BYTES, &run->why);
        if (run->watched_log == NULL)
            return SN_ENOMEM;
    }
    rc = open_phases(run);
    if (rc == 0)
        rc = record_new(&run->record, &run->why);
    if (rc == 0)
        rc = output_open(&run->output, &run->why);
    if (rc == 0) {
        run->record->output = &run->output;
        run->engine->is_running = true;
        identity_get(&run->identity);
        run->crash.suite = request->suite != NULL ? request->suite : request->test->name;
        run->crash.test = request->test->name;
        run->crash.fd = run->output.saved[1];
        crash_watch(&run->crash);
        rc = open_listener(run);
    }
    return rc == 0 ? open_explore(run) : rc;
}

static void run_close(struct run *run)
{
    explore_close(run->explore);
    if (run->recorder != NULL)
        run->engine->t->n_ranges = run->n_ranges;
    step_close(run->step);
    record_free(run->listener);
    if (run->engine != NULL && run->output.is_open)
        crash_unwatch(&run->crash);
    output_close(&run->output);
    record_free(run->record);
    strategies_close(run->phases, run->n_phases);
    mem_release(run->watched_log, WATCHED_BYTES);
    if (run->engine != NULL && run->output.is_open == 0)
        run->engine->is_running = false;
}

/* ---- Traces --------------------------------------------------------------------------------- */

static struct trace_header header_of(const struct run *run)
{
    const struct run_request *request = run->request;

    return (struct trace_header){
        .suite = request->suite != NULL ? request->suite : request->test->name,
        .test = request->test->name,
        /* Only a program with sn_main understands --replay. */
        .program = request->suite != NULL ? run->identity.program : "",
        .args = request->args,
        .n_args = request->n_args,
        .build = run->identity.build,
        .seed = seed_of(request),
        .trial = run->result.failing_trial,
        .strategy = strategy_of(request),
        .max_steps = run->engine->t->steps_max,
        .fair_from = run->engine->t->fair_from,
        .world = (enum trace_world)(TRACE_WORLD_FULL + run->explore->mode),
    };
}

static int make_outdir(const char *path, struct err *why)
{
    char part[512];
    size_t n = strlen(path);

    if (n == 0 || n >= sizeof(part))
        return err_set(why, SN_EINVAL, "the name of the output directory is %s",
                       n == 0 ? "empty" : "too long");
    for (size_t i = 1; i <= n; i++) {
        if (path[i] != '/' && path[i] != '\0')
            continue;
        memcpy(part, path, i);
        part[i] = '\0';
        if (mkdir(part, 0777) < 0 && errno != EEXIST)
            return err_set(why, SN_EIO, "%s: cannot make this directory (errno %d)", part, errno);
    }
    return 0;
}

/* OUTDIR/SUITE-TEST-TRIAL.trace, with what is awkward in the name of a file replaced. */
static void name_trace(struct run *run)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    const struct run_request *request = run->request;
    struct sn_result *r = &run->result;
    size_t start = strlen(request->options.outdir) + 1;

    (void)snprintf(r->trace, sizeof(r->trace), "%s/%s%s%.100s-%llu.trace", request->options.outdir,
                   request->suite != NULL ? request->suite : "", request->suite != NULL ? "-" : "",
                   request->test->name, (unsigned long long)r->failing_trial);
    for (char *at = r->trace + start; *at != '\0'; at++) {
        if (strchr(plain, *at) == NULL)
            *at = '_';
    }
}

static int write_trace(struct run *run)
{
    struct trace_header header = header_of(run);
    struct sn_result *r = &run->result;
    int rc = make_outdir(run->request->options.outdir, &run->why);

    if (rc < 0)
        return rc;
    name_trace(run);
    rc = record_to_file(run->record, run->explore, &header, r->trace, &run->why);
    if (rc < 0)
        r->trace[0] = '\0';
    return rc;
}

/* Without a place for a trace the trial is still run a second time, to see that it repeats itself
 * and to learn the names of its machines. */
static int check_again(struct run *run)
{
    struct trace_header header = header_of(run);
    int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
    int rc;

    if (fd < 0)
        return 0;
    rc = record_trial(run->record, run->explore, &header, fd, &run->why);
    (void)close(fd);
    return rc == SN_EINVAL ? rc : 0;
}

/* ---- Trials --------------------------------------------------------------------------------- */

static void describe_failure(struct sn_result *r, const struct verdict *v)
{
    if (v->at[0] != '\0')
        (void)snprintf(r->failure, sizeof(r->failure), "%s: %.180s: %.300s", v->oracle, v->at,
                       v->message);
    else
        (void)snprintf(r->failure, sizeof(r->failure), "%s: %.480s", v->oracle, v->message);
}

/* The first trial that did not pass. */
static int on_first_failure(struct run *run)
{
    struct trial *t = run->engine->t;
    struct sn_result *r = &run->result;
    int rc;

    r->verdict = t->verdict.verdict;
    r->failing_trial = run->explore->trial - 1;
    r->failing_steps = t->now.steps;
    describe_failure(r, &t->verdict);
    if (t->verdict.verdict == SN_UNCONTROLLED)
        return 0;
    rc = run->request->options.outdir != NULL ? write_trace(run) : check_again(run);
    if (rc == SN_EINVAL) {
        r->nondeterministic = true;
        memcpy(r->failure, run->why.text, sizeof(r->failure));
        return 0;
    }
    if (rc == 0)
        describe_failure(r, &t->verdict); /* now with the machines' names */
    return rc;
}

static void watch(struct run *run)
{
    const struct sn_options *options = &run->request->options;
    const struct trial *t = run->engine->t;
    struct sn_trial_view view = {
        .trial = run->explore->trial - 1,
        .steps = t->now.steps,
        .decisions = t->log.n,
        .order = t->now.order,
        .verdict = t->verdict.verdict,
        .cut = t->cut,
        .log = run->watched_log,
    };

    for (uint64_t i = 0; i < t->log.n; i++)
        run->watched_log[i] = t->log.entries[i].value;
    options->watch(options->watch_self, &view);
}

/* True: a trial did something that is not undone between trials. */
static bool check_control(struct run *run, bool thoroughly)
{
    struct sn_result *r = &run->result;

    if (explore_check(run->explore, thoroughly, &run->why) == 0)
        return false;
    run->engine->t->verdict.verdict = SN_UNCONTROLLED;
    r->verdict = SN_UNCONTROLLED;
    r->failures++;
    r->failing_trial = run->explore->trial - 1;
    r->failing_steps = run->engine->t->now.steps;
    (void)snprintf(r->failure, sizeof(r->failure),
                   "%.400s; a process per trial undoes that: SN_WORLD_FORK, or --isolate=fork",
                   run->why.text);
    return true;
}

/* Control was lost, or the program is not the same twice: nothing more can be learned from it. */
static bool has_lost_control(struct run *run)
{
    struct trial *t = run->engine->t;
    struct sn_result *r = &run->result;

    if (t->divergence.text[0] != '\0') {
        r->nondeterministic = true;
        r->failing_trial = run->explore->trial - 1;
        (void)snprintf(r->failure, sizeof(r->failure),
                       "trial %llu does not repeat the one before: after step %llu, %.380s",
                       (unsigned long long)r->failing_trial, (unsigned long long)t->now.steps,
                       t->divergence.text);
        return true;
    }
    return check_control(run, false);
}

/* Counts a trial. True: the run goes on. */
static bool count_trial(struct run *run, int *rc)
{
    struct trial *t = run->engine->t;
    struct sn_result *r = &run->result;

    r->trials++;
    r->steps += t->now.steps;
    r->cut += t->cut;
    distinct_add(&run->orders, t->now.order);
    if (run->watched_log != NULL)
        watch(run);
    if (has_lost_control(run))
        return false;
    if (likely(t->verdict.verdict == SN_PASSED))
        return true;
    if (r->failures++ == 0)
        *rc = on_first_failure(run);
    return *rc == 0 && !r->nondeterministic && run->request->options.keep_going;
}

/* The strategy has nothing left to try: was that everything? */
static void claim(struct run *run)
{
    const struct sn_strategy *strategy = run->phases[0].entry->strategy;
    struct sn_result *r = &run->result;

    if (strategy->is_exhausted == NULL || !strategy->is_exhausted(run->phases[0].self) ||
        r->cut > 0 || run->explore->has_left_phase)
        return;
    if (strategy->within != NULL)
        strategy->within(run->phases[0].self, r->within, sizeof(r->within));
    r->exhausted = r->within[0] == '\0';
}

/* The first thing that the author of the test should know. */
static void note(struct run *run)
{
    const struct machines *machines = run->engine->t->machines;
    struct sn_result *r = &run->result;

    if (machines->unlisted[0] != '\0')
        (void)snprintf(r->note, sizeof(r->note),
                       "monitor %.100s was told of events, but is not among the test's monitors",
                       machines->unlisted);
    else
        (void)snprintf(r->note, sizeof(r->note), "%s", machines->unjudged);
}

/* A trial that a person drives was left for a while, or has ended. True: there will be another. */
static bool turn(struct run *run, int *rc)
{
    const struct trial *t = run->engine->t;

    if (t->unfinished && t->divergence.text[0] == '\0')
        return step_left(run->step);
    step_settle(run->step); /* before anyone looks for mappings that trials have left */
    (void)count_trial(run, rc);
    return *rc == 0 && !run->result.nondeterministic && step_ended(run->step, &run->result);
}

static void begin_stepping(struct run *run)
{
    const struct run_request *request = run->request;
    struct step_joins joins = {
        .explore = run->explore,
        .record = run->record,
        .listener = run->listener,
        .output = &run->output,
        .strategies = &run->engine->strategies,
        .strategy = request->options.strategy,
        .seed = seed_of(request),
        .header = header_of(run),
    };

    step_begin(run->step, &joins);
}

static int run_trials(struct run *run)
{
    uint64_t wanted = run->request->options.iterations;
    const struct sn_strategy *strategy = run->phases[0].entry->strategy;
    struct sn_result *r = &run->result;
    int rc = 0;

    if (wanted == 0)
        wanted = DEFAULT_ITERATIONS;
    if (run->step != NULL) {
        wanted = UINT64_MAX;
        begin_stepping(run);
    }
    while (r->trials < wanted) {
        if (!explore_next(run->explore)) {
            if (run->step != NULL && step_refused(run->step))
                continue;
            claim(run);
            break;
        }
        if (run->step != NULL ? !turn(run, &rc) : !count_trial(run, &rc))
            break;
    }
    if (run->step != NULL)
        step_done(run->step, r);
    r->is_systematic = strategy->is_exhausted != NULL;
    note(run);
    if (r->failures == 0 && !r->nondeterministic)
        (void)check_control(run, true);
    r->distinct_orders = distinct_count(&run->orders);
    return rc;
}

static void describe_world(struct run *run)
{
    const struct explore *e = run->explore;
    const char *how = "memory is restored";

    if (e->mode == SN_WORLD_TRIAL)
        how = "the trial's memory is restored";
    else if (e->mode == SN_WORLD_FORK)
        how = "a process per trial";
    (void)snprintf(run->result.world, sizeof(run->result.world), "%s%s%.90s", how,
                   e->mode_why.text[0] != '\0' ? ": " : "", e->mode_why.text);
}

int run_test(const struct run_request *request, struct sn_result *result)
{
    struct run *run = mem_reserve_shared(sizeof(*run), NULL);
    int rc;

    *result = (struct sn_result){0};
    if (run == NULL) {
        (void)snprintf(result->failure, sizeof(result->failure), "there is no memory");
        return SN_ENOMEM;
    }
    run->request = request;
    rc = run_open(run);
    if (rc == 0) {
        describe_world(run);
        rc = run_trials(run);
    }
    run_close(run);
    *result = run->result;
    if (rc < 0 && run->result.failures > 0) /* what was found must not get lost */
        (void)snprintf(result->failure, sizeof(result->failure),
                       "%.250s; its trace is lost: %.230s", run->result.failure, run->why.text);
    else if (rc < 0)
        memcpy(result->failure, run->why.text, sizeof(result->failure));
    mem_release(run, sizeof(*run));
    return rc;
}

int sn_run(const struct sn_test *test, const struct sn_options *options, struct sn_result *result)
{
    struct run_request request = {.test = test};

    if (options != NULL)
        request.options = *options;
    return run_test(&request, result);
}
