/* mutants.c - see mutants.h.
 *
 * They are made of the same parts as delay:D:cache, put together wrongly.
 * SPDX-License-Identifier: MIT
 */
#include "mutants.h"

#include "strategy/cache.h"
#include "strategy/delay.h"
#include "strategy/pending.h"

#include <stdlib.h>

struct mutant {
    struct delay delay;
    struct cache cache;
    struct pending pending;
};

static int init(void *self, const char *parameters, uint64_t seed, char *error, size_t size)
{
    struct mutant *m = self;

    (void)seed;
    (void)error;
    (void)size;
    m->delay.bound = strtoull(parameters, NULL, 10);
    cache_init(&m->cache, CACHE_STATES_MAX);
    return 0;
}

typedef struct state_key key_of_op(const struct trial *t, const struct pending_op *pending);

static struct state_key key_of(struct mutant *m, struct trial *t, key_of_op *of, bool is_ordered)
{
    struct state_key sum = {0, 0};
    struct state_key key;
    struct err why;

    if (trial_state(t, &key, &why) < 0)
        trial_lose_control(t, TRIAL_REFUSED, "%s", why.text);
    pending_list(&m->pending, t);
    for (uint32_t i = 0; i < m->pending.n; i++) {
        if (is_ordered)
            key = state_join(key, of(t, &m->pending.ops[i]));
        else
            sum = state_sum(sum, of(t, &m->pending.ops[i]));
    }
    return state_join(key, sum);
}

/* Who performs it, and from whom it comes. */
static struct state_key key_without_content(const struct trial *t, const struct pending_op *pending)
{
    const struct sn_op *op = &t->ops[pending->op];

    return state_add(state_add(state_begin(op->kind), op->task), op->from);
}

static uint32_t pick(struct trial *t, struct mutant *m, struct state_key key, uint32_t cost)
{
    if (delay_is_new(&m->delay) && cache_meet(&m->cache, key, cost))
        trial_abandon(t);
    return t->sources[delay_pick_source(t, &m->delay)].position - 1;
}

static uint32_t pick_without_order(void *self, const struct sn_pending *pending)
{
    struct trial *t = (struct trial *)(uintptr_t)pending;
    struct mutant *m = self;

    return pick(t, m, key_of(m, t, pending_key, false), delay_spent(&m->delay));
}

static uint32_t pick_without_cost(void *self, const struct sn_pending *pending)
{
    struct trial *t = (struct trial *)(uintptr_t)pending;
    struct mutant *m = self;

    return pick(t, m, key_of(m, t, pending_key, true), 0);
}

static uint32_t pick_without_content(void *self, const struct sn_pending *pending)
{
    struct trial *t = (struct trial *)(uintptr_t)pending;
    struct mutant *m = self;

    return pick(t, m, key_of(m, t, key_without_content, true), delay_spent(&m->delay));
}

#define MUTANT(name_, pick_)                                                                       \
    {                                                                                              \
        .name = (name_), .state_size = sizeof(struct mutant), .init = init, .begin = delay_begin,  \
        .pick = (pick_), .draw = delay_draw, .is_exhausted = delay_is_exhausted                    \
    }

int mutants_register(void)
{
    static const struct sn_strategy mutants[] = {
        MUTANT("mutant_order", pick_without_order),
        MUTANT("mutant_cost", pick_without_cost),
        MUTANT("mutant_content", pick_without_content),
    };
    int rc = 0;

    for (size_t i = 0; i < sizeof(mutants) / sizeof(mutants[0]) && rc == 0; i++)
        rc = sn_strategy_register(&mutants[i]);
    return rc;
}
