/* oldest.h - the default schedule: what was announced first runs first, faults last.
 *
 * The same order numbers the operations for people: number 1 is what would run by default.
 * SPDX-License-Identifier: MIT
 */
#ifndef STRATEGY_OLDEST_H
#define STRATEGY_OLDEST_H

#include "engine/trial.h"

/* Which of two pending operations comes first. They wait in different sources, so one does. */
static inline bool oldest_is_before(const struct sn_op *a, const struct sn_op *b)
{
    bool a_is_fault = a->kind == SN_OP_FAULT && a->deadline == 0;
    bool b_is_fault = b->kind == SN_OP_FAULT && b->deadline == 0;

    if (a_is_fault != b_is_fault)
        return b_is_fault;
    return a->cause != b->cause ? a->cause < b->cause : a->source < b->source;
}

static inline const struct sn_op *oldest_op(const struct trial *t, uint32_t enabled_index)
{
    return &t->ops[t->sources[(uint32_t)t->enabled[enabled_index]].ready];
}

/* Where in the enabled set, which is not empty, the operation is that runs by default. */
uint32_t oldest_index(const struct trial *t);

/* Whether a strategy that does the same in every trial has said all it can: `trial` is not the
 * first, and no other strategy shares it. */
bool oldest_is_over(uint64_t trial);

#endif
