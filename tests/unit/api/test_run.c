/* test_run.c - runs of many trials: same memory, same results, nothing lost, nothing grown.
 * SPDX-License-Identifier: MIT
 */
#include "../observe.h"
#include "race.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static uint64_t scale = 100; /* per cent of the usual number of trials */

static struct sn_result run_with(const struct sn_test *test, const struct sn_options *options)
{
    struct sn_result r;

    assert_int_equal(sn_run(test, options, &r), 0);
    return r;
}

/* ---- Going back ----------------------------------------------------------------------------- */

static const struct sn_event hop = {.name = "Hop"};
static size_t hop_bytes;  /* of memory that a trial has beside its machines */
static uint64_t hop_runs; /* steps that were run; nothing puts it back in SN_WORLD_TRIAL */

static void on_hop(void *self, const void *payload)
{
    uint32_t *left = self;

    (void)payload;
    hop_runs++;
    if ((*left)++ < 10)
        sn_send(sn_self(), &hop, NULL);
}

static const struct sn_state hopping = {
    .name = "Hopping",
    .entry = on_hop,
    .on = (const struct sn_on[]){{.event = &hop, .run = on_hop}, {0}},
};
static const struct sn_machine hopper = {
    .name = "Hopper", .size = sizeof(uint32_t), .start = &hopping};

static void run_hoppers(void)
{
    (void)sn_alloc(hop_bytes);
    (void)sn_create(&hopper, NULL);
    (void)sn_create(&hopper, NULL);
}

/* How many steps a depth-first search runs that has so much to save at each. */
static uint64_t hops_run(size_t bytes, bool rerun)
{
    const struct sn_test test = {.name = "hoppers", .run = run_hoppers, .world = SN_WORLD_TRIAL};
    const struct sn_options options = {.iterations = 200, .strategy = "dfs", .rerun = rerun};

    hop_bytes = bytes;
    hop_runs = 0;
    (void)run_with(&test, &options);
    return hop_runs;
}

static void a_search_that_goes_back_saves_steps(void **unused)
{
    (void)unused;
    assert_in_range(hops_run(64, false), 200, hops_run(64, true) / 2);
}

static void steps_are_run_again_where_there_is_much_to_copy(void **unused)
{
    (void)unused;
    assert_in_range(hops_run(1000000, false), hops_run(64, false) + 1, hops_run(64, true));
}

/* ---- The same memory ------------------------------------------------------------------------ */

static void every_trial_starts_from_the_same_memory_without_reset_code(void **unused)
{
    struct sn_options options = {.iterations = 20 * scale};
    struct sn_result r;

    (void)unused;

    /* Any state that survived a trial (the counter, the list, rand) would make the next one fail.
     */
    r = run_with(&race_fixed_test, &options);

    assert_string_equal(r.failure, "");
    assert_int_equal(r.trials, 20 * scale);
}

static void restoring_and_forking_give_the_same_trials(void **unused)
{
    struct sn_options options = {.iterations = 3 * scale, .keep_going = true};
    struct sn_test forking = race_test;
    struct sn_result restored;
    struct sn_result forked;

    (void)unused;
    forking.world = SN_WORLD_FORK;

    restored = run_with(&race_test, &options);
    forked = run_with(&forking, &options);

    assert_true(restored.failures > 0);
    assert_int_equal(restored.failures, forked.failures);
    assert_int_equal(restored.failing_trial, forked.failing_trial);
    assert_int_equal(restored.steps, forked.steps);
    assert_int_equal(restored.distinct_orders, forked.distinct_orders);
    assert_string_equal(restored.failure, forked.failure);
}

/* What the watcher saw, in order, as one number. */
static void watch(void *self, const struct sn_trial_view *trial)
{
    struct observed *o = self;

    for (uint64_t i = 0; i < trial->decisions; i++)
        o->count[0] = o->count[0] * 31 + trial->log[i];
    o->count[1] = o->count[1] * 31 + trial->order;
    o->count[2]++;
}

static void dfs_by_restoring_rerunning_and_forking_visits_the_same_in_the_same_order(void **unused)
{
    struct sn_options options = {.iterations = 5 * scale, .strategy = "dfs", .keep_going = true};
    struct sn_test forking = race_test;
    struct observed restored;
    struct observed rerun;

    (void)unused;
    forking.world = SN_WORLD_FORK;
    observe_clear();
    options.watch = watch;
    options.watch_self = seen;

    (void)run_with(&race_test, &options);
    restored = *seen;
    observe_clear();
    options.rerun = true;
    (void)run_with(&race_test, &options);
    rerun = *seen;
    observe_clear();
    (void)run_with(&forking, &options);

    assert_int_equal(restored.count[2], 5 * scale);
    assert_memory_equal(restored.count, rerun.count, sizeof(rerun.count));
    assert_memory_equal(restored.count, seen->count, sizeof(rerun.count));
}

static int own_global = 1;

static void run_changing_a_global(void)
{
    own_global++;
    sn_assert(own_global == 2);
}

static void the_programs_memory_is_as_before_when_a_run_has_ended(void **unused)
{
    const struct sn_test test = {.name = "global", .run = run_changing_a_global};
    struct sn_options options = {.iterations = 10};

    (void)unused;

    struct sn_result r = run_with(&test, &options);

    assert_int_equal(r.failures, 0);
    assert_int_equal(own_global, 1);
}

/* ---- Sizes ---------------------------------------------------------------------------------- */

static long resident_kib(void)
{
    char text[256];
    long pages = 0;
    int fd = open("/proc/self/statm", O_RDONLY);
    ssize_t n = read(fd, text, sizeof(text) - 1);

    (void)close(fd);
    text[n > 0 ? n : 0] = '\0';
    (void)sscanf(text, "%*s %ld", &pages);
    return pages * 4;
}

/* What the process has resident after the first trials and after the last. */
static void watch_size(void *self, const struct sn_trial_view *trial)
{
    struct observed *o = self;

    if (trial->trial == o->count[2])
        o->count[0] = (uint64_t)resident_kib();
    if (trial->trial == o->count[3])
        o->count[1] = (uint64_t)resident_kib();
}

static void a_million_trials_keep_the_resident_size_flat(void **unused)
{
    uint64_t trials = scale >= 100 ? 10000 * scale : 200 * scale;
    struct sn_options options = {.iterations = trials, .keep_going = true};

    (void)unused;
    observe_clear();
    seen->count[2] = trials / 20;
    seen->count[3] = trials - 1;
    options.watch = watch_size;
    options.watch_self = seen;

    struct sn_result r = run_with(&race_test, &options);

    assert_int_equal(r.trials, trials);
    assert_true(seen->count[0] > 0 && seen->count[1] > 0);
    assert_in_range(seen->count[1], 0, seen->count[0] + 1024);
}

static char table[64 << 20]; /* never touched */
static char *volatile table_is_there = table;

static void a_64_mb_table_that_is_not_touched_takes_no_memory(void **unused)
{
    struct sn_options options = {.iterations = 10 * scale, .keep_going = true};
    long before = resident_kib();

    (void)unused;

    (void)run_with(&race_test, &options);

    assert_true(resident_kib() - before < 16 * 1024);
    assert_ptr_equal(table_is_there, table);
}

/* ---- Scribbling ----------------------------------------------------------------------------- */

static char room[3 << 20];

static void scribble(void *self, const void *payload)
{
    enum { AROUND = 1 << 20 };
    char *volatile block = malloc(100);
    char *volatile own = self;

    (void)payload;
    sn_assert(block != NULL);
    memset(room + AROUND, 0xee, AROUND);
    memset(room, 0xdd, sizeof(room));
    /* Everything around its own objects, whatever lies there (around a block of the sanitizer's
     * heap lies the sanitizer's own data, which would be reported). */
#if !defined(__SANITIZE_ADDRESS__)
    memset(block - 512, 0xcc, AROUND);
#endif
    memset(own, 0xbb, AROUND);
    memset(own - AROUND, 0xaa, AROUND);
}

static const struct sn_state scribbling = {.name = "Scribbling", .entry = scribble};
static const struct sn_machine scribbler = {.name = "Scribbler", .size = 64, .start = &scribbling};

static void run_scribbler(void)
{
    sn_assert(room[5] == 0 && room[2 << 20] == 0);
    (void)sn_create(&scribbler, NULL);
}

static void
scribbling_over_a_megabyte_around_its_own_objects_does_not_harm_the_engine(void **unused)
{
    const struct sn_test test = {.name = "scribble", .run = run_scribbler};
    struct sn_options options = {.iterations = 100 + scale, .keep_going = true};
    struct sn_result r;

    (void)unused;

    r = run_with(&test, &options);

    /* The machine's neighbours are its own to ruin, and that is reported; the engine goes on. */
    assert_int_equal(r.failures, 100 + scale);
    assert_non_null(strstr(r.failure, "memory: "));
    assert_int_equal(r.trials, 100 + scale);
    assert_int_equal(r.distinct_orders, 1);
    every_trial_starts_from_the_same_memory_without_reset_code(unused);
}

/* ---- What is not under control -------------------------------------------------------------- */

static uint64_t *outside; /* memory that no restore reaches */

static void depend_on_outside(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    sn_assert(++*outside < 3 || sn_choose("x", 2) < 2);
    sn_assert(*outside != 5);
}

static const struct sn_state impure_state = {.name = "Impure", .entry = depend_on_outside};
static const struct sn_machine impure = {.name = "Impure", .start = &impure_state};

static void run_impure(void)
{
    (void)sn_create(&impure, NULL);
}

static void a_trial_that_does_not_repeat_itself_is_reported(void **unused)
{
    const struct sn_test test = {.name = "impure", .run = run_impure};
    struct sn_options options = {.iterations = 100};
    struct sn_result r;

    (void)unused;
    observe_clear();
    outside = &seen->count[0];

    r = run_with(&test, &options);

    assert_true(r.nondeterministic);
    assert_non_null(strstr(r.failure, "does not repeat itself"));
}

static void open_a_file(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    (void)!open("/dev/null", O_RDONLY);
}

static const struct sn_state leaking_state = {.name = "Leaking", .entry = open_a_file};
static const struct sn_machine leaking = {.name = "Leaking", .start = &leaking_state};

static void run_leaking(void)
{
    (void)sn_create(&leaking, NULL);
}

static void a_file_left_open_is_named_and_never_a_silent_pass(void **unused)
{
    const struct sn_test test = {.name = "leaking", .run = run_leaking};
    struct sn_options options = {.iterations = scale >= 100 ? 3000 : 50};
    struct sn_result r;

    (void)unused;

    r = run_with(&test, &options);

    if (strstr(r.world, "a process per trial") != NULL) {
        assert_int_equal(r.failures, 0); /* its files end with each process */
        return;
    }
    assert_int_equal(r.verdict, SN_UNCONTROLLED);
    assert_non_null(strstr(r.failure, "descriptor"));
}

static void die_of_a_null_pointer(void *self, const void *payload)
{
    volatile int *volatile nowhere = NULL;

    (void)self;
    (void)payload;
    *nowhere = 1;
}

static const struct sn_state dying_state = {.name = "Dying", .entry = die_of_a_null_pointer};
static const struct sn_machine dying = {.name = "Dying", .start = &dying_state};

static void run_dying(void)
{
    (void)sn_create(&dying, NULL);
}

static void in_a_process_of_its_own_a_crash_is_a_failing_trial(void **unused)
{
    const struct sn_test test = {.name = "dying", .run = run_dying, .world = SN_WORLD_FORK};
    struct sn_options options = {.iterations = 10};
    struct sn_result r;

    (void)unused;

    r = run_with(&test, &options);

    assert_non_null(strstr(r.failure, "crash: the code under test "));
    assert_int_equal(r.failures, 1);
}

static void call_exit(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    _exit(0);
}

static const struct sn_state exiting_state = {.name = "Exiting", .entry = call_exit};
static const struct sn_machine exiting = {.name = "Exiting", .start = &exiting_state};

static void run_exiting(void)
{
    (void)sn_create(&exiting, NULL);
}

static void in_a_process_of_its_own_a_call_of_exit_is_a_failing_trial(void **unused)
{
    const struct sn_test test = {.name = "exiting", .run = run_exiting, .world = SN_WORLD_FORK};
    struct sn_options options = {.iterations = 10};
    struct sn_result r;

    (void)unused;

    r = run_with(&test, &options);

    assert_int_equal(r.failures, 1);
    assert_string_equal(r.failure, "crash: the code under test ended the process with exit code 0");
}

static void free_twice(void *self, const void *payload)
{
    char *volatile block = malloc(24);

    (void)self;
    (void)payload;
    free(block);
    free(block);
}

static const struct sn_state freeing_state = {.name = "Freeing", .entry = free_twice};
static const struct sn_machine freeing = {.name = "Freeing", .start = &freeing_state};

static void run_freeing(void)
{
    (void)sn_create(&freeing, NULL);
}

static void freeing_a_block_twice_is_a_failing_trial(void **unused)
{
    const struct sn_test test = {.name = "freeing", .run = run_freeing};
    struct sn_options options = {.iterations = 10, .keep_going = true};
    struct sn_result r;

    (void)unused;

    r = run_with(&test, &options);

    assert_int_equal(r.failures, 10);
    assert_false(r.nondeterministic);
}

/* ---- Strategies of the user's --------------------------------------------------------------- */

struct newest {
    uint64_t trials_left;
};

static int newest_init(void *self, const char *parameters, uint64_t seed, char *error, size_t size)
{
    struct newest *n = self;

    (void)seed;
    n->trials_left = (uint64_t)atoll(parameters);
    if (n->trials_left > 0)
        return 0;
    (void)snprintf(error, size, "a number of trials is needed");
    return -1;
}

static bool newest_begin(void *self, uint64_t trial, uint64_t *keep)
{
    struct newest *n = self;

    (void)trial;
    (void)keep;
    return n->trials_left-- > 0;
}

static uint32_t newest_pick(void *self, const struct sn_pending *pending)
{
    uint32_t best = 0;

    (void)self;
    for (uint32_t i = 1; i < sn_pending_count(pending); i++) {
        if (sn_pending_op(pending, i)->cause > sn_pending_op(pending, best)->cause)
            best = i;
    }
    return best;
}

static void newest_told(void *self, const struct sn_op *op)
{
    (void)self;
    seen->count[op->kind]++;
}

static const struct sn_strategy newest = {
    .name = "newest",
    .state_size = sizeof(struct newest),
    .init = newest_init,
    .begin = newest_begin,
    .pick = newest_pick,
    .told = newest_told,
};

static void a_strategy_of_the_users_is_found_by_name_and_told_of_each_step(void **unused)
{
    struct sn_options options = {.strategy = "newest:3", .keep_going = true};
    struct sn_result r;

    (void)unused;
    observe_clear();
    assert_int_equal(sn_strategy_register(&newest), 0);
    assert_int_equal(sn_strategy_register(&newest), SN_EINVAL);

    r = run_with(&race_fixed_test, &options);

    assert_int_equal(r.trials, 3);
    assert_int_equal(r.distinct_orders, 1);
    assert_false(r.exhausted);
    assert_int_equal(seen->count[SN_OP_START], 9);
    assert_int_equal(seen->count[SN_OP_START] + seen->count[SN_OP_DELIVER], r.steps);
}

static void a_run_that_exhausts_the_space_says_how_many_schedules_there_are(void **unused)
{
    struct sn_options all = {.strategy = "dfs", .iterations = 100000, .keep_going = true};
    struct sn_options some = {.strategy = "dfs", .iterations = 2, .keep_going = true};
    struct sn_options within = {.strategy = "delay:1", .iterations = 100000, .keep_going = true};
    struct sn_options random = {.iterations = 2};
    struct sn_result r;

    (void)unused;
    r = run_with(&race_fixed_test, &all);
    assert_true(r.exhausted);
    assert_true(r.schedules > 2);
    assert_int_equal(r.schedules, r.trials);
    assert_int_equal(run_with(&race_fixed_test, &some).schedules, 0);
    assert_int_equal(run_with(&race_fixed_test, &random).schedules, 0);
    r = run_with(&race_fixed_test, &within);
    assert_int_equal(r.schedules, r.trials);
}

static uint32_t pick_too_high(void *self, const struct sn_pending *pending)
{
    (void)self;
    return sn_pending_count(pending);
}

static bool begin_always(void *self, uint64_t trial, uint64_t *keep)
{
    (void)self;
    (void)trial;
    (void)keep;
    return true;
}

static bool begin_keeping(void *self, uint64_t trial, uint64_t *keep)
{
    (void)self;
    *keep = trial == 0 ? 0 : 1000000;
    return true;
}

static uint32_t pick_first(void *self, const struct sn_pending *pending)
{
    (void)self;
    (void)pending;
    return 0;
}

static const struct sn_strategy keeping = {
    .name = "keeping", .begin = begin_keeping, .pick = pick_first};

static void a_strategy_that_keeps_more_than_there_was_is_reported(void **unused)
{
    struct sn_options options = {.strategy = "keeping"};
    struct sn_result r;

    (void)unused;
    assert_int_equal(sn_strategy_register(&keeping), 0);

    assert_int_equal(sn_run(&race_fixed_test, &options, &r), 0);

    assert_int_equal(r.verdict, SN_UNCONTROLLED);
    assert_non_null(strstr(r.failure, "keeps 1000000 decisions of a trial that had"));
}

static const struct sn_strategy broken = {
    .name = "broken", .begin = begin_always, .pick = pick_too_high};

static void a_strategy_that_picks_nonsense_is_reported(void **unused)
{
    struct sn_options options = {.strategy = "broken"};
    struct sn_result r;

    (void)unused;
    assert_int_equal(sn_strategy_register(&broken), 0);

    assert_int_equal(sn_run(&race_test, &options, &r), 0);

    assert_int_equal(r.failures, 1);
    assert_non_null(strstr(r.failure, "strategy broken picked operation"));
}

/* ---- Errors --------------------------------------------------------------------------------- */

static void an_unknown_strategy_is_an_error_with_a_sentence(void **unused)
{
    struct sn_options options = {.strategy = "wishful"};
    struct sn_result r;

    (void)unused;

    assert_int_equal(sn_run(&race_test, &options, &r), SN_ENOTFOUND);
    assert_non_null(strstr(r.failure, "there is no strategy called wishful; there are random, "));
}

static void a_test_without_a_run_function_is_an_error(void **unused)
{
    const struct sn_test test = {.name = "nothing"};
    struct sn_result r;

    (void)unused;

    assert_int_equal(sn_run(&test, NULL, &r), SN_EINVAL);
    assert_string_equal(r.failure, "a test needs a run function");
}

static void a_directory_that_cannot_be_made_is_an_error_and_the_bug_is_still_told(void **unused)
{
    struct sn_options options = {.outdir = "/dev/null/traces"};
    struct sn_result r;

    (void)unused;

    assert_int_equal(sn_run(&race_test, &options, &r), SN_EIO);
    assert_non_null(strstr(r.failure, "increments"));
    assert_non_null(strstr(r.failure, "; its trace is lost: /dev/null"));
}

static void run_nested(void)
{
    struct sn_result r;

    sn_assert(sn_run(&race_test, NULL, &r) == SN_EINVAL);
}

static void a_run_inside_a_trial_is_refused(void **unused)
{
    const struct sn_test test = {.name = "nested", .run = run_nested};

    (void)unused;

    assert_int_equal(run_test_once(&test).failures, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_trial_starts_from_the_same_memory_without_reset_code),
        cmocka_unit_test(restoring_and_forking_give_the_same_trials),
        cmocka_unit_test(dfs_by_restoring_rerunning_and_forking_visits_the_same_in_the_same_order),
        cmocka_unit_test(a_search_that_goes_back_saves_steps),
        cmocka_unit_test(steps_are_run_again_where_there_is_much_to_copy),
        cmocka_unit_test(the_programs_memory_is_as_before_when_a_run_has_ended),
        cmocka_unit_test(a_million_trials_keep_the_resident_size_flat),
        cmocka_unit_test(a_64_mb_table_that_is_not_touched_takes_no_memory),
        cmocka_unit_test(
            scribbling_over_a_megabyte_around_its_own_objects_does_not_harm_the_engine),
        cmocka_unit_test(a_trial_that_does_not_repeat_itself_is_reported),
        cmocka_unit_test(a_file_left_open_is_named_and_never_a_silent_pass),
        cmocka_unit_test(in_a_process_of_its_own_a_crash_is_a_failing_trial),
        cmocka_unit_test(in_a_process_of_its_own_a_call_of_exit_is_a_failing_trial),
        cmocka_unit_test(freeing_a_block_twice_is_a_failing_trial),
        cmocka_unit_test(a_strategy_of_the_users_is_found_by_name_and_told_of_each_step),
        cmocka_unit_test(a_run_that_exhausts_the_space_says_how_many_schedules_there_are),
        cmocka_unit_test(a_strategy_that_keeps_more_than_there_was_is_reported),
        cmocka_unit_test(a_strategy_that_picks_nonsense_is_reported),
        cmocka_unit_test(an_unknown_strategy_is_an_error_with_a_sentence),
        cmocka_unit_test(a_test_without_a_run_function_is_an_error),
        cmocka_unit_test(a_directory_that_cannot_be_made_is_an_error_and_the_bug_is_still_told),
        cmocka_unit_test(a_run_inside_a_trial_is_refused),
    };

    if (getenv("SENNIT_TEST_SCALE") != NULL)
        scale = (uint64_t)atoll(getenv("SENNIT_TEST_SCALE"));
    return cmocka_run_group_tests(tests, NULL, NULL);
}
