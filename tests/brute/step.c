/* step.c - what a step does to the states of a machine. SPDX-License-Identifier: MIT */
#include "perform.h"

static const struct state *state_at(const struct performer *p, const struct actor *a, int level)
{
    return &p->program->types[a->type].states[a->stack[level]];
}

static struct control act(struct performer *p, uint8_t self, int what, int level,
                          const struct script *script, const struct handled *m)
{
    struct actor *a = &p->s->actors[self];

    if (p->has_crashed)
        return (struct control){NEXT_NOTHING, 0};
    if (!p->is_leaving && a->stamp_now != p->stamp) {
        a->stamp_now = p->stamp;
        a->n_stamps = 0;
    }
    locals_begin(&a->locals, m->value);
    observe(p, a->stamp, what, a->stack[level], a->locals);
    return run_script(p, self, script, m);
}

static struct control enter(struct performer *p, uint8_t self, const struct handled *m)
{
    const struct actor *a = &p->s->actors[self];
    int top = a->depth - 1;
    const struct state *state = state_at(p, a, top);

    if (!state->has_entry)
        return (struct control){NEXT_NOTHING, 0};
    return act(p, self, OBSERVED_ENTRY, top, &state->entry, m);
}

static void leave(struct performer *p, uint8_t self)
{
    const struct actor *a = &p->s->actors[self];
    const struct handled nothing = {.life = a->n_left < LEFT_MAX};
    const struct state *state = state_at(p, a, a->depth - 1);

    if (!state->has_exit)
        return;
    p->is_leaving = true;
    (void)act(p, self, OBSERVED_EXIT, a->depth - 1, &state->exit, &nothing);
    p->is_leaving = false;
}

static struct control go_to(struct performer *p, uint8_t self, uint8_t state,
                            const struct handled *m)
{
    struct actor *a = &p->s->actors[self];

    p->features[MET_GOTO]++;
    leave(p, self);
    a->stack[a->depth - 1] = state;
    return enter(p, self, m);
}

static struct control push(struct performer *p, uint8_t self, uint8_t state,
                           const struct handled *m)
{
    struct actor *a = &p->s->actors[self];

    p->features[MET_PUSH]++;
    if (a->depth == STACK_MAX) {
        p->is_out_of_bounds = true;
        return (struct control){NEXT_NOTHING, 0};
    }
    a->stack[a->depth++] = state;
    return enter(p, self, m);
}

static void pop(struct performer *p, uint8_t self)
{
    struct actor *a = &p->s->actors[self];

    p->features[MET_POP]++;
    if (a->depth < 2) {
        p->is_out_of_bounds = true;
        return;
    }
    leave(p, self);
    a->depth--;
}

static void halt(struct performer *p, uint8_t self)
{
    p->features[MET_HALT]++;
    p->s->actors[self].is_halted = true;
    for (uint8_t i = p->s->n_ops; i-- > 0;)
        if (p->s->ops[i].to == self) {
            remove_op(p->s, i);
            p->features[MET_REMOVED_BY_HALT]++;
        }
}

/* An event that no state names: only the halt event has a meaning then. */
static struct control unnamed(struct performer *p, uint8_t event)
{
    if (event != EVENT_HALT) {
        p->is_out_of_bounds = true;
        return (struct control){NEXT_NOTHING, 0};
    }
    p->features[MET_HALT_EVENT]++;
    return (struct control){NEXT_HALT, 0};
}

/* An entry of a lower state that changes the stack removes the states above it first. */
static void remove_above(struct performer *p, uint8_t self, int level)
{
    struct actor *a = &p->s->actors[self];

    while (a->depth - 1 > level) {
        p->features[MET_REMOVED_ABOVE]++;
        leave(p, self);
        a->depth--;
    }
}

static struct control handle(struct performer *p, uint8_t self, const struct handled *m)
{
    struct actor *a = &p->s->actors[self];
    int level;
    const struct binding *on = find_binding(p, a, m->event, &level);

    if (on == NULL)
        return unnamed(p, m->event);
    if (level < a->depth - 1)
        p->features[MET_INHERITED]++;
    if (on->kind == BIND_RUN_GOTO || on->kind == BIND_GOTO || on->kind == BIND_PUSH ||
        on->kind == BIND_POP)
        remove_above(p, self, level);
    switch (on->kind) {
    case BIND_RUN:
        return act(p, self, OBSERVED_RUN + m->event, level, &on->script, m);
    case BIND_RUN_GOTO:
        p->features[MET_GOTO]++;
        leave(p, self);
        (void)act(p, self, OBSERVED_RUN + m->event, level, &on->script, m);
        a->stack[a->depth - 1] = on->state;
        return enter(p, self, m);
    case BIND_GOTO:
        return go_to(p, self, on->state, m);
    case BIND_PUSH:
        return push(p, self, on->state, m);
    case BIND_POP:
        pop(p, self);
        break;
    case BIND_HALT:
        return (struct control){NEXT_HALT, 0};
    case BIND_IGNORE:
        p->features[MET_IGNORED]++;
        break;
    default:
        p->is_out_of_bounds = true;
        break;
    }
    return (struct control){NEXT_NOTHING, 0};
}

static void follow(struct performer *p, uint8_t self, struct control control, struct handled *m)
{
    while (control.next != NEXT_NOTHING && !p->is_out_of_bounds && !p->has_crashed) {
        switch (control.next) {
        case NEXT_EVENT:
            m->event = control.state;
            m->value = p->s->actors[self].locals.acc & 3;
            control = handle(p, self, m);
            break;
        case NEXT_GOTO:
            control = go_to(p, self, control.state, m);
            break;
        case NEXT_PUSH:
            control = push(p, self, control.state, m);
            break;
        case NEXT_POP:
            pop(p, self);
            return;
        default:
            halt(p, self);
            return;
        }
    }
}

/* ---- Steps ----------------------------------------------------------------------------------- */

static void begin(struct performer *p, struct step step, uint64_t stamp)
{
    *p->step = step;
    p->step->touched = (uint16_t)(1u << step.actor);
    p->stamp = stamp;
    p->n_children = 0;
    p->n_created = 0;
    p->has_sent = false;
    p->effects_left = 0;
    p->has_crashed = false;
}

void situation_begin(struct performer *p)
{
    const struct handled m = {.life = (uint8_t)(p->program->life + 1)};
    struct situation *s = p->s;

    begin(p, (struct step){0}, STAMP_TEST);
    s->actors[0].stamp = STAMP_TEST;
    s->actors[0].stamp_now = STAMP_TEST;
    for (int i = 0; i < p->program->n_run; i++) {
        const struct instruction *in = &p->program->run[i];

        if (!locals_meet(&s->actors[0].locals, in->condition, 0))
            continue;
        carry_out(p, 0, in, &m);
        if (in->code == CODE_CREATE && s->n_roots < ROOTS_MAX)
            s->roots[s->n_roots++] = s->n_actors;
    }
    s->n_set_up = s->n_observations;
    announce_faults(p);
}

static void perform_of_machine(struct performer *p, const struct op *op)
{
    struct actor *a = &p->s->actors[op->to];
    const struct place *place = &p->s->places[a->node];
    struct handled m = {.event = op->event,
                        .value = op->value,
                        .life = op->life,
                        .from = op->from,
                        .carried = op->carried};

    if (place->is_doomed)
        p->effects_left = place->effects;
    if (op->kind >= OP_TIMER && op->deadline > a->clock)
        a->clock = op->deadline;
    if (op->kind == OP_START) {
        a->is_started = true;
        a->depth = 1;
        follow(p, op->to, enter(p, op->to, &m), &m);
    } else {
        follow(p, op->to, handle(p, op->to, &m), &m);
    }
    if (a->node != 0 && !p->is_out_of_bounds)
        end_step_on_node(p, op->to);
}

void situation_perform(struct performer *p, uint8_t i)
{
    struct situation *s = p->s;
    const struct op op = s->ops[i];

    p->features[MET_DEFERRED_TAKEN_UP] += op.was_deferred;
    remove_op(s, i);
    s->n_steps++;
    begin(p, (struct step){.row = op.row, .actor = op.to, .cause = op.cause}, op.stamp);
    p->step->is_wild = op.to == FAULT_TASK;
    if (op.to == FAULT_TASK)
        perform_fault(p, &op);
    else
        perform_of_machine(p, &op);
}
