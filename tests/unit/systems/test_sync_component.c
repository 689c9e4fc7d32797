/* test_sync_component.c - daemon, server and local files of the simulated synchroniser, with
 * messages delivered by hand. SPDX-License-Identifier: MIT
 */
#include "sync_world.h"

enum { A = 1, B = 2, C = 3, LONG = 10, IN_A = 1 << A, IN_B = 1 << B, IN_C = 1 << C };

/* ---- What all synchronisers do -------------------------------------------------------------- */

static void file_reaches_the_other_nodes(void **state)
{
    struct world *world = *state;

    assert_int_equal(user_writes(world, 0, A), 0);
    calm_down(world);

    assert_all_have(world, A, 0);
}

static void deletion_reaches_the_other_nodes(void **state)
{
    struct world *world = *state;

    user_writes(world, 0, A);
    calm_down(world);
    assert_int_equal(user_writes(world, 1, 0), A);
    calm_down(world);

    assert_all_have(world, 0, 0);
}

static void write_that_has_not_seen_another_becomes_a_conflict_file(void **state)
{
    struct world *world = *state;

    user_writes(world, 0, A);
    user_writes(world, 1, B);
    calm_down(world);

    assert_all_have(world, A, IN_B);
}

static void same_value_twice_is_no_conflict(void **state)
{
    struct world *world = *state;

    user_writes(world, 0, A);
    user_writes(world, 1, A);
    calm_down(world);

    assert_all_have(world, A, 0);
}

static void write_wins_over_an_earlier_deletion(void **state)
{
    struct world *world = *state;

    user_writes(world, 0, A);
    calm_down(world);
    user_writes(world, 0, 0);
    user_writes(world, 1, B);
    calm_down(world);

    assert_all_have(world, B, 0);
}

static void late_deletion_is_forgotten(void **state)
{
    struct world *world = *state;

    user_writes(world, 0, A);
    calm_down(world);
    user_writes(world, 0, B);
    user_writes(world, 1, 0);
    calm_down(world);

    assert_all_have(world, B, 0);
}

/* ---- What comes in between ------------------------------------------------------------------ */

static void file_that_was_changed_meanwhile_is_not_replaced(void **state)
{
    struct world *world = *state;

    user_writes(world, 0, A);
    assert_int_equal(to_server(world, 0), SYNC_DOWNLOAD);
    assert_int_equal(to_node(world, 0), SYNC_DOWNLOAD_REPLY);
    assert_int_equal(to_server(world, 0), SYNC_UPLOAD);
    assert_int_equal(to_node(world, 1), SYNC_NOTIFY);
    assert_int_equal(to_server(world, 1), SYNC_DOWNLOAD);
    user_writes_quietly(world, 1, B);
    assert_int_equal(to_node(world, 1), SYNC_DOWNLOAD_REPLY);

    assert_int_equal(value_on(world, 1), B);
    calm_down(world);
    assert_all_have(world, A, IN_B);
}

static void change_during_an_upload_is_uploaded_next(void **state)
{
    struct world *world = *state;

    user_writes(world, 0, A);
    to_server(world, 0);
    to_node(world, 0);
    user_writes(world, 0, B);
    calm_down(world);

    assert_all_have(world, B, 0);
}

static void one_daemon_at_a_time_has_its_turn(void **state)
{
    struct world *world = *state;

    user_writes(world, 0, A);
    user_writes(world, 1, B);
    to_server(world, 0);
    to_server(world, 1);

    assert_int_equal(world->nodes[0].from_server.n, 1);
    assert_int_equal(world->nodes[1].from_server.n, 0);
    to_node(world, 0);
    assert_int_equal(to_server(world, 0), SYNC_UPLOAD);
    assert_int_equal(to_node(world, 1), SYNC_NOTIFY);
    assert_int_equal(to_node(world, 1), SYNC_DOWNLOAD_REPLY);
}

static void file_that_is_written_back_to_what_it_was_counts_as_written(void **state)
{
    struct world *world = *state;

    user_writes(world, 0, A);
    calm_down(world);
    user_writes(world, 0, B);
    user_writes(world, 1, C);
    user_writes(world, 1, A);
    calm_down(world);

    assert_all_have(world, B, IN_A);
}

static void file_that_was_made_and_removed_at_once_is_none(void **state)
{
    struct world *world = *state;

    user_writes_quietly(world, 0, A);
    user_writes_quietly(world, 0, 0);
    tell_daemon(world, 0);

    assert_int_equal(world->nodes[0].to_server.n, 0);
}

/* ---- Daemons that die ----------------------------------------------------------------------- */

static void what_was_changed_without_a_daemon_is_found(void **state)
{
    struct world *world = *state;

    kill_daemon(world, 0);
    user_writes(world, 0, A);
    calm_down(world);
    assert_int_equal(world->server.files[0].value, 0);
    restart_daemon(world, 0);
    calm_down(world);

    assert_all_have(world, A, 0);
}

static void what_happened_elsewhere_without_it_is_told(void **state)
{
    struct world *world = *state;

    kill_daemon(world, 0);
    user_writes(world, 1, A);
    calm_down(world);
    assert_int_equal(value_on(world, 0), 0);
    restart_daemon(world, 0);
    calm_down(world);

    assert_all_have(world, A, 0);
}

static void turn_of_a_dead_daemon_goes_to_the_next(void **state)
{
    struct world *world = *state;

    user_writes(world, 0, A);
    user_writes(world, 1, B);
    to_server(world, 0);
    to_server(world, 1);
    kill_daemon(world, 0);
    to_server(world, 0);

    assert_int_equal(to_node(world, 1), SYNC_DOWNLOAD_REPLY);
    calm_down(world);
    assert_int_equal(value_on(world, 2), B);
}

static void answer_to_an_earlier_life_is_void(void **state)
{
    struct world *world = *state;

    user_writes(world, 0, A);
    to_server(world, 0);
    kill_daemon(world, 0);
    restart_daemon(world, 0);
    assert_int_equal(to_node(world, 0), SYNC_DOWNLOAD_REPLY);

    assert_int_equal(world->nodes[0].daemon.entries[0].upload.serial, 0);
    calm_down(world);
    assert_all_have(world, A, 0);
}

/* Uploads from node 0, which dies before it hears that the server has it. */
static void die_uploading(struct world *world)
{
    user_writes(world, 0, A);
    to_server(world, 0);
    to_node(world, 0);
    kill_daemon(world, 0);
    calm_down(world);
    assert_int_equal(world->server.files[0].value, A);
}

static void upload_that_nobody_heard_of_is_not_a_conflict_with_what_followed(void **state)
{
    struct world *world = *state;

    die_uploading(world);
    user_writes(world, 1, B);
    calm_down(world);
    restart_daemon(world, 0);
    calm_down(world);

    assert_all_have(world, B, 0);
}

static void change_after_an_upload_that_nobody_heard_of_replaces_it(void **state)
{
    struct world *world = *state;

    die_uploading(world);
    user_writes(world, 0, C);
    restart_daemon(world, 0);
    calm_down(world);

    assert_all_have(world, C, 0);
}

/* ---- Local files ---------------------------------------------------------------------------- */

static void second_and_size_can_be_the_same_before_and_after_a_change(void **state)
{
    struct files files = {.second = 5};
    struct stamp before;

    (void)state;
    local_files_write(&files, 0, A);
    before = files.all[0].stamp;
    assert_int_equal(local_files_write(&files, 0, B), A);

    assert_int_equal(files.all[0].stamp.second, before.second);
    assert_int_equal(files.all[0].stamp.size, before.size);
    assert_int_not_equal(files.all[0].stamp.change, before.change);
}

static void file_that_is_gone_has_no_stamp(void **state)
{
    struct files files = {.second = 5};

    (void)state;
    local_files_write(&files, 0, A);
    local_files_write(&files, 0, 0);

    assert_int_equal(files.all[0].stamp.change, 0);
    assert_int_equal(files.all[0].stamp.second, 0);
}

/* ---- The surprises of Dropbox and ownCloud, by hand ----------------------------------------- */

/* Node 0 deletes a file, node 1 writes it without knowing that, node 0 makes a new one, and hears
 * of what node 1 has written. */
static void make_anew_where_another_writes(struct world *world)
{
    user_writes(world, 0, A);
    calm_down(world);
    user_writes(world, 0, 0);
    to_server(world, 0);
    to_node(world, 0);
    to_server(world, 0);
    to_node(world, 0);
    user_writes(world, 1, B);
    to_server(world, 1);
    to_node(world, 1); /* that the file was deleted */
    to_node(world, 1);
    to_server(world, 1);
    user_writes_quietly(world, 0, C);
    assert_int_equal(to_node(world, 0), SYNC_NOTIFY);
}

static void new_file_stays_until_it_is_replaced(void **state)
{
    struct world *world = *state;

    make_anew_where_another_writes(world);

    assert_int_equal(value_on(world, 0), C);
    calm_down(world);
    assert_all_have(world, B, IN_C);
}

static void d1_takes_a_new_file_away_for_a_while(void **state)
{
    struct world *world = *state;

    world->wrong.apply_old_delete = true;
    make_anew_where_another_writes(world);

    assert_int_equal(value_on(world, 0), 0);
    calm_down(world);
    assert_all_have(world, B, IN_C);
}

static void delete_during_upload(struct world *world)
{
    user_writes(world, 0, B);
    to_server(world, 0);
    to_node(world, 0);
    user_writes(world, 0, 0);
    calm_down(world);
}

static void file_that_was_deleted_during_its_upload_is_gone(void **state)
{
    struct world *world = *state;

    delete_during_upload(world);

    assert_all_have(world, 0, 0);
}

static void d2_brings_back_what_was_deleted_during_its_upload(void **state)
{
    struct world *world = *state;

    world->wrong.reupload_after_delete = true;
    delete_during_upload(world);

    assert_all_have(world, B, 0);
}

static void d3_brings_back_what_was_deleted_before_it_was_recorded(void **state)
{
    struct world *world = *state;

    world->wrong.delete_vs_metadata_update = true;
    user_writes(world, 1, B);
    calm_down(world);
    assert_int_equal(user_writes(world, 0, 0), B);
    calm_down(world);

    assert_true(world->nodes[0].has_record);
    assert_int_equal(value_on(world, 0), B);
}

static void d4_misses_a_change_of_the_same_second_and_size(void **state)
{
    struct world *world = *state;

    world->wrong.mtime_size_check = true;
    user_writes(world, 1, B);
    calm_down(world);
    user_writes(world, 0, A);
    calm_down(world);

    assert_int_equal(value_on(world, 0), A);
    assert_int_equal(world->server.files[0].value, B);
    user_writes(world, 1, C);
    calm_down(world);
    assert_all_have(world, C, 0); /* and A is lost */
}

static void d4_sees_a_change_of_another_second_or_size(void **state)
{
    struct world *world = *state;

    world->wrong.mtime_size_check = true;
    user_writes(world, 1, B);
    calm_down(world);
    user_writes(world, 0, LONG);
    calm_down(world);
    assert_all_have(world, LONG, 0);
    world->nodes[1].files.second++;
    user_writes(world, 1, LONG + 1);
    calm_down(world);

    assert_all_have(world, LONG + 1, 0);
}

static void directory_that_was_made_again_stays(void **state)
{
    struct world *world = *state;

    user_writes(world, 0, SYNC_DIRECTORY);
    calm_down(world);
    user_writes(world, 0, 0);
    user_writes(world, 0, SYNC_DIRECTORY);
    calm_down(world);

    assert_all_have(world, SYNC_DIRECTORY, 0);
}

static void o1_removes_a_directory_that_was_made_again(void **state)
{
    struct world *world = *state;

    world->wrong.directory_reorder = true;
    user_writes(world, 0, SYNC_DIRECTORY);
    calm_down(world);
    user_writes(world, 0, 0);
    user_writes(world, 0, SYNC_DIRECTORY);
    calm_down(world);

    assert_all_have(world, 0, 0);
}

static void o2_loses_a_change_of_the_second_of_an_upload(void **state)
{
    struct world *world = *state;

    world->wrong.upload_mtime_check = true;
    user_writes(world, 0, A);
    calm_down(world);
    user_writes(world, 0, C);
    calm_down(world);
    assert_int_equal(value_on(world, 0), C);
    user_writes(world, 1, B);
    calm_down(world);

    assert_all_have(world, B, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name_) cmocka_unit_test_setup_teardown(name_, world_set_up, world_tear_down)
        TEST(file_reaches_the_other_nodes),
        TEST(deletion_reaches_the_other_nodes),
        TEST(write_that_has_not_seen_another_becomes_a_conflict_file),
        TEST(same_value_twice_is_no_conflict),
        TEST(write_wins_over_an_earlier_deletion),
        TEST(late_deletion_is_forgotten),
        TEST(file_that_was_changed_meanwhile_is_not_replaced),
        TEST(change_during_an_upload_is_uploaded_next),
        TEST(one_daemon_at_a_time_has_its_turn),
        TEST(file_that_is_written_back_to_what_it_was_counts_as_written),
        TEST(file_that_was_made_and_removed_at_once_is_none),
        TEST(what_was_changed_without_a_daemon_is_found),
        TEST(what_happened_elsewhere_without_it_is_told),
        TEST(turn_of_a_dead_daemon_goes_to_the_next),
        TEST(answer_to_an_earlier_life_is_void),
        TEST(upload_that_nobody_heard_of_is_not_a_conflict_with_what_followed),
        TEST(change_after_an_upload_that_nobody_heard_of_replaces_it),
        TEST(second_and_size_can_be_the_same_before_and_after_a_change),
        TEST(file_that_is_gone_has_no_stamp),
        TEST(new_file_stays_until_it_is_replaced),
        TEST(d1_takes_a_new_file_away_for_a_while),
        TEST(file_that_was_deleted_during_its_upload_is_gone),
        TEST(d2_brings_back_what_was_deleted_during_its_upload),
        TEST(d3_brings_back_what_was_deleted_before_it_was_recorded),
        TEST(d4_misses_a_change_of_the_same_second_and_size),
        TEST(d4_sees_a_change_of_another_second_or_size),
        TEST(directory_that_was_made_again_stays),
        TEST(o1_removes_a_directory_that_was_made_again),
        TEST(o2_loses_a_change_of_the_second_of_an_upload),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
