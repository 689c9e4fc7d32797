/* age.h - which of two pending operations was announced first. SPDX-License-Identifier: MIT */
#ifndef STRATEGY_AGE_H
#define STRATEGY_AGE_H

#include "engine/trial.h"

/* By the step that announced them, then by the order in which that step did. What came into being
 * together, as faults may, is told apart by id. */
static inline bool age_is_older(const struct sn_op *a, const struct sn_op *b)
{
    if (a->cause != b->cause)
        return a->cause < b->cause;
    return a->number != b->number ? a->number < b->number : a->id < b->id;
}

/* What is ready in the source at a position of the enabled set. */
static inline const struct sn_op *age_op(const struct trial *t, uint32_t position)
{
    return &t->ops[t->sources[(uint32_t)t->enabled[position]].ready];
}

/* The source with the oldest operation of a task that has one. */
static inline uint32_t age_oldest_of(const struct trial *t, uint32_t task)
{
    const struct sn_op *oldest = NULL;
    uint32_t index = t->tasks[task].first_source;

    for (; index != 0; index = t->sources[index].next_of_task) {
        const struct sn_op *op = &t->ops[t->sources[index].ready];

        if (t->sources[index].position != 0 && (oldest == NULL || age_is_older(op, oldest)))
            oldest = op;
    }
    return oldest->source;
}

#endif
