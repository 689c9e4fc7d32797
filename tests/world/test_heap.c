/* test_heap.c - the heap by itself, without the malloc that the program sees.
 * SPDX-License-Identifier: MIT
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/world/heap.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    BLOCKS = 400,
    THREADS = 4,
    THREAD_ROUNDS = 20000,
};

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525 + 1013904223;
    return *state >> 8;
}

static bool is_filled(const unsigned char *p, int byte, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (p[i] != byte)
            return false;
    }
    return true;
}

static void blocks_keep_their_bytes_until_they_are_freed(void **state)
{
    unsigned char *blocks[BLOCKS] = {NULL};
    size_t sizes[BLOCKS] = {0};
    uint32_t random = 1;

    (void)state;
    for (int round = 0; round < 20000; round++) {
        uint32_t i = next_random(&random) % BLOCKS;

        if (blocks[i] != NULL)
            assert_true(is_filled(blocks[i], (int)(i % 251), sizes[i]));
        heap_free(blocks[i], NULL);
        sizes[i] = next_random(&random) % (UINT32_C(1) << (next_random(&random) % 17));
        blocks[i] = heap_alloc(sizes[i], NULL);
        assert_non_null(blocks[i]);
        assert_int_equal((uintptr_t)blocks[i] % 16, 0);
        assert_true(heap_usable(blocks[i]) >= sizes[i]);
        memset(blocks[i], (int)(i % 251), sizes[i]);
    }
    for (int i = 0; i < BLOCKS; i++)
        heap_free(blocks[i], NULL);
}

static void new_blocks_are_filled_to_the_end_of_their_class(void **state)
{
    unsigned char *p;
    unsigned char *zeroed;

    (void)state;
    heap_enter(20);
    p = heap_alloc(70, NULL);
    zeroed = heap_zeroed(10, 7, NULL);

    assert_true(heap_usable(p) > 70);
    assert_true(is_filled(p, 0xa5, heap_usable(p)));
    assert_true(is_filled(zeroed, 0, heap_usable(zeroed)));
    heap_enter(0);
}

static void freed_blocks_are_cleared_and_reused_from_the_lowest(void **state)
{
    unsigned char *p[5];

    (void)state;
    heap_enter(21);
    for (int i = 0; i < 5; i++)
        p[i] = memset(heap_alloc(100, NULL), 1, 100);
    heap_free(p[3], NULL);
    heap_free(p[1], NULL);
    heap_free(p[2], NULL);

    assert_true(is_filled(p[2], 0, 96));
    assert_ptr_equal(heap_alloc(100, NULL), p[1]);
    assert_ptr_equal(heap_alloc(100, NULL), p[2]);
    assert_ptr_equal(heap_alloc(100, NULL), p[3]);
    heap_enter(0);
}

static void a_task_gets_the_same_addresses_whatever_others_do(void **state)
{
    unsigned char *first = NULL;
    unsigned char *second = NULL;

    (void)state;
    for (int round = 0; round < 2; round++) {
        uint32_t task = 30 + (uint32_t)round;
        unsigned char *start = heap_start_of(task);
        unsigned char *p[3];

        for (int i = 0; i < 3; i++) {
            heap_enter(40);
            for (int k = 0; k < round * 7; k++)
                (void)heap_alloc(50, NULL);
            heap_enter(task);
            p[i] = heap_alloc(50, NULL);
        }
        first = round == 0 ? p[2] - (p[0] - start) : first;
        second = p[2] - (p[0] - start);
    }
    assert_int_equal(first - heap_start_of(30), second - heap_start_of(31));
    heap_enter(0);
}

static void a_block_freed_by_another_task_goes_back_to_its_owner(void **state)
{
    void *p;

    (void)state;
    heap_enter(50);
    p = heap_alloc(33, NULL);
    heap_enter(51);
    heap_free(p, NULL);

    assert_ptr_not_equal(heap_alloc(33, NULL), p);
    heap_enter(50);
    assert_ptr_equal(heap_alloc(33, NULL), p);
    heap_enter(0);
}

static void aligned_blocks_are_aligned_and_can_be_freed(void **state)
{
    (void)state;
    for (size_t alignment = 8; alignment <= 1 << 21; alignment *= 2) {
        unsigned char *p = heap_aligned(alignment, 100, NULL);

        assert_non_null(p);
        assert_int_equal((uintptr_t)p % alignment, 0);
        assert_true(heap_usable(p) >= 100);
        memset(p, 1, 100);
        p = heap_resize(p, 5000, NULL);
        assert_true(is_filled(p, 1, 100));
        heap_free(p, NULL);
    }
}

static void resizing_keeps_the_bytes(void **state)
{
    static const size_t sizes[] = {1, 30, 17, 5000, 2 << 20, 9 << 20, 4 << 20, 100, 3 << 20, 1};
    unsigned char *p = heap_alloc(1, NULL);
    size_t old = 1;

    (void)state;
    *p = 7;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        p = heap_resize(p, sizes[i], NULL);
        assert_true(is_filled(p, 7, old < sizes[i] ? old : sizes[i]));
        memset(p, 7, sizes[i]);
        old = sizes[i];
    }
    assert_null(heap_resize(p, 0, NULL));
}

static void large_blocks_are_zeros_and_join_when_freed(void **state)
{
    unsigned char *p[4];
    unsigned char *all;

    (void)state;
    for (int i = 0; i < 4; i++) {
        p[i] = heap_alloc(3 << 20, NULL);
        assert_true(is_filled(p[i], 0, 3 << 20));
        memset(p[i], 1, 3 << 20);
    }
    heap_free(p[0], NULL);
    heap_free(p[2], NULL);
    heap_free(p[1], NULL);
    all = heap_alloc((9 << 20) - 100, NULL);

    assert_ptr_equal(all, p[0]);
    assert_true(is_filled(all, 0, (9 << 20) - 100));
    heap_free(all, NULL);
    heap_free(p[3], NULL);
    assert_int_equal(world_root.heap.state->large_pages, 0);
}

static void a_large_block_grows_where_it_is(void **state)
{
    unsigned char *p = heap_alloc(2 << 20, NULL);
    unsigned char *behind;

    (void)state;
    assert_ptr_equal(heap_resize(p, 5 << 20, NULL), p);
    behind = heap_alloc(2 << 20, NULL);
    assert_ptr_not_equal(heap_resize(heap_alloc(2 << 20, NULL), 2 << 20, NULL), NULL);
    heap_free(behind, NULL);
    assert_ptr_equal(heap_resize(p, 6 << 20, NULL), p);
    assert_true(is_filled(p + (5 << 20), 0, 1 << 20));
}

static void a_full_arena_is_continued(void **state)
{
    enum { N = 80 }; /* of 1 MiB, where an arena has 64 */
    unsigned char *blocks[N];

    (void)state;
    heap_enter(60);
    for (int i = 0; i < N; i++) {
        blocks[i] = heap_alloc(1000 * 1000, NULL);
        assert_non_null(blocks[i]);
        memset(blocks[i], i, 100);
    }
    for (int i = 0; i < N; i++) {
        assert_true(is_filled(blocks[i], i, 100));
        heap_free(blocks[i], NULL);
    }
    assert_ptr_equal(heap_alloc(1000 * 1000, NULL), blocks[0]);
    heap_enter(0);
}

static void impossible_sizes_are_refused(void **state)
{
    (void)state;
    errno = 0;
    assert_null(heap_alloc(SIZE_MAX, NULL));
    assert_int_equal(errno, ENOMEM);
    errno = 0;
    assert_null(heap_zeroed(SIZE_MAX / 2, 3, NULL));
    assert_int_equal(errno, ENOMEM);
    assert_null(heap_alloc((size_t)1 << 62, NULL));
    assert_null(heap_aligned((size_t)1 << 62, 1, NULL));
    assert_null(heap_aligned(64, SIZE_MAX - 10, NULL));
}

static void what_the_loader_allocates_is_outside(void **state)
{
    const void *loader = (const void *)(world_root.heap.loader_start + 1);

    (void)state;
    if (world_root.heap.loader_start == 0) {
        print_message("# a static program has no loader\n");
        skip();
    }
    assert_false(heap_holds(heap_alloc(100, loader)));
    assert_true(heap_holds(heap_alloc(100, NULL)));
}

static void *allocate_much(void *argument)
{
    unsigned char *blocks[50] = {NULL};
    uint32_t random = (uint32_t)(uintptr_t)argument;
    uintptr_t wrong = 0;

    for (int round = 0; round < THREAD_ROUNDS; round++) {
        uint32_t i = next_random(&random) % 50;
        size_t size = next_random(&random) % 300 + 1;

        if (blocks[i] != NULL)
            wrong += !is_filled(blocks[i], (int)(uintptr_t)argument, 1);
        heap_free(blocks[i], NULL);
        blocks[i] = heap_alloc(size, NULL);
        memset(blocks[i], (int)(uintptr_t)argument, size);
    }
    return (void *)wrong;
}

static void threads_do_not_disturb_each_other(void **state)
{
    pthread_t threads[THREADS];
    void *wrong = NULL;

    (void)state;
    for (uintptr_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, allocate_much, (void *)(i + 1)), 0);
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], &wrong), 0);
        assert_null(wrong);
    }
}

static void *allocate_until_told(void *argument)
{
    const atomic_bool *stop = argument;

    while (!atomic_load(stop)) {
        for (int i = 0; i < 100; i++)
            heap_free(heap_alloc(3000, NULL), NULL);
    }
    return NULL;
}

static void a_fork_beside_threads_leaves_the_child_a_heap(void **state)
{
    pthread_t threads[THREADS];
    atomic_bool stop = false;

    (void)state;
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, allocate_until_told, &stop), 0);
    for (int i = 0; i < 50; i++) {
        int status = -1;
        pid_t child = fork();

        if (child == 0) {
            (void)alarm(10);
            _exit(heap_alloc(10, NULL) == NULL);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
    }
    atomic_store(&stop, true);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
}

static void check_stack(uint32_t task, size_t wanted)
{
    size_t size = 0;
    size_t again = 0;
    unsigned char *low = heap_stack(task, wanted, &size);
    uint32_t number;

    assert_non_null(low);
    assert_true(size >= wanted);
    low[0] = 1;
    low[size - 1] = 1;
    assert_ptr_equal(heap_stack(task, wanted, &again), low);
    assert_int_equal(again, size);
    number = heap_stack_number(low);
    assert_int_not_equal(number, 0);
    assert_int_equal(heap_stack_number(low + size - 1), number);
    assert_int_not_equal(heap_stack_number(low + size), number);
    assert_ptr_equal(heap_stack_low(number - 1, &again), low);
    assert_int_equal(again, size);
}

static void stacks_have_what_is_wanted_and_do_not_move(void **state)
{
    size_t size = 0;

    (void)state;
    check_stack(7, 64 << 10);
    check_stack(7, 220 << 10);
    check_stack(500, 64 << 10);
    check_stack(500, 220 << 10);
    assert_null(heap_stack(HEAP_TASKS, 0, &size));
    assert_int_equal(heap_stack_number(&size), 0);
}

/* Has the kernel read a byte: 1, or what it says. */
static ssize_t pipe_write(const void *byte)
{
    int ends[2];
    ssize_t rc;

    assert_int_equal(pipe(ends), 0);
    rc = write(ends[1], byte, 1);
    rc = rc < 0 ? -errno : rc;
    (void)close(ends[0]);
    (void)close(ends[1]);
    return rc;
}

static void a_guard_lies_below_every_stack(void **state)
{
    static const size_t wanted[] = {64 << 10, 220 << 10};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        size_t size = 0;
        unsigned char *low = heap_stack(9, wanted[i], &size);

        /* The kernel reads what is to be written. */
        assert_non_null(low);
        assert_int_equal(pipe_write(low), 1);
        assert_int_equal(pipe_write(low - 1), -EFAULT);
        assert_int_equal(pipe_write(low - HEAP_PAGE), -EFAULT);
    }
}

/* What is a stack of one task is none of another one. */
static void no_two_stacks_overlap(void **state)
{
    static const size_t wanted[] = {64 << 10, 220 << 10};
    uint32_t numbers[8];
    uint32_t n = 0;

    (void)state;
    for (uint32_t task = 0; task < 4; task++) {
        for (size_t i = 0; i < 2; i++) {
            size_t size = 0;
            unsigned char *low = heap_stack(task, wanted[i], &size);

            /* Where there is little room, a task has one stack for both. */
            if (n == 0 || numbers[n - 1] != heap_stack_number(low))
                numbers[n++] = heap_stack_number(low);
            memset(low, (int)n, size);
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        size_t size = 0;
        unsigned char *low = heap_stack_low(numbers[i] - 1, &size);

        assert_int_equal(low[0], i + 1);
        assert_memory_equal(low, low + 1, size - 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_keep_their_bytes_until_they_are_freed),
        cmocka_unit_test(new_blocks_are_filled_to_the_end_of_their_class),
        cmocka_unit_test(freed_blocks_are_cleared_and_reused_from_the_lowest),
        cmocka_unit_test(a_task_gets_the_same_addresses_whatever_others_do),
        cmocka_unit_test(a_block_freed_by_another_task_goes_back_to_its_owner),
        cmocka_unit_test(aligned_blocks_are_aligned_and_can_be_freed),
        cmocka_unit_test(resizing_keeps_the_bytes),
        cmocka_unit_test(large_blocks_are_zeros_and_join_when_freed),
        cmocka_unit_test(a_large_block_grows_where_it_is),
        cmocka_unit_test(a_full_arena_is_continued),
        cmocka_unit_test(impossible_sizes_are_refused),
        cmocka_unit_test(what_the_loader_allocates_is_outside),
        cmocka_unit_test(stacks_have_what_is_wanted_and_do_not_move),
        cmocka_unit_test(a_guard_lies_below_every_stack),
        cmocka_unit_test(no_two_stacks_overlap),
        cmocka_unit_test(threads_do_not_disturb_each_other),
        cmocka_unit_test(a_fork_beside_threads_leaves_the_child_a_heap),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
