/* worker.c - see worker.h. SPDX-License-Identifier: MIT */
#include "api/worker.h"

#include "api/piece.h"
#include "api/repeats.h"
#include "api/verify.h"
#include "engine/epoch.h"
#include "events/events.h"
#include "oracle/leak.h"
#include "substrate/machine.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
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

void worker_describe_divergence(struct verdict *v, const struct trial *t)
{
    *v = (struct verdict){.verdict = SN_PASSED};
    (void)snprintf(v->message, sizeof(v->message),
                   "the trial does not repeat the one before: %.400s", t->divergence.text);
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

static void keep_log(struct findings *found, const struct log *log, struct worker_finding *kept)
{
    kept->log = found->n_logs;
    kept->has_log = false;
    if (log->n > WORKER_LOGS_MAX - found->n_logs)
        return;
    memcpy(found->logs + found->n_logs, log->entries, log->n * sizeof(log->entries[0]));
    kept->decisions = log->n;
    kept->has_log = true;
    found->n_logs += log->n;
}

bool worker_was_killed(const struct worker *w, int status)
{
    return w->engine->t->death.kind == DEATH_UNKNOWN && WIFSIGNALED(status) &&
           (WTERMSIG(status) == SIGKILL || WTERMSIG(status) == SIGTERM);
}

uint64_t worker_keep(struct worker *w, uint64_t trial, bool nondeterministic, bool has_died,
                     int status)
{
    const struct trial *t = w->engine->t;
    struct findings *found = w->found;
    struct worker_finding *kept = &found->list[found->n];
    struct finding f = {
        .trial = trial,
        .steps = t->now.steps,
        .order = t->now.order,
        .fair_from = t->fair_from,
        .mark = t->mark,
        .cut = t->cut,
        .run = w->run,
        .nondeterministic = nondeterministic,
        .has_died = has_died,
        .killed_by = has_died && worker_was_killed(w, status) ? WTERMSIG(status) : 0,
        .verdict = t->verdict,
        .signature = signature_of(w->engine->t),
    };
    uint64_t kind;

    if (t->death.stack.n > 0)
        f.stack = t->death.stack;
    if (f.verdict.verdict == SN_UNCONTROLLED)
        f.left = w->left;
    if (nondeterministic && w->differs.text[0] == '\0')
        worker_describe_divergence(&f.verdict, t);
    if (nondeterministic && w->differs.text[0] != '\0') {
        f.verdict = (struct verdict){.verdict = SN_PASSED};
        memcpy(f.verdict.message, w->differs.text, sizeof(f.verdict.message));
        f.steps = w->differs_step;
    }
    kind = finding_kind(&f);
    for (uint32_t i = 0; i < found->n; i++) {
        if (found->list[i].kind == kind)
            return kind;
    }
    if (found->n == WORKER_FINDINGS_MAX)
        return kind;
    kept->finding = f;
    kept->kind = kind;
    if (f.stack.n > 0)
        kept->modules = t->death.modules;
    keep_log(found, &t->log, kept);
    found->n++; /* last: the process may die at any moment */
    return kind;
}

const struct worker_finding *findings_of(const struct findings *found, uint64_t trial)
{
    for (uint32_t i = 0; i < found->n; i++) {
        if (found->list[i].finding.trial == trial)
            return &found->list[i];
    }
    return NULL;
}

void worker_fill(const struct worker *w, struct board_entry *entry, bool nondeterministic,
                 uint64_t kind)
{
    const struct trial *t = w->engine->t;

    entry->worker = w->number;
    entry->verdict = (uint8_t)t->verdict.verdict;
    entry->nondeterministic = nondeterministic;
    entry->kind = kind;
    entry->surveyed = w->surveyed;
    entry->end = explore_end_of(t);
}

void worker_post(struct worker *w, struct board *board, bool nondeterministic, uint64_t kind,
                 const struct lesson *lesson)
{
    worker_fill(w, board_entry(board, w->next), nondeterministic, kind);
    if (board->lessons != NULL)
        board_teach(board, w->next, lesson);
    board_put(board, w->next);
}

/* ---- Trials --------------------------------------------------------------------------------- */

/* Before the first trial of an epoch strategies that learn are told of all trials before it. False:
 * somebody who ran one of them is gone, and so is the run. */
static bool learn(struct worker *w, struct board *board, uint64_t trial)
{
    uint64_t epoch = epoch_of(trial);
    uint64_t told = atomic_load_explicit(&w->told, memory_order_relaxed);

    for (; told < epoch; told = board_after(board, told)) {
        if (!board_wait_for(board, told))
            return false;
        explore_tell(w->phases, w->n_phases, told, &board_entry(board, told)->end,
                     board_lesson(board, told));
        atomic_store_explicit(&w->told, board_after(board, told), memory_order_release);
    }
    return true;
}

/* Writes down how a trial has ended, where the parent looks for it. */
static void post(struct worker *w, const struct worker_job *job, bool nondeterministic,
                 bool has_passed, const struct lesson *lesson)
{
    struct board *board = job->board;
    bool is_last = !has_passed && (!job->keep_going || w->is_spoilt);
    uint64_t kind = 0;

    if (w->piece != NULL && piece_skips(w->piece))
        return;
    if (!has_passed)
        kind = worker_keep(w, w->next, nondeterministic, false, 0);
    if (w->piece != NULL) {
        worker_fill(w, piece_entry(w->piece, w->next), nondeterministic, kind);
        piece_put(w->piece, w->next);
        if (is_last)
            piece_fail(w->piece, w->next);
    } else {
        if (is_last)
            board_limit(board, w->next + 1);
        worker_post(w, board, nondeterministic, kind, lesson);
    }
    if (!has_passed)
        board_ring(board);
    w->next++;
}

/* Whether the trial that has just ended is to be looked at, and as which one. One that was stuck
 * shows nothing; of one that was counted before, that is known. */
static bool wants_survey(struct worker *w, uint64_t *as)
{
    const struct trial *t = w->engine->t;
    uint32_t rank = 0;

    *as = w->next;
    if (t->stuck || t->discarded || t->death.stack.n > 0)
        return false;
    if (w->piece == NULL)
        return survey_wants(w->next);
    if (atomic_load_explicit(&w->piece->skip, memory_order_relaxed) > 0)
        return false;
    rank = survey_rank(t);
    *as = survey_number(rank);
    if (!survey_admits(w->notes->survey, rank, t->now.steps))
        return false;
    w->surveyed = (uint8_t)rank;
    return true;
}

/* Whether a trial that has passed did the same the second time; if not, it says what it did. */
static bool is_same(struct trial *t, const struct trial_now *before, bool was_unfinished)
{
    if (t->divergence.text[0] != '\0')
        return false;
    if (t->unfinished != was_unfinished || t->now.steps != before->steps)
        (void)err_set(&t->divergence, SN_EINVAL, "it ended at step %llu, but not the second time",
                      (unsigned long long)before->steps);
    else if (t->now.order != before->order)
        (void)err_set(&t->divergence, SN_EINVAL,
                      "the same operations touched other things the second time");
    return t->divergence.text[0] == '\0';
}

/* Runs one of some trials again to look at it closely. False: it did not repeat itself. A failure
 * stays what it was: whether that comes again is found out when it is recorded. */
static bool survey(struct worker *w, const struct worker_job *job, struct explore *e)
{
    struct trial *t = w->engine->t;
    struct verdict verdict;
    struct trial_now now;
    uint64_t decisions = t->log.n;
    uint64_t mark = t->mark;
    bool was_unfinished = t->unfinished;
    bool cut = t->cut;
    uint64_t as;

    if (!wants_survey(w, &as))
        return true;
    w->surveyed++;
    verdict = t->verdict;
    now = t->now;
    if (w->counts_after != NULL) /* it has been counted once */
        counters_copy(job->counters, w->counts_after);
    survey_trial(w->notes, e, as);
    if (w->counts_after != NULL)
        counters_return(job->counters, w->counts_after);
    if (verdict.verdict == SN_PASSED && trial_was_refused(t))
        return true; /* that is how it has ended now */
    if (verdict.verdict == SN_PASSED)
        return is_same(t, &now, was_unfinished);
    t->verdict = verdict;
    t->now = now;
    t->log.n = decisions;
    t->mark = mark;
    t->cut = cut;
    t->divergence.text[0] = '\0';
    t->unfinished = false;
    return true;
}

/* Looks at the trial that has just ended and writes it down. False: this process must end. */
static bool settle(struct worker *w, const struct worker_job *job, struct explore *e)
{
    struct trial *t = w->engine->t;
    uint32_t runs = request_repeats(job->request);
    bool nondeterministic;
    struct err why;
    int left = 0;

    why.text[0] = '\0';
    w->run = runs > 1 ? repeats_run(e, runs) : 0;
    nondeterministic = t->divergence.text[0] != '\0';
    if (!nondeterministic && w->verify != NULL)
        nondeterministic = verify_trial(w->verify, e, &w->differs_step, &w->differs) != 0;
    if (nondeterministic || t->verdict.verdict == SN_UNCONTROLLED)
        w->is_spoilt = true;
    else
        left = explore_check(e, explore_is_due(e->trial - 1), &why);
    if (left != 0) {
        worker_describe_loss(&t->verdict, &why);
        w->left = left;
        w->is_spoilt = true;
    }
    w->has_left_phase |= e->has_left_phase;
    w->surveyed = 0;
    if (!w->is_spoilt && !request_is_uncontrolled(job->request))
        nondeterministic = w->is_spoilt = !survey(w, job, e);
    w->is_spoilt |= trial_was_refused(t);
    post(w, job, nondeterministic, !nondeterministic && t->verdict.verdict == SN_PASSED,
         e->has_lessons ? &e->lesson : NULL);
    w->is_trial = false;
    return !w->is_spoilt;
}

/* Runs one trial. False: this process must end, or there are no more. */
static bool run_next(struct worker *w, const struct worker_job *job, struct explore *e)
{
    struct trial *t = w->engine->t;

    death_forget(t);
    w->is_trial = true;
    w->has_run = true;
    if (explore_next(e))
        return settle(w, job, e);
    w->is_trial = false;
    if (w->piece != NULL)
        atomic_store(&w->piece->is_over, true);
    else
        board_limit(job->board, w->next);
    return false;
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
    } while (board_deal(board, &w->next, &w->to) && (!w->learns || learn(w, board, w->next)) &&
             board_wait_for_room(board, w->to));
}

/* Runs trials of a piece while they are wanted and nobody calls. False: this process must end. */
static bool run_piece(struct worker *w, const struct worker_job *job, struct explore *e)
{
    struct piece *p = w->piece;

    w->found = p->findings;
    w->next = atomic_load(&p->done);
    explore_set_phases(e, p->phases, p->n_phases);
    e->inside = &p->inside;
    e->trial = w->next;
    while (!atomic_load_explicit(&w->is_called, memory_order_relaxed) && piece_is_wanted(p) &&
           piece_has_room(p)) {
        bool goes_on = run_next(w, job, e);

        for (uint32_t i = 0; i < LEFTS; i++) {
            if (likely(e->left[i] == 0))
                continue;
            atomic_fetch_add(&p->left[i], e->left[i]);
            e->left[i] = 0;
        }
        if (!goes_on)
            break;
        if (atomic_load_explicit(&p->is_asked, memory_order_relaxed))
            piece_ask(p);
    }
    return !w->is_spoilt;
}

/* Tells the parent that there is nothing to do, and waits for it to say what is. */
static void wait_for_orders(struct worker *w, struct board *board)
{
    uint32_t orders = atomic_load(&w->orders);

    atomic_store(&w->is_waiting, true);
    board_ring(board);
    while (atomic_load(&w->orders) == orders)
        board_sleep(&w->orders, orders);
}

/* Pieces as they are given; none ends it. */
static void run_pieces(struct worker *w, const struct worker_job *job, struct explore *e)
{
    do {
        if (w->piece != NULL && !run_piece(w, job, e))
            return;
        wait_for_orders(w, job->board);
    } while (w->piece != NULL);
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
    uint64_t decisions = w->engine->t->log.n;
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
    events_forget(w->engine->t);
    w->rc = explore_open(&e, w->engine->t, &options, &w->why);
    if (w->rc < 0)
        return NULL;
    w->engine->t->log.n = decisions; /* of a trial that ended its process: the next may keep some */
    w->mode = e->mode;
    worker_describe_world(e, w->world, sizeof(w->world));
    return e;
}

/* What the last trials did shows only now. */
static void check_thoroughly(struct worker *w, struct explore *e)
{
    struct err why = {""};
    int left;

    if (w->is_spoilt || !w->has_run)
        return;
    left = explore_check(e, true, &why);
    if (left == 0)
        return;
    w->late.finding.left = left;
    w->late.finding.steps = w->engine->t->now.steps;
    w->late.finding.fair_from = w->engine->t->fair_from;
    worker_describe_loss(&w->late.finding.verdict, &why);
    keep_log(w->own, &w->engine->t->log, &w->late);
    w->is_late = true;
}

_Noreturn void worker_run(struct worker *w, const struct worker_job *job)
{
    struct explore *e;

    engine_enter(w->engine, job->parent);
    e = open_explore(w, job);
    if (e != NULL) {
        if (w->can_seek)
            run_dealt(w, job, e);
        else
            run_pieces(w, job, e);
        check_thoroughly(w, e);
    }
    verify_close(w->verify);
    if (w->counts_after != NULL)
        counters_copy(job->counters, w->counts_after);
    w->has_ended = true;
    board_ring(job->board);
    _exit(0);
}
