/* chain_replication_world.c - a chain of three servers and its master, in a world made by hand.
 *
 * SPDX-License-Identifier: MIT
 */
#include "chain_replication_world.h"

static struct waiting *queue(struct world *world, enum waiting_kind kind, uint32_t from,
                             uint32_t to)
{
    struct waiting *waiting = &world->queue[world->end++ % WAITING_MAX];

    assert_true(world->end - world->first <= WAITING_MAX);
    *waiting = (struct waiting){.kind = kind, .from = from, .to = to};
    return waiting;
}

static void server_heartbeat(void *self, const struct chain_heartbeat *heartbeat)
{
    struct node *node = self;

    queue(node->world, WAITING_HEARTBEAT, node->server.config.server, 0)->heartbeat = *heartbeat;
}

static void server_segment(void *self, uint32_t to, const struct chain_segment *segment)
{
    struct node *node = self;

    queue(node->world, WAITING_SEGMENT, node->server.config.server, to)->segment = *segment;
}

static void server_reply(void *self, uint32_t client, const struct chain_reply *reply)
{
    struct world *world = ((struct node *)self)->world;

    assert_int_equal(client, CLIENT);
    assert_true(world->reply_count < REPLIES_MAX);
    world->replies[world->reply_count++] = *reply;
}

static uint32_t server_now_ms(void *self)
{
    return ((struct node *)self)->world->now_ms;
}

static void server_start_again(void *self)
{
    struct node *node = self;

    node->world->starts_again++;
    restart(node->world, node->server.config.server);
}

static const struct server_io server_io = {
    .send_heartbeat = server_heartbeat,
    .send_segment = server_segment,
    .reply = server_reply,
    .now_ms = server_now_ms,
    .start_again = server_start_again,
};

static void master_state(void *self, uint32_t server, const struct chain_state *state)
{
    queue(self, WAITING_STATE, 0, server)->state = *state;
}

static uint32_t master_now_ms(void *self)
{
    return ((struct world *)self)->now_ms;
}

static void master_changed(void *self, const struct chain *chain)
{
    (void)self;
    assert_true(chain->count > 0);
}

static const struct master_io master_io = {
    .send_state = master_state,
    .now_ms = master_now_ms,
    .changed = master_changed,
};

int set_up(void **state)
{
    static struct world world;
    static const struct chain chain = {
        .epoch = 1,
        .count = SERVERS,
        .servers = {1, 2, 3},
        .boots = {1, 1, 1},
    };
    struct master_config master = {.server_count = SERVERS, .silence_ms = LEASE_MS};

    world = (struct world){.config = {.boot = 1, .lease_ms = LEASE_MS}, .now_ms = 1000};
    master_init(&world.master, &master, &chain, &master_io, &world);
    for (uint32_t server = 1; server <= SERVERS; server++) {
        world.nodes[server].world = &world;
        world.config.server = server;
        server_init(&world.nodes[server].server, &world.config, &chain, &server_io,
                    &world.nodes[server]);
    }
    pass_ms(&world, TICK_MS);
    *state = &world;
    return 0;
}

static void hand_over(struct world *world, const struct waiting *waiting)
{
    struct node *to = &world->nodes[waiting->to];

    if (world->nodes[waiting->from].is_cut_off || to->is_cut_off)
        return;
    if (waiting->kind == WAITING_HEARTBEAT)
        master_on_heartbeat(&world->master, &waiting->heartbeat);
    else if (waiting->kind == WAITING_STATE)
        server_on_state(&to->server, &waiting->state);
    else
        server_on_segment(&to->server, &waiting->segment);
}

void settle(struct world *world)
{
    while (world->first < world->end) {
        struct waiting waiting = world->queue[world->first++ % WAITING_MAX];

        hand_over(world, &waiting);
    }
}

void lose_segments(struct world *world, uint32_t from, uint32_t to)
{
    for (size_t i = world->first; i < world->end; i++) {
        struct waiting *waiting = &world->queue[i % WAITING_MAX];

        if (waiting->kind == WAITING_SEGMENT && waiting->from == from && waiting->to == to)
            waiting->segment.epoch = 0;
    }
}

void pass_ms(struct world *world, uint32_t ms)
{
    for (uint32_t passed = 0; passed < ms; passed += TICK_MS) {
        world->now_ms += TICK_MS;
        for (uint32_t server = 1; server <= SERVERS; server++) {
            if (!world->nodes[server].is_cut_off)
                server_on_tick(&world->nodes[server].server);
        }
        settle(world);
        master_on_tick(&world->master);
        settle(world);
    }
}

void crash(struct world *world, uint32_t server)
{
    world->nodes[server].is_cut_off = true;
}

void restart(struct world *world, uint32_t server)
{
    struct node *node = &world->nodes[server];
    struct server_config config = node->server.config;

    config.boot++;
    node->is_cut_off = false;
    server_init(&node->server, &config, NULL, &server_io, node);
}

void update(struct world *world, uint32_t server, uint32_t request)
{
    struct chain_request message = {
        .kind = CHAIN_UPDATE,
        .update = {.client = CLIENT, .request = request, .value = request * 10},
    };

    server_on_request(&world->nodes[server].server, &message);
}

void query(struct world *world, uint32_t server, uint32_t request)
{
    struct chain_request message = {
        .kind = CHAIN_QUERY,
        .update = {.client = CLIENT, .request = request},
    };

    server_on_request(&world->nodes[server].server, &message);
}

size_t count_replies(const struct world *world, uint32_t request)
{
    size_t count = 0;

    for (size_t i = 0; i < world->reply_count; i++)
        count += world->replies[i].request == request;
    return count;
}

const struct chain_reply *last_reply(const struct world *world, uint32_t request)
{
    const struct chain_reply *last = NULL;

    for (size_t i = 0; i < world->reply_count; i++) {
        if (world->replies[i].request == request)
            last = &world->replies[i];
    }
    assert_non_null(last);
    return last;
}
