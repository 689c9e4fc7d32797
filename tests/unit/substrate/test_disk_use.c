/* test_disk_use.c - disks: their misuse and limits, the same again, and what traces show of them.
 * SPDX-License-Identifier: MIT
 */
#include "disk_scenario.h"
#include "substrate/files.h"
#include "substrate/machine.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Misuse and limits ----------------------------------------------------------------------- */

static void use_no_name(void)
{
    (void)sn_disk_append(NULL, "a", 1);
}

static void a_file_needs_a_name(void **unused)
{
    (void)unused;

    struct sn_result r = run_scenario(run_on_a_node, use_no_name);

    assert_string_equal(r.failure, "usage: sn_disk_append: the name of the file is NULL");
}

static void use_an_empty_name(void)
{
    (void)sn_disk_rename("a", "");
}

static void the_name_of_a_file_is_not_empty(void **unused)
{
    (void)unused;

    struct sn_result r = run_scenario(run_on_a_node, use_an_empty_name);

    assert_string_equal(r.failure, "usage: sn_disk_rename: the name of the file is empty");
}

#define NAME_OF_63 "0123456789012345678901234567890123456789012345678901234567890ab"

static void use_long_names(void)
{
    prepare(NAME_OF_63, 'a', 1);
    crash();
    sn_assert(sn_disk_size(NAME_OF_63) == 1);
    (void)sn_disk_sync(NAME_OF_63 "c");
}

static void a_name_has_at_most_63_bytes(void **unused)
{
    (void)unused;

    struct sn_result r = run_scenario(run_on_a_node, use_long_names);

    assert_string_equal(r.failure, "usage: sn_disk_sync: the name of the file has more than 63 "
                                   "bytes: " NAME_OF_63 "...");
}

static void write_from_null(void)
{
    (void)sn_disk_write("a", 0, NULL, 7);
}

static void bytes_are_not_null(void **unused)
{
    (void)unused;

    struct sn_result r = run_scenario(run_on_a_node, write_from_null);

    assert_string_equal(r.failure, "usage: sn_disk_write: 7 bytes at NULL");
}

static void read_too_many(void)
{
    char byte;

    append("a", 'a', 1);
    (void)sn_disk_read("a", 0, &byte, (size_t)1 << 63);
}

static void no_more_bytes_are_read_than_there_can_be(void **unused)
{
    (void)unused;

    struct sn_result r = run_scenario(run_on_a_node, read_too_many);

    assert_string_equal(
        r.failure, "usage: sn_disk_read: 9223372036854775808 bytes are more than there can be");
}

static void fill_a_gibibyte(void)
{
    const uint64_t most = UINT64_C(1) << 30;
    char byte = 'z';

    sn_assert(sn_disk_truncate("a", most) == 0);
    sync_it("a");
    crash();
    sn_assert(sn_disk_size("a") == (int64_t)most);
    sn_assert(sn_disk_read("a", most - 1, &byte, 5) == 1);
    sn_assert(byte == 0);
    sn_assert(trial_here()->now.n_own[OWN_DISK_LINES] < 10);
    (void)sn_disk_append("a", "", 1);
}

static void a_file_has_at_most_a_gibibyte_and_its_zeros_cost_nothing(void **unused)
{
    (void)unused;

    struct sn_result r = run_scenario(run_on_a_node, fill_a_gibibyte);

    assert_string_equal(r.failure, "limit: sn_disk_append: a would have more than 1 GiB");
}

static void write_past_the_last_offset(void)
{
    (void)sn_disk_write("a", UINT64_MAX, "aa", 2);
}

static void an_offset_that_overflows_is_refused(void **unused)
{
    (void)unused;

    struct sn_result r = run_scenario(run_on_a_node, write_past_the_last_offset);

    assert_string_equal(r.failure, "limit: sn_disk_write: a would have more than 1 GiB");
}

static void never_sync(void)
{
    for (uint64_t i = 0; i < FILES_WRITES_MAX; i++)
        (void)sn_disk_truncate("a", i % 2 + 1);
}

static void too_many_unsynced_writes_end_the_trial(void **unused)
{
    (void)unused;

    struct sn_result r = run_scenario(run_on_a_node, never_sync);

    assert_string_equal(r.failure,
                        "limit: more than 262143 writes to the trial's disks are not synced");
}

static void make_many_files(void)
{
    char name[32];

    for (int i = 0; i < FILES_MAX; i++) {
        (void)snprintf(name, sizeof(name), "%d", i);
        (void)sn_disk_truncate(name, 0);
    }
}

static void too_many_files_end_the_trial(void **unused)
{
    (void)unused;

    struct sn_result r = run_scenario(run_on_a_node, make_many_files);

    assert_string_equal(r.failure, "limit: the disks of the trial hold more than 8191 files");
}

static void write_again_and_again(void)
{
    struct trial *t = trial_here();

    for (int i = 0; i < 3000; i++) {
        put("tmp", 0, 'a', 1000);
        sn_assert(sn_disk_rename("tmp", "state") == 0);
        sync_it("state");
        append("state", 'b', 3000);
        sync_it("state");
        append("state", 'c', 3000);
    }
    sn_assertf(t->now.n_own[OWN_DISK_LINES] < 1000, "%u", t->now.n_own[OWN_DISK_LINES]);
    sn_assertf(t->now.n_own[OWN_FILES] < 10, "%u", t->now.n_own[OWN_FILES]);
    sn_assertf(t->now.n_own[OWN_WRITES] < 10, "%u", t->now.n_own[OWN_WRITES]);
    outcome("state", "tmp");
}

static void space_is_used_again(void **unused)
{
    (void)unused;

    struct sn_result r = run_scenario(run_on_a_node, write_again_and_again);

    assert_outcomes(&r, "1000a3000b3000c,none");
}

static void look_from_a_monitor(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    (void)sn_disk_size("log");
}

static const struct sn_state nosy_state = {.name = "Looking", .entry = look_from_a_monitor};
static const struct sn_machine nosy = {.name = "Nosy", .start = &nosy_state};

static void monitors_may_not_use_disks(void **unused)
{
    const struct sn_machine *const monitors[] = {&nosy, NULL};
    const struct sn_test test = {.name = "nosy", .run = run_on_a_node, .monitors = monitors};

    (void)unused;

    struct sn_result r = run_test_once(&test);

    assert_string_equal(r.failure,
                        "usage: monitor Nosy calls sn_disk_size, but monitors only receive");
}

/* ---- The same again -------------------------------------------------------------------------- */

/* Two machines on one node work on its disk; when both are done a third adds up what it holds. */
enum { ROUNDS = 2, DONE_ALL = 2 * ROUNDS };

static const struct sn_event go = {.name = "Go"};
static const struct sn_event done = {.name = "Done"};

struct worker_birth {
    sn_id adder;
    char letter;
};

static const struct sn_event worker_birth = {.name = "Birth", .size = sizeof(struct worker_birth)};

struct worker {
    struct worker_birth birth;
    int rounds;
};

static void start_working(void *self, const void *payload)
{
    struct worker *w = self;

    w->birth = *(const struct worker_birth *)payload;
    sn_send(sn_self(), &go, NULL);
}

static void work(void *self, const void *payload)
{
    struct worker *w = self;

    (void)payload;
    append("log", w->birth.letter, 300);
    if (w->rounds == 0 && w->birth.letter == 'a')
        sync_it("log");
    if (w->rounds == 1 && w->birth.letter == 'b')
        crash();
    if (w->rounds == 1 && w->birth.letter == 'a')
        (void)sn_disk_rename("log", "old");
    sn_send(w->birth.adder, &done, NULL);
    if (++w->rounds < ROUNDS)
        sn_send(sn_self(), &go, NULL);
}

static const struct sn_state working = {
    .name = "Working",
    .entry = start_working,
    .on = (const struct sn_on[]){{.event = &go, .run = work}, {0}}};
static const struct sn_machine worker = {
    .name = "Worker", .size = sizeof(struct worker), .start = &working, .birth = &worker_birth};

struct adder {
    int done;
};

static void add_up(void *self, const void *payload)
{
    struct adder *a = self;
    char text[256];
    struct sn_text out;

    (void)payload;
    if (++a->done < DONE_ALL)
        return;
    text_init(&out, text, sizeof(text));
    describe(&out, "log");
    describe(&out, "old");
    for (const char *c = text; *c != '\0'; c++)
        seen->count[0] = seen->count[0] * 31 + (unsigned char)*c;
    seen->count[1]++;
}

static const struct sn_state adding = {
    .name = "Adding", .on = (const struct sn_on[]){{.event = &done, .run = add_up}, {0}}};
static const struct sn_machine adder = {
    .name = "Adder", .size = sizeof(struct adder), .start = &adding};

static void run_workers(void)
{
    sn_node node = sn_node_new("n1");
    struct worker_birth birth = {.adder = sn_create_on(node, &adder, NULL), .letter = 'a'};

    (void)sn_create_on(node, &worker, &birth);
    birth.letter = 'b';
    (void)sn_create_on(node, &worker, &birth);
}

static const struct sn_test workers_test = {
    .name = "workers", .run = run_workers, .world = SN_WORLD_TRIAL};

/* A number that stands for what was on the disk at the end of each trial, in order. */
static uint64_t run_workers_with(const struct sn_options *options, uint64_t trials)
{
    struct sn_result r;

    observe_clear();
    assert_int_equal(sn_run(&workers_test, options, &r), 0);
    assert_string_equal(r.failure, "");
    assert_int_equal(r.trials, trials);
    assert_int_equal(seen->count[1], trials);
    return seen->count[0];
}

static void going_back_inside_a_trial_puts_disks_back(void **unused)
{
    struct sn_options options = {.strategy = "dfs", .iterations = 20000};
    uint64_t restored;

    (void)unused;

    restored = run_workers_with(&options, 20000);
    options.rerun = true;

    assert_int_equal(run_workers_with(&options, 20000), restored);
}

static void the_same_seed_leaves_the_same_on_disks(void **unused)
{
    struct sn_options options = {.seed = 7, .iterations = 100};
    uint64_t first;

    (void)unused;

    first = run_workers_with(&options, 100);

    assert_int_equal(run_workers_with(&options, 100), first);
    options.seed = 8;
    assert_int_not_equal(run_workers_with(&options, 100), first);
}

/* ---- Traces ---------------------------------------------------------------------------------- */

static void tear(void)
{
    prepare("log", 'a', 96);
    append("log", 'b', 1000);
    sn_assert(sn_disk_truncate("log", 1050) == 0);
    sn_assert(sn_disk_rename("log", "old") == 0);
    append("new", 'c', 1);
    sn_assert(sn_disk_remove("new") == 0);
    crash();
    sn_assert(sn_disk_size("log") != 512);
}

/* The file, as text. */
static char *read_trace(const char *path)
{
    struct stat about;
    FILE *f = fopen(path, "r");
    char *text;

    assert_non_null(f);
    assert_int_equal(fstat(fileno(f), &about), 0);
    text = calloc(1, (size_t)about.st_size + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, (size_t)about.st_size, f), about.st_size);
    (void)fclose(f);
    return text;
}

static void a_trace_shows_what_was_done_and_what_was_lost_kept_or_torn(void **unused)
{
    const struct sn_test test = {.name = "tear", .run = run_on_a_node, .world = SN_WORLD_TRIAL};
    char directory[] = "/tmp/sennit-disk-XXXXXX";
    struct sn_options options = {.strategy = "dfs", .outdir = directory};
    struct sn_result r;
    struct sn_result again;
    char *text;

    (void)unused;
    assert_non_null(mkdtemp(directory));
    scenario = tear;

    assert_int_equal(sn_run(&test, &options, &r), 0);
    assert_int_equal(sn_replay(&test, r.trace, &again), 0);
    text = read_trace(r.trace);
    (void)unlink(r.trace);
    (void)rmdir(directory);

    assert_non_null(strstr(text, "disk: append 1000 bytes to log"));
    assert_non_null(strstr(text, "disk: sync log"));
    assert_non_null(strstr(text, "disk: truncate log to 1050 bytes"));
    assert_non_null(strstr(text, "disk: rename log to old"));
    assert_non_null(strstr(text, "disk: remove new"));
    assert_non_null(strstr(text, "disk of n1: lost: renaming to old"));
    assert_non_null(strstr(text, "disk of n1: lost: creation of new"));
    assert_non_null(strstr(text, "disk of n1: lost: removal of new"));
    assert_non_null(strstr(text, "disk of n1: torn: the first 416 of 1000 bytes at 96 of log"));
    assert_non_null(strstr(text, "disk of n1: lost: truncation of log to 1050 bytes"));
    assert_string_equal(again.failure, r.failure);
    assert_false(again.nondeterministic);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_needs_a_name),
        cmocka_unit_test(the_name_of_a_file_is_not_empty),
        cmocka_unit_test(a_name_has_at_most_63_bytes),
        cmocka_unit_test(bytes_are_not_null),
        cmocka_unit_test(no_more_bytes_are_read_than_there_can_be),
        cmocka_unit_test(a_file_has_at_most_a_gibibyte_and_its_zeros_cost_nothing),
        cmocka_unit_test(an_offset_that_overflows_is_refused),
        cmocka_unit_test(too_many_unsynced_writes_end_the_trial),
        cmocka_unit_test(too_many_files_end_the_trial),
        cmocka_unit_test(space_is_used_again),
        cmocka_unit_test(monitors_may_not_use_disks),
        cmocka_unit_test(going_back_inside_a_trial_puts_disks_back),
        cmocka_unit_test(the_same_seed_leaves_the_same_on_disks),
        cmocka_unit_test(a_trace_shows_what_was_done_and_what_was_lost_kept_or_torn),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
