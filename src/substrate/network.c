/* network.c - where a sent message waits, and whether it arrives. SPDX-License-Identifier: MIT */
#include "engine/op.h"
#include "substrate/environment.h"

/* The sender of a source that holds what all send to one machine. */
#define INBOX_SENDER (SOURCE_NO_SENDER - 1)

/* ---- Links ---------------------------------------------------------------------------------- */

static enum sn_order link_order(const struct trial *t, uint32_t from, uint32_t to)
{
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

bool network_crosses(const struct trial *t, const struct sn_op *op)
{
    uint32_t a = t->machines->all[op->from].node;
    uint32_t b = t->machines->all[op->task].node;

    return op->kind == SN_OP_DELIVER && op->from != 0 && a != 0 && b != 0 && a != b;
}

bool network_is_cut(const struct trial *t, const struct sn_op *op)
{
    uint64_t cut = t->environment->now.cut;

    if (cut == 0 || !network_crosses(t, op))
        return false;
    cut =
        cut >> (t->machines->all[op->from].node - 1) ^ cut >> (t->machines->all[op->task].node - 1);
    return (cut & 1) != 0;
}

/* ---- Sending -------------------------------------------------------------------------------- */

static uint32_t announce(struct trial *t, const struct message *message)
{
    uint32_t number = machine_announce(t, SN_OP_DELIVER, message->to, message->event);

    op_set_payload(t, number, message->payload, message->size);
    return number;
}

/* Puts a message where it waits to be delivered. */
static uint32_t enqueue(struct trial *t, uint32_t number, enum sn_order order)
{
    const struct sn_op *op = &t->ops[number];
    uint32_t source;

    if (order == SN_UNORDERED)
        source = source_single(t, op->task);
    else
        source = source_link(t, order == SN_INBOX ? INBOX_SENDER : op->from, op->task);
    if (t->sources[source].is_waiting)
        source_append_stalled(t, source, number);
    else
        source_append(t, source, number, (t->tasks[op->task].flags & TASK_GATED) != 0);
    trial_record(t, send, op, op_payload(t, op));
    return source;
}

static bool takes(uint32_t *count)
{
    if (*count == 0)
        return false;
    --*count;
    return true;
}

/* What the network does to a message between two nodes. */
static void send_across(struct trial *t, const struct message *message, uint32_t number)
{
    struct node *node = &t->environment->nodes[t->machines->all[t->now.task].node];
    bool is_cut = network_is_cut(t, &t->ops[number]);
    enum sn_order order = link_order(t, t->now.task, message->to);
    bool is_lost = is_cut && !network_holds(t);
    uint32_t source;

    if (is_lost || takes(&node->drops)) {
        trial_record(t, fault, is_lost ? "cut-off" : "lost", node->name, &t->ops[number]);
        op_free(t, number);
        return;
    }
    source = enqueue(t, number, order);
    if (takes(&node->delays)) {
        trial_record(t, fault, "delayed", node->name, &t->ops[number]);
        source_stall(t, source, t->now.time_ns + node->delay_ns);
    }
    /* The second copy goes its own way, as if it had been sent again over another connection. */
    if (takes(&node->duplicates)) {
        number = announce(t, message);
        trial_record(t, fault, "duplicated", node->name, &t->ops[number]);
        (void)enqueue(t, number, SN_UNORDERED);
    }
}

void network_send(struct trial *t, const struct message *message)
{
    uint32_t number = announce(t, message);

    if (network_crosses(t, &t->ops[number]))
        send_across(t, message, number);
    else
        (void)enqueue(t, number, link_order(t, t->now.task, message->to));
}

/* ---- Cuts ----------------------------------------------------------------------------------- */

static bool is_cut_off(struct trial *t, const struct sn_op *op, void *self)
{
    (void)self;
    if (!network_is_cut(t, op))
        return false;
    trial_record(t, fault, "cut-off", t->environment->nodes[t->machines->all[op->from].node].name,
                 op);
    return true;
}

void network_set_cut(struct trial *t, uint64_t side)
{
    struct environment *e = t->environment;
    bool held = network_holds(t);

    e->now.cut = side;
    e->now.cuts++;
    for (uint32_t i = 1; i <= environment_n_nodes(t); i++)
        environment_touch(t, i);
    if (held || network_holds(t)) {
        for (uint32_t i = 1; i < t->now.n_tasks; i++) {
            if (t->machines->all[i].node != 0)
                machine_update_gate(t, &t->machines->all[i]);
        }
    } else if (side != 0) {
        for (uint32_t i = 1; i < t->now.n_sources; i++)
            source_filter(t, i, is_cut_off, NULL);
    }
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
}

void sn_heal(void)
{
    struct trial *t = machine_acting_trial("sn_heal");

    if (environment_is_used(t) && t->environment->now.cut != 0)
        sn_cut(0);
}

/* ---- Crashes -------------------------------------------------------------------------------- */

/* Datagrams may still be on their way when the receiver has crashed and started again. */
static bool is_lost_with_receiver(struct trial *t, const struct sn_op *op, void *self)
{
    const bool *is_resident = self;

    return !*is_resident || !t->sources[op->source].is_single || !network_crosses(t, op);
}

static uint32_t count_ops(const struct trial *t, uint32_t index)
{
    uint32_t n = 0;

    for (uint32_t op = t->sources[index].head; op != 0; op = t->ops[op].next)
        n++;
    return n;
}

struct tail {
    uint32_t kept; /* so many from the head on */
};

static bool is_in_tail(struct trial *t, const struct sn_op *op, void *self)
{
    struct tail *tail = self;

    if (tail->kept > 0) {
        tail->kept--;
        return false;
    }
    trial_record(t, fault, "lost", t->environment->nodes[t->machines->all[op->from].node].name, op);
    return true;
}

/* What a connection's end has not yet sent when it crashes is lost: the last messages. */
static void lose_tails(struct trial *t, const struct machine *m)
{
    for (uint32_t i = 1; i < t->now.n_sources; i++) {
        const struct source *source = &t->sources[i];
        struct tail tail;

        if (source->is_single || source->from != m->task || source->head == 0 ||
            !network_crosses(t, &t->ops[source->head]))
            continue;
        tail.kept = count_ops(t, i);
        tail.kept -= (uint32_t)environment_draw(t, "lost with sender", tail.kept + 1);
        source_filter(t, i, is_in_tail, &tail);
    }
}

void network_on_down(struct trial *t, const struct machine *m, bool is_resident, bool in_order)
{
    for (uint32_t i = t->tasks[m->task].first_source; i != 0; i = t->sources[i].next_of_task)
        source_filter(t, i, is_lost_with_receiver, &is_resident);
    if (!in_order)
        lose_tails(t, m);
}
