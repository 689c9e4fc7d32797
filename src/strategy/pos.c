/* pos.c - partial order sampling: each operation gets a random rank, and the best one runs.
 *
 * Yuan, Yang and Gu, "Partial order aware concurrency sampling" (CAV 2018), the basic form. Unlike
 * under the random walk, the chance that one operation comes before another does not shrink with
 * everything else that is pending. The rank is a hash of the operation's id and a key of the trial
 * instead of a number drawn: it does not depend on what else there is, so the same operation keeps
 * its place when others are taken out of the test. SPDX-License-Identifier: MIT
 */
#include "engine/loop.h"
#include "strategy/rank.h"
#include "strategy/strategies.h"
#include "strategy/stream.h"

#include <stdio.h>

struct pos {
    struct ranks ranks;
    struct stream stream;
    struct rng rng; /* for draws */
};

static const uint64_t pos_tag = UINT64_C(0x736f70); /* "pos" */

static int pos_init(void *self, const char *parameters, uint64_t seed, char *error, size_t size)
{
    struct pos *p = self;

    if (parameters[0] != '\0') {
        (void)snprintf(error, size, "it takes no parameters, but has \"%s\"", parameters);
        return -1;
    }
    stream_init(&p->stream, seed, pos_tag);
    return 0;
}

static bool pos_begin(void *self, uint64_t trial, uint64_t *keep)
{
    struct pos *p = self;

    (void)trial;
    (void)keep;
    (void)stream_begin(&p->stream, &p->rng);
    rank_begin(&p->ranks, rng_next(&p->rng));
    return true;
}

static uint32_t natural(const struct trial *t, const struct ranks *r, const struct sn_op *op)
{
    (void)t;
    return rank_draw(r->key, op->id);
}

static inline __attribute__((always_inline)) uint32_t pick_source(struct trial *t, void *self)
{
    struct pos *p = self;

    return rank_take(t, &p->ranks, rank_any(t, &p->ranks, natural));
}

static void pos_loop(struct trial *t)
{
    trial_loop_with(t, pick_source, NULL, t->strategy_self);
}

static uint32_t pos_pick(void *self, const struct sn_pending *pending)
{
    struct trial *t = (struct trial *)(uintptr_t)pending;

    return t->sources[pick_source(t, self)].position - 1;
}

static uint64_t pos_draw(void *self, const struct sn_draw *draw)
{
    struct pos *p = self;

    return rng_below64(&p->rng, draw->n);
}

static size_t pos_save(const void *self, void *bytes, size_t room)
{
    const struct pos *p = self;

    return stream_save(&p->stream, pos_tag, bytes, room);
}

static int pos_load(void *self, const void *bytes, size_t n)
{
    struct pos *p = self;

    return stream_load(&p->stream, pos_tag, bytes, n);
}

static void pos_seek(void *self, uint64_t trial)
{
    struct pos *p = self;

    stream_seek(&p->stream, trial);
}

static bool pos_split(void *self, void *other)
{
    struct pos *p = self;
    struct pos *o = other;

    stream_split(&p->stream, &o->stream);
    return true;
}

static const struct sn_strategy pos_strategy = {
    .name = "pos",
    .about = "each operation gets a random rank, the best one runs",
    .state_size = sizeof(struct pos),
    .init = pos_init,
    .begin = pos_begin,
    .pick = pos_pick,
    .draw = pos_draw,
    .save = pos_save,
    .load = pos_load,
    .split = pos_split,
    .seek = pos_seek,
};

const struct strategy_entry strategy_pos = {.strategy = &pos_strategy, .loop = pos_loop};
