/* script.c - what the instructions of a program do. SPDX-License-Identifier: MIT */
#include "perform.h"

#include <string.h>

/* ---- Announcing ------------------------------------------------------------------------------ */

/* Adds an operation that the running step announces; what is sent to a halted machine is not added,
 * but counts as announced. */
static struct op *announce(struct performer *p, const struct op *wanted)
{
    struct situation *s = p->s;
    struct op op = *wanted;
    struct actor *from = &s->actors[op.from];
    struct row row = {.parent = p->step->row,
                      .index = p->n_children,
                      .n_created = p->n_created,
                      .kind = op.kind,
                      .event = op.event,
                      .to = op.kind == OP_START ? 0 : s->actors[op.to].row};

    p->n_children++;
    p->n_created += op.kind == OP_START;
    p->features[MET_ANNOUNCED_AT_EXIT] += p->is_leaving;
    op.stamp = p->is_leaving ? stamp_child(~from->stamp, from->n_left++)
                             : stamp_child(p->stamp, p->n_stamps++);
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

void remove_op(struct situation *s, uint8_t i)
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
    op = announce(
        p, &(struct op){
               .kind = OP_START, .to = number, .from = creator, .life = life, .carried = creator});
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
    (void)announce(p, &(struct op){.kind = OP_DELIVER,
                                   .to = to,
                                   .from = from,
                                   .event = in->event,
                                   .value = (uint8_t)((a->locals.acc + in->arg) & 3),
                                   .life = life,
                                   .carried = a->child != 0 ? a->child : from});
}

/* What a machine that asks for the time is told. */
static uint32_t time_of(const struct situation *s, uint8_t actor)
{
    return s->actors[actor].clock > s->now ? s->actors[actor].clock : s->now;
}

static void start_timer(struct performer *p, uint8_t self, const struct instruction *in,
                        uint8_t life)
{
    struct actor *a = &p->s->actors[self];
    bool is_any = in->code == CODE_TIMER_ANY || p->program->are_timers_any;
    uint32_t delay = in->code == CODE_TIMER_ANY ? 0 : in->arg;
    const struct op *op = announce(p, &(struct op){.kind = is_any ? OP_TIMER_ANY : OP_TIMER,
                                                   .to = self,
                                                   .from = self,
                                                   .event = in->event,
                                                   .value = (uint8_t)(a->locals.acc & 3),
                                                   .life = life,
                                                   .carried = a->child != 0 ? a->child : self,
                                                   .deadline = time_of(p->s, self) + delay});

    if (op != NULL)
        a->timers[0] = op->row;
    if (op != NULL && a->timers[1] == 0)
        a->timers[1] = op->row;
    p->features[is_any ? MET_TIMER_ANY : MET_TIMER]++;
    p->features[MET_DELAY_ZERO] += !is_any && in->arg == 0;
}

/* ---- Instructions ---------------------------------------------------------------------------- */

void observe(struct performer *p, uint64_t machine, int what, uint8_t state, struct locals locals)
{
    struct situation *s = p->s;

    if (s->n_observations == OBSERVATIONS_MAX) {
        p->is_out_of_bounds = true;
        return;
    }
    p->observations[s->n_observations++] =
        (struct observation){.machine = machine,
                             .stamp = p->is_leaving ? 0 : p->stamp,
                             .now = what >= OBSERVED_MONITOR ? s->now : time_of(s, p->step->actor),
                             .what = (uint8_t)what,
                             .state = state,
                             .count = locals.count,
                             .acc = locals.acc};
}

static uint8_t draw_value(struct performer *p, uint8_t n)
{
    uint8_t value = p->drawer.draw(p->drawer.self, n);

    if (p->step->n_draws == DRAWS_MAX)
        p->is_out_of_bounds = true;
    else
        p->step->draws[p->step->n_draws++] = value;
    return value;
}

static void draw(struct performer *p, uint8_t self, const struct instruction *in)
{
    struct actor *a = &p->s->actors[self];

    locals_drew(&a->locals, draw_value(p, in->arg));
    p->features[self != 0 ? MET_DRAW : MET_TEST_DRAW]++;
    observe(p, a->stamp, OBSERVED_DRAW + a->locals.drew, 0, a->locals);
}

static void cancel(struct performer *p, uint8_t self, uint8_t which)
{
    struct actor *a = &p->s->actors[self];
    bool is_found = false;

    if (a->timers[which] == 0)
        return;
    for (uint8_t i = 0; i < p->s->n_ops && !is_found; i++)
        if (p->s->ops[i].row == a->timers[which]) {
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
    if (monitor->draws[w->state][in->event])
        w->acc ^= draw_value(p, 2);
    p->features[MET_MONITOR_DRAW] += monitor->draws[w->state][in->event];
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
        p->features[in->event == EVENT_HALT ? MET_RAISED_HALT : MET_RAISE]++;
        return (struct control){NEXT_EVENT, in->event};
    default:
        return (struct control){NEXT_HALT, 0};
    }
}

void carry_out(struct performer *p, uint8_t self, const struct instruction *in,
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
        break;
    case CODE_CANCEL:
        cancel(p, self, in->arg);
        break;
    case CODE_MONITOR:
        call_monitor(p, self, in);
        break;
    default:
        break;
    }
}

struct control run_script(struct performer *p, uint8_t self, const struct script *script,
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
