/* action.c - which function of the test a step will call first, for those who wait for it there.
 * SPDX-License-Identifier: MIT
 */
#include "substrate/machine.h"

/* Leaving the top states down to the one at this depth. */
static machine_action *first_exit(struct trial *t, const struct machine *m, uint32_t depth)
{
    const struct sn_state *state = m->state;
    uint32_t frame = m->frame;

    for (;;) {
        if (state->exit != NULL)
            return (machine_action *)state->exit;
        if (depth-- == 0 || frame == 0)
            return NULL;
        state = t->machines->frames[frame].state;
        frame = t->machines->frames[frame].below;
    }
}

static machine_action *first_of_entry(struct trial *t, const struct machine *m,
                                      const struct sn_on *on, uint32_t depth)
{
    machine_action *first = NULL;

    if (on->defer || on->ignore || on->halt)
        return NULL;
    if (on->run != NULL && on->go_to == NULL)
        return (machine_action *)on->run;
    /* A push and what it pops before leave one state less than a change to another. */
    if (on->push == NULL || depth > 0)
        first = first_exit(t, m, on->push == NULL ? depth : depth - 1);
    if (first == NULL && on->run != NULL)
        first = (machine_action *)on->run;
    if (first == NULL && (on->go_to != NULL || on->push != NULL))
        first = (machine_action *)(on->go_to != NULL ? on->go_to : on->push)->entry;
    return first;
}

machine_action *machine_first_action(struct trial *t, const struct sn_op *op)
{
    const struct machine *m = &t->machines->all[op->task];
    const struct sn_on *on;
    uint32_t depth = 0;

    if (op->kind == SN_OP_START)
        return m->type->start != NULL ? (machine_action *)m->type->start->entry
                                      : (machine_action *)m->type->on_start;
    if (op->kind != SN_OP_DELIVER && op->kind != SN_OP_TIMER)
        return NULL;
    if (m->type->start == NULL)
        return op->kind == SN_OP_TIMER ? (machine_action *)m->type->on_timer
                                       : (machine_action *)m->type->on_message;
    if (op->what == NULL || m->state == NULL)
        return NULL;
    on = state_find(t, m, op->what, &depth);
    return on != NULL ? first_of_entry(t, m, on, depth) : NULL;
}
