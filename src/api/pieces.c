/* pieces.c - see pieces.h.
 *
 * A worker that has nothing to do gets the first piece of the row that nobody runs. If there is
 * none, the worker of the first piece is called, and what that gives away becomes a piece of its
 * own. Since it is always the first one that is divided, workers stay near the front, and what they
 * have done is taken soon; one that is too far ahead is given something in front of it.
 * SPDX-License-Identifier: MIT
 */
#include "api/pieces.h"

#include "api/learned.h"
#include "api/phases.h"
#include "api/workers.h"
#include "engine/mem.h"

#include <stdio.h>
#include <string.h>

/* A piece that could not be divided is asked again after so many more trials. */
enum { SPLIT_PAUSE = 64 };

#define ENTRIES_BYTES (PIECE_TRIALS * sizeof(struct board_entry))

/* ---- Opening and closing -------------------------------------------------------------------- */

bool pieces_can_split(const struct workers *ws)
{
    const struct explore_phase *phases = ws->list[0]->phases;
    const struct strategy_entry *entry = phases[0].entry;
    const struct sn_strategy *strategy = entry->strategy;

    /* Who decides after it may go by the numbers of trials, which are not known before the end. */
    return !ws->job.request->estimate && ws->list[0]->n_phases == 1 && strategy->split != NULL &&
           strategy->save != NULL && strategy->load != NULL &&
           (entry->can_split == NULL || entry->can_split(phases[0].self));
}

static void close_piece(struct piece *p)
{
    strategies_close(p->phases, p->n_phases);
    mem_release(p->findings, FINDINGS_BYTES);
    mem_release(p->entries, ENTRIES_BYTES);
    mem_release(p->beginning, PIECES_BEGINNING_BYTES);
    mem_release(p, sizeof(*p));
}

static int open_piece(struct workers *ws, struct err *why)
{
    struct piece *p = mem_reserve_shared(sizeof(*p), why);

    if (p == NULL)
        return SN_ENOMEM;
    p->findings = mem_reserve_shared(FINDINGS_BYTES, why);
    p->entries = mem_reserve_shared(ENTRIES_BYTES, why);
    p->beginning = mem_reserve_shared(PIECES_BEGINNING_BYTES, why);
    if (p->findings == NULL || p->entries == NULL || p->beginning == NULL ||
        phases_open(ws->job.request, ws->strategies, p->phases, &p->n_phases, why) < 0) {
        close_piece(p);
        return SN_ENOMEM;
    }
    ws->pieces.all[ws->pieces.n++] = p;
    return 0;
}

/* A piece that is not in the row; NULL: there are no more. */
static struct piece *find_unused(struct workers *ws)
{
    for (uint32_t i = 0; i < ws->pieces.n; i++) {
        if (!ws->pieces.all[i]->is_used)
            return ws->pieces.all[i];
    }
    return NULL;
}

/* Keeps the state as it is before the next trial. */
static void save_beginning(struct piece *p, uint64_t skip)
{
    size_t n = learned_save(p->phases, p->n_phases, p->beginning, PIECES_BEGINNING_BYTES);

    p->beginning_size = n <= PIECES_BEGINNING_BYTES ? n : 0;
    p->beginning_skip = skip;
    p->beginning_at = atomic_load(&p->taken);
    for (uint32_t i = 0; i < LEFTS; i++)
        p->beginning_left[i] = atomic_load(&p->left[i]);
    p->is_save_due = false;
}

/* Puts a piece, whose strategies have their states, into the row. NULL: as the first one. */
static void insert(struct workers *ws, struct piece *p, struct piece *after, uint64_t skip)
{
    struct piece **place = after != NULL ? &after->next : &ws->pieces.first;

    atomic_store(&p->done, 0);
    atomic_store(&p->taken, 0);
    atomic_store(&p->skip, skip);
    atomic_store(&p->limit, ws->pieces.limit - ws->pieces.taken);
    atomic_store(&p->is_over, false);
    atomic_store(&p->has_failed, false);
    p->findings->n = 0;
    p->findings->n_logs = 0;
    p->worker = NULL;
    p->last = NULL;
    p->split_from = 1;
    p->inside = (struct explore_inside){.is_open = false};
    p->was_killed_in_trial = false;
    p->is_used = true;
    for (uint32_t i = 0; i < LEFTS; i++)
        atomic_store(&p->left[i], 0);
    save_beginning(p, skip);
    piece_ask(p);
    p->next = *place;
    *place = p;
}

int pieces_open(struct workers *ws, struct err *why)
{
    struct pieces *all = &ws->pieces;
    uint32_t n = 1;
    int rc = 0;

    all->can_split = pieces_can_split(ws);
    if (all->can_split && ws->n > 1)
        n = PIECES_SPARE + 2 * ws->n;
    /* All of them now: the workers will see no memory that is made after them. */
    while (rc == 0 && all->n < n)
        rc = open_piece(ws, why);
    if (rc == 0)
        insert(ws, all->all[0], NULL, 0);
    return rc;
}

void pieces_close(struct workers *ws)
{
    for (uint32_t i = 0; i < ws->pieces.n; i++)
        close_piece(ws->pieces.all[i]);
    ws->pieces.n = 0;
}

void pieces_clear(struct workers *ws)
{
    for (struct piece *p = ws->pieces.first; p != NULL; p = p->next)
        p->is_used = false;
    ws->pieces.first = NULL;
}

int pieces_load(struct workers *ws, const unsigned char *bytes, size_t n, uint64_t skip,
                struct err *why)
{
    struct pieces *all = &ws->pieces;
    struct piece *last = all->first;
    struct piece *p;
    int rc;

    p = find_unused(ws);
    /* A run with more workers may have left more of them. */
    if (p == NULL && all->n < PIECES_MAX && open_piece(ws, why) == 0)
        p = find_unused(ws);
    if (p == NULL)
        return err_set(why, SN_ENOMEM, "there are too many pieces of a search");
    rc = learned_load(bytes, n, p->phases, p->n_phases, why);
    if (rc < 0)
        return rc;
    while (last != NULL && last->next != NULL)
        last = last->next;
    insert(ws, p, last, skip);
    return 0;
}

/* ---- Taking --------------------------------------------------------------------------------- */

/* Takes the trials of a piece that have ended. False: no more is wanted. */
static bool take_piece(struct workers *ws, struct piece *p)
{
    uint64_t done = atomic_load_explicit(&p->done, memory_order_acquire);
    uint64_t trial = atomic_load(&p->taken);
    bool goes_on = true;

    /* What failed may be said to have before it can be taken. */
    if (atomic_load(&p->has_failed) && trial >= atomic_load(&p->limit))
        return false;
    while (goes_on && trial < done && ws->pieces.taken < ws->pieces.limit) {
        const struct board_entry *entry = piece_entry(p, trial);
        bool has_passed = entry->verdict == SN_PASSED && !entry->nondeterministic;
        const struct worker_finding *found = has_passed ? NULL : findings_of(p->findings, trial);
        struct worker_finding numbered; /* the piece goes by its own numbers */

        if (found != NULL) {
            numbered = *found;
            numbered.finding.trial = ws->first_trial + ws->pieces.taken;
        }
        goes_on = ws->client->trial(ws->client->self, ws->first_trial + ws->pieces.taken, entry,
                                    ws->list[entry->worker], p->findings,
                                    found != NULL ? &numbered : NULL);
        ws->pieces.taken++;
        trial++;
    }
    atomic_store_explicit(&p->taken, trial, memory_order_release);
    return goes_on && ws->pieces.taken < ws->pieces.limit;
}

/* A piece that has failed may have lowered its limit already. */
static void lower(_Atomic uint64_t *limit, uint64_t to)
{
    uint64_t now = atomic_load(limit);

    while (now > to && !atomic_compare_exchange_weak(limit, &now, to))
        continue;
}

/* A piece is over and taken: was that all of it? */
static void retire(struct pieces *all, struct piece *p)
{
    const struct sn_strategy *strategy = p->phases[0].entry->strategy;

    if (strategy->is_exhausted == NULL || !strategy->is_exhausted(p->phases[0].self))
        all->is_incomplete = true;
    else if (strategy->within != NULL && all->within[0] == '\0')
        strategy->within(p->phases[0].self, all->within, sizeof(all->within));
    all->first = p->next;
    for (uint32_t i = 0; i < LEFTS; i++)
        all->left[i] += atomic_load(&p->left[i]);
    p->is_used = false;
    if (p->worker != NULL)
        p->worker->piece = NULL;
    if (p->next != NULL) /* from now on it is known which of its trials are wanted */
        lower(&p->next->limit, all->limit - all->taken);
}

bool pieces_take(struct workers *ws)
{
    struct pieces *all = &ws->pieces;

    while (all->first != NULL) {
        struct piece *p = all->first;
        bool is_over = atomic_load(&p->is_over);

        if (!take_piece(ws, p))
            return false;
        if (!is_over || (p->worker != NULL && !atomic_load(&p->worker->is_waiting)))
            return true;
        retire(all, p);
    }
    return false;
}

void pieces_take_all(struct workers *ws)
{
    bool goes_on = true;

    for (struct piece *p = ws->pieces.first; p != NULL && goes_on; p = p->next)
        goes_on = take_piece(ws, p);
}

/* ---- Giving --------------------------------------------------------------------------------- */

static void send_off(struct worker *w)
{
    atomic_store(&w->is_called, false);
    atomic_store(&w->is_waiting, false);
    atomic_fetch_add(&w->orders, 1);
    board_wake(&w->orders);
}

/* Makes the strategy of a piece one that has done nothing: what is divided has one phase. */
static int renew(struct workers *ws, struct piece *p)
{
    const struct run_request *request = ws->job.request;

    return strategies_renew(request_strategy(request), request_seed(request), &p->phases[0],
                            &ws->why);
}

/* Where another worker, or another piece, was between, there is no last trial to go on from. False:
 * the state is lost, or too much to be carried over, and the run cannot go on. */
static bool reload(struct workers *ws, struct piece *p, const struct worker *w)
{
    size_t n;

    if (p->last == NULL || (p->last == w && w->last_piece == p))
        return true;
    n = learned_save(p->phases, p->n_phases, ws->scratch, PIECES_BEGINNING_BYTES);
    if (n == 0 || n > PIECES_BEGINNING_BYTES) {
        ws->pieces.rc = err_set(&ws->why, SN_ENOMEM,
                                "what is left of the search is too much to be given to another "
                                "worker; -j 1 needs no other");
        return false;
    }
    ws->pieces.rc = renew(ws, p);
    if (ws->pieces.rc == 0)
        ws->pieces.rc = learned_load(ws->scratch, n, p->phases, p->n_phases, &ws->why);
    p->was_killed_in_trial |= ws->pieces.rc < 0; /* from its beginning another run can go on */
    p->last = NULL;
    return ws->pieces.rc == 0;
}

static bool give(struct workers *ws, struct piece *p, struct worker *w)
{
    if (!reload(ws, p, w))
        return false;
    p->worker = w;
    p->last = w;
    w->last_piece = p;
    w->piece = p;
    send_off(w);
    return true;
}

/* The first piece that can go on and that nobody runs. Behind a failure nothing is wanted. */
static struct piece *find_idle(struct workers *ws)
{
    for (struct piece *p = ws->pieces.first; p != NULL; p = p->next) {
        if (p->worker == NULL && piece_is_wanted(p) && piece_has_room(p))
            return p;
        if (atomic_load(&p->has_failed))
            return NULL;
    }
    return NULL;
}

/* Calls the worker of the first piece. */
static void call_for_work(struct workers *ws)
{
    struct piece *p = ws->pieces.first;

    if (p != NULL && p->worker != NULL && piece_is_wanted(p) &&
        atomic_load(&p->done) >= p->split_from)
        atomic_store(&p->worker->is_called, true);
}

/* Divides the first piece, whose worker waits. All that it has done is taken, and nothing is to be
 * skipped, which might lie in the other one: from here on its beginning is what it is now. */
static void divide(struct workers *ws, struct piece *p)
{
    const struct sn_strategy *strategy = p->phases[0].entry->strategy;
    struct piece *other = find_unused(ws);

    if (other == NULL || renew(ws, other) < 0 ||
        !strategy->split(p->phases[0].self, other->phases[0].self)) {
        p->split_from = atomic_load(&p->done) + SPLIT_PAUSE;
        return;
    }
    insert(ws, other, p, 0);
    save_beginning(p, 0);
    piece_ask(p);
}

void pieces_call_to_save(struct workers *ws)
{
    struct piece *p = ws->pieces.first;

    if (p == NULL || p->worker == NULL)
        return;
    p->is_save_due = true;
    atomic_store(&p->worker->is_called, true);
}

/* Takes a worker's piece from it, if it does not run any more. True: the worker waits for one. */
static bool let_go(struct workers *ws, struct worker *w)
{
    struct piece *p = w->piece;
    bool is_taken;

    if (w->pid == 0 || !atomic_load(&w->is_waiting))
        return false;
    if (p == NULL)
        return true;
    is_taken = atomic_load(&p->taken) == atomic_load(&p->done);
    if (p->is_save_due && is_taken) {
        save_beginning(p, atomic_load(&p->skip));
        ws->pieces.is_saved = true;
    } else if (atomic_load(&w->is_called) && piece_is_wanted(p) && p == ws->pieces.first &&
               is_taken && atomic_load(&p->skip) == 0) {
        divide(ws, p);
    }
    atomic_store(&w->is_called, false);
    p->worker = NULL;
    w->piece = NULL;
    return true;
}

void pieces_assign(struct workers *ws)
{
    bool is_work_wanted = false;

    for (uint32_t i = 0; i < ws->n; i++) {
        struct worker *w = ws->list[i];
        struct piece *p = w->piece;

        /* Its own piece first: any other would have to be begun in the middle. */
        if (let_go(ws, w) && p != NULL && p->is_used && piece_is_wanted(p) && piece_has_room(p))
            (void)give(ws, p, w);
    }
    for (uint32_t i = 0; i < ws->n; i++) {
        struct worker *w = ws->list[i];
        struct piece *p = NULL;

        if (w->piece != NULL || w->pid == 0 || !atomic_load(&w->is_waiting))
            continue;
        p = find_idle(ws);
        if (p == NULL || !give(ws, p, w))
            is_work_wanted = true;
    }
    if (is_work_wanted && ws->pieces.can_split)
        call_for_work(ws);
}

void pieces_stop(struct workers *ws)
{
    for (struct piece *p = ws->pieces.first; p != NULL; p = p->next)
        atomic_store(&p->limit, 0);
    for (uint32_t i = 0; i < ws->n; i++) {
        struct worker *w = ws->list[i];

        if (w->pid == 0 || !atomic_load(&w->is_waiting))
            continue;
        if (w->piece != NULL)
            w->piece->worker = NULL;
        w->piece = NULL;
        send_off(w);
    }
}

/* ---- Looking -------------------------------------------------------------------------------- */

double pieces_progress(struct workers *ws, uint64_t *trials)
{
    const struct piece *first = ws->pieces.first;
    double left = 0;

    *trials = ws->first_trial + ws->pieces.taken;
    if (first == NULL || first->phases[0].entry->strategy->progress == NULL || first->n_phases > 1)
        return 0;
    for (struct piece *p = ws->pieces.first; p != NULL; p = p->next) {
        if (ws->is_over && !p->was_killed_in_trial)
            piece_ask(p);
        if (!atomic_load(&p->is_over))
            left += 1 - atomic_load(&p->progress);
        *trials += atomic_load(&p->done) - atomic_load(&p->taken);
        atomic_store(&p->is_asked, true);
    }
    return left < 1 ? 1 - left : 0;
}

/* Whether the present state is the one after the trials that were taken, and before the next. */
static bool is_between(const struct workers *ws, const struct piece *p)
{
    return (p->worker == NULL || ws->is_over) && !p->was_killed_in_trial &&
           atomic_load(&p->taken) == atomic_load(&p->done);
}

uint64_t pieces_left(const struct workers *ws, enum explore_left why, bool is_to_save)
{
    uint64_t n = ws->pieces.left[why];

    for (const struct piece *p = ws->pieces.first; p != NULL; p = p->next)
        n += is_to_save && !is_between(ws, p) ? p->beginning_left[why] : atomic_load(&p->left[why]);
    return n;
}

/* ---- Saving --------------------------------------------------------------------------------- */

size_t pieces_save(const struct workers *ws, const struct piece *p, unsigned char *bytes,
                   size_t room, uint64_t *skip)
{
    uint64_t taken = atomic_load(&p->taken);

    if (is_between(ws, p)) {
        *skip = atomic_load(&p->skip);
        return learned_save(p->phases, p->n_phases, bytes, room);
    }
    *skip = p->beginning_skip + taken - p->beginning_at;
    if (p->beginning_size <= room)
        memcpy(bytes, p->beginning, p->beginning_size);
    return p->beginning_size;
}
