/* test_json_check.c - what is one JSON value, and what is not. SPDX-License-Identifier: MIT */
#include "base/json_check.h"

#include "base/rng.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <setjmp.h>
#include <stddef.h>

#include <cmocka.h>

static bool accepts(const char *text)
{
    struct json_error error;

    return json_check(text, strlen(text), &error);
}

static void assert_refused(const char *text, size_t column, const char *why)
{
    struct json_error error;

    assert_false(json_check(text, strlen(text), &error));
    assert_string_equal(error.why, why);
    assert_int_equal(error.column, column);
}

static void every_kind_of_value_is_accepted(void **state)
{
    (void)state;

    assert_true(accepts("null"));
    assert_true(accepts(" true\n"));
    assert_true(accepts("false"));
    assert_true(accepts("0"));
    assert_true(accepts("-0.5e-10"));
    assert_true(accepts("123456789012345678901234567890"));
    assert_true(accepts("\"\\u00e9 \\n \\\" \xc3\xa9\""));
    assert_true(accepts("[]"));
    assert_true(accepts("{ }"));
    assert_true(accepts("[1, [2, {\"a\": [3]}], {}]"));
    assert_true(accepts("{\"a\":1,\"b\":{\"c\":[]},\"a\":2}"));
}

static void what_is_refused_is_told_with_its_place(void **state)
{
    (void)state;

    assert_refused("", 1, "a value is expected");
    assert_refused("[1,]", 4, "a value is expected");
    assert_refused("[1 2]", 4, "a comma or ] is expected");
    assert_refused("{\"a\" 1}", 6, "a key is not followed by a colon");
    assert_refused("{a:1}", 2, "a member needs a key");
    assert_refused("{\"a\":1,}", 8, "a member needs a key");
    assert_refused("{\"a\":1]", 7, "a comma or } is expected");
    assert_refused("[1", 3, "a comma or ] is expected");
    assert_refused("\"a", 3, "a string is not closed");
    assert_refused("\"\n\"", 2, "a string has a control character");
    assert_refused("\"\\x\"", 4, "a string has an unknown escape");
    assert_refused("\"\\u12g4\"", 6, "an escape \\u needs four hexadecimal digits");
    assert_refused("\"\xff\"", 2, "a string is not UTF-8");
    assert_refused("01", 2, "something follows the value");
    assert_refused("1.", 3, "a number needs digits behind its point");
    assert_refused("1e", 3, "a number needs digits in its exponent");
    assert_refused("nul", 1, "a value is expected");
    assert_refused("null x", 6, "something follows the value");
    assert_refused("\"\\", 3, "a string is not closed");
    assert_refused("[\"a\\", 5, "a string is not closed");
    assert_refused("\"\\u12", 6, "an escape \\u needs four hexadecimal digits");
}

static void nesting_has_a_limit(void **state)
{
    char text[2 * JSON_CHECK_DEPTH_MAX + 3];
    const size_t n = JSON_CHECK_DEPTH_MAX;

    (void)state;
    memset(text, '[', n);
    memset(text + n, ']', n);
    text[2 * n] = '\0';
    assert_true(accepts(text));

    memset(text, '[', n + 1);
    memset(text + n + 1, ']', n + 1);
    text[2 * n + 2] = '\0';
    assert_refused(text, n + 1, "it is nested too deep");
}

static void a_zero_byte_is_no_end(void **state)
{
    struct json_error error;

    (void)state;

    assert_false(json_check("1\0 2", 4, &error));
    assert_false(json_check("\"a\0b\"", 5, &error));
}

/* Whoever looks for the line of an error reads up to there. */
static void no_error_is_told_behind_the_end(void **state)
{
    static const char text[] =
        " {\"a\\\"\\u12f4\":[-1.5e+7,true,false,null,{},[]],\"\xc3\xa9\":\"\\n\"}";
    struct json_error error;

    (void)state;
    assert_true(json_check(text, strlen(text), &error));

    for (size_t n = 0; n < strlen(text); n++) {
        assert_false(json_check(text, n, &error));
        assert_in_range(error.column, 1, n + 1);
    }
}

/* The strict reader of traces is a second opinion: it accepts less, and nothing else. */
static void whatever_the_reader_of_traces_accepts_is_accepted(void **state)
{
    static const char *const pieces[] = {"{",     "}",     "[", "]",    ",",  ":",
                                         "\"a\"", "\"b\"", "1", "0",    "-1", "null",
                                         "\"",    "\\n",   " ", "true", "e",  "."};
    struct rng rng;
    struct arena arena = {0};
    uint32_t n_accepted = 0;

    (void)state;
    rng_init(&rng, 7, 0);
    for (int i = 0; i < 200000; i++) {
        char text[128] = "";
        struct json_error error;
        const struct json_value *value;
        uint32_t n = 1 + rng_below(&rng, 9);

        while (n-- > 0)
            (void)strcat(text, pieces[rng_below(&rng, sizeof(pieces) / sizeof(pieces[0]))]);
        value = json_parse(&arena, text, strlen(text), &error);
        if (value != NULL && !accepts(text))
            fail_msg("refused: %s", text);
        n_accepted += value != NULL;
        arena_clear(&arena);
    }
    arena_done(&arena);

    assert_true(n_accepted > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_value_is_accepted),
        cmocka_unit_test(what_is_refused_is_told_with_its_place),
        cmocka_unit_test(nesting_has_a_limit),
        cmocka_unit_test(a_zero_byte_is_no_end),
        cmocka_unit_test(no_error_is_told_behind_the_end),
        cmocka_unit_test(whatever_the_reader_of_traces_accepts_is_accepted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
