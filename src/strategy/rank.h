/* rank.h - picks by rank: each operation gets a number when it can run, and the lowest one runs.
 *
 * The rank of an operation stands in the high half of its entry in the enabled set, which the
 * engine sets to 0 whenever another operation has become ready there. Entries then compare by rank
 * (and, should two be equal, by source), and picking is finding the smallest of an array of
 * integers. An entry without a rank is smaller than any with one, so none is ever overlooked.
 *
 * A timer that is started again whenever it fires would, with a good rank each time, keep the rest
 * waiting for ever while what it sends piles up. So the more often the timers of a task have fired
 * since the system was last idle, the worse they rank; after RANK_FIRINGS_MAX times they come after
 * everything else. When nothing else is left the system is idle, and the counts begin anew. What
 * conflict analysis lets run at once does so all the same, and has a limit of its own.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef STRATEGY_RANK_H
#define STRATEGY_RANK_H

#include "base/rng.h"
#include "engine/trial.h"

enum {
    RANK_BEGIN = 1,                    /* ranks as they are drawn (the first: to run at once) ... */
    RANK_END = RANK_BEGIN + (1 << 30), /* ... up to here */
    RANK_DEMOTED = 0x50000000,         /* from here on: what a strategy has put last */
    RANK_SPENT = 0x60000000,           /* timers that fired too often since the last lull */
    RANK_FIRINGS_MAX = 64,
};

/* The first member of the state of each strategy that picks by rank. */
struct ranks {
    uint64_t key;      /* of the trial */
    uint64_t lull;     /* number of the idle moment that came last */
    uint32_t position; /* in the enabled set, of what ran last: something else is there now */
    uint64_t fired[TRIAL_TASKS_MAX]; /* lull << 8 | how often timers of the task fired since */
};

/* What rank an operation has, were it not for timers. */
typedef uint32_t rank_natural(const struct trial *t, const struct ranks *r, const struct sn_op *op);

/* A trial begins. */
static inline void rank_begin(struct ranks *r, uint64_t key)
{
    r->key = key;
    r->lull++;
    r->position = 0;
}

/* A rank drawn at random, the same whenever the same is asked. */
static inline uint32_t rank_draw(uint64_t key, uint64_t id)
{
    return RANK_BEGIN + (uint32_t)(mix64(id + key) >> 34);
}

static inline uint32_t rank_of(uint64_t entry)
{
    return (uint32_t)(entry >> 32);
}

/* The rank of a timer that would have this one if it were a message. */
uint32_t rank_of_timer(const struct ranks *r, uint32_t task, uint32_t rank);

/* A timer of a task is about to fire. */
void rank_fires(struct ranks *r, uint32_t task);

/* Gives ranks to all that have none, and begins anew when nothing but spent timers is left. Returns
 * the smallest entry. */
uint64_t rank_all(struct trial *t, struct ranks *r, rank_natural *natural);

static inline __attribute__((always_inline)) void rank_at(struct trial *t, const struct ranks *r,
                                                          uint32_t position, rank_natural *natural)
{
    uint64_t entry = (uint32_t)t->enabled[position];
    const struct sn_op *op = &t->ops[t->sources[entry].ready];
    uint32_t rank = natural(t, r, op);

    if (unlikely(op->kind == SN_OP_TIMER))
        rank = rank_of_timer(r, op->task, rank);
    t->enabled[position] = entry | (uint64_t)rank << 32;
}

static inline uint64_t rank_smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The smallest of n >= 1 entries. Four at a time: each has to wait for the one before it, but not
 * for its neighbours. (Vectors of two are no faster: entries that have just been written have to
 * reach memory before they can be loaded together with others.) */
static inline uint64_t rank_smallest(const uint64_t *entries, uint32_t n)
{
    const uint64_t *last;
    uint64_t a = entries[0];
    uint64_t b;
    uint64_t c;
    uint64_t d;

    if (n < 4) {
        for (uint32_t i = 1; i < n; i++)
            a = rank_smaller(a, entries[i]);
        return a;
    }
    /* The last four first; some of them may be met again. */
    last = entries + n - 4;
    a = last[0];
    b = last[1];
    c = last[2];
    d = last[3];
    for (; entries < last; entries += 4) {
        a = rank_smaller(a, entries[0]);
        b = rank_smaller(b, entries[1]);
        c = rank_smaller(c, entries[2]);
        d = rank_smaller(d, entries[3]);
    }
    return rank_smaller(rank_smaller(a, b), rank_smaller(c, d));
}

/* The entry of what runs next. After a step, what has no rank is nearly always where the last
 * operation stood, or at the end. */
static inline __attribute__((always_inline)) uint64_t rank_lowest(struct trial *t, struct ranks *r,
                                                                  rank_natural *natural)
{
    uint32_t n = t->now.n_enabled;
    uint64_t lowest;

    if (r->position < n && rank_of(t->enabled[r->position]) == 0)
        rank_at(t, r, r->position, natural);
    if (rank_of(t->enabled[n - 1]) == 0)
        rank_at(t, r, n - 1, natural);
    lowest = rank_smallest(t->enabled, n);
    if (unlikely(rank_of(lowest) - RANK_BEGIN >= RANK_SPENT - RANK_BEGIN))
        lowest = rank_all(t, r, natural);
    return lowest;
}

/* The same where nothing needs to be known of what runs but its source: a message that is alone
 * needs no rank. */
static inline __attribute__((always_inline)) uint64_t rank_any(struct trial *t, struct ranks *r,
                                                               rank_natural *natural)
{
    if (t->now.n_enabled == 1 &&
        t->ops[t->sources[(uint32_t)t->enabled[0]].ready].kind != SN_OP_TIMER)
        return t->enabled[0];
    return rank_lowest(t, r, natural);
}

/* The source of an entry that is about to run. */
static inline uint32_t rank_take(struct trial *t, struct ranks *r, uint64_t entry)
{
    const struct source *source = &t->sources[(uint32_t)entry];
    const struct sn_op *op = &t->ops[source->ready];

    r->position = source->position - 1;
    if (unlikely(op->kind == SN_OP_TIMER))
        rank_fires(r, op->task);
    return (uint32_t)entry;
}

#endif
