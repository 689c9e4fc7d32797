/* test_memory.c - tests of what the checker stands on: pool.c, intern.c, tree.c, sort.c.
 * SPDX-License-Identifier: MIT
 */
#include "histories.h"

#include "linear/intern.h"
#include "linear/pool.h"
#include "linear/sort.h"
#include "linear/tree.h"

#define MIB ((size_t)1 << 20)

static _Alignas(16) char memory[4096];

static void a_pool_gives_zeroed_memory_again(void **state)
{
    struct pool pool;
    struct pool_mark mark;
    char *first;

    (void)state;
    pool_init(&pool, 8 * MIB, memory, sizeof(memory));
    mark = pool_mark(&pool);
    first = pool_alloc(&pool, 100);
    memset(first, 'x', 100);
    assert_non_null(pool_alloc(&pool, 3 * MIB));
    pool_return(&pool, mark);

    assert_ptr_equal(pool_alloc(&pool, 50), first);
    assert_int_equal(first[49], 0);
    assert_int_equal(pool.mapped, 0);
    pool_done(&pool);
}

static void a_pool_keeps_to_its_limit(void **state)
{
    struct pool pool;
    struct grown array = {0};

    (void)state;
    pool_init(&pool, 4 * MIB, memory, sizeof(memory));

    assert_null(pool_alloc(&pool, 5 * MIB));
    assert_null(pool_alloc(&pool, SIZE_MAX));
    assert_true(grown_reserve(&array, &pool, MIB));
    assert_false(grown_reserve(&array, &pool, 5 * MIB));
    assert_true(array.size >= MIB);
    grown_done(&array, &pool);
    assert_int_equal(pool.mapped, 0);
    pool_done(&pool);
}

static void a_growing_array_keeps_its_bytes(void **state)
{
    struct pool pool;
    struct grown array = {0};

    (void)state;
    pool_init(&pool, 64 * MIB, memory, sizeof(memory));
    assert_true(grown_reserve(&array, &pool, 10));
    memcpy(array.base, "something", 10);
    assert_true(grown_reserve(&array, &pool, 100000));
    assert_true(grown_reserve(&array, &pool, 10 * MIB));

    assert_string_equal(array.base, "something");
    assert_int_equal(((char *)array.base)[array.size - 1], 0);
    grown_done(&array, &pool);
    pool_done(&pool);
}

static void equal_bytes_have_the_same_number(void **state)
{
    struct pool pool;
    struct intern intern;

    (void)state;
    pool_init(&pool, 64 * MIB, memory, sizeof(memory));
    intern_init(&intern, &pool);

    assert_int_equal(intern_add(&intern, "abc", 3), 0);
    assert_int_equal(intern_add(&intern, "abd", 3), 1);
    assert_int_equal(intern_add(&intern, "abc", 2), 2);
    for (uint32_t i = 0; i < 5000; i++)
        assert_int_equal(intern_add(&intern, &i, sizeof(i)), 3 + i);
    assert_int_equal(intern_add(&intern, "abd", 3), 1);
    assert_memory_equal(intern_at(&intern, 0), "abc", 3);
    intern_done(&intern);
    pool_done(&pool);
}

static void equal_vectors_have_the_same_root(void **state)
{
    struct pool pool;
    struct tree tree;
    uint32_t root;

    (void)state;
    pool_init(&pool, 64 * MIB, memory, sizeof(memory));
    assert_int_equal(tree_init(&tree, 5, &pool), 0);
    tree_set(&tree, 3, 7);
    root = tree_root(&tree);
    tree_set(&tree, 4, 1);
    tree_set(&tree, 3, 8);

    assert_int_not_equal(tree_root(&tree), root);
    tree_set(&tree, 3, 7);
    assert_int_not_equal(tree_root(&tree), root);
    tree_set(&tree, 4, 0);
    assert_int_equal(tree_root(&tree), root);
    assert_int_equal(tree_get(&tree, 3), 7);
    tree_done(&tree);
    pool_done(&pool);
}

static void sorting_keeps_the_order_of_equal_keys(void **state)
{
    struct sortable entries[300];
    struct sortable other[300];

    (void)state;
    for (size_t i = 0; i < 300; i++)
        entries[i] = (struct sortable){(300 - i) / 2 * UINT64_C(0x100010001), i};
    sort_by_key(entries, other, 300);

    for (size_t i = 1; i < 300; i++) {
        assert_true(entries[i - 1].key <= entries[i].key);
        assert_true(entries[i - 1].key < entries[i].key || entries[i - 1].index < entries[i].index);
    }
    assert_int_equal(sort_find(entries, 300, 0), 0);
    assert_int_equal(sort_find(entries, 300, UINT64_C(0x100010001)), 1);
    assert_int_equal(sort_find(entries, 300, UINT64_MAX), 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pool_gives_zeroed_memory_again),
        cmocka_unit_test(a_pool_keeps_to_its_limit),
        cmocka_unit_test(a_growing_array_keeps_its_bytes),
        cmocka_unit_test(equal_bytes_have_the_same_number),
        cmocka_unit_test(equal_vectors_have_the_same_root),
        cmocka_unit_test(sorting_keeps_the_order_of_equal_keys),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
