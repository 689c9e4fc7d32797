/* connections.c - what processes see of nodes: whether they can be reached, and when that changes.
 *
 * Whether a node is up is the environment's (its object is written when it goes or comes). Whether
 * two nodes are connected is kept here, for pairs that were ever disconnected; all others are.
 * SPDX-License-Identifier: MIT
 */
#include "substrate/environment.h"
#include "substrate/process.h"

#include <stdio.h>

#define CONNECTION_OBJECT UINT64_C(0x6e6e6f6365) /* above the ids of other objects */

static void print_node(struct sn_text *out, const void *payload)
{
    const struct sn_node_signal *signal = payload;

    text_print(out, "node=%s", sn_node_name(signal->node));
}

const struct sn_event sn_node_down = {
    .name = "NODEDOWN", .size = sizeof(struct sn_node_signal), .print = print_node};
const struct sn_event sn_node_up = {
    .name = "NODEUP", .size = sizeof(struct sn_node_signal), .print = print_node};

/* ---- Who can be reached --------------------------------------------------------------------- */

static uint64_t id_of(sn_node a, sn_node b)
{
    return mix_pair(CONNECTION_OBJECT, a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a);
}

/* NULL: the two were never disconnected. */
static struct connection *find_connection(const struct trial *t, sn_node a, sn_node b)
{
    uint64_t id = id_of(a, b);

    for (uint32_t i = 1; i < t->now.n_own[OWN_CONNECTIONS]; i++) {
        if (t->processes->connections[i].object.id == id)
            return &t->processes->connections[i];
    }
    return NULL;
}

void connections_check(struct trial *t, sn_node node, const char *function)
{
    if (!environment_is_used(t) || node == SN_NO_NODE || node >= t->now.n_own[OWN_NODES])
        trial_fail(t, "usage", NULL, "%s: there is no node %u", function, node);
}

static bool is_broken_between(const struct trial *t, sn_node a, sn_node b)
{
    const struct connection *c = find_connection(t, a, b);

    return c != NULL && c->is_broken;
}

/* Whether messages go from one node to another, which may be the same or none. */
static bool are_joined(const struct trial *t, sn_node a, sn_node b)
{
    return !is_broken_between(t, a, b) && !network_parts(t->environment->now.cut, a, b);
}

static bool is_up(const struct trial *t, sn_node node)
{
    return !t->environment->nodes[node].is_down;
}

static void read_connection(struct trial *t, sn_node a, sn_node b)
{
    const struct connection *c = find_connection(t, a, b);
    struct object fresh = {.id = id_of(a, b)};

    trial_read(t, c != NULL ? &c->object : &fresh);
}

static bool reach_from(struct trial *t, sn_node from, sn_node to)
{
    if (from == to || to == SN_NO_NODE || from == SN_NO_NODE) {
        if (to == SN_NO_NODE || from == to)
            return true;
        trial_touch_read(t, t->environment->nodes[to].object);
        return is_up(t, to);
    }
    trial_touch_read(t, t->environment->nodes[to].object);
    read_connection(t, from, to);
    return is_up(t, to) && are_joined(t, from, to);
}

bool connections_join(const struct trial *t, sn_node a, sn_node b)
{
    return a == b || (is_up(t, a) && is_up(t, b) && are_joined(t, a, b));
}

bool connections_reach(struct trial *t, sn_node node)
{
    return reach_from(t, environment_node_here(t), node);
}

bool connections_reach_task(struct trial *t, uint32_t task)
{
    sn_node node = t->machines->all[task].node;

    return node == SN_NO_NODE || connections_reach(t, node);
}

void connections_signal_far(struct trial *t, uint32_t from, uint32_t to)
{
    (void)reach_from(t, t->machines->all[from].node, t->machines->all[to].node);
}

/* ---- Who watches nodes ---------------------------------------------------------------------- */

static void tell(struct trial *t, uint32_t task, const struct sn_event *event, sn_node node)
{
    struct sn_node_signal signal = {.node = node};

    mailbox_put(t, &(struct letter){
                       .to = task, .event = event, .payload = &signal, .size = sizeof(signal)});
}

static uint32_t find_watch(const struct trial *t, uint32_t task, sn_node node)
{
    uint32_t i = t->now.n_own[OWN_NODE_WATCHES];

    while (i-- > 1) {
        if (t->processes->watches[i].task == task && t->processes->watches[i].node == node)
            return i;
    }
    return 0;
}

static void remove_watch(struct trial *t, uint32_t index)
{
    struct node_watch *all = t->processes->watches;
    uint32_t n = --t->now.n_own[OWN_NODE_WATCHES];

    memmove(&all[index], &all[index + 1], (n - index) * sizeof(*all));
}

/* Had the node gone or come before, the process would have been told. */
void connections_forget(struct trial *t, uint32_t task)
{
    for (uint32_t i = t->now.n_own[OWN_NODE_WATCHES]; i-- > 1;) {
        if (t->processes->watches[i].task != task)
            continue;
        (void)reach_from(t, t->machines->all[task].node, t->processes->watches[i].node);
        remove_watch(t, i);
    }
}

void sn_monitor_node(sn_node node, bool is_on)
{
    struct trial *t;
    struct process *self = process_running(&t, "sn_monitor_node");
    const struct process_request request = {
        .text = is_on ? "on" : "off", .about = ABOUT_NODE, .node = node, .is_reading = true};
    uint32_t index;

    connections_check(t, node, "sn_monitor_node");
    process_announce(t, self, process_phrase_text(t, VERB_MONITOR_NODE, sn_node_name(node)),
                     &request);
    index = find_watch(t, self->task, node);
    if (!is_on && index != 0)
        remove_watch(t, index);
    if (is_on && index == 0) {
        index = t->now.n_own[OWN_NODE_WATCHES];
        if (index == NODE_WATCHES_MAX)
            op_too_many(t, "monitors of nodes");
        t->processes->watches[index] = (struct node_watch){.task = self->task, .node = node};
        t->now.n_own[OWN_NODE_WATCHES] = index + 1;
    }
    if (!connections_reach(t, node) && is_on)
        tell(t, self->task, &sn_node_down, node);
}

/* A node goes or comes: those on others that watch it and are joined with it are told. */
static void tell_watchers(struct trial *t, sn_node node, const struct sn_event *event)
{
    for (uint32_t i = 1; i < t->now.n_own[OWN_NODE_WATCHES]; i++) {
        const struct node_watch *watch = &t->processes->watches[i];
        sn_node from = t->machines->all[watch->task].node;

        if (watch->node != node || from == node)
            continue;
        if (from == SN_NO_NODE || are_joined(t, from, node))
            tell(t, watch->task, event, node);
    }
}

/* ---- Nodes that go and come ----------------------------------------------------------------- */

void connections_take_down(struct trial *t, sn_node node)
{
    if (!processes_are_used(t))
        return;
    exits_end_node(t, node);
    tell_watchers(t, node, &sn_node_down);
}

void connections_bring_up(struct trial *t, sn_node node)
{
    if (processes_are_used(t))
        tell_watchers(t, node, &sn_node_up);
}

/* ---- Connections ---------------------------------------------------------------------------- */

static void tell_side(struct trial *t, sn_node on, sn_node node, const struct sn_event *event)
{
    for (uint32_t i = 1; i < t->now.n_own[OWN_NODE_WATCHES]; i++) {
        const struct node_watch *watch = &t->processes->watches[i];

        if (watch->node == node && t->machines->all[watch->task].node == on)
            tell(t, watch->task, event, node);
    }
}

PUBLIC_PART void set_broken(sn_node a, sn_node b, bool is_broken, const char *function)
{
    struct process *self;
    struct trial *t = process_acting(&self, function);
    struct connection *c;
    bool was_joined;
    char text[160];

    connections_check(t, a, function);
    connections_check(t, b, function);
    (void)snprintf(text, sizeof(text), "%s %s %s", is_broken ? "disconnect" : "connect",
                   sn_node_name(a), sn_node_name(b));
    if (self != NULL)
        process_announce(t, self, process_phrase_whole(t, text), NULL);
    if (a == b)
        return;
    processes_use(t);
    c = find_connection(t, a, b);
    if (c == NULL) {
        if (t->now.n_own[OWN_CONNECTIONS] == CONNECTIONS_MAX)
            op_too_many(t, "connections");
        c = &t->processes->connections[t->now.n_own[OWN_CONNECTIONS]++];
        *c = (struct connection){.object.id = id_of(a, b)};
    }
    trial_write(t, &c->object);
    trial_touch_read(t, t->environment->nodes[a].object);
    trial_touch_read(t, t->environment->nodes[b].object);
    if (c->is_broken == is_broken)
        return;
    was_joined = connections_join(t, a, b);
    c->is_broken = is_broken;
    trial_record(t, fault, is_broken ? "disconnect" : "connect", sn_node_name(a), NULL);
    if (connections_join(t, a, b) == was_joined)
        return;
    if (is_broken)
        exits_cut_ties(t);
    tell_side(t, a, b, is_broken ? &sn_node_down : &sn_node_up);
    tell_side(t, b, a, is_broken ? &sn_node_down : &sn_node_up);
    exits_settle(t);
}

/* A cut is to processes as if all connections across it were broken. */
void connections_cut(struct trial *t, uint64_t before)
{
    uint64_t cut = t->environment->now.cut;

    if (!processes_are_used(t))
        return;
    exits_cut_ties(t);
    for (uint32_t i = 1; i < t->now.n_own[OWN_NODE_WATCHES]; i++) {
        const struct node_watch *watch = &t->processes->watches[i];
        sn_node from = t->machines->all[watch->task].node;
        bool is_parted = network_parts(cut, from, watch->node);

        if (is_parted != network_parts(before, from, watch->node) && is_up(t, watch->node) &&
            !is_broken_between(t, from, watch->node))
            tell(t, watch->task, is_parted ? &sn_node_down : &sn_node_up, watch->node);
    }
}

void sn_node_disconnect(sn_node a, sn_node b)
{
    set_broken(a, b, true, "sn_node_disconnect");
}

void sn_node_connect(sn_node a, sn_node b)
{
    set_broken(a, b, false, "sn_node_connect");
}
