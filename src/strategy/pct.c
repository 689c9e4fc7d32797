/* pct.c - probabilistic concurrency testing over causal chains (PCTCP).
 *
 * Burckhardt et al., "A randomized scheduler with probabilistic guarantees of finding bugs" (ASPLOS
 * 2010), with the chains of Ozkan et al., "Randomized testing of distributed systems with
 * probabilistic guarantees" (OOPSLA 2018): an operation and the first message that it announces are
 * links of one chain; everything else begins a chain. Each chain has a random rank, and the best
 * chain that can go on does. At d - 1 steps, drawn at random from 1 .. N, the chain that would go
 * on is put behind all others instead: the first of these change points behind the second, and so
 * on.
 *
 * N should be the length of a trial. Unless it is given, it is the largest length seen in earlier
 * epochs: trials 0, 1, 2-3, 4-7, ... up to 255, and then 256 each. Nothing that is learned counts
 * within its epoch, so trial i does not depend on how far others of the same epoch have got. Trial
 * 0, which has nothing to go by, is a random walk.
 *
 * SPDX-License-Identifier: MIT
 */
#include "engine/loop.h"
#include "strategy/lengths.h"
#include "strategy/number.h"
#include "strategy/rank.h"
#include "strategy/strategies.h"
#include "strategy/stream.h"

#include <stdio.h>

enum {
    DEPTH_DEFAULT = 3,
    DEPTH_MAX = 64,
    STEPS_MAX = LOG_ENTRIES_MAX / 2,
};

static const uint64_t not_begun = UINT64_MAX;

struct pct {
    struct ranks ranks;
    struct stream stream;
    struct rng rng;
    uint32_t depth;
    struct lengths lengths; /* of trials: N */

    uint64_t base; /* steps of the trial before this strategy's phase */
    uint64_t change[DEPTH_MAX];
    uint64_t next_change;          /* the next step, counted from base, that is one; 0: none */
    uint32_t chain[STEPS_MAX + 1]; /* by step, counted from base: the rank of its chain */
};

static const uint64_t pct_tag = UINT64_C(0x746370); /* "pct" */

static int pct_init(void *self, const char *parameters, uint64_t seed, char *error, size_t size)
{
    struct pct *p = self;
    const char *at = parameters;
    uint64_t depth = DEPTH_DEFAULT;

    stream_init(&p->stream, seed, pct_tag);
    if (*at != '\0' && number_read(&at, 1, DEPTH_MAX, &depth) < 0) {
        (void)snprintf(error, size, "its depth must be a number from 1 to %d, but is \"%s\"",
                       DEPTH_MAX, parameters);
        return -1;
    }
    p->depth = (uint32_t)depth;
    if (at != parameters && at[-1] == ':' &&
        (number_read(&at, 1, STEPS_MAX, &p->lengths.given) < 0 || *at != '\0')) {
        (void)snprintf(error, size,
                       "after the depth comes the number of steps, from 1 to %d, but \"%s\" does",
                       STEPS_MAX, at);
        return -1;
    }
    return 0;
}

/* ---- Trials --------------------------------------------------------------------------------- */

/* The first change point after a step. */
static uint64_t next_change(const struct pct *p, uint64_t step)
{
    uint64_t next = 0;

    for (uint32_t i = 1; i < p->depth; i++) {
        if (p->change[i] > step && (next == 0 || p->change[i] < next))
            next = p->change[i];
    }
    return next;
}

static bool pct_begin(void *self, uint64_t trial, uint64_t *keep)
{
    struct pct *p = self;
    uint64_t n;

    (void)keep;
    trial = stream_begin(&p->stream, &p->rng);
    lengths_begin(&p->lengths, trial);
    rank_begin(&p->ranks, rng_next(&p->rng));
    n = lengths_expected(&p->lengths);
    for (uint32_t i = 1; i < p->depth; i++)
        p->change[i] = n == 0 ? 0 : 1 + rng_below64(&p->rng, n);
    p->next_change = next_change(p, 0);
    p->base = not_begun;
    return true;
}

static void pct_end(void *self, const struct sn_trial_end *end)
{
    struct pct *p = self;

    lengths_end(&p->lengths, end->own_steps, STEPS_MAX);
}

static uint64_t pct_mind(const void *self, uint32_t *arm)
{
    const struct pct *p = self;

    (void)arm;
    return lengths_expected(&p->lengths);
}

static void pct_seek(void *self, uint64_t trial)
{
    struct pct *p = self;

    stream_seek(&p->stream, trial);
}

/* ---- Picking -------------------------------------------------------------------------------- */

static uint32_t natural(const struct trial *t, const struct ranks *r, const struct sn_op *op)
{
    const struct pct *p = (const struct pct *)r;

    (void)t;
    if ((op->flags & SN_OP_CONTINUES) != 0 && op->cause > p->base)
        return p->chain[op->cause - p->base];
    return rank_draw(r->key, op->id);
}

/* Puts the chains that would go on at a change point behind all others. Returns the entry that goes
 * on instead. */
static __attribute__((noinline)) uint64_t demote(struct trial *t, struct pct *p, uint64_t entry)
{
    uint64_t step = p->next_change;

    for (uint32_t i = 1; i < p->depth; i++) {
        if (p->change[i] != step)
            continue;
        t->enabled[t->sources[(uint32_t)entry].position - 1] =
            (uint32_t)entry | (uint64_t)(RANK_DEMOTED + DEPTH_MAX - i) << 32;
        entry = rank_lowest(t, &p->ranks, natural);
    }
    p->next_change = next_change(p, step);
    return entry;
}

/* The rank of the chain of an operation, which a timer itself may not have. */
static inline uint32_t chain_rank(const struct trial *t, const struct pct *p, uint64_t entry)
{
    const struct sn_op *op = &t->ops[t->sources[(uint32_t)entry].ready];

    if (likely(op->kind != SN_OP_TIMER) ||
        (rank_of(entry) >= RANK_DEMOTED && rank_of(entry) < RANK_SPENT))
        return rank_of(entry);
    return natural(t, &p->ranks, op);
}

static inline __attribute__((always_inline)) uint32_t pick_source(struct trial *t, void *self)
{
    struct pct *p = self;
    uint64_t step = t->now.steps - p->base + 1;
    uint64_t entry = rank_lowest(t, &p->ranks, natural);

    if (unlikely(step == p->next_change))
        entry = demote(t, p, entry);
    p->chain[step] = chain_rank(t, p, entry);
    return rank_take(t, &p->ranks, entry);
}

static uint32_t pick_any_source(struct trial *t, void *self)
{
    struct pct *p = self;

    return (uint32_t)t->enabled[t->now.n_enabled == 1 ? 0 : rng_below(&p->rng, t->now.n_enabled)];
}

static bool is_walk(const struct pct *p)
{
    return p->depth > 1 && lengths_expected(&p->lengths) == 0;
}

static void pct_loop(struct trial *t)
{
    struct pct *p = t->strategy_self;

    p->base = t->now.steps;
    if (is_walk(p))
        trial_loop_with(t, pick_any_source, NULL, p);
    else
        trial_loop_with(t, pick_source, NULL, p);
}

static uint32_t pct_pick(void *self, const struct sn_pending *pending)
{
    struct trial *t = (struct trial *)(uintptr_t)pending;
    struct pct *p = self;
    uint32_t source;

    if (p->base == not_begun)
        p->base = t->now.steps;
    source = is_walk(p) ? pick_any_source(t, self) : pick_source(t, self);
    return t->sources[source].position - 1;
}

static uint64_t pct_draw(void *self, const struct sn_draw *draw)
{
    struct pct *p = self;

    return rng_below64(&p->rng, draw->n);
}

/* ---- As bytes ------------------------------------------------------------------------------- */

enum { SAVED_BYTES = 8 + STREAM_BYTES + LENGTHS_BYTES };

static size_t pct_save(const void *self, void *bytes, size_t room)
{
    const struct pct *p = self;
    unsigned char *to = bytes;

    if (room >= SAVED_BYTES) {
        bytes_put(to, pct_tag);
        stream_put(&p->stream, to + 8);
        lengths_put(&p->lengths, to + 8 + STREAM_BYTES);
    }
    return SAVED_BYTES;
}

static int pct_load(void *self, const void *bytes, size_t n)
{
    struct pct *p = self;
    const unsigned char *from = (const unsigned char *)bytes + 8 + STREAM_BYTES;

    if (n != SAVED_BYTES || bytes_get(bytes) != pct_tag || !lengths_can_get(from, STEPS_MAX))
        return -1;
    if (stream_get(&p->stream, (const unsigned char *)bytes + 8) < 0)
        return -1;
    lengths_get(&p->lengths, from);
    return 0;
}

/* Each part goes on learning from its own trials. Before there is anything to go on with, the parts
 * would begin with a random walk each, and the whole with one. */
static bool pct_split(void *self, void *other)
{
    struct pct *p = self;
    struct pct *o = other;

    if (p->depth > 1 && p->lengths.given == 0 && p->lengths.longest == 0)
        return false;
    stream_split(&p->stream, &o->stream);
    lengths_share(&p->lengths, &o->lengths);
    return true;
}

static const struct sn_strategy pct_strategy = {
    .name = "pct",
    .about = "chains of messages in random order, changed at D - 1 steps: pct:D or pct:D:STEPS",
    .state_size = sizeof(struct pct),
    .learns = true,
    .init = pct_init,
    .begin = pct_begin,
    .pick = pct_pick,
    .draw = pct_draw,
    .end = pct_end,
    .seek = pct_seek,
    .save = pct_save,
    .load = pct_load,
    .split = pct_split,
};

const struct strategy_entry strategy_pct = {
    .strategy = &pct_strategy, .loop = pct_loop, .mind = pct_mind};
