/* raft_world.c - a world made by hand for the tests of Raft. SPDX-License-Identifier: MIT */
#include "raft_world.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* ---- The network ---------------------------------------------------------------------------- */

static void send_message(void *self, uint32_t to, enum raft_message_kind kind, const void *message)
{
    struct world_server *server = self;
    struct world *world = server->world;

    assert_true(to >= 1 && to <= WORLD_SERVERS);
    assert_true(world->queue_count < WORLD_QUEUE_MAX);

    struct world_message *place = &world->queue[world->queue_count++];

    *place = (struct world_message){.from = server->config.id, .to = to, .kind = kind};
    memcpy(&place->body, message, raft_message_size(kind));
}

static void reply(void *self, const struct raft_reply *reply)
{
    struct world_server *server = self;
    struct world *world = server->world;

    assert_true(world->reply_count < WORLD_REPLIES_MAX);
    world->replies[world->reply_count++] = *reply;
}

static bool is_cut(const struct world *world, uint32_t server)
{
    return (world->cut >> (server - 1) & 1) != 0;
}

void hand_over(struct world *world, const struct world_message *message)
{
    struct world_server *server = &world->servers[message->to];

    if (is_cut(world, message->from) || is_cut(world, message->to) || server->is_down)
        return;
    (void)raft_receive(&server->raft, message->kind, &message->body);
}

static struct world_message take_at(struct world *world, uint32_t i)
{
    struct world_message message = world->queue[i];

    world->queue_count--;
    memmove(&world->queue[i], &world->queue[i + 1],
            (world->queue_count - i) * sizeof(world->queue[0]));
    return message;
}

uint32_t deliver_some(struct world *world, uint32_t n)
{
    uint32_t delivered = 0;

    while (delivered < n && world->queue_count > 0) {
        struct world_message message = take_at(world, 0);

        hand_over(world, &message);
        delivered++;
    }
    return delivered;
}

void deliver_all(struct world *world)
{
    assert_true(deliver_some(world, 10000) < 10000);
}

void lose_all(struct world *world)
{
    world->queue_count = 0;
}

struct world_message take(struct world *world, uint32_t to, enum raft_message_kind kind)
{
    uint32_t i = 0;

    while (i < world->queue_count && (world->queue[i].to != to || world->queue[i].kind != kind))
        i++;
    assert_true(i < world->queue_count);
    return take_at(world, i);
}

uint32_t count_sent(const struct world *world, uint32_t to, enum raft_message_kind kind)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < world->queue_count; i++)
        n += world->queue[i].to == to && world->queue[i].kind == kind;
    return n;
}

/* ---- The disks ------------------------------------------------------------------------------ */

static bool fails(struct world_server *server)
{
    if (server->disk_operations_left == DISK_WORKS)
        return false;
    if (server->disk_operations_left > 0) {
        server->disk_operations_left--;
        return false;
    }
    server->disk_operations_left = DISK_WORKS;
    return true;
}

static struct world_file *find_file(struct world_server *server, const char *name)
{
    for (uint32_t i = 0; i < WORLD_FILES; i++) {
        struct world_file *file = &server->files[i];

        if (file->name[0] == '\0')
            (void)snprintf(file->name, sizeof(file->name), "%s", name);
        if (strcmp(file->name, name) == 0)
            return file;
    }
    fail_msg("more files than expected: %s", name);
    return NULL;
}

struct world_file *file_of(struct world *world, uint32_t server, const char *name)
{
    return find_file(&world->servers[server], name);
}

static int write_file(void *self, const char *name, uint64_t offset, const void *bytes, size_t n)
{
    struct world_file *file = find_file(self, name);

    if (fails(self))
        return -EIO;
    assert_true(offset + n <= WORLD_FILE_MAX);
    assert_true(offset <= file->now.size);
    file->now.exists = true;
    memcpy(file->now.bytes + offset, bytes, n);
    if (offset + n > file->now.size)
        file->now.size = offset + n;
    return 0;
}

static int truncate_file(void *self, const char *name, uint64_t size)
{
    struct world_file *file = find_file(self, name);

    if (fails(self))
        return -EIO;
    assert_true(size <= file->now.size);
    file->now.exists = true;
    file->now.size = size;
    return 0;
}

static int rename_file(void *self, const char *from, const char *to)
{
    struct world_server *server = self;
    struct world_file *source = find_file(server, from);
    struct world_file *target = find_file(server, to);

    if (fails(server))
        return -EIO;
    assert_true(source->now.exists);
    target->now = source->now;
    source->now = (struct world_bytes){.exists = false};
    (void)snprintf(target->renamed_from, sizeof(target->renamed_from), "%s", from);
    if (server->fails_after_rename)
        server->disk_operations_left = 0;
    server->fails_after_rename = false;
    return 0;
}

static int sync_file(void *self, const char *name)
{
    struct world_server *server = self;
    struct world_file *file = find_file(server, name);

    if (fails(server))
        return -EIO;
    server->syncs++;
    file->durable = file->now;
    if (file->renamed_from[0] != '\0')
        find_file(server, file->renamed_from)->durable = (struct world_bytes){.exists = false};
    file->renamed_from[0] = '\0';
    return 0;
}

static int64_t read_file(void *self, const char *name, uint64_t offset, void *bytes, size_t n)
{
    struct world_file *file = find_file(self, name);

    if (fails(self))
        return -EIO;
    if (offset >= file->now.size)
        return 0;

    uint64_t left = file->now.size - offset;
    size_t got = left < n ? (size_t)left : n;

    memcpy(bytes, file->now.bytes + offset, got);
    return (int64_t)got;
}

static int64_t file_size(void *self, const char *name)
{
    return (int64_t)find_file(self, name)->now.size;
}

void crash(struct world *world, uint32_t id, enum loss loss)
{
    struct world_server *server = &world->servers[id];

    server->is_down = true;
    memset(server->has_timer, 0, sizeof(server->has_timer));
    for (uint32_t i = 0; i < WORLD_FILES; i++) {
        struct world_file *file = &server->files[i];

        if (loss == LOSE_UNSYNCED || (loss == KEEP_NAMES && file->renamed_from[0] == '\0'))
            file->now = file->durable;
        else if (loss == KEEP_NAMES)
            file->now = find_file(server, file->renamed_from)->durable;
        file->renamed_from[0] = '\0';
    }
}

int restart(struct world *world, uint32_t id)
{
    struct world_server *server = &world->servers[id];

    server->is_down = false;
    server->applied_count = 0;
    server->registers = (struct registers){.values = {0}};
    return raft_start(&server->raft, &server->config, &world_env, server);
}

/* ---- Timers, the clock, chance -------------------------------------------------------------- */

static void start_timer(void *self, enum raft_timer timer, uint32_t delay_ms)
{
    struct world_server *server = self;

    server->has_timer[timer] = true;
    server->delay_ms[timer] = delay_ms;
}

static void cancel_timer(void *self, enum raft_timer timer)
{
    struct world_server *server = self;

    server->has_timer[timer] = false;
}

static uint64_t now_ms(void *self)
{
    const struct world_server *server = self;

    return server->world->clock_ms;
}

static uint32_t random_number(void *self, uint32_t n)
{
    const struct world_server *server = self;

    return server->world->random % n;
}

void time_out(struct world *world, uint32_t server, enum raft_timer timer)
{
    assert_true(world->servers[server].has_timer[timer]);
    world->servers[server].has_timer[timer] = false;
    (void)raft_timeout(raft_of(world, server), timer);
}

/* ---- The state machine ---------------------------------------------------------------------- */

static void apply(void *self, uint32_t index, const struct raft_entry *entry, uint32_t *result)
{
    struct world_server *server = self;

    (void)index;
    assert_true(server->applied_count < 2 * RAFT_LOG_MAX);
    server->applied[server->applied_count++] = entry->sequence;
    registers_apply(&server->registers, entry->data, result);
}

static void query(void *self, const uint32_t *data, uint32_t *result)
{
    const struct world_server *server = self;

    registers_query(&server->registers, data, result);
}

static void save(void *self, uint32_t *state)
{
    const struct world_server *server = self;

    registers_save(&server->registers, state);
}

static void restore(void *self, const uint32_t *state)
{
    struct world_server *server = self;

    registers_restore(&server->registers, state);
}

static void observe(void *self, enum raft_moment moment, uint32_t index)
{
    struct world_server *server = self;

    (void)index;
    server->elected_count += moment == RAFT_ELECTED;
}

const struct raft_env world_env = {
    .send = send_message,
    .reply = reply,
    .write = write_file,
    .truncate = truncate_file,
    .rename = rename_file,
    .sync = sync_file,
    .read = read_file,
    .size = file_size,
    .start_timer = start_timer,
    .cancel_timer = cancel_timer,
    .now_ms = now_ms,
    .random = random_number,
    .apply = apply,
    .query = query,
    .save = save,
    .restore = restore,
    .observe = observe,
};

/* ---- For tests ------------------------------------------------------------------------------ */

int set_up(void **state)
{
    static struct world world;

    world_init(&world, 5, 5, NULL);
    *state = &world;
    return 0;
}

void world_init(struct world *world, uint32_t servers, uint32_t members,
                const struct raft_config *config)
{
    *world = (struct world){.clock_ms = 1000};
    for (uint32_t id = 1; id <= servers; id++) {
        struct world_server *server = &world->servers[id];

        server->world = world;
        server->disk_operations_left = DISK_WORKS;
        if (config != NULL)
            server->config = *config;
        server->config.id = id;
        if (id <= members)
            server->config.members = (UINT32_C(1) << members) - 1;
        assert_int_equal(restart(world, id), 0);
    }
}

struct raft *raft_of(struct world *world, uint32_t server)
{
    return &world->servers[server].raft;
}

void elect(struct world *world, uint32_t server)
{
    world->clock_ms += 1000;
    time_out(world, server, RAFT_TIMER_ELECTION);
    deliver_all(world);
}

void beat(struct world *world, uint32_t leader)
{
    time_out(world, leader, RAFT_TIMER_HEARTBEAT);
    deliver_all(world);
}

void ask(struct world *world, uint32_t server, const struct raft_request *request)
{
    (void)raft_request(raft_of(world, server), request);
}

void ask_write(struct world *world, uint32_t server, uint32_t sequence, uint32_t value)
{
    struct raft_request request = {
        .client = CLIENT,
        .sequence = sequence,
        .kind = RAFT_WRITE,
        .data = {[REGISTER_VALUE] = value},
    };

    ask(world, server, &request);
}

void ask_read(struct world *world, uint32_t server, uint32_t sequence)
{
    struct raft_request request = {
        .client = CLIENT + 1,
        .sequence = sequence,
        .kind = RAFT_READ,
    };

    ask(world, server, &request);
}

void ask_change(struct world *world, uint32_t server, uint32_t sequence,
                enum raft_request_kind kind, uint32_t changed)
{
    struct raft_request request = {
        .client = CLIENT + 2,
        .sequence = sequence,
        .kind = kind,
        .data = {changed},
    };

    ask(world, server, &request);
}

struct raft_reply last_reply(const struct world *world)
{
    assert_true(world->reply_count > 0);
    return world->replies[world->reply_count - 1];
}
