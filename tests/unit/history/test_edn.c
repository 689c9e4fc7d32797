/* test_edn.c - tests of edn.c and form.c. SPDX-License-Identifier: MIT */
#include "history/edn.h"

#include <sennit/test.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct arena arena;

/* What edn_next says of the first form, which goes to *out. */
static int next(const char *text, const struct form **out, struct err *why)
{
    struct source source;
    struct edn edn;
    int bracket;
    int rc;

    arena_clear(&arena);
    source_open_memory(&source, "text", text, strlen(text), 1);
    edn_init(&edn, &source, &arena, why);
    rc = edn_next(&edn, out, &bracket);
    edn_done(&edn);
    return rc;
}

/* Asserts that a text is one form, and how it is printed. */
static void prints(const char *text, const char *printed)
{
    const struct form *form = NULL;
    struct err why = {""};
    const char *again;
    size_t n;

    assert_int_equal(next(text, &form, &why), EDN_FORM);
    again = form_text(&arena, form, &n);
    assert_int_equal(n, strlen(printed));
    assert_memory_equal(again, printed, n);
}

static void refused(const char *text, const char *why_expected)
{
    const struct form *form = NULL;
    struct err why = {""};

    assert_int_equal(next(text, &form, &why), SN_EFORMAT);
    assert_string_equal(why.text, why_expected);
}

static void atoms_are_printed_as_they_are_read(void **state)
{
    (void)state;
    prints(" nil ", "nil");
    prints("true", "true");
    prints("-12", "-12");
    prints("+7", "7");
    prints("12N", "12");
    prints("99999999999999999999", "99999999999999999999");
    prints("3/4", "3/4");
    prints("-1.5e-3M", "-1.5e-3M");
    prints(":a.b/c", ":a.b/c");
    prints("sym*bol", "sym*bol");
    prints("-", "-");
    prints("\\newline", "\\newline");
    prints("\\]", "\\]");
    prints("##-Inf", "##-Inf");
}

static void strings_keep_their_characters(void **state)
{
    (void)state;
    prints("\"\"", "\"\"");
    prints("\"a\\tb\\\"\\\\\"", "\"a\\tb\\\"\\\\\"");
    prints("\"\\u00e9\\ud83d\\ude00\"", "\"\xc3\xa9\xf0\x9f\x98\x80\"");
    prints("\"two\nlines\"", "\"two\\nlines\"");
}

static void members_of_sets_and_maps_are_sorted(void **state)
{
    (void)state;
    prints("#{3 1 2}", "#{1 2 3}");
    prints("{:b 1, :a #{:y :x}}", "{:a #{:x :y} :b 1}");
    prints("(1 [2 (3)])", "[1 [2 [3]]]");
    prints("#a/b #c {}", "#a/b #c {}");
}

static void a_discarded_form_is_not_there(void **state)
{
    (void)state;
    prints("#_ 1 #_ #_ 2 [3] [4 #_ {:a #_ 5 6} #_ #t 7]", "[4]");
}

static void the_end_is_told_from_an_error(void **state)
{
    const struct form *form = NULL;
    struct err why = {""};

    (void)state;
    assert_int_equal(next(" ; nothing", &form, &why), EDN_END);
    assert_int_equal(next(" ] ", &form, &why), EDN_CLOSED);
    refused("[1", "text:1: the file ends within a form that begins in line 1");
    refused("\n\n(\n1]", "text:4: ] closes what was opened in line 3, where ) is due");
    refused("#_ ", "text:1: #_ stands at the end, where there is nothing to discard");
    refused(":", "text:1: a colon stands alone");
    refused("1/", "text:1: 1/ is no number");
    refused("\"\\u12x4\"", "text:1: \\u needs four hexadecimal digits");
    refused("\\", "text:1: a backslash stands where a character should follow");
}

static void memory_that_is_exhausted_is_told(void **state)
{
    struct arena small = {.limit = 1};
    const struct form *form = NULL;
    struct err why = {""};
    struct source source;
    struct edn edn;
    int bracket;

    (void)state;
    source_open_memory(&source, "text", "[1]", 3, 1);
    edn_init(&edn, &source, &small, &why);
    assert_int_equal(edn_next(&edn, &form, &bracket), SN_ENOMEM);
    assert_string_equal(why.text, "text:1: there is not enough memory for this form");
    edn_done(&edn);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(atoms_are_printed_as_they_are_read),
        cmocka_unit_test(strings_keep_their_characters),
        cmocka_unit_test(members_of_sets_and_maps_are_sorted),
        cmocka_unit_test(a_discarded_form_is_not_there),
        cmocka_unit_test(the_end_is_told_from_an_error),
        cmocka_unit_test(memory_that_is_exhausted_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
