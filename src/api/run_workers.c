/* run_workers.c - a run whose trials are run by workers: what they report adds up to its result.
 * SPDX-License-Identifier: MIT
 */
#include "api/interrupt.h"
#include "api/phases.h"
#include "api/run_own.h"
#include "api/workers.h"
#include "base/file.h"
#include "engine/mem.h"
#include "report/coverage_file.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* Makes what a worker has found the engine's present trial. */
static void load_finding(struct trial *t, const struct worker *w,
                         const struct worker_finding *found)
{
    const struct finding *f = &found->finding;

    t->log.n = found->decisions;
    memcpy(t->log.entries, w->logs + found->log, found->decisions * sizeof(w->logs[0]));
    t->now.steps = f->steps;
    t->now.order = f->order;
    t->fair_from = f->fair_from;
    t->mark = f->mark;
    t->cut = f->cut;
    t->unfinished = false;
    t->verdict = f->verdict;
    t->divergence.text[0] = '\0';
}

/* A trial that is killed, but not when it is run again, need not be another one. */
static void blame_outside(struct run *run, struct run_failure *failure)
{
    failure->nondeterministic = false;
    (void)snprintf(failure->text, sizeof(failure->text),
                   "crash: the process was killed (signal 9), by something outside: the same trial "
                   "did not end so when it was run again");
    run_tell(run, failure);
}

/* A trial has left something behind: runs it again to see who did it. The worker is spoilt, and
 * whatever was left may be in the way there. */
static void find_culprit(struct run *run, const struct worker *w,
                         const struct worker_finding *found, struct run_failure *failure)
{
    struct trial *t = run->engine->t;
    struct finding f = found->finding;

    load_finding(t, w, found);
    explore_find_culprit(run->explore, f.left);
    f.stack = t->death.stack;
    run_describe_stack(run, &f, &t->death.modules, failure);
}

/* A worker has found something that was not known before. */
static int on_found(struct run *run, const struct worker *w, const struct worker_finding *found)
{
    const struct finding *f = &found->finding;
    struct run_failure *failure = tally_failure(&run->tally, f);
    struct trace_header header;
    int rc;

    if (failure == NULL)
        return 0;
    if (f->left != 0 && found->has_log)
        find_culprit(run, w, found, failure);
    else
        run_describe_stack(run, f, &w->engine->t->death.modules, failure);
    if (f->nondeterministic || f->verdict.verdict == SN_UNCONTROLLED || !found->has_log)
        return 0;
    load_finding(run->engine->t, w, found);
    header = run_header(run, f->trial);
    /* Where the process died it must do so again, and leave the one that looks. */
    if (!f->has_died)
        header.world = (enum trace_world)(TRACE_WORLD_FULL + w->mode);
    rc = run_record(run, &header, failure);
    if (failure->nondeterministic && f->was_killed)
        blame_outside(run, failure);
    return rc;
}

static bool on_trial(void *self, uint64_t trial, const struct board_entry *entry,
                     const struct worker *w, const struct worker_finding *found)
{
    struct run *run = self;

    tally_trial(&run->tally, &entry->end);
    if (w->can_seek && w->learns)
        explore_tell(run->phases, run->n_phases, trial, &entry->end);
    if (entry->verdict == SN_PASSED && !entry->nondeterministic)
        return true;
    if (found == NULL) {
        tally_again(&run->tally, entry->kind);
        return run->request->options.keep_going;
    }
    run->workers_rc = on_found(run, w, found);
    return run->workers_rc == 0 && !run->result.nondeterministic &&
           run->result.verdict != SN_UNCONTROLLED && run->request->options.keep_going;
}

static double now_s(void)
{
    struct timespec ts;

    (void)clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static bool on_tick(void *self)
{
    struct run *run = self;
    const struct run_request *request = run->request;
    struct run_found *found = &run->tally.found;
    double seconds = now_s() - run->start_s;
    struct run_progress progress = {
        .result = &run->result,
        .orders = distinct_count(&run->tally.orders),
        .wanted = request_iterations(request),
        .seconds = seconds,
        .seconds_left = request->timeout_s > 0 ? request->timeout_s - seconds : -1,
    };

    if (request->progress != NULL)
        request->progress(request->progress_self, &progress, run->output.saved[1]);
    found->is_interrupted = interrupt_has_come(run->engine);
    found->is_timed_out = request->timeout_s > 0 && seconds >= request->timeout_s;
    return !found->is_interrupted && !found->is_timed_out;
}

/* What a worker learned of the run as a whole. */
static void ask_workers(struct run *run, const struct workers *ws)
{
    struct sn_result *r = &run->result;

    for (uint32_t i = 0; i < ws->n; i++) {
        const struct worker *w = ws->list[i];

        if (r->world[0] == '\0')
            memcpy(r->world, w->world, sizeof(r->world));
        run_note(run, w->engine->t->machines);
        if (w->is_late && r->failures == 0 && !r->nondeterministic && r->trials > 0) {
            struct worker_finding late = w->late;

            late.finding.trial = run->resumed.trials + r->trials - 1;
            (void)on_found(run, w, &late);
        }
    }
    if (ws->n == 1 && ws->list[0]->is_exhausted)
        run_claim(run, &ws->list[0]->phases[0], ws->list[0]->has_left_phase);
}

/* What is written beside traces and the summary, if there is a place for it. */
static int write_coverage(struct run *run, struct workers *ws)
{
    struct trace_header header = run_header(run, 0);
    char path[512];
    int rc = 0;

    if (run->request->options.outdir == NULL || ws->coverage.n == 0)
        return 0;
    rc = file_make_dirs(run->request->options.outdir, &run->why);
    if (rc < 0)
        return rc;
    run_name_file(run, "coverage.json", path, sizeof(path));
    return coverage_write(&ws->coverage, header.suite, header.test, path, &run->why);
}

/* ---- Going on where another run ended ------------------------------------------------------- */

/* Where the run is now, and what has been learned. The strategies of this process have been told
 * of every trial; one that runs its trials one after the other is with its only worker. */
static int write_learned(struct run *run, const struct workers *ws)
{
    const struct run_request *request = run->request;
    const struct worker *first = ws->list[0];
    const struct explore_phase *phases = first->can_seek ? run->phases : first->phases;
    struct learned l = {
        .seed = request_seed(request),
        .trials = run->resumed.trials + run->result.trials,
        .was_cut = run->resumed.was_cut || run->result.cut > 0,
        .has_left_phase = run->resumed.has_left_phase || first->has_left_phase,
    };
    char path[512];

    if (request->options.outdir == NULL || request->shards > 1 ||
        strlen(request_strategy(request)) >= sizeof(l.strategy))
        return 0;
    (void)snprintf(l.strategy, sizeof(l.strategy), "%s", request_strategy(request));
    for (uint32_t i = 0; i < run->n_phases && first->can_seek; i++)
        phases[i].entry->strategy->seek(phases[i].self, l.trials);
    run_name_file(run, "learned", path, sizeof(path));
    return learned_write(path, &l, phases, run->n_phases, &run->why);
}

/* Puts everybody where the last run ended. */
static int load_learned(struct run *run, struct workers *ws, const struct learned_file *file)
{
    int rc = learned_load(file, run->phases, run->n_phases, &run->why);

    for (uint32_t i = 0; i < ws->n && rc == 0; i++) {
        struct worker *w = ws->list[i];

        rc = learned_load(file, w->phases, w->n_phases, &run->why);
        w->told = file->learned.trials;
        if (!w->can_seek)
            w->next = file->learned.trials;
    }
    return rc;
}

static int resume(struct run *run, struct workers *ws, struct board *board)
{
    const struct run_request *request = run->request;
    struct learned_file file;
    char path[512];
    int rc;

    if (!request->resume || request->options.outdir == NULL)
        return 0;
    run_name_file(run, "learned", path, sizeof(path));
    rc = learned_read(&file, path, &run->why);
    if (rc == SN_ENOTFOUND)
        return 0; /* the first run */
    if (rc < 0)
        return rc;
    if (strcmp(file.learned.strategy, request_strategy(request)) != 0 ||
        file.learned.seed != request_seed(request) || request->shards > 1)
        rc = err_set(&run->why, SN_EINVAL,
                     "%s is of strategy %s and seed %llu: a run can go on only with these, and "
                     "undivided",
                     path, file.learned.strategy, (unsigned long long)file.learned.seed);
    if (rc == 0)
        rc = load_learned(run, ws, &file);
    run->resumed = file.learned;
    atomic_store(&board->next, file.learned.trials);
    atomic_store(&board->taken, file.learned.trials);
    atomic_store(&board->limit, file.learned.trials + request_iterations(request));
    learned_done(&file);
    return rc;
}

/* ---- The run -------------------------------------------------------------------------------- */

/* Lets the workers do it, on a board that has been made. */
static int work(struct run *run, struct workers *ws, struct board *board)
{
    const struct run_request *request = run->request;
    struct workers_client client = {.self = run, .trial = on_trial, .tick = on_tick};
    struct worker_job job = {
        .request = request, .board = board, .keep_going = request->options.keep_going};
    int rc;

    board->shards = request->shards;
    atomic_store(&board->next, request->shard * BOARD_CHUNK);
    atomic_store(&board->limit, request_iterations(request));
    ws->client = &client;
    rc = workers_open(ws, request->jobs, &job, run->engine, &run->why);
    if (rc == 0)
        rc = resume(run, ws, board);
    if (rc < 0)
        return rc;
    for (uint32_t i = 0; i < ws->n; i++)
        request_set_limits(request, ws->list[i]->engine->t);
    crash_unwatch(&run->crash); /* nothing of the program's runs in this process */
    interrupt_watch(run->engine);
    run->start_s = now_s();
    rc = workers_run(ws);
    interrupt_unwatch(run->engine);
    if (rc < 0)
        run->why = ws->why;
    ask_workers(run, ws);
    if (rc == 0)
        rc = run->workers_rc;
    if (rc == 0)
        rc = write_coverage(run, ws);
    return rc == 0 ? write_learned(run, ws) : rc;
}

int run_by_workers(struct run *run)
{
    struct workers *ws = mem_reserve_shared(sizeof(*ws), &run->why);
    struct board *board = mem_reserve_shared(sizeof(*board), &run->why);
    int rc = SN_ENOMEM;

    if (ws != NULL && board != NULL)
        rc = work(run, ws, board);
    if (ws != NULL)
        workers_close(ws);
    mem_release(board, sizeof(*board));
    mem_release(ws, sizeof(*ws));
    return rc;
}
