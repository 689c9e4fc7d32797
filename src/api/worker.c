/* worker.c - see worker.h. SPDX-License-Identifier: MIT */
#include "api/worker.h"

#include "api/verify.h"
#include "engine/epoch.h"
#include "engine/here.h"
#include "oracle/leak.h"
#include "substrate/machine.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- Words ---------------------------------------------------------------------------------- */

void worker_describe_loss(struct verdict *v, const struct err *why)
{
    *v = (struct verdict){.verdict = SN_UNCONTROLLED};
    (void)snprintf(v->message, sizeof(v->message),
                   "%.400s; a process per trial undoes that: SN_WORLD_FORK, or --isolate=fork",
                   why->text);
}

void worker_describe_divergence(struct verdict *v, const struct trial *t, uint64_t trial)
{
    *v = (struct verdict){.verdict = SN_PASSED};
    (void)snprintf(v->message, sizeof(v->message),
                   "trial %llu does not repeat the one before: after step %llu, %.380s",
                   (unsigned long long)trial, (unsigned long long)t->now.steps, t->divergence.text);
}

void worker_describe_world(const struct explore *e, char *text, size_t size)
{
    const char *how = "memory is restored";

    if (e->mode == SN_WORLD_TRIAL)
        how = "the trial's memory is restored";
    else if (e->mode == SN_WORLD_FORK)
        how = "a process per trial";
    (void)snprintf(text, size, "%s%s%.90s", how, e->mode_why.text[0] != '\0' ? ": " : "",
                   e->mode_why.text);
}

/* ---- Findings ------------------------------------------------------------------------------- */

static void keep_log(struct worker *w, struct worker_finding *kept)
{
    const struct log *log = &w->engine->t->log;

    kept->log = w->n_logs;
    kept->has_log = false;
    if (log->n > WORKER_LOGS_MAX - w->n_logs)
        return;
    memcpy(w->logs + w->n_logs, log->entries, log->n * sizeof(log->entries[0]));
    kept->decisions = log->n;
    kept->has_log = true;
    w->n_logs += log->n;
}

uint64_t worker_keep(struct worker *w, uint64_t trial, bool nondeterministic, bool has_died,
                     int status)
{
    const struct trial *t = w->engine->t;
    struct worker_finding *kept = &w->findings[w->n_findings];
    struct finding f = {
        .trial = trial,
        .steps = t->now.steps,
        .order = t->now.order,
        .fair_from = t->fair_from,
        .mark = t->mark,
        .cut = t->cut,
        .nondeterministic = nondeterministic,
        .has_died = has_died,
        .was_killed = has_died && t->death.kind == DEATH_UNKNOWN && WIFSIGNALED(status) &&
                      WTERMSIG(status) == SIGKILL,
        .verdict = t->verdict,
    };
    uint64_t kind;

    if (t->death.stack.n > 0)
        f.stack = t->death.stack;
    if (f.verdict.verdict == SN_UNCONTROLLED)
        f.left = w->left;
    if (nondeterministic && w->differs.text[0] == '\0')
        worker_describe_divergence(&f.verdict, t, trial);
    if (nondeterministic && w->differs.text[0] != '\0') {
        f.verdict = (struct verdict){.verdict = SN_PASSED};
        memcpy(f.verdict.message, w->differs.text, sizeof(f.verdict.message));
        f.steps = w->differs_step;
    }
    kind = finding_kind(&f);
    for (uint32_t i = 0; i < w->n_findings; i++) {
        if (w->findings[i].kind == kind)
            return kind;
    }
    if (w->n_findings == WORKER_FINDINGS_MAX)
        return kind;
    kept->finding = f;
    kept->kind = kind;
    keep_log(w, kept);
    w->n_findings++; /* last: the process may die at any moment */
    return kind;
}

const struct worker_finding *worker_finding_of(const struct worker *w, uint64_t trial)
{
    for (uint32_t i = 0; i < w->n_findings; i++) {
        if (w->findings[i].finding.trial == trial)
            return &w->findings[i];
    }
    return NULL;
}

void worker_post(struct worker *w, struct board *board, uint64_t trial, bool nondeterministic,
                 uint64_t kind)
{
    const struct trial *t = w->engine->t;
    struct board_entry *entry = board_entry(board, trial);

    entry->worker = w->number;
    entry->verdict = (uint8_t)t->verdict.verdict;
    entry->nondeterministic = nondeterministic;
    entry->kind = kind;
    entry->end = explore_end_of(t);
    board_put(board, trial);
}

/* ---- Trials --------------------------------------------------------------------------------- */

/* Before the first trial of an epoch strategies that learn are told of all trials before it. False:
 * somebody who ran one of them is gone, and so is the run. */
static bool learn(struct worker *w, struct board *board, uint64_t trial)
{
    uint64_t epoch = epoch_of(trial);

    for (; w->told < epoch; w->told = board_after(board, w->told)) {
        if (!board_wait_for(board, w->told))
            return false;
        explore_tell(w->phases, w->n_phases, w->told, &board_entry(board, w->told)->end);
    }
    return true;
}

/* Looks at the trial that has just ended and writes it down. False: this process must end. */
static bool settle(struct worker *w, const struct worker_job *job, struct explore *e)
{
    struct trial *t = w->engine->t;
    bool nondeterministic = t->divergence.text[0] != '\0';
    struct err why;
    uint64_t kind = 0;
    int left = 0;

    why.text[0] = '\0';
    if (!nondeterministic && w->verify != NULL)
        nondeterministic = verify_trial(w->verify, e, &w->differs_step, &w->differs) != 0;
    if (nondeterministic || t->verdict.verdict == SN_UNCONTROLLED)
        w->is_spoilt = true;
    else
        left = explore_check(e, false, &why);
    if (left != 0) {
        worker_describe_loss(&t->verdict, &why);
        w->left = left;
        w->is_spoilt = true;
    }
    if (nondeterministic || t->verdict.verdict != SN_PASSED) {
        kind = worker_keep(w, w->next, nondeterministic, false, 0);
        if (!job->keep_going || w->is_spoilt)
            board_limit(job->board, w->next + 1);
    }
    worker_post(w, job->board, w->next, nondeterministic, kind);
    if (nondeterministic || t->verdict.verdict != SN_PASSED)
        board_ring(job->board);
    w->next++;
    w->is_trial = false;
    return !w->is_spoilt;
}

/* Runs one trial. False: this process must end, or there are no more. */
static bool run_next(struct worker *w, const struct worker_job *job, struct explore *e)
{
    struct trial *t = w->engine->t;

    death_forget(t);
    w->is_trial = true;
    if (!explore_next(e)) {
        const struct sn_strategy *strategy = w->phases[0].entry->strategy;

        w->is_trial = false;
        w->is_exhausted =
            strategy->is_exhausted != NULL && strategy->is_exhausted(w->phases[0].self);
        board_limit(job->board, w->next);
        return false;
    }
    return settle(w, job, e);
}

/* Trials as they are dealt. */
static void run_dealt(struct worker *w, const struct worker_job *job, struct explore *e)
{
    struct board *board = job->board;

    do {
        if (w->next < w->to)
            explore_seek(e, w->next);
        while (w->next < w->to && board_is_wanted(board, w->next)) {
            if (w->learns && !learn(w, board, w->next))
                return;
            if (w->learns)
                explore_seek(e, w->next);
            if (!run_next(w, job, e))
                return;
        }
    } while (board_deal(board, &w->next, &w->to));
}

/* One after the other. */
static void run_in_turn(struct worker *w, const struct worker_job *job, struct explore *e)
{
    e->trial = w->next;
    while (board_is_wanted(job->board, w->next) && board_wait_for_room(job->board, w->next + 1)) {
        if (!run_next(w, job, e))
            return;
    }
}

/* ---- The process ---------------------------------------------------------------------------- */

static struct explore *open_explore(struct worker *w, const struct worker_job *job)
{
    const struct run_request *request = job->request;
    struct explore_options options = {
        .test = request->test,
        .phases = w->phases,
        .n_phases = w->n_phases,
        .max_steps = request->options.max_steps,
        .timers = request->options.timers,
        .rerun = request->options.rerun,
        .fork = request->fork,
        .defers_ends = w->learns && w->can_seek,
    };
    struct explore *e = NULL;

    w->verify = NULL; /* one that died may have left it */
    w->differs.text[0] = '\0';
    if (request->leaks)
        w->rc = leak_open(w->engine->t, REACH_CALLER, &w->why);
    if (w->rc == 0 && request->verify)
        w->rc = verify_open(&w->verify, request, &w->why);
    if (w->rc < 0)
        return NULL;
    machines_forget(w->engine->t);
    w->rc = explore_open(&e, w->engine->t, &options, &w->why);
    if (w->rc < 0)
        return NULL;
    w->mode = e->mode;
    worker_describe_world(e, w->world, sizeof(w->world));
    return e;
}

/* What the last trials did shows only now. */
static void check_thoroughly(struct worker *w, struct explore *e)
{
    struct err why = {""};
    int left;

    if (w->is_spoilt || w->next == 0)
        return;
    left = explore_check(e, true, &why);
    if (left == 0)
        return;
    w->late.finding.left = left;
    w->late.finding.steps = w->engine->t->now.steps;
    w->late.finding.fair_from = w->engine->t->fair_from;
    worker_describe_loss(&w->late.finding.verdict, &why);
    keep_log(w, &w->late);
    w->is_late = true;
}

_Noreturn void worker_run(struct worker *w, const struct worker_job *job)
{
    struct explore *e;

    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != job->parent)
        _exit(0); /* it died before it could be said that this process is to die with it */
    (void)signal(SIGINT, SIG_IGN);
    (void)signal(SIGTERM, SIG_DFL);
    root_set_engine(w->engine->t);
    death_watch(w->engine->t);
    e = open_explore(w, job);
    if (e != NULL) {
        if (w->can_seek)
            run_dealt(w, job, e);
        else
            run_in_turn(w, job, e);
        check_thoroughly(w, e);
        w->has_left_phase |= e->has_left_phase;
    }
    verify_close(w->verify);
    if (w->counts_after != NULL)
        counters_copy(job->counters, w->counts_after);
    w->has_ended = true;
    board_ring(job->board);
    _exit(0);
}
