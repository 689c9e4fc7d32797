/* test_shell.c - tests of shell.c. SPDX-License-Identifier: MIT */
#include "base/shell.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static char buffer[128];

static const char *quoted(const char *word)
{
    struct sn_text out;

    text_init(&out, buffer, sizeof(buffer));
    shell_put(&out, word);
    return buffer;
}

static void a_plain_word_stays_bare(void **state)
{
    (void)state;

    assert_string_equal(quoted("./a/b-c_d.trace:1,2@%+"), "./a/b-c_d.trace:1,2@%+");
}

static void a_word_with_a_blank_is_quoted(void **state)
{
    (void)state;

    assert_string_equal(quoted("a b"), "'a b'");
}

static void nothing_is_quoted_too(void **state)
{
    (void)state;

    assert_string_equal(quoted(""), "''");
}

static void a_quote_is_kept(void **state)
{
    (void)state;

    assert_string_equal(quoted("it's"), "'it'\\''s'");
}

static void what_would_be_an_assignment_is_quoted(void **state)
{
    (void)state;

    assert_string_equal(quoted("a=b/program"), "'a=b/program'");
}

static void what_a_shell_expands_is_quoted(void **state)
{
    (void)state;

    assert_string_equal(quoted("~"), "'~'");
    assert_string_equal(quoted("$HOME"), "'$HOME'");
    assert_string_equal(quoted("*"), "'*'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plain_word_stays_bare),
        cmocka_unit_test(a_word_with_a_blank_is_quoted),
        cmocka_unit_test(nothing_is_quoted_too),
        cmocka_unit_test(a_quote_is_kept),
        cmocka_unit_test(what_would_be_an_assignment_is_quoted),
        cmocka_unit_test(what_a_shell_expands_is_quoted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
