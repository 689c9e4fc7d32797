/* workers.c - see workers.h. SPDX-License-Identifier: MIT */
#include "api/workers.h"

#include "api/options.h"
#include "api/phases.h"
#include "engine/mem.h"
#include "substrate/machine.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    LISTEN_MS = 20,     /* the parent looks at least so often */
    PATIENCE_MS = 1000, /* for workers to end their trials when the run is over */
    IDLE_DEATHS_MAX = 3,
};

/* ---- Opening and closing -------------------------------------------------------------------- */

static int open_worker(struct workers *ws, const struct engine *like, struct err *why)
{
    struct worker *w = mem_reserve_shared(sizeof(*w), why);
    int rc;

    if (w == NULL)
        return SN_ENOMEM;
    w->number = (uint16_t)ws->n;
    ws->list[ws->n++] = w;
    w->own = w->found = mem_reserve_shared(FINDINGS_BYTES, why);
    if (w->own == NULL)
        return SN_ENOMEM;
    w->notes = mem_reserve_shared(sizeof(*w->notes), why);
    if (w->notes == NULL)
        return SN_ENOMEM;
    w->notes->survey = ws->survey;
    rc = engine_clone(&w->engine, like, why);
    if (rc == 0)
        rc = phases_open(ws->job.request, &like->strategies, w->phases, &w->n_phases, why);
    if (rc < 0)
        return rc;
    if (ws->counters.bytes > 0) {
        w->counts_before = mem_reserve_shared(ws->counters.bytes, why);
        w->counts_after = mem_reserve_shared(ws->counters.bytes, why);
        if (w->counts_before == NULL || w->counts_after == NULL)
            return SN_ENOMEM;
    }
    w->can_seek = true;
    for (uint32_t i = 0; i < w->n_phases; i++) {
        w->can_seek &= w->phases[i].entry->strategy->seek != NULL;
        w->learns |= w->phases[i].entry->strategy->learns;
    }
    return 0;
}

static_assert((int)OPTIONS_JOBS_MAX <= (int)WORKERS_MAX, "each has a place");

/* Prepares a run whose trials cannot be dealt. */
static int open_pieces(struct workers *ws, struct err *why)
{
    ws->scratch = mem_reserve_shared(PIECES_BEGINNING_BYTES, why);
    if (ws->scratch == NULL)
        return SN_ENOMEM;
    ws->pieces.limit = atomic_load(&ws->job.board->limit);
    return pieces_open(ws, why);
}

/* Prepares a board for what trials teach, if they do. */
static int open_lessons(struct workers *ws, struct err *why)
{
    struct board *board = ws->job.board;
    const struct worker *w = ws->list[0];
    bool is_needed = false;

    for (uint32_t i = 0; i < w->n_phases; i++)
        is_needed |= w->phases[i].lessons != NULL;
    if (!is_needed)
        return 0;
    board->lessons = mem_reserve_shared(sizeof(*board->lessons), why);
    return board->lessons != NULL ? 0 : SN_ENOMEM;
}

int workers_open(struct workers *ws, uint32_t n, const struct worker_job *job,
                 const struct engine *like, struct err *why)
{
    int rc = 0;

    ws->job = *job;
    ws->strategies = &like->strategies;
    counters_open(&ws->counters);
    ws->job.counters = &ws->counters;
    ws->job.parent = getpid();
    ws->survey = mem_reserve_shared(sizeof(*ws->survey), why);
    if (ws->survey == NULL)
        return SN_ENOMEM;
    for (uint32_t i = 0; i < n && rc == 0; i++) {
        rc = open_worker(ws, like, why);
        ws->is_dealt = ws->list[0]->can_seek;
        if (rc == 0 && !ws->is_dealt && !pieces_can_split(ws))
            break; /* its trials can only be run one after the other */
    }
    if (rc == 0 && ws->is_dealt)
        return open_lessons(ws, why);
    return rc == 0 ? open_pieces(ws, why) : rc;
}

void workers_close(struct workers *ws)
{
    for (uint32_t i = 0; i < ws->n; i++) {
        struct worker *w = ws->list[i];

        strategies_close(w->phases, w->n_phases);
        engine_free(w->engine);
        mem_release(w->counts_before, ws->counters.bytes);
        mem_release(w->counts_after, ws->counters.bytes);
        mem_release(w->own, FINDINGS_BYTES);
        mem_release(w->notes, sizeof(*w->notes));
        mem_release(w, sizeof(*w));
    }
    if (ws->job.board != NULL) {
        mem_release(ws->job.board->lessons, sizeof(*ws->job.board->lessons));
        ws->job.board->lessons = NULL;
    }
    pieces_close(ws);
    mem_release(ws->scratch, PIECES_BEGINNING_BYTES);
    ws->scratch = NULL;
    mem_release(ws->survey, sizeof(*ws->survey));
    ws->survey = NULL;
    counters_close(&ws->counters);
    ws->n = 0;
}

/* ---- Starting and burying ------------------------------------------------------------------- */

static int start(struct workers *ws, struct worker *w)
{
    pid_t pid;

    w->has_ended = false;
    w->is_trial = false;
    w->has_run = false;
    atomic_store(&w->is_waiting, false);
    death_forget(w->engine->t);
    if (w->counts_before != NULL)
        counters_copy(&ws->counters, w->counts_before);
    pid = fork();
    if (pid == 0)
        worker_run(w, &ws->job);
    w->pid = pid > 0 ? pid : 0; /* the child sees this, too, so it must not write it */
    if (pid > 0)
        return 0;
    return err_set(&ws->why, SN_ENOMEM, "no worker could be started (%s)", strerrordesc_np(errno));
}

/* The trial that was running has failed, whatever the process died of. What becomes of the rest of
 * the search is up to the strategy, which takes it for the end of the trial: if it was not, because
 * somebody has killed the process, what lies behind it is never tried. */
static void fail_trial(struct workers *ws, struct worker *w, int status)
{
    struct trial *t = w->engine->t;
    struct board *board = ws->job.board;
    struct piece *p = w->piece;
    struct explore_end end;
    uint64_t kind;
    bool is_repeat;

    death_judge(t, status);
    t->phase_steps[t->phase] = t->now.steps - t->phase_began;
    end = explore_end_of(t);
    ws->was_killed |= worker_was_killed(w, status);
    w->is_trial = false;
    ws->idle_deaths[w->number] = 0;
    is_repeat = p != NULL && explore_is_repeat(p->phases, p->n_phases, t);
    if (p != NULL)
        explore_tell(p->phases, p->n_phases, w->next, &end, NULL);
    else if (!w->learns)
        explore_tell(w->phases, w->n_phases, w->next, &end, NULL);
    if (p != NULL && (is_repeat || piece_skips(p)))
        return;
    kind = worker_keep(w, w->next, false, true, status);
    if (p != NULL) {
        worker_fill(w, piece_entry(p, w->next), false, kind);
        piece_put(p, w->next);
        if (!ws->job.keep_going)
            piece_fail(p, w->next);
    } else {
        if (!ws->job.keep_going)
            board_limit(board, w->next + 1);
        worker_post(w, board, false, kind, NULL);
    }
    w->next++;
}

static bool has_work(const struct workers *ws, const struct worker *w)
{
    const struct board *board = ws->job.board;

    if (!ws->is_dealt)
        return !ws->is_over;
    return (w->next < w->to && board_is_wanted(board, w->next)) ||
           board_is_wanted(board, atomic_load(&board->next));
}

/* Whoever stops a run may tell all of its processes to end: the trial has not failed then, and is
 * left as if its time had been up. The parent may hear of it a moment later than the worker. */
static bool was_stopped(struct workers *ws, const struct worker *w, int status)
{
    if (!worker_was_killed(w, status))
        return false;
    if (!ws->is_stopped && !ws->client->tick(ws->client->self))
        ws->is_stopped = true;
    return ws->is_stopped;
}

/* A worker that is gone was in the middle of a trial, perhaps. */
static void leave_trial(struct worker *w)
{
    if (w->piece != NULL)
        w->piece->was_killed_in_trial |= w->is_trial;
}

/* A worker has died between trials: how many times that was in a row. */
static uint32_t count_idle_death(struct workers *ws, const struct worker *w)
{
    if (w->has_run)
        ws->idle_deaths[w->number] = 0;
    return ++ws->idle_deaths[w->number];
}

/* A worker has ended. It is started again if there is work left for it. */
static int bury(struct workers *ws, struct worker *w, int status)
{
    w->pid = 0;
    coverage_join(&ws->coverage, &w->engine->t->machines->coverage);
    if (w->has_ended && w->counts_before != NULL)
        counters_add(&ws->counters, w->counts_before, w->counts_after);
    if (w->rc < 0) {
        ws->why = w->why;
        return w->rc;
    }
    if (w->has_ended && !w->is_spoilt)
        return 0;
    if (!w->has_ended && was_stopped(ws, w, status)) {
        leave_trial(w);
        return 0;
    }
    if (!w->has_ended && w->is_trial)
        fail_trial(ws, w, status);
    else if (!w->has_ended && count_idle_death(ws, w) > IDLE_DEATHS_MAX)
        return err_set(&ws->why, SN_ESYSTEM,
                       "a worker ended %d times between trials, the last time with status 0x%x",
                       IDLE_DEATHS_MAX + 1, (unsigned)status);
    w->is_spoilt = false;
    return has_work(ws, w) ? start(ws, w) : 0;
}

static int look_for_the_dead(struct workers *ws)
{
    int rc = 0;

    for (uint32_t i = 0; i < ws->n && rc == 0; i++) {
        struct worker *w = ws->list[i];
        int status = 0;

        if (w->pid != 0 && waitpid(w->pid, &status, WNOHANG) == w->pid)
            rc = bury(ws, w, status);
    }
    return rc;
}

static bool is_any_alive(const struct workers *ws)
{
    for (uint32_t i = 0; i < ws->n; i++) {
        if (ws->list[i]->pid != 0)
            return true;
    }
    return false;
}

static void kill_all(struct workers *ws)
{
    for (uint32_t i = 0; i < ws->n; i++) {
        struct worker *w = ws->list[i];

        if (w->pid == 0)
            continue;
        (void)kill(w->pid, SIGKILL);
        while (waitpid(w->pid, NULL, 0) < 0 && errno == EINTR)
            continue;
        coverage_join(&ws->coverage, &w->engine->t->machines->coverage);
        w->pid = 0;
        leave_trial(w);
    }
}

/* ---- Looking after them --------------------------------------------------------------------- */

static uint64_t now_ns(void)
{
    struct timespec ts = {0};

    (void)clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

/* Where each trial has a process of its own, the worker looks after that. */
static void look_after_all(struct workers *ws)
{
    for (uint32_t i = 0; i < ws->n; i++) {
        struct worker *w = ws->list[i];

        if (w->pid != 0 && w->is_trial && w->mode != SN_WORLD_FORK)
            death_look(w->engine->t, w->pid);
    }
}

/* ---- Taking off the board ------------------------------------------------------------------- */

/* Trials below were taken off by everybody, if this process has taken those below one. A worker
 * that has nothing to do for a while may be told of them late. */
static uint64_t taken_by_all(const struct workers *ws, uint64_t trial)
{
    for (uint32_t i = 0; i < ws->n; i++) {
        struct worker *w = ws->list[i];
        uint64_t told = atomic_load_explicit(&w->told, memory_order_acquire);

        if (w->learns && w->pid != 0 && told < trial)
            trial = told;
    }
    return trial;
}

/* Takes what is there. False: nothing more is wanted. */
static bool take_dealt(struct workers *ws, uint64_t *trial)
{
    struct board *board = ws->job.board;
    uint64_t taken;
    bool goes_on = true;

    while (goes_on && board_is_wanted(board, *trial) && board_has(board, *trial)) {
        const struct board_entry *entry = board_entry(board, *trial);
        const struct worker *w = ws->list[entry->worker];
        bool has_passed = entry->verdict == SN_PASSED && !entry->nondeterministic;

        goes_on = ws->client->trial(ws->client->self, *trial, entry, w, w->own,
                                    has_passed ? NULL : findings_of(w->own, *trial));
        *trial = board_after(board, *trial);
    }
    taken = taken_by_all(ws, *trial);
    if (taken > atomic_load_explicit(&board->taken, memory_order_relaxed))
        board_taken(board, taken);
    return goes_on && board_is_wanted(board, *trial);
}

/* The same, whoever divides the trials. */
static bool take(struct workers *ws, uint64_t *trial)
{
    if (ws->is_dealt)
        return take_dealt(ws, trial);
    if (!pieces_take(ws))
        return false;
    pieces_assign(ws);
    return true;
}

/* Waits for workers to end their trials, and no longer than they may. */
static void finish(struct workers *ws)
{
    uint64_t end = now_ns() + (uint64_t)PATIENCE_MS * 1000000;

    ws->is_over = true;
    board_limit(ws->job.board, 0);
    while (is_any_alive(ws) && now_ns() < end) {
        uint32_t bell = atomic_load(&ws->job.board->bell);

        pieces_stop(ws);
        (void)look_for_the_dead(ws);
        if (is_any_alive(ws))
            board_listen(ws->job.board, bell, 1);
    }
    kill_all(ws);
}

static int run_all(struct workers *ws)
{
    struct board *board = ws->job.board;
    uint64_t trial = atomic_load(&board->next);
    uint64_t look_at = 0;
    uint64_t save_ns = request_save_s(ws->job.request) * 1000000000;
    uint64_t save_at = now_ns() + save_ns;
    int rc = 0;

    for (uint32_t i = 0; i < ws->n && rc == 0; i++)
        rc = start(ws, ws->list[i]);
    while (rc == 0) {
        uint32_t bell = atomic_load(&board->bell);

        rc = look_for_the_dead(ws);
        if (rc < 0 || ws->is_stopped || !take(ws, &trial))
            break;
        rc = ws->pieces.rc;
        if (rc < 0)
            break;
        if (!is_any_alive(ws) && ws->is_dealt && !board_has(board, trial)) {
            rc = err_set(&ws->why, SN_ESYSTEM, "trial %llu was lost", (unsigned long long)trial);
            break;
        }
        if (now_ns() >= look_at) {
            look_after_all(ws);
            look_at = now_ns() + (uint64_t)DEATH_LOOK_MS * 1000000;
        }
        if (now_ns() >= save_at) {
            pieces_call_to_save(ws);
            save_at = now_ns() + save_ns;
        }
        if (ws->pieces.is_saved) {
            ws->pieces.is_saved = false;
            ws->client->saved(ws->client->self);
        }
        if (!ws->client->tick(ws->client->self)) {
            ws->is_stopped = true;
            break;
        }
        board_listen(board, bell, LISTEN_MS);
    }
    return rc;
}

static void on_child(int number)
{
    (void)number; /* it ends the parent's sleep, which is all that is wanted */
}

bool workers_have_left_phase(const struct workers *ws)
{
    for (uint32_t i = 0; i < ws->n; i++) {
        if (ws->list[i]->has_left_phase)
            return true;
    }
    return false;
}

int workers_run(struct workers *ws)
{
    struct sigaction action = {.sa_handler = on_child, .sa_flags = SA_NOCLDSTOP};
    struct sigaction before;
    int rc;

    (void)sigaction(SIGCHLD, &action, &before);
    rc = run_all(ws);
    finish(ws);
    if (ws->is_stopped)
        pieces_take_all(ws);
    (void)sigaction(SIGCHLD, &before, NULL);
    return rc;
}
