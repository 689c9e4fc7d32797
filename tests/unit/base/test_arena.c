/* test_arena.c - tests of arena.c. SPDX-License-Identifier: MIT */
#include "base/arena.h"

#include <setjmp.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static int is_zero(const void *memory, size_t n)
{
    const char *bytes = memory;

    for (size_t i = 0; i < n; i++) {
        if (bytes[i] != 0)
            return 0;
    }
    return 1;
}

static void memory_is_zeroed_and_aligned(void **state)
{
    struct arena arena = {0};
    char *odd = arena_copy(&arena, "abc", 3);
    char *memory = arena_alloc(&arena, 1000);

    (void)state;
    assert_string_equal(odd, "abc");
    assert_int_equal((uintptr_t)memory % alignof(max_align_t), 0);
    assert_true(is_zero(memory, 1000));
    arena_done(&arena);
}

static void growing_keeps_what_was_handed_out(void **state)
{
    struct arena arena = {0};
    char *first = arena_copy(&arena, "first", 5);
    char *large = arena_alloc(&arena, 5000000);

    (void)state;
    memset(large, 'x', 5000000);

    assert_string_equal(first, "first");
    assert_string_equal(arena_copy(&arena, "last", 4), "last");
    arena_done(&arena);
}

static void limit_refuses_and_leaves_the_arena_usable(void **state)
{
    struct arena arena;

    (void)state;
    arena_init(&arena, 100000);

    assert_non_null(arena_alloc(&arena, 1000));
    assert_null(arena_alloc(&arena, 200000));
    assert_non_null(arena_alloc(&arena, 1000));
    assert_true(arena.mapped <= 100000);
    arena_done(&arena);
}

static void limit_bounds_many_small_pieces(void **state)
{
    struct arena arena;
    size_t n = 0;

    (void)state;
    arena_init(&arena, 1 << 20);
    while (arena_alloc(&arena, 100) != NULL)
        n++;

    assert_true(n > 5000);
    assert_true(n < (1 << 20) / 100);
    arena_done(&arena);
}

static void overflowing_sizes_are_refused(void **state)
{
    struct arena arena = {0};

    (void)state;
    assert_null(arena_array(&arena, SIZE_MAX / 2, 3));
    assert_null(arena_alloc(&arena, SIZE_MAX));
    assert_null(arena_copy(&arena, "", SIZE_MAX));
    assert_non_null(arena_alloc(&arena, 0));
    arena_done(&arena);
}

static void cleared_memory_is_zeroed_again(void **state)
{
    struct arena arena = {0};
    char *memory = arena_alloc(&arena, 50000);

    (void)state;
    memset(memory, 'x', 50000);
    arena_clear(&arena);

    assert_ptr_equal(arena_alloc(&arena, 40000), memory);
    assert_true(is_zero(memory, 40000));
    arena_clear(&arena);
    assert_true(is_zero(arena_alloc(&arena, 60000), 60000));
    arena_done(&arena);
}

static void clear_keeps_the_largest_mapping_only(void **state)
{
    struct arena arena = {0};

    (void)state;
    assert_non_null(arena_alloc(&arena, 10));
    memset(arena_alloc(&arena, 1000000), 'x', 1000000);
    assert_non_null(arena_alloc(&arena, 900000));
    arena_clear(&arena);

    assert_true(arena.mapped >= 1000000);
    assert_true(arena.mapped < 3000000);
    assert_true(is_zero(arena_alloc(&arena, 1000000), 1000000));
    arena_done(&arena);
    assert_int_equal(arena.mapped, 0);
}

static void done_and_clear_of_an_empty_arena_do_nothing(void **state)
{
    struct arena arena = {0};

    (void)state;
    arena_clear(&arena);
    arena_done(&arena);
    arena_done(&arena);
    assert_null(arena.chunks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_zeroed_and_aligned),
        cmocka_unit_test(growing_keeps_what_was_handed_out),
        cmocka_unit_test(limit_refuses_and_leaves_the_arena_usable),
        cmocka_unit_test(limit_bounds_many_small_pieces),
        cmocka_unit_test(overflowing_sizes_are_refused),
        cmocka_unit_test(cleared_memory_is_zeroed_again),
        cmocka_unit_test(clear_keeps_the_largest_mapping_only),
        cmocka_unit_test(done_and_clear_of_an_empty_arena_do_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
