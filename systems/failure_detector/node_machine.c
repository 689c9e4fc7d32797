/* node_machine.c - the machine around the detector and the group of one node.
 *
 * The detector's opinion goes to the group. Monitors are told of rounds, answers, suspicions, and
 * of all that the node believes. Rounds follow each other for ever: a trial ends at its limit.
 *
 * SPDX-License-Identifier: MIT
 */
#include "detector.h"
#include "group.h"
#include "incarnation.h"
#include "machines.h"

#include <string.h>

enum {
    PAUSE_MS = 1000,
    TIMEOUT_MS = 400,
    MISSES_LIMIT = 3,
    SLOW_MS = 500, /* longer than the first timeout: the detector must adapt */
    BOOT_MS = 100,
};

static const uint64_t ns_per_ms = 1000000;
static const char *const incarnation_file = "incarnation";

struct machine {
    struct node_birth birth;
    uint32_t incarnation;
    struct fd_detector detector;
    struct group group;
    sn_timer timers[2]; /* by enum fd_timer */
    uint64_t round_began_ns;
    uint32_t round_timeout_ms;
    bool is_written_back; /* what the disk was given when the node started */
    uint32_t round;       /* told to the monitors */
    struct view view;     /* the same */
};

static const struct sn_state running;

/* ---- The world of the component ------------------------------------------------------------- */

static int64_t disk_read(void *self, void *bytes, size_t n)
{
    int64_t rc = sn_disk_read(incarnation_file, 0, bytes, n);

    (void)self;
    return rc == SN_ENOTFOUND ? 0 : rc;
}

static int disk_write(void *self, const void *bytes, size_t n)
{
    (void)self;
    return sn_disk_write(incarnation_file, 0, bytes, n);
}

static int disk_sync(void *self)
{
    (void)self;
    return sn_disk_sync(incarnation_file);
}

static const struct fd_disk disk = {.read = disk_read, .write = disk_write, .sync = disk_sync};

static void io_send(void *self, uint32_t to, const struct fd_message *message)
{
    const struct machine *machine = self;

    sn_send(machine->birth.cluster->nodes[to], &message_event, message);
}

static void io_start_timer(void *self, enum fd_timer timer, uint32_t delay_ms)
{
    struct machine *machine = self;
    const struct sn_event *event = timer == FD_TIMER_PAUSE ? &pause_event : &answers_event;
    struct notice notice = {.node = (uint32_t)machine->birth.node};

    machine->timers[timer] = sn_timer_start(event, delay_ms * ns_per_ms, NULL);
    if (timer == FD_TIMER_ANSWERS) {
        machine->round_began_ns = sn_now_ns();
        machine->round_timeout_ms = delay_ms;
        sn_note("a round begins, with a timeout of %u ms", delay_ms);
        sn_monitor(&evidence_monitor, &round_event, &notice);
    }
}

static void io_cancel_timer(void *self, enum fd_timer timer)
{
    const struct machine *machine = self;

    (void)sn_timer_cancel(machine->timers[timer]);
}

static void io_trust(void *self, uint32_t node, uint32_t incarnation)
{
    struct machine *machine = self;

    group_on_trust(&machine->group, node, incarnation);
}

static void io_suspect(void *self, uint32_t node)
{
    struct machine *machine = self;
    struct suspicion suspicion = {
        .node = (uint32_t)machine->birth.node,
        .peer = node,
        .waited_ms = (uint32_t)((sn_now_ns() - machine->round_began_ns) / ns_per_ms),
        .timeout_ms = machine->round_timeout_ms,
    };

    sn_note("suspects node %u, %u ms after the round began", node, suspicion.waited_ms);
    sn_monitor(&evidence_monitor, &suspicion_event, &suspicion);
    group_on_suspect(&machine->group, node);
}

static const struct fd_io detector_io = {
    .send = io_send,
    .start_timer = io_start_timer,
    .cancel_timer = io_cancel_timer,
    .trust = io_trust,
    .suspect = io_suspect,
};

static const struct group_io group_io = {.send = io_send};

/* ---- What monitors are told ----------------------------------------------------------------- */

/* At each round, and whenever something has changed. */
static void tell_view(struct machine *machine)
{
    const struct group *group = &machine->group;
    struct view view = {
        .node = (uint32_t)machine->birth.node,
        .incarnation = machine->incarnation,
        .leader = group->leader,
        .joined = group->joined_incarnation,
    };

    memcpy(view.alive, group->alive, sizeof(view.alive));
    memcpy(view.members, group->members, sizeof(view.members));
    if (machine->round == machine->detector.round &&
        memcmp(&view, &machine->view, sizeof(view)) == 0)
        return;
    machine->round = machine->detector.round;
    machine->view = view;
    sn_monitor(&settled_monitor, &view_event, &view);
}

static void tell_born(const struct machine *machine)
{
    struct notice notice = {.node = (uint32_t)machine->birth.node};

    sn_monitor(&evidence_monitor, &born_event, &notice);
    sn_monitor(&settled_monitor, &born_event, &notice);
}

/* ---- The machine ---------------------------------------------------------------------------- */

static void boot(struct machine *machine)
{
    uint32_t node = (uint32_t)machine->birth.node;
    struct incarnation_config incarnation = {.skip_sync = bug_lost_incarnation};

    if (incarnation_next(&incarnation, &disk, machine, &machine->incarnation) < 0) {
        sn_timer_start(&boot_event, BOOT_MS * ns_per_ms, NULL);
        return;
    }

    struct fd_config detector = {
        .node = node,
        .node_count = NODES,
        .incarnation = machine->incarnation,
        .pause_ms = PAUSE_MS,
        .timeout_ms = TIMEOUT_MS,
        .misses_limit = MISSES_LIMIT,
        .accept_late_answers = bug_late_answer,
        .keep_timer = bug_kept_timer,
    };
    struct group_config group = {
        .node = node,
        .node_count = NODES,
        .incarnation = machine->incarnation,
        .drop_suspected_members = bug_dropped_member,
    };

    group_init(&machine->group, &group, &group_io, machine);
    fd_init(&machine->detector, &detector, &detector_io, machine);
    tell_view(machine);
    sn_goto(&running);
}

static void start(void *self, const void *payload)
{
    struct machine *machine = self;

    machine->birth = *(const struct node_birth *)payload;
    tell_born(machine);
    boot(machine);
}

static void on_boot(void *self, const void *payload)
{
    (void)payload;
    boot(self);
}

static void handle(struct machine *machine, const struct fd_message *message)
{
    uint32_t round = machine->detector.round;
    bool had_answered = machine->detector.peers[message->from].has_answered;
    struct notice notice = {.node = (uint32_t)machine->birth.node, .peer = message->from};

    fd_on_message(&machine->detector, message);
    if (machine->detector.round == round && !had_answered &&
        machine->detector.peers[message->from].has_answered)
        sn_monitor(&evidence_monitor, &answer_event, &notice);
    group_on_message(&machine->group, message);
    tell_view(machine);
}

/* A slow node takes its time for pings. */
static void on_message(void *self, const void *payload)
{
    struct machine *machine = self;
    const struct fd_message *message = payload;

    if (message->kind == FD_PING && machine->birth.cluster->slow_node == machine->birth.node)
        sn_timer_start(&slow_event, SLOW_MS * ns_per_ms, message);
    else
        handle(machine, message);
}

static void on_slow(void *self, const void *payload)
{
    handle(self, payload);
}

/* An operating system writes back what was not synced, in its own time: here, after a round. */
static void write_back(struct machine *machine)
{
    if (!machine->is_written_back)
        machine->is_written_back = sn_disk_sync(incarnation_file) == 0;
}

static void on_pause(void *self, const void *payload)
{
    struct machine *machine = self;

    (void)payload;
    write_back(machine);
    fd_on_timer(&machine->detector, FD_TIMER_PAUSE);
    group_on_tick(&machine->group);
    tell_view(machine);
}

static void on_answers(void *self, const void *payload)
{
    struct machine *machine = self;

    (void)payload;
    fd_on_timer(&machine->detector, FD_TIMER_ANSWERS);
    tell_view(machine);
}

static const struct sn_on booting_on[] = {
    {.event = &boot_event, .run = on_boot},
    {.event = &message_event, .ignore = true},
    {0},
};

static const struct sn_on running_on[] = {
    {.event = &message_event, .run = on_message},
    {.event = &slow_event, .run = on_slow},
    {.event = &pause_event, .run = on_pause},
    {.event = &answers_event, .run = on_answers},
    {0},
};

static const struct sn_state booting = {.name = "Booting", .entry = start, .on = booting_on};
static const struct sn_state running = {.name = "Running", .on = running_on};

/* The cluster is a pointer, and says nothing to a reader. */
static const struct sn_field birth_fields[] = {
    SN_FIELD(struct node_birth, node, SN_UINT),
    {0},
};

static const struct sn_event birth_event = {
    .name = "NodeBirth",
    .size = sizeof(struct node_birth),
    .fields = birth_fields,
};

const struct sn_machine node_machine = {
    .name = "Node",
    .size = sizeof(struct machine),
    .start = &booting,
    .birth = &birth_event,
};
