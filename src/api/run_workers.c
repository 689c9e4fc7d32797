/* run_workers.c - a run whose trials are run by workers: what they report adds up to its result.
 * SPDX-License-Identifier: MIT
 */
#include "api/covered.h"
#include "api/interrupt.h"
#include "api/phases.h"
#include "api/resume.h"
#include "api/run_own.h"
#include "api/workers.h"
#include "base/descent.h"
#include "engine/mem.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* Makes what a worker has found the engine's present trial. */
static void load_finding(struct trial *t, const struct findings *all,
                         const struct worker_finding *found)
{
    const struct finding *f = &found->finding;

    t->log.n = found->decisions;
    memcpy(t->log.entries, all->logs + found->log, found->decisions * sizeof(all->logs[0]));
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
static void blame_outside(struct run *run, struct run_failure *failure, int signal)
{
    failure->nondeterministic = false;
    (void)snprintf(failure->text, sizeof(failure->text),
                   "crash: the process was killed (signal %d), by something outside: the same "
                   "trial did not end so when it was run again",
                   signal);
    run_tell(run, failure);
}

/* A trial has left something behind: runs it again to see who did it. The worker is spoilt, and
 * whatever was left may be in the way there. */
static void find_culprit(struct run *run, const struct findings *all,
                         const struct worker_finding *found, struct run_failure *failure)
{
    struct trial *t = run->engine->t;
    struct finding f = found->finding;

    load_finding(t, all, found);
    explore_find_culprit(run->explore, f.left);
    f.stack = t->death.stack;
    run_describe_stack(run, &f, &t->death.modules, failure);
}

/* A worker has found something that was not known before. */
static int on_found(struct run *run, const struct worker *w, const struct findings *all,
                    const struct worker_finding *found)
{
    const struct finding *f = &found->finding;
    struct run_failure *failure = tally_failure(&run->tally, f);
    struct trace_header header;
    int rc;

    if (failure == NULL)
        return 0;
    if (f->left != 0 && found->has_log)
        find_culprit(run, all, found, failure);
    else
        run_describe_stack(run, f, &found->modules, failure);
    if (f->nondeterministic || f->verdict.verdict == SN_UNCONTROLLED || !found->has_log)
        return 0;
    load_finding(run->engine->t, all, found);
    header = run_header(run, f->trial);
    /* Where the process died it must do so again, and leave the one that looks. */
    if (!f->has_died)
        header.world = (enum trace_world)(TRACE_WORLD_FULL + w->mode);
    rc = run_record(run, &header, failure);
    if (failure->nondeterministic && f->killed_by != 0)
        blame_outside(run, failure, f->killed_by);
    return rc;
}

static bool on_trial(void *self, uint64_t trial, const struct board_entry *entry,
                     const struct worker *w, const struct findings *all,
                     const struct worker_finding *found)
{
    struct run *run = self;

    tally_trial(&run->tally, &entry->end);
    if (run->workers->is_dealt)
        run->counted = trial + 1;
    if (entry->surveyed > 0)
        run->surveyed[entry->surveyed - 1]++;
    if (w->can_seek && w->learns)
        explore_tell(run->phases, run->n_phases, trial, &entry->end,
                     board_lesson(run->workers->job.board, trial));
    if (entry->verdict == SN_PASSED && !entry->nondeterministic)
        return true;
    if (found == NULL) {
        tally_again(&run->tally, entry->kind, trial, entry->end.steps);
        return run->request->options.keep_going;
    }
    run->workers_rc = on_found(run, w, all, found);
    return run->workers_rc == 0 && !run->result.nondeterministic &&
           run->result.verdict != SN_UNCONTROLLED && run->request->options.keep_going;
}

static double now_s(void)
{
    struct timespec ts;

    (void)clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static void estimate(struct run *run, struct workers *ws)
{
    uint64_t trials = 0;
    double done = run->request->estimate ? 0 : pieces_progress(ws, &trials);

    if (!run->request->estimate)
        run_estimate(run, done, trials);
}

/* What the descents have found, whose counts are the only piece's. */
static void tell_descents(struct run *run, const struct workers *ws)
{
    struct explore_phase *phase = &ws->pieces.all[0]->phases[0];
    struct descent_result found = descent_finish(phase->entry->descent(phase->self));
    struct sn_result *r = &run->result;

    r->descents = found.n;
    r->estimate = found.mean < 1e18 ? (uint64_t)(found.mean + 0.5) : UINT64_C(1000000000000000000);
    r->estimate_error = found.error;
    r->estimate_largest = found.largest;
    r->estimate_is_least = found.is_doubtful;
}

static bool on_tick(void *self)
{
    struct run *run = self;
    const struct run_request *request = run->request;
    struct run_found *found = &run->tally.found;
    double seconds = now_s() - run->start_s;
    struct run_progress progress = {
        .result = &run->result,
        .orders = tally_orders(&run->tally),
        .wanted = request_iterations(request),
        .seconds = seconds,
        .seconds_left = request->timeout_s > 0 ? request->timeout_s - seconds : -1,
    };

    if (request->progress != NULL && !run->workers->is_dealt)
        estimate(run, run->workers);
    if (request->progress != NULL)
        request->progress(request->progress_self, &progress, run->output.saved[1]);
    found->is_interrupted = interrupt_has_come(run->engine);
    found->is_timed_out = request->timeout_s > 0 && seconds >= request->timeout_s;
    return !found->is_interrupted && !found->is_timed_out;
}

/* What cannot be written now may be when the run ends; if not, that is told then. */
static void on_saved(void *self)
{
    struct run *run = self;
    struct err before = run->why;

    if (run->request->checkpoint != NULL)
        (void)resume_write(run, run->workers);
    run->why = before;
}

static void tell_unseen(struct run *run, const struct workers *ws)
{
    const struct trial *trials[WORKERS_MAX];

    for (uint32_t i = 0; i < ws->n; i++)
        trials[i] = ws->list[i]->engine->t;
    required_tell(run->required, trials, ws->n, &run->result);
}

/* What a worker learned of the run as a whole. */
static void ask_workers(struct run *run, struct workers *ws)
{
    struct sn_result *r = &run->result;

    for (uint32_t i = 0; i < ws->n; i++) {
        const struct worker *w = ws->list[i];

        if (r->world[0] == '\0')
            memcpy(r->world, w->world, sizeof(r->world));
        if (ws->is_dealt)
            run_note(run, w->engine->t->machines, w->learns ? &run->phases[0] : &w->phases[0]);
        for (uint32_t k = 0; k < ws->pieces.n; k++)
            run_note(run, w->engine->t->machines, &ws->pieces.all[k]->phases[0]);
        if (w->is_late && r->failures == 0 && !r->nondeterministic && r->trials > 0) {
            struct worker_finding late = w->late;

            late.finding.trial = run->resumed.trials + r->trials - 1;
            (void)on_found(run, w, w->own, &late);
        }
    }
    tell_unseen(run, ws);
    if (ws->n < run->request->jobs && r->note[0] == '\0')
        (void)snprintf(r->note, sizeof(r->note),
                       "one process ran all trials: strategy %.80s cannot share them",
                       request_strategy(run->request));
    r->blocked = run->resumed.left[LEFT_BLOCKED] + pieces_left(ws, LEFT_BLOCKED, false);
    r->probes = run->resumed.left[LEFT_PROBES] + pieces_left(ws, LEFT_PROBES, false);
    if (!ws->is_dealt && ws->pieces.first == NULL && !ws->pieces.is_incomplete && !ws->was_killed)
        run_claim(run, ws->pieces.within, workers_have_left_phase(ws));
    else if (run->request->estimate)
        tell_descents(run, ws);
    else if (!ws->is_dealt)
        estimate(run, ws);
}

/* Leaves where another run can go on. What was learned outlives a run that goes wrong only if
 * somebody has named a file for it; where nobody has asked, no run fails because it is too much. */
static int leave(struct run *run, const struct workers *ws, int rc)
{
    const struct run_request *request = run->request;
    struct err before = run->why;
    int written;

    if (rc < 0 && request->checkpoint == NULL)
        return rc;
    written = resume_write(run, ws);
    if (rc < 0) {
        run->why = before;
        return rc;
    }
    if (written == 0 || written == SN_EIO || request->checkpoint != NULL || request->resume)
        return written;
    if (run->result.note[0] == '\0')
        (void)snprintf(run->result.note, sizeof(run->result.note),
                       "no run can go on after this one: %.200s", run->why.text);
    return 0;
}

/* ---- The run -------------------------------------------------------------------------------- */

/* Lets the workers do it, on a board that has been made. */
static int work(struct run *run, struct workers *ws, struct board *board)
{
    const struct run_request *request = run->request;
    struct workers_client client = {
        .self = run, .trial = on_trial, .tick = on_tick, .saved = on_saved};
    struct worker_job job = {
        .request = request, .board = board, .keep_going = request->options.keep_going};
    int rc;

    board->shards = request->shards;
    atomic_store(&board->next, request->shard * BOARD_CHUNK);
    atomic_store(&board->limit, request_iterations(request));
    ws->client = &client;
    run->workers = ws;
    rc = workers_open(ws, request->jobs, &job, run->engine, &run->why);
    if (rc == 0 && !ws->is_dealt && request->shards > 1)
        rc = err_set(&run->why, SN_EINVAL, "strategy %.80s cannot be divided by --shard",
                     request_strategy(request));
    if (rc == 0)
        rc = resume_read(run, ws);
    if (rc < 0)
        return rc;
    for (uint32_t i = 0; i < ws->n && rc == 0; i++) {
        request_set_limits(request, ws->list[i]->engine->t);
        rc = required_join(run->required, ws->list[i]->engine->t, &run->why);
    }
    if (rc < 0)
        return rc;
    crash_unwatch(&run->crash); /* nothing of the program's runs in this process */
    interrupt_watch(run->engine);
    run->start_s = now_s();
    rc = workers_run(ws);
    interrupt_unwatch(run->engine);
    if (rc < 0)
        run->why = ws->why;
    ask_workers(run, ws);
    covered_workers(run, ws);
    if (rc == 0)
        rc = run->workers_rc;
    if (rc == 0)
        rc = covered_write(run);
    return leave(run, ws, rc);
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
