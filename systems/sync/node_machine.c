/* node_machine.c - a node: a user's files, a clock, and a daemon, as one machine.
 *
 * Whatever touches the files of a node is a step of this machine, the user's reads and writes too,
 * so strategies know what races with what. The clock's seconds are steps as well: a second ends at
 * any moment after something was changed in it, or not yet.
 *
 * To kill the daemon leaves files and database as they are.
 *
 * SPDX-License-Identifier: MIT
 */
#include "events.h"
#include "machines.h"

struct node {
    struct files files;
    struct daemon daemon;
    sn_id server;
    bool is_running;  /* the daemon is */
    bool has_changes; /* in this second, which therefore will end */
    sn_id waiter;     /* a user who waits for this; SN_NOBODY: there is none */
    struct user_wait wait;
};

/* ---- The world of the daemon ---------------------------------------------------------------- */

static void send(void *self, enum sync_kind kind, const void *message)
{
    const struct node *node = self;

    sn_send(node->server, sync_events[kind], message);
}

static void record(void *self, const struct daemon_record *record)
{
    (void)self;
    sn_timer_start_any(&record_event, record);
}

static const struct daemon_io io = {.send = send, .record = record};

/* To be called when something may have been changed. Seconds in which nothing was are left out, so
 * that trials end. */
static void let_second_end(struct node *node)
{
    if (node->has_changes)
        return;
    node->has_changes = true;
    sn_timer_start_any(&second_event, NULL);
}

static void on_second(void *self, const void *payload)
{
    struct node *node = self;

    (void)payload;
    node->files.second++;
    node->has_changes = false;
}

static void set_up(void *self, const void *payload)
{
    struct node *node = self;
    const struct node_birth *birth = payload;

    node->server = birth->server;
    node->files.second = 1;
    node->is_running = true;
    daemon_init(&node->daemon, &sync_wrong, birth->node, &node->files, &io, node);
    daemon_start(&node->daemon);
}

/* To be called when the daemon may have changed something. */
static void tell_waiter(struct node *node)
{
    struct answer answer = {.value = node->wait.value, .is_awaited = true};

    if (node->waiter == SN_NOBODY || node->files.all[node->wait.file].value != node->wait.value)
        return;
    sn_send(node->waiter, &answer_event, &answer);
    node->waiter = SN_NOBODY;
}

/* ---- What the user does --------------------------------------------------------------------- */

static void answer_user(struct node *node, const struct answer *answer)
{
    node->waiter = SN_NOBODY;
    sn_send(sn_sender(), &answer_event, answer);
}

static void on_read(void *self, const void *payload)
{
    struct node *node = self;
    const struct user_read *read = payload;
    struct answer answer = {
        .value = node->files.all[read->file].value,
        .conflicts = node->files.all[read->file].conflicts,
    };

    answer_user(node, &answer);
}

/* Writes and tells the daemon. Returns what was there before. */
static uint32_t change(struct node *node, uint32_t file, uint32_t value)
{
    struct daemon_event event = {
        .file = file,
        .value = value,
        .old = local_files_write(&node->files, file, value),
        .second = node->files.second,
    };

    if (event.value == 0 && event.old == 0)
        return 0;
    let_second_end(node);
    if (node->is_running)
        sn_send(sn_self(), &fs_event, &event);
    return event.old;
}

static void on_write(void *self, const void *payload)
{
    struct node *node = self;
    const struct user_write *write = payload;
    struct answer answer = {.value = change(node, write->file, write->value)};

    answer_user(node, &answer);
}

static void on_rename(void *self, const void *payload)
{
    struct node *node = self;
    const struct user_rename *name = payload;
    struct answer answer = {.value = node->files.all[name->from].value};

    if (answer.value != 0) {
        answer.old = change(node, name->to, 0);
        (void)change(node, name->to, answer.value);
        (void)change(node, name->from, 0);
    }
    answer_user(node, &answer);
}

static void on_wait(void *self, const void *payload)
{
    struct node *node = self;

    node->waiter = sn_sender();
    node->wait = *(const struct user_wait *)payload;
    tell_waiter(node);
}

static void on_kill(void *self, const void *payload)
{
    struct node *node = self;
    struct sync_node gone = {.node = node->daemon.node};
    struct answer answer = {0};

    (void)payload;
    if (node->is_running)
        sn_send(node->server, &gone_event, &gone);
    node->is_running = false;
    answer_user(node, &answer);
}

static void on_restart(void *self, const void *payload)
{
    struct node *node = self;
    struct answer answer = {0};

    (void)payload;
    if (!node->is_running)
        daemon_start(&node->daemon);
    node->is_running = true;
    answer_user(node, &answer);
}

/* ---- What the daemon hears ------------------------------------------------------------------ */

/* What was meant for a daemon that is dead is lost. Its successor looks at all files. */

static void on_fs_event(void *self, const void *payload)
{
    struct node *node = self;

    if (node->is_running)
        daemon_on_change(&node->daemon, payload);
}

static void on_reply(void *self, const void *payload)
{
    struct node *node = self;

    if (node->is_running)
        daemon_on_reply(&node->daemon, payload);
    let_second_end(node);
    tell_waiter(node);
}

static void on_ack(void *self, const void *payload)
{
    struct node *node = self;

    if (node->is_running)
        daemon_on_ack(&node->daemon, payload);
    tell_waiter(node);
}

static void on_notify(void *self, const void *payload)
{
    struct node *node = self;

    if (node->is_running)
        daemon_on_notify(&node->daemon, payload);
}

static void on_record(void *self, const void *payload)
{
    struct node *node = self;

    if (node->is_running)
        daemon_on_record(&node->daemon, payload);
}

static const struct sn_on living_on[] = {
    {.event = &read_event, .run = on_read},
    {.event = &write_event, .run = on_write},
    {.event = &rename_event, .run = on_rename},
    {.event = &wait_event, .run = on_wait},
    {.event = &kill_event, .run = on_kill},
    {.event = &restart_event, .run = on_restart},
    {.event = &fs_event, .run = on_fs_event},
    {.event = &download_reply_event, .run = on_reply},
    {.event = &upload_ack_event, .run = on_ack},
    {.event = &notify_event, .run = on_notify},
    {.event = &record_event, .run = on_record},
    {.event = &second_event, .run = on_second},
    {0},
};

static const struct sn_state living = {.name = "Living", .entry = set_up, .on = living_on};

static const struct sn_field birth_fields[] = {
    SN_FIELD(struct node_birth, node, SN_UINT),
    SN_FIELD(struct node_birth, server, SN_MACHINE),
    {0},
};

static const struct sn_event birth_event = {
    .name = "NodeBirth",
    .size = sizeof(struct node_birth),
    .fields = birth_fields,
};

const struct sn_machine node_machine = {
    .name = "Node",
    .size = sizeof(struct node),
    .start = &living,
    .birth = &birth_event,
};
