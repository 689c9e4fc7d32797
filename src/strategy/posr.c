/* posr.c - partial order sampling in which conflicts are decided anew.
 *
 * Yuan, Yang and Gu, "Partial order aware concurrency sampling" (CAV 2018), the full form: when an
 * operation has run, all that are pending for the same task, which is what they conflict over, get
 * new ranks; of what processes do, all that is about the same thing (anew.h). The rank is a hash of
 * the operation's id, a key of the trial and the number of steps that the task has taken.
 * SPDX-License-Identifier: MIT
 */
#include "engine/loop.h"
#include "strategy/anew.h"
#include "strategy/rank.h"
#include "strategy/strategies.h"
#include "strategy/stream.h"

#include <stdio.h>

struct posr {
    struct ranks ranks;
    struct stream stream;
    struct rng rng; /* for draws */
    struct anew last;
};

static const uint64_t posr_tag = UINT64_C(0x72736f70); /* "posr" */

static int posr_init(void *self, const char *parameters, uint64_t seed, char *error, size_t size)
{
    struct posr *p = self;

    if (parameters[0] != '\0') {
        (void)snprintf(error, size, "it takes no parameters, but has \"%s\"", parameters);
        return -1;
    }
    stream_init(&p->stream, seed, posr_tag);
    return 0;
}

static bool posr_begin(void *self, uint64_t trial, uint64_t *keep)
{
    struct posr *p = self;

    (void)trial;
    (void)keep;
    (void)stream_begin(&p->stream, &p->rng);
    rank_begin(&p->ranks, rng_next(&p->rng));
    p->last = (struct anew){0};
    return true;
}

static uint32_t natural(const struct trial *t, const struct ranks *r, const struct sn_op *op)
{
    return rank_draw(r->key + anew_turn(t, op) * UINT64_C(0x9e3779b97f4a7c15), op->id);
}

/* Takes the rank from whatever is for a task. */
static inline void redraw(struct trial *t, struct ranks *r, uint32_t task)
{
    for (uint32_t begin = 0; begin < t->now.n_enabled; begin += 64) {
        uint32_t n = t->now.n_enabled - begin < 64 ? t->now.n_enabled - begin : 64;
        uint64_t hit = 0;

        /* First find them all, since a branch for each would often be predicted wrongly. */
        for (uint32_t i = 0; i < n; i++)
            hit |= (uint64_t)(t->sources[(uint32_t)t->enabled[begin + i]].to == task) << i;
        for (; hit != 0; hit &= hit - 1)
            rank_at(t, r, begin + (uint32_t)__builtin_ctzll(hit), natural);
    }
}

static inline __attribute__((always_inline)) uint32_t pick_source(struct trial *t, void *self)
{
    struct posr *p = self;
    uint64_t entry;

    if (unlikely(p->last.is_process))
        anew_draw_processes(&p->last, t, &p->ranks, natural);
    else
        redraw(t, &p->ranks, p->last.task);
    entry = rank_any(t, &p->ranks, natural);
    anew_note(&p->last, t, &t->ops[t->sources[(uint32_t)entry].ready]);
    return rank_take(t, &p->ranks, entry);
}

static void posr_loop(struct trial *t)
{
    trial_loop_with(t, pick_source, NULL, t->strategy_self);
}

static uint32_t posr_pick(void *self, const struct sn_pending *pending)
{
    struct trial *t = (struct trial *)(uintptr_t)pending;

    return t->sources[pick_source(t, self)].position - 1;
}

static uint64_t posr_draw(void *self, const struct sn_draw *draw)
{
    struct posr *p = self;

    return rng_below64(&p->rng, draw->n);
}

static size_t posr_save(const void *self, void *bytes, size_t room)
{
    const struct posr *p = self;

    return stream_save(&p->stream, posr_tag, bytes, room);
}

static int posr_load(void *self, const void *bytes, size_t n)
{
    struct posr *p = self;

    return stream_load(&p->stream, posr_tag, bytes, n);
}

static void posr_seek(void *self, uint64_t trial)
{
    struct posr *p = self;

    stream_seek(&p->stream, trial);
}

static bool posr_split(void *self, void *other)
{
    struct posr *p = self;
    struct posr *o = other;

    stream_split(&p->stream, &o->stream);
    return true;
}

static const struct sn_strategy posr_strategy = {
    .name = "posr",
    .about = "as pos, but conflicting operations get new ranks",
    .state_size = sizeof(struct posr),
    .init = posr_init,
    .begin = posr_begin,
    .pick = posr_pick,
    .draw = posr_draw,
    .save = posr_save,
    .load = posr_load,
    .split = posr_split,
    .seek = posr_seek,
};

const struct strategy_entry strategy_posr = {.strategy = &posr_strategy, .loop = posr_loop};
