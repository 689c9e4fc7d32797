/* ca.c - random+ca, pos+ca and posr+ca: strategies that need not think about what never raced.
 *
 * What conflict analysis (conflicts.h) knows to be quiet runs at once; everything else is given to
 * the strategy as if there were nothing else. So what the strategy promises about the operations of
 * a program it promises about those that matter, however many others there are. A trial in which
 * nothing is known to be quiet is the one that the strategy alone would run.
 *
 * Parameters: `pc` makes signatures of what an operation is alone, without who performs it.
 * SPDX-License-Identifier: MIT
 */
#include "base/rng.h"
#include "engine/loop.h"
#include "strategy/anew.h"
#include "strategy/conflicts.h"
#include "strategy/rank.h"
#include "strategy/strategies.h"
#include "strategy/stream.h"

#include <stdio.h>
#include <string.h>

/* Of entries in the enabled set, for random+ca. */
enum { ENTRY_LOUD = 1, ENTRY_QUIET = 2 };

struct ca {
    struct ranks ranks;
    struct stream stream;
    struct rng rng;
    /* random+ca, of the step before: */
    uint32_t position; /* where it stood in the enabled set, ... */
    uint32_t n_old;    /* ... of which so many are left, unless ... */
    uint32_t shifts;   /* ... t->now.n_shifts is not this, ... */
    bool looks_at_all; /* ... or anything may have become enabled */
    uint32_t n_quiet;
    struct anew last; /* step that posr was asked for */
    struct conflicts conflicts;
    uint32_t quiet[TRIAL_SOURCES_MAX]; /* sources that had something quiet */
};

static const uint64_t ca_tag = UINT64_C(0x61632b); /* "+ca" */

/* As in the files of these strategies. */
static const uint64_t pos_tag = UINT64_C(0x736f70);
static const uint64_t posr_tag = UINT64_C(0x72736f70);

static int init(struct ca *p, const char *parameters, char *error, size_t size)
{
    if (strcmp(parameters, "pc") != 0 && parameters[0] != '\0') {
        (void)snprintf(error, size, "its parameter can only be \"pc\", but is \"%s\"", parameters);
        return -1;
    }
    p->conflicts.by_site = parameters[0] != '\0';
    return 0;
}

static int random_init(void *self, const char *parameters, uint64_t seed, char *error, size_t size)
{
    struct ca *p = self;

    p->stream = (struct stream){.seed = seed, .step = 1};
    return init(p, parameters, error, size);
}

static int pos_init(void *self, const char *parameters, uint64_t seed, char *error, size_t size)
{
    struct ca *p = self;

    stream_init(&p->stream, seed, pos_tag);
    return init(p, parameters, error, size);
}

static int posr_init(void *self, const char *parameters, uint64_t seed, char *error, size_t size)
{
    struct ca *p = self;

    stream_init(&p->stream, seed, posr_tag);
    return init(p, parameters, error, size);
}

/* ---- Trials --------------------------------------------------------------------------------- */

static bool random_begin(void *self, uint64_t trial, uint64_t *keep)
{
    struct ca *p = self;

    (void)trial;
    (void)keep;
    conflicts_begin(&p->conflicts, stream_begin(&p->stream, &p->rng));
    p->n_quiet = 0;
    p->looks_at_all = true;
    return true;
}

static bool ranked_begin(void *self, uint64_t trial, uint64_t *keep)
{
    struct ca *p = self;

    (void)random_begin(self, trial, keep);
    rank_begin(&p->ranks, rng_next(&p->rng));
    p->last = (struct anew){0};
    return true;
}

static uint64_t ca_draw(void *self, const struct sn_draw *draw)
{
    struct ca *p = self;

    return rng_below64(&p->rng, draw->n);
}

/* ---- random+ca ------------------------------------------------------------------------------ */

static void push_quiet(struct trial *t, struct ca *p, uint32_t source)
{
    t->enabled[t->sources[source].position - 1] = source | (uint64_t)ENTRY_QUIET << 32;
    if (p->n_quiet < TRIAL_SOURCES_MAX)
        p->quiet[p->n_quiet++] = source;
}

/* Sorts an entry. `found` is a source with something quiet, or 0; returns one, and puts the other
 * aside. */
static inline uint32_t sort_at(struct trial *t, struct ca *p, uint32_t i, uint32_t found)
{
    uint32_t source = (uint32_t)t->enabled[i];

    if (!conflicts_is_quiet(t, &p->conflicts, &t->ops[t->sources[source].ready])) {
        t->enabled[i] = source | (uint64_t)ENTRY_LOUD << 32;
        return found;
    }
    if (unlikely(found != 0))
        push_quiet(t, p, found);
    return source;
}

/* Sorts all that was not sorted yet. Returns a source with something quiet, or 0. */
static __attribute__((noinline)) uint32_t sort_all(struct trial *t, struct ca *p)
{
    uint32_t found = 0;

    for (uint32_t i = 0; i < t->now.n_enabled; i++) {
        if (rank_of(t->enabled[i]) == 0)
            found = sort_at(t, p, i, found);
    }
    return found;
}

static inline uint32_t sort_recent(struct trial *t, struct ca *p)
{
    uint32_t found = 0;

    for (uint32_t i = t->now.n_enabled; i > p->n_old; i--)
        found = sort_at(t, p, i - 1, found);
    if (p->position < p->n_old && rank_of(t->enabled[p->position]) == 0)
        found = sort_at(t, p, p->position, found);
    return found;
}

/* Whether something was not sorted yet and may be quiet, where only first steps can be. */
static inline bool is_start(const struct trial *t, uint32_t i)
{
    uint64_t entry = t->enabled[i];

    return unlikely(t->ops[t->sources[(uint32_t)entry].ready].kind == SN_OP_START) &&
           rank_of(entry) == 0;
}

/* As sort_recent while nothing but first steps can be quiet: the others need no mark. */
static inline uint32_t sort_starts(struct trial *t, struct ca *p)
{
    uint32_t found = 0;

    for (uint32_t i = t->now.n_enabled; i > p->n_old; i--) {
        if (is_start(t, i - 1))
            found = sort_at(t, p, i - 1, found);
    }
    if (p->position < p->n_old && is_start(t, p->position))
        found = sort_at(t, p, p->position, found);
    return found;
}

/* Sorts what has become enabled: after a step that has removed nothing but what was taken, that is
 * where it stood and at the end. */
static inline uint32_t sort_new(struct trial *t, struct ca *p)
{
    if (unlikely(p->looks_at_all || p->shifts != t->now.n_shifts))
        return sort_all(t, p);
    return likely(p->conflicts.n_quiet == 0) ? sort_starts(t, p) : sort_recent(t, p);
}

/* A source that has something quiet; 0: none has. */
static inline uint32_t take_quiet(const struct trial *t, struct ca *p)
{
    while (p->n_quiet > 0) {
        uint32_t source = p->quiet[--p->n_quiet];
        uint32_t position = t->sources[source].position;

        if (position != 0 && rank_of(t->enabled[position - 1]) == ENTRY_QUIET)
            return source;
    }
    return 0;
}

static inline __attribute__((always_inline)) uint32_t pick_random(struct trial *t, void *self)
{
    struct ca *p = self;
    uint32_t n = t->now.n_enabled;
    uint32_t source = sort_new(t, p);
    const struct sn_op *op;
    bool is_quiet;

    if (source == 0 && unlikely(p->n_quiet > 0))
        source = take_quiet(t, p);
    is_quiet = source != 0;
    if (is_quiet) {
        p->position = t->sources[source].position - 1;
    } else {
        p->position = n == 1 ? 0 : rng_below(&p->rng, n);
        source = (uint32_t)t->enabled[p->position];
    }
    op = &t->ops[t->sources[source].ready];
    conflicts_step(&p->conflicts, t, op, is_quiet);
    /* Of a machine that takes all, the next one takes its place, or what was last does. */
    p->looks_at_all = (t->tasks[op->task].flags & TASK_GATED) != 0;
    p->n_old = n - (op->next == 0);
    p->shifts = t->now.n_shifts + (op->next == 0);
    return source;
}

static void random_loop(struct trial *t)
{
    struct ca *p = t->strategy_self;

    conflicts_enter(&p->conflicts, t);
    trial_loop_with(t, pick_random, NULL, p);
}

/* ---- pos+ca and posr+ca --------------------------------------------------------------------- */

/* Something quiet comes before all that has a rank. */
static inline bool is_quiet(const struct trial *t, const struct ranks *r, const struct sn_op *op)
{
    struct ca *p = (struct ca *)(uintptr_t)r;

    return conflicts_is_quiet((struct trial *)(uintptr_t)t, &p->conflicts, op);
}

static uint32_t pos_natural(const struct trial *t, const struct ranks *r, const struct sn_op *op)
{
    return is_quiet(t, r, op) ? RANK_BEGIN : rank_draw(r->key, op->id);
}

static uint32_t posr_natural(const struct trial *t, const struct ranks *r, const struct sn_op *op)
{
    uint64_t turn = anew_turn(t, op);

    return is_quiet(t, r, op) ? RANK_BEGIN
                              : rank_draw(r->key + turn * UINT64_C(0x9e3779b97f4a7c15), op->id);
}

static inline __attribute__((always_inline)) uint32_t take(struct trial *t, struct ca *p,
                                                           rank_natural *natural)
{
    uint64_t entry = rank_any(t, &p->ranks, natural);
    const struct sn_op *op = &t->ops[t->sources[(uint32_t)entry].ready];
    bool was_quiet = rank_of(entry) == RANK_BEGIN;

    conflicts_step(&p->conflicts, t, op, was_quiet);
    if (was_quiet)
        p->last = (struct anew){0};
    else if (natural == posr_natural)
        anew_note(&p->last, t, op);
    return rank_take(t, &p->ranks, entry);
}

static inline __attribute__((always_inline)) uint32_t pick_pos(struct trial *t, void *self)
{
    return take(t, self, pos_natural);
}

/* As in posr.c; what was quiet decides nothing anew. */
static inline void redraw(struct trial *t, struct ca *p)
{
    if (p->last.is_process) {
        anew_draw_processes(&p->last, t, &p->ranks, posr_natural);
        return;
    }
    for (uint32_t i = 0; p->last.task != 0 && i < t->now.n_enabled; i++) {
        if (t->sources[(uint32_t)t->enabled[i]].to == p->last.task)
            rank_at(t, &p->ranks, i, posr_natural);
    }
}

static inline __attribute__((always_inline)) uint32_t pick_posr(struct trial *t, void *self)
{
    redraw(t, self);
    return take(t, self, posr_natural);
}

static void pos_loop(struct trial *t)
{
    struct ca *p = t->strategy_self;

    conflicts_enter(&p->conflicts, t);
    trial_loop_with(t, pick_pos, NULL, p);
}

static void posr_loop(struct trial *t)
{
    struct ca *p = t->strategy_self;

    conflicts_enter(&p->conflicts, t);
    trial_loop_with(t, pick_posr, NULL, p);
}

/* ---- Where there is no loop of its own ------------------------------------------------------ */

/* Nobody tells what a step touches: nothing is noted, and nothing new is learned. */
static uint32_t position_of(struct trial *t, uint32_t source)
{
    return t->sources[source].position - 1;
}

static uint32_t random_pick(void *self, const struct sn_pending *pending)
{
    struct trial *t = (struct trial *)(uintptr_t)pending;

    return position_of(t, pick_random(t, self));
}

static uint32_t pos_pick(void *self, const struct sn_pending *pending)
{
    struct trial *t = (struct trial *)(uintptr_t)pending;

    return position_of(t, pick_pos(t, self));
}

static uint32_t posr_pick(void *self, const struct sn_pending *pending)
{
    struct trial *t = (struct trial *)(uintptr_t)pending;

    return position_of(t, pick_posr(t, self));
}

/* ---- What was learned ----------------------------------------------------------------------- */

static size_t ca_lesson(void *self, void *bytes, size_t room)
{
    struct ca *p = self;

    return conflicts_lesson(&p->conflicts, bytes, room);
}

static void ca_learn(void *self, const void *bytes, size_t n)
{
    struct ca *p = self;

    conflicts_learn(&p->conflicts, bytes, n);
}

static uint64_t ca_mind(const void *self, uint32_t *arm)
{
    const struct ca *p = self;

    (void)arm;
    return p->conflicts.version;
}

static bool ca_figures(const void *self, struct sn_conflicts *figures)
{
    const struct ca *p = self;

    *figures = conflicts_figures(&p->conflicts);
    return true;
}

static void ca_seek(void *self, uint64_t trial)
{
    struct ca *p = self;

    stream_seek(&p->stream, trial);
}

static size_t ca_save(const void *self, void *bytes, size_t room)
{
    const struct ca *p = self;
    unsigned char *to = bytes;
    size_t head = 8 + STREAM_BYTES;
    bool fits = room >= head;
    size_t size =
        head + conflicts_save(&p->conflicts, fits ? to + head : NULL, fits ? room - head : 0);

    if (size <= room) {
        bytes_put(to, ca_tag);
        stream_put(&p->stream, to + 8);
    }
    return size;
}

static int ca_load(void *self, const void *bytes, size_t n)
{
    struct ca *p = self;
    const unsigned char *from = bytes;
    size_t head = 8 + STREAM_BYTES;
    struct stream stream;

    if (n < head || bytes_get(from) != ca_tag || stream_get(&stream, from + 8) < 0 ||
        conflicts_load(&p->conflicts, from + head, n - head) < 0)
        return -1;
    p->stream = stream;
    return 0;
}

/* Each part goes on learning from its own trials. */
static bool ca_split(void *self, void *other)
{
    struct ca *p = self;
    struct ca *o = other;

    stream_split(&p->stream, &o->stream);
    conflicts_share(&p->conflicts, &o->conflicts);
    return true;
}

/* ---- The strategies ------------------------------------------------------------------------- */

#define CA_COMMON                                                                                  \
    .state_size = sizeof(struct ca), .learns = true, .draw = ca_draw, .seek = ca_seek,             \
    .save = ca_save, .load = ca_load, .split = ca_split, .lesson = ca_lesson, .learn = ca_learn

static const struct sn_strategy random_ca = {
    .name = "random+ca",
    .about = "as random, but what was never seen to race runs at once: random+ca or random+ca:pc",
    .init = random_init,
    .begin = random_begin,
    .pick = random_pick,
    CA_COMMON,
};

static const struct sn_strategy pos_ca = {
    .name = "pos+ca",
    .about = "as pos, but what was never seen to race runs at once: pos+ca or pos+ca:pc",
    .init = pos_init,
    .begin = ranked_begin,
    .pick = pos_pick,
    CA_COMMON,
};

static const struct sn_strategy posr_ca = {
    .name = "posr+ca",
    .about = "as posr, but what was never seen to race runs at once: posr+ca or posr+ca:pc",
    .init = posr_init,
    .begin = ranked_begin,
    .pick = posr_pick,
    CA_COMMON,
};

const struct strategy_entry strategy_random_ca = {
    .strategy = &random_ca, .loop = random_loop, .mind = ca_mind, .figures = ca_figures};
const struct strategy_entry strategy_pos_ca = {
    .strategy = &pos_ca, .loop = pos_loop, .mind = ca_mind, .figures = ca_figures};
const struct strategy_entry strategy_posr_ca = {
    .strategy = &posr_ca, .loop = posr_loop, .mind = ca_mind, .figures = ca_figures};
