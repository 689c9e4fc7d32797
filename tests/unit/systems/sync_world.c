/* sync_world.c - see sync_world.h. SPDX-License-Identifier: MIT */
#include "sync_world.h"

#include <stdlib.h>
#include <string.h>

static const size_t sizes[SYNC_KINDS] = {
    [SYNC_DOWNLOAD] = sizeof(struct sync_download),
    [SYNC_UPLOAD] = sizeof(struct sync_upload),
    [SYNC_DONE] = sizeof(struct sync_done),
    [SYNC_HELLO] = sizeof(struct sync_node),
    [SYNC_GONE] = sizeof(struct sync_node),
    [SYNC_DOWNLOAD_REPLY] = sizeof(struct sync_download_reply),
    [SYNC_UPLOAD_ACK] = sizeof(struct sync_upload_ack),
    [SYNC_NOTIFY] = sizeof(struct sync_notify),
};

static void put(struct world_queue *queue, enum sync_kind kind, const void *message)
{
    struct world_message *m = &queue->all[(queue->first + queue->n) % WORLD_QUEUE];

    assert_true(queue->n < WORLD_QUEUE);
    m->kind = kind;
    memcpy(m->payload, message, sizes[kind]);
    queue->n++;
}

static struct world_message take(struct world_queue *queue)
{
    struct world_message m = queue->all[queue->first % WORLD_QUEUE];

    assert_true(queue->n > 0);
    queue->first = (queue->first + 1) % WORLD_QUEUE;
    queue->n--;
    return m;
}

static void send_to_node(void *self, uint32_t node, enum sync_kind kind, const void *message)
{
    struct world *world = self;

    put(&world->nodes[node].from_server, kind, message);
}

static void send_to_server(void *self, enum sync_kind kind, const void *message)
{
    struct world_node *node = self;

    put(&node->to_server, kind, message);
}

static void keep_record(void *self, const struct daemon_record *record)
{
    struct world_node *node = self;

    node->record = *record;
    node->has_record = true;
}

static const struct server_io server_io = {.send = send_to_node};
static const struct daemon_io daemon_io = {.send = send_to_server, .record = keep_record};

int world_set_up(void **state)
{
    struct world *world = calloc(1, sizeof(*world));

    server_init(&world->server, &world->wrong, WORLD_NODES, &server_io, world);
    for (uint32_t i = 0; i < WORLD_NODES; i++) {
        struct world_node *node = &world->nodes[i];

        node->world = world;
        node->files.second = 1;
        daemon_init(&node->daemon, &world->wrong, i, &node->files, &daemon_io, node);
        daemon_start(&node->daemon);
    }
    calm_down(world);
    *state = world;
    return 0;
}

int world_tear_down(void **state)
{
    free(*state);
    return 0;
}

/* ---- Users ---------------------------------------------------------------------------------- */

static uint32_t write_and_tell(struct world_node *node, uint32_t value, bool tells)
{
    struct daemon_event event = {
        .value = value,
        .old = local_files_write(&node->files, 0, value),
        .second = node->files.second,
    };

    if (tells && !node->is_dead)
        daemon_on_change(&node->daemon, &event);
    return event.old;
}

uint32_t user_writes(struct world *world, uint32_t node, uint32_t value)
{
    return write_and_tell(&world->nodes[node], value, true);
}

void user_writes_quietly(struct world *world, uint32_t node, uint32_t value)
{
    (void)write_and_tell(&world->nodes[node], value, false);
}

void tell_daemon(struct world *world, uint32_t node)
{
    struct daemon_event event = {.value = value_on(world, node)};

    daemon_on_change(&world->nodes[node].daemon, &event);
}

uint32_t value_on(const struct world *world, uint32_t node)
{
    return world->nodes[node].files.all[0].value;
}

uint64_t conflicts_on(const struct world *world, uint32_t node)
{
    return world->nodes[node].files.all[0].conflicts;
}

/* ---- Messages ------------------------------------------------------------------------------- */

enum sync_kind to_server(struct world *world, uint32_t node)
{
    struct world_message m = take(&world->nodes[node].to_server);

    if (m.kind == SYNC_DOWNLOAD)
        server_on_download(&world->server, (const void *)m.payload);
    else if (m.kind == SYNC_UPLOAD)
        server_on_upload(&world->server, (const void *)m.payload);
    else if (m.kind == SYNC_DONE)
        server_on_done(&world->server, (const void *)m.payload);
    else if (m.kind == SYNC_HELLO)
        server_on_hello(&world->server, (const void *)m.payload);
    else
        server_on_gone(&world->server, (const void *)m.payload);
    return m.kind;
}

enum sync_kind to_node(struct world *world, uint32_t node)
{
    struct world_message m = take(&world->nodes[node].from_server);
    struct daemon *daemon = &world->nodes[node].daemon;

    if (world->nodes[node].is_dead)
        return m.kind;
    if (m.kind == SYNC_DOWNLOAD_REPLY)
        daemon_on_reply(daemon, (const void *)m.payload);
    else if (m.kind == SYNC_UPLOAD_ACK)
        daemon_on_ack(daemon, (const void *)m.payload);
    else
        daemon_on_notify(daemon, (const void *)m.payload);
    return m.kind;
}

void calm_down(struct world *world)
{
    bool is_moving = true;

    while (is_moving) {
        is_moving = false;
        for (uint32_t i = 0; i < WORLD_NODES; i++) {
            for (; world->nodes[i].to_server.n > 0; is_moving = true)
                (void)to_server(world, i);
            for (; world->nodes[i].from_server.n > 0; is_moving = true)
                (void)to_node(world, i);
        }
    }
}

void kill_daemon(struct world *world, uint32_t node)
{
    struct sync_node gone = {.node = node};

    world->nodes[node].is_dead = true;
    put(&world->nodes[node].to_server, SYNC_GONE, &gone);
}

void restart_daemon(struct world *world, uint32_t node)
{
    world->nodes[node].is_dead = false;
    daemon_start(&world->nodes[node].daemon);
}

void assert_all_have(const struct world *world, uint32_t value, uint64_t conflicts)
{
    assert_int_equal(world->server.files[0].value, value);
    assert_int_equal(world->server.files[0].conflicts, conflicts);
    for (uint32_t i = 0; i < WORLD_NODES; i++) {
        assert_int_equal(value_on(world, i), value);
        assert_int_equal(conflicts_on(world, i), conflicts);
    }
}
