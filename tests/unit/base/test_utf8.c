/* test_utf8.c - tests of utf8.c. SPDX-License-Identifier: MIT */
#include "base/utf8.h"

#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

#include <cmocka.h>

static size_t decode(const char *bytes, size_t n)
{
    uint32_t code;

    return utf8_decode(bytes, n, &code);
}

static void every_code_point_comes_back(void **state)
{
    (void)state;
    for (uint32_t code = 0; code <= 0x10ffff; code++) {
        char bytes[4];
        uint32_t back;
        size_t n;

        if (code >= 0xd800 && code <= 0xdfff)
            continue;
        n = utf8_encode(code, bytes);
        assert_int_equal(utf8_decode(bytes, n, &back), n);
        assert_int_equal(back, code);
        assert_int_equal(decode(bytes, n - 1), 0);
    }
}

static void ill_formed_bytes_are_refused(void **state)
{
    (void)state;
    assert_int_equal(decode("\x80", 1), 0);             /* a continuation alone */
    assert_int_equal(decode("\xc0\xaf", 2), 0);         /* overlong */
    assert_int_equal(decode("\xc1\xbf", 2), 0);         /* overlong */
    assert_int_equal(decode("\xe0\x9f\xbf", 3), 0);     /* overlong */
    assert_int_equal(decode("\xf0\x8f\xbf\xbf", 4), 0); /* overlong */
    assert_int_equal(decode("\xed\xa0\x80", 3), 0);     /* a surrogate */
    assert_int_equal(decode("\xf4\x90\x80\x80", 4), 0); /* above U+10FFFF */
    assert_int_equal(decode("\xf5\x80\x80\x80", 4), 0);
    assert_int_equal(decode("\xc3(", 2), 0);
    assert_int_equal(decode("\xff", 1), 0);
    assert_int_equal(decode("", 0), 0);
}

/* The C library knows, too, in a locale whose characters are those of Unicode. */
static void wide_characters_take_two_columns(void **state)
{
    uint32_t n_wide = 0;

    (void)state;
    if (setlocale(LC_CTYPE, "C.UTF-8") == NULL) {
        print_message("there is no locale C.UTF-8\n");
        skip();
    }
    for (uint32_t code = 1; code <= 0x10ffff; code++) {
        int columns = wcwidth((wchar_t)code);

        if (columns == 1 || columns == 2)
            assert_int_equal(utf8_columns(code), columns);
        n_wide += columns == 2;
    }

    assert_true(n_wide > 100000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_code_point_comes_back),
        cmocka_unit_test(ill_formed_bytes_are_refused),
        cmocka_unit_test(wide_characters_take_two_columns),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
