/* mnesia_2.c - a table's copy is deleted from a node that is being started again (mnesia of OTP).
 *
 * Node A deletes the copy on node B in a transaction that commits in three phases: B votes; B notes
 * on its disk that it is ready; B hears that it is committed, notes that, deletes the copy and says
 * so. A waits for that, or for the news that B is down, which counts as much: B has what it needs
 * on its disk, and finishes when it starts again.
 *
 * A has a coordinator, a monitor, which knows whether B is up, and a log of decisions. B has a
 * transaction manager, which starts a participant for a transaction, and a disk, which outlives it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "bugs.h"
#include "noise.h"
#include "outcome_log.h"
#include "tests.h"

#include <sennit/sennit.h>

enum {
    NOISE_POINTS = 8,
};

struct nodes {
    sn_id monitor;
    sn_id decisions;
    sn_id disk;
    sn_id manager; /* of B, in its first life */
    sn_id parent;
};

struct coordinator {
    sn_id id;
    sn_id disk;
};

/* To the disk, and to the log of decisions. */
struct entry {
    uint32_t outcome; /* enum outcome */
    uint32_t is_applied;
};

/* Of the disk: what it has. Of the log of decisions: what was decided. */
struct state {
    uint32_t outcome;
    uint32_t has_copy;
};

struct manager {
    sn_id manager; /* SN_NOBODY: B is down */
};

struct report {
    uint32_t is_ok;
};

static const char *const outcomes[] = {"none", "unclear", "committed", "aborted", NULL};

static const struct sn_field nodes_fields[] = {
    SN_FIELD(struct nodes, manager, SN_MACHINE),
    {0},
};

static const struct sn_field coordinator_fields[] = {
    SN_FIELD(struct coordinator, id, SN_MACHINE),
    {0},
};

static const struct sn_field entry_fields[] = {
    SN_FIELD_ENUM(struct entry, outcome, outcomes),
    SN_FIELD(struct entry, is_applied, SN_BOOL),
    {0},
};

static const struct sn_field state_fields[] = {
    SN_FIELD_ENUM(struct state, outcome, outcomes),
    SN_FIELD(struct state, has_copy, SN_BOOL),
    {0},
};

static const struct sn_field manager_fields[] = {
    SN_FIELD(struct manager, manager, SN_MACHINE),
    {0},
};

static const struct sn_field report_fields[] = {
    SN_FIELD(struct report, is_ok, SN_BOOL),
    {0},
};

#define EVENT_OF(name_, type_, fields_)                                                            \
    {                                                                                              \
        .name = name_, .size = sizeof(type_), .fields = fields_                                    \
    }

static const struct sn_event birth_event = EVENT_OF("Birth", struct nodes, nodes_fields);
static const struct sn_event part_event = EVENT_OF("Birth", struct coordinator, coordinator_fields);
static const struct sn_event write_event = EVENT_OF("Write", struct entry, entry_fields);
static const struct sn_event state_event = EVENT_OF("State", struct state, state_fields);
static const struct sn_event what_event = {.name = "WhatDecision"};
static const struct sn_event begin_event = {.name = "Begin"};
static const struct sn_event begun_event = EVENT_OF("Begun", struct manager, manager_fields);
static const struct sn_event connect_event = {.name = "Connect"};
static const struct sn_event connected_event = {.name = "Connected"};
static const struct sn_event down_event = {.name = "MnesiaDown"};
static const struct sn_event ask_event = {.name = "AskCommit"};
static const struct sn_event vote_event = {.name = "VoteYes"};
static const struct sn_event pre_commit_event = {.name = "PreCommit"};
static const struct sn_event accepted_event = {.name = "AccPreCommit"};
static const struct sn_event committed_event = {.name = "Committed"};
static const struct sn_event aborted_event = {.name = "DoAbort"};
static const struct sn_event done_event = {.name = "SchemaCommit"};
static const struct sn_event report_event = EVENT_OF("Report", struct report, report_fields);
static const struct sn_event started_event = {.name = "Started"};

/* Asks the disk or the log of decisions, neither of which ever ends. */
static struct state ask(sn_id whom, const struct sn_event *event, const void *payload)
{
    return *(const struct state *)sn_call(whom, event, payload, SN_FOREVER, NULL)->payload;
}

static struct state note(sn_id whom, enum outcome outcome)
{
    struct entry entry = {.outcome = outcome};

    return ask(whom, &write_event, &entry);
}

static struct state apply(sn_id disk)
{
    struct entry entry = {.is_applied = true};

    return ask(disk, &write_event, &entry);
}

/* ---- Node B --------------------------------------------------------------------------------- */

static void keep_disk(const void *payload)
{
    struct outcome_log log;

    (void)payload;
    outcome_log_init(&log);
    for (;;) {
        const struct sn_message *m = sn_receive_event(&write_event, SN_FOREVER);
        const struct entry *entry = m->payload;
        struct state state;

        outcome_log_note(&log, entry->outcome);
        if (entry->is_applied)
            outcome_log_apply(&log);
        state = (struct state){.outcome = log.outcome, .has_copy = log.has_copy};
        sn_answer(m->from, m->call, &state_event, &state);
    }
}

static void take_part(const void *payload)
{
    struct coordinator coordinator = *(const struct coordinator *)payload;
    struct noise noise;

    noise_open(&noise, NOISE_POINTS);
    noise_pass(&noise);
    sn_send(coordinator.id, &vote_event, NULL);
    if (sn_receive(NULL, NULL, SN_FOREVER)->event == &aborted_event)
        return;
    noise_pass(&noise);
    (void)note(coordinator.disk, OUTCOME_UNCLEAR);
    sn_send(coordinator.id, &accepted_event, NULL);
    if (sn_receive(NULL, NULL, SN_FOREVER)->event == &aborted_event) {
        (void)note(coordinator.disk, OUTCOME_ABORTED);
        return;
    }
    noise_pass(&noise);
    (void)note(coordinator.disk, OUTCOME_COMMITTED);
    (void)apply(coordinator.disk);
    sn_send(coordinator.id, &done_event, NULL);
}

static const struct sn_process participant_process = {
    .name = "Participant",
    .run = take_part,
    .birth = &part_event,
};

/* Finishes what an earlier life has left. Whoever was ready to commit does not know what was
 * decided, and has to ask: the coordinator need not have heard that it ended. */
static void recover(const struct nodes *nodes)
{
    struct state state = note(nodes->disk, OUTCOME_NONE);

    if (state.outcome == OUTCOME_UNCLEAR) {
        if (bug_mnesia_2)
            state.outcome = OUTCOME_ABORTED;
        else
            state = ask(nodes->decisions, &what_event, NULL);
        sn_note("B missed what was decided: %s", outcomes[state.outcome]);
        (void)note(nodes->disk, state.outcome);
    }
    state = apply(nodes->disk);
    sn_note("B starts %s its copy", state.has_copy ? "with" : "without");
}

static void manage(const void *payload)
{
    struct nodes nodes = *(const struct nodes *)payload;
    struct noise noise;

    noise_open(&noise, NOISE_POINTS);
    noise_pass(&noise);
    recover(&nodes);
    noise_pass(&noise);
    (void)sn_call(nodes.monitor, &connect_event, NULL, SN_FOREVER, NULL);
    sn_send(nodes.parent, &started_event, NULL);
    for (;;) {
        const struct sn_message *m = sn_receive_event(&ask_event, SN_FOREVER);
        struct coordinator coordinator = {.id = m->from, .disk = nodes.disk};

        (void)sn_spawn_link(&participant_process, &coordinator);
    }
}

static const struct sn_process manager_process = {
    .name = "Manager",
    .run = manage,
    .birth = &birth_event,
    .may_wait = true,
};

static void restart(const void *payload)
{
    struct nodes nodes = *(const struct nodes *)payload;
    struct noise noise;

    noise_open(&noise, NOISE_POINTS);
    noise_pass(&noise);
    (void)sn_monitor_process(nodes.manager);
    sn_kill(nodes.manager, SN_SHUTDOWN);
    (void)sn_receive_event(&sn_down, SN_FOREVER);
    noise_pass(&noise);
    (void)sn_spawn(&manager_process, &nodes);
}

/* ---- Node A --------------------------------------------------------------------------------- */

static void monitor(const void *payload)
{
    struct manager b = {.manager = SN_NOBODY};
    sn_id coordinator = SN_NOBODY;

    (void)payload;
    for (;;) {
        const struct sn_message *m = sn_receive(NULL, NULL, SN_FOREVER);
        sn_id from = m->from;
        sn_ref call = m->call;

        if (m->event == &connect_event) {
            b.manager = from;
            (void)sn_monitor_process(from);
            sn_answer(from, call, &connected_event, NULL);
        } else if (m->event == &begin_event) {
            coordinator = from;
            sn_answer(from, call, &begun_event, &b);
        } else {
            b.manager = SN_NOBODY;
            if (coordinator != SN_NOBODY)
                sn_send(coordinator, &down_event, NULL);
        }
    }
}

/* Who asks is answered when there is a decision. */
static void keep_decisions(const void *payload)
{
    struct state state = {.outcome = OUTCOME_NONE};
    sn_id asking = SN_NOBODY;
    sn_ref asking_call = 0;

    (void)payload;
    for (;;) {
        const struct sn_message *m = sn_receive(NULL, NULL, SN_FOREVER);

        if (m->event == &what_event) {
            asking = m->from;
            asking_call = m->call;
        } else {
            state.outcome = ((const struct entry *)m->payload)->outcome;
            sn_answer(m->from, m->call, &state_event, &state);
        }
        if (asking != SN_NOBODY && state.outcome >= OUTCOME_COMMITTED) {
            sn_answer(asking, asking_call, &state_event, &state);
            asking = SN_NOBODY;
        }
    }
}

/* Waits for the participant, and puts it into *participant. False: its node is down. */
static bool hear(sn_id *participant)
{
    const struct sn_message *m = sn_receive(NULL, NULL, SN_FOREVER);

    if (m->event == &down_event)
        return false;
    *participant = m->from;
    return true;
}

/* Whether the copy was deleted; otherwise it was not possible to. */
static bool delete_copy(const struct nodes *nodes, struct noise *noise)
{
    const struct sn_message *m = sn_call(nodes->monitor, &begin_event, NULL, SN_FOREVER, NULL);
    sn_id manager = ((const struct manager *)m->payload)->manager;
    sn_id participant;

    if (manager == SN_NOBODY)
        return false;
    noise_pass(noise);
    sn_send(manager, &ask_event, NULL);
    if (!hear(&participant))
        return false;
    noise_pass(noise);
    (void)note(nodes->decisions, OUTCOME_UNCLEAR);
    sn_send(participant, &pre_commit_event, NULL);
    if (!hear(&participant)) {
        (void)note(nodes->decisions, OUTCOME_ABORTED);
        sn_send(participant, &aborted_event, NULL);
        return false;
    }
    noise_pass(noise);
    sn_send(participant, &committed_event, NULL);
    (void)note(nodes->decisions, OUTCOME_COMMITTED);
    if (!hear(&participant))
        sn_note("B is down, which is as good as an answer");
    return true;
}

static void coordinate(const void *payload)
{
    struct nodes nodes = *(const struct nodes *)payload;
    struct noise noise;
    struct report report;

    noise_open(&noise, NOISE_POINTS);
    noise_pass(&noise);
    report.is_ok = delete_copy(&nodes, &noise);
    sn_send(nodes.parent, &report_event, &report);
}

/* ---- The test ------------------------------------------------------------------------------- */

static const struct sn_process disk_process = {
    .name = "Disk",
    .run = keep_disk,
    .may_wait = true,
};

static const struct sn_process restarter_process = {
    .name = "Restarter",
    .run = restart,
    .birth = &birth_event,
};

static const struct sn_process monitor_process = {
    .name = "Monitor",
    .run = monitor,
    .may_wait = true,
};

static const struct sn_process decisions_process = {
    .name = "Decisions",
    .run = keep_decisions,
    .may_wait = true,
};

static const struct sn_process coordinator_process = {
    .name = "Coordinator",
    .run = coordinate,
    .birth = &birth_event,
};

static void test(const void *payload)
{
    struct nodes nodes = {.parent = sn_self()};
    struct report report;
    bool has_copy;

    (void)payload;
    noise_before();
    nodes.monitor = sn_spawn(&monitor_process, NULL);
    nodes.decisions = sn_spawn(&decisions_process, NULL);
    nodes.disk = sn_spawn(&disk_process, NULL);
    nodes.manager = sn_spawn(&manager_process, &nodes);
    (void)sn_receive_event(&started_event, SN_FOREVER);
    (void)sn_spawn(&coordinator_process, &nodes);
    (void)sn_spawn(&restarter_process, &nodes);
    noise_beside();
    report = *(const struct report *)sn_receive_event(&report_event, SN_FOREVER)->payload;
    (void)sn_receive_event(&started_event, SN_FOREVER);
    has_copy = note(nodes.disk, OUTCOME_NONE).has_copy != 0;
    sn_assertf(!report.is_ok || !has_copy, "the copy on B was deleted, and is there");
    sn_assertf(report.is_ok || has_copy, "the copy on B was not deleted, and is not there");
    noise_after();
}

static const struct sn_process test_process = {.name = "Test", .run = test};

void mnesia_2_run(void)
{
    (void)sn_spawn(&test_process, NULL);
}
