/* test_script_read.c - tests of script_read.c: the language, and what is refused.
 * SPDX-License-Identifier: MIT
 */
#include "engine/mem.h"
#include "strategy/script.h"

#include <sennit/test.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static struct script *script;
static struct err why;

static int setup(void **state)
{
    (void)state;
    script = mem_reserve_shared(sizeof(*script), &why);
    return script != NULL ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    mem_release(script, sizeof(*script));
    return 0;
}

static int parse_bytes(const char *bytes, size_t n)
{
    memcpy(script->text + 1, bytes, n);
    why.text[0] = '\0';
    return script_parse(script, "a.script", n, &why);
}

static int parse(const char *text)
{
    return parse_bytes(text, strlen(text));
}

/* The text is one line, which comes out as it went in. */
static void assert_comes_back(const char *text)
{
    char buffer[256];
    struct sn_text out;

    assert_int_equal(parse(text), 0);
    assert_int_equal(script->n, 1);
    text_init(&out, buffer, sizeof(buffer));
    script_put_line(&out, script, &script->lines[0]);
    assert_string_equal(buffer, text);
}

static void assert_refused(const char *text, const char *sentence)
{
    assert_int_equal(parse(text), SN_EFORMAT);
    assert_string_equal(why.text, sentence);
}

/* ---- What is read --------------------------------------------------------------------------- */

static void every_kind_of_line_is_read(void **state)
{
    (void)state;

    assert_comes_back("start Client#2");
    assert_comes_back("deliver Ping to Server");
    assert_comes_back("deliver Ping to Server from Client number 2");
    assert_comes_back("deliver Ping to Server from Client id 00000000000abcde");
    assert_comes_back("timer Tick of Client");
    assert_comes_back("fault \"disk error\"");
    assert_comes_back("pick 3");
    assert_comes_back("any 17");
    assert_comes_back("until step 20");
    assert_comes_back("until deliver Pong to Client");
    assert_comes_back("until start Client number 3");
    assert_comes_back("until timer Tick of Client");
    assert_comes_back("until fault crash");
    assert_comes_back("draw \"which node\" = 2");
    assert_comes_back("fair");
    assert_comes_back("end");
}

static void words_of_the_language_can_be_names(void **state)
{
    (void)state;

    assert_comes_back("deliver to to from from number");
    assert_comes_back("timer of of of");
    assert_comes_back("start id");
}

static void any_alone_is_one_step(void **state)
{
    (void)state;

    assert_int_equal(parse("any"), 0);

    assert_int_equal(script->lines[0].number, 1);
}

static void comments_and_empty_lines_say_nothing_but_are_counted(void **state)
{
    (void)state;

    assert_int_equal(parse("# a comment\n\n  start A  # why\r\n\t\nstart B"), 0);

    assert_int_equal(script->n, 2);
    assert_int_equal(script->lines[0].line, 3);
    assert_int_equal(script->lines[1].line, 5);
    assert_string_equal(script->text + script->lines[1].task, "B");
}

static void an_empty_script_is_one(void **state)
{
    (void)state;

    assert_int_equal(parse(""), 0);

    assert_int_equal(script->n, 0);
}

static void a_file_is_read(void **state)
{
    char path[] = "/tmp/sennit-script-XXXXXX";
    int fd = mkstemp(path);

    (void)state;
    assert_int_equal(write(fd, "any\nstart A\n", 12), 12);
    (void)close(fd);

    assert_int_equal(script_read(script, path, &why), 0);

    assert_int_equal(script->n, 2);
    (void)unlink(path);
}

/* ---- What is refused ------------------------------------------------------------------------ */

static void a_line_that_is_none_is_refused_with_file_line_and_cause(void **state)
{
    (void)state;

    assert_refused("any\ndelver Ping to A\n", "a.script:2: a line cannot begin with \"delver\"");
    assert_refused("\"start\" A", "a.script:1: a line cannot begin with \"start\"");
    assert_refused("\"\033[31m\"",
                   "a.script:1: this is not text: there is a control character in it");
    assert_refused("\"\\x1b[31m\"", "a.script:1: a line cannot begin with \"?[31m\"");
    assert_refused("start \"A", "a.script:1: a quote is not closed");
}

static void a_line_that_is_not_whole_is_refused_with_its_form(void **state)
{
    static const char deliver[] = "a.script:1: expected: deliver EVENT to MACHINE [from MACHINE] "
                                  "[number N | id ID]";

    (void)state;

    assert_refused("deliver Ping", deliver);
    assert_refused("deliver Ping from Client", deliver);
    assert_refused("deliver Ping to Server from", deliver);
    assert_refused("deliver Ping to Server Client", deliver);
    assert_refused("deliver Ping to Server number 0", deliver);
    assert_refused("deliver Ping to Server id 12345678901234567", deliver);
    assert_refused("deliver Ping to Server id x", deliver);
    assert_refused("start", "a.script:1: expected: start MACHINE [number N | id ID]");
    assert_refused("timer T", "a.script:1: expected: timer EVENT of MACHINE [number N | id ID]");
    assert_refused("fault", "a.script:1: expected: fault NAME [number N | id ID]");
    assert_refused("pick 0", "a.script:1: expected: pick N");
    assert_refused("any none", "a.script:1: expected: any [N]");
    assert_refused("until any", "a.script:1: expected: until step N, or until and an operation");
    assert_refused("draw x=1", "a.script:1: expected: draw LABEL = VALUE");
    assert_refused("draw x = -1", "a.script:1: expected: draw LABEL = VALUE");
    assert_refused("draw x = 18446744073709551616", "a.script:1: expected: draw LABEL = VALUE");
    assert_refused("fair play", "a.script:1: expected: fair");
    assert_refused("end here", "a.script:1: expected: end");
}

static void what_is_not_text_is_refused(void **state)
{
    static const char zero[] = "any\nstart \0A";

    (void)state;

    assert_int_equal(parse_bytes(zero, sizeof(zero) - 1), SN_EFORMAT);

    assert_string_equal(why.text,
                        "a.script:2: this is not text: there is a control character in it");
}

static void a_line_that_is_too_long_is_refused(void **state)
{
    static char text[SCRIPT_LINE_BYTES_MAX + 2];

    (void)state;
    memset(text, ' ', SCRIPT_LINE_BYTES_MAX + 1);

    assert_refused(text, "a.script:1: the line is too long");
}

static void more_words_than_any_line_has_are_refused(void **state)
{
    (void)state;

    assert_refused("a b c d e f g h i j k l m", "a.script:1: there are too many words");
}

static void more_lines_than_there_is_room_for_are_refused(void **state)
{
    char expected[64];
    char *text = script->text + 1;

    (void)state;
    for (size_t i = 0; i <= SCRIPT_LINES_MAX; i++)
        memcpy(text + 4 * i, "end\n", 4);

    assert_int_equal(script_parse(script, "a.script", 4 * ((size_t)SCRIPT_LINES_MAX + 1), &why),
                     SN_EFORMAT);

    (void)snprintf(expected, sizeof(expected), "a.script:%d: the script has too many lines",
                   SCRIPT_LINES_MAX + 1);
    assert_string_equal(why.text, expected);
}

static void a_file_that_is_not_there_is_an_error(void **state)
{
    (void)state;

    assert_int_equal(script_read(script, "/nowhere/a.script", &why), SN_EIO);

    assert_string_equal(why.text, "/nowhere/a.script: cannot be opened: No such file or directory");
}

static void a_directory_is_an_error(void **state)
{
    (void)state;

    assert_int_equal(script_read(script, "/", &why), SN_EIO);

    assert_string_equal(why.text, "/: cannot be read: Is a directory");
}

static void a_file_that_does_not_end_is_an_error(void **state)
{
    (void)state;

    assert_int_equal(script_read(script, "/dev/zero", &why), SN_EFORMAT);

    assert_non_null(strstr(why.text, "/dev/zero: is larger than "));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_line_is_read),
        cmocka_unit_test(words_of_the_language_can_be_names),
        cmocka_unit_test(any_alone_is_one_step),
        cmocka_unit_test(comments_and_empty_lines_say_nothing_but_are_counted),
        cmocka_unit_test(an_empty_script_is_one),
        cmocka_unit_test(a_file_is_read),
        cmocka_unit_test(a_line_that_is_none_is_refused_with_file_line_and_cause),
        cmocka_unit_test(a_line_that_is_not_whole_is_refused_with_its_form),
        cmocka_unit_test(what_is_not_text_is_refused),
        cmocka_unit_test(a_line_that_is_too_long_is_refused),
        cmocka_unit_test(more_words_than_any_line_has_are_refused),
        cmocka_unit_test(more_lines_than_there_is_room_for_are_refused),
        cmocka_unit_test(a_file_that_is_not_there_is_an_error),
        cmocka_unit_test(a_directory_is_an_error),
        cmocka_unit_test(a_file_that_does_not_end_is_an_error),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
