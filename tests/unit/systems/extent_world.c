/* extent_world.c - a world made by hand for the tests of the extent manager.
 *
 * SPDX-License-Identifier: MIT
 */
#include "extent_world.h"

int allocations_left = ALL_SUCCEED;

void *__real_reallocarray(void *memory, size_t n, size_t size);
void *__wrap_reallocarray(void *memory, size_t n, size_t size);

void *__wrap_reallocarray(void *memory, size_t n, size_t size)
{
    if (allocations_left == 0) {
        allocations_left = ALL_SUCCEED;
        return NULL;
    }
    if (allocations_left > 0)
        allocations_left--;
    return __real_reallocarray(memory, n, size);
}

static void send_repair(void *self, const struct em_repair *repair)
{
    struct world *world = self;

    assert_true(world->sent_count < SENT_MAX);
    world->sent[world->sent_count++] = *repair;
}

static void start_timer(void *self, enum em_timer timer, uint64_t delay_ms)
{
    struct world *world = self;

    assert_true(delay_ms > 0);
    world->timers_started[timer]++;
}

static uint64_t now_ms(void *self)
{
    const struct world *world = self;

    return world->clock_ms;
}

const struct extent_io world_io = {
    .send_repair = send_repair,
    .start_timer = start_timer,
    .now_ms = now_ms,
};

void world_init(struct world *world, bool accept_reports_of_unknown_nodes)
{
    struct em_config config = {
        .expiry_ms = EXPIRY_MS,
        .repair_retry_ms = RETRY_MS,
        .accept_reports_of_unknown_nodes = accept_reports_of_unknown_nodes,
    };

    *world = (struct world){.clock_ms = 1000};
    assert_int_equal(em_init(&world->em, &config, &world_io, world), 0);
}

int set_up(void **state)
{
    static struct world world;

    world_init(&world, false);
    *state = &world;
    return 0;
}

int set_up_accepting(void **state)
{
    static struct world world;

    world_init(&world, true);
    *state = &world;
    return 0;
}

int tear_down(void **state)
{
    struct world *world = *state;

    allocations_left = ALL_SUCCEED;
    em_done(&world->em);
    return 0;
}

void heartbeat(struct world *world, uint64_t node)
{
    assert_int_equal(em_on_heartbeat(&world->em, node), 0);
}

void report(struct world *world, uint64_t node)
{
    uint64_t extents[] = {EXTENT};

    assert_int_equal(em_on_sync_report(&world->em, node, extents, 1), 0);
}

void join_with_replica(struct world *world, uint64_t node)
{
    heartbeat(world, node);
    report(world, node);
}

void repair_tick(struct world *world)
{
    assert_int_equal(em_on_repair_tick(&world->em), 0);
}

void pass_ms(struct world *world, uint64_t ms)
{
    world->clock_ms += ms;
    em_on_expiration_tick(&world->em);
}
