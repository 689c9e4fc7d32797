/* test_raft_storage.c - Raft alone: what is on its disk, and what a crash leaves of it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "raft_world.h"

#include <errno.h>
#include <string.h>

enum { RECORD = 40 }; /* bytes of an entry in the file `log` */

/* Server 1 leads, and all servers have a no-op and n commands. */
static void fill(struct world *world, uint32_t n)
{
    elect(world, 1);
    for (uint32_t sequence = 1; sequence <= n; sequence++) {
        ask_write(world, 1, sequence, 10 * sequence);
        deliver_all(world);
    }
    beat(world, 1);
}

static void confirmed_entries_survive_a_crash(void **state)
{
    struct world *world = *state;
    struct raft_log before;

    fill(world, 3);
    before = raft_of(world, 2)->log;
    crash(world, 2, LOSE_UNSYNCED);
    assert_int_equal(restart(world, 2), 0);

    assert_int_equal(raft_of(world, 2)->log.count, 4);
    assert_memory_equal(raft_of(world, 2)->log.entries, before.entries,
                        4 * sizeof(struct raft_entry));
    assert_int_equal(raft_of(world, 2)->term, 1);
    assert_int_equal(raft_of(world, 2)->commit_index, 0);
}

static void unsynced_entries_are_lost_only_by_the_bug(void **state)
{
    struct world *world = *state;
    struct raft_config config = {.bugs.ack_before_sync = true};

    world_init(world, 5, 5, &config);
    fill(world, 1);
    crash(world, 2, LOSE_UNSYNCED);
    assert_int_equal(restart(world, 2), 0);

    assert_int_equal(raft_of(world, 1)->progress[2].match_index, 2);
    assert_int_equal(raft_of(world, 2)->log.count, 0);
}

static void restarted_server_applies_everything_again(void **state)
{
    struct world *world = *state;

    fill(world, 3);
    crash(world, 2, LOSE_UNSYNCED);
    assert_int_equal(restart(world, 2), 0);
    beat(world, 1);

    assert_int_equal(world->servers[2].applied_count, 3);
    assert_int_equal(world->servers[2].registers.values[0], 30);
}

/* The file grew by half a record and the crash kept that. */
static void torn_record_is_cut_off(void **state)
{
    struct world *world = *state;
    struct world_file *file;

    fill(world, 2);
    file = file_of(world, 2, "log");
    memset(file->now.bytes + file->now.size, 0xa5, RECORD / 2);
    file->now.size += RECORD / 2;
    crash(world, 2, KEEP_ALL);
    assert_int_equal(restart(world, 2), 0);

    assert_int_equal(raft_of(world, 2)->log.count, 3);
    assert_int_equal(file->now.size, 3 * RECORD);
}

static void damaged_record_ends_the_log(void **state)
{
    struct world *world = *state;
    struct world_file *file;

    fill(world, 3);
    file = file_of(world, 2, "log");
    file->now.bytes[2 * RECORD + 20] ^= 1;
    crash(world, 2, KEEP_ALL);
    assert_int_equal(restart(world, 2), 0);

    assert_int_equal(raft_of(world, 2)->log.count, 2);
}

/* Entries 2 to 4 of a deposed leader are replaced by one of its successor; of that the crash keeps
 * the record, but not that the file was cut. The old records behind it follow another one. */
static void old_records_behind_a_new_one_are_cut_off(void **state)
{
    struct world *world = *state;
    unsigned char old[WORLD_FILE_MAX];
    struct world_file *file;

    elect(world, 1);
    world->cut = 1;
    ask_write(world, 1, 1, 1);
    ask_write(world, 1, 2, 2);
    ask_write(world, 1, 3, 3);
    file = file_of(world, 1, "log");
    memcpy(old, file->now.bytes, sizeof(old));
    lose_all(world);
    elect(world, 2);
    world->cut = 0;
    beat(world, 2);
    assert_int_equal(file->now.size, 2 * RECORD);
    memcpy(file->now.bytes + 2 * RECORD, old + 2 * RECORD, 2 * RECORD);
    file->now.size = 4 * RECORD;
    crash(world, 1, KEEP_ALL);
    assert_int_equal(restart(world, 1), 0);

    assert_int_equal(raft_of(world, 1)->log.count, 2);
    assert_int_equal(raft_log_term(&raft_of(world, 1)->log, 2), 2);
}

static void file_of_zeros_is_an_empty_log(void **state)
{
    struct world *world = *state;
    struct world_file *file = file_of(world, 2, "log");

    file->now.exists = true;
    file->now.size = 2 * RECORD;
    crash(world, 2, KEEP_ALL);
    assert_int_equal(restart(world, 2), 0);

    assert_int_equal(raft_of(world, 2)->log.count, 0);
    assert_int_equal(file->now.size, 0);
}

static void damaged_term_is_an_error(void **state)
{
    struct world *world = *state;

    elect(world, 1);
    file_of(world, 2, "term")->now.bytes[0] ^= 1;
    crash(world, 2, KEEP_ALL);

    assert_int_equal(restart(world, 2), -EIO);
}

static void log_that_begins_too_late_is_an_error(void **state)
{
    struct world *world = *state;
    struct world_file *file;

    fill(world, 3);
    file = file_of(world, 2, "log");
    memmove(file->now.bytes, file->now.bytes + RECORD, 3 * RECORD);
    file->now.size -= RECORD;
    crash(world, 2, KEEP_ALL);

    assert_int_equal(restart(world, 2), -EIO);
}

/* ---- Snapshots ------------------------------------------------------------------------------ */

static void set_up_small(struct world *world)
{
    struct raft_config config = {.snapshot_entries = 3};

    world_init(world, 5, 5, &config);
}

static void snapshot_survives_a_crash_and_shortens_the_file(void **state)
{
    struct world *world = *state;

    set_up_small(world);
    fill(world, 3);
    assert_int_equal(raft_of(world, 2)->snapshot.last_index, 3);
    crash(world, 2, LOSE_UNSYNCED);
    assert_int_equal(restart(world, 2), 0);

    assert_int_equal(raft_of(world, 2)->snapshot.last_index, 3);
    assert_int_equal(raft_of(world, 2)->applied_index, 3);
    assert_int_equal(raft_of(world, 2)->log.count, 1);
    assert_int_equal(world->servers[2].registers.values[0], 20);
    assert_int_equal(file_of(world, 2, "log")->now.size, RECORD);
}

/* A crash between the two: the snapshot is the new one, the log's file the old one, with an entry
 * behind the snapshot's last. */
static void log_from_before_the_snapshot_is_cut(void **state)
{
    struct world *world = *state;
    struct world_bytes old;
    struct world_file *file;

    set_up_small(world);
    fill(world, 1);
    file = file_of(world, 2, "log");
    ask_write(world, 1, 2, 20);
    deliver_all(world);
    old = file->now;
    assert_int_equal(old.size, 3 * RECORD);
    ask_write(world, 1, 3, 30);
    deliver_all(world);
    assert_int_equal(raft_of(world, 2)->snapshot.last_index, 3);
    assert_int_equal(file->now.size, RECORD);
    memcpy(old.bytes + old.size, file->now.bytes, RECORD);
    old.size += RECORD;
    file->now = old;
    crash(world, 2, KEEP_ALL);
    assert_int_equal(restart(world, 2), 0);

    assert_int_equal(raft_of(world, 2)->log.base_index, 3);
    assert_int_equal(raft_of(world, 2)->log.count, 1);
    assert_int_equal(file->now.size, RECORD);
}

/* More entries than a log can hold at a time, all in a snapshot, and then one that is not. */
static void file_holds_what_the_log_holds(void **state)
{
    struct world *world = *state;

    set_up_small(world);
    fill(world, RAFT_LOG_MAX + 1);
    assert_int_equal(raft_of(world, 2)->log.count, 0);
    ask_write(world, 1, RAFT_LOG_MAX + 2, 1);
    deliver_all(world);
    crash(world, 2, LOSE_UNSYNCED);
    assert_int_equal(restart(world, 2), 0);

    assert_int_equal(raft_log_last_index(&raft_of(world, 2)->log), RAFT_LOG_MAX + 3);
    assert_int_equal(file_of(world, 2, "log")->now.size, RECORD);
}

static void log_of_another_leader_is_dropped_beside_the_snapshot(void **state)
{
    struct world *world = *state;
    struct world_bytes old;

    set_up_small(world);
    elect(world, 1);
    world->cut = 1;
    for (uint32_t sequence = 1; sequence <= 5; sequence++)
        ask_write(world, 1, sequence, sequence);
    old = file_of(world, 1, "log")->now;
    lose_all(world);
    elect(world, 2);
    ask_write(world, 2, 1, 10);
    deliver_all(world);
    world->cut = 0;
    beat(world, 2);
    assert_int_equal(raft_of(world, 1)->snapshot.last_index, 3);
    file_of(world, 1, "log")->now = old;
    crash(world, 1, KEEP_ALL);
    assert_int_equal(restart(world, 1), 0);

    assert_int_equal(raft_of(world, 1)->log.count, 0);
    assert_int_equal(raft_log_last_term(&raft_of(world, 1)->log), 2);
    assert_int_equal(world->servers[1].registers.values[0], 10);
}

/* ---- A disk that fails ---------------------------------------------------------------------- */

static void failed_disk_ends_the_server(void **state)
{
    struct world *world = *state;
    struct world_message message;

    elect(world, 1);
    ask_write(world, 1, 1, 1);
    message = take(world, 2, RAFT_APPEND);
    world->servers[2].disk_operations_left = 0;

    assert_int_equal(raft_receive(raft_of(world, 2), RAFT_APPEND, &message.body), -EIO);
    assert_int_equal(count_sent(world, 1, RAFT_APPEND_REPLY), 0);
    assert_int_equal(raft_timeout(raft_of(world, 2), RAFT_TIMER_ELECTION), -EIO);
    assert_int_equal(raft_receive(raft_of(world, 2), RAFT_APPEND, &message.body), -EIO);
}

static void failed_sync_gives_no_vote(void **state)
{
    struct world *world = *state;
    struct world_message message;

    time_out(world, 1, RAFT_TIMER_ELECTION);
    message = take(world, 2, RAFT_VOTE_REQUEST);
    world->servers[2].disk_operations_left = 3; /* the new term, and the vote but for its sync */

    assert_int_equal(raft_receive(raft_of(world, 2), RAFT_VOTE_REQUEST, &message.body), -EIO);
    assert_int_equal(count_sent(world, 1, RAFT_VOTE_REPLY), 0);
}

/* The record of an entry is written, but its sync fails and ends the server. It starts again, finds
 * the entry, and confirms it to the leader; then its machine crashes. Is the entry lost? */
static bool loses_a_confirmed_entry(struct world *world, bool trust_unsynced)
{
    struct raft_config config = {.bugs.trust_unsynced = trust_unsynced};
    struct world_message message;

    world_init(world, 5, 5, &config);
    fill(world, 0);
    ask_write(world, 1, 1, 10);
    message = take(world, 2, RAFT_APPEND);
    world->servers[2].disk_operations_left = 1;
    assert_int_equal(raft_receive(raft_of(world, 2), RAFT_APPEND, &message.body), -EIO);
    assert_int_equal(restart(world, 2), 0);
    hand_over(world, &message);
    message = take(world, 1, RAFT_APPEND_REPLY);
    assert_int_equal(message.body.append_reply.match_index, 2);
    crash(world, 2, LOSE_UNSYNCED);
    assert_int_equal(restart(world, 2), 0);
    return raft_of(world, 2)->log.count < 2;
}

static void what_a_start_finds_is_made_durable(void **state)
{
    assert_false(loses_a_confirmed_entry(*state, false));
}

static void what_a_start_finds_is_lost_if_trusted(void **state)
{
    assert_true(loses_a_confirmed_entry(*state, true));
}

/* Nothing is renamed after a sync that failed: the old snapshot is still the one. */
static void failed_snapshot_leaves_the_old_one(void **state)
{
    struct world *world = *state;
    struct world_message message;

    set_up_small(world);
    fill(world, 3);
    ask_write(world, 1, 4, 40);
    deliver_all(world);
    ask_write(world, 1, 5, 50);
    deliver_all(world);
    time_out(world, 1, RAFT_TIMER_HEARTBEAT);
    message = take(world, 2, RAFT_APPEND);
    world->servers[2].disk_operations_left = 1;
    assert_int_equal(raft_receive(raft_of(world, 2), RAFT_APPEND, &message.body), -EIO);
    crash(world, 2, KEEP_ALL);
    assert_int_equal(restart(world, 2), 0);

    assert_int_equal(raft_of(world, 2)->snapshot.last_index, 3);
    assert_int_equal(raft_log_last_index(&raft_of(world, 2)->log), 6);
}

/* The new snapshot has got its name when the disk fails, and the crash keeps the name. */
static void snapshot_is_durable_before_it_has_its_name(void **state)
{
    struct world *world = *state;
    struct world_message message;

    set_up_small(world);
    fill(world, 1);
    ask_write(world, 1, 2, 20);
    deliver_all(world);
    time_out(world, 1, RAFT_TIMER_HEARTBEAT);
    message = take(world, 2, RAFT_APPEND);
    world->servers[2].fails_after_rename = true;
    assert_int_equal(raft_receive(raft_of(world, 2), RAFT_APPEND, &message.body), -EIO);
    crash(world, 2, KEEP_NAMES);
    assert_int_equal(restart(world, 2), 0);

    assert_int_equal(raft_of(world, 2)->snapshot.last_index, 3);
    assert_int_equal(world->servers[2].registers.values[0], 20);
}

static void unreadable_disk_prevents_a_start(void **state)
{
    struct world *world = *state;

    fill(world, 1);
    crash(world, 2, LOSE_UNSYNCED);
    world->servers[2].disk_operations_left = 2;

    assert_int_equal(restart(world, 2), -EIO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_WORLD(confirmed_entries_survive_a_crash),
        IN_WORLD(unsynced_entries_are_lost_only_by_the_bug),
        IN_WORLD(restarted_server_applies_everything_again),
        IN_WORLD(torn_record_is_cut_off),
        IN_WORLD(damaged_record_ends_the_log),
        IN_WORLD(old_records_behind_a_new_one_are_cut_off),
        IN_WORLD(file_of_zeros_is_an_empty_log),
        IN_WORLD(damaged_term_is_an_error),
        IN_WORLD(log_that_begins_too_late_is_an_error),
        IN_WORLD(snapshot_survives_a_crash_and_shortens_the_file),
        IN_WORLD(log_from_before_the_snapshot_is_cut),
        IN_WORLD(file_holds_what_the_log_holds),
        IN_WORLD(log_of_another_leader_is_dropped_beside_the_snapshot),
        IN_WORLD(failed_disk_ends_the_server),
        IN_WORLD(failed_sync_gives_no_vote),
        IN_WORLD(what_a_start_finds_is_made_durable),
        IN_WORLD(what_a_start_finds_is_lost_if_trusted),
        IN_WORLD(failed_snapshot_leaves_the_old_one),
        IN_WORLD(snapshot_is_durable_before_it_has_its_name),
        IN_WORLD(unreadable_disk_prevents_a_start),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
