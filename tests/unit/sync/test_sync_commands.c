/* test_sync_commands.c - what sn_sync_test does to a synchroniser, and what it says of it.
 *
 * The synchroniser is one in memory that does what the model does, whenever time passes, or is
 * wrong in one way. SPDX-License-Identifier: MIT
 */
#include <sennit/sennit.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { NODES = 3, FILES = 2 };

struct copy {
    uint32_t value;
    bool is_stale;
    bool is_dirty;
    uint64_t arrived; /* the call in which it did */
};

/* Trials leave it alone: nothing but the memory of the trial is put back. */
static struct {
    struct copy copies[NODES][FILES];
    uint32_t server[FILES];
    uint64_t conflicts[FILES];
    bool is_down[NODES];
    uint64_t call;
    uint32_t calm_after; /* settlings, before anything happens */
    uint32_t settled;
    uint32_t waits;

    /* Of all trials. */
    uint64_t started, stopped, reads, settles, kills, restarts, renames, directories, waited, came;

    /* How it is wrong. */
    bool forgets_quick_deletions;
    bool loses_conflicts;
    bool makes_values_up;
    bool fails;
} s;

static struct sn_sync_options options;

/* ---- The synchroniser ----------------------------------------------------------------------- */

static void upload(uint32_t node, uint32_t file)
{
    struct copy *c = &s.copies[node][file];

    c->is_dirty = false;
    if (!c->is_stale || s.server[file] == 0) {
        c->is_stale = false;
        if (c->value == s.server[file])
            return;
        s.server[file] = c->value;
        for (uint32_t i = 0; i < NODES; i++)
            s.copies[i][file].is_stale |= i != node;
    } else if (c->value != s.server[file] && c->value != 0 && !s.loses_conflicts) {
        s.conflicts[file] |= UINT64_C(1) << c->value;
    }
}

static void progress(void)
{
    for (uint32_t node = 0; node < NODES; node++) {
        for (uint32_t file = 0; file < FILES && !s.is_down[node]; file++) {
            struct copy *c = &s.copies[node][file];

            if (c->is_dirty)
                upload(node, file);
            if (c->is_stale) {
                c->is_stale = false;
                c->value = s.server[file];
                c->arrived = s.call;
            }
        }
    }
}

static int start(void *self, uint32_t n_nodes)
{
    (void)self;
    sn_assert(n_nodes <= NODES);
    memset(s.copies, 0, sizeof(s.copies));
    memset(s.server, 0, sizeof(s.server));
    memset(s.conflicts, 0, sizeof(s.conflicts));
    memset(s.is_down, 0, sizeof(s.is_down));
    s.call = 1;
    s.settled = 0;
    s.started++;
    return 0;
}

static int stop(void *self)
{
    (void)self;
    s.stopped++;
    return 0;
}

static int do_read(void *self, uint32_t node, uint32_t file, uint32_t *value)
{
    (void)self;
    s.reads++;
    *value = s.makes_values_up ? 60 : s.copies[node][file].value;
    return s.fails ? -1 : 0;
}

static int do_write(void *self, uint32_t node, uint32_t file, uint32_t value, uint32_t *old)
{
    struct copy *c = &s.copies[node][file];

    (void)self;
    s.directories += value == SN_SYNC_DIRECTORY;
    *old = c->value;
    c->value = value;
    if (value == 0 && s.forgets_quick_deletions && c->arrived == s.call)
        c->is_stale = true;
    else
        c->is_dirty = true;
    s.call++;
    return 0;
}

static int do_rename(void *self, uint32_t node, uint32_t from, uint32_t to, uint32_t *value,
                     uint32_t *old)
{
    uint32_t unused;

    s.renames++;
    *old = 0;
    *value = s.copies[node][from].value;
    if (*value == 0)
        return 0;
    (void)do_write(self, node, from, 0, &unused);
    return do_write(self, node, to, *value, &unused);
}

static int look(void *self, uint32_t node, uint32_t file, struct sn_sync_seen *seen)
{
    (void)self;
    *seen = (struct sn_sync_seen){s.copies[node][file].value, s.conflicts[file]};
    return 0;
}

static int do_sleep(void *self, uint64_t ns)
{
    (void)self;
    sn_assert(ns <= options.sleep_max_ns + 1000000000);
    if (s.calm_after == 0)
        progress();
    s.call++;
    return 0;
}

static int settle(void *self, uint64_t ns_max, bool *is_idle)
{
    (void)self;
    (void)ns_max;
    s.settles++;
    for (uint32_t node = 0; node < options.n_nodes; node++)
        sn_assert(!s.is_down[node]);
    *is_idle = false;
    if (++s.settled >= s.calm_after) {
        progress();
        progress();
    }
    s.call++;
    return 0;
}

static int do_kill(void *self, uint32_t node)
{
    (void)self;
    sn_assert(!s.is_down[node]);
    s.kills++;
    s.is_down[node] = true;
    return 0;
}

static int restart(void *self, uint32_t node)
{
    (void)self;
    sn_assert(s.is_down[node]);
    s.restarts++;
    s.is_down[node] = false;
    return 0;
}

static int do_wait(void *self, uint32_t node, uint32_t file, uint32_t wanted, uint64_t ns_max,
                   uint32_t *value)
{
    (void)self;
    sn_assert(ns_max == options.wait_ns);
    sn_assert(wanted != s.copies[node][file].value || s.makes_values_up);
    s.waited++;
    for (int i = 0; i < 3 && s.copies[node][file].value != wanted; i++)
        progress();
    *value = s.copies[node][file].value;
    s.came += *value == wanted;
    return 0;
}

static const char *error(void *self)
{
    (void)self;
    return "it is out of paper";
}

static const struct sn_sync_driver driver = {
    .name = "memory",
    .start = start,
    .stop = stop,
    .read = do_read,
    .write = do_write,
    .look = look,
    .sleep = do_sleep,
    .settle = settle,
    .kill = do_kill,
    .restart = restart,
    .error = error,
    .rename = do_rename,
    .wait = do_wait,
};

static void test_it(void)
{
    sn_sync_test(&driver, NULL, &options);
}

static void begin(void)
{
    memset(&s, 0, sizeof(s));
    options = (struct sn_sync_options){.n_nodes = NODES,
                                       .n_values = 2,
                                       .sleep_max_ns = 1000000000,
                                       .settle_ns = 3200000000,
                                       .wait_ns = 500000000};
}

static struct sn_result run(uint64_t iterations)
{
    const struct sn_test test = {.name = "sync", .run = test_it, .world = SN_WORLD_TRIAL};
    const struct sn_options how = {.strategy = "random", .iterations = iterations};
    struct sn_result r;

    assert_int_equal(sn_run(&test, &how, &r), 0);
    return r;
}

/* ---- Tests ---------------------------------------------------------------------------------- */

static void a_synchroniser_that_does_as_the_model_is_never_rejected(void **unused)
{
    struct sn_result r;

    (void)unused;
    begin();
    r = run(5000);

    assert_string_equal(r.failure, "");
    assert_int_equal(r.trials, 5000);
    assert_int_equal(s.started, 5000);
    assert_int_equal(s.stopped, 5000);
}

static void files_directories_renames_and_kills_are_done_when_they_are_allowed(void **unused)
{
    struct sn_result r;

    (void)unused;
    begin();
    options.n_files = FILES;
    options.renames = options.directories = options.kills = true;
    r = run(2000);

    assert_string_equal(r.failure, "");
    assert_true(s.renames > 100);
    assert_true(s.directories > 100);
    assert_true(s.kills > 100);
    assert_int_equal(s.kills, s.restarts); /* all run when they must agree */
}

static void a_stabilization_is_a_tenth_as_likely_as_a_read(void **unused)
{
    uint64_t in_between;

    (void)unused;
    begin();
    options.no_triggers = true;
    (void)run(5000);

    in_between = s.settles - s.started;
    assert_true(s.reads > 5000);
    assert_true(in_between * 10 > s.reads / 2 && in_between * 10 < s.reads * 2);
}

static void triggered_operations_find_what_must_be_done_at_once(void **unused)
{
    struct sn_result r;

    (void)unused;
    begin();
    s.forgets_quick_deletions = true;
    options.no_triggers = true;
    r = run(5000);
    assert_string_equal(r.failure, "");

    options.no_triggers = false;
    r = run(5000);
    assert_int_equal(strncmp(r.failure, "sync: stabilize: ", 17), 0);
}

static void what_is_waited_for_may_appear(void **unused)
{
    (void)unused;
    begin();
    (void)run(2000);

    assert_true(s.waited > 500);
    assert_true(s.came * 4 > s.waited); /* others need somebody else to do something first */
}

static void a_stabilization_is_tried_again_until_it_can_be_explained(void **unused)
{
    struct sn_result r;

    (void)unused;
    begin();
    s.calm_after = 10;
    r = run(200);
    assert_string_equal(r.failure, "");

    options.settle_ns = 100000000; /* five parts */
    r = run(200);
    assert_int_equal(strncmp(r.failure, "sync: disagreement: ", 20), 0);
}

static void failures_say_what_kind_they_are(void **unused)
{
    struct sn_result r;

    (void)unused;
    begin();
    s.loses_conflicts = true;
    r = run(2000);
    assert_int_equal(strncmp(r.failure, "sync: stabilize: ", 17), 0);

    begin();
    s.makes_values_up = true;
    r = run(2000);
    assert_int_equal(strncmp(r.failure, "sync: value: ", 13), 0);
}

static void a_driver_that_fails_is_stopped_and_quoted(void **unused)
{
    struct sn_result r;

    (void)unused;
    begin();
    s.fails = true;
    r = run(100);

    assert_string_equal(r.failure, "driver: memory: it is out of paper");
    assert_int_equal(s.started, s.stopped);
}

static void options_that_there_is_no_room_for_are_refused(void **unused)
{
    struct sn_result r;

    (void)unused;
    begin();
    options.n_nodes = SN_SYNC_NODES_MAX + 1;
    r = run(1);
    assert_non_null(strstr(r.failure, "at most 5 nodes"));

    begin();
    options.rules = "mine";
    r = run(1);
    assert_non_null(strstr(r.failure, "there are no rules called \"mine\""));
}

int main(void)
{
    const struct CMUnitTest all[] = {
        cmocka_unit_test(a_synchroniser_that_does_as_the_model_is_never_rejected),
        cmocka_unit_test(files_directories_renames_and_kills_are_done_when_they_are_allowed),
        cmocka_unit_test(a_stabilization_is_a_tenth_as_likely_as_a_read),
        cmocka_unit_test(triggered_operations_find_what_must_be_done_at_once),
        cmocka_unit_test(what_is_waited_for_may_appear),
        cmocka_unit_test(a_stabilization_is_tried_again_until_it_can_be_explained),
        cmocka_unit_test(failures_say_what_kind_they_are),
        cmocka_unit_test(a_driver_that_fails_is_stopped_and_quoted),
        cmocka_unit_test(options_that_there_is_no_room_for_are_refused),
    };

    return cmocka_run_group_tests(all, NULL, NULL);
}
