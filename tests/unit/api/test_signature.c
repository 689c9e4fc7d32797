/* test_signature.c - whether two failures are the same. SPDX-License-Identifier: MIT */
#include "api/engine.h"
#include "api/signature.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct trace_verdict verdict(const char *oracle, const char *at, const char *message)
{
    return (struct trace_verdict){.oracle = oracle, .at = at, .message = trace_text_of(message)};
}

static struct trace_verdict cut(const char *oracle, const char *message)
{
    return (struct trace_verdict){.oracle = oracle, .message = trace_text_of(message), .cut = true};
}

/* ---- In a program that may have been changed ------------------------------------------------ */

static void a_failure_that_moved_to_another_line_is_the_same(void **unused)
{
    struct trace_verdict a = verdict("assert", "a.c:10", "7 of 8 (n == 8)");
    struct trace_verdict b = verdict("assert", "a.c:112", "15 of 16 (n == 8)");

    (void)unused;

    assert_true(signature_is_alike(&a, &b));
}

static void a_failure_at_the_same_place_is_the_same_whatever_it_says(void **unused)
{
    struct trace_verdict a = verdict("assert", "a.c:10", "Ann is late");
    struct trace_verdict b = verdict("assert", "a.c:10", "Bob is late");

    (void)unused;

    assert_true(signature_is_alike(&a, &b));
}

static void another_sentence_in_another_line_is_another_failure(void **unused)
{
    struct trace_verdict a = verdict("assert", "a.c:10", "7 of 8");
    struct trace_verdict b = verdict("assert", "a.c:11", "7 of many");

    (void)unused;

    assert_false(signature_is_alike(&a, &b));
}

static void another_file_is_another_failure(void **unused)
{
    struct trace_verdict a = verdict("assert", "a.c:10", "7 of 8");
    struct trace_verdict b = verdict("assert", "ab.c:10", "7 of 8");

    (void)unused;

    assert_false(signature_is_alike(&a, &b));
}

static void another_oracle_is_another_failure(void **unused)
{
    struct trace_verdict a = verdict("deadlock", NULL, "A waits");
    struct trace_verdict b = verdict("limit", NULL, "A waits");

    (void)unused;

    assert_false(signature_is_alike(&a, &b));
}

static void failures_without_a_place_are_told_apart_by_what_they_say(void **unused)
{
    struct trace_verdict a = verdict("deadlock", NULL, "A waits");
    struct trace_verdict b = verdict("deadlock", NULL, "A#2 waits for 3");

    (void)unused;

    assert_false(signature_is_alike(&a, &b));
}

/* ---- Liveness ------------------------------------------------------------------------------- */

static const char hot[] = "monitor Answers is still hot (state Owing) at the limit of 200 steps, "
                          "since step 12";

static void a_state_that_comes_back_and_a_limit_that_is_reached_are_the_same(void **unused)
{
    struct trace_verdict a = cut("hot", hot);
    struct trace_verdict b = verdict("lasso", NULL,
                                     "monitor Answers can be hot (state Owing) for ever: the "
                                     "state after step 7 comes back after step 9");

    (void)unused;

    assert_true(signature_is_alike(&a, &b));
}

static void another_monitor_is_another_failure(void **unused)
{
    struct trace_verdict a = cut("hot", hot);
    struct trace_verdict b = cut("hot", "monitor Others is still hot (state Owing) at the limit of "
                                        "200 steps, since step 12");

    (void)unused;

    assert_false(signature_is_alike(&a, &b));
}

static void another_state_of_a_monitor_is_another_failure(void **unused)
{
    struct trace_verdict a = cut("hot", hot);
    struct trace_verdict b = cut("hot", "monitor Answers is still hot (state Late) at the limit of "
                                        "200 steps, since step 12");

    (void)unused;

    assert_false(signature_is_alike(&a, &b));
}

static void what_takes_a_fair_end_to_see_is_liveness(void **unused)
{
    (void)unused;

    assert_true(signature_is_liveness("lasso", false));
    assert_true(signature_is_liveness("hot", true));
    assert_true(signature_is_liveness("limit", true));
    assert_false(signature_is_liveness("hot", false));
    assert_false(signature_is_liveness("limit", false));
    assert_false(signature_is_liveness("assert", true));
}

/* ---- Of a trial and a trace ----------------------------------------------------------------- */

static bool is_traced(struct trace_verdict was, const char *at, const char *message)
{
    struct verdict is = {.verdict = SN_FAILED};

    (void)snprintf(is.oracle, sizeof(is.oracle), "%s", was.oracle);
    (void)snprintf(is.at, sizeof(is.at), "%s", at);
    (void)snprintf(is.message, sizeof(is.message), "%s", message);
    return signature_is_traced(&was, &is, was.cut);
}

static void a_trial_that_knows_no_names_has_failed_as_its_trace_says(void **unused)
{
    struct trace_verdict was = verdict("deadlock", NULL, "Ann waits in state Second");

    (void)unused;

    assert_true(is_traced(was, "", "Taker waits in state Second"));
}

static void a_trial_that_fails_elsewhere_has_failed_in_another_way(void **unused)
{
    struct trace_verdict was = verdict("assert", "a.c:10", "too late");

    (void)unused;

    assert_true(is_traced(was, "a.c:10", "too early"));
    assert_false(is_traced(was, "a.c:11", "too late"));
}

static void a_trial_that_dies_of_another_signal_has_failed_in_another_way(void **unused)
{
    struct trace_verdict was = verdict(
        "crash", NULL, "the code under test died of signal 11 (Segmentation fault) at address 0x1");

    (void)unused;

    assert_true(is_traced(was, "",
                          "the code under test died of signal 11 (Segmentation fault) at address "
                          "0x2"));
    assert_false(is_traced(was, "", "the code under test died of signal 6 (Aborted)"));
}

static void a_trial_whose_monitor_is_hot_in_another_state_has_failed_in_another_way(void **unused)
{
    struct trace_verdict was = cut("hot", hot);

    (void)unused;

    assert_true(is_traced(was, "", "monitor Answers is still hot (state Owing) at the limit"));
    assert_false(is_traced(was, "", "monitor Answers is still hot (state Late) at the limit"));
}

/* ---- Of two trials -------------------------------------------------------------------------- */

/* The signature of a trial that has ended in this way, its process at an address. */
static struct signature end_with(const char *oracle, const char *message, uint64_t pc)
{
    struct trial *t = engine_get(NULL)->t;

    t->verdict = (struct verdict){.verdict = SN_FAILED};
    (void)snprintf(t->verdict.oracle, sizeof(t->verdict.oracle), "%s", oracle);
    (void)snprintf(t->verdict.message, sizeof(t->verdict.message), "%s", message);
    t->death.stack.n = 1;
    t->death.stack.pc[0] = pc;
    return signature_of(t);
}

static bool is_same(struct signature a, struct signature b)
{
    assert_int_equal(signature_is_same(&a, &b), signature_hash(&a) == signature_hash(&b));
    return signature_is_same(&a, &b);
}

static void a_process_that_dies_elsewhere_has_failed_in_another_way(void **unused)
{
    (void)unused;

    assert_true(is_same(end_with("crash", "signal 6", 1), end_with("crash", "signal 6", 1)));
    assert_false(is_same(end_with("crash", "signal 6", 1), end_with("crash", "signal 6", 2)));
}

static void where_a_step_that_does_not_end_is_stopped_makes_no_difference(void **unused)
{
    (void)unused;

    assert_true(is_same(end_with("hang", "10 seconds", 1), end_with("hang", "20 seconds", 2)));
}

static void which_operation_is_in_the_way_of_a_history_makes_no_difference(void **unused)
{
    (void)unused;

    assert_true(is_same(end_with("linear", "read", 0), end_with("linear", "write", 0)));
}

static void what_is_said_beside_numbers_makes_a_difference(void **unused)
{
    (void)unused;

    assert_true(is_same(end_with("assert", "7 of 8", 0), end_with("assert", "15 of 16", 0)));
    assert_false(is_same(end_with("assert", "7 of 8", 0), end_with("assert", "7 for 8", 0)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failure_that_moved_to_another_line_is_the_same),
        cmocka_unit_test(a_failure_at_the_same_place_is_the_same_whatever_it_says),
        cmocka_unit_test(another_sentence_in_another_line_is_another_failure),
        cmocka_unit_test(another_file_is_another_failure),
        cmocka_unit_test(another_oracle_is_another_failure),
        cmocka_unit_test(failures_without_a_place_are_told_apart_by_what_they_say),
        cmocka_unit_test(a_state_that_comes_back_and_a_limit_that_is_reached_are_the_same),
        cmocka_unit_test(another_monitor_is_another_failure),
        cmocka_unit_test(another_state_of_a_monitor_is_another_failure),
        cmocka_unit_test(what_takes_a_fair_end_to_see_is_liveness),
        cmocka_unit_test(a_trial_that_knows_no_names_has_failed_as_its_trace_says),
        cmocka_unit_test(a_trial_that_fails_elsewhere_has_failed_in_another_way),
        cmocka_unit_test(a_trial_that_dies_of_another_signal_has_failed_in_another_way),
        cmocka_unit_test(a_trial_whose_monitor_is_hot_in_another_state_has_failed_in_another_way),
        cmocka_unit_test(a_process_that_dies_elsewhere_has_failed_in_another_way),
        cmocka_unit_test(where_a_step_that_does_not_end_is_stopped_makes_no_difference),
        cmocka_unit_test(which_operation_is_in_the_way_of_a_history_makes_no_difference),
        cmocka_unit_test(what_is_said_beside_numbers_makes_a_difference),
    };

    return cmocka_run_group_tests_name("signature", tests, NULL, NULL);
}
