/* test_disk.c - what disks promise: one claim per rule of docs/disks.md.
 * SPDX-License-Identifier: MIT
 */
#include "disk_scenario.h"
#include "substrate/files.h"

/* ---- Before a crash -------------------------------------------------------------------------- */

static void read_back(void)
{
    append("log", 'a', 10);
    append("log", 'b', 10);
    put("log", 5, 'c', 10);
    outcome("log", NULL);
}

static void what_was_written_can_be_read_before_a_sync(void **unused)
{
    (void)unused;

    struct sn_result r = run_scenario(run_on_a_node, read_back);

    assert_outcomes(&r, "5a10c5b");
}

static void leave_a_gap(void)
{
    append("log", 'a', 10);
    put("log", 600, 'b', 10);
    outcome("log", NULL);
    sync_it("log");
    outcome("log", NULL);
}

static void a_gap_is_filled_with_zeros(void **unused)
{
    (void)unused;

    struct sn_result r = run_scenario(run_on_a_node, leave_a_gap);

    assert_outcomes(&r, "10a590.10b");
}

static void cut_and_fill(void)
{
    append("log", 'a', 1000);
    sync_it("log");
    sn_assert(sn_disk_truncate("log", 600) == 0);
    outcome("log", NULL);
    sn_assert(sn_disk_truncate("log", 700) == 0);
    outcome("log", NULL);
    put("log", 750, 'b', 10);
    sync_it("log");
    outcome("log", NULL);
}

static void what_is_cut_off_does_not_come_back_when_the_file_grows(void **unused)
{
    (void)unused;

    struct sn_result r = run_scenario(run_on_a_node, cut_and_fill);

    assert_outcomes(&r, "600a 600a100. 600a150.10b");
}

static void read_parts(void)
{
    char bytes[8] = "zzzzzzzz";

    append("log", 'a', 10);
    sn_assert(sn_disk_read("log", 7, bytes, 8) == 3);
    sn_assert(memcmp(bytes, "aaazzzzz", 8) == 0);
    sn_assert(sn_disk_read("log", 10, bytes, 8) == 0);
    sn_assert(sn_disk_read("log", UINT64_MAX, bytes, 8) == 0);
    sn_assert(sn_disk_read("log", 0, NULL, 0) == 0);
    sn_assert(memcmp(bytes, "aaazzzzz", 8) == 0);
}

static void a_read_gets_what_lies_before_the_end(void **unused)
{
    (void)unused;

    struct sn_result r = run_scenario(run_on_a_node, read_parts);

    assert_string_equal(r.failure, "");
}

static void write_nothing(void)
{
    sn_assert(sn_disk_write("log", 100, NULL, 0) == 0);
    outcome("log", NULL);
}

static void writing_no_bytes_makes_an_empty_file(void **unused)
{
    (void)unused;

    struct sn_result r = run_scenario(run_on_a_node, write_nothing);

    assert_outcomes(&r, "empty");
}

static void use_what_is_missing(void)
{
    char byte;

    append("other", 'a', 1);
    sn_assert(sn_disk_size("log") == -1);
    sn_assert(sn_disk_read("log", 0, &byte, 1) == SN_ENOTFOUND);
    sn_assert(sn_disk_rename("log", "other") == SN_ENOTFOUND);
    sn_assert(sn_disk_remove("log") == SN_ENOTFOUND);
    sn_assert(sn_disk_sync("log") == SN_ENOTFOUND);
    sn_assert(sn_disk_sync(NULL) == 0);
    outcome("log", "other");
}

static void a_file_that_does_not_exist_is_not_found(void **unused)
{
    (void)unused;

    struct sn_result r = run_scenario(run_on_a_node, use_what_is_missing);

    assert_outcomes(&r, "none,1a");
}

static void rename_and_remove(void)
{
    append("a", 'a', 1);
    append("b", 'b', 1);
    sn_assert(sn_disk_rename("a", "a") == 0);
    outcome("a", "b");
    sn_assert(sn_disk_rename("a", "b") == 0);
    outcome("a", "b");
    append("a", 'c', 1);
    outcome("a", "b");
    sn_assert(sn_disk_remove("b") == 0);
    outcome("a", "b");
}

static void a_renamed_file_replaces_another_and_a_removed_one_is_gone(void **unused)
{
    (void)unused;

    struct sn_result r = run_scenario(run_on_a_node, rename_and_remove);

    assert_outcomes(&r, "1a,1b none,1a 1c,1a 1c,none");
}

/* ---- Bytes after a crash --------------------------------------------------------------------- */

static void crash_an_append(void)
{
    prepare("log", 'a', 100);
    append("log", 'b', 1000);
    crash();
    outcome("log", NULL);
}

static void an_unsynced_append_is_lost_kept_or_torn_at_a_sector(void **unused)
{
    (void)unused;

    struct sn_result r = run_scenario(run_on_a_node, crash_an_append);

    assert_outcomes(&r, "100a 100a412b 100a924b 100a1000b");
}

static void crash_within_a_sector(void)
{
    prepare("log", 'a', 1024);
    put("log", 512, 'b', 512);
    crash();
    outcome("log", NULL);
}

static void a_write_of_one_sector_is_all_or_nothing_and_decided_once(void **unused)
{
    (void)unused;

    struct sn_result r = run_scenario(run_on_a_node, crash_within_a_sector);

    assert_outcomes(&r, "1024a 512a512b");
    assert_int_equal(r.trials, 2);
}

static void crash_across_a_border(void)
{
    prepare("log", 'a', 1024);
    put("log", 511, 'b', 2);
    crash();
    outcome("log", NULL);
}

static void sectors_are_counted_from_the_beginning_of_the_file(void **unused)
{
    (void)unused;

    struct sn_result r = run_scenario(run_on_a_node, crash_across_a_border);

    assert_outcomes(&r, "1024a 511a1b512a 511a2b511a");
}

static void crash_synced(void)
{
    append("log", 'a', 2000);
    put("log", 300, 'b', 1000);
    sn_assert(sn_disk_truncate("log", 1500) == 0);
    sync_it("log");
    crash();
    outcome("log", NULL);
}

static void what_is_synced_is_never_lost(void **unused)
{
    (void)unused;

    struct sn_result r = run_scenario(run_on_a_node, crash_synced);

    assert_outcomes(&r, "300a1000b200a");
    assert_int_equal(r.trials, 1);
}

static void crash_two_appends(void)
{
    prepare("log", 'a', 512);
    append("log", 'b', 512);
    append("log", 'c', 512);
    crash();
    outcome("log", NULL);
}

static void a_later_write_may_survive_an_earlier_one_and_the_gap_is_zeros(void **unused)
{
    (void)unused;

    struct sn_result r = run_scenario(run_on_a_node, crash_two_appends);

    assert_outcomes(&r, "512a 512a512b 512a512.512c 512a512b512c");
}

static void crash_two_overwrites(void)
{
    prepare("log", 'a', 1024);
    put("log", 0, 'b', 512);
    put("log", 256, 'c', 512);
    crash();
    outcome("log", NULL);
}

static void a_lost_write_leaves_what_was_durable_there(void **unused)
{
    (void)unused;

    struct sn_result r = run_scenario(run_on_a_node, crash_two_overwrites);

    assert_outcomes(&r, "1024a 512b512a 256a256c512a 256a512c256a 256b256c512a 256b512c256a");
}

static void crash_a_truncation(void)
{
    prepare("log", 'a', 100);
    sn_assert(sn_disk_truncate("log", 50) == 0);
    append("log", 'b', 10);
    crash();
    outcome("log", NULL);
}

static void a_truncation_is_lost_or_kept_apart_from_writes(void **unused)
{
    (void)unused;

    struct sn_result r = run_scenario(run_on_a_node, crash_a_truncation);

    assert_outcomes(&r, "100a 50a 50a10b40a 50a10b");
}

static void crash_twice(void)
{
    prepare("log", 'a', 10);
    append("log", 'b', 10);
    crash();
    crash();
    outcome("log", NULL);
}

static void what_survived_one_crash_survives_the_next(void **unused)
{
    (void)unused;

    struct sn_result r = run_scenario(run_on_a_node, crash_twice);

    assert_outcomes(&r, "10a 10a10b");
    assert_int_equal(r.trials, 2);
}

static void sync_one_of_two(void)
{
    prepare("a", 'o', 1);
    prepare("b", 'o', 1);
    append("a", 'a', 1);
    append("b", 'b', 1);
    sync_it("a");
    crash();
    outcome("a", "b");
}

static void a_sync_of_one_file_leaves_others_unsynced(void **unused)
{
    (void)unused;

    struct sn_result r = run_scenario(run_on_a_node, sync_one_of_two);

    assert_outcomes(&r, "1o1a,1o 1o1a,1o1b");
}

static void sync_everything(void)
{
    append("a", 'a', 1);
    append("b", 'b', 1);
    sn_assert(sn_disk_rename("b", "c") == 0);
    sync_it(NULL);
    crash();
    outcome("a", "c");
}

static void a_sync_without_a_name_is_of_everything(void **unused)
{
    (void)unused;

    struct sn_result r = run_scenario(run_on_a_node, sync_everything);

    assert_outcomes(&r, "1a,1b");
    assert_int_equal(r.trials, 1);
}

/* ---- Names after a crash --------------------------------------------------------------------- */

static void crash_a_new_file(void)
{
    append("log", 'a', 10);
    crash();
    outcome("log", NULL);
}

static void a_new_file_is_lost_empty_or_whole(void **unused)
{
    (void)unused;

    struct sn_result r = run_scenario(run_on_a_node, crash_a_new_file);

    assert_outcomes(&r, "none empty 10a");
}

static void crash_a_rename(void)
{
    prepare("state", 'o', 10);
    prepare("tmp", 'n', 10);
    sn_assert(sn_disk_rename("tmp", "state") == 0);
    crash();
    outcome("state", "tmp");
}

static void a_rename_is_atomic(void **unused)
{
    (void)unused;

    struct sn_result r = run_scenario(run_on_a_node, crash_a_rename);

    assert_outcomes(&r, "10o,10n 10n,none");
    assert_int_equal(r.trials, 2);
}

static void crash_a_rename_of_unsynced_bytes(void)
{
    prepare("state", 'o', 10);
    append("tmp", 'n', 10);
    sn_assert(sn_disk_rename("tmp", "state") == 0);
    crash();
    outcome("state", "tmp");
}

static void a_name_may_survive_without_the_bytes(void **unused)
{
    (void)unused;

    struct sn_result r = run_scenario(run_on_a_node, crash_a_rename_of_unsynced_bytes);

    assert_outcomes(&r, "10o,none 10o,empty 10o,10n empty,none 10n,none");
}

static void crash_two_new_files(void)
{
    sn_assert(sn_disk_truncate("a", 0) == 0);
    sn_assert(sn_disk_truncate("b", 0) == 0);
    crash();
    outcome("a", "b");
}

static void names_survive_in_the_order_in_which_they_were_given(void **unused)
{
    (void)unused;

    struct sn_result r = run_scenario(run_on_a_node, crash_two_new_files);

    assert_outcomes(&r, "none,none empty,none empty,empty");
    assert_int_equal(r.trials, 2 + 3); /* none, all, or drawn: 0, 1 or 2 of them */
}

static void sync_the_second_file(void)
{
    append("a", 'a', 1);
    append("b", 'b', 1);
    sync_it("b");
    crash();
    outcome("a", "b");
}

static void a_sync_makes_a_name_durable_and_those_before_it(void **unused)
{
    (void)unused;

    struct sn_result r = run_scenario(run_on_a_node, sync_the_second_file);

    assert_outcomes(&r, "empty,1b 1a,1b");
}

static void sync_the_first_file(void)
{
    append("a", 'a', 1);
    append("b", 'b', 1);
    sync_it("a");
    crash();
    outcome("a", "b");
}

static void a_sync_makes_no_name_durable_that_comes_later(void **unused)
{
    (void)unused;

    struct sn_result r = run_scenario(run_on_a_node, sync_the_first_file);

    assert_outcomes(&r, "1a,none 1a,empty 1a,1b");
}

static void sync_a_renamed_file(void)
{
    prepare("state", 'o', 1);
    append("tmp", 'n', 1);
    sn_assert(sn_disk_rename("tmp", "state") == 0);
    sync_it("state");
    crash();
    outcome("state", "tmp");
}

static void a_sync_makes_the_latest_name_durable(void **unused)
{
    (void)unused;

    struct sn_result r = run_scenario(run_on_a_node, sync_a_renamed_file);

    assert_outcomes(&r, "1n,none");
    assert_int_equal(r.trials, 1);
}

static void crash_a_removal(void)
{
    prepare("a", 'a', 10);
    sn_assert(sn_disk_remove("a") == 0);
    append("a", 'b', 10);
    crash();
    outcome("a", NULL);
}

static void a_removed_file_may_come_back_as_it_was(void **unused)
{
    (void)unused;

    struct sn_result r = run_scenario(run_on_a_node, crash_a_removal);

    assert_outcomes(&r, "10a none empty 10b");
}

/* ---- Stops, nodes and errors ----------------------------------------------------------------- */

static void stop_it(void)
{
    append("a", 'a', 600);
    sn_assert(sn_disk_rename("a", "b") == 0);
    disk_stop(trial_here(), sn_node_of(sn_self()));
    crash();
    outcome("a", "b");
}

static void after_a_stop_everything_is_durable(void **unused)
{
    (void)unused;

    struct sn_result r = run_scenario(run_on_a_node, stop_it);

    assert_outcomes(&r, "none,600a");
    assert_int_equal(r.trials, 1);
}

static const struct sn_event down = {.name = "Down"};

/* Its first life writes, its second one looks. */
static void live(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    if (sn_disk_size("lives") < 0) {
        prepare("lives", 'x', 1);
        append("log", 'a', 600);
    } else {
        outcome("log", "lives");
    }
}

static const struct sn_state born = {.name = "Born", .entry = live};
static const struct sn_machine resident = {.name = "Resident", .start = &born};

static void on_down(void *self, const void *payload)
{
    const sn_node node = 1;

    (void)self;
    (void)payload;
    scenario();
    sn_node_restart(node);
}

static const struct sn_state waiting = {
    .name = "Waiting", .on = (const struct sn_on[]){{.event = &down, .run = on_down}, {0}}};
static const struct sn_machine keeper = {.name = "Keeper", .start = &waiting};

static void run_two_lives(void)
{
    sn_node node = sn_node_new("n1");
    sn_id machine;

    (void)sn_create_on(node, &resident, NULL);
    machine = sn_create(&keeper, NULL);
    sn_send(machine, &down, NULL);
}

static void crash_node(void)
{
    sn_node_crash(1);
}

static void stop_node(void)
{
    sn_node_stop(1);
}

static void a_machine_that_is_born_again_finds_what_survived_the_crash(void **unused)
{
    (void)unused;

    struct sn_result r = run_scenario(run_two_lives, crash_node);

    assert_outcomes(&r, "none,1x empty,1x 512a,1x 600a,1x");
}

static void a_machine_that_is_born_again_finds_everything_after_a_stop(void **unused)
{
    (void)unused;

    struct sn_result r = run_scenario(run_two_lives, stop_node);

    assert_outcomes(&r, "600a,1x");
}

/* Looks first; where nothing is left, works. */
static void work_in_one_step(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    outcome("a", "b");
    if (sn_disk_size("a") < 0) {
        prepare("a", 'a', 1);
        prepare("b", 'b', 1);
    }
}

static const struct sn_state one_step = {.name = "OneStep", .entry = work_in_one_step};
static const struct sn_machine one_stepper = {.name = "OneStepper", .start = &one_step};

static void run_one_step(void)
{
    (void)sn_create_on(sn_node_new("n1"), &one_stepper, NULL);
}

static void a_crash_in_the_middle_of_a_step_comes_after_any_of_its_operations(void **unused)
{
    const struct sn_faults faults = {.crashes = 1, .down_ns = 1};
    const struct sn_test test = {
        .name = "middle", .run = run_one_step, .world = SN_WORLD_TRIAL, .faults = &faults};

    (void)unused;
    observe_clear();

    struct sn_result r = run_test_all(&test);

    assert_outcomes(&r, "none,none empty,none 1a,none 1a,empty 1a,1b");
}

/* ---- Whose disk it is ------------------------------------------------------------------------ */

static const struct sn_event go = {.name = "Go"};

/* Writes the letter of its birth, and looks when it is told to. */
static const struct sn_event letter = {.name = "Letter", .size = sizeof(char)};

static void write_letter(void *self, const void *payload)
{
    (void)self;
    append("log", *(const char *)payload, 1);
}

static void on_go(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    outcome("log", NULL);
}

static const struct sn_state writing = {
    .name = "Writing",
    .entry = write_letter,
    .on = (const struct sn_on[]){{.event = &go, .run = on_go}, {0}}};
static const struct sn_machine writer = {.name = "Writer", .start = &writing, .birth = &letter};

static void run_writers_on_one_node(void)
{
    sn_node node = sn_node_new("n1");

    (void)sn_create_on(node, &writer, "a");
    (void)sn_create_on(node, &writer, "b");
}

static void run_writers_on_two_nodes(void)
{
    (void)sn_create_on(sn_node_new("n1"), &writer, "a");
    (void)sn_create_on(sn_node_new("n2"), &writer, "b");
}

static void run_writers_and_ask(void)
{
    sn_node node = sn_node_new("n1");
    sn_id first = sn_create_on(node, &writer, "a");
    sn_id second = sn_create_on(sn_node_new("n2"), &writer, "b");
    sn_id third = sn_create(&writer, "c");

    sn_send(first, &go, NULL);
    sn_send(second, &go, NULL);
    sn_send(third, &go, NULL);
}

static void each_node_has_a_disk_and_machines_on_no_node_have_another(void **unused)
{
    (void)unused;

    struct sn_result r = run_scenario(run_writers_and_ask, NULL);

    assert_outcomes(&r, "1a 1b 1c");
}

static void look_twice(void)
{
    outcome("log", NULL);
}

static void run_writer_and_reader(void)
{
    sn_node node = sn_node_new("n1");

    (void)sn_create_on(node, &writer, "a");
    (void)sn_create_on(node, &actor, NULL);
}

static void machines_of_one_node_share_its_disk(void **unused)
{
    (void)unused;

    struct sn_result r = run_scenario(run_writer_and_reader, look_twice);

    assert_outcomes(&r, "none 1a");
}

static void the_order_of_machines_that_share_a_disk_counts(void **unused)
{
    (void)unused;

    struct sn_result shared = run_scenario(run_writers_on_one_node, NULL);
    struct sn_result apart = run_scenario(run_writers_on_two_nodes, NULL);

    assert_int_equal(shared.distinct_orders, 2);
    assert_int_equal(apart.distinct_orders, 1);
}

static void run_on_no_node(void)
{
    (void)sn_create(&actor, NULL);
}

static void write_from_nowhere(void)
{
    append("log", 'a', 1000);
    sn_assert(sn_disk_rename("log", "old") == 0);
    sn_assert(trial_here()->disks->all[0].first_naming == 0);
    sn_assert(trial_here()->disks->files[1].first_write == 0);
    outcome("log", "old");
}

static void on_no_node_everything_is_durable_at_once(void **unused)
{
    (void)unused;

    struct sn_result r = run_scenario(run_on_no_node, write_from_nowhere);

    assert_outcomes(&r, "none,1000a");
}

static void run_writing_itself(void)
{
    append("log", 'a', 1);
    (void)sn_node_new("n1");
    outcome("log", NULL);
    (void)sn_create(&actor, NULL);
}

static void the_tests_run_function_shares_the_disk_of_no_node(void **unused)
{
    (void)unused;

    struct sn_result r = run_scenario(run_writing_itself, look_twice);

    assert_outcomes(&r, "1a");
}

/* ---- Errors ---------------------------------------------------------------------------------- */

enum { ERROR_OPERATIONS = 7 };

/* One operation per step. What the files held after the step before is remembered. */
struct prone {
    int done;
    char held[64];
};

static int do_one(int i)
{
    char byte = 'z';

    switch (i) {
    case 0:
        return sn_disk_write("a", 0, "aaaa", 4);
    case 1:
        return sn_disk_append("a", "bb", 2);
    case 2:
        return sn_disk_truncate("a", 5);
    case 3:
        return sn_disk_sync("a");
    case 4:
        return (int)sn_disk_read("a", 0, &byte, 1);
    case 5:
        return sn_disk_rename("a", "b");
    default:
        return sn_disk_remove("b");
    }
}

static void on_prone(void *self, const void *payload)
{
    struct prone *p = self;
    int rc = do_one(p->done);
    char text[64];
    struct sn_text out;

    (void)payload;
    text_init(&out, text, sizeof(text));
    describe(&out, "a");
    sn_print(&out, ",");
    describe(&out, "b");
    if (rc == SN_EIO) {
        sn_assertf(p->done == 0 || strcmp(p->held, text) == 0, "%s became %s", p->held, text);
        seen->count[p->done]++;
    }
    (void)snprintf(p->held, sizeof(p->held), "%s", text);
    if (++p->done < ERROR_OPERATIONS)
        sn_send(sn_self(), &go, NULL);
    else
        outcome("a", "b");
}

static const struct sn_state prone_state = {
    .name = "Prone", .on = (const struct sn_on[]){{.event = &go, .run = on_prone}, {0}}};
static const struct sn_machine prone = {
    .name = "Prone", .size = sizeof(struct prone), .start = &prone_state};

static void run_prone(void)
{
    sn_send(sn_create_on(sn_node_new("n1"), &prone, NULL), &go, NULL);
}

static void an_operation_that_fails_does_nothing(void **unused)
{
    const struct sn_faults faults = {.disk_errors = 1};
    const struct sn_test test = {
        .name = "errors", .run = run_prone, .world = SN_WORLD_TRIAL, .faults = &faults};

    (void)unused;
    observe_clear();

    struct sn_result r = run_test_all(&test);

    assert_outcomes(&r, "none,none none,4a1b 4a1b,none");
    for (int i = 0; i < ERROR_OPERATIONS; i++)
        assert_true(seen->count[i] > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_written_can_be_read_before_a_sync),
        cmocka_unit_test(a_gap_is_filled_with_zeros),
        cmocka_unit_test(what_is_cut_off_does_not_come_back_when_the_file_grows),
        cmocka_unit_test(a_read_gets_what_lies_before_the_end),
        cmocka_unit_test(writing_no_bytes_makes_an_empty_file),
        cmocka_unit_test(a_file_that_does_not_exist_is_not_found),
        cmocka_unit_test(a_renamed_file_replaces_another_and_a_removed_one_is_gone),
        cmocka_unit_test(an_unsynced_append_is_lost_kept_or_torn_at_a_sector),
        cmocka_unit_test(a_write_of_one_sector_is_all_or_nothing_and_decided_once),
        cmocka_unit_test(sectors_are_counted_from_the_beginning_of_the_file),
        cmocka_unit_test(what_is_synced_is_never_lost),
        cmocka_unit_test(a_later_write_may_survive_an_earlier_one_and_the_gap_is_zeros),
        cmocka_unit_test(a_lost_write_leaves_what_was_durable_there),
        cmocka_unit_test(a_truncation_is_lost_or_kept_apart_from_writes),
        cmocka_unit_test(what_survived_one_crash_survives_the_next),
        cmocka_unit_test(a_sync_of_one_file_leaves_others_unsynced),
        cmocka_unit_test(a_sync_without_a_name_is_of_everything),
        cmocka_unit_test(a_new_file_is_lost_empty_or_whole),
        cmocka_unit_test(a_rename_is_atomic),
        cmocka_unit_test(a_name_may_survive_without_the_bytes),
        cmocka_unit_test(names_survive_in_the_order_in_which_they_were_given),
        cmocka_unit_test(a_sync_makes_a_name_durable_and_those_before_it),
        cmocka_unit_test(a_sync_makes_no_name_durable_that_comes_later),
        cmocka_unit_test(a_sync_makes_the_latest_name_durable),
        cmocka_unit_test(a_removed_file_may_come_back_as_it_was),
        cmocka_unit_test(after_a_stop_everything_is_durable),
        cmocka_unit_test(a_machine_that_is_born_again_finds_what_survived_the_crash),
        cmocka_unit_test(a_machine_that_is_born_again_finds_everything_after_a_stop),
        cmocka_unit_test(a_crash_in_the_middle_of_a_step_comes_after_any_of_its_operations),
        cmocka_unit_test(each_node_has_a_disk_and_machines_on_no_node_have_another),
        cmocka_unit_test(machines_of_one_node_share_its_disk),
        cmocka_unit_test(the_order_of_machines_that_share_a_disk_counts),
        cmocka_unit_test(on_no_node_everything_is_durable_at_once),
        cmocka_unit_test(the_tests_run_function_shares_the_disk_of_no_node),
        cmocka_unit_test(an_operation_that_fails_does_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
