/* fault.c - the fault task: what a test says may go wrong, as operations that a strategy picks.
 *
 * Each fault of a trial's budget becomes an operation from a step on that is drawn when the trial
 * begins, so that faults do not all happen in its first moments; whom it strikes is drawn when it
 * is performed. Its counterpart (a node comes back, the network heals) is an operation that waits
 * for virtual time, as a timer does. SPDX-License-Identifier: MIT
 */
#include "engine/mem.h"
#include "engine/naming.h"
#include "engine/op.h"
#include "substrate/environment.h"
#include "substrate/fingerprint.h"
#include "substrate/liveness.h"
#include "substrate/sockets.h"

#include <stddef.h>
#include <stdio.h>

enum {
    EFFECTS_MAX = 8, /* of a step after which a node can crash */
    PARTS = 8,       /* into which a duration is divided */
    OCTAVE = 8,      /* steps at which a fault can begin between s and 2 s */
};

struct fault {
    struct sn_event event; /* names the operation; first, so that one gives the other */
    size_t budget;         /* offset in struct sn_faults; unused by counterparts */
    void (*strike)(struct trial *t, const void *payload);
};

/* ---- What can happen ------------------------------------------------------------------------ */

/* One of the nodes for which `can` holds; 0: there is none. */
static sn_node draw_node(struct trial *t, const char *label,
                         bool (*can)(struct trial *t, const struct node *node))
{
    uint32_t n = 0;
    uint64_t left;

    for (uint32_t i = 1; i <= environment_n_nodes(t); i++)
        n += can(t, &t->environment->nodes[i]);
    if (n == 0)
        return 0;
    left = environment_draw(t, label, n);
    for (uint32_t i = 1;; i++) {
        if (can(t, &t->environment->nodes[i]) && left-- == 0)
            return i;
    }
}

static bool is_up(struct trial *t, const struct node *node)
{
    (void)t;
    return !node->is_down;
}

static bool can_err(struct trial *t, const struct node *node)
{
    (void)t;
    return !node->is_down && !node->never_crashes;
}

static bool can_crash(struct trial *t, const struct node *node)
{
    const struct environment_now *now = &t->environment->now;
    uint32_t max = t->test->faults->max_down;

    return !node->is_down && !node->is_doomed && !node->never_crashes &&
           (max == 0 || now->n_down + now->n_doomed < max);
}

/* A part of a duration: never nothing, at most all of it. */
static uint64_t draw_duration(struct trial *t, const char *label, uint64_t max)
{
    uint64_t parts = max < PARTS ? max : PARTS;

    return max / parts * (environment_draw(t, label, parts) + 1);
}

/* The node of whose next messages one will be lost, and so on. */
static struct node *strike(struct trial *t, const char *label,
                           bool (*can)(struct trial *t, const struct node *node))
{
    sn_node node = draw_node(t, label, can);

    if (node == 0)
        return NULL;
    environment_touch(t, node);
    return &t->environment->nodes[node];
}

static void drop(struct trial *t, const void *payload)
{
    struct node *node = strike(t, "drop of", is_up);

    (void)payload;
    if (node != NULL)
        node->drops++;
}

static void duplicate(struct trial *t, const void *payload)
{
    struct node *node = strike(t, "duplicate of", is_up);

    (void)payload;
    if (node != NULL)
        node->duplicates++;
}

static void delay(struct trial *t, const void *payload)
{
    uint64_t max = t->test->faults->delay_ns;
    struct node *node = strike(t, "delay of", is_up);

    (void)payload;
    if (node == NULL)
        return;
    node->delays++;
    node->delay_ns = draw_duration(t, "delay", max != 0 ? max : 1000000000);
}

static void disk_error(struct trial *t, const void *payload)
{
    struct node *node = strike(t, "disk error of", can_err);

    (void)payload;
    if (node != NULL)
        node->disk_errors++;
}

static void short_transfer(struct trial *t, const void *payload)
{
    struct node *node = strike(t, "short transfer of", is_up);

    (void)payload;
    if (node != NULL)
        node->short_transfers++;
}

static bool can_be_reset(struct trial *t, const struct node *node)
{
    return !node->is_down && sockets_can_reset(t, (sn_node)(node - t->environment->nodes));
}

static void reset(struct trial *t, const void *payload)
{
    sn_node node = draw_node(t, "reset of", can_be_reset);

    (void)payload;
    trial_touch_all(t); /* which connections there are depends on all steps before */
    if (node != 0)
        sockets_reset_one(t, node);
}

static void crash(struct trial *t, const void *payload)
{
    struct environment *e = t->environment;
    sn_node number = draw_node(t, "crash of", can_crash);
    struct node *node = &e->nodes[number];
    uint64_t effects;

    (void)payload;
    if (number == 0)
        return;
    effects = environment_draw(t, "crash after effects", EFFECTS_MAX + 1);
    node->is_down_by_fault = true;
    if (effects == 0) {
        environment_take_down(t, number, false);
        return;
    }
    environment_touch(t, number);
    e->now.n_doomed++;
    node->is_doomed = true;
    node->stops = false;
    node->effects_left = (uint32_t)effects;
}

static void stop(struct trial *t, const void *payload)
{
    sn_node number = draw_node(t, "stop of", can_crash);

    (void)payload;
    if (number == 0)
        return;
    t->environment->nodes[number].is_down_by_fault = true;
    environment_take_down(t, number, true);
}

/* ---- Counterparts --------------------------------------------------------------------------- */

/* What the test itself has taken down meanwhile stays down. */
static void restart(struct trial *t, const void *payload)
{
    sn_node number = *(const uint32_t *)payload;

    if (t->environment->nodes[number].is_down_by_fault)
        sn_node_restart(number);
}

static void heal(struct trial *t, const void *payload)
{
    if (t->environment->now.cuts == *(const uint32_t *)payload)
        sn_heal();
}

static const struct sn_field node_fields[] = {
    {.name = "node", .type = SN_UINT, .size = sizeof(uint32_t)}, {0}};
static const struct sn_field cut_fields[] = {
    {.name = "cut", .type = SN_UINT, .size = sizeof(uint32_t)}, {0}};

static const struct fault restart_fault = {
    .event = {.name = "restart", .size = sizeof(uint32_t), .fields = node_fields},
    .strike = restart,
};
static const struct fault heal_fault = {
    .event = {.name = "heal", .size = sizeof(uint32_t), .fields = cut_fields},
    .strike = heal,
};

static void plan(struct trial *t, const struct fault *fault, uint32_t argument, uint64_t after_ns)
{
    uint32_t task = t->environment->now.fault_task;
    uint32_t number = machine_announce(t, SN_OP_FAULT, task, &fault->event);
    struct sn_op *op = &t->ops[number];

    op->from = task;
    op->flags = 0;
    machine_saw_clock(t);
    op->deadline = after_ns > UINT64_MAX - t->now.time_ns ? UINT64_MAX : t->now.time_ns + after_ns;
    op_set_payload(t, number, &argument, sizeof(argument));
    (void)timer_start(t, number, t->timers == SN_TIMERS_ANY);
}

void fault_plan_restart(struct trial *t, sn_node node)
{
    uint64_t max = t->test->faults->down_ns;

    if (max > 0)
        plan(t, &restart_fault, node, draw_duration(t, "down for", max));
}

static void partition(struct trial *t, const void *payload)
{
    const struct sn_faults *faults = t->test->faults;
    uint32_t n = environment_n_nodes(t);
    uint64_t side;

    (void)payload;
    if (n < 2 || n > NODES_CUT_MAX)
        return;
    /* Any part of the nodes but the last one: the other side has that. */
    side = environment_draw(t, "cut off", (UINT64_C(1) << (n - 1)) - 1) + 1;
    sn_cut(side);
    if (faults->partition_ns > 0)
        plan(t, &heal_fault, t->environment->now.cuts,
             draw_duration(t, "cut for", faults->partition_ns));
}

/* ---- The budget ----------------------------------------------------------------------------- */

#define FAULT(name_, budget_, strike_)                                                             \
    {                                                                                              \
        .event = {.name = (name_)}, .budget = offsetof(struct sn_faults, budget_),                 \
        .strike = (strike_)                                                                        \
    }

static const struct fault faults[] = {
    FAULT("drop", drops, drop),
    FAULT("duplicate", duplicates, duplicate),
    FAULT("delay", delays, delay),
    FAULT("partition", partitions, partition),
    FAULT("crash", crashes, crash),
    FAULT("stop", stops, stop),
    FAULT("disk error", disk_errors, disk_error),
    FAULT("reset", resets, reset),
    FAULT("short transfer", short_transfers, short_transfer),
};

enum { FAULTS = sizeof(faults) / sizeof(faults[0]) };

/* The senders of the links in which faults wait, beyond those of machines. */
#define FIRST_QUEUE (UINT32_C(1) << 29)

/* The step from which on a fault can happen. Without a horizon it is as likely to lie between s
 * and 2 s for every s up to the limit. */
static uint64_t draw_step(struct trial *t)
{
    uint64_t horizon = t->test->faults->horizon;
    uint64_t octaves = 64 - (uint64_t)__builtin_clzll(t->steps_max);
    uint64_t value;

    if (horizon == 0)
        horizon = octaves * OCTAVE;
    value = trial_draw_unless_systematic(t, "fault from step", horizon);
    if (t->test->faults->horizon != 0 || value < OCTAVE)
        return t->test->faults->horizon != 0 ? value : value / 2;
    return (OCTAVE + value % OCTAVE) * (UINT64_C(1) << (value / OCTAVE)) / OCTAVE;
}

static void add_due(struct trial *t, const struct fault *fault, uint32_t number)
{
    struct due_fault *due = t->environment->due;
    uint32_t i = t->now.n_own[OWN_DUE];
    struct due_fault added = {.what = &fault->event};

    if (i == DUE_FAULTS_MAX)
        trial_fail(t, "limit", NULL, "a trial can have at most %d faults", DUE_FAULTS_MAX);
    added.step = draw_step(t);
    added.id = mix_pair(mix_pair(t->tasks[t->now.task].id, (uint64_t)(fault - faults)), number);
    /* The latest first, so that what is due lies at the end. */
    for (; i > 0 && due[i - 1].step < added.step; i--)
        due[i] = due[i - 1];
    due[i] = added;
    t->now.n_own[OWN_DUE]++;
}

/* Faults of one kind are alike, so they queue: of each kind one is enabled. */
static uint32_t queue_of(struct trial *t, const struct sn_event *what)
{
    uint32_t kind = (uint32_t)((const struct fault *)what - faults);

    return source_link(t, FIRST_QUEUE + kind, t->environment->now.fault_task);
}

/* Offers what is due to the strategy. */
static void offer(struct trial *t)
{
    uint32_t *n = &t->now.n_own[OWN_DUE];
    struct due_fault *due = t->environment->due;
    uint32_t task = t->environment->now.fault_task;

    for (; *n > 0 && due[*n - 1].step <= t->now.steps; --*n) {
        uint32_t number = op_new(t);
        uint32_t queue = queue_of(t, due[*n - 1].what);
        struct sn_op *op = &t->ops[number];

        *op = (struct sn_op){.id = due[*n - 1].id,
                             .task = task,
                             .from = task,
                             .what = due[*n - 1].what,
                             .kind = SN_OP_FAULT};
        t->now.n_faults += t->sources[queue].head == 0;
        source_append(t, queue, number, false);
        if (t->naming != NULL)
            announced_add(t->announced, &(struct announcement){.id = op->id,
                                                               .what = op->what,
                                                               .from = task,
                                                               .task = task,
                                                               .op = number,
                                                               .kind = SN_OP_FAULT});
    }
    t->now.due_at = *n > 0 ? due[*n - 1].step : UINT64_MAX;
}

/* ---- The fault task ------------------------------------------------------------------------- */

static const struct sn_machine fault_machine = {.name = "faults"};

static void begin(struct trial *t)
{
    const struct sn_test *test = t->test;
    uint32_t task;

    if (test->faults == NULL && test->links == SN_FIFO)
        return;
    environment_use(t);
    if (test->faults == NULL)
        return;
    task = trial_task_new(t);
    t->environment->now.fault_task = task;
    t->machines->all[task] =
        (struct machine){.type = &fault_machine, .task = task, .is_started = true};
    t->machines->clocks[task] = 0;
    t->tasks[task].flags = TASK_HALTED; /* nobody can send to it */
    trial_record(t, create, task, &fault_machine);
    trial_created(t, task, fault_machine.name);
}

static void arm(struct trial *t)
{
    if (t->test->faults == NULL)
        return;
    t->now.task = t->environment->now.fault_task;
    for (const struct fault *fault = faults; fault < faults + FAULTS; fault++) {
        uint32_t budget = *(const uint32_t *)((const char *)t->test->faults + fault->budget);

        for (uint32_t i = 0; i < budget; i++)
            add_due(t, fault, i);
    }
    t->now.task = 0;
    offer(t);
}

static void perform(struct trial *t, struct sn_op *op)
{
    const struct fault *fault = (const struct fault *)op->what;

    if (op->deadline == 0)
        t->now.n_faults -= t->sources[op->source].head == 0;
    t->machines->actor = &t->machines->all[op->task];
    t->machines->sender = 0;
    fault->strike(t, op_payload(t, op));
    liveness_disturb(t);
}

static bool is_ready(struct trial *t, const struct sn_op *op)
{
    (void)t;
    (void)op;
    return true;
}

const struct substrate fault_substrate = {.begin = begin,
                                          .arm = arm,
                                          .due = offer,
                                          .perform = perform,
                                          .is_ready = is_ready,
                                          .content = fingerprint_content};
