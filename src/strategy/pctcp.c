/* pctcp.c - probabilistic concurrency testing with chain partitioning (PCTCP).
 *
 * Ozkan, Majumdar, Niksic, Tabaei Befrouei, Weissenbacher, "Randomized testing of distributed
 * systems with probabilistic guarantees" (OOPSLA 2018). Operations are divided into chains as they
 * come (chains.h). Each chain has a random rank, and the best chain that can go on does. At d - 1
 * steps, drawn independently from 1 .. N, the chain that would go on is put behind all others
 * instead: the first of these change points behind the second, and so on.
 *
 * It differs from pct.c where links keep an order: what stands in one queue is one chain there if
 * causes allow it, so that a message never has to wait for one of a chain that ranks lower. And it
 * differs from what the authors have published: change points are values from 1 .. N, not places in
 * a list of those that are left, so each is as likely as any other.
 *
 * N is as in pct.c, see lengths.h. Trials that turn out to be longer than was expected have no
 * changes in their ends; they are counted and told of. Trial 0, which has nothing to go by, is a
 * random walk. SPDX-License-Identifier: MIT
 */
#include "engine/loop.h"
#include "strategy/chains.h"
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

/* How many trials were longer than was expected when they began. */
struct outgrown {
    uint64_t epoch;    /* of the last one of which the end was told */
    uint64_t expected; /* in it; 0: nothing was */
    uint64_t trials;   /* of which something was expected, ... */
    uint64_t longer;   /* ... and that were longer */
};

struct pctcp {
    struct ranks ranks;
    struct stream stream;
    struct rng rng;
    uint32_t depth;
    struct lengths lengths;
    struct outgrown outgrown;

    uint64_t base; /* steps of the trial before this strategy's phase */
    uint64_t change[DEPTH_MAX];
    uint64_t next_change; /* the next step, counted from base, that is one; 0: none */
    struct chains chains;
};

static const uint64_t pctcp_tag = UINT64_C(0x7063746370); /* "pctcp" */

static int pctcp_init(void *self, const char *parameters, uint64_t seed, char *error, size_t size)
{
    struct pctcp *p = self;
    const char *at = parameters;
    uint64_t depth = DEPTH_DEFAULT;

    stream_init(&p->stream, seed, pctcp_tag);
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
static uint64_t next_change(const struct pctcp *p, uint64_t step)
{
    uint64_t next = 0;

    for (uint32_t i = 1; i < p->depth; i++) {
        if (p->change[i] > step && (next == 0 || p->change[i] < next))
            next = p->change[i];
    }
    return next;
}

static bool pctcp_begin(void *self, uint64_t trial, uint64_t *keep)
{
    struct pctcp *p = self;
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

static void count_outgrown(struct pctcp *p, const struct sn_trial_end *end)
{
    struct outgrown *o = &p->outgrown;

    if (epoch_of(end->trial) != o->epoch) {
        o->epoch = epoch_of(end->trial);
        o->expected = p->lengths.longest;
    }
    if (p->lengths.given != 0)
        o->expected = p->lengths.given;
    o->trials += o->expected != 0;
    o->longer += o->expected != 0 && end->own_steps > o->expected;
}

static void pctcp_end(void *self, const struct sn_trial_end *end)
{
    struct pctcp *p = self;

    count_outgrown(p, end);
    lengths_end(&p->lengths, end->own_steps, STEPS_MAX);
}

static void pctcp_note(const void *self, char *text, size_t size)
{
    const struct pctcp *p = self;

    if (p->outgrown.longer == 0 || p->depth < 2)
        return;
    (void)snprintf(text, size,
                   "%llu of %llu trials were longer than expected when they began, and were not "
                   "changed beyond that",
                   (unsigned long long)p->outgrown.longer, (unsigned long long)p->outgrown.trials);
}

static uint64_t pctcp_mind(const void *self, uint32_t *arm)
{
    const struct pctcp *p = self;

    (void)arm;
    return lengths_expected(&p->lengths);
}

static void pctcp_seek(void *self, uint64_t trial)
{
    struct pctcp *p = self;

    stream_seek(&p->stream, trial);
}

/* ---- Picking -------------------------------------------------------------------------------- */

static bool is_queued(const struct trial *t, const struct sn_op *op)
{
    return !t->sources[op->source].is_single;
}

static uint32_t natural(const struct trial *t, const struct ranks *r, const struct sn_op *op)
{
    struct pctcp *p = (struct pctcp *)(uintptr_t)r;
    bool is_new = false;
    uint32_t chain = chains_meet(&p->chains, op_index(t, op), op, is_queued(t, op), &is_new);

    if (chain == 0)
        return rank_draw(r->key, op->id);
    if (is_new)
        p->chains.all[chain].rank = rank_draw(r->key, op->id);
    return p->chains.all[chain].rank;
}

/* Where several have become enabled at once, those are met first that the step before announced
 * first: they continue its chain. */
static void meet_first_children(struct trial *t, struct pctcp *p)
{
    uint32_t n = t->now.n_enabled;

    if (n < 2 || rank_of(t->enabled[n - 1]) != 0)
        return;
    for (uint32_t i = 0; i < n; i++) {
        const struct sn_op *op = &t->ops[t->sources[(uint32_t)t->enabled[i]].ready];

        if (rank_of(t->enabled[i]) == 0 && (op->flags & SN_OP_CONTINUES) != 0)
            rank_at(t, &p->ranks, i, natural);
    }
}

/* Puts the chains that would go on at a change point behind all others. Returns the entry that goes
 * on instead. */
static uint64_t demote(struct trial *t, struct pctcp *p, uint64_t entry)
{
    uint64_t step = p->next_change;

    for (uint32_t i = 1; i < p->depth; i++) {
        uint32_t rank = RANK_DEMOTED + DEPTH_MAX - i;
        const struct source *source = &t->sources[(uint32_t)entry];
        bool is_new;

        if (p->change[i] != step)
            continue;
        p->chains
            .all[chains_meet(&p->chains, source->ready, &t->ops[source->ready], false, &is_new)]
            .rank = rank;
        t->enabled[source->position - 1] = (uint32_t)entry | (uint64_t)rank << 32;
        entry = rank_lowest(t, &p->ranks, natural);
    }
    p->next_change = next_change(p, step);
    return entry;
}

static uint32_t pick_source(struct trial *t, void *self)
{
    struct pctcp *p = self;
    uint64_t step = t->now.steps - p->base + 1;
    const struct source *source;
    uint64_t entry;

    meet_first_children(t, p);
    entry = rank_lowest(t, &p->ranks, natural);
    if (unlikely(step == p->next_change))
        entry = demote(t, p, entry);
    source = &t->sources[(uint32_t)entry];
    chains_run(&p->chains, source->ready, &t->ops[source->ready], t->now.steps + 1);
    return rank_take(t, &p->ranks, entry);
}

static uint32_t pick_any_source(struct trial *t, void *self)
{
    struct pctcp *p = self;

    return (uint32_t)t->enabled[t->now.n_enabled == 1 ? 0 : rng_below(&p->rng, t->now.n_enabled)];
}

static bool is_walk(const struct pctcp *p)
{
    return p->depth > 1 && lengths_expected(&p->lengths) == 0;
}

static void enter(struct trial *t, struct pctcp *p)
{
    p->base = t->now.steps;
    chains_start(&p->chains, p->base);
}

static void pctcp_loop(struct trial *t)
{
    struct pctcp *p = t->strategy_self;

    enter(t, p);
    if (is_walk(p))
        trial_loop_with(t, pick_any_source, NULL, p);
    else
        trial_loop_with(t, pick_source, NULL, p);
}

static uint32_t pctcp_pick(void *self, const struct sn_pending *pending)
{
    struct trial *t = (struct trial *)(uintptr_t)pending;
    struct pctcp *p = self;
    uint32_t source;

    if (p->base == not_begun)
        enter(t, p);
    source = is_walk(p) ? pick_any_source(t, self) : pick_source(t, self);
    return t->sources[source].position - 1;
}

static uint64_t pctcp_draw(void *self, const struct sn_draw *draw)
{
    struct pctcp *p = self;

    return rng_below64(&p->rng, draw->n);
}

/* ---- As bytes ------------------------------------------------------------------------------- */

enum { LENGTHS_AT = 8 + STREAM_BYTES, OUTGROWN_AT = LENGTHS_AT + LENGTHS_BYTES };
enum { SAVED_BYTES = OUTGROWN_AT + 32 };

static size_t pctcp_save(const void *self, void *bytes, size_t room)
{
    const struct pctcp *p = self;
    unsigned char *to = bytes;

    if (room < SAVED_BYTES)
        return SAVED_BYTES;
    bytes_put(to, pctcp_tag);
    stream_put(&p->stream, to + 8);
    lengths_put(&p->lengths, to + LENGTHS_AT);
    bytes_put(to + OUTGROWN_AT, p->outgrown.epoch);
    bytes_put(to + OUTGROWN_AT + 8, p->outgrown.expected);
    bytes_put(to + OUTGROWN_AT + 16, p->outgrown.trials);
    bytes_put(to + OUTGROWN_AT + 24, p->outgrown.longer);
    return SAVED_BYTES;
}

static int pctcp_load(void *self, const void *bytes, size_t n)
{
    struct pctcp *p = self;
    const unsigned char *from = bytes;

    if (n != SAVED_BYTES || bytes_get(from) != pctcp_tag ||
        !lengths_can_get(from + LENGTHS_AT, STEPS_MAX) ||
        bytes_get(from + OUTGROWN_AT + 24) > bytes_get(from + OUTGROWN_AT + 16))
        return -1;
    if (stream_get(&p->stream, from + 8) < 0)
        return -1;
    lengths_get(&p->lengths, from + LENGTHS_AT);
    p->outgrown = (struct outgrown){
        .epoch = bytes_get(from + OUTGROWN_AT),
        .expected = bytes_get(from + OUTGROWN_AT + 8),
        .trials = bytes_get(from + OUTGROWN_AT + 16),
        .longer = bytes_get(from + OUTGROWN_AT + 24),
    };
    return 0;
}

/* As in pct.c. */
static bool pctcp_split(void *self, void *other)
{
    struct pctcp *p = self;
    struct pctcp *o = other;

    if (p->depth > 1 && p->lengths.given == 0 && p->lengths.longest == 0)
        return false;
    stream_split(&p->stream, &o->stream);
    lengths_share(&p->lengths, &o->lengths);
    o->outgrown = (struct outgrown){.epoch = p->outgrown.epoch, .expected = p->outgrown.expected};
    return true;
}

static const struct sn_strategy pctcp_strategy = {
    .name = "pctcp",
    .about = "pct with chains that also follow queues: pctcp:D or pctcp:D:STEPS",
    .state_size = sizeof(struct pctcp),
    .learns = true,
    .init = pctcp_init,
    .begin = pctcp_begin,
    .pick = pctcp_pick,
    .draw = pctcp_draw,
    .end = pctcp_end,
    .seek = pctcp_seek,
    .save = pctcp_save,
    .load = pctcp_load,
    .split = pctcp_split,
};

const struct strategy_entry strategy_pctcp = {
    .strategy = &pctcp_strategy, .loop = pctcp_loop, .mind = pctcp_mind, .note = pctcp_note};
