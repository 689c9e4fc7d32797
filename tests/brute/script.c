/* script.c - what the instructions of a program do. SPDX-License-Identifier: MIT */
#include "perform.h"

#include <sennit/sennit.h>
#include <string.h>

/* ---- Announcing ------------------------------------------------------------------------------ */

/* Counts an operation where it is announced. */
static uint8_t number_of(struct performer *p, const struct op *op)
{
    bool is_repair = op->kind == OP_REPAIR || op->kind == OP_REPAIR_ANY;
    struct class class = {.kind = (uint8_t)(op->kind == OP_TIMER_ANY ? OP_TIMER
                                            : is_repair              ? OP_REPAIR
                                                                     : op->kind),
                          .from = op->kind == OP_START ? 0 : op->from,
                          .to = op->to,
                          .event = is_repair ? op->event != 0 : op->event};
    struct situation *s = p->s;
    uint8_t i = 0;

    while (i < s->n_classes &&
           (s->classes[i].kind != class.kind || s->classes[i].from != class.from ||
            s->classes[i].to != class.to || s->classes[i].event != class.event))
        i++;
    if (i == OP_CLASSES_MAX) {
        p->is_out_of_bounds = true;
        return 0;
    }
    if (i == s->n_classes)
        s->classes[s->n_classes++] = class;
    return ++s->classes[i].n;
}

struct op *add_op(struct performer *p, const struct op *op)
{
    struct situation *s = p->s;
    struct row row = {.parent = p->step->row,
                      .index = p->n_children,
                      .n_created = p->n_created,
                      .has_sent = p->has_sent,
                      .kind = op->kind,
                      .event = op->event,
                      .to = op->kind == OP_START ? 0 : s->actors[op->to].row};

    p->n_children++;
    p->n_created += op->kind == OP_START;
    p->has_sent |= op->kind != OP_TIMER && op->kind != OP_TIMER_ANY;
    if (s->n_ops == OPS_MAX) {
        p->is_out_of_bounds = true;
        return NULL;
    }
    s->ops[s->n_ops] = *op;
    s->ops[s->n_ops].cause = s->n_steps;
    s->ops[s->n_ops].number = number_of(p, op);
    s->ops[s->n_ops].row = tree_row(p->tree, &row);
    p->is_out_of_bounds |= s->ops[s->n_ops].row == 0;
    return &s->ops[s->n_ops++];
}

/* For the partial order. */
static void note_sent(struct performer *p, const struct op *op)
{
    uint8_t node = p->s->actors[op->from].node;
    const struct place *place = &p->s->places[node];

    if (op->order == SN_INBOX)
        p->step->inboxes |= (uint16_t)(1u << op->to);
    if (!is_crossing(p->s, op))
        return;
    p->step->looks |= (uint8_t)(1u << node);
    if (place->drops + place->duplicates + place->delays == 0)
        return;
    p->step->struck |= (uint8_t)(1u << node);
    p->step->aims |= (uint16_t)(1u << op->to);
}

/* Adds an operation that a machine announces; what is sent to a halted machine is not added, but
 * counts as announced. */
static struct op *announce(struct performer *p, const struct op *wanted)
{
    struct situation *s = p->s;
    struct op op = *wanted;
    struct actor *from = &s->actors[op.from];
    bool is_cut;

    p->features[MET_ANNOUNCED_AT_EXIT] += p->is_leaving;
    op.stamp = p->is_leaving ? stamp_child(~from->stamp, from->n_left++)
                             : stamp_child(p->stamp, from->n_stamps++);
    is_cut = is_cut_off(s, &op) && !p->program->cut_holds;
    if (op.kind == OP_DELIVER && !is_cut)
        note_sent(p, &op);
    if (s->actors[op.to].is_halted) {
        p->n_children++;
        p->has_sent = true;
        (void)number_of(p, &op);
        p->features[MET_SENT_TO_HALTED]++;
        return NULL;
    }
    if (is_cut) {
        p->n_children++;
        p->has_sent = true;
        (void)number_of(p, &op);
        p->features[MET_CUT_OFF_AT_ONCE]++;
        return NULL;
    }
    return add_op(p, &op);
}

void remove_op(struct situation *s, uint8_t i)
{
    s->n_ops--;
    memmove(&s->ops[i], &s->ops[i + 1], (size_t)(s->n_ops - i) * sizeof(s->ops[0]));
}

static uint8_t name_of(struct performer *p, uint8_t actor)
{
    const struct actor *all = p->s->actors;
    struct machine_name name = {
        .creator = all[all[actor].parent].name, .type = all[actor].type, .number = 1};
    uint8_t number;

    for (uint8_t i = 1; i < actor; i++)
        name.number = (uint8_t)(name.number +
                                (all[i].parent == all[actor].parent && all[i].type == name.type));
    number = tree_machine(p->tree, name);
    p->is_out_of_bounds |= number == 0;
    return number;
}

static void create(struct performer *p, uint8_t creator, const struct instruction *in, uint8_t life)
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
    *a = (struct actor){.type = in->arg,
                        .parent = creator,
                        .node = creator == 0 ? in->whom : s->actors[creator].node,
                        .locals.controls = p->program->controls};
    a->is_resident = creator == 0 && a->node != 0;
    a->name = name_of(p, number);
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

/* What is said last of a link counts. */
static uint8_t order_of(struct performer *p, uint8_t from, uint8_t to)
{
    for (uint8_t i = p->s->n_rules; i > 0; i--) {
        const struct rule *rule = &p->s->rules[i - 1];

        if ((rule->from == 0 || rule->from == from) && (rule->to == 0 || rule->to == to)) {
            p->features[MET_LINK_OF_OWN] += rule->order != p->program->links;
            return rule->order;
        }
    }
    return p->program->links;
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
                                   .order = order_of(p, from, to),
                                   .value = (uint8_t)((a->locals.acc + in->arg) & 3),
                                   .life = life,
                                   .carried = a->child != 0 ? a->child : from});
    if (p->effects_left > 0 && --p->effects_left == 0)
        p->has_crashed = true;
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

uint8_t draw_value(struct performer *p, uint8_t n)
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

static uint8_t root_or_any(const struct situation *s, int root, bool *is_known)
{
    *is_known &= root < s->n_roots;
    return root >= 0 && root < s->n_roots ? s->roots[root] : 0;
}

static void set_link(struct performer *p, const struct instruction *in)
{
    struct situation *s = p->s;
    bool is_known = s->n_rules < LINKS_MAX;
    struct rule rule = {.order = in->arg};

    rule.from = root_or_any(s, in->whom - WHOM_ROOT, &is_known);
    rule.to = root_or_any(s, in->event - 1, &is_known);
    if (is_known)
        s->rules[s->n_rules++] = rule;
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
            create(p, self, in, (uint8_t)(m->life - 1));
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
    case CODE_LINK:
        set_link(p, in);
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
        if (p->has_crashed)
            break;
    }
    return (struct control){NEXT_NOTHING, 0};
}
