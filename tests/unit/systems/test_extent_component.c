/* test_extent_component.c - the extent manager alone: what it learns from messages and time.
 *
 * SPDX-License-Identifier: MIT
 */
#include "extent_world.h"

#include <errno.h>

/* ---- Starting ------------------------------------------------------------------------------- */

static void init_starts_both_timers(void **state)
{
    struct world *world = *state;

    assert_int_equal(world->timers_started[EM_TIMER_EXPIRATION], 1);
    assert_int_equal(world->timers_started[EM_TIMER_REPAIR], 1);
}

static void init_refuses_an_incomplete_io(void **state)
{
    struct extent_manager em = {0};
    struct extent_io no_clock = world_io;
    struct extent_io no_timer = world_io;
    struct extent_io no_network = world_io;

    (void)state;
    no_clock.now_ms = NULL;
    no_timer.start_timer = NULL;
    no_network.send_repair = NULL;

    assert_int_equal(em_init(&em, NULL, NULL, NULL), -EINVAL);
    assert_int_equal(em_init(&em, NULL, &no_clock, NULL), -EINVAL);
    assert_int_equal(em_init(&em, NULL, &no_timer, NULL), -EINVAL);
    assert_int_equal(em_init(&em, NULL, &no_network, NULL), -EINVAL);
}

static void each_tick_starts_its_timer_again(void **state)
{
    struct world *world = *state;

    em_on_expiration_tick(&world->em);
    repair_tick(world);
    repair_tick(world);

    assert_int_equal(world->timers_started[EM_TIMER_EXPIRATION], 2);
    assert_int_equal(world->timers_started[EM_TIMER_REPAIR], 3);
}

static void done_takes_a_zeroed_manager(void **state)
{
    struct extent_manager em = {0};

    (void)state;
    em_done(&em);
}

/* ---- Heartbeats and expiry ------------------------------------------------------------------ */

static void heartbeat_makes_a_node_known(void **state)
{
    struct world *world = *state;

    assert_false(em_knows_node(&world->em, 1));
    heartbeat(world, 1);

    assert_true(em_knows_node(&world->em, 1));
    assert_false(em_knows_node(&world->em, 2));
}

static void silent_node_expires_with_its_replicas(void **state)
{
    struct world *world = *state;

    join_with_replica(world, 1);
    join_with_replica(world, 2);
    pass_ms(world, EXPIRY_MS - 1);
    heartbeat(world, 2);
    assert_true(em_knows_node(&world->em, 1));
    assert_int_equal(em_replica_count(&world->em, EXTENT), 2);
    pass_ms(world, 1);

    assert_false(em_knows_node(&world->em, 1));
    assert_true(em_knows_node(&world->em, 2));
    assert_int_equal(em_replica_count(&world->em, EXTENT), 1);
    assert_true(em_has_replica(&world->em, EXTENT, 2));
}

static void all_silent_nodes_expire_in_one_round(void **state)
{
    struct world *world = *state;

    for (uint64_t node = 1; node <= 20; node++)
        join_with_replica(world, node);
    pass_ms(world, EXPIRY_MS);

    for (uint64_t node = 1; node <= 20; node++)
        assert_false(em_knows_node(&world->em, node));
    assert_int_equal(em_replica_count(&world->em, EXTENT), 0);
}

static void heartbeat_puts_expiry_off(void **state)
{
    struct world *world = *state;

    heartbeat(world, 1);
    pass_ms(world, EXPIRY_MS - 1);
    heartbeat(world, 1);
    pass_ms(world, EXPIRY_MS - 1);

    assert_true(em_knows_node(&world->em, 1));
}

static void clock_set_back_expires_nobody(void **state)
{
    struct world *world = *state;

    heartbeat(world, 1);
    world->clock_ms -= 500;
    em_on_expiration_tick(&world->em);

    assert_true(em_knows_node(&world->em, 1));
}

static void expired_node_returns_with_heartbeat_and_report(void **state)
{
    struct world *world = *state;

    join_with_replica(world, 1);
    pass_ms(world, EXPIRY_MS);
    heartbeat(world, 1);
    assert_int_equal(em_replica_count(&world->em, EXTENT), 0);
    report(world, 1);

    assert_true(em_has_replica(&world->em, EXTENT, 1));
}

/* ---- Sync reports --------------------------------------------------------------------------- */

static void report_replaces_what_was_known_of_the_node(void **state)
{
    struct world *world = *state;
    uint64_t first[] = {9, 3, 7, 3};
    uint64_t second[] = {8, 7};

    heartbeat(world, 1);
    assert_int_equal(em_on_sync_report(&world->em, 1, first, 4), 0);
    assert_true(em_has_replica(&world->em, 3, 1));
    assert_true(em_has_replica(&world->em, 9, 1));
    assert_int_equal(em_on_sync_report(&world->em, 1, second, 2), 0);

    assert_false(em_has_replica(&world->em, 3, 1));
    assert_true(em_has_replica(&world->em, 7, 1));
    assert_true(em_has_replica(&world->em, 8, 1));
    assert_false(em_has_replica(&world->em, 9, 1));
}

static void report_of_one_node_leaves_the_others_alone(void **state)
{
    struct world *world = *state;

    join_with_replica(world, 1);
    join_with_replica(world, 2);
    assert_int_equal(em_on_sync_report(&world->em, 1, NULL, 0), 0);

    assert_false(em_has_replica(&world->em, EXTENT, 1));
    assert_true(em_has_replica(&world->em, EXTENT, 2));
}

static void hundreds_of_extents_are_kept_apart(void **state)
{
    struct world *world = *state;
    uint64_t extents[500];

    for (uint64_t i = 0; i < 500; i++)
        extents[i] = (i * 7919) % 500;
    heartbeat(world, 1);
    assert_int_equal(em_on_sync_report(&world->em, 1, extents, 500), 0);
    assert_int_equal(em_on_sync_report(&world->em, 1, extents, 250), 0);

    for (size_t i = 0; i < 500; i++)
        assert_int_equal(em_replica_count(&world->em, extents[i]), i < 250);
}

static void report_of_unknown_node_is_ignored(void **state)
{
    struct world *world = *state;

    report(world, 1);

    assert_int_equal(em_replica_count(&world->em, EXTENT), 0);
}

static void late_report_of_expired_node_is_ignored(void **state)
{
    struct world *world = *state;

    join_with_replica(world, 1);
    pass_ms(world, EXPIRY_MS);
    report(world, 1);

    assert_int_equal(em_replica_count(&world->em, EXTENT), 0);
}

/* What the switch does is the defect itself: the replica is back and outlives every expiry. */
static void accepted_late_report_brings_a_replica_back_for_good(void **state)
{
    struct world *world = *state;

    join_with_replica(world, 1);
    pass_ms(world, EXPIRY_MS);
    report(world, 1);
    pass_ms(world, 10 * EXPIRY_MS);

    assert_false(em_knows_node(&world->em, 1));
    assert_true(em_has_replica(&world->em, EXTENT, 1));
}

static void accepted_late_report_prevents_repair(void **state)
{
    struct world *world = *state;

    for (uint64_t node = 1; node <= 3; node++)
        join_with_replica(world, node);
    pass_ms(world, EXPIRY_MS - 1);
    for (uint64_t node = 2; node <= 4; node++)
        heartbeat(world, node);
    pass_ms(world, 1);
    assert_int_equal(em_replica_count(&world->em, EXTENT), 2);
    report(world, 1);
    repair_tick(world);

    assert_int_equal(world->sent_count, 0);
}

/* ---- The digest ----------------------------------------------------------------------------- */

static void the_digest_counts_times_from_now(void **state)
{
    struct world *world = *state;
    uint64_t before;

    join_with_replica(world, 1);
    before = em_digest(&world->em);
    world->clock_ms += 10;

    assert_int_not_equal(em_digest(&world->em), before);
    heartbeat(world, 1);
    assert_int_equal(em_digest(&world->em), before);
}

static void the_digest_tells_what_is_believed(void **state)
{
    struct world *world = *state;
    uint64_t known;
    uint64_t reported;

    heartbeat(world, 1);
    known = em_digest(&world->em);
    report(world, 1);
    reported = em_digest(&world->em);
    heartbeat(world, 2);

    assert_int_not_equal(known, reported);
    assert_int_not_equal(em_digest(&world->em), reported);
}

static void the_digest_tells_which_repairs_are_under_way(void **state)
{
    struct world *world = *state;
    uint64_t before;

    join_with_replica(world, 1);
    heartbeat(world, 2);
    before = em_digest(&world->em);
    repair_tick(world);

    assert_int_not_equal(em_digest(&world->em), before);
}

/* ---- Tables --------------------------------------------------------------------------------- */

static void new_record_is_zeroed_where_another_was(void **state)
{
    struct id_table table;
    struct node_entry *entry;

    (void)state;
    id_table_init(&table, sizeof(struct node_entry));
    entry = id_table_insert(&table, 1);
    entry->heartbeat_ms = 77;
    assert_true(id_table_remove(&table, 1));
    entry = id_table_insert(&table, 2);

    assert_int_equal(entry->id, 2);
    assert_int_equal(entry->heartbeat_ms, 0);
    id_table_done(&table);
}

static void inserting_an_id_again_finds_its_record(void **state)
{
    struct id_table table;
    struct node_entry *entry;

    (void)state;
    id_table_init(&table, sizeof(struct node_entry));
    entry = id_table_insert(&table, 1);
    entry->heartbeat_ms = 77;
    entry = id_table_insert(&table, 1);

    assert_int_equal(entry->heartbeat_ms, 77);
    assert_int_equal(table.n, 1);
    assert_false(id_table_remove(&table, 2));
    id_table_done(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_WORLD(init_starts_both_timers),
        cmocka_unit_test(init_refuses_an_incomplete_io),
        IN_WORLD(each_tick_starts_its_timer_again),
        cmocka_unit_test(done_takes_a_zeroed_manager),
        IN_WORLD(heartbeat_makes_a_node_known),
        IN_WORLD(silent_node_expires_with_its_replicas),
        IN_WORLD(all_silent_nodes_expire_in_one_round),
        IN_WORLD(heartbeat_puts_expiry_off),
        IN_WORLD(clock_set_back_expires_nobody),
        IN_WORLD(expired_node_returns_with_heartbeat_and_report),
        IN_WORLD(report_replaces_what_was_known_of_the_node),
        IN_WORLD(report_of_one_node_leaves_the_others_alone),
        IN_WORLD(hundreds_of_extents_are_kept_apart),
        IN_WORLD(report_of_unknown_node_is_ignored),
        IN_WORLD(late_report_of_expired_node_is_ignored),
        ACCEPTING(accepted_late_report_brings_a_replica_back_for_good),
        ACCEPTING(accepted_late_report_prevents_repair),
        IN_WORLD(the_digest_counts_times_from_now),
        IN_WORLD(the_digest_tells_what_is_believed),
        IN_WORLD(the_digest_tells_which_repairs_are_under_way),
        cmocka_unit_test(new_record_is_zeroed_where_another_was),
        cmocka_unit_test(inserting_an_id_again_finds_its_record),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
