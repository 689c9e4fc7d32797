/* oldest.c - the default schedule, as a strategy. SPDX-License-Identifier: MIT */
#include "strategy/oldest.h"

#include "engine/explore.h"
#include "engine/here.h"
#include "strategy/strategies.h"

uint32_t oldest_index(const struct trial *t)
{
    uint32_t best = 0;

    for (uint32_t i = 1; i < t->now.n_enabled; i++) {
        if (oldest_is_before(oldest_op(t, i), oldest_op(t, best)))
            best = i;
    }
    return best;
}

bool oldest_is_over(uint64_t trial)
{
    const struct trial *t = trial_here();

    return trial > 0 && t != NULL && t->explore != NULL && t->explore->n_phases == 1;
}

static bool oldest_begin(void *self, uint64_t trial, uint64_t *keep)
{
    (void)self;
    (void)keep;
    return !oldest_is_over(trial);
}

static uint32_t oldest_pick(void *self, const struct sn_pending *pending)
{
    (void)self;
    return oldest_index((const struct trial *)pending);
}

/* Without draw, every value is 0. What is enabled grows old, and then runs: it is fair. */
static const struct sn_strategy oldest_strategy = {
    .name = "oldest",
    .about = "the default schedule: what was announced first runs first, faults last",
    .is_fair = true,
    .begin = oldest_begin,
    .pick = oldest_pick,
};

const struct strategy_entry strategy_oldest = {.strategy = &oldest_strategy};
