/* test_texts.c - tests of texts.c and grow.c. SPDX-License-Identifier: MIT */
#include "history/texts.h"

#include <sennit/test.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static uint32_t number_of(struct texts *texts, const char *text)
{
    uint32_t number = UINT32_MAX;

    assert_int_equal(texts_add(texts, text, strlen(text), &number), 0);
    return number;
}

static void equal_texts_have_equal_numbers(void **state)
{
    struct texts texts = {0};

    (void)state;
    assert_int_equal(number_of(&texts, "a"), 0);
    assert_int_equal(number_of(&texts, ""), 1);
    assert_int_equal(number_of(&texts, "a"), 0);
    assert_string_equal(texts_at(&texts, 0)->bytes, "a");
    texts_done(&texts);
}

static void numbers_stay_when_the_table_grows(void **state)
{
    struct texts texts = {0};
    char text[16];

    (void)state;
    for (uint32_t i = 0; i < 5000; i++) {
        (void)snprintf(text, sizeof(text), "text %u", i);
        assert_int_equal(number_of(&texts, text), i);
    }

    assert_int_equal(number_of(&texts, "text 0"), 0);
    assert_int_equal(number_of(&texts, "text 4999"), 4999);
    assert_int_equal(texts.n, 5000);
    texts_done(&texts);
}

static void an_array_keeps_its_contents_when_it_grows(void **state)
{
    struct grow grow = {0};

    (void)state;
    assert_int_equal(grow_to(&grow, 10, sizeof(int)), 0);
    ((int *)grow.base)[9] = 7;
    assert_int_equal(grow_to(&grow, 1000000, sizeof(int)), 0);

    assert_int_equal(((int *)grow.base)[9], 7);
    assert_int_equal(((int *)grow.base)[999999], 0);
    grow_done(&grow);
}

static void an_array_that_is_too_large_is_refused(void **state)
{
    struct grow grow = {0};

    (void)state;
    assert_int_equal(grow_to(&grow, SIZE_MAX / 2, 64), SN_ENOMEM);
    assert_int_equal(grow_to(&grow, SIZE_MAX / 2, 1), SN_ENOMEM);
    grow_done(&grow);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_texts_have_equal_numbers),
        cmocka_unit_test(numbers_stay_when_the_table_grows),
        cmocka_unit_test(an_array_keeps_its_contents_when_it_grows),
        cmocka_unit_test(an_array_that_is_too_large_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
