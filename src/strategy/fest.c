/* fest.c - feedback: trials that showed something new are varied a little.
 *
 * After the fuzzers of schedules in Fray (Li et al., OOPSLA 2025) and P. The base is sampling by
 * rank, as in pos.c: each operation has a random rank, the best one runs. A gene says what these
 * random numbers are: one key for all, and other keys for some operations. So numbers belong to
 * operations, by their ids, and to draws, by their keys, and not to places in a list: a number that
 * is changed moves one operation, and all that was decided before it could run stays as it was.
 *
 * What a trial covers are pairs of steps that follow each other at one machine, by signatures
 * (causes.h). A trial that shows a pair that none showed before it is kept. Three trials in ten
 * have a gene of their own; the others have that of a kept one, sixteen of each in turn, with one
 * to five numbers drawn anew. What was kept counts from the next epoch on, and which trial is
 * varied follows from the number of the trial. SPDX-License-Identifier: MIT
 */
#include "engine/loop.h"
#include "strategy/causes.h"
#include "strategy/rank.h"
#include "strategy/strategies.h"
#include "strategy/stream.h"
#include "strategy/sums.h"

#include <stdio.h>
#include <string.h>

enum {
    KEPT_MAX = 256,    /* trials; then the oldest are forgotten */
    CHANGES_MAX = 64,  /* numbers of a gene that are not its key's */
    DECIDED_MAX = 256, /* operations and draws of a trial that can be changed: the first ones */
    CHILDREN = 16,     /* of each that was kept, in a row */
    FRESH_IN_TEN = 3,  /* trials that vary nothing */
    MUTATIONS_MAX = 5,
};

static const uint64_t not_begun = UINT64_MAX;

/* The numbers of a trial. */
struct gene {
    uint64_t key;
    uint32_t n_changes;
    struct {
        uint64_t of;  /* an operation or a draw */
        uint64_t key; /* that it has instead */
    } changes[CHANGES_MAX];
};

struct kept {
    struct gene gene;
    uint32_t n_decided;
    uint64_t decided[DECIDED_MAX]; /* what can be changed */
};

/* By object; what two share is the later one's. */
struct last_step {
    uint64_t trial;
    uint64_t object;
    uint64_t signature;
};

struct fest {
    struct ranks ranks;
    struct stream stream;
    struct rng rng;
    uint64_t base;     /* steps of the trial before this strategy's phase */
    struct kept now;   /* the present trial */
    struct sums pairs; /* that it has covered, and none before it */
    uint64_t n_kept;   /* so far: the last KEPT_MAX of them are there */
    struct kept kept[KEPT_MAX];
    struct sums seen; /* pairs, in all trials */
    struct sums scratch;
    struct last_step last[TRIAL_TASKS_MAX];
    struct causes causes;
};

static const uint64_t fest_tag = UINT64_C(0x74736566); /* "fest" */

static int fest_init(void *self, const char *parameters, uint64_t seed, char *error, size_t size)
{
    struct fest *f = self;

    if (parameters[0] != '\0') {
        (void)snprintf(error, size, "it takes no parameters, but has \"%s\"", parameters);
        return -1;
    }
    stream_init(&f->stream, seed, fest_tag);
    return 0;
}

/* ---- Genes ---------------------------------------------------------------------------------- */

static uint64_t key_of(const struct gene *g, uint64_t of)
{
    for (uint32_t i = 0; i < g->n_changes; i++) {
        if (g->changes[i].of == of)
            return g->changes[i].key;
    }
    return g->key;
}

static void change(struct gene *g, uint64_t of, uint64_t key)
{
    uint32_t i = 0;

    while (i < g->n_changes && g->changes[i].of != of)
        i++;
    if (i == CHANGES_MAX) /* too many: another one is as it was */
        i = (uint32_t)(key % CHANGES_MAX);
    g->changes[i].of = of;
    g->changes[i].key = key;
    g->n_changes += i == g->n_changes;
}

static uint32_t count_mutations(const struct kept *parent)
{
    uint32_t n = parent->n_decided / 3;

    n = n > 1 ? n : 1;
    return n < MUTATIONS_MAX ? n : MUTATIONS_MAX;
}

/* The gene of a trial. */
static void draw_gene(struct fest *f, uint64_t trial)
{
    uint64_t n = f->n_kept < KEPT_MAX ? f->n_kept : KEPT_MAX;
    bool is_fresh = rng_below(&f->rng, 10) < FRESH_IN_TEN;
    const struct kept *parent;

    f->now.n_decided = 0;
    if (n == 0 || is_fresh) {
        f->now.gene.key = rng_next(&f->rng);
        f->now.gene.n_changes = 0;
        return;
    }
    parent = &f->kept[trial / CHILDREN % n];
    f->now.gene = parent->gene;
    if (parent->n_decided == 0)
        return;
    for (uint32_t i = count_mutations(parent); i > 0; i--) {
        uint64_t of = parent->decided[rng_below(&f->rng, parent->n_decided)];

        change(&f->now.gene, of, rng_next(&f->rng));
    }
}

static void note_decided(struct fest *f, uint64_t of)
{
    if (f->now.n_decided < DECIDED_MAX)
        f->now.decided[f->now.n_decided++] = of;
}

/* ---- Trials --------------------------------------------------------------------------------- */

static bool fest_begin(void *self, uint64_t trial, uint64_t *keep)
{
    struct fest *f = self;

    (void)keep;
    trial = stream_begin(&f->stream, &f->rng);
    draw_gene(f, trial);
    rank_begin(&f->ranks, f->now.gene.key);
    sums_clear(&f->pairs);
    f->base = not_begun;
    f->causes.n = 0;
    return true;
}

static void fest_seek(void *self, uint64_t trial)
{
    struct fest *f = self;

    stream_seek(&f->stream, trial);
}

static uint32_t natural(const struct trial *t, const struct ranks *r, const struct sn_op *op)
{
    struct fest *f = (struct fest *)(uintptr_t)r;
    bool is_new;

    (void)causes_meet(&f->causes, (struct trial *)(uintptr_t)t, op, &is_new);
    if (is_new)
        note_decided(f, op->id);
    return rank_draw(key_of(&f->now.gene, op->id), op->id);
}

/* Only what is new is kept, because that is little: else each trial would teach all of its pairs.
 * When there is no room for more of them nothing is new. */
static void note_pair(struct fest *f, uint64_t pair)
{
    if (f->seen.n < SUMS_MAX && sums_find(&f->seen, pair) == NULL)
        (void)sums_add(&f->pairs, pair, 0, 0);
}

/* Notes the pair of steps that an operation and the one before it about the same thing are. */
static void cover(struct fest *f, const struct cause_record *r)
{
    struct last_step *last = &f->last[r->object % TRIAL_TASKS_MAX];

    if (r->object == 0)
        return;
    if (last->trial == f->causes.trial && last->object == r->object)
        note_pair(f, mix_pair(mix_pair(r->object, last->signature), r->signature));
    *last = (struct last_step){
        .trial = f->causes.trial, .object = r->object, .signature = r->signature};
}

static uint32_t pick_source(struct trial *t, void *self)
{
    struct fest *f = self;
    uint64_t entry = rank_lowest(t, &f->ranks, natural);
    uint32_t index = t->sources[(uint32_t)entry].ready;

    cover(f, &f->causes.all[causes_run(&f->causes, index, &t->ops[index], t->now.steps + 1)]);
    return rank_take(t, &f->ranks, entry);
}

static void enter(struct trial *t, struct fest *f)
{
    f->base = t->now.steps;
    causes_start(&f->causes, f->base);
}

static void fest_loop(struct trial *t)
{
    enter(t, t->strategy_self);
    trial_loop_with(t, pick_source, NULL, t->strategy_self);
}

static uint32_t fest_pick(void *self, const struct sn_pending *pending)
{
    struct trial *t = (struct trial *)(uintptr_t)pending;
    struct fest *f = self;

    if (f->base == not_begun)
        enter(t, f);
    return t->sources[pick_source(t, f)].position - 1;
}

static uint64_t fest_draw(void *self, const struct sn_draw *draw)
{
    struct fest *f = self;
    uint64_t number = mix_pair(key_of(&f->now.gene, draw->key), draw->key);

    note_decided(f, draw->key);
    return (uint64_t)(((rng_wide)number * draw->n) >> 64);
}

/* ---- Learning ------------------------------------------------------------------------------- */

/* How many bytes a trial takes: its key and two counts, its changes, and what it has decided. */
static size_t kept_size(uint64_t n_changes, uint64_t n_decided)
{
    return 24 + 16 * n_changes + 8 * n_decided;
}

static void kept_put(const struct kept *k, unsigned char *to)
{
    bytes_put(to, k->gene.key);
    bytes_put(to + 8, k->gene.n_changes);
    bytes_put(to + 16, k->n_decided);
    to += 24;
    for (uint32_t i = 0; i < k->gene.n_changes; i++, to += 16) {
        bytes_put(to, k->gene.changes[i].of);
        bytes_put(to + 8, k->gene.changes[i].key);
    }
    for (uint32_t i = 0; i < k->n_decided; i++, to += 8)
        bytes_put(to, k->decided[i]);
}

/* The size of a trial that n bytes begin with; 0: they do not. */
static size_t kept_is(const unsigned char *from, size_t n)
{
    if (n < 24 || bytes_get(from + 8) > CHANGES_MAX || bytes_get(from + 16) > DECIDED_MAX ||
        n < kept_size(bytes_get(from + 8), bytes_get(from + 16)))
        return 0;
    return kept_size(bytes_get(from + 8), bytes_get(from + 16));
}

static void kept_get(struct kept *k, const unsigned char *from)
{
    k->gene.key = bytes_get(from);
    k->gene.n_changes = (uint32_t)bytes_get(from + 8);
    k->n_decided = (uint32_t)bytes_get(from + 16);
    from += 24;
    for (uint32_t i = 0; i < k->gene.n_changes; i++, from += 16) {
        k->gene.changes[i].of = bytes_get(from);
        k->gene.changes[i].key = bytes_get(from + 8);
    }
    for (uint32_t i = 0; i < k->n_decided; i++, from += 8)
        k->decided[i] = bytes_get(from);
}

/* The trial, and the pairs that none before it has covered. */
static size_t fest_lesson(void *self, void *bytes, size_t room)
{
    struct fest *f = self;
    unsigned char *to = bytes;
    size_t n = kept_size(f->now.gene.n_changes, f->now.n_decided);

    if (room < n || f->pairs.n == 0)
        return 0;
    kept_put(&f->now, to);
    for (uint32_t i = 0; i < f->pairs.n && room - n >= 8; i++, n += 8)
        bytes_put(to + n, f->pairs.all[i].key);
    return n;
}

static void fest_learn(void *self, const void *bytes, size_t n)
{
    struct fest *f = self;
    const unsigned char *from = bytes;
    size_t size = kept_is(from, n);
    uint32_t before = f->seen.n;

    if (size == 0)
        return;
    for (size_t i = size; n - i >= 8; i += 8)
        (void)sums_add(&f->seen, bytes_get(from + i), 0, 0);
    if (f->seen.n == before)
        return;
    kept_get(&f->kept[f->n_kept % KEPT_MAX], from);
    f->n_kept++;
}

/* ---- As bytes ------------------------------------------------------------------------------- */

enum { HEAD_BYTES = 8 + STREAM_BYTES + 16 };

static uint64_t count_kept(uint64_t n_kept)
{
    return n_kept < KEPT_MAX ? n_kept : KEPT_MAX;
}

/* The tag, the trials, how many were kept and how many pairs were seen; those; those. */
static size_t fest_save(const void *self, void *bytes, size_t room)
{
    const struct fest *f = self;
    unsigned char *to = bytes;
    size_t size = HEAD_BYTES + (size_t)f->seen.n * SUMS_BYTES;

    for (uint64_t i = 0; i < count_kept(f->n_kept); i++)
        size += kept_size(f->kept[i].gene.n_changes, f->kept[i].n_decided);
    if (room < size)
        return size;
    bytes_put(to, fest_tag);
    stream_put(&f->stream, to + 8);
    bytes_put(to + 8 + STREAM_BYTES, f->n_kept);
    bytes_put(to + 16 + STREAM_BYTES, f->seen.n);
    sums_put(&f->seen, to + HEAD_BYTES);
    to += HEAD_BYTES + (size_t)f->seen.n * SUMS_BYTES;
    for (uint64_t i = 0; i < count_kept(f->n_kept); i++) {
        kept_put(&f->kept[i], to);
        to += kept_size(f->kept[i].gene.n_changes, f->kept[i].n_decided);
    }
    return size;
}

static bool is_saved(struct fest *f, const unsigned char *from, size_t n)
{
    uint64_t n_seen;
    uint64_t n_kept;

    if (n < HEAD_BYTES || bytes_get(from) != fest_tag)
        return false;
    n_kept = bytes_get(from + 8 + STREAM_BYTES);
    n_seen = bytes_get(from + 16 + STREAM_BYTES);
    from += HEAD_BYTES;
    n -= HEAD_BYTES;
    if (n_seen > n / SUMS_BYTES || !sums_can_get(&f->scratch, from, n_seen))
        return false;
    from += n_seen * SUMS_BYTES;
    n -= n_seen * SUMS_BYTES;
    for (uint64_t i = 0; i < count_kept(n_kept); i++) {
        size_t size = kept_is(from, n);

        if (size == 0)
            return false;
        from += size;
        n -= size;
    }
    return n == 0;
}

static int fest_load(void *self, const void *bytes, size_t n)
{
    struct fest *f = self;
    const unsigned char *from = bytes;
    uint64_t n_seen;

    if (!is_saved(f, from, n) || stream_get(&f->stream, from + 8) < 0)
        return -1;
    f->n_kept = bytes_get(from + 8 + STREAM_BYTES);
    n_seen = bytes_get(from + 16 + STREAM_BYTES);
    sums_get(&f->seen, from + HEAD_BYTES, n_seen);
    from += HEAD_BYTES + n_seen * SUMS_BYTES;
    for (uint64_t i = 0; i < count_kept(f->n_kept); i++) {
        kept_get(&f->kept[i], from);
        from += kept_size(f->kept[i].gene.n_changes, f->kept[i].n_decided);
    }
    return 0;
}

/* Each part goes on learning from its own trials. */
static bool fest_split(void *self, void *other)
{
    struct fest *f = self;
    struct fest *o = other;

    stream_split(&f->stream, &o->stream);
    o->n_kept = f->n_kept;
    o->seen = f->seen;
    memcpy(o->kept, f->kept, sizeof(o->kept));
    return true;
}

static const struct sn_strategy fest_strategy = {
    .name = "fest",
    .about = "pos, where trials that showed something new are varied",
    .state_size = sizeof(struct fest),
    .learns = true,
    .init = fest_init,
    .begin = fest_begin,
    .pick = fest_pick,
    .draw = fest_draw,
    .seek = fest_seek,
    .save = fest_save,
    .load = fest_load,
    .split = fest_split,
    .lesson = fest_lesson,
    .learn = fest_learn,
};

const struct strategy_entry strategy_fest = {.strategy = &fest_strategy, .loop = fest_loop};
