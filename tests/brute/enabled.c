/* enabled.c - which operations can run now. SPDX-License-Identifier: MIT */
#include "perform.h"

#include <sennit/sennit.h>

const struct binding *find_binding(const struct performer *p, const struct actor *a, uint8_t event,
                                   int *level)
{
    for (*level = a->depth - 1; *level >= 0; --*level) {
        const struct state *state = &p->program->types[a->type].states[a->stack[*level]];

        if (state->on[event].kind != BIND_NONE)
            return &state->on[event];
        if (state->on[EVENT_ANY].kind != BIND_NONE && event != EVENT_HALT)
            return &state->on[EVENT_ANY];
    }
    return NULL;
}

static bool is_deferred(const struct performer *p, const struct op *op)
{
    int level;
    const struct binding *on = find_binding(p, &p->s->actors[op->to], op->event, &level);

    return on != NULL && on->kind == BIND_DEFER;
}

/* Whether a message must wait until another one, sent earlier, is out of its way. */
static bool waits_behind(struct performer *p, const struct op *op, const struct op *earlier)
{
    if (earlier->kind != OP_DELIVER || earlier->to != op->to)
        return false;
    if (op->order == SN_UNORDERED || op->is_copy) {
        p->features[MET_OVERTAKEN] += earlier->from == op->from;
        return false;
    }
    if (earlier->order != op->order || earlier->is_copy)
        return false;
    if (op->order == SN_FIFO)
        return earlier->from == op->from;
    p->features[MET_INBOX_WAIT] += earlier->from != op->from;
    return true;
}

static bool waits_for_time(const struct op *op)
{
    return (op->kind == OP_TIMER || op->kind == OP_REPAIR || op->is_late) && !op->is_due;
}

/* Whether a message can be overtaken by those that are to wait behind it. */
static bool steps_aside(struct performer *p, const struct op *op)
{
    return !waits_for_time(op) && (is_deferred(p, op) || is_cut_off(p->s, op));
}

static bool is_enabled(struct performer *p, uint8_t i)
{
    struct op *op = &p->s->ops[i];

    if (op->kind == OP_START)
        return true;
    if (!p->s->actors[op->to].is_started) {
        p->features[MET_WAITED_FOR_START]++;
        return false;
    }
    if (waits_for_time(op))
        return false;
    if (op->to == FAULT_TASK)
        return true;
    if (is_cut_off(p->s, op)) {
        p->features[MET_HELD]++;
        return false;
    }
    if (is_deferred(p, op)) {
        op->was_deferred = true;
        p->features[MET_DEFERRED_TIMER] += op->kind != OP_DELIVER;
        return false;
    }
    if (op->kind != OP_DELIVER)
        return true;
    for (uint8_t j = 0; j < i; j++) {
        if (waits_behind(p, op, &p->s->ops[j])) {
            p->features[MET_BEHIND_LATE] += waits_for_time(&p->s->ops[j]);
            if (!steps_aside(p, &p->s->ops[j]))
                return false;
            p->features[MET_DEFERRED_SKIPPED]++;
        }
    }
    return true;
}

/* Lets time pass to the next deadline. False: no timer waits. */
static bool pass_time(struct performer *p)
{
    uint32_t first = UINT32_MAX;
    int n = 0;

    for (uint8_t i = 0; i < p->s->n_ops; i++) {
        const struct op *op = &p->s->ops[i];

        if (waits_for_time(op) && op->deadline < first)
            first = op->deadline;
    }
    if (first == UINT32_MAX)
        return false;
    p->s->now = first;
    for (uint8_t i = 0; i < p->s->n_ops; i++) {
        struct op *op = &p->s->ops[i];

        if (waits_for_time(op) && op->deadline == first) {
            op->is_due = true;
            n++;
        }
    }
    p->features[MET_EQUAL_DEADLINES] += n > 1;
    return true;
}

/* Time passes as if faults were not there. */
uint8_t situation_enabled(struct performer *p, uint8_t enabled[OPS_MAX])
{
    uint32_t n_faults;
    uint8_t n;

    do {
        n = 0;
        n_faults = 0;
        for (uint8_t i = 0; i < p->s->n_ops; i++)
            if (is_enabled(p, i)) {
                enabled[n++] = i;
                n_faults += p->s->ops[i].kind == OP_FAULT;
            }
    } while (n == n_faults && pass_time(p));
    return n;
}
