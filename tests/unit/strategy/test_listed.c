/* test_listed.c - a list of things to do again. SPDX-License-Identifier: MIT */
#include "strategy/listed.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { ENTRIES_MAX = 100 };

static struct listed list;

static int open_list(void **unused)
{
    (void)unused;
    return listed_init(&list, ENTRIES_MAX, NULL);
}

static int close_list(void **unused)
{
    (void)unused;
    listed_done(&list);
    return 0;
}

static void an_entry_is_found_by_its_id_until_it_is_used(void **unused)
{
    (void)unused;
    listed_add(&list, 11, 0);
    listed_add(&list, 12, 0);

    assert_int_equal(listed_find_id(&list, 12), 2);
    assert_int_equal(listed_find_id(&list, 13), 0);
    listed_use(&list, 2);
    assert_int_equal(listed_find_id(&list, 12), 0);
    assert_int_equal(listed_find_id(&list, 11), 1);
}

static void entries_with_one_name_are_found_in_their_order(void **unused)
{
    (void)unused;
    listed_add(&list, 11, 7);
    listed_add(&list, 12, 8);
    listed_add(&list, 13, 7);
    listed_add(&list, 14, 7);

    assert_int_equal(listed_find_name(&list, 7), 1);
    listed_use(&list, 1);
    assert_int_equal(listed_find_name(&list, 7), 3);
    listed_use(&list, 4);
    listed_use(&list, 3);
    assert_int_equal(listed_find_name(&list, 7), 0);
    assert_int_equal(listed_find_name(&list, 8), 2);
    assert_int_equal(listed_find_name(&list, 9), 0);
}

static void of_several_entries_with_one_id_the_first_is_found(void **unused)
{
    (void)unused;
    listed_add(&list, 11, 7);
    listed_add(&list, 11, 8);

    assert_int_equal(listed_find_id(&list, 11), 1);
}

/* Both tables are smaller then, so what was in them must be gone from all of them. */
static void a_cleared_list_has_nothing_of_what_it_had(void **unused)
{
    (void)unused;
    for (uint64_t i = 1; i <= ENTRIES_MAX; i++)
        listed_add(&list, i, 1000 + i);
    listed_clear(&list, 3);
    listed_add(&list, 5, 1005);
    listed_clear(&list, ENTRIES_MAX);

    for (uint64_t i = 1; i <= ENTRIES_MAX; i++) {
        assert_int_equal(listed_find_id(&list, i), 0);
        assert_int_equal(listed_find_name(&list, 1000 + i), 0);
    }
}

#define TEST(name_) cmocka_unit_test_setup_teardown(name_, open_list, close_list)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_entry_is_found_by_its_id_until_it_is_used),
        TEST(entries_with_one_name_are_found_in_their_order),
        TEST(of_several_entries_with_one_id_the_first_is_found),
        TEST(a_cleared_list_has_nothing_of_what_it_had),
    };

    return cmocka_run_group_tests_name("listed", tests, NULL, NULL);
}
