/* registry.c - names of processes. Each name of a node is an object: who gives, takes or frees it
 * writes to it, who asks for it reads. SPDX-License-Identifier: MIT
 */
#include "base/hash.h"
#include "substrate/environment.h"
#include "substrate/process.h"

uint64_t registry_id(sn_node node, const char *name)
{
    return mix_pair(hash_add(HASH_START, name, strlen(name)), node);
}

/* The name, made at first use: that nobody has it is something that can be seen, too. */
static struct process_name *find_name(struct trial *t, sn_node node, const char *text)
{
    struct processes *all = t->processes;
    uint64_t hash = registry_id(node, text);
    uint32_t slot = (uint32_t)hash & (2 * PROCESS_NAMES_MAX - 1);
    uint32_t index;

    processes_use(t);
    for (;; slot = (slot + 1) & (2 * PROCESS_NAMES_MAX - 1)) {
        index = all->name_slots[slot];
        if (index == 0 || index >= t->now.n_own[OWN_PROCESS_NAMES] ||
            all->slot_of_name[index] != slot)
            break;
        if (all->names[index].node == node && strcmp(all->names[index].text, text) == 0)
            return &all->names[index];
    }
    index = t->now.n_own[OWN_PROCESS_NAMES];
    if (index == PROCESS_NAMES_MAX)
        op_too_many(t, "names");
    t->now.n_own[OWN_PROCESS_NAMES] = index + 1;
    all->name_slots[slot] = index;
    all->slot_of_name[index] = slot;
    all->names[index] = (struct process_name){.object.id = hash, .node = node};
    memcpy(all->names[index].text, text, strlen(text) + 1);
    return &all->names[index];
}

void registry_check(struct trial *t, const char *name, const char *function)
{
    if (name == NULL || name[0] == '\0' || strlen(name) >= PROCESS_NAME_MAX)
        trial_fail(t, "usage", NULL, "%s: a name has 1 to %d bytes", function,
                   PROCESS_NAME_MAX - 1);
}

static sn_node node_of(const struct trial *t, sn_id id)
{
    return id < t->now.n_tasks ? t->machines->all[id].node : SN_NO_NODE;
}

/* In the test's run function a process is named on its own node. */
bool sn_register(const char *name, sn_id id)
{
    struct process *self;
    struct trial *t = process_acting(&self, "sn_register");
    sn_node node = t->now.task != 0 ? environment_node_here(t) : node_of(t, id);
    const struct process_request request = {
        .whom = id, .about = ABOUT_NAME, .name = name, .node = node};
    struct process_name *n;
    struct process *p;

    registry_check(t, name, "sn_register");
    process_check_id(t, id, "sn_register");
    if (!process_is(t, id))
        trial_fail(t, "usage", NULL, "sn_register: %s is a machine, not a process", sn_name(id));
    if (self != NULL)
        process_announce(t, self, process_phrase_text(t, VERB_REGISTER, name), &request);
    p = process_of(t, id);
    n = find_name(t, node, name);
    trial_write(t, &n->object);
    trial_write(t, &p->calling);
    trial_read(t, &p->living);
    if (n->holder != 0 || p->name != 0 || p->life == PROCESS_ENDED ||
        t->machines->all[id].node != node)
        return false;
    n->holder = id;
    p->name = (uint32_t)(n - t->processes->names);
    return true;
}

bool sn_unregister(const char *name)
{
    struct process *self;
    struct trial *t = process_acting(&self, "sn_unregister");
    const struct process_request request = {
        .about = ABOUT_NAME, .name = name, .node = environment_node_here(t)};
    struct process_name *n;

    registry_check(t, name, "sn_unregister");
    if (self != NULL)
        process_announce(t, self, process_phrase_text(t, VERB_UNREGISTER, name), &request);
    n = find_name(t, environment_node_here(t), name);
    trial_write(t, &n->object);
    if (n->holder == 0)
        return false;
    trial_write(t, &process_of(t, n->holder)->calling);
    process_of(t, n->holder)->name = 0;
    n->holder = 0;
    return true;
}

void registry_release(struct trial *t, struct process *p)
{
    struct process_name *n = &t->processes->names[p->name];

    trial_read(t, &p->calling);
    if (p->name == 0)
        return;
    trial_write(t, &n->object);
    n->holder = 0;
    p->name = 0;
}

uint32_t registry_find(struct trial *t, sn_node node, const char *name)
{
    const struct process_name *n = find_name(t, node, name);

    trial_read(t, &n->object);
    return n->holder;
}

static void check_node(struct trial *t, sn_node node, const char *function)
{
    if (node != SN_NO_NODE)
        connections_check(t, node, function);
}

PUBLIC_PART sn_id look_up(sn_node node, bool is_here, const char *name, const char *function)
{
    struct process *self;
    struct trial *t = process_acting(&self, function);
    struct process_request request = {
        .about = ABOUT_NAME, .name = name, .node = node, .is_reading = true};

    registry_check(t, name, function);
    if (is_here)
        request.node = node = environment_node_here(t);
    else
        check_node(t, node, function);
    if (self != NULL)
        process_announce(t, self, process_phrase_text(t, VERB_WHEREIS, name), &request);
    return connections_reach(t, node) ? registry_find(t, node, name) : SN_NOBODY;
}

sn_id sn_whereis(const char *name)
{
    return look_up(SN_NO_NODE, true, name, "sn_whereis");
}

sn_id sn_whereis_on(sn_node node, const char *name)
{
    return look_up(node, false, name, "sn_whereis_on");
}

PUBLIC_PART void send_name(sn_node node, bool is_here, const char *name,
                           const struct sn_event *event, const void *payload)
{
    struct process *self;
    struct trial *t = process_acting(&self, "sn_send_name");
    struct process_request request = {.event = event,
                                      .payload = payload,
                                      .text = name,
                                      .about = ABOUT_NAME,
                                      .name = name,
                                      .node = node};
    uint32_t to;

    registry_check(t, name, "sn_send_name");
    machine_check_payload(t, event, payload, "sent");
    request.size = event->size;
    if (is_here)
        request.node = node = environment_node_here(t);
    else
        check_node(t, node, "sn_send_name_on");
    if (self != NULL)
        process_announce(t, self, process_phrase_event(t, VERB_SEND, event), &request);
    to = connections_reach(t, node) ? registry_find(t, node, name) : SN_NOBODY;
    if (to != SN_NOBODY)
        mailbox_send(t, to, event, payload, event->size);
}

void sn_send_name(const char *name, const struct sn_event *event, const void *payload)
{
    send_name(SN_NO_NODE, true, name, event, payload);
}

void sn_send_name_on(sn_node node, const char *name, const struct sn_event *event,
                     const void *payload)
{
    send_name(node, false, name, event, payload);
}

sn_ref sn_monitor_name(sn_node node, const char *name)
{
    struct trial *t;
    struct process *self = process_running(&t, "sn_monitor_name");
    struct process_request request = {.about = ABOUT_NAME, .name = name, .is_reading = true};

    registry_check(t, name, "sn_monitor_name");
    check_node(t, node, "sn_monitor_name");
    if (node == SN_NO_NODE)
        node = environment_node_here(t);
    request.node = node;
    process_announce(t, self, process_phrase_text(t, VERB_MONITOR, name), &request);
    if (!connections_reach(t, node))
        return exits_watch_nobody(t, self, SN_NOCONNECTION);
    return exits_watch(t, self, registry_find(t, node, name), TIE_MONITOR);
}
