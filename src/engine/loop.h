/* loop.h - the loop of a trial, as a template that each built-in strategy fills with its own pick.
 *
 * A call per pick costs as much as all recording together, so strategies that matter for speed
 * instantiate trial_loop_with in their own file; all others run in trial_loop_any, which is the
 * same template around the public callback. SPDX-License-Identifier: MIT
 */
#ifndef ENGINE_LOOP_H
#define ENGINE_LOOP_H

#include "engine/op.h"
#include "engine/world/heap.h"

/* Performs the ready operation of a source: the middle of every loop. Only a trial that is repeated
 * has a recorder, so searching loops need not ask. */
static inline __attribute__((always_inline)) void trial_step(struct trial *t, uint32_t source,
                                                             bool may_record)
{
    uint32_t number = source_take(t, source);
    struct sn_op *op = &t->ops[number];
    struct task *task = &t->tasks[op->task];

    /* One term per step suffices while a task is also the one object its steps write: the number of
     * writes to the object is the index within the task. */
    t->now.order += mix_fold((op->id ^ task->id) + op->kind, task->steps++);
    t->now.steps++;
    t->now.step_id = op->id;
    t->now.children = 0;
    t->now.task = op->task;
    heap_enter(op->task);
    if (may_record && t->recorder != NULL)
        t->recorder->step(t, op, op_payload(t, op));
    trial_perform(t, op);
    op_free(t, number);
}

/* Told may be NULL. */
static inline __attribute__((always_inline)) void
trial_loop_with(struct trial *t, uint32_t (*pick)(struct trial *t, void *self),
                void (*told)(void *self, const struct sn_op *op), void *self)
{
    for (;;) {
        uint32_t source;

        if (unlikely(t->now.n_enabled <= t->now.n_faults) && !trial_wait(t))
            return;
        if (unlikely(t->now.steps >= t->pause_at) && !trial_pause(t))
            return;
        source = pick(t, self);
        log_push(&t->log, LOG_OP, t->ops[t->sources[source].ready].id, source);
        if (told != NULL)
            t->performing = t->ops[t->sources[source].ready];
        trial_step(t, source, false);
        if (told != NULL)
            told(self, &t->performing);
    }
}

#endif
