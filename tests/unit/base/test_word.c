/* test_word.c - tests of word.c. SPDX-License-Identifier: MIT */
#include "base/word.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static char line[512];
static struct word words[4];
static const char *why;

static int split(const char *text)
{
    (void)snprintf(line, sizeof(line), "%s", text);
    why = "";
    return word_split(line, words, 4, &why);
}

static void blanks_separate_words(void **state)
{
    (void)state;

    assert_int_equal(split("  one\ttwo \r"), 2);

    assert_string_equal(words[0].text, "one");
    assert_string_equal(words[1].text, "two");
    assert_false(words[0].is_quoted);
}

static void a_line_of_blanks_has_no_words(void **state)
{
    (void)state;

    assert_int_equal(split(" \t "), 0);
    assert_int_equal(split(""), 0);
}

static void quotes_hold_blanks_together(void **state)
{
    (void)state;

    assert_int_equal(split("\"disk error\" x \"\""), 3);

    assert_string_equal(words[0].text, "disk error");
    assert_true(words[0].is_quoted);
    assert_string_equal(words[1].text, "x");
    assert_string_equal(words[2].text, "");
}

static void escapes_stand_for_bytes(void **state)
{
    (void)state;

    assert_int_equal(split("\"a\\\"b\\\\c\\x0a\\xFf\""), 1);

    assert_string_equal(words[0].text, "a\"b\\c\n\xff");
}

static void a_word_that_begins_with_a_hash_begins_a_comment(void **state)
{
    (void)state;

    assert_int_equal(split("Client#2 # \"not closed"), 1);
    assert_string_equal(words[0].text, "Client#2");
    assert_int_equal(split("\"#2\""), 1);
    assert_string_equal(words[0].text, "#2");
    assert_int_equal(split("#"), 0);
}

static void what_is_no_line_of_words_is_refused_with_the_cause(void **state)
{
    (void)state;

    assert_int_equal(split("a \"b"), -1);
    assert_string_equal(why, "a quote is not closed");
    assert_int_equal(split("\"a\"b"), -1);
    assert_string_equal(why, "a word goes on after its closing quote");
    assert_int_equal(split("a\"b\""), -1);
    assert_string_equal(why, "a quote stands in the middle of a word");
    assert_int_equal(split("a b c d e"), -1);
    assert_string_equal(why, "there are too many words");
}

static void an_escape_that_is_none_is_refused(void **state)
{
    (void)state;

    assert_int_equal(split("\"\\n\""), -1);
    assert_non_null(strstr(why, "after a backslash"));
    assert_int_equal(split("\"\\x0g\""), -1);
    assert_int_equal(split("\"\\x4"), -1);
    assert_int_equal(split("\"\\x00\""), -1); /* a word has no zero byte in it */
    assert_int_equal(split("\"\\"), -1);
}

/* Writes a word and reads it again. */
static void assert_comes_back(const char *bytes, const char *written)
{
    char buffer[64];
    struct sn_text out;

    text_init(&out, buffer, sizeof(buffer));
    word_put(&out, bytes);
    assert_string_equal(buffer, written);
    assert_int_equal(split(buffer), 1);
    assert_string_equal(words[0].text, bytes);
}

static void a_word_that_was_written_is_read_as_the_same(void **state)
{
    (void)state;

    assert_comes_back("Client#2", "Client#2");
    assert_comes_back("#2", "\"#2\"");
    assert_comes_back("", "\"\"");
    assert_comes_back("disk error", "\"disk error\"");
    assert_comes_back("=", "\"=\"");
    assert_comes_back("a\"b\\", "\"a\\\"b\\\\\"");
    assert_comes_back("\033[1m\n\xff", "\"\\x1b[1m\\x0a\\xff\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blanks_separate_words),
        cmocka_unit_test(a_line_of_blanks_has_no_words),
        cmocka_unit_test(quotes_hold_blanks_together),
        cmocka_unit_test(escapes_stand_for_bytes),
        cmocka_unit_test(a_word_that_begins_with_a_hash_begins_a_comment),
        cmocka_unit_test(what_is_no_line_of_words_is_refused_with_the_cause),
        cmocka_unit_test(an_escape_that_is_none_is_refused),
        cmocka_unit_test(a_word_that_was_written_is_read_as_the_same),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
