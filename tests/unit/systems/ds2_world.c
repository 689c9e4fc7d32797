/* ds2_world.c - see ds2_world.h. SPDX-License-Identifier: MIT */
#include "ds2_world.h"

#include <string.h>

static void on_send(void *self, uint32_t to, const struct ds2_message *message)
{
    struct world *world = self;
    struct pending *pending = &world->pending[world->n_pending++];

    assert_true(world->n_pending < PENDING_MAX);
    *pending = (struct pending){.to = to};
    memcpy(&pending->message, message, world->object->message_size);
}

static void on_respond(void *self, uint32_t client, int64_t value)
{
    struct world *world = self;

    world->answer_count++;
    if (world->answers[client] == UNANSWERED)
        world->answers[client] = value;
}

static const struct ds2_io io = {.send = on_send, .respond = on_respond};

int set_up(void **state)
{
    *state = test_calloc(1, sizeof(struct world));
    return 0;
}

int tear_down(void **state)
{
    test_free(*state);
    return 0;
}

static void make(struct world *world, const struct ds2_object *object, struct ds2_place place)
{
    assert_true(object->size <= STATE_MAX);
    memset(world, 0, sizeof(*world));
    world->object = object;
    for (uint32_t i = 0; i <= DS2_CLIENTS_MAX; i++)
        world->answers[i] = UNANSWERED;
    place.io = &io;
    place.io_self = world;
    for (uint32_t i = 1; i <= place.agents; i++) {
        place.agent = i;
        memcpy(world->agents[i].bytes, &place, sizeof(place));
        if (object->init != NULL)
            object->init(world->agents[i].bytes);
    }
}

void start(struct world *world, const struct ds2_object *object, uint32_t agents)
{
    make(world, object, (struct ds2_place){.agents = agents});
}

void start_as_published(struct world *world, const struct ds2_object *object, uint32_t agents)
{
    make(world, object, (struct ds2_place){.agents = agents, .is_as_published = true});
}

void start_with_bug(struct world *world, const struct ds2_object *object, uint32_t agents)
{
    make(world, object, (struct ds2_place){.agents = agents, .has_bug = true});
}

void hand(struct world *world, uint32_t to, const struct ds2_log_message *message)
{
    world->object->receive(world->agents[to].bytes, &message->head);
}

void read_at(struct world *world, uint32_t client, uint32_t agent, int64_t key)
{
    struct ds2_log_message message = {
        .head = {.kind = DS2_READ, .client = client, .key = key, .value = DS2_NOTHING}};

    hand(world, agent, &message);
}

void write_at(struct world *world, uint32_t client, uint32_t agent, int64_t key, int64_t value)
{
    struct ds2_log_message message = {
        .head = {.kind = DS2_WRITE, .client = client, .is_write = 1, .key = key, .value = value}};

    hand(world, agent, &message);
}

void wake(struct world *world, uint32_t agent)
{
    struct ds2_log_message message = {.head = {.kind = DS2_WAKE}};

    hand(world, agent, &message);
}

size_t count(const struct world *world, uint32_t kind, uint32_t to)
{
    size_t n = 0;

    for (size_t i = 0; i < world->n_pending; i++)
        n += world->pending[i].to == to && world->pending[i].message.head.kind == kind;
    return n;
}

static struct pending remove_at(struct world *world, size_t i)
{
    struct pending taken = world->pending[i];

    world->n_pending--;
    memmove(&world->pending[i], &world->pending[i + 1],
            (world->n_pending - i) * sizeof(world->pending[0]));
    return taken;
}

struct ds2_log_message take(struct world *world, uint32_t kind, uint32_t to)
{
    size_t i = 0;

    while (i < world->n_pending &&
           (world->pending[i].to != to || world->pending[i].message.head.kind != kind))
        i++;
    assert_true(i < world->n_pending);
    return remove_at(world, i).message;
}

void deliver(struct world *world, uint32_t kind, uint32_t to)
{
    struct ds2_log_message message = take(world, kind, to);

    hand(world, to, &message);
}

void deliver_all(struct world *world)
{
    while (world->n_pending > 0) {
        struct pending first = remove_at(world, 0);

        hand(world, first.to, &first.message);
    }
}
