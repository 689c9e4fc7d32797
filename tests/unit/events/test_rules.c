/* test_rules.c - tests of rules.c, rules_read.c and units.c. SPDX-License-Identifier: MIT */
#include "made_events.h"

#include <sennit/test.h>
#include <stdlib.h>

static struct recording town;

static int make_town(void **unused)
{
    struct err why = {""};

    (void)unused;
    made_town(&town);
    return recording_settle(&town, &why);
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static int read_text(struct rules *rules, const char *text, struct err *why)
{
    return rules_read(rules, &town, "file", text, strlen(text), why);
}

static void assert_unread(const char *text, int rc, const char *sentence)
{
    struct rules rules = {.is_free = true};
    struct rules was = rules;
    struct err why = {""};

    assert_int_equal(read_text(&rules, text, &why), rc);
    assert_string_equal(why.text, sentence);
    assert_memory_equal(&rules, &was, sizeof(was));
}

static void constraints_are_one_object_or_an_array_of_them(void **unused)
{
    struct rules rules = {0};
    struct err why = {""};

    (void)unused;
    assert_int_equal(read_text(&rules, "{\"before\": [0, 2, 4]}", &why), 0);
    assert_int_equal(read_text(&rules,
                               " [{\"group\": [3, 5]}, {\"independent\": [0, 4]},\n"
                               "{\"independent\": \"replicas\"},"
                               "{\"failed\": {\"after\": [0], \"events\": [1, 6]}}]\n",
                               &why),
                     0);
    assert_int_equal(read_text(&rules, "[]", &why), 0);

    assert_int_equal(rules.before[2], 1 << 0);
    assert_int_equal(rules.before[4], 1 << 2);
    assert_int_equal(rules.n_groups, 1);
    assert_int_equal(rules.groups[0].n, 2);
    assert_int_equal(rules.groups[0].events[1], 5);
    assert_int_equal(rules.related[0], 1 << 4);
    assert_int_equal(rules.related[4], 1 << 0);
    assert_true(rules.are_replicas_independent);
    assert_int_equal(rules.n_failed, 1);
    assert_int_equal(rules.failed[0].after, 1);
    assert_int_equal(rules.failed[0].events, 1 << 1 | 1 << 6);
}

static void what_is_no_constraint_is_refused_with_a_sentence(void **unused)
{
    static const char shape[] = "file: a constraint is an object with one member: before, group, "
                                "independent or failed";

    (void)unused;
    assert_unread("7", SN_EFORMAT, shape);
    assert_unread("{}", SN_EFORMAT, shape);
    assert_unread("[[]]", SN_EFORMAT, shape);
    assert_unread("{\"before\": [0, 1], \"group\": [0, 1]}", SN_EFORMAT, shape);
    assert_unread("{\"behind\": [0, 1]}", SN_EFORMAT,
                  "file: \"behind\": there is no such constraint: before, group, independent, "
                  "failed");
}

static void what_is_no_list_of_events_is_refused_with_a_sentence(void **unused)
{
    static const char array[] = "file: \"before\": an array of numbers of events is needed";
    static const char number[] = "file: \"group\": what is in the array is no number of an event";

    (void)unused;
    assert_unread("{\"before\": 3}", SN_EFORMAT, array);
    assert_unread("{\"before\": null}", SN_EFORMAT, array);
    assert_unread("{\"group\": [0, -1]}", SN_EFORMAT, number);
    assert_unread("{\"group\": [0, 64]}", SN_EFORMAT, number);
    assert_unread("{\"group\": [0, 18446744073709551615]}", SN_EFORMAT, number);
    assert_unread("{\"group\": [0, \"1\"]}", SN_EFORMAT, number);
    assert_unread("{\"group\": [0, 256]}", SN_EFORMAT, number);
    assert_unread("{\"independent\": \"all\"}", SN_EFORMAT,
                  "file: \"independent\": independent can be \"replicas\", not \"all\"");
    assert_unread("{\"failed\": [1]}", SN_EFORMAT,
                  "file: \"failed\": an object with \"after\" and \"events\" is needed");
    assert_unread("{\"failed\": {\"after\": [0]}}", SN_EFORMAT,
                  "file: \"failed\": an array of numbers of events is needed");
}

static void events_that_there_are_not_are_refused_with_a_sentence(void **unused)
{
    (void)unused;
    assert_unread("{\"before\": [0, 7]}", SN_EINVAL,
                  "file: \"before\": there is no event 7: they are 0 to 6");
    assert_unread("{\"group\": [6, 63]}", SN_EINVAL,
                  "file: \"group\": there is no event 63: they are 0 to 6");
    assert_unread("{\"independent\": [9, 0]}", SN_EINVAL,
                  "file: \"independent\": there is no event 9: they are 0 to 6");
    assert_unread("{\"failed\": {\"after\": [], \"events\": [1, 8]}}", SN_EINVAL,
                  "file: \"failed\": there is no event 8: they are 0 to 6");
    assert_unread("{\"before\": [3]}", SN_EINVAL, "file: \"before\": it takes two events at least");
    assert_unread("{\"group\": []}", SN_EINVAL, "file: \"group\": it takes two events at least");
    assert_unread("{\"before\": [3, 4, 3]}", SN_EINVAL, "file: \"before\": event 3 occurs twice");
    assert_unread("{\"failed\": {\"after\": [0], \"events\": []}}", SN_EINVAL,
                  "file: \"failed\": no events fail");
    assert_unread("{\"failed\": {\"after\": [2, 1], \"events\": [1]}}", SN_EINVAL,
                  "file: \"failed\": event 1 fails after itself");
    assert_unread("[{\"group\": [0, 1]}, {\"group\": [2, 1]}]", SN_EINVAL,
                  "file: \"group\": event 1 is in two groups");
}

static void an_array_of_more_than_64_events_is_refused(void **unused)
{
    char text[512] = "{\"before\": [0";
    size_t n = strlen(text);

    (void)unused;
    for (int i = 0; i < 64; i++)
        n += (size_t)snprintf(text + n, sizeof(text) - n, ",%d", i % 7);
    (void)snprintf(text + n, sizeof(text) - n, "]}");

    assert_unread(text, SN_EFORMAT, "file: \"before\": the array has more than 64 members");
}

static void more_groups_or_lists_than_there_is_room_for_are_refused(void **unused)
{
    struct recording r;
    struct rules rules = {0};
    struct err why = {""};

    (void)unused;
    made_clear(&r, 1);
    for (int i = 0; i < RECORDING_EVENTS_MAX; i++)
        made_update(&r, A);
    for (uint8_t i = 0; i < RULES_GROUPS_MAX; i++)
        assert_int_equal(rules_add_group(&rules, &r,
                                         (uint8_t[]){(uint8_t)(2 * i), (uint8_t)(2 * i + 1)}, 2,
                                         &why),
                         0);
    for (uint8_t i = 0; i < RULES_FAILED_MAX; i++)
        assert_int_equal(rules_add_failed(&rules, &r, 1, 2, &why), 0);

    assert_int_equal(rules_add_group(&rules, &r, (uint8_t[]){0, 1}, 2, &why), SN_EINVAL);
    assert_string_equal(why.text, "there are more than 32 groups");
    assert_int_equal(rules_add_failed(&rules, &r, 1, 2, &why), SN_EINVAL);
    assert_string_equal(why.text, "there are more than 8 lists of events that fail");
}

static void text_that_is_no_json_is_refused_with_its_column(void **unused)
{
    struct rules rules = {0};
    struct err why = {""};
    char *deep = calloc(1, 100001);

    (void)unused;
    assert_int_equal(read_text(&rules, "{\"before\": [0, 1", &why), SN_EFORMAT);
    assert_non_null(strstr(why.text, "file: "));
    assert_non_null(strstr(why.text, "in column 17"));
    assert_int_equal(read_text(&rules, "", &why), SN_EFORMAT);
    assert_int_equal(rules_read(&rules, &town, "file", "[]\0[]", 5, &why), SN_EFORMAT);
    assert_int_equal(read_text(&rules, "[] []", &why), SN_EFORMAT);
    assert_int_equal(read_text(&rules, "{\"before\": [0, 1e0]}", &why), SN_EFORMAT);

    memset(deep, '[', 100000);
    assert_int_equal(read_text(&rules, deep, &why), SN_EFORMAT);
    free(deep);
}

static void of_several_constraints_all_hold_or_none(void **unused)
{
    (void)unused;
    assert_unread("[{\"before\": [0, 1]}, {\"group\": [2, 3]}, {\"independent\": \"replicas\"}, 8]",
                  SN_EFORMAT,
                  "file: a constraint is an object with one member: before, group, independent or "
                  "failed");
}

static void bytes_at_random_never_do_more_than_be_refused(void **unused)
{
    static const char *const pieces[] = {"{",
                                         "}",
                                         "[",
                                         "]",
                                         ",",
                                         ":",
                                         "\"",
                                         "0",
                                         "\"before\":",
                                         "\"group\":",
                                         "[0,1]",
                                         "63",
                                         "\\u0000",
                                         "\"failed\":",
                                         "\"after\":",
                                         "\"events\":",
                                         "\"independent\":",
                                         "\"replicas\"",
                                         "[2,5]",
                                         " ",
                                         "-",
                                         "\xff"};
    uint64_t state = 1;
    uint32_t taken = 0;

    (void)unused;
    for (int i = 0; i < 20000; i++) {
        struct rules rules = {0};
        struct err why = {""};
        char text[256] = "";
        size_t n = 0;
        int rc;

        for (uint64_t j = (state = mix_pair(state, 2)) % 9 + 1; j > 0; j--) {
            state = mix_pair(state, 3);
            n += (size_t)snprintf(text + n, sizeof(text) - n, "%s",
                                  pieces[state % (sizeof(pieces) / sizeof(pieces[0]))]);
        }
        rc = rules_read(&rules, &town, "file", text, n, &why);
        taken += rc == 0;
        assert_true(rc == 0 || rc == SN_EFORMAT || rc == SN_EINVAL);
        assert_true((rc == 0) == (why.text[0] == '\0'));
        assert_true(rc == 0 || strncmp(why.text, "file: ", 6) == 0);
    }
    assert_true(taken > 0);
}

/* ---- Words ---------------------------------------------------------------------------------- */

static void prunings_are_named_in_a_list(void **unused)
{
    struct rules rules = {0};
    struct err why = {""};

    (void)unused;
    assert_int_equal(rules_set_prunings(&rules, "all", &why), 0);
    assert_int_equal(rules.prunings, PRUNE_ALL);
    assert_int_equal(rules_set_prunings(&rules, "none", &why), 0);
    assert_int_equal(rules.prunings, 0);
    assert_int_equal(rules_set_prunings(&rules, "failed,groups:paper", &why), 0);
    assert_int_equal(rules.prunings, PRUNE_FAILED | PRUNE_GROUPS | PRUNE_GROUPS_PAPER);

    assert_int_equal(rules_set_prunings(&rules, "", &why), SN_EINVAL);
    assert_string_equal(why.text, "no pruning is named; \"none\" is no pruning");
    assert_int_equal(rules_set_prunings(&rules, "groups,fail", &why), SN_EINVAL);
    assert_string_equal(why.text, "there is no pruning \"fail\": groups, groups:paper, replicas, "
                                  "replicas:paper, independence, failed, all, none");
    assert_int_equal(rules.prunings, PRUNE_FAILED | PRUNE_GROUPS | PRUNE_GROUPS_PAPER);
}

static void replicas_to_be_watched_are_named_in_a_list(void **unused)
{
    struct rules rules = {0};
    struct err why = {""};

    (void)unused;
    assert_int_equal(rules_set_watched(&rules, &town, "B,A:queries", &why), 0);
    assert_int_equal(rules.watched, 1 << B);
    assert_int_equal(rules.watched_queries, 1 << A);
    assert_int_equal(rules_set_watched(&rules, &town, "A:queries,A", &why), 0);
    assert_int_equal(rules.watched, 1 << A);
    assert_int_equal(rules.watched_queries, 0);

    assert_int_equal(rules_set_watched(&rules, &town, "C", &why), SN_EINVAL);
    assert_string_equal(why.text, "there is no replica \"C\" to be watched");
    assert_int_equal(rules_set_watched(&rules, &town, "A:states", &why), SN_EINVAL);
    assert_string_equal(why.text,
                        "of a replica all is watched, or its \"queries\", not its \"states\"");
    assert_int_equal(rules_set_watched(&rules, &town, "", &why), SN_EINVAL);
    assert_string_equal(why.text, "no replica is named to be watched");
}

/* ---- What contradicts itself ---------------------------------------------------------------- */

static void assert_impossible(const struct recording *r, const struct rules *rules,
                              const char *sentence)
{
    struct units units;
    struct err why = {""};

    assert_int_equal(units_make(&units, r, rules, &why), SN_EINVAL);
    assert_string_equal(why.text, sentence);
}

static void a_circle_is_refused(void **unused)
{
    struct rules own = made_rules(
        &town, "none", NULL, "[{\"before\": [0, 2]}, {\"before\": [2, 6]}, {\"before\": [6, 0]}]");
    struct rules cause = made_rules(&town, "none", NULL, "{\"before\": [1, 0]}");
    struct rules program = made_rules(&town, "none", NULL, "{\"before\": [4, 2]}");

    (void)unused;
    assert_impossible(&town, &own, "the constraints go in a circle: event 0 can never happen");
    assert_impossible(&town, &cause, "the constraints go in a circle: event 0 can never happen");
    assert_impossible(&town, &program, "the constraints go in a circle: event 2 can never happen");

    cause.is_free = program.is_free = true;
    assert_int_equal(made_units(&town, &cause).n, 7);
    assert_int_equal(made_units(&town, &program).n, 7);
}

static void a_group_against_the_order_of_its_events_is_refused(void **unused)
{
    struct rules rules = made_rules(&town, "groups", NULL, "{\"group\": [1, 0]}");

    (void)unused;
    assert_impossible(&town, &rules, "a group has event 1 before 0, which must come first");

    rules.prunings = 0; /* then there is no group */
    assert_int_equal(made_units(&town, &rules).n, 7);
}

static void groups_that_cannot_both_be_kept_together_are_refused(void **unused)
{
    struct rules rules = made_rules(
        &town, "groups", NULL, "[{\"group\": [0, 4]}, {\"group\": [2, 1]}, {\"before\": [2, 4]}]");

    (void)unused;
    rules.is_free = true;
    assert_int_equal(made_units(&town, &rules).n, 5);

    rules.before[1] = 1 << 0;
    assert_impossible(&town, &rules, "the constraints go in a circle: event 0 can never happen");
}

static void an_event_that_is_free_is_held_by_its_causes_alone(void **unused)
{
    struct recording r;
    struct rules rules = {0};

    (void)unused;
    made_clear(&r, 1);
    for (int i = 0; i < 3; i++)
        made_update(&r, A);
    r.events[1].is_free = true;

    assert_int_equal(made_units(&r, &rules).before[1], 0);
    assert_int_equal(made_units(&r, &rules).before[2], 1);
}

static void messages_of_a_link_keep_their_order_if_that_is_asked_for(void **unused)
{
    struct recording r;
    struct rules rules = {0};

    (void)unused;
    made_clear(&r, 3);
    made_request(&r, A, B);
    made_request(&r, A, B);
    made_apply(&r, 0, B);
    made_apply(&r, 1, B);

    assert_int_equal(made_units(&r, &rules).before[3], 1 << 1);
    rules.is_fifo = true;
    assert_int_equal(made_units(&r, &rules).before[3], 1 << 1 | 1 << 2);
    rules.is_free = true;
    assert_int_equal(made_units(&r, &rules).before[3], 1 << 2);
}

static void a_message_is_never_independent_of_what_makes_it(void **unused)
{
    struct rules rules = made_rules(&town, "independence", NULL,
                                    "[{\"independent\": [0, 1]}, {\"independent\": \"replicas\"}]");
    struct units units = made_units(&town, &rules);

    (void)unused;
    assert_int_equal(units.independent[0] & 1 << 1, 0);
    assert_int_equal(units.independent[2] & 1 << 3, 0);
    assert_int_equal(units.independent[0] & 1 << 2, 1 << 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constraints_are_one_object_or_an_array_of_them),
        cmocka_unit_test(what_is_no_constraint_is_refused_with_a_sentence),
        cmocka_unit_test(what_is_no_list_of_events_is_refused_with_a_sentence),
        cmocka_unit_test(events_that_there_are_not_are_refused_with_a_sentence),
        cmocka_unit_test(an_array_of_more_than_64_events_is_refused),
        cmocka_unit_test(more_groups_or_lists_than_there_is_room_for_are_refused),
        cmocka_unit_test(text_that_is_no_json_is_refused_with_its_column),
        cmocka_unit_test(of_several_constraints_all_hold_or_none),
        cmocka_unit_test(bytes_at_random_never_do_more_than_be_refused),
        cmocka_unit_test(prunings_are_named_in_a_list),
        cmocka_unit_test(replicas_to_be_watched_are_named_in_a_list),
        cmocka_unit_test(a_circle_is_refused),
        cmocka_unit_test(a_group_against_the_order_of_its_events_is_refused),
        cmocka_unit_test(groups_that_cannot_both_be_kept_together_are_refused),
        cmocka_unit_test(an_event_that_is_free_is_held_by_its_causes_alone),
        cmocka_unit_test(messages_of_a_link_keep_their_order_if_that_is_asked_for),
        cmocka_unit_test(a_message_is_never_independent_of_what_makes_it),
    };

    return cmocka_run_group_tests(tests, make_town, NULL);
}
