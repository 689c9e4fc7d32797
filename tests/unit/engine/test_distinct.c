/* test_distinct.c - tests of distinct.c: counting different values. SPDX-License-Identifier: MIT */
#include "engine/distinct.h"

#include "base/rng.h"
#include "engine/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct distinct *values;
static struct distinct *others;

static int set_up(void **state)
{
    (void)state;
    values = mem_reserve_shared(sizeof(*values), NULL);
    others = mem_reserve_shared(sizeof(*others), NULL);
    return values != NULL && others != NULL ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    mem_release(values, sizeof(*values));
    mem_release(others, sizeof(*others));
    return 0;
}

static void add(struct distinct *d, uint64_t first, uint64_t n)
{
    for (uint64_t i = first; i < first + n; i++)
        distinct_add(d, mix64(i));
}

static void nothing_is_no_value(void **state)
{
    (void)state;
    assert_int_equal(distinct_count(values), 0);
    assert_true(distinct_is_exact(values));
}

static void zero_is_a_value(void **state)
{
    (void)state;
    distinct_add(values, 0);
    distinct_add(values, 0);

    assert_int_equal(distinct_count(values), 1);
}

static void a_value_is_counted_once(void **state)
{
    (void)state;
    add(values, 1, 100);
    add(values, 1, 100);

    assert_int_equal(distinct_count(values), 100);
}

static void what_was_known_before_the_table_grew_is_known_after_it(void **state)
{
    (void)state;
    add(values, 1, 300);

    add(values, 1, 5000);
    add(values, 1, 300);

    assert_int_equal(distinct_count(values), 5000);
}

/* They all belong at the end of a table, and go on at its beginning. */
static void values_that_meet_at_the_end_of_a_table_stay_apart_when_it_grows(void **state)
{
    (void)state;
    for (uint64_t i = 1; i <= 400; i++)
        distinct_add(values, i << 32 | (DISTINCT_TABLE - 1));
    for (uint64_t i = 1; i <= 400; i++)
        distinct_add(values, i << 32 | (DISTINCT_TABLE - 1));

    assert_int_equal(distinct_count(values), 400);
}

static void counting_is_exact_up_to_the_limit(void **state)
{
    (void)state;
    add(values, 1, DISTINCT_EXACT_MAX);

    assert_true(distinct_is_exact(values));
    assert_int_equal(distinct_count(values), DISTINCT_EXACT_MAX);
}

static void beyond_the_limit_the_number_is_estimated(void **state)
{
    (void)state;
    add(values, 1, 200000);

    assert_false(distinct_is_exact(values));
    assert_in_range(distinct_count(values), 190000, 210000);
}

static void what_was_saved_is_known_when_it_is_loaded(void **state)
{
    static unsigned char bytes[8 * 3000];
    size_t n;

    (void)state;
    add(values, 1, 3000);
    n = distinct_save(values, bytes, sizeof(bytes));

    assert_int_equal(n, sizeof(bytes));
    assert_int_equal(distinct_load(others, bytes, n), 0);
    add(others, 2000, 1500);
    assert_int_equal(distinct_count(others), 3499);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(nothing_is_no_value, set_up, tear_down),
        cmocka_unit_test_setup_teardown(zero_is_a_value, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_value_is_counted_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_was_known_before_the_table_grew_is_known_after_it,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(
            values_that_meet_at_the_end_of_a_table_stay_apart_when_it_grows, set_up, tear_down),
        cmocka_unit_test_setup_teardown(counting_is_exact_up_to_the_limit, set_up, tear_down),
        cmocka_unit_test_setup_teardown(beyond_the_limit_the_number_is_estimated, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(what_was_saved_is_known_when_it_is_loaded, set_up,
                                        tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
