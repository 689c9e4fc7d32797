/* situation.c - what can run now, and what performing it does. SPDX-License-Identifier: MIT */
#include "situation.h"

#include <string.h>

/* What a machine is to do next, within the step. */
enum next { NEXT_NOTHING, NEXT_EVENT, NEXT_GOTO, NEXT_PUSH, NEXT_POP, NEXT_HALT };

struct control {
    enum next next;
    uint8_t state; /* or event */
};

/* The message being handled. */
struct handled {
    uint8_t event;
    uint8_t value;
    uint8_t life;
    uint8_t from;
    uint8_t carried;
};

static const struct state *state_at(const struct performer *p, const struct actor *a, int level)
{
    return &p->program->types[a->type].states[a->stack[level]];
}

/* ---- What can run ------------------------------------------------------------------------------ */

/* The entry that applies to an event, from the top state down; NULL: none. */
static const struct binding *find_binding(const struct performer *p, const struct actor *a,
                                          uint8_t event, int *level)
{
    for (*level = a->depth - 1; *level >= 0; --*level) {
        const struct state *state = state_at(p, a, *level);

        if (state->on[event].kind != BIND_NONE)
            return &state->on[event];
        if (state->on[EVENT_ANY].kind != BIND_NONE)
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

/* ---- Announcing -------------------------------------------------------------------------------- */

/* Adds an operation that the running step announces; what is sent to a halted machine is not added,
 * but counts as announced. */
static struct op *announce(struct performer *p, const struct op *wanted)
{
    struct situation *s = p->s;
    struct op op = *wanted;
    struct row row = {.parent = p->step->row, .index = p->n_children, .kind = op.kind,
                      .event = op.event, .to = op.kind == OP_START ? 0 : s->actors[op.to].row};

    op.stamp = stamp_child(p->stamp, p->n_children++);
    op.cause = s->n_steps;
    if (s->actors[op.to].is_halted) {
        p->features[MET_SENT_TO_HALTED]++;
        return NULL;
    }
    op.row = tree_row(p->tree, &row);
    if (s->n_ops == OPS_MAX || op.row == 0) {
        p->is_out_of_bounds = true;
        return NULL;
    }
    s->ops[s->n_ops] = op;
    return &s->ops[s->n_ops++];
}

static void remove_op(struct situation *s, uint8_t i)
{
    s->n_ops--;
    memmove(&s->ops[i], &s->ops[i + 1], (size_t)(s->n_ops - i) * sizeof(s->ops[0]));
}

static void create(struct performer *p, uint8_t creator, uint8_t type, uint8_t life)
{
    struct situation *s = p->s;
    uint8_t number = (uint8_t)(s->n_actors + 1);
    struct actor *a = &s->actors[number];
    const struct op *op;

    if (s->n_actors == MACHINES_MAX) {
        p->is_out_of_bounds = true;
        return;
    }
    s->n_actors++;
    *a = (struct actor){.type = type, .parent = creator, .locals.controls = p->program->controls};
    op = announce(p, &(struct op){.kind = OP_START, .to = number, .from = creator, .life = life,
                                  .carried = creator});
    if (op == NULL)
        return;
    a->stamp = op->stamp;
    a->row = op->row;
    s->actors[creator].child = number;
    p->features[MET_CREATED_BY_MACHINE] += creator != 0;
}

static void send(struct performer *p, uint8_t from, uint8_t to, const struct instruction *in,
                 uint8_t life)
{
    const struct actor *a = &p->s->actors[from];

    if (to == 0)
        return;
    (void)announce(p, &(struct op){.kind = OP_DELIVER, .to = to, .from = from, .event = in->event,
                                   .value = (uint8_t)((a->locals.acc + in->arg) & 3), .life = life,
                                   .carried = a->child != 0 ? a->child : from});
}

static void start_timer(struct performer *p, uint8_t self, const struct instruction *in,
                        uint8_t life)
{
    struct actor *a = &p->s->actors[self];
    bool is_any = in->code == CODE_TIMER_ANY || p->program->are_timers_any;
    const struct op *op =
        announce(p, &(struct op){.kind = is_any ? OP_TIMER_ANY : OP_TIMER, .to = self, .from = self,
                                 .event = in->event, .value = (uint8_t)(a->locals.acc & 3),
                                 .life = life, .carried = a->child != 0 ? a->child : self,
                                 .deadline = p->s->now + in->arg});

    if (op != NULL)
        a->timer = op->row;
    p->features[is_any ? MET_TIMER_ANY : MET_TIMER]++;
}

/* ---- Instructions ------------------------------------------------------------------------------ */

static void observe(struct performer *p, uint64_t machine, int what, uint8_t state,
                    struct locals locals)
{
    struct situation *s = p->s;

    if (s->n_observations == OBSERVATIONS_MAX) {
        p->is_out_of_bounds = true;
        return;
    }
    p->observations[s->n_observations++] =
        (struct observation){.machine = machine, .stamp = p->is_leaving ? 0 : p->stamp, .now = s->now,
                             .what = (uint8_t)what, .state = state, .count = locals.count,
                             .acc = locals.acc};
}

static void draw(struct performer *p, uint8_t self, const struct instruction *in)
{
    struct actor *a = &p->s->actors[self];
    uint8_t value = p->drawer.draw(p->drawer.self, in->arg);

    if (p->step->n_draws == DRAWS_MAX) {
        p->is_out_of_bounds = true;
        return;
    }
    p->step->draws[p->step->n_draws++] = value;
    locals_drew(&a->locals, value);
    p->features[self != 0 ? MET_DRAW : MET_TEST_DRAW]++;
}

static void cancel(struct performer *p, uint8_t self)
{
    struct actor *a = &p->s->actors[self];
    bool is_found = false;

    if (a->timer == 0)
        return;
    for (uint8_t i = 0; i < p->s->n_ops && !is_found; i++)
        if (p->s->ops[i].row == a->timer) {
            remove_op(p->s, i);
            is_found = true;
        }
    locals_add(&a->locals, is_found);
    observe(p, a->stamp, OBSERVED_CANCEL + is_found, 0, a->locals);
    p->features[is_found ? MET_CANCELLED : MET_CANCELLED_LATE]++;
}

static void call_monitor(struct performer *p, uint8_t self, const struct instruction *in)
{
    const struct monitor *monitor = &p->program->monitors[in->arg];
    struct watcher *w = &p->s->watchers[in->arg];

    p->step->watchers |= (uint8_t)(1u << in->arg);
    p->features[MET_MONITOR]++;
    if (monitor->ignores[w->state][in->event])
        return;
    w->count++;
    w->acc = (uint8_t)((w->acc * 3 + in->event + p->s->actors[self].locals.acc) & 15);
    observe(p, in->arg, OBSERVED_MONITOR + in->event, w->state,
            (struct locals){.count = w->count, .acc = w->acc});
    if (monitor->moves[w->state][in->event])
        w->state ^= 1;
}

static uint8_t resolve(const struct performer *p, uint8_t self, uint8_t whom,
                       const struct handled *m)
{
    const struct actor *a = &p->s->actors[self];

    switch (whom) {
    case WHOM_SELF:
        return self;
    case WHOM_SENDER:
        return m->from;
    case WHOM_PARENT:
        return a->parent;
    case WHOM_CHILD:
        return a->child;
    case WHOM_CARRIED:
        return m->carried;
    default:
        return whom - WHOM_ROOT < p->s->n_roots ? p->s->roots[whom - WHOM_ROOT] : 0;
    }
}

static struct control control_of(struct performer *p, uint8_t self, const struct instruction *in)
{
    p->s->actors[self].locals.controls--;
    switch (in->code) {
    case CODE_GOTO:
        return (struct control){NEXT_GOTO, in->arg};
    case CODE_PUSH:
        return (struct control){NEXT_PUSH, in->arg};
    case CODE_POP:
        return (struct control){NEXT_POP, 0};
    case CODE_RAISE:
        p->features[MET_RAISE]++;
        return (struct control){NEXT_EVENT, in->event};
    default:
        return (struct control){NEXT_HALT, 0};
    }
}

static void carry_out(struct performer *p, uint8_t self, const struct instruction *in,
                      const struct handled *m)
{
    switch (in->code) {
    case CODE_SEND:
        if (m->life > 0)
            send(p, self, resolve(p, self, in->whom, m), in, (uint8_t)(m->life - 1));
        break;
    case CODE_CREATE:
        if (m->life > 0)
            create(p, self, in->arg, (uint8_t)(m->life - 1));
        break;
    case CODE_TIMER:
    case CODE_TIMER_ANY:
        if (m->life > 0)
            start_timer(p, self, in, (uint8_t)(m->life - 1));
        break;
    case CODE_DRAW:
        draw(p, self, in);
        observe(p, p->s->actors[self].stamp, OBSERVED_DRAW + p->s->actors[self].locals.drew, 0,
                p->s->actors[self].locals);
        break;
    case CODE_CANCEL:
        cancel(p, self);
        break;
    case CODE_MONITOR:
        call_monitor(p, self, in);
        break;
    default:
        break;
    }
}

static struct control run_script(struct performer *p, uint8_t self, const struct script *script,
                                 const struct handled *m)
{
    for (int i = 0; i < script->n; i++) {
        const struct instruction *in = &script->list[i];

        if (!locals_meet(&p->s->actors[self].locals, in->condition, m->value))
            continue;
        if (in->code >= CODE_GOTO && p->s->actors[self].locals.controls > 0)
            return control_of(p, self, in);
        carry_out(p, self, in, m);
    }
    return (struct control){NEXT_NOTHING, 0};
}

/* ---- States ------------------------------------------------------------------------------------ */

static struct control act(struct performer *p, uint8_t self, int what, int level,
                          const struct script *script, const struct handled *m)
{
    struct actor *a = &p->s->actors[self];

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
    const struct handled nothing = {0};
    const struct actor *a = &p->s->actors[self];
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

static struct control handle(struct performer *p, uint8_t self, const struct handled *m)
{
    struct actor *a = &p->s->actors[self];
    int level;
    const struct binding *on = find_binding(p, a, m->event, &level);

    if (on == NULL)
        return unnamed(p, m->event);
    if (level < a->depth - 1)
        p->features[MET_INHERITED]++;
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
    while (control.next != NEXT_NOTHING && !p->is_out_of_bounds) {
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

/* ---- Steps ------------------------------------------------------------------------------------- */

void situation_begin(struct performer *p)
{
    const struct handled m = {.life = (uint8_t)(p->program->life + 1)};
    struct situation *s = p->s;

    p->stamp = STAMP_TEST;
    p->n_children = 0;
    *p->step = (struct step){0};
    s->actors[0].stamp = STAMP_TEST;
    for (int i = 0; i < p->program->n_run; i++) {
        const struct instruction *in = &p->program->run[i];

        if (!locals_meet(&s->actors[0].locals, in->condition, 0))
            continue;
        carry_out(p, 0, in, &m);
        if (in->code == CODE_CREATE && s->n_roots < ROOTS_MAX)
            s->roots[s->n_roots++] = s->n_actors;
    }
}

void situation_perform(struct performer *p, uint8_t i)
{
    struct situation *s = p->s;
    const struct op op = s->ops[i];
    struct actor *a = &s->actors[op.to];
    struct handled m = {.event = op.event, .value = op.value, .life = op.life, .from = op.from,
                        .carried = op.carried};

    p->features[MET_DEFERRED_TAKEN_UP] += op.was_deferred;
    remove_op(s, i);
    s->n_steps++;
    p->stamp = op.stamp;
    p->n_children = 0;
    *p->step = (struct step){.row = op.row, .actor = op.to, .cause = op.cause};
    if (op.kind == OP_START) {
        a->is_started = true;
        a->depth = 1;
        follow(p, op.to, enter(p, op.to, &m), &m);
    } else {
        follow(p, op.to, handle(p, op.to, &m), &m);
    }
}
