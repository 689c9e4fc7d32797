/* test_extent_repair.c - the extent manager alone: what it asks for when replicas are missing.
 *
 * SPDX-License-Identifier: MIT
 */
#include "extent_world.h"

#include <errno.h>

/* ---- Repair --------------------------------------------------------------------------------- */

static void enough_replicas_need_no_repair(void **state)
{
    struct world *world = *state;

    for (uint64_t node = 1; node <= 3; node++)
        join_with_replica(world, node);
    heartbeat(world, 4);
    repair_tick(world);

    assert_int_equal(world->sent_count, 0);
}

static void lost_replica_is_asked_for_on_another_node(void **state)
{
    struct world *world = *state;

    for (uint64_t node = 1; node <= 3; node++)
        join_with_replica(world, node);
    pass_ms(world, EXPIRY_MS - 1);
    for (uint64_t node = 2; node <= 4; node++)
        heartbeat(world, node);
    pass_ms(world, 1);
    repair_tick(world);

    assert_int_equal(world->sent_count, 1);
    assert_int_equal(world->sent[0].destination, 4);
    assert_int_equal(world->sent[0].extent, EXTENT);
    assert_int_equal(world->sent[0].source, 2);
}

static void all_missing_replicas_are_asked_for_at_once(void **state)
{
    struct world *world = *state;

    join_with_replica(world, 1);
    heartbeat(world, 2);
    heartbeat(world, 3);
    heartbeat(world, 4);
    repair_tick(world);

    assert_int_equal(world->sent_count, 2);
    assert_int_equal(world->sent[0].destination, 2);
    assert_int_equal(world->sent[1].destination, 3);
}

static void pending_repair_is_not_asked_for_twice(void **state)
{
    struct world *world = *state;

    join_with_replica(world, 1);
    join_with_replica(world, 2);
    heartbeat(world, 3);
    repair_tick(world);
    pass_ms(world, RETRY_MS - 1);
    repair_tick(world);

    assert_int_equal(world->sent_count, 1);
}

static void unconfirmed_repair_is_asked_for_again(void **state)
{
    struct world *world = *state;

    join_with_replica(world, 1);
    join_with_replica(world, 2);
    heartbeat(world, 3);
    repair_tick(world);
    pass_ms(world, RETRY_MS);
    repair_tick(world);

    assert_int_equal(world->sent_count, 2);
    assert_int_equal(world->sent[1].destination, 3);
}

static void report_of_the_new_replica_ends_the_repair(void **state)
{
    struct world *world = *state;

    join_with_replica(world, 1);
    join_with_replica(world, 2);
    heartbeat(world, 3);
    repair_tick(world);
    report(world, 3);
    pass_ms(world, RETRY_MS);
    repair_tick(world);

    assert_int_equal(world->sent_count, 1);
    assert_int_equal(em_replica_count(&world->em, EXTENT), 3);
}

static void finished_repair_does_not_count_as_pending(void **state)
{
    struct world *world = *state;

    join_with_replica(world, 1);
    join_with_replica(world, 2);
    heartbeat(world, 3);
    repair_tick(world);
    report(world, 3);
    assert_int_equal(em_on_sync_report(&world->em, 1, NULL, 0), 0);
    repair_tick(world);

    assert_int_equal(world->sent_count, 2);
    assert_int_equal(world->sent[1].destination, 1);
}

static void repair_moves_on_when_its_destination_expires(void **state)
{
    struct world *world = *state;

    heartbeat(world, 3);
    world->clock_ms += EXPIRY_MS - 1;
    join_with_replica(world, 1);
    join_with_replica(world, 2);
    repair_tick(world);
    assert_int_equal(world->sent[0].destination, 3);
    heartbeat(world, 4);
    pass_ms(world, 1);
    repair_tick(world);

    assert_int_equal(world->sent_count, 2);
    assert_int_equal(world->sent[1].destination, 4);
}

static void source_is_the_replica_heard_of_last(void **state)
{
    struct world *world = *state;

    join_with_replica(world, 1);
    join_with_replica(world, 2);
    heartbeat(world, 3);
    world->clock_ms += 10;
    heartbeat(world, 2);
    repair_tick(world);

    assert_int_equal(world->sent[0].source, 2);
}

static void destination_is_the_node_heard_of_last(void **state)
{
    struct world *world = *state;

    join_with_replica(world, 1);
    join_with_replica(world, 2);
    heartbeat(world, 3);
    world->clock_ms += 10;
    heartbeat(world, 4);
    repair_tick(world);

    assert_int_equal(world->sent[0].destination, 4);
}

static void extent_without_replicas_waits_for_a_node_to_return(void **state)
{
    struct world *world = *state;

    join_with_replica(world, 1);
    pass_ms(world, EXPIRY_MS);
    heartbeat(world, 2);
    repair_tick(world);
    assert_int_equal(world->sent_count, 0);
    join_with_replica(world, 1);
    repair_tick(world);

    assert_int_equal(world->sent_count, 1);
    assert_int_equal(world->sent[0].destination, 2);
    assert_int_equal(world->sent[0].source, 1);
}

static void repair_waits_for_a_node_without_the_extent(void **state)
{
    struct world *world = *state;

    join_with_replica(world, 1);
    join_with_replica(world, 2);
    repair_tick(world);
    assert_int_equal(world->sent_count, 0);
    heartbeat(world, 3);
    repair_tick(world);

    assert_int_equal(world->sent_count, 1);
}

/* ---- No memory ------------------------------------------------------------------------------ */

static int lose_and_repair(struct world *world)
{
    uint64_t extents[] = {1, 2, 3, 4, 5};
    int rc = 0;

    for (uint64_t node = 1; node <= 6 && rc == 0; node++)
        rc = em_on_heartbeat(&world->em, node);
    for (uint64_t node = 1; node <= 2 && rc == 0; node++)
        rc = em_on_sync_report(&world->em, node, extents, 5);
    return rc == 0 ? em_on_repair_tick(&world->em) : rc;
}

static void every_failed_allocation_is_reported_and_survived(void **state)
{
    struct world *world = *state;
    int rc = -ENOMEM;
    int failures = 0;

    for (int n = 0; rc != 0; n++) {
        em_done(&world->em);
        world_init(world, false);
        allocations_left = n;
        rc = lose_and_repair(world);
        allocations_left = ALL_SUCCEED;
        if (rc == 0)
            break;
        assert_int_equal(rc, -ENOMEM);
        failures++;
        assert_int_equal(lose_and_repair(world), 0);
        assert_int_equal(world->sent_count, 5);
    }

    /* One at least for each table: nodes, extents, two reports, two of each of five extents. */
    assert_true(failures >= 14);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_WORLD(enough_replicas_need_no_repair),
        IN_WORLD(lost_replica_is_asked_for_on_another_node),
        IN_WORLD(all_missing_replicas_are_asked_for_at_once),
        IN_WORLD(pending_repair_is_not_asked_for_twice),
        IN_WORLD(unconfirmed_repair_is_asked_for_again),
        IN_WORLD(report_of_the_new_replica_ends_the_repair),
        IN_WORLD(finished_repair_does_not_count_as_pending),
        IN_WORLD(repair_moves_on_when_its_destination_expires),
        IN_WORLD(source_is_the_replica_heard_of_last),
        IN_WORLD(destination_is_the_node_heard_of_last),
        IN_WORLD(extent_without_replicas_waits_for_a_node_to_return),
        IN_WORLD(repair_waits_for_a_node_without_the_extent),
        IN_WORLD(every_failed_allocation_is_reported_and_survived),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
