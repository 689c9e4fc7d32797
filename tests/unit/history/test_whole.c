/* test_whole.c - tests of whole.c. SPDX-License-Identifier: MIT */
#include "history/whole.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static sn_value add(struct wholes *wholes, const sn_value *elements, size_t n, bool is_set)
{
    sn_value value = 0;

    assert_int_equal(wholes_add(wholes, elements, n, is_set, &value), 0);
    return value;
}

static void a_whole_is_found_by_the_value_that_stands_for_it(void **state)
{
    const sn_value elements[] = {3, 5};
    struct wholes wholes = {0};
    sn_value value;

    (void)state;
    assert_null(wholes_find(&wholes, 7));
    value = add(&wholes, elements, 2, true);

    assert_int_equal(value, sn_set_value(elements, 2));
    assert_int_equal(wholes_find(&wholes, value)->n, 2);
    assert_int_equal(wholes_find(&wholes, value)->elements[1], 5);
    assert_null(wholes_find(&wholes, 7));
    wholes_done(&wholes);
}

static void equal_ones_are_kept_once(void **state)
{
    const sn_value elements[] = {3, 5};
    struct wholes wholes = {0};

    (void)state;
    (void)add(&wholes, elements, 2, false);
    (void)add(&wholes, elements, 2, false);

    assert_int_equal(wholes.n, 1);
    wholes_done(&wholes);
}

static void a_list_that_grows_is_kept_once(void **state)
{
    static sn_value elements[4000];
    struct wholes wholes = {0};

    (void)state;
    for (size_t n = 1; n <= 4000; n++) {
        elements[n - 1] = (sn_value)n;
        (void)add(&wholes, elements, n, false);
    }

    assert_true(wholes_bytes(&wholes) < (size_t)1 << 20);
    for (size_t n = 1; n <= 4000; n++)
        assert_memory_equal(wholes_find(&wholes, sn_list_value(elements, n))->elements, elements,
                            n * sizeof(*elements));
    wholes_done(&wholes);
}

static void a_list_that_goes_on_in_another_way_leaves_the_first_as_it_was(void **state)
{
    const sn_value one[] = {1, 2, 3};
    const sn_value other[] = {1, 4, 5, 6};
    struct wholes wholes = {0};
    sn_value first;
    sn_value second;

    (void)state;
    first = add(&wholes, one, 3, false);
    second = add(&wholes, other, 4, false);
    (void)add(&wholes, one, 2, false);

    assert_memory_equal(wholes_find(&wholes, first)->elements, one, sizeof(one));
    assert_memory_equal(wholes_find(&wholes, second)->elements, other, sizeof(other));
    wholes_done(&wholes);
}

static void all_are_found_when_the_table_grows(void **state)
{
    struct wholes wholes = {0};

    (void)state;
    for (sn_value i = 0; i < 5000; i++)
        (void)add(&wholes, &i, 1, true);

    for (sn_value i = 0; i < 5000; i++)
        assert_int_equal(wholes_find(&wholes, sn_set_value(&i, 1))->elements[0], i);
    wholes_done(&wholes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_is_found_by_the_value_that_stands_for_it),
        cmocka_unit_test(equal_ones_are_kept_once),
        cmocka_unit_test(a_list_that_grows_is_kept_once),
        cmocka_unit_test(a_list_that_goes_on_in_another_way_leaves_the_first_as_it_was),
        cmocka_unit_test(all_are_found_when_the_table_grows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
