/* test_source.c - tests of source.c. SPDX-License-Identifier: MIT */
#include "history/source.h"

#include <sennit/test.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void lines_are_given_with_their_numbers(void **state)
{
    struct source source;
    struct err why = {""};
    const char *text;
    uint64_t number;
    size_t n;

    (void)state;
    source_open_memory(&source, "text", "a\n\nlast", 7, 1);

    assert_int_equal(source_line(&source, &text, &n, &number, &why), 1);
    assert_string_equal(text, "a");
    assert_int_equal(number, 1);
    assert_int_equal(source_line(&source, &text, &n, &number, &why), 1);
    assert_int_equal(n, 0);
    assert_int_equal(source_line(&source, &text, &n, &number, &why), 1);
    assert_string_equal(text, "last");
    assert_int_equal(number, 3);
    assert_int_equal(source_line(&source, &text, &n, &number, &why), 0);
    source_close(&source);
}

static void a_line_that_is_too_long_is_refused(void **state)
{
    static char bytes[SOURCE_LINE_MAX + 1];
    struct source source;
    struct err why = {""};
    const char *text;
    uint64_t number;
    size_t n;

    (void)state;
    memset(bytes, 'x', sizeof(bytes));
    source_open_memory(&source, "text", bytes, sizeof(bytes), 1);

    assert_int_equal(source_line(&source, &text, &n, &number, &why), SN_EFORMAT);
    assert_string_equal(why.text, "text:1: a line is longer than 1048576 bytes");
    source_close(&source);
}

static void a_file_that_is_not_there_is_told_from_one_that_cannot_be_read(void **state)
{
    struct source source;
    struct err why = {""};

    (void)state;
    assert_int_equal(source_open(&source, "/nowhere/at/all", &why), SN_ENOTFOUND);
    assert_string_equal(why.text, "/nowhere/at/all: cannot be opened: No such file or directory");
    assert_int_equal(source_open(&source, "/", &why), 0);
    assert_int_equal(source_peek(&source), SOURCE_END);
    assert_true(source.has_failed);
    assert_string_equal(source.why.text, "/:1: Is a directory");
    source_close(&source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_given_with_their_numbers),
        cmocka_unit_test(a_line_that_is_too_long_is_refused),
        cmocka_unit_test(a_file_that_is_not_there_is_told_from_one_that_cannot_be_read),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
