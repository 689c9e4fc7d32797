/* test_opname.c - tests of opname.c and of how constraints are read: names as people write them.
 * SPDX-License-Identifier: MIT
 */
#include "engine/require.h"

#include <sennit/test.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static struct opnames *names;
static struct constraints *constraints;

static int set_up(void **state)
{
    struct err why = {""};

    (void)state;
    constraints = calloc(1, sizeof(*constraints));
    return constraints != NULL ? opnames_new(&names, &why) : -1;
}

static int tear_down(void **state)
{
    (void)state;
    opnames_free(names);
    free(constraints);
    return 0;
}

/* What is read is written as the second text. */
static void assert_read(const char *text, const char *written)
{
    struct err why = {""};
    char buffer[OPNAME_PRINTED_MAX];
    struct sn_text out;

    constraints->n = 0;
    assert_int_equal(constraints_read(constraints, names, text, &why), 0);
    assert_int_equal(constraints->n, 1);
    text_init(&out, buffer, sizeof(buffer));
    constraint_put(&out, names, &constraints->all[0]);
    assert_string_equal(buffer, written);
}

static void assert_same(const char *text)
{
    assert_read(text, text);
}

static void assert_refused(const char *text, const char *sentence)
{
    struct err why = {""};

    constraints->n = 0;
    assert_int_equal(constraints_read(constraints, names, text, &why), SN_EFORMAT);
    assert_string_equal(why.text, sentence);
    assert_int_equal(constraints->n, 0);
}

static void all_kinds_of_operations_have_names(void **state)
{
    (void)state;
    assert_same("start A before start B number 2");
    assert_same("deliver E to A from B number 3 before deliver E to A");
    assert_same("timer Tick of A before timer Tick of A number 2");
    assert_same("fault crash before fault \"disk error\" number 2");
}

static void a_name_can_have_a_key(void **state)
{
    (void)state;
    assert_same("deliver Put to S key 3 before deliver Put to S from W key 4 number 2");
    assert_same("timer T of A key 0 before start B");
}

static void an_alias_has_an_anchor(void **state)
{
    (void)state;
    assert_same("first deliver E to A from B after (start C) before first timer T of A after "
                "(deliver E to A from C number 2)");
}

static void brackets_may_stand_around_any_operation(void **state)
{
    (void)state;
    assert_read("(start A) before (start B)", "start A before start B");
    assert_read("( start A ) before ( start B number 2 )", "start A before start B number 2");
    assert_read("first (deliver E to A) after start B before (deliver E to A from B)",
                "first deliver E to A after (start B) before deliver E to A from B");
    assert_read("(fault \"disk error\") before (start \"a b\")",
                "fault \"disk error\" before start \"a b\"");
}

static void unusual_names_stand_in_quotes(void **state)
{
    (void)state;
    assert_same("start \"half past ten\" before start \"a \\\"b\\\"\"");
    assert_same("start \"f(x)\" before start B");
    assert_read("start \"before\" before start B", "start before before start B");
}

static void a_draw_has_a_label_and_a_value(void **state)
{
    (void)state;
    assert_same("draw coin of A number 2 = 7");
    assert_same("draw \"crash of\" of faults = 0");
    assert_same("draw coin = 18446744073709551615");
}

static void what_is_no_order_is_refused_with_what_was_expected(void **state)
{
    (void)state;
    assert_refused("",
                   "\"\": expected an operation: start, deliver, timer, do or fault, at its end");
    assert_refused(
        "send E to A before start B",
        "\"send E to A before start B\": expected an operation: start, deliver, timer, do "
        "or fault, before \"send\"");
    assert_refused("start A start B", "\"start A start B\": expected \"before\" and an operation, "
                                      "before \"start\"");
    assert_refused("start A before start B now",
                   "\"start A before start B now\": expected nothing more, before \"now\"");
    assert_refused("deliver E at A before start B",
                   "\"deliver E at A before start B\": expected deliver EVENT to MACHINE, before "
                   "\"at\"");
    assert_refused("start A before start A",
                   "\"start A before start A\": expected two different operations, at its end");
    assert_refused("start \"A before start B",
                   "\"start \"A before start B\": a quote is not closed");
    assert_refused("(start A before start B",
                   "\"(start A before start B\": expected a closing bracket, before \"before\"");
}

static void a_number_needs_somebody_who_counts(void **state)
{
    (void)state;
    assert_refused("deliver E to A number 2 before start B",
                   "\"deliver E to A number 2 before start B\": expected \"from\" and a machine "
                   "before \"number\", which counts what one machine has sent, before \"before\"");
    assert_refused("draw coin number 2 = 1",
                   "\"draw coin number 2 = 1\": expected \"of\" and a machine before \"number\", "
                   "which counts what one has drawn, before \"=\"");
    assert_refused("start A number 0 before start B",
                   "\"start A number 0 before start B\": expected a number from 1 on after "
                   "\"number\", before \"before\"");
}

static void an_alias_has_no_number(void **state)
{
    (void)state;
    assert_refused("first timer T of A number 2 after (start A) before start B",
                   "\"first timer T of A number 2 after (start A) before start B\": expected no "
                   "\"number\" behind \"first\", which is one of a whole class, before \"after\"");
}

static void a_value_must_be_a_number(void **state)
{
    (void)state;
    assert_refused("draw coin = heads", "\"draw coin = heads\": expected draw LABEL [of MACHINE] "
                                        "[number N] = VALUE, at its end");
    assert_refused("draw coin = 18446744073709551616",
                   "\"draw coin = 18446744073709551616\": expected draw LABEL [of MACHINE] [number "
                   "N] = VALUE, at its end");
}

static void the_same_name_has_the_same_number(void **state)
{
    struct err why = {""};

    (void)state;
    constraints->n = 0;
    assert_int_equal(constraints_read(constraints, names, "start A before start B", &why), 0);
    assert_int_equal(constraints_read(constraints, names, "start B before start A", &why), 0);
    assert_int_equal(constraints_read(constraints, names, "start A  before  start B", &why), 0);
    assert_int_equal(constraints->n, 2);
    assert_int_equal(constraints->all[0].first, constraints->all[1].later);
    assert_int_equal(constraints->all[0].later, constraints->all[1].first);
}

static void a_name_has_a_class_and_aliases(void **state)
{
    struct err why = {""};
    char buffer[OPNAME_PRINTED_MAX];
    struct sn_text out;
    uint32_t first;

    (void)state;
    constraints->n = 0;
    assert_int_equal(
        constraints_read(constraints, names, "deliver E to A from B number 3 before start B", &why),
        0);
    first = constraints->all[0].first;
    text_init(&out, buffer, sizeof(buffer));
    opname_put(&out, names, opnames_any(names, first));
    assert_string_equal(buffer, "deliver E to A from B");
    text_init(&out, buffer, sizeof(buffer));
    opname_put(&out, names, opnames_first_after(names, first, constraints->all[0].later));
    assert_string_equal(buffer, "first deliver E to A from B after (start B)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(all_kinds_of_operations_have_names, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_name_can_have_a_key, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_alias_has_an_anchor, set_up, tear_down),
        cmocka_unit_test_setup_teardown(brackets_may_stand_around_any_operation, set_up, tear_down),
        cmocka_unit_test_setup_teardown(unusual_names_stand_in_quotes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_draw_has_a_label_and_a_value, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_no_order_is_refused_with_what_was_expected, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_number_needs_somebody_who_counts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_alias_has_no_number, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_value_must_be_a_number, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_same_name_has_the_same_number, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_name_has_a_class_and_aliases, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
