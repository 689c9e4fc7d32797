/* server_machine.c - the machine around one Raft server, the component under test.
 *
 * It is thin: events become calls, and struct raft_env becomes messages, timers, draws and the disk
 * of the machine's node. What the component lets an observer see goes to the monitors.
 *
 * A server whose disk fails has ended. Its process is started again a little later, on the same
 * node: what was written is still there, synced or not. A crash of the node is another matter, and
 * the environment's: the machine is born again.
 *
 * SPDX-License-Identifier: MIT
 */
#include "events.h"
#include "machines.h"
#include "registers.h"
#include "story.h"
#include "witness.h"

enum {
    HEARTBEAT_MS = 100, /* few, so that a trial has steps left for what matters */
    RECOVERY_MS = 100,
};

struct server {
    struct raft raft;
    struct registers registers;
    struct server_birth birth;
    sn_timer timers[RAFT_TIMERS];
    struct story story;
    bool waits; /* without a timer: noted */
};

static const struct sn_state failed;
static const struct sn_state running;

/* ---- What the component needs of the world -------------------------------------------------- */

static void env_send(void *self, uint32_t to, enum raft_message_kind kind, const void *message)
{
    static const struct sn_event *const events[RAFT_MESSAGE_KINDS] = {
        [RAFT_VOTE_REQUEST] = &vote_request_event,
        [RAFT_VOTE_REPLY] = &vote_reply_event,
        [RAFT_APPEND] = &append_event,
        [RAFT_INSTALL] = &install_event,
        [RAFT_APPEND_REPLY] = &append_reply_event,
    };
    const struct server *server = self;

    sn_send(director_of_server(server->birth.id) + to, events[kind], message);
}

static void env_reply(void *self, const struct raft_reply *reply)
{
    const struct server *server = self;

    sn_send(director_of_server(server->birth.id) + server->birth.servers + reply->client,
            &reply_event, reply);
}

static int env_write(void *self, const char *file, uint64_t offset, const void *bytes, size_t n)
{
    (void)self;
    return sn_disk_write(file, offset, bytes, n);
}

static int env_truncate(void *self, const char *file, uint64_t size)
{
    (void)self;
    return sn_disk_truncate(file, size);
}

static int env_rename(void *self, const char *from, const char *to)
{
    (void)self;
    return sn_disk_rename(from, to);
}

static int env_sync(void *self, const char *file)
{
    (void)self;
    return sn_disk_size(file) < 0 ? 0 : sn_disk_sync(file);
}

static int64_t env_size(void *self, const char *file)
{
    int64_t size = sn_disk_size(file);

    (void)self;
    return size < 0 ? 0 : size;
}

static int64_t env_read(void *self, const char *file, uint64_t offset, void *bytes, size_t n)
{
    if (env_size(self, file) == 0)
        return 0;
    return sn_disk_read(file, offset, bytes, n);
}

static void env_cancel_timer(void *self, enum raft_timer timer)
{
    struct server *server = self;

    if (server->timers[timer] != 0)
        sn_timer_cancel(server->timers[timer]);
    server->timers[timer] = 0;
}

static void env_start_timer(void *self, enum raft_timer timer, uint32_t delay_ms)
{
    static const struct sn_event *const events[RAFT_TIMERS] = {
        [RAFT_TIMER_ELECTION] = &election_timeout_event,
        [RAFT_TIMER_HEARTBEAT] = &heartbeat_timeout_event,
    };
    struct server *server = self;

    env_cancel_timer(self, timer);
    server->timers[timer] = sn_timer_start(events[timer], delay_ms * MILLISECOND, NULL);
}

static uint64_t env_now_ms(void *self)
{
    (void)self;
    return sn_now_ns() / MILLISECOND;
}

static uint32_t env_random(void *self, uint32_t n)
{
    (void)self;
    return (uint32_t)sn_choose("random", n);
}

static void env_apply(void *self, uint32_t index, const struct raft_entry *entry, uint32_t *result)
{
    struct server *server = self;
    struct executed executed = {
        .server = server->birth.id,
        .index = index,
        .client = entry->client,
        .sequence = entry->sequence,
    };

    registers_apply(&server->registers, entry->data, result);
    sn_monitor(&exactly_once, &executed_event, &executed);
}

static void env_query(void *self, const uint32_t *data, uint32_t *result)
{
    const struct server *server = self;

    registers_query(&server->registers, data, result);
}

static void env_save(void *self, uint32_t *state)
{
    const struct server *server = self;

    registers_save(&server->registers, state);
}

static void env_restore(void *self, const uint32_t *state)
{
    struct server *server = self;

    registers_restore(&server->registers, state);
}

static void env_observe(void *self, enum raft_moment moment, uint32_t index)
{
    struct server *server = self;

    witness(&server->raft, &server->registers, moment, index);
}

static const struct raft_env server_env = {
    .send = env_send,
    .reply = env_reply,
    .write = env_write,
    .truncate = env_truncate,
    .rename = env_rename,
    .sync = env_sync,
    .read = env_read,
    .size = env_size,
    .start_timer = env_start_timer,
    .cancel_timer = env_cancel_timer,
    .now_ms = env_now_ms,
    .random = env_random,
    .apply = env_apply,
    .query = env_query,
    .save = env_save,
    .restore = env_restore,
    .observe = env_observe,
};

/* ---- Events --------------------------------------------------------------------------------- */

/* For whoever reads the trace: of a server that nothing will wake but a message. */
static void note_timer(struct server *server)
{
    bool waits = server->raft.role != RAFT_LEADER && server->timers[RAFT_TIMER_ELECTION] == 0;

    if (waits && !server->waits)
        sn_note("waits, and no timer of it is running");
    server->waits = waits;
}

/* What an entry point of the component has led to. */
static void end_event(struct server *server, int rc)
{
    story_tell(&server->story, &server->raft);
    if (rc == 0) {
        note_timer(server);
        return;
    }
    env_cancel_timer(server, RAFT_TIMER_ELECTION);
    env_cancel_timer(server, RAFT_TIMER_HEARTBEAT);
    sn_goto(&failed);
}

static void start(struct server *server)
{
    struct raft_config config = {
        .id = server->birth.id,
        .members = server->birth.members,
        .heartbeat_ms = HEARTBEAT_MS,
        .batch = server->birth.batch,
        .snapshot_entries = server->birth.snapshot_entries,
        .bugs = bugs_wanted,
    };

    int rc = raft_start(&server->raft, &config, &server_env, server);

    story_begin(&server->story, &server->raft);
    end_event(server, rc);
}

static void on_birth(void *self, const void *payload)
{
    struct server *server = self;

    server->birth = *(const struct server_birth *)payload;
    sn_send(director_of_server(server->birth.id), &started_event, NULL);
    start(server);
}

static void on_recover(void *self, const void *payload)
{
    (void)payload;
    start(self);
}

static void begin_recovery(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    sn_timer_start(&recover_event, RECOVERY_MS * MILLISECOND, NULL);
}

static void on_vote_request(void *self, const void *payload)
{
    struct server *server = self;

    end_event(server, raft_receive(&server->raft, RAFT_VOTE_REQUEST, payload));
}

static void on_vote_reply(void *self, const void *payload)
{
    struct server *server = self;

    end_event(server, raft_receive(&server->raft, RAFT_VOTE_REPLY, payload));
}

static void on_append(void *self, const void *payload)
{
    struct server *server = self;

    end_event(server, raft_receive(&server->raft, RAFT_APPEND, payload));
}

static void on_install(void *self, const void *payload)
{
    struct server *server = self;

    end_event(server, raft_receive(&server->raft, RAFT_INSTALL, payload));
}

static void on_append_reply(void *self, const void *payload)
{
    struct server *server = self;

    end_event(server, raft_receive(&server->raft, RAFT_APPEND_REPLY, payload));
}

static void on_request(void *self, const void *payload)
{
    struct server *server = self;

    end_event(server, raft_request(&server->raft, payload));
}

static void on_election_timeout(void *self, const void *payload)
{
    struct server *server = self;

    (void)payload;
    server->timers[RAFT_TIMER_ELECTION] = 0;
    end_event(server, raft_timeout(&server->raft, RAFT_TIMER_ELECTION));
}

static void on_heartbeat_timeout(void *self, const void *payload)
{
    struct server *server = self;

    (void)payload;
    server->timers[RAFT_TIMER_HEARTBEAT] = 0;
    end_event(server, raft_timeout(&server->raft, RAFT_TIMER_HEARTBEAT));
}

static const struct sn_on running_on[] = {
    {.event = &append_event, .run = on_append},
    {.event = &append_reply_event, .run = on_append_reply},
    {.event = &vote_request_event, .run = on_vote_request},
    {.event = &vote_reply_event, .run = on_vote_reply},
    {.event = &install_event, .run = on_install},
    {.event = &request_event, .run = on_request},
    {.event = &election_timeout_event, .run = on_election_timeout},
    {.event = &heartbeat_timeout_event, .run = on_heartbeat_timeout},
    {0},
};

static const struct sn_on failed_on[] = {
    {.event = &recover_event, .go_to = &running},
    {.event = &sn_any, .ignore = true},
    {0},
};

static const struct sn_state born = {.name = "Born", .entry = on_birth, .on = running_on};
static const struct sn_state running = {.name = "Running", .entry = on_recover, .on = running_on};
static const struct sn_state failed = {
    .name = "Failed",
    .entry = begin_recovery,
    .on = failed_on,
};

static const struct sn_field birth_fields[] = {
    SN_FIELD(struct server_birth, id, SN_UINT),
    SN_FIELD(struct server_birth, servers, SN_UINT),
    SN_FIELD(struct server_birth, members, SN_HEX),
    SN_FIELD(struct server_birth, batch, SN_UINT),
    SN_FIELD(struct server_birth, snapshot_entries, SN_UINT),
    {0},
};

static const struct sn_event birth_event = {
    .name = "ServerBirth",
    .size = sizeof(struct server_birth),
    .fields = birth_fields,
};

/* For traces: what the papers draw of a server. The log is the terms of its entries. */
static void print(struct sn_text *out, const void *self)
{
    static const char *const roles[] = {"follower", "candidate", "leader"};
    const struct raft *r = &((const struct server *)self)->raft;

    sn_print(out, "role=%s term=%u vote=%u leader=%u commit=%u applied=%u log=%u:[", roles[r->role],
             r->term, r->vote, r->leader, r->commit_index, r->applied_index, r->log.base_index + 1);
    for (uint32_t i = 0; i < r->log.count; i++)
        sn_print(out, "%s%u", i > 0 ? "," : "", r->log.entries[i].term);
    sn_print(out, "]");
}

const struct sn_machine raft_server = {
    .name = "Server",
    .size = sizeof(struct server),
    .start = &born,
    .birth = &birth_event,
    .print = print,
};
