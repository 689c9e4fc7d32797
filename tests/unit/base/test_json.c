/* test_json.c - tests of json.c. SPDX-License-Identifier: MIT */
#include "base/json.h"
#include "base/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct arena arena;

static const struct json_value *parse_n(const char *text, size_t n)
{
    struct json_error error;
    const struct json_value *value;

    arena_clear(&arena);
    value = json_parse(&arena, text, n, &error);
    if (value == NULL)
        print_message("%s at %zu\n", error.why, error.column);
    return value;
}

static const struct json_value *parse(const char *text)
{
    return parse_n(text, strlen(text));
}

/* Asserts that a text is refused for this reason, at this column. */
static void refused_n(const char *text, size_t n, const char *why, size_t column)
{
    struct json_error error;

    arena_clear(&arena);
    assert_null(json_parse(&arena, text, n, &error));
    assert_non_null(error.why);
    assert_string_equal(error.why, why);
    assert_int_equal(error.column, column);
}

static void refused(const char *text, const char *why, size_t column)
{
    refused_n(text, strlen(text), why, column);
}

static void objects_and_arrays_are_read_in_order(void **state)
{
    const struct json_value *v = parse(" {\"a\" : [1, [ ], {}], \"b\":true,\"c\":null} ");

    (void)state;
    assert_non_null(v);
    assert_int_equal(v->type, JSON_OBJECT);
    assert_int_equal(v->n, 3);
    assert_int_equal(json_member(v, "a")->n, 3);
    assert_int_equal(json_member(v, "a")->first->number, 1);
    assert_int_equal(json_member(v, "a")->first->next->type, JSON_ARRAY);
    assert_int_equal(json_member(v, "a")->first->next->next->type, JSON_OBJECT);
    assert_null(json_member(v, "a")->first->next->next->next);
    assert_int_equal(json_member(v, "b")->number, 1);
    assert_int_equal(json_member(v, "c")->type, JSON_NULL);
    assert_null(json_member(v, "d"));
}

static void numbers_cover_both_64_bit_ranges(void **state)
{
    (void)state;
    assert_true(parse("18446744073709551615")->number == UINT64_MAX);
    assert_int_equal(parse("-9223372036854775808")->type, JSON_INT);
    assert_true((int64_t)parse("-9223372036854775808")->number == INT64_MIN);
    assert_int_equal(parse("-0")->type, JSON_UINT);
    assert_int_equal(parse("0")->number, 0);
}

static void numbers_out_of_range_are_refused(void **state)
{
    (void)state;
    refused("18446744073709551616", "a number is too large", 1);
    refused("99999999999999999999999", "a number is too large", 1);
    refused("-9223372036854775809", "a number is too large", 1);
}

static void numbers_that_are_no_integers_are_refused(void **state)
{
    (void)state;
    refused("1.5", "a number is not an integer", 1);
    refused("1e3", "a number is not an integer", 1);
    refused("01", "a number starts with a zero", 1);
    refused("-", "a value is missing", 1);
    refused("+1", "a value is missing", 1);
    refused("NaN", "a value is missing", 1);
}

static void escapes_are_decoded(void **state)
{
    const struct json_value *v =
        parse("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00\\u20AC\"");

    (void)state;
    assert_non_null(v);
    assert_string_equal(v->string, "\"\\/\b\f\n\r\t\xc3\xa9\xf0\x9f\x98\x80\xe2\x82\xac");
    assert_int_equal(v->n, strlen(v->string));
}

static void bad_escapes_are_refused(void **state)
{
    (void)state;
    refused("\"\\q\"", "an escape is not known", 2);
    refused("\"\\u12g4\"", "\\u needs four hexadecimal digits", 2);
    refused("\"\\u12", "\\u needs four hexadecimal digits", 2);
    refused("\"\\u0000\"", "a string holds a zero byte", 2);
    refused("\"\\ud83d\"", "half of a surrogate pair is missing", 2);
    refused("\"\\ud83d\\u0041\"", "half of a surrogate pair is missing", 2);
    refused("\"\\ud83d\\ue000\"", "half of a surrogate pair is missing", 2);
    refused("\"\\ude00\"", "half of a surrogate pair is missing", 2);
    refused("\"\\", "an escape is not known", 2);
}

static void bad_bytes_in_strings_are_refused(void **state)
{
    (void)state;
    refused("\"a\x01\"", "a string holds a control character", 3);
    refused_n("\"a\0\"", 4, "a string holds a control character", 3);
    refused("\"\xff\"", "a string is not UTF-8", 2);
    refused("\"\xc3\"", "a string is not UTF-8", 2);
    refused("\"\xed\xa0\x80\"", "a string is not UTF-8", 2);
    refused("{\"a\":\"b", "a string is not closed", 6);
}

static void broken_structure_is_refused(void **state)
{
    (void)state;
    refused("", "a value is missing", 1);
    refused("{", "a key is missing", 2);
    refused("[", "a value is missing", 2);
    refused("[1", "an array is not closed", 3);
    refused("[1}", "an array is not closed", 3);
    refused("[1,]", "a value is missing", 4);
    refused("[,1]", "a value is missing", 2);
    refused("{\"a\"}", "a colon is missing", 5);
    refused("{\"a\":1", "an object is not closed", 7);
    refused("{\"a\":1,}", "a key is missing", 8);
    refused("{1:2}", "a key is missing", 2);
    refused("{} {}", "something follows the value", 4);
    refused("]", "a value is missing", 1);
    refused("tru", "a value is missing", 1);
}

static void a_key_that_occurs_twice_is_refused(void **state)
{
    (void)state;
    refused("{\"a\":1,\"b\":2,\"a\":3}", "a key occurs twice", 14);
    refused("{\"a\":1,\"\\u0061\":3}", "a key occurs twice", 8);
    assert_non_null(parse("{\"a\":1,\"b\":{\"a\":3}}"));
}

static void depth_is_bounded(void **state)
{
    static char text[200000];
    size_t n = JSON_DEPTH_MAX;

    (void)state;
    memset(text, '[', n);
    memset(text + n, ']', n);
    assert_non_null(parse_n(text, 2 * n));
    memset(text, '[', sizeof(text));
    refused_n(text, sizeof(text), "values are nested too deeply", n + 1);
}

static void the_number_of_values_is_bounded(void **state)
{
    static char text[4000];
    size_t n = 0;

    (void)state;
    text[n++] = '[';
    for (int i = 0; i < JSON_MEMBERS_MAX; i++) {
        text[n++] = '1';
        text[n++] = ',';
    }
    text[n - 1] = ']';
    assert_non_null(parse_n(text, n));
    memcpy(text + n - 1, ",1]", 3);
    refused_n(text, n + 2, "there are too many values", n + 1);
}

static void arrays_may_be_as_long_as_the_caller_allows(void **state)
{
    static char text[4000];
    struct json_error error;
    size_t n = 0;

    (void)state;
    text[n++] = '[';
    for (int i = 0; i < 1500; i++) {
        text[n++] = '1';
        text[n++] = ',';
    }
    text[n - 1] = ']';
    assert_int_equal(json_parse_long(&arena, text, n, 1501, &error)->n, 1500);
    assert_null(json_parse_long(&arena, text, n, 1500, &error));

    assert_string_equal(error.why, "there are too many values");
}

static void values_in_all_containers_together_are_bounded(void **state)
{
    static char text[40000];
    size_t n = 0;

    (void)state;
    text[n++] = '[';
    for (int i = 0; i < 100; i++) {
        memcpy(text + n, "[1,2,3,4,5,6,7,8,9,0,1,2],", 26);
        n += 26;
    }
    text[n - 1] = ']';
    refused_n(text, n, "there are too many values", 1 + 26 * 78 + 18);
}

static void an_exhausted_arena_is_told_from_a_bad_text(void **state)
{
    struct arena small;
    struct json_error error;

    (void)state;
    arena_init(&small, 1);
    assert_null(json_parse(&small, "\"a\"", 3, &error));
    assert_null(error.why);
}

/* What the writer makes of n bytes, as read back. */
static const struct json_value *written_and_read(const char *bytes, size_t n)
{
    static char buffer[8192];
    struct sn_text out;

    text_init(&out, buffer, sizeof(buffer));
    json_put_string(&out, bytes, n);
    assert_false(out.cut);
    return parse_n(buffer, out.used);
}

static void any_bytes_become_a_valid_string(void **state)
{
    struct rng rng;
    char bytes[1000];

    (void)state;
    rng_init(&rng, 1, 1);
    for (int round = 0; round < 2000; round++) {
        size_t n = rng_below(&rng, sizeof(bytes));
        const struct json_value *v;

        for (size_t i = 0; i < n; i++)
            bytes[i] = (char)rng_next(&rng);
        v = written_and_read(bytes, n);
        assert_non_null(v);
        assert_int_equal(v->n, json_decoded_size(bytes, n));
    }
}

static void utf8_comes_back_as_it_was(void **state)
{
    const char text[] = "plain \xc3\xa9 \xf0\x9f\x98\x80 \"\\/ \x01\x1f\x7f \b\f\n\r\t";
    const struct json_value *v = written_and_read(text, sizeof(text) - 1);

    (void)state;
    assert_non_null(v);
    assert_string_equal(v->string, text);
}

static void controls_are_escaped_and_nothing_else_is(void **state)
{
    char buffer[100];
    struct sn_text out;

    (void)state;
    text_init(&out, buffer, sizeof(buffer));
    json_put_string(&out, "\x01\x1f ~!\x7f\n/\xc3\xa9", 10);
    assert_string_equal(buffer, "\"\\u0001\\u001f ~!\\u007f\\n/\xc3\xa9\"");
}

static void other_bytes_are_spelled_out(void **state)
{
    const struct json_value *v = written_and_read("a\0b\xff\xc3(", 6);

    (void)state;
    assert_non_null(v);
    assert_string_equal(v->string, "a\\x00b\\xff\\xc3(");
}

static int done(void **state)
{
    (void)state;
    arena_done(&arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objects_and_arrays_are_read_in_order),
        cmocka_unit_test(numbers_cover_both_64_bit_ranges),
        cmocka_unit_test(numbers_out_of_range_are_refused),
        cmocka_unit_test(numbers_that_are_no_integers_are_refused),
        cmocka_unit_test(escapes_are_decoded),
        cmocka_unit_test(bad_escapes_are_refused),
        cmocka_unit_test(bad_bytes_in_strings_are_refused),
        cmocka_unit_test(broken_structure_is_refused),
        cmocka_unit_test(a_key_that_occurs_twice_is_refused),
        cmocka_unit_test(depth_is_bounded),
        cmocka_unit_test(the_number_of_values_is_bounded),
        cmocka_unit_test(arrays_may_be_as_long_as_the_caller_allows),
        cmocka_unit_test(values_in_all_containers_together_are_bounded),
        cmocka_unit_test(an_exhausted_arena_is_told_from_a_bad_text),
        cmocka_unit_test(any_bytes_become_a_valid_string),
        cmocka_unit_test(utf8_comes_back_as_it_was),
        cmocka_unit_test(controls_are_escaped_and_nothing_else_is),
        cmocka_unit_test(other_bytes_are_spelled_out),
    };

    return cmocka_run_group_tests(tests, NULL, done);
}
