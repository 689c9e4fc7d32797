/* urw.c - the uniform random walk: where it can be, every schedule is equally likely.
 *
 * The random walk prefers schedules in which few can run at a time. If an operation is chosen with
 * a probability proportional to the number of operations that it will lead to, itself included,
 * each schedule of a forest of messages has the same chance: n! divided by the product of all these
 * numbers is how many there are (the hook length formula), and each choice divides it as it should.
 * After Zhao et al., "Selectively uniform concurrency testing" (ASPLOS 2025), who count the events
 * that threads have left.
 *
 * The numbers are learned in earlier epochs: the mean for the same operation, or, if it was never
 * seen, for those with its signature (causes.h), at least 1. What looks like nothing that was seen
 * counts 1, so that the first trials are random walks. What could run and never did, as a timer
 * that was cancelled, has led to nothing. A wrong number makes schedules more or less likely, and
 * none impossible.
 *
 * Steps of a task that goes on by itself, a process or a thread, are not looked up: the task has
 * what it had before, less one for the step and less what it has given away to others.
 * SPDX-License-Identifier: MIT
 */
#include "engine/loop.h"
#include "strategy/causes.h"
#include "strategy/strategies.h"
#include "strategy/stream.h"
#include "strategy/sums.h"

#include <stdio.h>

static const uint64_t not_begun = UINT64_MAX;

struct urw {
    struct rng rng;
    struct stream stream;
    uint64_t base;      /* steps of the trial before this strategy's phase */
    uint64_t mind;      /* changes when a number does */
    uint64_t n_lessons; /* heard */
    bool is_teaching;   /* the present trial is */
    struct sums_pair known;
    struct sums_pair scratch; /* of one trial */
    struct causes causes;
};

static const uint64_t urw_tag = UINT64_C(0x32777275); /* "urw2" */

static int urw_init(void *self, const char *parameters, uint64_t seed, char *error, size_t size)
{
    struct urw *u = self;

    if (parameters[0] != '\0') {
        (void)snprintf(error, size, "it takes no parameters, but has \"%s\"", parameters);
        return -1;
    }
    stream_init(&u->stream, seed, urw_tag);
    return 0;
}

static bool urw_begin(void *self, uint64_t trial, uint64_t *keep)
{
    struct urw *u = self;

    (void)keep;
    trial = stream_begin(&u->stream, &u->rng);
    u->is_teaching = stream_teaches(&u->stream, trial, u->n_lessons);
    u->base = not_begun;
    u->causes.n = 0; /* should it decide nothing, it has nothing to teach */
    return true;
}

static void urw_seek(void *self, uint64_t trial)
{
    struct urw *u = self;

    stream_seek(&u->stream, trial);
}

static uint64_t urw_mind(const void *self, uint32_t *arm)
{
    const struct urw *u = self;

    (void)arm;
    return u->mind;
}

/* ---- Weights -------------------------------------------------------------------------------- */

/* A step of a task that goes on by itself, as opposed to what somebody has sent it. */
static bool goes_on(const struct sn_op *op)
{
    return op->kind > SN_OP_FAULT;
}

/* The weight of a new record, which its parent loses. */
static uint32_t weigh(struct urw *u, uint32_t number, const struct sn_op *op)
{
    struct cause_record *r = &u->causes.all[number];
    struct cause_record *parent = &u->causes.all[r->parent];
    const struct sum *known;

    if (r->parent != 0 && goes_on(op) && parent->task == op->task)
        return parent->weight > 1 ? parent->weight - 1 : 1;
    known = sums_find(&u->known.ids, r->id);
    if (known == NULL)
        known = sums_find(&u->known.signatures, r->signature);
    r->weight = known != NULL && sum_mean(known) > 1 ? sum_mean(known) : 1;
    parent->weight = parent->weight > r->weight ? parent->weight - r->weight : 1;
    return r->weight;
}

/* Weights stand in the high halves of entries, where 0 is what was not weighed. */
static void weigh_at(struct trial *t, struct urw *u, uint32_t position)
{
    uint32_t source = (uint32_t)t->enabled[position];
    const struct sn_op *op = &t->ops[t->sources[source].ready];
    bool is_new;
    uint32_t number = causes_meet(&u->causes, t, op, &is_new);
    uint32_t weight = 1;

    if (is_new && number != 0)
        u->causes.all[number].weight = weigh(u, number, op);
    if (number != 0)
        weight = u->causes.all[number].weight;
    t->enabled[position] = source | (uint64_t)weight << 32;
}

/* Weighs what is new, first what others have been given by tasks that go on. Returns the sum. */
static uint64_t weigh_all(struct trial *t, struct urw *u)
{
    uint64_t total = 0;

    for (uint32_t i = 0; i < t->now.n_enabled; i++) {
        if (t->enabled[i] >> 32 == 0 && !goes_on(&t->ops[t->sources[t->enabled[i]].ready]))
            weigh_at(t, u, i);
    }
    for (uint32_t i = 0; i < t->now.n_enabled; i++) {
        if (unlikely(t->enabled[i] >> 32 == 0))
            weigh_at(t, u, i);
        total += t->enabled[i] >> 32;
    }
    return total;
}

static uint32_t pick_source(struct trial *t, void *self)
{
    struct urw *u = self;
    uint64_t total = weigh_all(t, u);
    uint64_t left = t->now.n_enabled > 1 ? rng_below64(&u->rng, total) : 0;
    uint32_t i = 0;
    uint32_t source;

    for (; left >= t->enabled[i] >> 32; i++)
        left -= t->enabled[i] >> 32;
    source = (uint32_t)t->enabled[i];
    (void)causes_run(&u->causes, t->sources[source].ready, &t->ops[t->sources[source].ready],
                     t->now.steps + 1);
    return source;
}

static void enter(struct trial *t, struct urw *u)
{
    u->base = t->now.steps;
    causes_start(&u->causes, u->base);
}

static void urw_loop(struct trial *t)
{
    enter(t, t->strategy_self);
    trial_loop_with(t, pick_source, NULL, t->strategy_self);
}

static uint32_t urw_pick(void *self, const struct sn_pending *pending)
{
    struct trial *t = (struct trial *)(uintptr_t)pending;
    struct urw *u = self;

    if (u->base == not_begun)
        enter(t, u);
    return t->sources[pick_source(t, u)].position - 1;
}

static uint64_t urw_draw(void *self, const struct sn_draw *draw)
{
    struct urw *u = self;

    return rng_below64(&u->rng, draw->n);
}

/* ---- Learning ------------------------------------------------------------------------------- */

static size_t urw_lesson(void *self, void *bytes, size_t room)
{
    struct urw *u = self;
    struct cause_record *all = u->causes.all;

    if (!u->is_teaching)
        return 0;
    sums_clear(&u->scratch.ids);
    sums_clear(&u->scratch.signatures);
    for (uint32_t i = 1; i <= u->causes.n; i++)
        all[i].size = all[i].has_run;
    /* What was announced was met later than what announced it. */
    for (uint32_t i = u->causes.n; i > 0; i--) {
        if (all[i].parent != 0)
            all[all[i].parent].size += all[i].size;
    }
    for (uint32_t i = 1; i <= u->causes.n; i++) {
        (void)sums_add(&u->scratch.signatures, all[i].signature, all[i].size, 1);
        (void)sums_add(&u->scratch.ids, all[i].id, all[i].size, 1);
    }
    return sums_pair_teach(&u->scratch, bytes, room);
}

static void urw_learn(void *self, const void *bytes, size_t n)
{
    struct urw *u = self;

    u->n_lessons++;
    sums_pair_learn(&u->known, bytes, n, &u->mind);
}

/* ---- As bytes ------------------------------------------------------------------------------- */

enum { HEAD_BYTES = 8 + STREAM_BYTES + 16 };

static size_t urw_save(const void *self, void *bytes, size_t room)
{
    const struct urw *u = self;
    unsigned char *to = bytes;
    size_t size = HEAD_BYTES + sums_pair_save(&u->known, NULL, 0);

    if (room < size)
        return size;
    bytes_put(to, urw_tag);
    stream_put(&u->stream, to + 8);
    bytes_put(to + 8 + STREAM_BYTES, u->mind);
    bytes_put(to + 16 + STREAM_BYTES, u->n_lessons);
    (void)sums_pair_save(&u->known, to + HEAD_BYTES, room - HEAD_BYTES);
    return size;
}

static int urw_load(void *self, const void *bytes, size_t n)
{
    struct urw *u = self;
    const unsigned char *from = bytes;

    if (n < HEAD_BYTES || bytes_get(from) != urw_tag ||
        !sums_pair_is_saved(&u->scratch.ids, from + HEAD_BYTES, n - HEAD_BYTES) ||
        stream_get(&u->stream, from + 8) < 0)
        return -1;
    u->mind = bytes_get(from + 8 + STREAM_BYTES);
    u->n_lessons = bytes_get(from + 16 + STREAM_BYTES);
    sums_pair_load(&u->known, from + HEAD_BYTES, n - HEAD_BYTES);
    return 0;
}

/* Each part goes on learning from its own trials. */
static bool urw_split(void *self, void *other)
{
    struct urw *u = self;
    struct urw *o = other;

    stream_split(&u->stream, &o->stream);
    o->known = u->known;
    o->mind = u->mind;
    o->n_lessons = u->n_lessons;
    return true;
}

static const struct sn_strategy urw_strategy = {
    .name = "urw",
    .about = "every schedule is equally likely, as far as can be learned",
    .state_size = sizeof(struct urw),
    .learns = true,
    .init = urw_init,
    .begin = urw_begin,
    .pick = urw_pick,
    .draw = urw_draw,
    .seek = urw_seek,
    .save = urw_save,
    .load = urw_load,
    .split = urw_split,
    .lesson = urw_lesson,
    .learn = urw_learn,
};

const struct strategy_entry strategy_urw = {
    .strategy = &urw_strategy, .loop = urw_loop, .mind = urw_mind};
