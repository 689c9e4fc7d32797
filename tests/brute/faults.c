/* faults.c - what goes wrong with nodes and with the messages between them.
 *
 * Written from docs/environment.md. SPDX-License-Identifier: MIT
 */
#include "perform.h"

#include <sennit/sennit.h>

enum { PARTS = 8, EFFECTS = 8 };

void announce_faults(struct performer *p)
{
    p->s->actors[FAULT_TASK].is_started = true;
    for (uint8_t i = 0; i < FAULTS; i++) {
        if (!p->program->faults[i])
            continue;
        (void)add_op(
            p, &(struct op){.kind = OP_FAULT, .to = FAULT_TASK, .from = FAULT_TASK, .event = i});
        /* From which step on: with a horizon of one step there is one answer. */
        (void)p->drawer.draw(p->drawer.self, 1);
    }
}

bool is_crossing(const struct situation *s, const struct op *op)
{
    uint8_t from = s->actors[op->from].node;
    uint8_t to = s->actors[op->to].node;

    return op->kind == OP_DELIVER && from != 0 && to != 0 && from != to;
}

/* ---- Messages -------------------------------------------------------------------------------- */

bool is_cut_off(const struct situation *s, const struct op *op)
{
    uint8_t from = s->actors[op->from].node;
    uint8_t to = s->actors[op->to].node;

    return is_crossing(s, op) && (s->side >> from & 1) != (s->side >> to & 1);
}

/* Whether something of the link that a message belongs to is late already. */
static bool is_link_late(const struct situation *s, const struct op *op)
{
    for (uint8_t i = 0; i < s->n_ops && op->order != SN_UNORDERED; i++) {
        const struct op *other = &s->ops[i];

        if (other->is_late && !other->is_due && other->to == op->to && other->order == op->order &&
            (other->from == op->from || op->order == SN_INBOX))
            return true;
    }
    return false;
}

/* One of the messages between nodes that the running step has sent and that nothing has happened to
 * yet; OPS_MAX: there is none. */
static uint8_t choose_sent(struct performer *p, uint8_t self, bool is_for_delay)
{
    const struct situation *s = p->s;
    uint8_t sent[OPS_MAX];
    uint8_t n = 0;

    for (uint8_t i = 0; i < s->n_ops; i++) {
        const struct op *op = &s->ops[i];

        if (op->cause == s->n_steps && op->from == self && is_crossing(s, op) && !op->is_copy &&
            !op->is_late && !(is_for_delay && is_link_late(s, op)))
            sent[n++] = i;
    }
    p->features[MET_CHOSEN] += n > 1;
    if (n == 0)
        return OPS_MAX;
    return n == 1 ? sent[0] : sent[draw_value(p, n)];
}

/* The copy is a child of the original: it has its own place in the order of the step's children
 * only if there is an original to begin with. */
static void copy(struct performer *p, uint8_t i)
{
    struct situation *s = p->s;
    const struct op *op = &s->ops[i];
    struct row row = {.parent = op->row,
                      .index = UINT32_MAX,
                      .kind = OP_DELIVER,
                      .event = op->event,
                      .to = s->actors[op->to].row};

    if (s->n_ops == OPS_MAX) {
        p->is_out_of_bounds = true;
        return;
    }
    s->ops[s->n_ops] = *op;
    s->ops[s->n_ops].is_copy = true;
    s->ops[s->n_ops].number = 0;
    s->ops[s->n_ops].row = tree_row(p->tree, &row);
    p->is_out_of_bounds |= s->ops[s->n_ops].row == 0;
    s->n_ops++;
}

static void strike(struct performer *p, uint8_t self, struct place *place)
{
    uint8_t i;

    if (place->drops > 0 && (i = choose_sent(p, self, false)) < OPS_MAX) {
        place->drops = 0;
        remove_op(p->s, i);
        p->features[MET_LOST]++;
    }
    if (place->delays > 0 && (i = choose_sent(p, self, true)) < OPS_MAX) {
        place->delays = 0;
        p->s->ops[i].is_late = true;
        p->s->ops[i].deadline = p->s->now + place->delay;
        p->features[MET_LATE]++;
    }
    if (place->duplicates > 0 && (i = choose_sent(p, self, false)) < OPS_MAX) {
        place->duplicates = 0;
        copy(p, i);
        p->features[MET_DOUBLED]++;
    }
}

/* ---- Nodes ----------------------------------------------------------------------------------- */

static bool survives(const struct situation *s, const struct op *op)
{
    const struct actor *to = &s->actors[op->to];

    return to->is_resident && op->kind == OP_DELIVER && op->order == SN_UNORDERED &&
           s->actors[op->from].node != to->node;
}

static void lose_received(struct performer *p, uint8_t self)
{
    for (uint8_t i = p->s->n_ops; i-- > 0;) {
        if (p->s->ops[i].to != self)
            continue;
        if (survives(p->s, &p->s->ops[i])) {
            p->features[MET_DATAGRAM_WAITED]++;
            continue;
        }
        p->features[MET_LOST_WITH_RECEIVER] += p->s->ops[i].kind == OP_DELIVER;
        remove_op(p->s, i);
    }
}

/* Of a connection the last messages are lost, as many as is decided. A copy has one of its own. */
static void lose_connection(struct performer *p, uint8_t from, uint8_t to, bool is_copy)
{
    struct situation *s = p->s;
    uint8_t found[OPS_MAX];
    uint8_t n = 0;
    uint8_t lost;

    for (uint8_t i = 0; i < s->n_ops; i++) {
        const struct op *op = &s->ops[i];

        if (op->from == from && op->to == to && is_crossing(s, op) && op->order == SN_FIFO &&
            op->is_copy == is_copy)
            found[n++] = i;
    }
    if (n == 0)
        return;
    lost = draw_value(p, (uint8_t)(n + 1));
    p->features[MET_LOST_WITH_SENDER] += lost > 0;
    while (lost-- > 0)
        remove_op(s, found[--n]);
}

static void end_machine(struct performer *p, uint8_t self, bool in_order)
{
    struct actor *a = &p->s->actors[self];

    if (a->is_halted)
        return;
    p->step->touched |= (uint16_t)(1u << self);
    lose_received(p, self);
    for (uint8_t to = 1; to <= p->s->n_actors && !in_order; to++) {
        lose_connection(p, self, to, false);
        lose_connection(p, self, to, true);
    }
    a->is_halted = true;
    a->is_started = false;
}

/* A part of a duration. */
static uint8_t draw_duration(struct performer *p, uint8_t max)
{
    uint8_t parts = max < PARTS ? max : PARTS;

    return (uint8_t)(max / parts * (draw_value(p, parts) + 1));
}

/* Node 0 stands for the network. */
static void plan_repair(struct performer *p, uint8_t node, uint8_t max)
{
    struct op op = {.to = FAULT_TASK, .from = FAULT_TASK, .event = node};

    if (max == 0)
        return;
    op.kind = p->program->are_timers_any ? OP_REPAIR_ANY : OP_REPAIR;
    op.deadline = p->s->now + draw_duration(p, max);
    (void)add_op(p, &op);
}

static void take_down(struct performer *p, uint8_t node, bool in_order)
{
    p->s->places[node] = (struct place){.is_down = true};
    p->step->touched |= 1u << FAULT_TASK; /* which has one node less to choose from */
    p->step->is_wild = true;
    for (uint8_t i = 1; i <= p->s->n_actors; i++)
        if (p->s->actors[i].node == node) {
            p->step->changes_all = true;
            end_machine(p, i, in_order);
        }
    plan_repair(p, node, p->program->down);
}

static void restart(struct performer *p, uint8_t node)
{
    struct situation *s = p->s;

    s->places[node].is_down = false;
    for (uint8_t i = 1; i <= s->n_actors; i++) {
        struct actor *a = &s->actors[i];

        if (a->node != node || !a->is_resident)
            continue;
        p->features[MET_REBORN]++;
        p->step->touched |= (uint16_t)(1u << i);
        *a = (struct actor){.type = a->type,
                            .name = a->name,
                            .stamp = a->stamp,
                            .row = a->row,
                            .clock = a->clock,
                            .node = node,
                            .is_resident = true,
                            .locals.controls = p->program->controls};
        (void)add_op(
            p,
            &(struct op){.kind = OP_START, .to = i, .life = p->program->life, .stamp = a->stamp});
    }
}

void end_step_on_node(struct performer *p, uint8_t self)
{
    uint8_t node = p->s->actors[self].node;
    struct place *place = &p->s->places[node];

    strike(p, self, place);
    if (!place->is_doomed)
        return;
    p->features[p->has_crashed ? MET_CRASH_WITHIN : MET_CRASH_AT_END]++;
    take_down(p, node, false);
}

/* ---- The fault task -------------------------------------------------------------------------- */

/* One of the nodes that are up; without those that are to crash anyway, if is_to_go. 0: none. */
static uint8_t choose_node(struct performer *p, bool is_to_go)
{
    uint8_t found[BRUTE_NODES];
    uint8_t n = 0;

    for (uint8_t i = 1; i <= p->program->n_nodes; i++)
        if (!p->s->places[i].is_down && !(is_to_go && p->s->places[i].is_doomed))
            found[n++] = i;
    p->features[MET_STRUCK_NOBODY] += n == 0;
    return n > 0 ? found[draw_value(p, n)] : 0;
}

/* What the machines of a node do next is not what they would have done. */
static void touch(struct performer *p, uint8_t node)
{
    for (uint8_t i = 1; i <= p->s->n_actors; i++)
        if (p->s->actors[i].node == node)
            p->step->touched |= (uint16_t)(1u << i);
}

static void crash(struct performer *p, uint8_t node)
{
    uint8_t effects = draw_value(p, EFFECTS + 1);

    p->features[MET_CRASH]++;
    if (effects == 0) {
        take_down(p, node, false);
        return;
    }
    touch(p, node);
    p->s->places[node].is_doomed = true;
    p->s->places[node].effects = effects;
}

/* What every machine on a node can do next is another. */
static void set_side(struct performer *p, uint8_t side)
{
    p->s->side = side;
    p->step->changes_all = true;
    for (uint8_t node = 1; node <= p->program->n_nodes; node++)
        touch(p, node);
}

/* The side without the last node; that is in the other one. */
static void partition(struct performer *p)
{
    struct situation *s = p->s;
    uint8_t n = p->program->n_nodes;

    if (n < 2)
        return;
    set_side(p, (uint8_t)((draw_value(p, (uint8_t)((1u << (n - 1)) - 1)) + 1) << 1));
    for (uint8_t i = s->n_ops; i-- > 0 && !p->program->cut_holds;)
        if (is_cut_off(s, &s->ops[i])) {
            remove_op(s, i);
            p->features[MET_CUT_OFF_IN_FLIGHT]++;
        }
    plan_repair(p, 0, p->program->cut);
}

static void repair(struct performer *p, uint8_t node)
{
    if (node != 0) {
        restart(p, node);
        return;
    }
    set_side(p, 0);
    p->features[MET_HEALED]++;
}

static void strike_node(struct performer *p, enum fault fault, uint8_t node)
{
    struct place *place = &p->s->places[node];

    switch (fault) {
    case FAULT_CRASH:
        crash(p, node);
        return;
    case FAULT_STOP:
        p->features[MET_STOP]++;
        take_down(p, node, true);
        return;
    case FAULT_DELAY:
        place->delays++;
        place->delay = draw_duration(p, p->program->delay);
        break;
    case FAULT_DROP:
        place->drops++;
        break;
    default:
        place->duplicates++;
        break;
    }
    touch(p, node);
}

void perform_fault(struct performer *p, const struct op *op)
{
    uint8_t node;

    if (op->kind != OP_FAULT) {
        repair(p, op->event);
        return;
    }
    if (op->event == FAULT_PARTITION) {
        partition(p);
        return;
    }
    node = choose_node(p, op->event == FAULT_CRASH || op->event == FAULT_STOP);
    if (node != 0)
        strike_node(p, (enum fault)op->event, node);
}
