/* test_path.c - tests of path.c: how far a search is, and how it is divided.
 * SPDX-License-Identifier: MIT
 */
#include "strategy/path.h"

#include "engine/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct path *whole;
static struct path *other;

static int set_up(void **state)
{
    (void)state;
    whole = mem_reserve_shared(sizeof(*whole), NULL);
    other = mem_reserve_shared(sizeof(*other), NULL);
    return whole != NULL && other != NULL ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    mem_release(whole, sizeof(*whole));
    mem_release(other, sizeof(*other));
    return 0;
}

/* The next leaf of a tree whose root has two children: the first has three leaves, the second is
 * one. Leaves are 0 to 3; -1: there is none left. */
static int next_leaf(struct path *p)
{
    uint64_t keep = 0;

    if (!path_begin(p, &keep))
        return -1;
    if (keep == 1)
        return (int)path_next(p, 3);
    return path_next(p, 2) == 1 ? 3 : (int)path_next(p, 3);
}

static void assert_near(double value, double expected)
{
    assert_true(value > expected - 1e-12 && value < expected + 1e-12);
}

static void progress_is_what_the_leaves_that_were_visited_count_for(void **state)
{
    (void)state;
    assert_near(path_progress(whole), 0);
    assert_int_equal(next_leaf(whole), 0);
    assert_near(path_progress(whole), 1.0 / 6);
    assert_int_equal(next_leaf(whole), 1);
    assert_near(path_progress(whole), 2.0 / 6);
    assert_int_equal(next_leaf(whole), 2);
    assert_near(path_progress(whole), 3.0 / 6);
    assert_int_equal(next_leaf(whole), 3);
    assert_near(path_progress(whole), 1);
    assert_int_equal(next_leaf(whole), -1);
    assert_near(path_progress(whole), 1);
}

static void what_is_given_away_comes_last_and_counts_as_done(void **state)
{
    (void)state;
    assert_int_equal(next_leaf(whole), 0);
    assert_true(path_split(whole, other));

    assert_near(path_progress(whole), 1 - 2.0 / 6);
    assert_near(path_progress(other), 1 - 1.0 / 2);
    assert_int_equal(next_leaf(whole), 1);
    assert_int_equal(next_leaf(whole), 2);
    assert_int_equal(next_leaf(whole), -1);
    assert_int_equal(next_leaf(other), 3);
    assert_int_equal(next_leaf(other), -1);
    assert_near(path_progress(other), 1);
}

static void a_saved_search_is_as_far_as_it_was(void **state)
{
    unsigned char bytes[256];
    size_t n;

    (void)state;
    assert_int_equal(next_leaf(whole), 0);
    assert_int_equal(next_leaf(whole), 1);
    n = path_save(whole, 7, bytes, sizeof(bytes));
    assert_int_equal(path_load(other, 7, bytes, n), 0);

    assert_near(path_progress(other), 2.0 / 6);
    assert_int_equal(next_leaf(other), 2);
    assert_int_equal(next_leaf(other), 3);
    assert_int_equal(next_leaf(other), -1);
}

static void bytes_that_are_no_path_are_refused(void **state)
{
    unsigned char bytes[256];
    size_t n;

    (void)state;
    assert_int_equal(next_leaf(whole), 0);
    n = path_save(whole, 7, bytes, sizeof(bytes));
    assert_int_equal(path_load(other, 8, bytes, n), -1);
    assert_int_equal(path_load(other, 7, bytes, n - 1), -1);
    bytes[40] = 1; /* there were two at the first decision */
    assert_int_equal(path_load(other, 7, bytes, n), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(progress_is_what_the_leaves_that_were_visited_count_for,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_given_away_comes_last_and_counts_as_done, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_saved_search_is_as_far_as_it_was, set_up, tear_down),
        cmocka_unit_test_setup_teardown(bytes_that_are_no_path_are_refused, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
