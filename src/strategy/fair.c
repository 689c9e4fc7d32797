/* fair.c - a kind world: what can go on goes on, and nothing new goes wrong.
 *
 * The strategy of the last part of a trial, in which liveness is judged. Messages are delivered at
 * random. Timers fire when nothing else can happen, so that no storm of them keeps the rest
 * waiting; but one pick in a while takes what comes, so that no storm of messages keeps timers
 * waiting for ever. Faults happen only when there is nothing else at all. What is still not done
 * after a long time of this will not be done. SPDX-License-Identifier: MIT
 */
#include "base/rng.h"
#include "engine/loop.h"
#include "strategy/strategies.h"

#include <stdio.h>

/* One pick in so many does not put messages first. */
enum { TIMERS_TURN = 16 };

enum { FIRST, LATER, LAST, CLASSES };

struct fair {
    struct rng rng;
    uint64_t seed;
};

static int fair_init(void *self, const char *parameters, uint64_t seed, char *error, size_t size)
{
    struct fair *f = self;

    if (parameters[0] != '\0') {
        (void)snprintf(error, size, "it takes no parameters, but has \"%s\"", parameters);
        return -1;
    }
    f->seed = mix_pair(seed, UINT64_C(0x66616972)); /* "fair": not the stream of random */
    return 0;
}

static bool fair_begin(void *self, uint64_t trial, uint64_t *keep)
{
    struct fair *f = self;

    (void)keep;
    rng_init(&f->rng, f->seed, trial);
    return true;
}

/* What brings a node or the network back is like a timer; what strikes them can wait. */
static uint32_t class_of(const struct trial *t, uint32_t i)
{
    const struct sn_op *op = &t->ops[t->sources[(uint32_t)t->enabled[i]].ready];

    if (op->deadline != 0 || op->kind == SN_OP_TIMER)
        return LATER;
    return op->kind == SN_OP_FAULT ? LAST : FIRST;
}

/* Index of the operation to run. */
static uint32_t choose(struct fair *f, const struct trial *t)
{
    uint32_t count[CLASSES] = {0};
    uint32_t low = FIRST;
    uint32_t high = FIRST;
    uint32_t left;

    for (uint32_t i = 0; i < t->now.n_enabled; i++)
        count[class_of(t, i)]++;
    if (count[FIRST] == 0)
        low = high = count[LATER] > 0 ? LATER : LAST;
    else if (count[LATER] > 0 && rng_below(&f->rng, TIMERS_TURN) == 0)
        high = LATER;
    left = low == high ? count[low] : count[FIRST] + count[LATER];
    left = left == 1 ? 0 : rng_below(&f->rng, left);
    for (uint32_t i = 0;; i++) {
        uint32_t class = class_of(t, i);

        if (class >= low && class <= high && left-- == 0)
            return i;
    }
}

static uint32_t fair_pick(void *self, const struct sn_pending *pending)
{
    return choose(self, (const struct trial *)pending);
}

static uint32_t pick_source(struct trial *t, void *self)
{
    return (uint32_t)t->enabled[choose(self, t)];
}

static void fair_loop(struct trial *t)
{
    trial_loop_with(t, pick_source, NULL, t->strategy_self);
}

static uint64_t fair_draw(void *self, const struct sn_draw *draw)
{
    struct fair *f = self;

    return rng_below64(&f->rng, draw->n);
}

/* It goes by the number that begin is given. */
static void fair_seek(void *self, uint64_t trial)
{
    (void)self;
    (void)trial;
}

static const struct sn_strategy fair_strategy = {
    .name = "fair",
    .about = "messages at random, timers when nothing else is left, faults last",
    .state_size = sizeof(struct fair),
    .is_fair = true,
    .init = fair_init,
    .begin = fair_begin,
    .pick = fair_pick,
    .draw = fair_draw,
    .seek = fair_seek,
};

const struct strategy_entry strategy_fair = {.strategy = &fair_strategy, .loop = fair_loop};
