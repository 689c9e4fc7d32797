/* enabled.c - which operations can run now. SPDX-License-Identifier: MIT */
#include "perform.h"

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

static bool is_enabled(struct performer *p, uint8_t i)
{
    struct op *op = &p->s->ops[i];

    if (op->kind == OP_START)
        return true;
    if (!p->s->actors[op->to].is_started) {
        p->features[MET_WAITED_FOR_START]++;
        return false;
    }
    if (op->kind == OP_TIMER && !op->is_due)
        return false;
    if (is_deferred(p, op)) {
        op->was_deferred = true;
        p->features[MET_DEFERRED_TIMER] += op->kind != OP_DELIVER;
        return false;
    }
    if (op->kind != OP_DELIVER)
        return true;
    for (uint8_t j = 0; j < i; j++) {
        const struct op *earlier = &p->s->ops[j];

        if (earlier->kind == OP_DELIVER && earlier->to == op->to && earlier->from == op->from) {
            if (!is_deferred(p, earlier))
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

        if (op->kind == OP_TIMER && !op->is_due && op->deadline < first)
            first = op->deadline;
    }
    if (first == UINT32_MAX)
        return false;
    p->s->now = first;
    for (uint8_t i = 0; i < p->s->n_ops; i++) {
        struct op *op = &p->s->ops[i];

        if (op->kind == OP_TIMER && !op->is_due && op->deadline == first) {
            op->is_due = true;
            n++;
        }
    }
    p->features[MET_EQUAL_DEADLINES] += n > 1;
    return true;
}

uint8_t situation_enabled(struct performer *p, uint8_t enabled[OPS_MAX])
{
    uint8_t n = 0;

    do {
        for (uint8_t i = 0; i < p->s->n_ops; i++)
            if (is_enabled(p, i))
                enabled[n++] = i;
    } while (n == 0 && pass_time(p));
    return n;
}
