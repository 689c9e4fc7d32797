/* test_shared_object.c - a library of somebody else's works as it is, in a trial as elsewhere:
 *   test_shared_object [LIBRARY]
 * With an argument the library is loaded by name, before the first trial; without one it was linked
 * with the program. SPDX-License-Identifier: MIT
 */
#include "third_party.h"

#include <dlfcn.h>
#include <sennit/sennit.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

enum { TRIALS = 50 };

static const struct third_party *library;

/* What trials have seen, in memory that no restore touches. */
struct seen {
    const void *block;
    uint64_t trials;
    uint64_t rolled[6];
};

static struct seen *seen;

static struct sn_result run_trials(void (*run)(void), uint64_t trials)
{
    const struct sn_test test = {.name = "library", .run = run};
    struct sn_result r;

    memset(seen, 0, sizeof(*seen));
    assert_int_equal(sn_run(&test, &(struct sn_options){.iterations = trials}, &r), 0);
    return r;
}

static void count_twice(void)
{
    sn_assert(library->count() == 1);
    sn_assert(library->count() == 2);
}

static void static_state_of_a_shared_object_is_in_the_world(void **unused)
{
    struct sn_result r;

    (void)unused;

    r = run_trials(count_twice, TRIALS);
    assert_string_equal(r.failure, "");
    assert_int_equal(r.trials, TRIALS);
}

static void keep_one(void)
{
    const void *block = library->keep();

    sn_assert(seen->block == NULL || seen->block == block);
    seen->block = block;
    seen->trials++;
}

/* Were it not put back, each trial would get another block. */
static void malloc_of_a_shared_object_comes_from_the_world(void **unused)
{
    struct sn_result r;

    (void)unused;

    r = run_trials(keep_one, TRIALS);
    assert_string_equal(r.failure, "");
    assert_non_null(seen->block);
}

/* Every trial begins in 2026, and a minute of sleep takes no time. */
static void look_and_nap(void)
{
    time_t begin = library->now();

    sn_assert(begin == 1767225600);
    library->nap();
    sn_assert(library->now() == begin + 60);
}

static void time_of_a_shared_object_is_virtual(void **unused)
{
    struct sn_result r;

    (void)unused;

    r = run_trials(look_and_nap, TRIALS);
    assert_string_equal(r.failure, "");
}

static void roll_once(void)
{
    seen->rolled[library->roll()]++;
}

static void rand_of_a_shared_object_is_a_decision(void **unused)
{
    struct sn_result r;

    (void)unused;

    r = run_trials(roll_once, 200);
    assert_string_equal(r.failure, "");
    assert_int_equal(r.draws, 200);
    for (int i = 0; i < 6; i++)
        assert_true(seen->rolled[i] > 0);
}

static void talk_once(const void *payload)
{
    (void)payload;
    sn_assert(library->talk() == 'x');
}

static const struct sn_process talker = {.name = "Talker", .run = talk_once};

static void spawn_talker(void)
{
    (void)sn_spawn(&talker, NULL);
}

/* To listen, to connect, to accept, to write, to read and to close three times. */
static void sockets_of_a_shared_object_are_the_trials(void **unused)
{
    struct sn_result r;

    (void)unused;

    r = run_trials(spawn_talker, 1);
    assert_string_equal(r.failure, "");
    assert_int_equal(r.steps, 10);
}

/* Where sanitizers are, each trial has a process of its own, in which it may start threads. */
#if defined(__SANITIZE_ADDRESS__)
#define IS_SANITIZED true
#elif defined(__has_feature)
#define IS_SANITIZED __has_feature(address_sanitizer)
#else
#define IS_SANITIZED false
#endif

static void start_thread(void)
{
    (void)library->start();
}

static void a_thread_of_a_shared_object_is_reported_as_uncontrolled(void **unused)
{
    struct sn_result r;

    (void)unused;

    if (IS_SANITIZED) {
        print_message("trials are processes in this build\n");
        skip();
    }
    r = run_trials(start_thread, 1);
    assert_int_equal(r.verdict, SN_UNCONTROLLED);
    assert_non_null(strstr(r.failure, "thread"));
}

static void talk_in_test(void)
{
    (void)library->talk();
}

static void a_component_that_was_not_made_a_process_is_noticed(void **unused)
{
    struct sn_result r;

    (void)unused;

    r = run_trials(talk_in_test, 1);
    assert_int_equal(r.verdict, SN_UNCONTROLLED);
    assert_non_null(strstr(r.failure, "the test opens a socket to the network"));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(static_state_of_a_shared_object_is_in_the_world),
        cmocka_unit_test(malloc_of_a_shared_object_comes_from_the_world),
        cmocka_unit_test(time_of_a_shared_object_is_virtual),
        cmocka_unit_test(rand_of_a_shared_object_is_a_decision),
        cmocka_unit_test(sockets_of_a_shared_object_are_the_trials),
        cmocka_unit_test(a_component_that_was_not_made_a_process_is_noticed),
        cmocka_unit_test(a_thread_of_a_shared_object_is_reported_as_uncontrolled),
    };
#ifdef LOADED_BY_NAME
    void *handle = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    const struct third_party *(*get)(void);
    void *found = handle != NULL ? dlsym(handle, "third_party") : NULL;

    if (found == NULL)
        return 2;
    memcpy(&get, &found, sizeof(get));
    library = get();
#else
    (void)argc;
    (void)argv;
    library = third_party();
#endif
    seen = mmap(NULL, sizeof(*seen), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return seen != MAP_FAILED ? cmocka_run_group_tests(tests, NULL, NULL) : 2;
}
