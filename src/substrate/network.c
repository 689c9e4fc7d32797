/* network.c - where a sent message waits, and whether it arrives. SPDX-License-Identifier: MIT */
#include "engine/op.h"
#include "substrate/environment.h"
#include "substrate/liveness.h"
#include "substrate/process.h"

/* The sender of a source that holds what all send to one machine. */
#define INBOX_SENDER (SOURCE_NO_SENDER - 1)

/* Makes the id of a copy from that of the original. */
#define COPY UINT64_C(0x636f7079)

/* After how long a kernel sends again what was lost. */
#define SENT_AGAIN_NS UINT64_C(1000000000)

/* ---- Links ---------------------------------------------------------------------------------- */

static enum sn_order link_order(const struct trial *t, uint32_t from, uint32_t to)
{
    if (unlikely(sockets_is_wire(t, to)))
        return SN_FIFO;
    for (uint32_t i = t->now.n_own[OWN_RULES]; i > 0; i--) {
        const struct link_rule *rule = &t->environment->rules[i - 1];

        if ((rule->from == SN_NOBODY || rule->from == from) &&
            (rule->to == SN_NOBODY || rule->to == to))
            return rule->order;
    }
    return t->test->links;
}

void sn_link_order(sn_id from, sn_id to, enum sn_order order)
{
    struct trial *t = machine_acting_trial("sn_link_order");

    if (from >= t->now.n_tasks || to >= t->now.n_tasks || order > SN_INBOX)
        trial_fail(t, "usage", NULL, "sn_link_order: there is no such machine, or no such order");
    environment_use(t);
    if (t->now.n_own[OWN_RULES] == LINK_RULES_MAX)
        trial_fail(t, "limit", NULL, "sn_link_order was called more than %d times", LINK_RULES_MAX);
    t->environment->rules[t->now.n_own[OWN_RULES]++] = (struct link_rule){from, to, order};
}

bool network_lies_across(const struct trial *t, uint32_t from, uint32_t to)
{
    uint32_t a = t->machines->all[from].node;
    uint32_t b = t->machines->all[to].node;

    return from != 0 && a != 0 && b != 0 && a != b;
}

bool network_crosses(const struct trial *t, const struct sn_op *op)
{
    return op->kind == SN_OP_DELIVER && network_lies_across(t, op->from, op->task);
}

/* Whether a pending message belongs to no link: it keeps to no order and knows of no connection. */
static bool is_datagram(const struct trial *t, const struct sn_op *op)
{
    const struct source *source = &t->sources[op->source];

    return source->is_single && source->from == SOURCE_NO_SENDER;
}

/* The link that another pending message belongs to. */
static uint32_t link_of(struct trial *t, const struct sn_op *op)
{
    const struct source *source = &t->sources[op->source];

    return source->is_single ? source_link(t, SOURCE_BESIDE(source->from), op->task) : op->source;
}

/* Nodes that were made when the network had been cut already may be too many for the set. */
static bool is_on_side(uint64_t cut, sn_node node)
{
    return node <= NODES_CUT_MAX && (cut >> (node - 1) & 1) != 0;
}

static bool is_cut_between(const struct trial *t, uint64_t cut, uint32_t from, uint32_t to)
{
    return is_on_side(cut, t->machines->all[from].node) !=
           is_on_side(cut, t->machines->all[to].node);
}

bool network_parts(uint64_t cut, sn_node a, sn_node b)
{
    return cut != 0 && a != SN_NO_NODE && b != SN_NO_NODE &&
           is_on_side(cut, a) != is_on_side(cut, b);
}

bool network_is_cut_by(const struct trial *t, uint64_t cut, const struct sn_op *op)
{
    return cut != 0 && network_crosses(t, op) && is_cut_between(t, cut, op->from, op->task);
}

bool network_is_cut(const struct trial *t, const struct sn_op *op)
{
    return network_is_cut_by(t, t->environment->now.cut, op);
}

/* ---- Sending -------------------------------------------------------------------------------- */

static uint32_t announce(struct trial *t, const struct message *message)
{
    uint32_t number = machine_announce(t, SN_OP_DELIVER, message->to, message->event);

    op_set_payload(t, number, message->payload, message->size);
    return number;
}

/* Who comes first into an inbox is served first. */
static void touch_inbox(struct trial *t, uint32_t to)
{
    uint32_t *object = &t->machines->all[to].inbox;

    if (*object == 0)
        *object = trial_object_new(t, ~t->tasks[to].id);
    trial_touch(t, *object);
}

/* Of the messages that a node sends across the network the next one may be struck: then the step
 * takes the damage from those that come after it, and depends on whether the receiver still is. */
void network_touch_strikes(const struct trial *t, uint32_t to)
{
    const struct node *node = &t->environment->nodes[t->machines->all[t->now.task].node];
    bool is_struck = network_is_struck(node);

    if (t->touches == NULL || t->test->faults == NULL)
        return;
    touches_add(t->touches, ~t->objects[node->object].id, is_struck ? TOUCH_WRITE : TOUCH_READ);
    if (is_struck)
        touches_add(t->touches, t->tasks[to].id, TOUCH_READ);
}

/* Puts a message where it waits to be delivered. */
static void enqueue(struct trial *t, uint32_t number, enum sn_order order)
{
    const struct sn_op *op = &t->ops[number];
    uint32_t source;

    if (order == SN_UNORDERED)
        source = source_single(t, op->task);
    else
        source = source_link(t, order == SN_INBOX ? INBOX_SENDER : op->from, op->task);
    if (order == SN_INBOX)
        touch_inbox(t, op->task);
    if (unlikely(source_is_delayed(t, source)))
        source_append_beside(t, source, number);
    else
        source_append(t, source, number, (t->tasks[op->task].flags & TASK_GATED) != 0);
    trial_record(t, send, op, op_payload(t, op));
}

static const char *sender_node(const struct trial *t, const struct sn_op *op)
{
    sn_node node = t->machines->all[op->from].node;

    return node != 0 ? t->environment->nodes[node].name : NULL;
}

/* Remembers what a step sends: if faults have struck its node, one of these is the victim. */
static void note_sent(struct environment *e, uint32_t number)
{
    for (uint32_t i = 0; i < e->n_sent; i++) {
        if (e->sent[i] == number)
            return; /* the one before has been lost within the step */
    }
    if (e->n_sent < SENT_MAX)
        e->sent[e->n_sent++] = number;
}

static void send_across(struct trial *t, const struct message *message, uint32_t number)
{
    struct environment *e = t->environment;
    const struct sn_op *op = &t->ops[number];

    if (network_is_cut(t, op) && !network_holds_for(t, message->to)) {
        trial_record(t, fault, "cut-off", sender_node(t, op), op);
        op_free(t, number);
        return;
    }
    network_touch_strikes(t, message->to);
    enqueue(t, number, link_order(t, t->now.task, message->to));
    if (unlikely(network_is_struck(&e->nodes[t->machines->all[t->now.task].node])))
        note_sent(e, number);
}

void network_send(struct trial *t, const struct message *message)
{
    uint32_t number = announce(t, message);

    if (network_crosses(t, &t->ops[number]))
        send_across(t, message, number);
    else
        enqueue(t, number, link_order(t, t->now.task, message->to));
}

uint32_t network_queue(const struct trial *t, uint32_t from, uint32_t to)
{
    enum sn_order order = link_order(t, from, to);

    if (order == SN_UNORDERED)
        return SOURCE_NO_SENDER;
    return order == SN_INBOX ? INBOX_SENDER : from;
}

/* It touches what it would touch if the receiver had not halted. */
bool network_refuse(struct trial *t, uint32_t to)
{
    uint32_t from = t->now.task;

    if (environment_is_used(t) && network_lies_across(t, from, to)) {
        uint64_t cut = t->environment->now.cut;

        if (cut != 0 && is_cut_between(t, cut, from, to) && !network_holds_for(t, to))
            return false;
        network_touch_strikes(t, to);
    }
    if (link_order(t, from, to) == SN_INBOX)
        touch_inbox(t, to);
    return true;
}

bool network_keeps_order(const struct trial *t, uint32_t to)
{
    return link_order(t, t->now.task, to) != SN_UNORDERED;
}

/* ---- What faults do to messages ------------------------------------------------------------- */

/* A message that the step sent can have been lost within it. */
static bool is_pending(const struct trial *t, uint32_t number)
{
    const struct source *source = &t->sources[t->ops[number].source];
    uint32_t op = source->tail != 0 ? source->head : 0;

    while (op != 0 && op != number)
        op = t->ops[op].next;
    return op != 0;
}

/* On a link of which something is late already, the next message is late anyway. */
static bool can_be_late(const struct trial *t, uint32_t number)
{
    uint32_t source = t->ops[number].source;

    return !t->sources[source].is_waiting && !source_is_delayed(t, source);
}

/* What goes over a wire and is lost is sent again: it comes later. */
static bool can_be_lost(const struct trial *t, uint32_t number)
{
    return !sockets_is_wire(t, t->ops[number].task) || can_be_late(t, number);
}

static bool can_be_doubled(const struct trial *t, uint32_t number)
{
    return !sockets_is_wire(t, t->ops[number].task);
}

/* One of the messages that the step has sent, which is no longer among them; 0: there is none. */
static uint32_t draw_sent(struct trial *t, const char *label,
                          bool (*can)(const struct trial *t, uint32_t number))
{
    struct environment *e = t->environment;
    uint32_t n = 0;
    uint64_t left = 0;

    for (uint32_t i = 0; i < e->n_sent; i++)
        n += is_pending(t, e->sent[i]) && can(t, e->sent[i]);
    if (n == 0)
        return 0;
    if (n > 1)
        left = trial_draw(t, label, n);
    for (uint32_t i = 0;; i++) {
        uint32_t number = e->sent[i];

        if (is_pending(t, number) && can(t, number) && left-- == 0) {
            memmove(&e->sent[i], &e->sent[i + 1], (--e->n_sent - i) * sizeof(e->sent[0]));
            return number;
        }
    }
}

static bool is_this(struct trial *t, const struct sn_op *op, void *self)
{
    return op_index(t, op) == *(const uint32_t *)self;
}

static void lose(struct trial *t, uint32_t number)
{
    liveness_disturb(t);
    trial_record(t, fault, "lost", sender_node(t, &t->ops[number]), &t->ops[number]);
    source_filter(t, t->ops[number].source, is_this, &number);
}

/* The copy goes its own way, as if it had been sent again over another connection. Its id comes
 * from the original's, so that all other ids are what they would be without it. */
static void duplicate(struct trial *t, uint32_t number)
{
    const struct sn_op *op = &t->ops[number];
    uint32_t copy = op_new(t);
    uint32_t source;

    liveness_disturb(t);
    t->ops[copy] = *op;
    t->ops[copy].id = mix_pair(op->id, COPY);
    t->ops[copy].flags = SN_OP_COPY;
    t->ops[copy].deadline = 0;
    op_set_payload(t, copy, op_payload(t, op), op->size);
    trial_record(t, fault, "duplicated", sender_node(t, op), &t->ops[copy]);
    trial_record(t, send, &t->ops[copy], op_payload(t, &t->ops[copy]));
    if (is_datagram(t, op))
        source = source_single(t, op->task);
    else
        source = source_single_beside(t, link_of(t, op));
    source_append(t, source, copy, (t->tasks[op->task].flags & TASK_GATED) != 0);
    if (t->naming != NULL)
        announced_add(t->announced, &(struct announcement){.id = t->ops[copy].id,
                                                           .what = op->what,
                                                           .from = op->from,
                                                           .task = op->task,
                                                           .op = copy,
                                                           .kind = SN_OP_DELIVER,
                                                           .is_copy = true});
}

static void make_late(struct trial *t, uint32_t number, uint64_t delay_ns)
{
    uint64_t now_ns = t->now.time_ns;

    machine_saw_clock(t);
    liveness_disturb(t);
    trial_record(t, fault, "delayed", sender_node(t, &t->ops[number]), &t->ops[number]);
    source_delay(t, number, delay_ns > UINT64_MAX - now_ns ? UINT64_MAX : now_ns + delay_ns);
}

void network_strike(struct trial *t, struct node *node)
{
    uint32_t number;

    while (node->drops > 0 && (number = draw_sent(t, "which is lost", can_be_lost)) != 0) {
        node->drops--;
        if (sockets_is_wire(t, t->ops[number].task))
            make_late(t, number, SENT_AGAIN_NS);
        else
            lose(t, number);
    }
    while (node->delays > 0 && (number = draw_sent(t, "which is late", can_be_late)) != 0) {
        node->delays--;
        make_late(t, number, node->delay_ns);
    }
    while (node->duplicates > 0 &&
           (number = draw_sent(t, "which is doubled", can_be_doubled)) != 0) {
        node->duplicates--;
        duplicate(t, number);
    }
}

/* ---- Cuts ----------------------------------------------------------------------------------- */

static bool is_cut_off(struct trial *t, const struct sn_op *op, void *self)
{
    (void)self;
    if (!network_is_cut(t, op) || network_holds_for(t, op->task))
        return false;
    trial_record(t, fault, "cut-off", sender_node(t, op), op);
    return true;
}

void network_set_cut(struct trial *t, uint64_t side)
{
    struct environment *e = t->environment;
    uint64_t before = e->now.cut;
    bool held = network_holds(t);

    e->now.cut = side;
    e->now.cuts++;
    trial_touch_all(t);
    for (uint32_t i = 1; i <= environment_n_nodes(t); i++)
        environment_touch(t, i);
    held |= network_holds(t);
    for (uint32_t i = 1; i < t->now.n_tasks; i++) {
        if (t->machines->all[i].node != 0 && (held || sockets_is_wire(t, i)))
            machine_update_gate(t, &t->machines->all[i]);
    }
    if (!held && side != 0) {
        for (uint32_t i = 1; i < t->now.n_sources; i++)
            source_filter(t, i, is_cut_off, NULL);
    }
    connections_cut(t, before);
}

/* Names the nodes of the side that is cut off. */
static void record_cut(struct trial *t, uint64_t side)
{
    char buffer[1024];
    struct sn_text names;

    if (t->recorder == NULL)
        return;
    text_init(&names, buffer, sizeof(buffer));
    for (uint32_t i = 1; i <= environment_n_nodes(t); i++) {
        if ((side >> (i - 1) & 1) != 0)
            text_print(&names, "%s%s", names.used > 0 ? ", " : "", t->environment->nodes[i].name);
    }
    trial_record(t, fault, side != 0 ? "cut" : "heal", side != 0 ? buffer : NULL, NULL);
}

void sn_cut(uint64_t side)
{
    struct trial *t = machine_acting_trial("sn_cut");

    if (!environment_is_used(t) || environment_n_nodes(t) > NODES_CUT_MAX)
        trial_fail(t, "usage", NULL, "sn_cut needs at least one node and at most %d",
                   NODES_CUT_MAX);
    record_cut(t, side);
    network_set_cut(t, side);
    exits_settle(t);
}

void sn_heal(void)
{
    struct trial *t = machine_acting_trial("sn_heal");

    if (environment_is_used(t) && t->environment->now.cut != 0)
        sn_cut(0);
}

/* ---- Crashes -------------------------------------------------------------------------------- */

/* Datagrams from elsewhere may still be on their way when the receiver has crashed and started
 * again. */
static bool is_lost_with_receiver(struct trial *t, const struct sn_op *op, void *self)
{
    const bool *is_resident = self;
    bool is_from_elsewhere = op->kind == SN_OP_DELIVER &&
                             t->machines->all[op->from].node != t->machines->all[op->task].node;

    if (*is_resident && is_from_elsewhere && is_datagram(t, op))
        return false;
    if (is_from_elsewhere)
        trial_record(t, fault, "lost", sender_node(t, op), op);
    return true;
}

static uint32_t count_crossing(const struct trial *t, uint32_t index)
{
    uint32_t n = 0;

    for (uint32_t op = t->sources[index].head; op != 0; op = t->ops[op].next)
        n += network_crosses(t, &t->ops[op]);
    return n;
}

/* Self is how many are kept, from the head on. */
static bool is_in_tail(struct trial *t, const struct sn_op *op, void *self)
{
    uint32_t *kept = self;

    if (!network_crosses(t, op))
        return false;
    if (*kept > 0) {
        --*kept;
        return false;
    }
    trial_record(t, fault, "lost", sender_node(t, op), op);
    return true;
}

/* What a connection's end has not yet sent when it crashes is lost: the last messages, beginning
 * with those that are late; beside is 0 if none are. */
static void lose_tail(struct trial *t, uint32_t index, uint32_t beside)
{
    uint32_t first = count_crossing(t, index);
    uint32_t n = first + (beside != 0 ? count_crossing(t, beside) : 0);
    uint32_t kept;
    uint32_t kept_beside;

    if (n == 0)
        return;
    kept = n - (uint32_t)environment_draw(t, "lost with sender", n + 1);
    kept_beside = kept > first ? kept - first : 0;
    if (beside != 0)
        source_filter(t, beside, is_in_tail, &kept_beside);
    source_filter(t, index, is_in_tail, &kept);
}

/* What a machine has sent to one other: over their link, and copies, each of which has a connection
 * of its own. */
static void lose_tails(struct trial *t, uint32_t from, uint32_t to)
{
    const struct source *all = t->sources;

    for (uint32_t i = t->tasks[to].first_source; i != 0; i = all[i].next_of_task) {
        if (!all[i].is_single && all[i].from == from)
            lose_tail(t, i, all[i].generation);
    }
    for (uint32_t i = t->tasks[to].first_source; i != 0; i = all[i].next_of_task) {
        if (all[i].is_single && all[i].from == SOURCE_BESIDE(from) && !all[i].is_waiting)
            lose_tail(t, i, 0);
    }
}

void network_on_down(struct trial *t, const struct machine *m, bool is_resident, bool in_order)
{
    for (uint32_t i = t->tasks[m->task].first_source; i != 0; i = t->sources[i].next_of_task)
        source_filter(t, i, is_lost_with_receiver, &is_resident);
    for (uint32_t to = 1; to < t->now.n_tasks && !in_order; to++)
        lose_tails(t, m->task, to);
}
