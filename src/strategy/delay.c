/* delay.c - few departures from one ordinary schedule.
 *
 * Emmi, Qadeer and Rakamaric, "Delay-bounded scheduling" (POPL 2011). The ordinary schedule runs
 * what was announced first. Running the j-th oldest operation instead (from 0) delays j others and
 * costs j. Every schedule that costs at most D is run, each once, depth first; values of draws cost
 * nothing, and all of them are tried. SPDX-License-Identifier: MIT
 */
#include "strategy/delay.h"

#include "engine/loop.h"
#include "strategy/age.h"
#include "strategy/number.h"
#include "strategy/strategies.h"

#include <stdio.h>

static const uint64_t delay_tag = UINT64_C(0x79616c6564); /* "delay" */

static int delay_init(void *self, const char *parameters, uint64_t seed, char *error, size_t size)
{
    struct delay *d = self;
    const char *at = parameters;

    (void)seed;
    if (number_read(&at, 0, DELAYS_MAX, &d->bound) == 0 && at[0] == '\0' && at[-1] != ':')
        return 0;
    (void)snprintf(error, size,
                   "it needs a number of delays, as in delay:2, delay:2:cache or delay:2:coin, but "
                   "has \"%s\"",
                   parameters);
    return -1;
}

bool delay_begin(void *self, uint64_t trial, uint64_t *keep)
{
    struct delay *d = self;

    (void)trial;
    return path_begin(&d->path, keep);
}

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

uint32_t delay_pick_source(struct trial *t, void *self)
{
    struct delay *d = self;
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

static void delay_loop(struct trial *t)
{
    trial_loop_with(t, delay_pick_source, NULL, t->strategy_self);
}

static uint32_t delay_pick(void *self, const struct sn_pending *pending)
{
    struct trial *t = (struct trial *)(uintptr_t)pending;

    return t->sources[delay_pick_source(t, self)].position - 1;
}

uint64_t delay_draw(void *self, const struct sn_draw *draw)
{
    struct delay *d = self;

    return decide(d, draw->n, 0);
}

static size_t delay_save(const void *self, void *bytes, size_t room)
{
    const struct delay *d = self;

    return path_save(&d->path, delay_tag, bytes, room);
}

/* What was spent is counted again: the first trial asks for all decisions. */
static int delay_load(void *self, const void *bytes, size_t n)
{
    struct delay *d = self;

    return path_load(&d->path, delay_tag, bytes, n);
}

static bool delay_split(void *self, void *other)
{
    struct delay *d = self;
    struct delay *o = other;

    return path_split(&d->path, &o->path);
}

bool delay_is_exhausted(const void *self)
{
    const struct delay *d = self;

    return path_is_exhausted(&d->path);
}

void delay_within(const void *self, char *text, size_t size)
{
    const struct delay *d = self;

    if (d->path.is_bounded)
        (void)snprintf(text, size, "with at most %llu delay%s", (unsigned long long)d->bound,
                       d->bound == 1 ? "" : "s");
}

double delay_progress(const void *self)
{
    const struct delay *d = self;

    return path_progress(&d->path);
}

static struct descent *delay_descent(void *self)
{
    struct delay *d = self;

    return &d->path.descent;
}

static const struct sn_strategy delay_strategy = {
    .name = "delay",
    .about =
        "every schedule with at most D delays: delay:D; each state once: delay:D:cache; a random "
        "one: delay:D:coin",
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
    .progress = delay_progress,
};

const struct strategy_entry strategy_delay = {
    .strategy = &delay_strategy, .loop = delay_loop, .descent = delay_descent};
