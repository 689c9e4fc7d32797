/* test_checks.c - tests of checks.c. SPDX-License-Identifier: MIT */
#include "events/checks.h"
#include "made_events.h"

#include <sennit/test.h>

/* A and B add something, and send each other all they have. */
static struct recording r;
static const uint8_t in_order[] = {0, 1, 2, 3, 4, 5, 6};
static struct outcome recorded;
static struct outcome seen;

static int make(void **unused)
{
    (void)unused;
    made_clear(&r, 2);
    made_update(&r, A);     /* 0 */
    made_request(&r, A, B); /* 1 */
    made_update(&r, B);     /* 2 */
    made_request(&r, B, A); /* 3 */
    made_apply(&r, 1, B);   /* 4 */
    made_apply(&r, 3, A);   /* 5 */
    made_query(&r, A);      /* 6 */
    (void)snprintf(r.events[2].op, sizeof(r.events[2].op), "op0");
    recorded = (struct outcome){.states = {"[1,2]", "[1,2]"},
                                .results = {"null", "null", "null", "null", "null", "null", "2"}};
    seen = recorded;
    return 0;
}

static const char *judge_some(uint32_t expect, const uint8_t *order, uint32_t n, char *sentence)
{
    const struct check_job job = {.recording = &r,
                                  .expect = expect,
                                  .order = order,
                                  .n = n,
                                  .outcome = &seen,
                                  .recorded = &recorded};

    return checks_judge(&job, sentence, 512);
}

static void assert_holds(uint32_t expect)
{
    char sentence[512];

    assert_null(judge_some(expect, in_order, 7, sentence));
}

static void assert_broken(uint32_t expect, const char *name, const char *sentence)
{
    char said[512];

    assert_string_equal(judge_some(expect, in_order, 7, said), name);
    assert_string_equal(said, sentence);
    assert_null(judge_some(0, in_order, 7, said));
}

static void what_came_out_as_recorded_is_as_expected(void **unused)
{
    (void)unused;
    assert_holds(UINT32_MAX);
}

static void replicas_with_the_same_updates_must_have_the_same_state(void **unused)
{
    static const uint8_t without[] = {0, 1, 2, 4};
    char said[512];

    (void)unused;
    seen.states[B] = "[2,1]";

    assert_broken(SN_EXPECT_CONVERGENCE, "convergence",
                  "A and B have got the same updates, but A is [1,2] and B [2,1]");
    assert_null(judge_some(SN_EXPECT_CONVERGENCE, without, 4, said));
    seen.states[B] = NULL;
    assert_holds(SN_EXPECT_CONVERGENCE);
}

static void a_state_that_was_another_as_recorded_is_told(void **unused)
{
    char said[512];
    struct check_job job = {.recording = &r,
                            .expect = SN_EXPECT_SAME_STATES,
                            .watched = 1 << A,
                            .order = in_order,
                            .n = 7,
                            .outcome = &seen,
                            .recorded = &recorded};

    (void)unused;
    seen.states[B] = "[2]";

    assert_broken(SN_EXPECT_SAME_STATES, "same-states", "B is [2], and as recorded it was [1,2]");
    assert_null(checks_judge(&job, said, sizeof(said)));
}

static void a_query_that_returned_something_else_as_recorded_is_told(void **unused)
{
    (void)unused;
    seen.results[6] = "1";
    assert_broken(SN_EXPECT_SAME_RESULTS, "same-results",
                  "op6 at A (event 6) returned 1, and as recorded 2");

    seen.results[6] = "2";
    seen.results[0] = "5"; /* no query */
    assert_holds(SN_EXPECT_SAME_RESULTS);
}

static void what_ran_in_part_is_not_compared_with_what_was_recorded(void **unused)
{
    char said[512];

    (void)unused;
    seen.states[B] = "[2]";
    seen.results[6] = "1";

    assert_null(judge_some(SN_EXPECT_SAME_RESULTS | SN_EXPECT_SAME_STATES, in_order + 1, 6, said));
}

static void an_element_that_is_twice_in_an_array_is_told(void **unused)
{
    (void)unused;
    seen.states[B] = "[{\"a\":[1,1]},3,\"x,]\\\"\",3]";
    assert_broken(SN_EXPECT_NO_DUPLICATES, "no-duplicates",
                  "B has 3 twice: [{\"a\":[1,1]},3,\"x,]\\\"\",3]");
    seen.states[B] = "[\"x,]\\\"\",3,\"x,]\\\"\"]";
    assert_broken(SN_EXPECT_NO_DUPLICATES, "no-duplicates",
                  "B has \"x,]\\\"\" twice: [\"x,]\\\"\",3,\"x,]\\\"\"]");
    seen.states[B] = "[[1,[2]],[1],[1,[2]]]";
    assert_broken(SN_EXPECT_NO_DUPLICATES, "no-duplicates",
                  "B has [1,[2]] twice: [[1,[2]],[1],[1,[2]]]");

    seen.states[B] = "[[1,1],[1],\"1\",1,11,\"a\\\\\",\"a\"]";
    assert_holds(SN_EXPECT_NO_DUPLICATES);
    seen.states[B] = "{\"a\":1,\"b\":1}";
    assert_holds(SN_EXPECT_NO_DUPLICATES);
    seen.states[B] = "[]";
    assert_holds(SN_EXPECT_NO_DUPLICATES);
}

static void updates_of_a_name_must_not_return_the_same_twice(void **unused)
{
    (void)unused;
    seen.results[0] = seen.results[2] = "7";
    assert_broken(SN_EXPECT_UNIQUE_RESULTS, "unique-results",
                  "op0 returned 7 twice, at A (event 0) and at B (event 2)");

    (void)snprintf(r.events[2].op, sizeof(r.events[2].op), "other");
    assert_holds(SN_EXPECT_UNIQUE_RESULTS);
    (void)snprintf(r.events[2].op, sizeof(r.events[2].op), "op0");
    seen.results[2] = "8";
    assert_holds(SN_EXPECT_UNIQUE_RESULTS);
    seen.results[0] = seen.results[2] = "null";
    assert_holds(SN_EXPECT_UNIQUE_RESULTS);
}

static void a_throw_that_there_was_not_as_recorded_is_told(void **unused)
{
    (void)unused;
    seen.results[4] = "{\"throws\":\"no\"}";
    assert_broken(CHECK_NO_THROWS, "throws", "op4() at B (event 4) throws: {\"throws\":\"no\"}");

    recorded.results[4] = "{\"throws\":\"no\"}";
    assert_holds(CHECK_NO_THROWS);
    recorded.results[4] = "null";
    seen.results[4] = "[{\"throws\":\"no\"}]";
    assert_holds(CHECK_NO_THROWS);
}

static void what_has_reached_a_replica_follows_requests_and_deliveries(void **unused)
{
    static const uint8_t order[] = {3, 0, 5, 2, 1, 4};
    static const uint8_t early[] = {4, 0, 1, 4};
    uint64_t delivered[RECORDING_REPLICAS_MAX];

    (void)unused;
    checks_delivered(&r, order, 6, delivered);
    assert_int_equal(delivered[A], 1 << 0); /* the request was made before the update */
    assert_int_equal(delivered[B], 1 << 0 | 1 << 2);

    checks_delivered(&r, early, 1, delivered);
    assert_int_equal(delivered[B], 0);
    checks_delivered(&r, early, 4, delivered);
    assert_int_equal(delivered[B], 1 << 0);
}

static void expectations_and_misconceptions_are_known_by_name(void **unused)
{
    uint32_t expect = 0;
    struct err why = {""};

    (void)unused;
    assert_int_equal(checks_read("convergence,no-throws", &expect, &why), 0);
    assert_int_equal(expect, SN_EXPECT_CONVERGENCE | CHECK_NO_THROWS);
    assert_int_equal(checks_read("none", &expect, &why), 0);
    assert_int_equal(expect, 0);
    assert_int_equal(checks_find("causal-delivery"), SN_EXPECT_SAME_STATES);
    assert_int_equal(checks_find("list-order"), SN_EXPECT_CONVERGENCE);
    assert_int_equal(checks_find("move"), SN_EXPECT_NO_DUPLICATES);
    assert_int_equal(checks_find("sequential-ids"), SN_EXPECT_UNIQUE_RESULTS);
    assert_int_equal(checks_find("coordination"), SN_EXPECT_SAME_RESULTS);

    expect = 77;
    assert_int_equal(checks_read("convergence,x", &expect, &why), SN_EINVAL);
    assert_non_null(strstr(why.text, "nothing called \"x\" can be expected: convergence"));
    assert_int_equal(expect, 77);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(what_came_out_as_recorded_is_as_expected, make),
        cmocka_unit_test_setup(replicas_with_the_same_updates_must_have_the_same_state, make),
        cmocka_unit_test_setup(a_state_that_was_another_as_recorded_is_told, make),
        cmocka_unit_test_setup(a_query_that_returned_something_else_as_recorded_is_told, make),
        cmocka_unit_test_setup(what_ran_in_part_is_not_compared_with_what_was_recorded, make),
        cmocka_unit_test_setup(an_element_that_is_twice_in_an_array_is_told, make),
        cmocka_unit_test_setup(updates_of_a_name_must_not_return_the_same_twice, make),
        cmocka_unit_test_setup(a_throw_that_there_was_not_as_recorded_is_told, make),
        cmocka_unit_test_setup(what_has_reached_a_replica_follows_requests_and_deliveries, make),
        cmocka_unit_test_setup(expectations_and_misconceptions_are_known_by_name, make),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
