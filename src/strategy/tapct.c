/* tapct.c - tapct and pct+ca: chains in random order, changed where something races.
 *
 * Ozkan, Majumdar and Oraee, "Trace aware random testing for distributed systems" (OOPSLA 2019). As
 * pctcp.c, but the change points are drawn from 1 .. R and count only operations that may race,
 * each of them once: when it is chosen for the first time, whether it then runs or is put off. R is
 * the number of such operations in a trial, which is much smaller than that of its steps where most
 * touch nothing that others do. Which operations these are is found out by conflict analysis
 * (conflicts.h) where the authors were told: all but those whose signature was seen and never
 * raced.
 *
 * pct+ca is pct.c with the same analysis: what never raced runs at once and is no step of pct's, so
 * change points are drawn from the steps that are. Its chains are those of pct.
 *
 * R, and for pct+ca the number of steps, is the largest one seen in earlier epochs unless it is
 * given. Trial 0, which has nothing to go by, is a random walk. SPDX-License-Identifier: MIT
 */
#include "engine/loop.h"
#include "strategy/chains.h"
#include "strategy/conflicts.h"
#include "strategy/number.h"
#include "strategy/rank.h"
#include "strategy/strategies.h"
#include "strategy/stream.h"

#include <stdio.h>
#include <string.h>

enum {
    DEPTH_DEFAULT = 3,
    DEPTH_MAX = 64,
    STEPS_MAX = LOG_ENTRIES_MAX / 2,
};

static const uint64_t not_begun = UINT64_MAX;

/* An operation that was counted, by its number. */
struct counted {
    uint64_t id;
    uint64_t serial; /* of the trial */
};

struct tapct {
    struct ranks ranks;
    struct stream stream;
    struct rng rng;
    uint32_t depth;
    uint64_t given; /* how many are expected to count, by the parameters; 0: to be learned */
    uint64_t most;  /* that counted in a trial of earlier epochs; 0: nothing was seen */

    uint64_t base;  /* steps of the trial before this strategy's phase */
    uint64_t count; /* of what counts, so far */
    uint64_t change[DEPTH_MAX];
    struct conflicts conflicts;

    struct counted counted[TRIAL_OPS_MAX]; /* tapct */
    struct chains chains;
    uint32_t chain[STEPS_MAX + 1]; /* pct+ca: by step, counted from base: the rank of its chain */
};

static const uint64_t tapct_tag = UINT64_C(0x7463706174); /* "tapct" */
static const uint64_t pct_tag = UINT64_C(0x746370);       /* as in pct.c */

/* ---- Parameters ----------------------------------------------------------------------------- */

static int init(struct tapct *p, const char *parameters, char *error, size_t size)
{
    const char *at = parameters;
    uint64_t depth = DEPTH_DEFAULT;

    if (strncmp(at, "pc", 2) == 0 && (at[2] == '\0' || at[2] == ':')) {
        p->conflicts.by_site = true;
        at += at[2] == ':' ? 3 : 2;
    }
    parameters = at;
    if (*at != '\0' && number_read(&at, 1, DEPTH_MAX, &depth) < 0) {
        (void)snprintf(error, size, "its depth must be a number from 1 to %d, but is \"%s\"",
                       DEPTH_MAX, parameters);
        return -1;
    }
    p->depth = (uint32_t)depth;
    if (at != parameters && at[-1] == ':' &&
        (number_read(&at, 1, STEPS_MAX, &p->given) < 0 || *at != '\0')) {
        (void)snprintf(error, size,
                       "after the depth comes how many operations race, from 1 to %d, but \"%s\" "
                       "does",
                       STEPS_MAX, at);
        return -1;
    }
    return 0;
}

static int tapct_init(void *self, const char *parameters, uint64_t seed, char *error, size_t size)
{
    struct tapct *p = self;

    stream_init(&p->stream, seed, tapct_tag);
    return init(p, parameters, error, size);
}

static int pct_init(void *self, const char *parameters, uint64_t seed, char *error, size_t size)
{
    struct tapct *p = self;

    stream_init(&p->stream, seed, pct_tag);
    return init(p, parameters, error, size);
}

/* ---- Trials --------------------------------------------------------------------------------- */

static uint64_t expected(const struct tapct *p)
{
    return p->given != 0 ? p->given : p->most;
}

static bool tapct_begin(void *self, uint64_t trial, uint64_t *keep)
{
    struct tapct *p = self;
    uint64_t n = expected(p);

    (void)keep;
    trial = stream_begin(&p->stream, &p->rng);
    conflicts_begin(&p->conflicts, trial);
    rank_begin(&p->ranks, rng_next(&p->rng));
    for (uint32_t i = 1; i < p->depth; i++)
        p->change[i] = n == 0 ? 0 : 1 + rng_below64(&p->rng, n);
    p->count = 0;
    p->base = not_begun;
    return true;
}

static bool is_walk(const struct tapct *p)
{
    return p->depth > 1 && expected(p) == 0;
}

static void enter(struct trial *t, struct tapct *p)
{
    p->base = t->now.steps;
    chains_start(&p->chains, p->base);
}

/* Whether it may race, for all that is known. */
static bool is_racy(struct trial *t, struct tapct *p, const struct sn_op *op)
{
    return !conflicts_never_raced(t, &p->conflicts, op);
}

static const struct sn_op *op_of(const struct trial *t, uint64_t entry)
{
    return &t->ops[t->sources[(uint32_t)entry].ready];
}

static uint32_t pick_any_source(struct trial *t, void *self)
{
    struct tapct *p = self;
    uint64_t entry = t->enabled[t->now.n_enabled == 1 ? 0 : rng_below(&p->rng, t->now.n_enabled)];

    p->count += is_racy(t, p, op_of(t, entry));
    conflicts_step(&p->conflicts, t, op_of(t, entry), false);
    return (uint32_t)entry;
}

/* ---- tapct ---------------------------------------------------------------------------------- */

static uint32_t tapct_natural(const struct trial *t, const struct ranks *r, const struct sn_op *op)
{
    struct tapct *p = (struct tapct *)(uintptr_t)r;
    bool is_queued = !t->sources[op->source].is_single;
    bool is_new = false;
    uint32_t chain = chains_meet(&p->chains, op_index(t, op), op, is_queued, &is_new);

    if (chain == 0)
        return rank_draw(r->key, op->id);
    if (is_new)
        p->chains.all[chain].rank = rank_draw(r->key, op->id);
    return p->chains.all[chain].rank;
}

/* As in pctcp.c: of those that became enabled at once the first child continues the chain. */
static void meet_first_children(struct trial *t, struct tapct *p)
{
    uint32_t n = t->now.n_enabled;

    if (n < 2 || rank_of(t->enabled[n - 1]) != 0)
        return;
    for (uint32_t i = 0; i < n; i++) {
        const struct sn_op *op = op_of(t, t->enabled[i]);

        if (rank_of(t->enabled[i]) == 0 && (op->flags & SN_OP_CONTINUES) != 0)
            rank_at(t, &p->ranks, i, tapct_natural);
    }
}

/* Counts an operation that may race, unless it has been. */
static bool count(struct trial *t, struct tapct *p, const struct sn_op *op)
{
    struct counted *counted = &p->counted[op_index(t, op)];

    if (!is_racy(t, p, op) || (counted->serial == p->conflicts.serial && counted->id == op->id))
        return false;
    *counted = (struct counted){op->id, p->conflicts.serial};
    p->count++;
    return true;
}

/* Puts the chain of an operation behind all that no later change point has put there. */
static void put_off(struct trial *t, struct tapct *p, uint64_t entry, uint32_t change)
{
    uint32_t rank = RANK_DEMOTED + DEPTH_MAX - change;
    const struct source *source = &t->sources[(uint32_t)entry];
    bool is_new;
    uint32_t chain = chains_meet(&p->chains, source->ready, op_of(t, entry), false, &is_new);

    p->chains.all[chain].rank = rank;
    t->enabled[source->position - 1] = (uint32_t)entry | (uint64_t)rank << 32;
}

static uint32_t tapct_pick_source(struct trial *t, void *self)
{
    struct tapct *p = self;
    const struct source *source;
    uint64_t entry;

    meet_first_children(t, p);
    entry = rank_lowest(t, &p->ranks, tapct_natural);
    while (count(t, p, op_of(t, entry))) {
        for (uint32_t i = 1; i < p->depth; i++) {
            if (p->change[i] != p->count)
                continue;
            put_off(t, p, entry, i);
            entry = rank_lowest(t, &p->ranks, tapct_natural);
        }
    }
    source = &t->sources[(uint32_t)entry];
    chains_run(&p->chains, source->ready, &t->ops[source->ready], t->now.steps + 1);
    conflicts_step(&p->conflicts, t, op_of(t, entry), false);
    return rank_take(t, &p->ranks, entry);
}

static void tapct_loop(struct trial *t)
{
    struct tapct *p = t->strategy_self;

    enter(t, p);
    conflicts_enter(&p->conflicts, t);
    if (is_walk(p))
        trial_loop_with(t, pick_any_source, NULL, p);
    else
        trial_loop_with(t, tapct_pick_source, NULL, p);
}

static uint32_t tapct_pick(void *self, const struct sn_pending *pending)
{
    struct trial *t = (struct trial *)(uintptr_t)pending;
    struct tapct *p = self;

    if (p->base == not_begun)
        enter(t, p);
    return t->sources[is_walk(p) ? pick_any_source(t, p) : tapct_pick_source(t, p)].position - 1;
}

/* ---- pct+ca --------------------------------------------------------------------------------- */

/* The rank that the chain of an operation gives it. */
static uint32_t rank_by_chain(const struct tapct *p, const struct sn_op *op)
{
    if ((op->flags & SN_OP_CONTINUES) != 0 && op->cause > p->base)
        return p->chain[op->cause - p->base];
    return rank_draw(p->ranks.key, op->id);
}

static uint32_t pct_natural(const struct trial *t, const struct ranks *r, const struct sn_op *op)
{
    struct tapct *p = (struct tapct *)(uintptr_t)r;

    if (conflicts_is_quiet((struct trial *)(uintptr_t)t, &p->conflicts, op))
        return RANK_BEGIN;
    return rank_by_chain(p, op);
}

/* The chains that would go on, were it not for change points. */
static uint64_t demote(struct trial *t, struct tapct *p, uint64_t entry)
{
    for (uint32_t i = 1; i < p->depth; i++) {
        if (p->change[i] != p->count)
            continue;
        t->enabled[t->sources[(uint32_t)entry].position - 1] =
            (uint32_t)entry | (uint64_t)(RANK_DEMOTED + DEPTH_MAX - i) << 32;
        entry = rank_lowest(t, &p->ranks, pct_natural);
    }
    return entry;
}

static uint32_t pct_pick_source(struct trial *t, void *self)
{
    struct tapct *p = self;
    uint64_t entry = rank_lowest(t, &p->ranks, pct_natural);
    bool is_quiet = rank_of(entry) == RANK_BEGIN;
    const struct sn_op *op;

    if (!is_quiet) {
        p->count++;
        entry = demote(t, p, entry);
    }
    op = op_of(t, entry);
    /* A timer itself may have another rank than its chain, and so has what is quiet. */
    p->chain[t->now.steps - p->base + 1] =
        rank_of(entry) >= RANK_DEMOTED && rank_of(entry) < RANK_SPENT ? rank_of(entry)
                                                                      : rank_by_chain(p, op);
    conflicts_step(&p->conflicts, t, op, is_quiet);
    return rank_take(t, &p->ranks, entry);
}

static void pct_loop(struct trial *t)
{
    struct tapct *p = t->strategy_self;

    p->base = t->now.steps;
    conflicts_enter(&p->conflicts, t);
    if (is_walk(p))
        trial_loop_with(t, pick_any_source, NULL, p);
    else
        trial_loop_with(t, pct_pick_source, NULL, p);
}

static uint32_t pct_pick(void *self, const struct sn_pending *pending)
{
    struct trial *t = (struct trial *)(uintptr_t)pending;
    struct tapct *p = self;

    if (p->base == not_begun)
        p->base = t->now.steps;
    return t->sources[is_walk(p) ? pick_any_source(t, p) : pct_pick_source(t, p)].position - 1;
}

/* ---- What was learned ----------------------------------------------------------------------- */

static size_t tapct_lesson(void *self, void *bytes, size_t room)
{
    struct tapct *p = self;
    unsigned char *to = bytes;
    uint64_t n;
    size_t size;

    if (room < 8 || p->base == not_begun)
        return 0;
    size = conflicts_lesson(&p->conflicts, to + 8, room - 8);
    /* What was never seen counted, and will not if it has not raced. */
    n = conflicts_count_racy(&p->conflicts, p->count);
    bytes_put(to, n < STEPS_MAX ? n : STEPS_MAX);
    return 8 + size;
}

static void tapct_learn(void *self, const void *bytes, size_t n)
{
    struct tapct *p = self;
    uint64_t count;

    if (n < 8)
        return;
    count = bytes_get(bytes);
    if (count > p->most && count <= STEPS_MAX)
        p->most = count;
    conflicts_learn(&p->conflicts, (const unsigned char *)bytes + 8, n - 8);
}

static uint64_t tapct_mind(const void *self, uint32_t *arm)
{
    const struct tapct *p = self;

    (void)arm;
    return mix_pair(expected(p), p->conflicts.version);
}

static bool tapct_figures(const void *self, struct sn_conflicts *figures)
{
    const struct tapct *p = self;

    *figures = conflicts_figures(&p->conflicts);
    return true;
}

static uint64_t tapct_draw(void *self, const struct sn_draw *draw)
{
    struct tapct *p = self;

    return rng_below64(&p->rng, draw->n);
}

static void tapct_seek(void *self, uint64_t trial)
{
    struct tapct *p = self;

    stream_seek(&p->stream, trial);
}

enum { HEAD_BYTES = 8 + STREAM_BYTES + 8 };

static size_t tapct_save(const void *self, void *bytes, size_t room)
{
    const struct tapct *p = self;
    unsigned char *to = bytes;
    bool fits = room >= HEAD_BYTES;
    size_t size = HEAD_BYTES + conflicts_save(&p->conflicts, fits ? to + HEAD_BYTES : NULL,
                                              fits ? room - HEAD_BYTES : 0);

    if (size <= room) {
        bytes_put(to, tapct_tag);
        stream_put(&p->stream, to + 8);
        bytes_put(to + 8 + STREAM_BYTES, p->most);
    }
    return size;
}

static int tapct_load(void *self, const void *bytes, size_t n)
{
    struct tapct *p = self;
    const unsigned char *from = bytes;
    struct stream stream;

    if (n < HEAD_BYTES || bytes_get(from) != tapct_tag || stream_get(&stream, from + 8) < 0 ||
        bytes_get(from + 8 + STREAM_BYTES) > STEPS_MAX ||
        conflicts_load(&p->conflicts, from + HEAD_BYTES, n - HEAD_BYTES) < 0)
        return -1;
    p->stream = stream;
    p->most = bytes_get(from + 8 + STREAM_BYTES);
    return 0;
}

/* Each part goes on learning from its own trials. As in pct.c, not before there is anything. */
static bool tapct_split(void *self, void *other)
{
    struct tapct *p = self;
    struct tapct *o = other;

    if (is_walk(p))
        return false;
    stream_split(&p->stream, &o->stream);
    o->most = p->most;
    conflicts_share(&p->conflicts, &o->conflicts);
    return true;
}

/* ---- The strategies ------------------------------------------------------------------------- */

static const struct sn_strategy tapct_strategy = {
    .name = "tapct",
    .about = "as pctcp, changed only where something races: tapct:D or tapct:D:RACY",
    .state_size = sizeof(struct tapct),
    .learns = true,
    .init = tapct_init,
    .begin = tapct_begin,
    .pick = tapct_pick,
    .draw = tapct_draw,
    .seek = tapct_seek,
    .save = tapct_save,
    .load = tapct_load,
    .split = tapct_split,
    .lesson = tapct_lesson,
    .learn = tapct_learn,
};

static const struct sn_strategy pct_ca = {
    .name = "pct+ca",
    .about = "as pct, but what was never seen to race runs at once: pct+ca:D or pct+ca:pc:D",
    .state_size = sizeof(struct tapct),
    .learns = true,
    .init = pct_init,
    .begin = tapct_begin,
    .pick = pct_pick,
    .draw = tapct_draw,
    .seek = tapct_seek,
    .save = tapct_save,
    .load = tapct_load,
    .split = tapct_split,
    .lesson = tapct_lesson,
    .learn = tapct_learn,
};

const struct strategy_entry strategy_tapct = {
    .strategy = &tapct_strategy, .loop = tapct_loop, .mind = tapct_mind, .figures = tapct_figures};
const struct strategy_entry strategy_pct_ca = {
    .strategy = &pct_ca, .loop = pct_loop, .mind = tapct_mind, .figures = tapct_figures};
