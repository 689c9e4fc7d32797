/* fair.c - a kind world: what can go on goes on, and nothing new goes wrong.
 *
 * The strategy of the last part of a trial in which liveness is judged. Messages are delivered at
 * random; timers fire only when nothing else can happen, so that no storm of them keeps the rest
 * waiting; faults happen only when there is nothing else at all. What is still not done after a
 * long time of this will not be done. SPDX-License-Identifier: MIT
 */
#include "base/rng.h"
#include "engine/loop.h"
#include "strategy/strategies.h"

#include <stdio.h>

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

/* 0 goes before 1, 1 before 2. */
static uint32_t class_of(const struct sn_op *op)
{
    if (op->deadline != 0 || op->kind == SN_OP_TIMER)
        return 1;
    return op->kind == SN_OP_FAULT ? 2 : 0;
}

static uint32_t fair_pick(void *self, const struct sn_pending *pending)
{
    struct fair *f = self;
    uint32_t n = sn_pending_count(pending);
    uint32_t count[3] = {0};
    uint32_t chosen;
    uint32_t left;

    for (uint32_t i = 0; i < n; i++)
        count[class_of(sn_pending_op(pending, i))]++;
    chosen = count[0] > 0 ? 0 : count[1] > 0 ? 1 : 2;
    left = count[chosen] == 1 ? 0 : rng_below(&f->rng, count[chosen]);
    for (uint32_t i = 0;; i++) {
        if (class_of(sn_pending_op(pending, i)) == chosen && left-- == 0)
            return i;
    }
}

static uint64_t fair_draw(void *self, const struct sn_draw *draw)
{
    struct fair *f = self;

    return rng_below64(&f->rng, draw->n);
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
};

const struct strategy_entry strategy_fair = {.strategy = &fair_strategy};
