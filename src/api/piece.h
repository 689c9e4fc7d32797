/* piece.h - a part of a systematic search that one worker at a time runs.
 *
 * A strategy that tries everything goes from each trial to the next one, so its trials cannot be
 * dealt. But what is left of its work can be divided (split of struct sn_strategy): each part is a
 * piece, with the state of the strategy and with how its trials have ended. All of it lies in
 * memory that the parent and the workers share: a worker can die, and another one can go on.
 * SPDX-License-Identifier: MIT
 */
#ifndef API_PIECE_H
#define API_PIECE_H

#include "api/worker.h"

enum { PIECE_TRIALS = 1 << 16 }; /* that have ended and were not taken: who has so many waits */

struct piece {
    struct explore_phase phases[EXPLORE_PHASES_MAX];
    uint32_t n_phases;
    struct explore_inside inside; /* a worker that died may have been in the search of a phase */
    struct findings *findings;    /* by the number of the trial in this piece */
    struct board_entry *entries;
    _Atomic uint64_t done;        /* trials that have ended, from 0 on */
    _Atomic uint64_t taken;       /* ... and that the parent knows of */
    _Atomic uint64_t limit;       /* trials from here on are not wanted */
    _Atomic uint64_t skip;        /* trials before the first one were counted when they first ran */
    _Atomic uint64_t left[LEFTS]; /* trials that were left, by enum explore_left */
    _Atomic double progress;      /* as the strategy said when it was last asked */
    _Atomic bool is_asked;        /* the worker is to ask it */
    _Atomic bool is_over;         /* the strategy has nothing left */
    _Atomic bool has_failed;      /* the last trial, and none after it is wanted in any piece */

    /* For the parent alone. */
    struct piece *next;       /* its trials come after all of this one's */
    bool is_used;             /* it is one of those that are not over, or not taken */
    struct worker *worker;    /* that runs it; NULL: none */
    struct worker *last;      /* that ran it; NULL: none, or the state was loaded since */
    uint64_t split_from;      /* trials that must have ended before it can be divided, perhaps */
    unsigned char *beginning; /* an earlier state, saved: of the first trial, or a later one */
    size_t beginning_size;    /* 0: it cannot be saved */
    uint64_t beginning_at;    /* trials that had been taken then */
    uint64_t beginning_skip;  /* `skip` then */
    uint64_t beginning_left[LEFTS];
    bool is_save_due;         /* the beginning is to be a later one */
    bool was_killed_in_trial; /* the state is that of half a trial */
};

static inline struct board_entry *piece_entry(struct piece *p, uint64_t trial)
{
    return &p->entries[trial % PIECE_TRIALS];
}

static inline bool piece_is_wanted(const struct piece *p)
{
    return !atomic_load_explicit(&p->is_over, memory_order_relaxed) &&
           atomic_load_explicit(&p->done, memory_order_relaxed) <
               atomic_load_explicit(&p->limit, memory_order_relaxed);
}

static inline bool piece_has_room(const struct piece *p)
{
    return atomic_load_explicit(&p->done, memory_order_relaxed) <
           atomic_load_explicit(&p->taken, memory_order_acquire) + PIECE_TRIALS;
}

/* Whether the trial that has just ended was counted before. */
static inline bool piece_skips(struct piece *p)
{
    uint64_t left = atomic_load_explicit(&p->skip, memory_order_relaxed);

    if (left == 0)
        return false;
    atomic_store_explicit(&p->skip, left - 1, memory_order_relaxed);
    return true;
}

/* A trial, whose entry was filled, has ended. */
static inline void piece_put(struct piece *p, uint64_t trial)
{
    atomic_store_explicit(&p->done, trial + 1, memory_order_release);
}

/* Asks the strategy how far it is: between trials. */
static inline void piece_ask(struct piece *p)
{
    const struct sn_strategy *strategy = p->phases[0].entry->strategy;

    atomic_store(&p->is_asked, false);
    if (strategy->progress != NULL)
        atomic_store(&p->progress, strategy->progress(p->phases[0].self));
}

/* The trial that was put last is the last one that is wanted. It comes after piece_put, so that who
 * sees that the piece has failed sees the trial, too. */
static inline void piece_fail(struct piece *p, uint64_t trial)
{
    atomic_store(&p->limit, trial + 1);
    atomic_store(&p->has_failed, true);
}

#endif
