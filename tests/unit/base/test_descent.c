/* test_descent.c - what descents tell of the size of a tree. SPDX-License-Identifier: MIT */
#include "base/descent.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct descent descent;

static int start(void **state)
{
    (void)state;
    memset(&descent, 0, sizeof(descent));
    descent_start(&descent, 1);
    return 0;
}

/* A descent that comes to a leaf after one decision of n. */
static void go_down(uint64_t n)
{
    descent_begin(&descent);
    (void)descent_choose(&descent, n);
}

static void a_descent_is_the_product_of_the_numbers_of_children(void **state)
{
    (void)state;
    descent_begin(&descent);
    assert_true(descent_choose(&descent, 2) < 2);
    assert_true(descent_choose(&descent, 1) == 0);
    assert_true(descent_choose(&descent, 3) < 3);

    assert_true(descent_finish(&descent).mean == 6);
}

static void the_mean_is_told_with_its_error_and_the_largest_descent(void **state)
{
    struct descent_result found;

    (void)state;
    go_down(2);
    go_down(4);
    found = descent_finish(&descent);

    assert_int_equal(found.n, 2);
    assert_true(found.mean == 3);
    assert_true(found.error > 0.999999 && found.error < 1.000001);
    assert_true(found.largest == 4);
    assert_true(found.is_doubtful);
}

static void descents_that_are_alike_leave_no_doubt(void **state)
{
    struct descent_result found;

    (void)state;
    go_down(5);
    go_down(5);
    found = descent_finish(&descent);

    assert_true(found.mean == 5);
    assert_true(found.error == 0);
    assert_false(found.is_doubtful);
}

static void one_descent_alone_is_doubtful(void **state)
{
    (void)state;
    go_down(5);

    assert_true(descent_finish(&descent).is_doubtful);
}

static void no_descent_tells_nothing(void **state)
{
    struct descent_result found = descent_finish(&descent);

    (void)state;
    assert_int_equal(found.n, 0);
    assert_true(found.mean == 0);
}

static void a_tree_that_is_too_large_to_be_told_has_a_size_all_the_same(void **state)
{
    struct descent_result found;

    (void)state;
    descent_begin(&descent);
    for (int i = 0; i < 1000; i++)
        (void)descent_choose(&descent, 1000);
    go_down(2);
    found = descent_finish(&descent);

    assert_true(found.largest >= DESCENT_SIZE_MAX);
    assert_true(found.error > 0 && found.error < 1e200);
}

#define descent_test(claim) cmocka_unit_test_setup(claim, start)

int main(void)
{
    const struct CMUnitTest tests[] = {
        descent_test(a_descent_is_the_product_of_the_numbers_of_children),
        descent_test(the_mean_is_told_with_its_error_and_the_largest_descent),
        descent_test(descents_that_are_alike_leave_no_doubt),
        descent_test(one_descent_alone_is_doubtful),
        descent_test(no_descent_tells_nothing),
        descent_test(a_tree_that_is_too_large_to_be_told_has_a_size_all_the_same),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
