/* environment.c - nodes: machines that live and die together, with a clock.
 * SPDX-License-Identifier: MIT
 */
#include "substrate/environment.h"

#include "engine/here.h"
#include "engine/mem.h"
#include "engine/op.h"
#include "engine/require.h"
#include "substrate/disk.h"
#include "substrate/liveness.h"
#include "substrate/locks.h"
#include "substrate/process.h"
#include "substrate/sockets.h"

#include <stdarg.h>
#include <stdio.h>

/* Above the ids of other objects. */
#define NODE_OBJECT (UINT64_C(1) << 32)

static void perform_on_node(struct trial *t, struct sn_op *op);

/* ---- Joining a trial ------------------------------------------------------------------------ */

int environment_join(struct trial *t, struct err *why)
{
    struct environment *e = mem_reserve_shared(sizeof(*e), why);

    t->environment = e;
    if (e == NULL)
        return SN_ENOMEM;
    trial_range_add(t, &e->now, &t->now.n_own[OWN_ENVIRONMENT], sizeof(e->now));
    trial_range_add(t, e->nodes, &t->now.n_own[OWN_NODES], sizeof(*e->nodes));
    trial_range_add(t, e->residents, &t->now.n_own[OWN_RESIDENTS], sizeof(*e->residents));
    trial_range_add(t, e->rules, &t->now.n_own[OWN_RULES], sizeof(*e->rules));
    trial_range_add(t, e->due, &t->now.n_own[OWN_DUE], sizeof(*e->due));
    trial_join(t, SN_OP_FAULT, &fault_substrate);
    return disks_join(t, why);
}

void environment_leave(struct trial *t)
{
    disks_leave(t);
    if (t->environment != NULL)
        mem_release(t->environment, sizeof(*t->environment));
    t->environment = NULL;
}

void environment_use(struct trial *t)
{
    struct environment *e = t->environment;

    if (environment_is_used(t))
        return;
    e->now = (struct environment_now){0};
    e->may_escape = false;
    e->nodes[0] = (struct node){.never_crashes = true};
    t->now.n_own[OWN_ENVIRONMENT] = 1;
    t->now.n_own[OWN_NODES] = 1;
    for (uint32_t i = 1; i < t->now.n_tasks; i++)
        t->tasks[i].flags |= process_is(t, i) ? 0 : TASK_ROUTED;
    /* Stays so for the rest of the run: a trial that does not use an environment only pays for the
     * question. */
    require_set_perform(t, SN_OP_START, perform_on_node);
    require_set_perform(t, SN_OP_DELIVER, perform_on_node);
    require_set_perform(t, SN_OP_TIMER, perform_on_node);
    require_set_perform(t, SN_OP_PROCESS, perform_on_node);
}

uint64_t environment_draw(struct trial *t, const char *label, uint64_t n)
{
    uint32_t task = t->now.task;
    uint64_t value;

    t->now.task = t->environment->now.fault_task;
    value = trial_draw(t, label, n);
    t->now.task = task;
    return value;
}

void environment_touch(struct trial *t, sn_node node)
{
    for (uint32_t i = 1; i < t->now.n_tasks; i++) {
        if (t->machines->all[i].node == node)
            trial_touch_task(t, i);
    }
}

/* The running step changes whether a node is up, and so which nodes faults can choose from. */
static void touch_state(struct trial *t, const struct node *node)
{
    trial_touch(t, node->object);
    if (t->environment->now.fault_task != 0)
        trial_touch_task(t, t->environment->now.fault_task);
}

/* The running step depends on whether a node is up. It is not in the order of a trial if all that
 * comes of it is that nothing happens, unless it is all that a process has announced. */
static void look_at_state(struct trial *t, const struct node *node)
{
    if (t->may_act == ACTS_IN_TURN)
        trial_touch_read(t, node->object);
    else if (t->touches != NULL)
        touches_add(t->touches, t->objects[node->object].id, TOUCH_READ);
}

/* ---- Making nodes --------------------------------------------------------------------------- */

static struct node *node_of(struct trial *t, sn_node node, const char *function)
{
    if (node == SN_NO_NODE || !environment_is_used(t) || node >= t->now.n_own[OWN_NODES])
        trial_fail(t, "usage", NULL, "%s: there is no node %u", function, node);
    return &t->environment->nodes[node];
}

/* -max, -max/2, 0, max/2 or max; 0 first, which is the simplest. */
static int64_t draw_deviation(struct trial *t, const char *label, uint64_t max)
{
    uint64_t value = environment_draw(t, label, 5);
    int64_t size = (int64_t)(value > 2 ? max : max / 2);

    if (value == 0)
        return 0;
    return value % 2 == 1 ? size : -size;
}

static void draw_clock(struct trial *t, struct node *node)
{
    const struct sn_faults *faults = t->test->faults;

    if (faults != NULL && (faults->skew_ns > INT64_MAX || faults->drift_ppm >= 1000000))
        trial_fail(t, "usage", NULL, "sn_faults: no clock can differ that much from true time");
    if (faults != NULL && faults->skew_ns > 0)
        node->offset_ns = draw_deviation(t, "clock skew", faults->skew_ns);
    if (faults != NULL && faults->drift_ppm > 0)
        node->drift_ppm = (int32_t)draw_deviation(t, "clock drift", faults->drift_ppm);
}

sn_node sn_node_new(const char *format, ...)
{
    struct trial *t = machine_acting_trial("sn_node_new");
    struct node *node;
    va_list args;

    environment_use(t);
    if (t->now.n_own[OWN_NODES] > NODES_MAX)
        trial_fail(t, "limit", NULL, "a trial has at most %d nodes", NODES_MAX);
    node = &t->environment->nodes[t->now.n_own[OWN_NODES]++];
    *node = (struct node){.is_down = false};
    node->object = trial_object_new(t, NODE_OBJECT + t->now.n_own[OWN_NODES]);
    va_start(args, format);
    (void)vsnprintf(node->name, sizeof(node->name), format, args);
    va_end(args);
    draw_clock(t, node);
    return t->now.n_own[OWN_NODES] - 1;
}

static struct resident *add_resident(struct trial *t, uint32_t task)
{
    struct resident *resident = &t->environment->residents[t->now.n_own[OWN_RESIDENTS]++];

    *resident = (struct resident){.task = task, .creator = t->now.task};
    return resident;
}

static void check_residents(struct trial *t)
{
    if (t->now.n_own[OWN_RESIDENTS] == RESIDENTS_MAX)
        op_too_many(t, "machines on nodes");
}

sn_id sn_spawn_on(sn_node number, const struct sn_process *type, const void *payload)
{
    struct process *self;
    struct trial *t = process_acting(&self, "sn_spawn_on");
    struct node *node = node_of(t, number, "sn_spawn_on");
    uint32_t task;

    process_announce_spawn(t, self, type);
    if (!connections_reach(t, number) || node->is_down)
        return SN_NOBODY;
    check_residents(t);
    task = process_new(t, number, type, payload);
    (void)add_resident(t, task);
    return task;
}

sn_id sn_create_on(sn_node node, const struct sn_machine *type, const void *payload)
{
    struct trial *t = machine_acting_trial("sn_create_on");
    struct environment *e = t->environment;
    struct resident *resident;
    uint32_t task;

    look_at_state(t, node_of(t, node, "sn_create_on"));
    if (node_of(t, node, "sn_create_on")->is_down)
        trial_fail(t, "usage", NULL, "sn_create_on: node %s is down", e->nodes[node].name);
    check_residents(t);
    task = machine_new(t, node, type, payload);
    resident = add_resident(t, task);
    if (payload != NULL && type->birth->size > 0) {
        resident->payload = trial_alloc(t, type->birth->size);
        memcpy(resident->payload, payload, type->birth->size);
    }
    return task;
}

sn_node sn_node_of(sn_id machine)
{
    struct trial *t = machine_trial("sn_node_of");

    return machine != SN_NOBODY && machine < t->now.n_tasks ? t->machines->all[machine].node : 0;
}

bool sn_node_is_up(sn_node node)
{
    struct trial *t = machine_trial("sn_node_is_up");
    const struct node *asked = node_of(t, node, "sn_node_is_up");

    trial_touch_read(t, asked->object);
    return !asked->is_down;
}

const char *sn_node_name(sn_node node)
{
    return node_of(machine_trial("sn_node_name"), node, "sn_node_name")->name;
}

void sn_node_never_crash(sn_node node)
{
    node_of(machine_acting_trial("sn_node_never_crash"), node, "sn_node_never_crash")
        ->never_crashes = true;
}

/* ---- Down and up ---------------------------------------------------------------------------- */

static const struct resident *resident_of(const struct trial *t, uint32_t task)
{
    for (uint32_t i = 0; i < t->now.n_own[OWN_RESIDENTS]; i++) {
        if (t->environment->residents[i].task == task)
            return &t->environment->residents[i];
    }
    return NULL;
}

static void end_machine(struct trial *t, struct machine *m, bool in_order)
{
    bool is_resident = resident_of(t, m->task) != NULL;

    if (m->is_halted)
        return;
    trial_touch_task(t, m->task);
    network_on_down(t, m, is_resident, in_order);
    m->is_halted = true;
    m->is_started = false;
    /* Gated: what may still be in flight to it waits until it has started again. */
    t->tasks[m->task].flags = TASK_HALTED | TASK_GATED | TASK_ROUTED;
    source_recheck_task(t, m->task);
}

/* The end of a machine changes what others receive from it. */
static void touch_machines(struct trial *t, sn_node number)
{
    for (uint32_t i = 1; i < t->now.n_tasks; i++) {
        if (t->machines->all[i].node == number && !process_is(t, i))
            trial_touch_all(t);
    }
}

void environment_take_down(struct trial *t, sn_node number, bool in_order)
{
    struct node *node = &t->environment->nodes[number];

    t->environment->now.n_doomed -= node->is_doomed;
    node->is_doomed = false;
    node->effects_left = 0;
    if (node->is_down)
        return;
    node->is_down = true;
    t->environment->now.n_down += node->is_down_by_fault;
    if (node->is_down_by_fault)
        liveness_disturb(t);
    node->drops = node->duplicates = node->delays = node->disk_errors = 0;
    node->short_transfers = 0;
    touch_state(t, node);
    touch_machines(t, number);
    trial_record(t, fault, in_order ? "stop" : "crash", node->name, NULL);
    for (uint32_t i = 1; i < t->now.n_tasks; i++) {
        if (t->machines->all[i].node == number && !process_is(t, i))
            end_machine(t, &t->machines->all[i], in_order);
    }
    if (!in_order)
        sockets_crash(t, number);
    connections_take_down(t, number);
    locks_end_node(t, number);
    if (in_order)
        sockets_stop(t, number);
    if (in_order)
        disk_stop(t, number);
    else
        disk_crash(t, number);
    if (node->is_down_by_fault)
        fault_plan_restart(t, number);
}

/* A process announces what it does to a node. */
PUBLIC_PART void announce(struct trial *t, enum process_verb verb, const struct node *node)
{
    const struct process_request request = {.about = ABOUT_NODE,
                                            .node = (sn_node)(node - t->environment->nodes)};

    if (t->may_act != ACTS_IN_TURN)
        return;
    process_called_from(t, t->process, __builtin_return_address(0));
    process_announce(t, t->process, process_phrase_text(t, verb, node->name), &request);
}

/* The test's own doing, also if a fault had doomed the node before: nobody but the test brings it
 * back. A machine that ends its own node goes on to the end of its step. */
PUBLIC_PART void take_down(sn_node number, bool in_order, const char *function)
{
    struct trial *t = machine_acting_trial(function);
    struct node *node = node_of(t, number, function);

    announce(t, in_order ? VERB_NODE_STOP : VERB_NODE_CRASH, node);

    look_at_state(t, node);
    if (node->is_down)
        return;
    node->is_down_by_fault = false;
    if (number != environment_node_here(t)) {
        environment_take_down(t, number, in_order);
        exits_settle(t);
        return;
    }
    t->environment->now.n_doomed += !node->is_doomed;
    node->is_doomed = true;
    node->stops = in_order;
    node->effects_left = 0;
}

void sn_node_stop(sn_node node)
{
    take_down(node, true, "sn_node_stop");
}

void sn_node_crash(sn_node node)
{
    take_down(node, false, "sn_node_crash");
}

/* In an order that does not depend on which of them was made first, since what is announced first
 * gets the first id. */
static void revive_residents(struct trial *t, sn_node number)
{
    struct ranked *ranked = t->environment->ranked;
    uint32_t n = 0;

    for (uint32_t i = 0; i < t->now.n_own[OWN_RESIDENTS]; i++) {
        const struct resident *r = &t->environment->residents[i];

        if (t->machines->all[r->task].node == number)
            rank_add(t, ranked, &n, (struct ranked){t->tasks[r->creator].id, i});
    }
    rank_sort(ranked, n);
    for (uint32_t i = 0; i < n; i++) {
        const struct resident *r = &t->environment->residents[ranked[i].index];
        struct machine *m = &t->machines->all[r->task];

        trial_touch_task(t, m->task);
        if (process_is(t, m->task))
            process_rebirth(t, process_of(t, m->task), r->creator);
        else
            machine_rebirth(t, m, r->creator, r->payload);
    }
}

void sn_node_restart(sn_node number)
{
    struct trial *t = machine_acting_trial("sn_node_restart");
    struct node *node = node_of(t, number, "sn_node_restart");

    announce(t, VERB_NODE_RESTART, node);
    look_at_state(t, node);
    if (!node->is_down)
        return;
    node->is_down = false;
    t->environment->now.n_down -= node->is_down_by_fault;
    node->is_down_by_fault = false;
    touch_state(t, node);
    trial_record(t, fault, "restart", node->name, NULL);
    revive_residents(t, number);
    sockets_bring_up(t, number);
    connections_bring_up(t, number);
}

/* ---- A crash within a step ------------------------------------------------------------------ */

void environment_effect(struct trial *t)
{
    struct environment *e = t->environment;
    struct node *node = &e->nodes[environment_node_here(t)];

    if (likely(!node->is_doomed || !e->may_escape || node->effects_left == 0))
        return;
    if (--node->effects_left == 0)
        trial_jump(t, &e->escape);
}

/* The last step of a node: it ends at an effect that the strategy chose, or by itself. */
static void perform_last(struct trial *t, struct sn_op *op)
{
    struct environment *e = t->environment;

    if (_setjmp(e->escape) == 0) {
        e->may_escape = true;
        machine_perform(t, op);
    }
    e->may_escape = false;
    t->machines->actor = NULL;
}

static void perform_on_node(struct trial *t, struct sn_op *op)
{
    sn_node number = t->machines->all[op->task].node;
    struct node *node = &t->environment->nodes[number];

    if (likely(!environment_is_used(t) || number == 0)) {
        machine_perform(t, op);
        return;
    }
    t->environment->n_sent = 0;
    if (node->is_doomed)
        perform_last(t, op);
    else
        machine_perform(t, op);
    if (unlikely(network_is_struck(node)))
        network_strike(t, node);
    if (unlikely(node->is_doomed)) {
        t->now.task = t->environment->now.fault_task;
        environment_take_down(t, number, node->stops);
    }
}

bool environment_disk_fails(struct trial *t, sn_node number)
{
    struct node *node = &t->environment->nodes[number];

    if (!environment_is_used(t) || node->disk_errors == 0)
        return false;
    /* One step may have several operations, and each of them can be the one. */
    if (trial_draw(t, "disk error later", 2) != 0)
        return false;
    node->disk_errors--;
    liveness_disturb(t);
    trial_record(t, fault, "disk-error", node->name, NULL);
    return true;
}

/* ---- Clocks --------------------------------------------------------------------------------- */

__extension__ typedef __int128 wide;

static uint64_t clamp(wide value)
{
    if (value < 0)
        return 0;
    return value > (wide)UINT64_MAX ? UINT64_MAX : (uint64_t)value;
}

/* What the clock of a node makes of the time of a machine; can be negative. */
static wide clock_at(const struct node *node, uint64_t now_ns)
{
    return (wide)now_ns + node->offset_ns + (wide)now_ns * node->drift_ppm / 1000000;
}

uint64_t environment_now_ns(const struct trial *t)
{
    const struct node *node = &t->environment->nodes[environment_node_here(t)];
    uint64_t now_ns;

    /* Of those that may not act, what records events is the test itself, and others are monitors.
     */
    if (!t->may_act && (t->machines->actor == NULL || t->machines->actor->task == 0))
        return t->now.time_ns;
    now_ns = machine_time_ns(t, t->now.task);
    if (likely(!environment_is_used(t)))
        return now_ns;
    return clamp(clock_at(node, now_ns));
}

/* Rounded up, and counted from what the clock shows, which is never less than 0: whoever sees a
 * timer fire must not see an earlier time than it was set to. */
uint64_t environment_true_delay_ns(const struct trial *t, uint64_t delay_ns)
{
    const struct node *node = &t->environment->nodes[environment_node_here(t)];
    wide now_ns = clock_at(node, machine_time_ns(t, t->now.task));
    wide left_ns = (wide)clamp(now_ns) - now_ns + delay_ns;
    wide speed = 1000000 + (wide)node->drift_ppm;

    if (delay_ns == 0)
        return 0;
    return clamp((left_ns * 1000000 + speed - 1) / speed);
}

void sn_node_clock(sn_node number, int64_t offset_ns, int32_t drift_ppm)
{
    struct trial *t = machine_acting_trial("sn_node_clock");
    struct node *node = node_of(t, number, "sn_node_clock");

    if (drift_ppm <= -1000000)
        trial_fail(t, "usage", NULL, "sn_node_clock: a clock cannot stand still or run backwards");
    environment_touch(t, number);
    node->offset_ns = offset_ns;
    node->drift_ppm = drift_ppm;
}

uint64_t sn_true_time_ns(void)
{
    struct trial *t = machine_trial("sn_true_time_ns");

    machine_saw_clock(t);
    return t->now.time_ns;
}
