/* test_sync_print.c - observations as people read them. SPDX-License-Identifier: MIT */
#include "story.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include <sennit/test.h>

static char text[1 << 16];

static const char *print(const char *rules, uint32_t nodes, const char *events,
                         enum sn_sync_form form)
{
    struct story story = story_of(nodes, events);
    long n = sn_sync_print(rules, nodes, story.events, story.n, NULL, form, text, sizeof(text));

    assert_true(n >= 0);
    assert_int_equal((size_t)n, strlen(text));
    return text;
}

static void each_node_has_a_column(void **state)
{
    (void)state;
    assert_string_equal(print(NULL, 3, "W1 a/-; R3 a; W2 -/a; S -{b}", SN_SYNC_TABLE),
                        "  node 1              node 2              node 3\n"
                        "  WRITE 'a' -> none\n"
                        "                                          READ -> 'a'\n"
                        "                      WRITE none -> 'a'\n"
                        "  STABILIZE -> (none, {'b'})\n");
}

static void a_failed_stabilization_shows_every_node(void **state)
{
    (void)state;
    assert_string_equal(print(NULL, 2, "S a{}|-{bc}", SN_SYNC_TABLE),
                        "  node 1   node 2\n"
                        "  STABILIZE -> {('a', {}), (none, {'b', 'c'})}\n");
}

static void several_files_are_named(void **state)
{
    const struct sn_sync_names names = {.files = {"paper", NULL}, .values = {[1] = "draft"}};
    struct story story = story_of(1, "W1 a/-; W1.2 //-; R1.2 b");

    (void)state;
    assert_true(sn_sync_print(NULL, 1, story.events, story.n, &names, SN_SYNC_TABLE, text,
                              sizeof(text)) > 0);
    assert_string_equal(text, "  node 1\n"
                              "  WRITE paper 'draft' -> none\n"
                              "  WRITE f2 DIR -> none\n"
                              "  READ f2 -> 'b'\n");
}

static void an_explanation_has_hidden_events_in_brackets(void **state)
{
    (void)state;
    assert_string_equal(print(NULL, 2, "W1 a/-; R2 a", SN_SYNC_EXPLAINED),
                        "  node 1              node 2\n"
                        "  WRITE 'a' -> none\n"
                        "  (up)\n"
                        "                      (down)\n"
                        "                      READ -> 'a'\n");
}

static void who_wins_is_told_if_nobody_knows_it_before(void **state)
{
    (void)state;
    /* Node 3 has seen c, so that b came second, and has won. */
    print("either", 3, "W1 a/-; R2 a; R3 a; W1 b/a; W2 c/a; R3 c; S b{}", SN_SYNC_EXPLAINED);
    assert_non_null(strstr(text, "(up, wins)\n"));
}

static void of_a_rejected_one_the_states_and_their_reasons_follow(void **state)
{
    (void)state;
    assert_string_equal(print(NULL, 2, "W1 a/-; R2 b", SN_SYNC_REJECTED),
                        "  node 1              node 2\n"
                        "  WRITE 'a' -> none\n"
                        "                      READ -> 'b'   <- cannot be explained\n"
                        "  before event 2, 3 states were possible:\n"
                        "    server none {}; 1 'a' dirty; 2 none\n"
                        "      node 2 has none\n"
                        "    server 'a' {}; 1 'a'; 2 none stale\n"
                        "      node 2 has none\n"
                        "    server 'a' {}; 1 'a'; 2 'a'\n"
                        "      node 2 has 'a'\n");
}

static void an_accepted_one_is_a_table_whatever_is_asked(void **state)
{
    (void)state;
    assert_string_equal(print(NULL, 1, "R1 -", SN_SYNC_REJECTED), "  node 1\n  READ -> none\n");
}

static void many_states_are_not_all_printed(void **state)
{
    (void)state;
    print(NULL, 5, "W1 a/-; W2 b/-; W3 c/-; W4 d/-; R5 e", SN_SYNC_REJECTED);
    assert_non_null(strstr(text, "217 states were possible"));
    assert_non_null(strstr(text, "    and 177 more\n"));
}

static void what_does_not_fit_or_makes_no_sense_is_refused(void **state)
{
    struct story story = story_of(2, "W1 a/-; R2 b");

    (void)state;
    assert_int_equal(sn_sync_print(NULL, 2, story.events, 2, NULL, SN_SYNC_TABLE, text, 20),
                     SN_ENOMEM);
    assert_int_equal(sn_sync_print("odd", 2, story.events, 2, NULL, SN_SYNC_TABLE, text, 2000),
                     SN_EINVAL);
    assert_int_equal(sn_sync_print(NULL, 1, story.events, 2, NULL, SN_SYNC_TABLE, text, 2000),
                     SN_EINVAL);
    assert_int_equal(sn_sync_print(NULL, 6, story.events, 2, NULL, SN_SYNC_TABLE, text, 2000),
                     SN_EINVAL);
}

static void a_watch_that_makes_no_sense_is_refused(void **state)
{
    static _Alignas(16) char memory[64];
    const struct sn_sync_limits little = {.memory = memory, .memory_size = sizeof(memory)};

    (void)state;
    assert_null(sn_sync_watch_new("odd", 2, 1, NULL));
    assert_null(sn_sync_watch_new(NULL, 0, 1, NULL));
    assert_null(sn_sync_watch_new(NULL, 6, 1, NULL));
    assert_null(sn_sync_watch_new(NULL, 2, 0, NULL));
    assert_null(sn_sync_watch_new(NULL, 2, 9, NULL));
    assert_null(sn_sync_watch_new(NULL, 2, 1, &little));
    sn_sync_watch_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_node_has_a_column),
        cmocka_unit_test(a_failed_stabilization_shows_every_node),
        cmocka_unit_test(several_files_are_named),
        cmocka_unit_test(an_explanation_has_hidden_events_in_brackets),
        cmocka_unit_test(who_wins_is_told_if_nobody_knows_it_before),
        cmocka_unit_test(of_a_rejected_one_the_states_and_their_reasons_follow),
        cmocka_unit_test(an_accepted_one_is_a_table_whatever_is_asked),
        cmocka_unit_test(many_states_are_not_all_printed),
        cmocka_unit_test(what_does_not_fit_or_makes_no_sense_is_refused),
        cmocka_unit_test(a_watch_that_makes_no_sense_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
