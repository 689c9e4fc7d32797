/* anew.h - which pending operations conflict with the one that has run, and are decided anew.
 *
 * Deliveries conflict if they are for the same task, and the steps of processes if they are about
 * the same thing and one of them writes to it. SPDX-License-Identifier: MIT
 */
#ifndef STRATEGY_ANEW_H
#define STRATEGY_ANEW_H

#include "strategy/rank.h"

/* What the last step was about. */
struct anew {
    uint32_t task;   /* that has taken it; 0: none has */
    bool is_process; /* one has: */
    bool is_reading;
    uint64_t about;
};

/* An operation is about to run. */
static inline void anew_note(struct anew *a, struct trial *t, const struct sn_op *op)
{
    a->is_process = op->kind > SN_OP_FAULT;
    a->task = op->task;
    if (unlikely(a->is_process))
        a->about = trial_about(t, op, &a->is_reading);
}

/* A number that is another one each time an operation is decided anew. */
static inline uint64_t anew_turn(const struct trial *t, const struct sn_op *op)
{
    return likely(op->kind <= SN_OP_FAULT) ? t->tasks[op->task].steps : t->now.steps;
}

/* Draws the ranks of what conflicts with what a process has done. */
void anew_draw_processes(const struct anew *a, struct trial *t, struct ranks *r,
                         rank_natural *natural);

#endif
