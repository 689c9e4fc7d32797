/* run.c - trials until one fails, the strategy is done, or there were enough.
 * SPDX-License-Identifier: MIT
 */
#include "api/covered.h"
#include "api/phases.h"
#include "api/repeats.h"
#include "api/run_own.h"
#include "api/step.h"
#include "api/verify.h"
#include "api/worker.h"
#include "base/file.h"
#include "engine/here.h"
#include "engine/mem.h"
#include "engine/sites.h"
#include "events/events.h"
#include "oracle/leak.h"
#include "oracle/linear.h"
#include "report/page_files.h"
#include "report/symbols.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define WATCHED_BYTES (LOG_ENTRIES_MAX * sizeof(uint64_t))

/* ---- Opening and closing -------------------------------------------------------------------- */

static int open_phases(struct run *run)
{
    const struct run_request *request = run->request;
    int rc;

    if (!request->step)
        return phases_open(request, &run->engine->strategies, run->phases, &run->n_phases,
                           &run->why);
    run->n_phases = 1;
    rc = step_open(&run->phases[0], request->json, &run->why);
    run->step = run->phases[0].self;
    return rc;
}

static bool is_driven(const struct run *run)
{
    bool driven = false;

    for (uint32_t i = 0; i < run->n_phases; i++)
        driven |= run->phases[i].entry->is_driven;
    return driven;
}

static bool has_workers(const struct run *run)
{
    return run->request->jobs > 0 && !is_driven(run);
}

/* Keeps the names of machines for strategies that go by them. What was called something else at an
 * earlier point of a trial must be so again when the trial returns there. */
static int open_listener(struct run *run)
{
    struct trial *t = run->engine->t;
    int rc;

    if (!is_driven(run))
        return 0;
    rc = record_new(&run->listener, &run->why);
    if (rc < 0)
        return rc;
    run->recorder = record_listen(run->listener, run->step != NULL ? step_hear : NULL, run->step);
    run->n_ranges = t->n_ranges;
    trial_range_add(t, run->listener->names.text, &t->now.n_tasks, NAMES_BYTES);
    return 0;
}

/* With workers, this process only repeats what they have found, each trial in a process of its own.
 * So it is with a script, whose few trials this process searches itself. */
static bool is_isolated(const struct run *run)
{
    return run->request->fork || (run->request->jobs > 0 && run->step == NULL);
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
        .fork = is_isolated(run),
    };

    machines_forget(run->engine->t);
    events_forget(run->engine->t);
    request_set_limits(request, run->engine->t);
    return explore_open(&run->explore, run->engine->t, &options, &run->why);
}

/* Workers have engines of their own. */
static int open_required(struct run *run)
{
    int rc = required_new(&run->required, run->request->options.require, &run->why);

    if (rc == 0)
        rc = required_admit(run->required, run->phases, run->n_phases, &run->why);
    return rc == 0 && !has_workers(run) ? required_join(run->required, run->engine->t, &run->why)
                                        : rc;
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
    if (request->verify && request_is_uncontrolled(request))
        return err_set(&run->why, SN_EINVAL,
                       "what is run several times is not under control: --verify-determinism would "
                       "only find that out");
    rc = open_phases(run);
    if (rc == 0)
        rc = open_required(run);
    if (rc == 0 && request->leaks)
        rc = leak_open(run->engine->t, REACH_CALLER, &run->why);
    if (rc == 0 && request->verify && !has_workers(run))
        rc = verify_open(&run->verify, request, &run->why);
    if (rc == 0)
        rc = record_new(&run->record, &run->why);
    if (rc == 0)
        rc = output_open(&run->output, &run->why);
    if (rc == 0) {
        run->record->output = &run->output;
        run->engine->is_running = true;
        run->counted = UINT64_MAX;
        sites_begin(run->engine->t->sites); /* before memory is saved */
        classes_begin(run->engine->t->classes);
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
    if (run->engine != NULL)
        require_close(run->engine->t);
    required_free(run->required);
    verify_close(run->verify);
    if (run->engine != NULL)
        leak_close(run->engine->t);
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

struct trace_header run_header(const struct run *run, uint64_t trial)
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
        .seed = request_seed(request),
        .trial = trial,
        .strategy = request_strategy(request),
        .max_steps = run->engine->t->steps_max,
        .fair_from = run->engine->t->fair_from,
        .world = (enum trace_world)(TRACE_WORLD_FULL + run->explore->mode),
    };
}

/* OUTDIR/SUITE-TEST, and whatever comes behind it. */
static void name_file(const struct run_request *request, const char *rest, char *path, size_t size)
{
    size_t start = strlen(request->options.outdir) + 1;

    (void)snprintf(path, size, "%s/%s%s%.100s%s", request->options.outdir,
                   request->suite != NULL ? request->suite : "", request->suite != NULL ? "-" : "",
                   request->test->name, rest);
    file_tame(path + start);
}

void run_name_file(const struct run *run, const char *what, char *path, size_t size)
{
    char rest[64];

    (void)snprintf(rest, sizeof(rest), ".%s", what);
    name_file(run->request, rest, path, size);
}

void run_name_coverage(const struct run_request *request, char *path, size_t size)
{
    name_file(request, ".coverage.json", path, size);
}

static void name_trace(const struct run *run, uint64_t trial, char *path, size_t size)
{
    char rest[64];

    (void)snprintf(rest, sizeof(rest), "-%llu.trace", (unsigned long long)trial);
    name_file(run->request, rest, path, size);
}

static int write_trace(struct run *run, const struct trace_header *header, char *path, size_t size)
{
    int rc = file_make_dirs(run->request->options.outdir, &run->why);

    if (rc < 0)
        return rc;
    name_trace(run, header->trial, path, size);
    rc = record_to_file(run->record, run->explore, header, path, &run->why);
    if (rc < 0)
        path[0] = '\0';
    return rc;
}

/* Without a place for a trace the trial is still run a second time, to see that it repeats itself
 * and to learn the names of its machines. */
static int check_again(struct run *run, const struct trace_header *header)
{
    int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
    int rc;

    if (fd < 0)
        return 0;
    rc = record_trial(run->record, run->explore, header, fd, &run->why);
    (void)close(fd);
    return rc == SN_EINVAL ? rc : 0;
}

/* ---- Failures ------------------------------------------------------------------------------- */

void run_tell(struct run *run, const struct run_failure *failure)
{
    struct sn_result *r = &run->result;

    if (failure != &run->tally.found.failures[0])
        return;
    r->nondeterministic = failure->nondeterministic;
    memcpy(r->failure, failure->text, sizeof(r->failure));
    memcpy(r->trace, failure->trace, sizeof(r->trace));
    memcpy(r->stack, failure->stack, sizeof(r->stack));
}

void run_describe_stack(struct run *run, const struct finding *f, const struct modules *modules,
                        struct run_failure *failure)
{
    bool is_known = f->stack.n > 0 &&
                    symbols_describe(&f->stack, modules, failure->stack, sizeof(failure->stack));

    /* Control that no function of the program lost was lost by a strategy, and that has a name. */
    if (!is_known && f->verdict.verdict == SN_UNCONTROLLED)
        failure->stack[0] = '\0';
    run_tell(run, failure);
}

/* What a recording must find as it was: it compares the trial with the one before. */
struct recorded_end {
    struct verdict verdict;
    struct trial_now now;
    uint64_t decisions;
    bool cut;
    bool unfinished;
};

static struct recorded_end recorded_end(const struct trial *t)
{
    return (struct recorded_end){.verdict = t->verdict,
                                 .now = t->now,
                                 .decisions = t->log.n,
                                 .cut = t->cut,
                                 .unfinished = t->unfinished};
}

static void recorded_put_back(struct trial *t, const struct recorded_end *was)
{
    t->verdict = was->verdict;
    t->now = was->now;
    t->log.n = was->decisions;
    t->cut = was->cut;
    t->unfinished = was->unfinished;
    t->divergence.text[0] = '\0';
}

/* A failing trial once more, which is written. */
static int record_once(struct run *run, const struct trace_header *header,
                       struct run_failure *failure)
{
    return run->request->options.outdir != NULL
               ? write_trace(run, header, failure->trace, sizeof(failure->trace))
               : check_again(run, header);
}

/* What is not under control may have to be run several times before it fails as it did; if it does
 * not, it has failed all the same. */
static int record_uncontrolled(struct run *run, const struct trace_header *header,
                               struct run_failure *failure)
{
    uint32_t runs = request_shrink_repeats(run->request);
    struct trial *t = run->engine->t;
    struct recorded_end was = recorded_end(t);
    size_t n = strlen(failure->repeats);
    int rc = SN_EINVAL;
    uint32_t k = 0;

    for (; k < runs && rc == SN_EINVAL; k++) {
        recorded_put_back(t, &was);
        rc = record_once(run, header, failure);
    }
    if (rc == SN_EINVAL)
        (void)snprintf(failure->repeats + n, sizeof(failure->repeats) - n,
                       "%srun again, none of %" PRIu32 " failed so: there is no trace",
                       n > 0 ? "; " : "", runs);
    else if (rc == 0)
        (void)snprintf(failure->repeats + n, sizeof(failure->repeats) - n,
                       "%srun again, run %" PRIu32 " of %" PRIu32 " did", n > 0 ? "; " : "", k,
                       runs);
    return rc;
}

int run_record(struct run *run, const struct trace_header *header, struct run_failure *failure)
{
    bool is_uncontrolled = request_is_uncontrolled(run->request);
    int rc = is_uncontrolled ? record_uncontrolled(run, header, failure)
                             : record_once(run, header, failure);

    if (rc == SN_EINVAL && !is_uncontrolled) {
        failure->nondeterministic = true;
        (void)snprintf(failure->text, sizeof(failure->text), "%s", run->why.text);
        rc = 0;
    } else if (rc == 0) { /* now with the machines' names */
        finding_describe(&run->engine->t->verdict, failure->text, sizeof(failure->text));
        if (failure->trace[0] != '\0')
            page_files_forget(failure->trace);
    }
    run_tell(run, failure);
    return rc == SN_EINVAL ? 0 : rc;
}

/* A trial of this process did not pass. */
static int on_failure(struct run *run)
{
    const struct trial *t = run->engine->t;
    struct finding f = {
        .trial = run->explore->trial - 1,
        .steps = t->now.steps,
        .verdict = t->verdict,
        .signature = signature_of(run->engine->t),
        .run = run->run,
        .stack = t->death.stack,
    };
    struct run_failure *failure = tally_failure(&run->tally, &f);
    struct trace_header header;

    if (failure == NULL)
        return 0;
    run_describe_stack(run, &f, &t->death.modules, failure);
    if (f.verdict.verdict == SN_UNCONTROLLED)
        return 0;
    header = run_header(run, f.trial);
    return run_record(run, &header, failure);
}

/* ---- Trials in this process ----------------------------------------------------------------- */

static void watch(struct run *run)
{
    const struct sn_options *options = &run->request->options;
    struct trial *t = run->engine->t;
    struct sn_trial_view view = {
        .trial = run->explore->trial - 1,
        .steps = t->now.steps,
        .decisions = t->log.n,
        .order = t->now.order,
        .verdict = t->verdict.verdict,
        .cut = t->cut,
        .stuck = t->stuck,
        .log = run->watched_log,
    };

    view.history = linear_history(t, &view.n_history);
    for (uint64_t i = 0; i < t->log.n; i++)
        run->watched_log[i] = t->log.entries[i].value;
    options->watch(options->watch_self, &view);
}

/* Most trials end well: whoever looks at their ends fills in a finding only if there is one. */
static void report_loss(struct run *run, int left)
{
    struct finding f = {
        .trial = run->explore->trial - 1,
        .steps = run->engine->t->now.steps,
        .verdict = {.verdict = SN_UNCONTROLLED},
    };
    struct run_failure *failure;

    worker_describe_loss(&f.verdict, &run->why);
    run->engine->t->verdict.verdict = SN_UNCONTROLLED;
    explore_find_culprit(run->explore, left);
    f.stack = run->engine->t->death.stack;
    failure = tally_failure(&run->tally, &f);
    if (failure != NULL)
        run_describe_stack(run, &f, &run->engine->t->death.modules, failure);
}

static void report_divergence(struct run *run)
{
    const struct trial *t = run->engine->t;
    struct finding f = {
        .trial = run->explore->trial - 1,
        .steps = t->now.steps,
        .nondeterministic = true,
    };

    worker_describe_divergence(&f.verdict, t);
    (void)tally_failure(&run->tally, &f);
}

static void report_difference(struct run *run, uint64_t step)
{
    struct finding f = {.trial = run->explore->trial - 1, .steps = step, .nondeterministic = true};

    memcpy(f.verdict.message, run->why.text, sizeof(f.verdict.message));
    (void)tally_failure(&run->tally, &f);
}

/* True: a trial did something that is not undone between trials. */
static bool check_control(struct run *run, bool thoroughly)
{
    int left = explore_check(run->explore, thoroughly, &run->why);

    if (left != 0)
        report_loss(run, left);
    return left != 0;
}

/* Control was lost, or the program is not the same twice: nothing more can be learned from it. */
static bool has_lost_control(struct run *run)
{
    if (run->engine->t->divergence.text[0] == '\0')
        return check_control(run, explore_is_due(run->explore->trial - 1));
    report_divergence(run);
    return true;
}

/* True: the trial is another one in another process. */
static bool has_failed_to_repeat(struct run *run)
{
    uint64_t step = 0;

    if (run->verify == NULL || verify_trial(run->verify, run->explore, &step, &run->why) == 0)
        return false;
    report_difference(run, step);
    return true;
}

/* Counts a trial. True: the run goes on. */
static bool count_trial(struct run *run, int *rc)
{
    struct trial *t = run->engine->t;
    uint32_t runs = request_repeats(run->request);
    struct explore_end end;

    run->run = runs > 1 ? repeats_run(run->explore, runs) : 0;
    end = explore_end_of(t);
    tally_trial(&run->tally, &end);
    if (run->watched_log != NULL)
        watch(run);
    if (has_lost_control(run) || has_failed_to_repeat(run))
        return false;
    if (likely(t->verdict.verdict == SN_PASSED))
        return true;
    *rc = on_failure(run);
    return *rc == 0 && !run->result.nondeterministic && run->request->options.keep_going;
}

void run_claim(struct run *run, const char *within, bool has_left_phase)
{
    struct sn_result *r = &run->result;

    if (r->cut > 0 || has_left_phase || run->resumed.was_cut || run->resumed.has_left_phase)
        return;
    r->schedules = run->resumed.trials - run->resumed.stuck + r->trials - r->stuck;
    if (r->schedules == 0 && r->stuck > 0)
        return; /* of nothing, nothing is claimed */
    r->traces = distinct_count(&run->tally.orders);
    (void)snprintf(r->within, sizeof(r->within), "%s", within);
    required_limit(run->required, r->within, sizeof(r->within));
    r->exhausted = r->within[0] == '\0';
}

void run_estimate(struct run *run, double done, uint64_t trials)
{
    struct sn_result *r = &run->result;
    double total = done > 0 ? (double)trials / done : 0;

    r->done = done;
    r->estimate_is_least = run->phases[0].entry->strategy->progress_is_most;
    r->estimate = total < 1e18 ? (uint64_t)(total + 0.5) : UINT64_C(1000000000000000000);
}

/* The strategy of this process has nothing left to try: was that everything? */
static void claim(struct run *run)
{
    const struct explore_phase *phase = &run->phases[0];
    const struct sn_strategy *strategy = phase->entry->strategy;
    char within[sizeof(run->result.within)] = "";

    if (strategy->is_exhausted == NULL || !strategy->is_exhausted(phase->self))
        return;
    if (strategy->within != NULL)
        strategy->within(phase->self, within, sizeof(within));
    run_claim(run, within, run->explore->has_left_phase);
}

void run_note(struct run *run, const struct machines *machines, const struct explore_phase *phase)
{
    struct sn_result *r = &run->result;

    if (r->note[0] != '\0')
        return;

    if (machines->unlisted[0] != '\0')
        (void)snprintf(r->note, sizeof(r->note),
                       "monitor %.100s was told of events, but is not among the test's monitors",
                       machines->unlisted);
    else if (machines->unjudged[0] != '\0' || phase->entry->note == NULL)
        (void)snprintf(r->note, sizeof(r->note), "%s", machines->unjudged);
    else
        phase->entry->note(phase->self, r->note, sizeof(r->note));
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
        .seed = request_seed(request),
        .header = run_header(run, 0),
    };

    step_begin(run->step, &joins);
}

/* How much of a systematic search is done. */
static void estimate_here(struct run *run)
{
    const struct sn_strategy *strategy = run->phases[0].entry->strategy;
    struct sn_result *r = &run->result;

    if (strategy->progress != NULL && run->n_phases == 1)
        run_estimate(run, strategy->progress(run->phases[0].self), r->trials);
}

static int run_here(struct run *run)
{
    uint64_t wanted = request_iterations(run->request);
    struct sn_result *r = &run->result;
    int rc = 0;

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
    r->blocked = run->explore->left[LEFT_BLOCKED];
    r->probes = run->explore->left[LEFT_PROBES];
    if (r->schedules == 0)
        estimate_here(run);
    run_note(run, run->engine->t->machines, &run->phases[0]);
    required_tell(run->required, (const struct trial *const[]){run->engine->t}, 1, r);
    if (r->failures == 0 && !r->nondeterministic)
        (void)check_control(run, true);
    worker_describe_world(run->explore, r->world, sizeof(r->world));
    return rc;
}

/* A strategy that cannot search this test has said so in its first trial: the test is not at fault.
 */
static int check_refusal(struct run *run)
{
    static const char prefix[] = TRIAL_REFUSED ": ";
    const struct run_failure *first = &run->tally.found.failures[0];
    const char *sentence = first->text;

    if (run->tally.found.n_failures == 0 || first->verdict != SN_UNCONTROLLED ||
        strcmp(first->oracle, TRIAL_REFUSED) != 0)
        return 0;
    if (strncmp(sentence, prefix, strlen(prefix)) == 0)
        sentence += strlen(prefix);
    (void)err_set(&run->why, SN_EINVAL, "%s", sentence);
    run->result.failures = 0;
    run->tally.found.n_failures = 0;
    return SN_EINVAL;
}

/* What strategies have found out about conflicts. What was saved of them has been: they may learn
 * before their epoch is over. */
static void tell_conflicts(struct run *run)
{
    for (uint32_t i = 0; i < run->n_phases; i++) {
        const struct explore_phase *phase = &run->phases[i];

        if (phase->entry->figures == NULL)
            continue;
        if (phase->lessons != NULL)
            lessons_come_to(phase->lessons, phase->entry->strategy, phase->self, UINT64_MAX);
        if (phase->entry->figures(phase->self, &run->result.conflicts))
            return;
    }
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
    run->tally.result = &run->result;
    run->coverage = request->coverage != NULL ? request->coverage : &run->own_coverage;
    if (request->coverage != NULL)
        mem_clear(run->coverage, sizeof(*run->coverage));
    rc = run_open(run);
    if (rc == 0) {
        run->tally.is_sampled = covered_is_sampled(run->phases, run->n_phases);
        rc = has_workers(run) ? run_by_workers(run) : run_here(run);
        run->result.is_systematic =
            run->phases[0].entry->strategy->is_exhausted != NULL && !request->estimate;
        run->result.distinct_orders = tally_orders(&run->tally);
        covered_tell(run);
        tell_conflicts(run);
        sites_end(run->engine->t->sites, request->test->name, run->counted);
        rc = rc == 0 ? check_refusal(run) : rc;
    }
    run_close(run);
    *result = run->result;
    if (request->found != NULL)
        *request->found = run->tally.found;
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
