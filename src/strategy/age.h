/* age.h - which of two pending operations was announced first. SPDX-License-Identifier: MIT */
#ifndef STRATEGY_AGE_H
#define STRATEGY_AGE_H

#include "engine/trial.h"

/* Something that may go wrong, if it ever does, as opposed to what a fault will bring. */
static inline bool age_is_fault(const struct sn_op *op)
{
    return op->kind == SN_OP_FAULT && op->deadline == 0;
}

/* By the step that announced them, then by the order in which that step did; a copy comes after its
 * original. Faults are there from the start but nothing that should happen, so
 * they count as younger than everything else; they are told apart by id, which is the same in every
 * trial. No other two are alike. */
static inline bool age_is_older(const struct sn_op *a, const struct sn_op *b)
{
    if (age_is_fault(a) != age_is_fault(b))
        return age_is_fault(b);
    if (a->cause != b->cause)
        return a->cause < b->cause;
    if (a->number != b->number)
        return a->number < b->number;
    if ((a->flags & SN_OP_COPY) != (b->flags & SN_OP_COPY))
        return (b->flags & SN_OP_COPY) != 0;
    return a->id < b->id;
}

/* What is ready in a source. */
static inline const struct sn_op *age_op(const struct trial *t, uint32_t source)
{
    return &t->ops[t->sources[source].ready];
}

/* The source with the oldest operation of a task that has one. */
static inline uint32_t age_oldest_of(const struct trial *t, uint32_t task)
{
    uint32_t index = t->tasks[task].first_source;
    uint32_t oldest = 0;

    for (; index != 0; index = t->sources[index].next_of_task) {
        if (t->sources[index].position == 0)
            continue;
        if (oldest == 0 || age_is_older(age_op(t, index), age_op(t, oldest)))
            oldest = index;
    }
    return oldest;
}

#endif
