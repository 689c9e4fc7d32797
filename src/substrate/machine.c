/* machine.c - machines as tasks of the engine: created, sent to, stepped, halted.
 *
 * A pending event is an operation in the link from its sender to its receiver. One step delivers
 * one event and runs its handler to the end. SPDX-License-Identifier: MIT
 */
#include "substrate/machine.h"

#include "engine/here.h"
#include "engine/mem.h"
#include "engine/naming.h"
#include "engine/op.h"
#include "engine/world/heap.h"
#include "substrate/environment.h"
#include "substrate/fingerprint.h"
#include "substrate/post.h"
#include "substrate/process.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

const struct sn_event sn_any = {.name = "any event"};
const struct sn_event sn_halt_event = {.name = "halt"};

static void perform_start(struct trial *t, struct sn_op *op);
static void perform_deliver(struct trial *t, struct sn_op *op);
static void perform_timer(struct trial *t, struct sn_op *op);
static void settle(struct trial *t);
static bool is_ready(struct trial *t, const struct sn_op *op);

static const struct substrate start_substrate = {.perform = perform_start,
                                                 .is_ready = is_ready,
                                                 .gate = gate_of,
                                                 .takes = gate_takes,
                                                 .begin = monitors_begin,
                                                 .settle = settle,
                                                 .state = fingerprint_exact,
                                                 .content = fingerprint_content};
static const struct substrate deliver_substrate = {.perform = perform_deliver,
                                                   .is_ready = is_ready,
                                                   .gate = gate_of,
                                                   .takes = gate_takes,
                                                   .look = fingerprint_machine,
                                                   .content = fingerprint_content};
static const struct substrate timer_substrate = {.perform = perform_timer,
                                                 .is_ready = is_ready,
                                                 .gate = gate_of,
                                                 .takes = gate_takes,
                                                 .look = fingerprint_machine,
                                                 .content = fingerprint_content};

/* ---- Joining a trial ------------------------------------------------------------------------ */

/* A monitor looks at what others do. */
static const char *name_actor(const struct trial *t)
{
    const struct machine *actor = t->machines->actor;

    return actor != NULL && actor->task != 0 ? actor->type->name : "";
}

int machines_join(struct trial *t, struct err *why)
{
    struct machines *all = mem_reserve_shared(sizeof(*all), why);

    t->machines = all;
    t->name_actor = name_actor;
    if (all == NULL)
        return SN_ENOMEM;
    trial_range_add(t, all->all, &t->now.n_tasks, sizeof(*all->all));
    trial_range_add(t, all->clocks, &t->now.n_tasks, sizeof(*all->clocks));
    trial_range_add(t, all->frames, &t->now.n_own[OWN_FRAMES], sizeof(*all->frames));
    trial_range_add(t, all->monitors, &t->now.n_own[OWN_MONITORS], sizeof(*all->monitors));
    trial_range_add(t, all->heat, &t->now.n_own[OWN_MONITORS], sizeof(*all->heat));
    trial_range_add(t, &all->tail, &t->now.n_own[OWN_TAIL], sizeof(all->tail));
    trial_join(t, SN_OP_START, &start_substrate);
    trial_join(t, SN_OP_DELIVER, &deliver_substrate);
    trial_join(t, SN_OP_TIMER, &timer_substrate);
    t->oracles[0] = &machine_oracle;
    return 0;
}

void machines_leave(struct trial *t)
{
    struct machines *all = t->machines;

    if (all == NULL)
        return;
    mem_release(all, sizeof(*all));
    t->machines = NULL;
    t->name_actor = NULL;
}

void machines_forget(struct trial *t)
{
    memset(t->machines->dispatch, 0, sizeof(t->machines->dispatch));
    /* An environment puts itself in between: see environment_use. */
    trial_join(t, SN_OP_START, &start_substrate);
    trial_join(t, SN_OP_DELIVER, &deliver_substrate);
    trial_join(t, SN_OP_TIMER, &timer_substrate);
    t->machines->coverage = (struct coverage){.n = 0};
    if (t->machines->gates.n > 0)
        memset(&t->machines->gates, 0, sizeof(t->machines->gates));
    t->machines->unlisted[0] = '\0';
    t->machines->unjudged[0] = '\0';
    t->machines->matters = MATTERS_UNKNOWN;
    if (t->processes != NULL)
        processes_forget(t);
}

/* ---- Names and misuse ----------------------------------------------------------------------- */

const char *machine_name(struct trial *t, const struct machine *m, char *buffer, size_t size)
{
    uint32_t number = 1;

    if (m->task != 0 && t->recorder != NULL && t->recorder->task_name != NULL)
        return t->recorder->task_name(t, m->task);
    for (uint32_t i = 1; i < m->task; i++)
        number += t->machines->all[i].type == m->type;
    if (number == 1)
        (void)snprintf(buffer, size, "%s", m->type->name);
    else
        (void)snprintf(buffer, size, "%s#%u", m->type->name, number);
    return buffer;
}

struct trial *machine_trial(const char *function)
{
    struct trial *t = trial_here();
    char text[128];
    int n;

    if (likely(t != NULL && t->running))
        return t;
    n = snprintf(text, sizeof(text), "sennit: %s was called outside a trial\n", function);
    (void)!write(STDERR_FILENO, text, (size_t)n);
    abort();
}

void machine_refuse_in_segment(struct trial *t, const char *function)
{
    if (unlikely(t->bail != NULL))
        trial_fail(t, "usage", NULL,
                   "%s is called between sn_events_begin and sn_events_end, where only calls of "
                   "the library may be",
                   function);
}

static __attribute__((cold, noinline)) struct trial *refuse_acting(const char *function)
{
    struct trial *t = machine_trial(function);

    machine_refuse_in_segment(t, function);
    if (t->processes->matching != NULL)
        trial_fail(t, "usage", NULL, "a match function of %s calls %s, but may only look",
                   t->processes->matching->type->name, function);
    if (process_is_in_foreign(t))
        trial_fail(t, "usage", NULL, "code that %s calls by sn_foreign calls %s",
                   t->machines->actor->type->name, function);
    if (t->machines->actor->task != 0)
        trial_fail(t, "usage", NULL, "the fingerprint of %s calls %s, but may only look",
                   t->machines->actor->type->name, function);
    trial_fail(t, "usage", NULL, "monitor %s calls %s, but monitors only receive",
               t->machines->actor->type->name, function);
    return t;
}

/* The running trial, provided that a machine or the test is running: monitors only receive. */
static inline struct trial *acting_trial(const char *function)
{
    struct trial *t = trial_here();

    return likely(t != NULL && t->may_act != ACTS_NOT) ? t : refuse_acting(function);
}

struct trial *machine_acting_trial(const char *function)
{
    return acting_trial(function);
}

void machine_refuse_payload(struct trial *t, const struct sn_event *event, const void *payload,
                            const char *how)
{
    if (event == NULL)
        trial_fail(t, "usage", NULL, "nothing is %s: the event is NULL", how);
    else
        trial_fail(t, "usage", NULL, "%s has %zu bytes of payload but is %s with%s", event->name,
                   event->size, how, payload == NULL ? "out any" : " one");
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static const unsigned char fence[MACHINE_FENCE] = "\xc5 end of self \xc5";

void *machine_self_new(struct trial *t, const struct sn_machine *type)
{
    char *self;

    if (type->size == 0)
        return NULL;
    self = trial_alloc(t, type->size + MACHINE_FENCE);
    memcpy(self + type->size, fence, MACHINE_FENCE);
    return self;
}

static void machine_self_clear(struct machine *m)
{
    if (m->self == NULL)
        return;
    memset(m->self, 0, m->type->size);
    memcpy((char *)m->self + m->type->size, fence, MACHINE_FENCE);
}

bool machine_self_is_whole(const struct machine *m)
{
    return m->self == NULL ||
           memcmp((const char *)m->self + m->type->size, fence, MACHINE_FENCE) == 0;
}

/* ---- Creating ------------------------------------------------------------------------------- */

static void check_type(struct trial *t, const struct sn_machine *type, const void *payload)
{
    if (type == NULL || type->name == NULL || (type->start == NULL) == (type->on_message == NULL))
        trial_fail(t, "usage", NULL,
                   "sn_create needs a type with a name and either a start state or on_message");
    if (payload == NULL && type->birth != NULL && type->birth->size > 0)
        trial_fail(t, "usage", NULL, "%s is created without the payload of its birth event %s",
                   type->name, type->birth->name);
    if (payload != NULL && type->birth == NULL)
        trial_fail(t, "usage", NULL, "%s is created with a payload but its type has no birth event",
                   type->name);
}

/* Announces the first step of a machine, which is gated until then. */
static void announce_start(struct trial *t, struct machine *m, uint32_t creator,
                           const void *payload)
{
    const struct sn_event *birth = m->type->birth;
    uint32_t number = machine_announce(t, SN_OP_START, m->task, birth);

    t->ops[number].from = creator;
    op_set_payload(t, number, payload, payload != NULL ? birth->size : 0);
    source_append(t, source_link(t, creator, m->task), number, true);
}

uint32_t machine_new(struct trial *t, uint32_t node, const struct sn_machine *type,
                     const void *payload)
{
    struct machine *m;
    uint32_t task;

    check_type(t, type, payload);
    task = trial_task_new(t);
    t->tasks[task].flags = TASK_GATED;
    if (environment_is_used(t))
        t->tasks[task].flags |= TASK_ROUTED;
    m = &t->machines->all[task];
    *m = (struct machine){.type = type, .task = task, .node = node};
    t->machines->clocks[task] = 0;
    m->self = machine_self_new(t, type);
    trial_record(t, create, task, type);
    trial_created(t, task, type->name);
    announce_start(t, m, t->now.task, payload);
    return task;
}

sn_id sn_create(const struct sn_machine *type, const void *payload)
{
    struct trial *t = acting_trial("sn_create");

    return machine_new(t, environment_node_here(t), type, payload);
}

void machine_rebirth(struct trial *t, struct machine *m, uint32_t creator, const void *payload)
{
    void *self = m->self;

    *m = (struct machine){
        .type = m->type, .task = m->task, .node = m->node, .self = self, .inbox = m->inbox};
    machine_self_clear(m);
    t->tasks[m->task].flags = TASK_GATED | TASK_ROUTED;
    announce_start(t, m, creator, payload);
}

void sn_set_name(sn_id machine, const char *format, ...)
{
    struct trial *t = machine_trial("sn_set_name");
    char name[128];
    va_list args;

    if (machine == 0 || machine >= t->now.n_tasks)
        trial_fail(t, "usage", NULL, "sn_set_name: there is no machine %u", machine);
    if (t->recorder == NULL && t->naming == NULL)
        return;
    va_start(args, format);
    (void)vsnprintf(name, sizeof(name), format, args);
    va_end(args);
    trial_record(t, name, machine, name);
    if (t->naming != NULL)
        naming_name(t, machine, name);
}

const char *sn_name(sn_id machine)
{
    struct trial *t = machine_trial("sn_name");
    struct machines *all = t->machines;
    char *buffer = all->names[all->next_name++ % 4];

    if (machine == SN_NOBODY || machine >= t->now.n_tasks)
        (void)snprintf(buffer, sizeof(all->names[0]), "nobody");
    else
        return machine_name(t, &all->all[machine], buffer, sizeof(all->names[0]));
    return buffer;
}

sn_id sn_self(void)
{
    return machine_trial("sn_self")->now.task;
}

sn_id sn_sender(void)
{
    return machine_trial("sn_sender")->machines->sender;
}

/* ---- Sending -------------------------------------------------------------------------------- */

static __attribute__((cold, noinline)) void send_refused(struct trial *t, sn_id to,
                                                         const struct sn_event *event)
{
    bool would_wait;
    uint64_t id;

    if (to == SN_NOBODY)
        trial_fail(t, "usage", NULL,
                   "%s is sent to SN_NOBODY (sn_sender() is nobody for what the test itself sent)",
                   event != NULL ? event->name : "bytes");
    if (to >= t->now.n_tasks)
        trial_fail(t, "usage", NULL, "%s is sent to machine %u, which does not exist",
                   event != NULL ? event->name : "bytes", to);
    /* What this step announces next has the same id whether or not the receiver had halted. */
    id = op_child_id(t);
    would_wait = network_refuse(t, to);
    if (t->touches != NULL && would_wait)
        touches_add_stillborn(t->touches,
                              &(struct stillborn){.id = id,
                                                  .task = t->tasks[to].id,
                                                  .what = event,
                                                  .from = t->now.task,
                                                  .to = to,
                                                  .cause = (uint32_t)t->now.steps,
                                                  .number = t->now.children,
                                                  .queue = network_queue(t, t->now.task, to)});
    if (t->announced != NULL)
        announced_add(t->announced,
                      &(struct announcement){.id = id,
                                             .what = event,
                                             .from = t->now.task,
                                             .task = to,
                                             .kind = SN_OP_DELIVER,
                                             .is_ordered = network_keeps_order(t, to)});
    t->now.children |= TRIAL_HAS_SENT;
    trial_record(t, event, "dropped", event, to, NULL);
}

/* With its arguments in registers, so that the short way has nothing to prepare for it. */
static __attribute__((noinline)) void send_slowly(struct trial *t, sn_id to,
                                                  const struct sn_event *event, const void *payload,
                                                  size_t size)
{
    if (to != 0 && to < t->now.n_tasks && process_is(t, to))
        mailbox_send(t, to, event, payload, size);
    else if (to == 0 || to >= t->now.n_tasks || (t->tasks[to].flags & TASK_HALTED) != 0)
        send_refused(t, to, event);
    else
        network_send(t, &(struct message){to, event, payload, size});
    if (environment_is_used(t))
        environment_effect(t);
}

static inline __attribute__((always_inline)) void
send_to(struct trial *t, sn_id to, const struct sn_event *event, const void *payload, size_t size)
{
    uint32_t flags = to < t->now.n_tasks ? t->tasks[to].flags : 0;
    uint32_t number;

    if (unlikely(to == 0 || to >= t->now.n_tasks ||
                 (flags & (TASK_HALTED | TASK_ROUTED | TASK_PROCESS)) != 0)) {
        send_slowly(t, to, event, payload, size);
        return;
    }
    number = machine_announce(t, SN_OP_DELIVER, to, event);
    op_set_payload(t, number, payload, size);
    source_append(t, source_link(t, t->now.task, to), number, (flags & TASK_GATED) != 0);
    trial_record(t, send, &t->ops[number], op_payload(t, &t->ops[number]));
}

void sn_send(sn_id to, const struct sn_event *event, const void *payload)
{
    struct trial *t = trial_here();

    /* A process announces what it sends; a machine sends at once. */
    if (unlikely(t == NULL || t->may_act != ACTS_AT_ONCE)) {
        mailbox_speak_from(to, event, payload, __builtin_return_address(0));
        return;
    }
    machine_check_payload(t, event, payload, "sent");
    send_to(t, to, event, payload, event->size);
}

void machine_send(struct trial *t, sn_id to, const struct sn_event *event, const void *payload,
                  size_t size)
{
    send_to(t, to, event, payload, size);
}

void sn_send_bytes(sn_id to, const void *bytes, size_t n)
{
    struct trial *t = acting_trial("sn_send_bytes");

    if (n > UINT32_MAX)
        trial_fail(t, "limit", NULL, "a message of %zu bytes is too large", n);
    if (unlikely(t->may_act == ACTS_IN_TURN)) {
        process_called_from(t, t->process, __builtin_return_address(0));
        mailbox_speak(t, to, NULL, bytes, n);
    } else {
        send_to(t, to, NULL, bytes, n);
    }
}

/* ---- Steps ---------------------------------------------------------------------------------- */

static bool is_ready(struct trial *t, const struct sn_op *op)
{
    const struct machine *m = &t->machines->all[op->task];
    const struct sn_on *on;
    uint32_t depth;

    if (!m->is_started)
        return op->kind == SN_OP_START;
    if (network_holds_for(t, op->task) && network_is_cut(t, op))
        return false;
    if (m->state == NULL || op->what == NULL)
        return true;
    on = state_find(t, m, op->what, &depth);
    return on == NULL || !on->defer;
}

void machine_update_gate(struct trial *t, struct machine *m)
{
    struct task *task = &t->tasks[m->task];
    bool was_gated = (task->flags & TASK_GATED) != 0;
    bool is_gated =
        !m->is_started || state_has_defers(t, m) || (m->node != 0 && network_holds_for(t, m->task));

    if (m->is_halted || (!was_gated && !is_gated))
        return;
    task->flags = is_gated ? task->flags | TASK_GATED : task->flags & ~(uint32_t)TASK_GATED;
    source_recheck_task(t, m->task);
}

void machine_halt(struct trial *t, struct machine *m)
{
    trial_record(t, state, m->state != NULL ? m->state->name : NULL, NULL, "halt");
    m->is_halted = true;
    if (m->task == 0)
        return;
    t->tasks[m->task].flags = TASK_HALTED;
    source_drop_task(t, m->task);
}

static inline struct machine *begin_step(struct trial *t, const struct sn_op *op)
{
    struct machines *all = t->machines;
    struct machine *m = &all->all[op->task];

    __asm__("" : "+r"(m)); /* one address for all its members, not one computed for each */
    all->actor = m;
    all->sender = op->from;
    return m;
}

/* A plain node's only request is to halt. */
static inline void end_plain(struct trial *t, struct machine *m)
{
    if (unlikely(m->request == REQUEST_HALT)) {
        m->request = REQUEST_NONE;
        machine_halt(t, m);
    }
}

static STACK_CALLS void perform_start(struct trial *t, struct sn_op *op)
{
    struct machine *m = begin_step(t, op);

    if (unlikely(process_is(t, op->task))) {
        process_start(t, op);
        return;
    }
    m->is_started = true;
    if (m->type->start != NULL) {
        state_start(t, m, op_payload(t, op));
    } else {
        if (m->type->on_start != NULL)
            m->type->on_start(m->self, op_payload(t, op));
        end_plain(t, m);
    }
    machine_update_gate(t, m);
}

/* The source in which the first step of a machine waits; 0: none does. */
static uint32_t find_start(const struct trial *t, uint32_t task)
{
    uint32_t source = t->tasks[task].first_source;

    while (source != 0 &&
           (t->sources[source].ready == 0 || t->ops[t->sources[source].ready].kind != SN_OP_START))
        source = t->sources[source].next_of_task;
    return source;
}

/* Takes the first steps in the set-up, if the test wants them there. What they announce is
 * announced by the set-up, after what the test itself has. */
static void settle(struct trial *t)
{
    if (!t->test->starts_first)
        return;
    for (uint32_t task = 1; task < t->now.n_tasks; task++) {
        uint32_t source = find_start(t, task);
        uint32_t number = source != 0 ? source_take(t, source) : 0;

        if (number == 0)
            continue;
        t->now.task = task;
        heap_enter(task);
        t->perform[SN_OP_START](t, &t->ops[number]);
        op_free(t, number);
    }
    t->now.task = 0;
    heap_enter(0);
    t->machines->actor = NULL;
    t->machines->sender = 0;
}

static STACK_CALLS void deliver_plain(struct trial *t, struct machine *m, struct sn_op *op)
{
    if (op->what == &sn_halt_event) {
        machine_halt(t, m);
        return;
    }
    if (unlikely(op->what == &sn_posted))
        posts_offer(t);
    m->type->on_message(m->self, op->from, op_payload(t, op), op->size);
    if (unlikely(op->what == &sn_posted))
        posts_check_taken(t, op_payload(t, op));
    end_plain(t, m);
}

static __attribute__((cold, noinline)) void refuse_bytes(struct trial *t, struct machine *m)
{
    char name[128];

    trial_fail(t, "unhandled", NULL, "%s is a state machine but was sent bytes without an event",
               machine_name(t, m, name, sizeof(name)));
}

static __attribute__((noinline)) void deliver_slowly(struct trial *t, struct machine *m,
                                                     struct sn_op *op)
{
    if (m->state == NULL) {
        deliver_plain(t, m, op);
        return;
    }
    if (op->what == NULL)
        refuse_bytes(t, m);
    state_handle(t, m, op->what, op_payload(t, op));
    machine_update_gate(t, m);
}

/* Does what the handler asked for. It finds everything anew, so that the usual case, in which
 * nothing was asked for, need keep nothing across the call of the handler. */
static __attribute__((noinline)) void deliver_requests(struct machine *m)
{
    struct trial *t = trial_here();

    state_requests(t, m, op_payload(t, t->machines->delivering));
    machine_update_gate(t, m);
}

static STACK_CALLS void perform_deliver(struct trial *t, struct sn_op *op)
{
    struct machine *m = begin_step(t, op);
    const struct machine_dispatch *cached = state_cached(t, m->state, op->what);

    /* The common case, an entry of the top state that only runs, without any detour. */
    if (unlikely(cached->state != m->state || cached->event != op->what || cached->run == NULL)) {
        deliver_slowly(t, m, op);
        return;
    }
    t->machines->delivering = op;
    cached->run(m->self, op_payload(t, op));
    if (unlikely(m->request != REQUEST_NONE))
        deliver_requests(m);
}

static STACK_CALLS void perform_timer(struct trial *t, struct sn_op *op)
{
    const uint64_t *tag = op_payload(t, op);

    if (op->deadline > machine_time_ns(t, op->task)) {
        t->machines->clocks[op->task] = op->deadline;
        trial_reach(t, op->deadline);
    }
    if (op->what != NULL) {
        perform_deliver(t, op);
        return;
    }
    begin_step(t, op);
    t->machines->actor->type->on_timer(t->machines->actor->self, *tag);
    end_plain(t, t->machines->actor);
}

void machine_perform(struct trial *t, struct sn_op *op)
{
    if (op->kind == SN_OP_DELIVER)
        perform_deliver(t, op);
    else if (op->kind == SN_OP_TIMER)
        perform_timer(t, op);
    else if (op->kind == SN_OP_PROCESS)
        process_perform(t, op);
    else
        perform_start(t, op);
}
