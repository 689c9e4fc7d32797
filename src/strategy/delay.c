/* delay.c - few departures from one ordinary schedule.
 *
 * Emmi, Qadeer and Rakamaric, "Delay-bounded scheduling" (POPL 2011). The ordinary schedule runs
 * what was announced first. Running the j-th oldest operation instead (from 0) delays j others and
 * costs j. `delay:D` runs every schedule that costs at most D, each once, depth first; values of
 * draws cost nothing, and all of them are tried.
 *
 * `delay:D:coin` is the randomised form that DS2 has: tasks take turns, each with its oldest
 * operation; one step in five skips up to as many tasks as there are delays left, and who was
 * skipped is next. SPDX-License-Identifier: MIT
 */
#include "engine/loop.h"
#include "strategy/age.h"
#include "strategy/number.h"
#include "strategy/path.h"
#include "strategy/strategies.h"
#include "strategy/stream.h"

#include <stdio.h>

enum { BOUND_MAX = 1000000, COIN_ONE_IN = 5 };

struct delay {
    uint64_t bound;
    bool has_coin;

    struct path path;
    uint32_t spent[PATH_DEPTH_MAX + 1]; /* delays before each decision of the path */

    struct stream stream; /* the rest is of the randomised form */
    struct rng rng;
    uint64_t left;
    uint32_t turn; /* the task that is next, if it has something to do */
};

static const uint64_t delay_tag = UINT64_C(0x79616c6564); /* "delay" */
static const uint64_t coin_tag = UINT64_C(0x6e696f63);    /* "coin" */

static int delay_init(void *self, const char *parameters, uint64_t seed, char *error, size_t size)
{
    struct delay *d = self;
    const char *at = parameters;

    if (number_read(&at, 0, BOUND_MAX, &d->bound) < 0) {
        (void)snprintf(error, size,
                       "it needs the number of delays, as in delay:2, up to %d, but has \"%s\"",
                       BOUND_MAX, parameters);
        return -1;
    }
    d->has_coin = strcmp(at, "coin") == 0;
    if (*at != '\0' && !d->has_coin) {
        (void)snprintf(error, size, "after the number of delays only coin can come, not \"%s\"",
                       at);
        return -1;
    }
    stream_init(&d->stream, seed, coin_tag);
    return 0;
}

static bool delay_begin(void *self, uint64_t trial, uint64_t *keep)
{
    struct delay *d = self;

    (void)trial;
    if (!d->has_coin)
        return path_begin(&d->path, keep);
    (void)stream_begin(&d->stream, &d->rng);
    d->left = d->bound;
    d->turn = 0;
    return true;
}

/* ---- Every schedule within the bound --------------------------------------------------------- */

/* The source of the operation that j others are older than. */
static uint32_t nth_oldest(const struct trial *t, uint32_t j)
{
    uint32_t last = 0;

    for (uint32_t round = 0; round <= j; round++) {
        uint32_t next = 0;

        for (uint32_t i = 0; i < t->now.n_enabled; i++) {
            uint32_t source = (uint32_t)t->enabled[i];

            if ((last == 0 || age_is_older(age_op(t, last), age_op(t, source))) &&
                (next == 0 || age_is_older(age_op(t, source), age_op(t, next))))
                next = source;
        }
        last = next;
    }
    return last;
}

/* Decides between n alternatives, each of which costs as many delays as its number times `price`.
 */
static uint32_t decide(struct delay *d, uint64_t n, uint32_t price)
{
    uint64_t before = d->path.depth;
    uint32_t taken = path_next(&d->path, n);

    d->spent[d->path.depth] = d->spent[before] + taken * price;
    return taken;
}

static uint32_t pick_within(struct trial *t, struct delay *d)
{
    uint64_t spent = d->spent[d->path.depth];
    uint64_t affordable = spent < d->bound ? d->bound - spent + 1 : 1;
    uint32_t n = t->now.n_enabled;
    uint32_t j;

    if (affordable < n) {
        d->path.is_bounded = true;
        n = (uint32_t)affordable;
    }
    j = decide(d, n, 1);
    if (unlikely(j >= t->now.n_enabled))
        trial_diverge(t, "%u operations can run where there were more before", t->now.n_enabled);
    return nth_oldest(t, j);
}

/* ---- Taking turns --------------------------------------------------------------------------- */

/* How many turns a task is away. */
static uint32_t distance(const struct delay *d, uint32_t task)
{
    return task >= d->turn ? task - d->turn : task + TRIAL_TASKS_MAX - d->turn;
}

/* The nearest task with something to do that is at least this far away, or else the nearest. */
static uint32_t next_task(const struct trial *t, const struct delay *d, uint32_t least)
{
    uint32_t best = UINT32_MAX;
    uint32_t nearest = UINT32_MAX;

    for (uint32_t i = 0; i < t->now.n_enabled; i++) {
        uint32_t away = distance(d, t->sources[(uint32_t)t->enabled[i]].to);

        nearest = away < nearest ? away : nearest;
        if (away >= least && away < best)
            best = away;
    }
    return (d->turn + (best != UINT32_MAX ? best : nearest)) % TRIAL_TASKS_MAX;
}

static uint32_t pick_in_turn(struct trial *t, struct delay *d)
{
    uint32_t first = next_task(t, d, 0);
    uint32_t task = first;
    uint64_t skip = 0;

    if (d->left > 0 && rng_below(&d->rng, COIN_ONE_IN) == 0)
        skip = rng_below64(&d->rng, d->left + 1);
    for (uint64_t i = 0; i < skip; i++)
        task = next_task(t, d, distance(d, task) + 1);
    d->left -= skip;
    d->turn = skip == 0 ? task + 1 : first;
    return age_oldest_of(t, task);
}

/* ---- Both ----------------------------------------------------------------------------------- */

static uint32_t pick_source(struct trial *t, void *self)
{
    struct delay *d = self;

    return d->has_coin ? pick_in_turn(t, d) : pick_within(t, d);
}

static void delay_loop(struct trial *t)
{
    trial_loop_with(t, pick_source, NULL, t->strategy_self);
}

static uint32_t delay_pick(void *self, const struct sn_pending *pending)
{
    struct trial *t = (struct trial *)(uintptr_t)pending;

    return t->sources[pick_source(t, self)].position - 1;
}

static uint64_t delay_draw(void *self, const struct sn_draw *draw)
{
    struct delay *d = self;

    return d->has_coin ? rng_below64(&d->rng, draw->n) : decide(d, draw->n, 0);
}

static size_t delay_save(const void *self, void *bytes, size_t room)
{
    const struct delay *d = self;

    return d->has_coin ? stream_save(&d->stream, coin_tag, bytes, room)
                       : path_save(&d->path, delay_tag, bytes, room);
}

/* What was spent is counted again: the first trial asks for all decisions. */
static int delay_load(void *self, const void *bytes, size_t n)
{
    struct delay *d = self;

    return d->has_coin ? stream_load(&d->stream, coin_tag, bytes, n)
                       : path_load(&d->path, delay_tag, bytes, n);
}

static bool delay_split(void *self, void *other)
{
    struct delay *d = self;
    struct delay *o = other;

    if (!d->has_coin)
        return path_split(&d->path, &o->path);
    stream_split(&d->stream, &o->stream);
    return true;
}

static bool delay_is_exhausted(const void *self)
{
    const struct delay *d = self;

    return !d->has_coin && path_is_exhausted(&d->path);
}

static void delay_within(const void *self, char *text, size_t size)
{
    const struct delay *d = self;

    if (d->path.is_bounded)
        (void)snprintf(text, size, "with at most %llu delay%s", (unsigned long long)d->bound,
                       d->bound == 1 ? "" : "s");
}

static const struct sn_strategy delay_strategy = {
    .name = "delay",
    .about = "every schedule with at most D delays: delay:D; a random one: delay:D:coin",
    .state_size = sizeof(struct delay),
    .init = delay_init,
    .begin = delay_begin,
    .pick = delay_pick,
    .draw = delay_draw,
    .save = delay_save,
    .load = delay_load,
    .split = delay_split,
    .is_exhausted = delay_is_exhausted,
    .within = delay_within,
};

const struct strategy_entry strategy_delay = {.strategy = &delay_strategy, .loop = delay_loop};
