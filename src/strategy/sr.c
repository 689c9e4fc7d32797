/* sr.c - a random task, and the oldest operation of it.
 *
 * Every task with something to do is equally likely to be next, however much that is, and each does
 * what it has to do in the order in which that was announced. What one would do with a queue per
 * task; DS2's "systematic random" does. It keeps to far fewer orders than the random walk, so use
 * it beside others. SPDX-License-Identifier: MIT
 */
#include "engine/loop.h"
#include "strategy/age.h"
#include "strategy/strategies.h"
#include "strategy/stream.h"

#include <stdio.h>
#include <string.h>

struct sr {
    struct stream stream;
    struct rng rng;
    uint64_t busy[TRIAL_TASKS_MAX / 64]; /* a bit for each task with something to do */
};

static const uint64_t sr_tag = UINT64_C(0x7273); /* "sr" */

static int sr_init(void *self, const char *parameters, uint64_t seed, char *error, size_t size)
{
    struct sr *s = self;

    if (parameters[0] != '\0') {
        (void)snprintf(error, size, "it takes no parameters, but has \"%s\"", parameters);
        return -1;
    }
    stream_init(&s->stream, seed, sr_tag);
    return 0;
}

static bool sr_begin(void *self, uint64_t trial, uint64_t *keep)
{
    struct sr *s = self;

    (void)trial;
    (void)keep;
    (void)stream_begin(&s->stream, &s->rng);
    return true;
}

/* The task of the n-th bit that is set, from 0. */
static uint32_t nth_task(const uint64_t *busy, uint32_t n)
{
    uint32_t word = 0;
    uint64_t bits;

    for (; n >= (uint32_t)__builtin_popcountll(busy[word]); word++)
        n -= (uint32_t)__builtin_popcountll(busy[word]);
    for (bits = busy[word]; n > 0; n--)
        bits &= bits - 1;
    return word * 64 + (uint32_t)__builtin_ctzll(bits);
}

/* Marks the tasks with something to do, and counts them. */
static uint32_t find_busy(const struct trial *t, uint64_t *busy)
{
    uint32_t n_words = (t->now.n_tasks + 63) / 64;
    uint32_t n = 0;

    memset(busy, 0, n_words * sizeof(*busy));
    for (uint32_t i = 0; i < t->now.n_enabled; i++) {
        uint32_t task = t->sources[(uint32_t)t->enabled[i]].to;

        busy[task / 64] |= UINT64_C(1) << (task % 64);
    }
    for (uint32_t i = 0; i < n_words; i++)
        n += (uint32_t)__builtin_popcountll(busy[i]);
    return n;
}

/* The usual case of few tasks, without going through memory. */
static uint32_t find_busy_of_64(const struct trial *t, uint64_t *busy)
{
    uint64_t bits = 0;

    for (uint32_t i = 0; i < t->now.n_enabled; i++)
        bits |= UINT64_C(1) << t->sources[(uint32_t)t->enabled[i]].to;
    busy[0] = bits;
    return (uint32_t)__builtin_popcountll(bits);
}

static uint32_t pick_source(struct trial *t, void *self)
{
    struct sr *s = self;
    uint32_t n;

    if (t->now.n_enabled == 1)
        return (uint32_t)t->enabled[0];
    n = t->now.n_tasks <= 64 ? find_busy_of_64(t, s->busy) : find_busy(t, s->busy);
    return age_oldest_of(t, nth_task(s->busy, n == 1 ? 0 : rng_below(&s->rng, n)));
}

static void sr_loop(struct trial *t)
{
    trial_loop_with(t, pick_source, NULL, t->strategy_self);
}

static uint32_t sr_pick(void *self, const struct sn_pending *pending)
{
    struct trial *t = (struct trial *)(uintptr_t)pending;

    return t->sources[pick_source(t, self)].position - 1;
}

static uint64_t sr_draw(void *self, const struct sn_draw *draw)
{
    struct sr *s = self;

    return rng_below64(&s->rng, draw->n);
}

static size_t sr_save(const void *self, void *bytes, size_t room)
{
    const struct sr *s = self;

    return stream_save(&s->stream, sr_tag, bytes, room);
}

static int sr_load(void *self, const void *bytes, size_t n)
{
    struct sr *s = self;

    return stream_load(&s->stream, sr_tag, bytes, n);
}

static void sr_seek(void *self, uint64_t trial)
{
    struct sr *s = self;

    stream_seek(&s->stream, trial);
}

static bool sr_split(void *self, void *other)
{
    struct sr *s = self;
    struct sr *o = other;

    stream_split(&s->stream, &o->stream);
    return true;
}

static const struct sn_strategy sr_strategy = {
    .name = "sr",
    .about = "a random task, then its oldest operation",
    .state_size = sizeof(struct sr),
    .is_fair = true,
    .init = sr_init,
    .begin = sr_begin,
    .pick = sr_pick,
    .draw = sr_draw,
    .save = sr_save,
    .load = sr_load,
    .split = sr_split,
    .seek = sr_seek,
};

const struct strategy_entry strategy_sr = {.strategy = &sr_strategy, .loop = sr_loop};
