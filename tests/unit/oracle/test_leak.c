/* test_leak.c - memory that trials lose is found, and nothing else is taken for it.
 * SPDX-License-Identifier: MIT
 */
#include "api/run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#undef run_test /* cmocka has one, too */

#if defined(__SANITIZE_ADDRESS__)
#define HAS_OWN_HEAP 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_OWN_HEAP 0
#endif
#endif
#ifndef HAS_OWN_HEAP
#define HAS_OWN_HEAP 1
#endif

/* ---- One machine that does something once --------------------------------------------------- */

struct node {
    struct node *next;
    char bytes[40];
};

struct worker {
    struct node *kept;
};

static void (*work)(struct worker *w);

static void work_once(void *self, const void *payload)
{
    (void)payload;
    work(self);
}

static const struct sn_event hold_event = {.name = "Hold", .size = sizeof(void *)};

static const struct sn_state working = {
    .name = "Working",
    .entry = work_once,
    .on = (const struct sn_on[]){{.event = &hold_event, .defer = true}, {0}},
};

static const struct sn_machine worker_machine = {
    .name = "Worker", .size = sizeof(struct worker), .start = &working};

static void run_worker(void)
{
    (void)sn_create(&worker_machine, NULL);
}

static struct sn_result judge(void (*what)(struct worker *w), enum sn_world world)
{
    const struct sn_test test = {.name = "leaks", .run = run_worker, .world = world};
    struct run_request request = {
        .test = &test, .options = {.iterations = 3, .keep_going = true}, .leaks = true};
    struct sn_result r;
    int rc;

    work = what;
    rc = run_test(&request, &r);
    if (rc < 0)
        fail_msg("%s", r.failure);
    return r;
}

static void assert_lost(void (*what)(struct worker *w), const char *sentence)
{
    struct sn_result r = judge(what, SN_WORLD_FULL);

    assert_int_equal(r.failures, 3);
    if (strstr(r.failure, sentence) == NULL)
        fail_msg("\"%s\" is not in: %s", sentence, r.failure);
}

static void assert_not_lost(void (*what)(struct worker *w))
{
    struct sn_result r = judge(what, SN_WORLD_FULL);

    assert_string_equal(r.failure, "");
    assert_int_equal(r.trials, 3);
}

static struct node *make(struct node *next)
{
    struct node *volatile node = calloc(1, sizeof(struct node));

    node->next = next;
    return node;
}

/* ---- Lost ----------------------------------------------------------------------------------- */

static void lose_one(struct worker *w)
{
    (void)w;
    (void)make(NULL);
}

static void a_block_that_nothing_points_to_is_lost(void **unused)
{
    (void)unused;
    assert_lost(lose_one, "leak: 1 block of the heap, 48 bytes, is lost: nothing points to it");
}

static void a_lost_block_is_named_with_step_machine_and_caller(void **unused)
{
    (void)unused;
    assert_lost(lose_one, "it was allocated by Worker in step 1, called from the program+0x");
}

static void lose_chain(struct worker *w)
{
    (void)w;
    (void)make(make(make(NULL)));
}

static void what_only_a_lost_block_points_to_is_lost_too(void **unused)
{
    (void)unused;
    assert_lost(lose_chain, "leak: 3 blocks of the heap, 144 bytes, are lost");
}

static void lose_ring(struct worker *w)
{
    struct node *a = make(NULL);
    struct node *b = make(a);

    (void)w;
    a->next = b;
}

static void blocks_that_point_to_each_other_are_lost(void **unused)
{
    (void)unused;
    assert_lost(lose_ring, "leak: 2 blocks of the heap, 96 bytes, are lost");
}

static void lose_large(struct worker *w)
{
    char *volatile large = malloc(3 << 20);

    (void)w;
    large[0] = 1;
}

static void a_large_block_is_lost_as_well(void **unused)
{
    (void)unused;
    assert_lost(lose_large, "leak: 1 block of the heap, 3145728 bytes, is lost");
}

static void forget_own(struct worker *w)
{
    w->kept = make(NULL);
    w->kept = NULL;
}

static void a_block_is_lost_when_its_last_pointer_is(void **unused)
{
    (void)unused;
    assert_lost(forget_own, "leak: 1 block");
}

static void run_losing(void)
{
    (void)make(NULL);
    run_worker();
}

static void keep_nothing(struct worker *w)
{
    (void)w;
}

static void what_the_test_itself_loses_is_lost(void **unused)
{
    const struct sn_test test = {.name = "leaks", .run = run_losing};
    struct run_request request = {.test = &test, .options = {.iterations = 1}, .leaks = true};
    struct sn_result r;

    (void)unused;
    work = keep_nothing;

    assert_int_equal(run_test(&request, &r), 0);

    assert_non_null(strstr(r.failure, "it was allocated by the test in step 0"));
}

/* ---- Not lost ------------------------------------------------------------------------------- */

static void free_all(struct worker *w)
{
    (void)w;
    free(make(NULL));
}

static void what_is_freed_is_not_lost(void **unused)
{
    (void)unused;
    assert_not_lost(free_all);
}

static void keep_in_self(struct worker *w)
{
    w->kept = make(make(NULL));
}

static void what_a_machine_points_to_is_not_lost(void **unused)
{
    (void)unused;
    assert_not_lost(keep_in_self);
}

static void keep_and_halt(struct worker *w)
{
    w->kept = make(NULL);
    sn_halt();
}

static void what_a_halted_machine_points_to_is_not_lost(void **unused)
{
    (void)unused;
    assert_not_lost(keep_and_halt);
}

static struct node *volatile global;

static void keep_in_global(struct worker *w)
{
    (void)w;
    global = make(NULL);
}

static void what_a_global_points_to_is_not_lost(void **unused)
{
    (void)unused;
    assert_not_lost(keep_in_global);
}

static __thread struct node *volatile of_thread;

static void keep_in_thread(struct worker *w)
{
    (void)w;
    of_thread = make(NULL);
}

static void what_a_variable_of_the_thread_points_to_is_not_lost(void **unused)
{
    (void)unused;
    assert_not_lost(keep_in_thread);
}

static char *volatile inside;

static void keep_inside(struct worker *w)
{
    (void)w;
    inside = make(NULL)->bytes + 20;
}

static void what_is_pointed_into_is_not_lost(void **unused)
{
    (void)unused;
    assert_not_lost(keep_inside);
}

static void keep_in_alloc(struct worker *w)
{
    struct node **place = sn_alloc(sizeof(*place));

    (void)w;
    *place = make(NULL);
}

static void what_memory_of_the_trial_points_to_is_not_lost(void **unused)
{
    (void)unused;
    assert_not_lost(keep_in_alloc);
}

static void keep_in_event(struct worker *w)
{
    struct node *node = make(NULL);

    (void)w;
    sn_send(sn_self(), &hold_event, &node);
}

static void what_an_event_points_to_that_was_not_delivered_is_not_lost(void **unused)
{
    (void)unused;
    assert_not_lost(keep_in_event);
}

static void print_something(struct worker *w)
{
    (void)w;
    (void)printf("the buffer of a stream is libc's own, %f\n", 1.5);
}

static void what_libc_keeps_is_not_lost(void **unused)
{
    (void)unused;
    assert_not_lost(print_something);
}

static volatile uintptr_t hidden;

static __attribute__((noinline)) void hide_one(void)
{
    hidden = ~(uintptr_t)make(NULL);
}

/* Leaves no copy of the pointer where other functions will have their frames. */
static __attribute__((noinline)) void scrub(void)
{
    volatile char bytes[16384];

    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = 0;
}

static void what_was_lost_before_the_run_does_not_count(void **unused)
{
    (void)unused;
    hide_one();
    scrub();

    assert_not_lost(keep_nothing);

    free((void *)~hidden);
}

static struct node **on_stack;

static void keep_on_stack(struct worker *w)
{
    (void)w;
    *on_stack = make(NULL);
}

static void what_the_stack_of_the_caller_points_to_is_not_lost(void **unused)
{
    struct node *volatile mine = NULL;

    (void)unused;
    on_stack = (struct node **)&mine;

    assert_not_lost(keep_on_stack);
}

/* ---- Where and when ------------------------------------------------------------------------- */

static void a_process_per_trial_finds_the_same(void **unused)
{
    struct sn_result restored;
    struct sn_result forked;

    (void)unused;

    restored = judge(lose_chain, SN_WORLD_FULL);
    forked = judge(lose_chain, SN_WORLD_FORK);

    assert_int_equal(forked.failures, 3);
    assert_string_equal(forked.failure, restored.failure);
}

static void where_the_heap_is_not_put_back_each_trial_answers_for_itself(void **unused)
{
    struct sn_result r;

    (void)unused;

    r = judge(lose_one, SN_WORLD_TRIAL);

    assert_int_equal(r.failures, 3);
    assert_non_null(strstr(r.failure, "1 block of the heap, 48 bytes"));
}

static void nobody_looks_unless_asked(void **unused)
{
    const struct sn_test test = {.name = "leaks", .run = run_worker};
    struct run_request request = {.test = &test, .options = {.iterations = 3}};
    struct sn_result r;

    (void)unused;
    work = lose_one;

    assert_int_equal(run_test(&request, &r), 0);

    assert_int_equal(r.failures, 0);
}

static void fail_and_lose(struct worker *w)
{
    lose_one(w);
    sn_assertf(false, "something worse");
}

static void a_trial_that_fails_otherwise_is_not_judged(void **unused)
{
    struct sn_result r;

    (void)unused;

    r = judge(fail_and_lose, SN_WORLD_FULL);

    assert_non_null(strstr(r.failure, "something worse"));
}

static void lose_sometimes(struct worker *w)
{
    w->kept = make(NULL);
    if (sn_choose("forget", 4) == 2)
        w->kept = NULL;
}

static void a_leak_has_a_trace_that_finds_it_again(void **unused)
{
    static char directory[] = "/tmp/sennit-leak-XXXXXX";
    const struct sn_test test = {.name = "leaks", .run = run_worker};
    struct run_request request = {.test = &test, .leaks = true};
    struct sn_result found;
    struct sn_result r;

    (void)unused;
    assert_non_null(mkdtemp(directory));
    request.options.outdir = directory;
    work = lose_sometimes;

    assert_int_equal(run_test(&request, &found), 0);
    assert_int_equal(sn_replay(&test, found.trace, &r), 0);

    assert_int_equal(found.failures, 1);
    assert_false(r.nondeterministic);
    assert_string_equal(r.failure, found.failure);
    (void)unlink(found.trace);
    (void)rmdir(directory);
}

static void where_the_heap_is_somebody_elses_it_is_refused(void **unused)
{
    const struct sn_test test = {.name = "leaks", .run = run_worker};
    struct run_request request = {.test = &test, .leaks = true};
    struct sn_result r;

    (void)unused;
    work = keep_nothing;

    assert_int_equal(run_test(&request, &r), SN_EINVAL);

    assert_non_null(strstr(r.failure, "leaks cannot be looked for: "));
}

int main(void)
{
    const struct CMUnitTest with_own_heap[] = {
        cmocka_unit_test(a_block_that_nothing_points_to_is_lost),
        cmocka_unit_test(a_lost_block_is_named_with_step_machine_and_caller),
        cmocka_unit_test(what_only_a_lost_block_points_to_is_lost_too),
        cmocka_unit_test(blocks_that_point_to_each_other_are_lost),
        cmocka_unit_test(a_large_block_is_lost_as_well),
        cmocka_unit_test(a_block_is_lost_when_its_last_pointer_is),
        cmocka_unit_test(what_the_test_itself_loses_is_lost),
        cmocka_unit_test(what_is_freed_is_not_lost),
        cmocka_unit_test(what_a_machine_points_to_is_not_lost),
        cmocka_unit_test(what_a_halted_machine_points_to_is_not_lost),
        cmocka_unit_test(what_a_global_points_to_is_not_lost),
        cmocka_unit_test(what_a_variable_of_the_thread_points_to_is_not_lost),
        cmocka_unit_test(what_is_pointed_into_is_not_lost),
        cmocka_unit_test(what_memory_of_the_trial_points_to_is_not_lost),
        cmocka_unit_test(what_an_event_points_to_that_was_not_delivered_is_not_lost),
        cmocka_unit_test(what_libc_keeps_is_not_lost),
        cmocka_unit_test(what_was_lost_before_the_run_does_not_count),
        cmocka_unit_test(what_the_stack_of_the_caller_points_to_is_not_lost),
        cmocka_unit_test(a_process_per_trial_finds_the_same),
        cmocka_unit_test(where_the_heap_is_not_put_back_each_trial_answers_for_itself),
        cmocka_unit_test(nobody_looks_unless_asked),
        cmocka_unit_test(a_trial_that_fails_otherwise_is_not_judged),
        cmocka_unit_test(a_leak_has_a_trace_that_finds_it_again),
    };
    const struct CMUnitTest with_other_heap[] = {
        cmocka_unit_test(where_the_heap_is_somebody_elses_it_is_refused),
        cmocka_unit_test(nobody_looks_unless_asked),
    };

    if (HAS_OWN_HEAP)
        return cmocka_run_group_tests(with_own_heap, NULL, NULL);
    return cmocka_run_group_tests(with_other_heap, NULL, NULL);
}
