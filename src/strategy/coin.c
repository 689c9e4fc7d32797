/* coin.c - tasks take turns, and now and then one is skipped.
 *
 * `delay:D:coin`, the randomised form of delay bounding that DS2 has. Tasks take turns in the order
 * of their creation, each with its oldest operation. At one step in five up to as many tasks are
 * skipped as there are delays left, of D in a trial; the first of them is next.
 * SPDX-License-Identifier: MIT
 */
#include "engine/loop.h"
#include "strategy/age.h"
#include "strategy/number.h"
#include "strategy/strategies.h"
#include "strategy/stream.h"

#include <stdio.h>

enum { ONE_IN = 5 };

struct coin {
    uint64_t bound;
    struct stream stream;
    struct rng rng;
    uint64_t left;
    uint32_t turn; /* the task that is next, if it has something to do */
};

static const uint64_t coin_tag = UINT64_C(0x6e696f63); /* "coin" */

static int coin_init(void *self, const char *parameters, uint64_t seed, char *error, size_t size)
{
    struct coin *c = self;
    const char *at = parameters;

    if (number_read(&at, 0, DELAYS_MAX, &c->bound) < 0 || strcmp(at, "coin") != 0) {
        (void)snprintf(error, size,
                       "it needs a number of delays before the coin, as in delay:2:coin, but has "
                       "\"%s\"",
                       parameters);
        return -1;
    }
    stream_init(&c->stream, seed, coin_tag);
    return 0;
}

static bool coin_begin(void *self, uint64_t trial, uint64_t *keep)
{
    struct coin *c = self;

    (void)trial;
    (void)keep;
    (void)stream_begin(&c->stream, &c->rng);
    c->left = c->bound;
    c->turn = 0;
    return true;
}

/* How many turns a task is away. */
static uint32_t distance(const struct coin *c, uint32_t task)
{
    return task >= c->turn ? task - c->turn : task + TRIAL_TASKS_MAX - c->turn;
}

/* The nearest task with something to do that is at least this far away, or else the nearest. */
static uint32_t next_task(const struct trial *t, const struct coin *c, uint32_t least)
{
    uint32_t best = UINT32_MAX;
    uint32_t nearest = UINT32_MAX;

    for (uint32_t i = 0; i < t->now.n_enabled; i++) {
        uint32_t away = distance(c, t->sources[(uint32_t)t->enabled[i]].to);

        nearest = away < nearest ? away : nearest;
        if (away >= least && away < best)
            best = away;
    }
    return (c->turn + (best != UINT32_MAX ? best : nearest)) % TRIAL_TASKS_MAX;
}

static uint32_t pick_source(struct trial *t, void *self)
{
    struct coin *c = self;
    uint32_t first = next_task(t, c, 0);
    uint32_t task = first;
    uint64_t skip = 0;

    if (c->left > 0 && rng_below(&c->rng, ONE_IN) == 0)
        skip = rng_below64(&c->rng, c->left + 1);
    for (uint64_t i = 0; i < skip; i++)
        task = next_task(t, c, distance(c, task) + 1);
    c->left -= skip;
    c->turn = skip == 0 ? task + 1 : first;
    return age_oldest_of(t, task);
}

static void coin_loop(struct trial *t)
{
    trial_loop_with(t, pick_source, NULL, t->strategy_self);
}

static uint32_t coin_pick(void *self, const struct sn_pending *pending)
{
    struct trial *t = (struct trial *)(uintptr_t)pending;

    return t->sources[pick_source(t, self)].position - 1;
}

static uint64_t coin_draw(void *self, const struct sn_draw *draw)
{
    struct coin *c = self;

    return rng_below64(&c->rng, draw->n);
}

static size_t coin_save(const void *self, void *bytes, size_t room)
{
    const struct coin *c = self;

    return stream_save(&c->stream, coin_tag, bytes, room);
}

static int coin_load(void *self, const void *bytes, size_t n)
{
    struct coin *c = self;

    return stream_load(&c->stream, coin_tag, bytes, n);
}

static void coin_seek(void *self, uint64_t trial)
{
    struct coin *c = self;

    stream_seek(&c->stream, trial);
}

static bool coin_split(void *self, void *other)
{
    struct coin *c = self;
    struct coin *o = other;

    stream_split(&c->stream, &o->stream);
    return true;
}

static const struct sn_strategy coin_strategy = {
    .name = "delay",
    .about = "tasks take turns, and now and then one is skipped",
    .state_size = sizeof(struct coin),
    .is_fair = true,
    .init = coin_init,
    .begin = coin_begin,
    .pick = coin_pick,
    .draw = coin_draw,
    .save = coin_save,
    .load = coin_load,
    .split = coin_split,
    .seek = coin_seek,
};

const struct strategy_entry strategy_coin = {.strategy = &coin_strategy, .loop = coin_loop};
