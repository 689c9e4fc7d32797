/* test_sync_rules.c - what the rules of synchronisers accept: the examples of the paper, row by
 * row, and those of rules for others. SPDX-License-Identifier: MIT
 */
#include "story.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

static size_t largest_set; /* of the examples that were judged */

/* Letters for v1, v2, final and fixed: y accepts, n rejects. */
static void expect(const char *story, const char *verdicts)
{
    static const char *const rules[] = {"v1", "v2", "final", "fixed"};

    for (size_t i = 0; i < 4; i++) {
        struct sn_sync_result result;
        enum sn_conjectured verdict = story_judge(rules[i], 3, story, &result);

        largest_set = result.set_max > largest_set ? result.set_max : largest_set;
        if (verdict != (verdicts[i] == 'y' ? SN_CONJECTURED_YES : SN_CONJECTURED_NO))
            fail_msg("%s by %s: verdict %d: %s", story, rules[i], (int)verdict, result.why);
    }
}

static void concurrent_writes_make_a_conflict(void **state)
{
    (void)state;
    expect("W1 a/-; W2 b/-; R2 a; S a{b}", "yyyy");
}

static void a_write_over_a_seen_value_makes_none(void **state)
{
    (void)state;
    expect("W1 a/-; W2 b/a; R1 b; W2 c/b; S c{}", "yyyy");
}

static void the_last_of_two_local_writes_is_the_conflict(void **state)
{
    (void)state;
    expect("W1 a/-; W2 b/-; R1 a; W2 c/b; S a{c}", "yyyy");
}

static void a_conflict_of_a_value_that_was_seen_is_rejected(void **state)
{
    (void)state;
    expect("W1 a/-; W2 b/a; R1 b; W2 c/b; S c{a}", "nnnn");
}

static void the_same_value_twice_is_no_conflict_but_in_v1(void **state)
{
    (void)state;
    expect("W1 a/-; W2 a/-; S a{}", "nyyy");
}

static void a_late_write_wins_over_a_deletion_in_fixed_alone(void **state)
{
    (void)state;
    expect("W1 a/-; R2 a; W1 -/a; R2 -; W3 b/a; R1 b", "nnny");
}

static void surprise_D1_brief_delete_is_rejected_by_all(void **state)
{
    (void)state;
    expect("W1 a/-; W1 -/a; W2 b/a; W1 c/-; R1 -", "nnnn");
    expect("W1 a/-; W2 b/a; W1 -/a; W1 c/-; R1 -", "nnnn");
}

static void surprise_D2_re_created_file_is_rejected_by_all(void **state)
{
    (void)state;
    expect("W1 b/-; W1 -/b; R1 b", "nnnn");
}

static void surprise_D3_reappearing_file_is_rejected_by_all(void **state)
{
    (void)state;
    expect("W2 b/-; W1 -/b; R1 -; S b{}", "nnnn");
}

static void surprise_D4_lost_data_is_rejected_by_all(void **state)
{
    (void)state;
    expect("W2 b/-; W1 a/b; R1 a; S a{}|b{}|b{}", "nnnn");
}

static void surprise_O2_lost_change_is_rejected_by_all(void **state)
{
    (void)state;
    expect("W1 a/-; W2 b/a; W1 c/a; S b{}", "nnnn");
    expect("W1 a/-; W2 b/a; W1 c/a; S b{c}", "yyyy");
}

/* All of the examples above, so that they are judged whichever tests are run. */
static void the_largest_set_of_the_examples_has_41_states(void **state)
{
    largest_set = 0;
    concurrent_writes_make_a_conflict(state);
    a_write_over_a_seen_value_makes_none(state);
    the_last_of_two_local_writes_is_the_conflict(state);
    a_conflict_of_a_value_that_was_seen_is_rejected(state);
    the_same_value_twice_is_no_conflict_but_in_v1(state);
    a_late_write_wins_over_a_deletion_in_fixed_alone(state);
    surprise_D1_brief_delete_is_rejected_by_all(state);
    surprise_D2_re_created_file_is_rejected_by_all(state);
    surprise_D3_reappearing_file_is_rejected_by_all(state);
    surprise_D4_lost_data_is_rejected_by_all(state);
    surprise_O2_lost_change_is_rejected_by_all(state);
    assert_int_equal(largest_set, 41);
}

static void fixed_is_the_default(void **state)
{
    const char *story = "W1 a/-; R2 a; W1 -/a; R2 -; W3 b/a; R1 b";
    struct sn_sync_result result;

    (void)state;
    assert_int_equal(story_judge(NULL, 3, story, &result), SN_CONJECTURED_YES);
    assert_string_equal(sn_sync_rules_find(NULL)->name, "fixed");
    assert_ptr_equal(sn_sync_rules_at(0), sn_sync_rules_find("fixed"));
}

static void yes(const char *rules, const char *story)
{
    struct sn_sync_result result;

    if (story_judge(rules, 2, story, &result) != SN_CONJECTURED_YES)
        fail_msg("%s by %s: %s", story, rules, result.why);
}

static void no(const char *rules, const char *story)
{
    struct sn_sync_result result;

    if (story_judge(rules, 2, story, &result) != SN_CONJECTURED_NO)
        fail_msg("%s by %s was accepted", story, rules);
}

static void by_first_the_later_upload_is_lost(void **state)
{
    (void)state;
    yes("first", "W1 a/-; W2 b/-; S a{}");
    yes("first", "W1 a/-; W2 b/-; S b{}");
    no("first", "W1 a/-; W2 b/-; S a{b}");
    no("first", "W1 a/-; R2 a; W2 b/a; R1 b; S a{}");
    yes("first", "W1 a/-; R2 a; W1 -/a; W2 b/a; S b{}");
    no("first", "W1 a/-; R2 a; W1 -/a; W2 b/a; S -{}");
}

static void by_last_the_earlier_upload_is_lost(void **state)
{
    (void)state;
    yes("last", "W1 a/-; W2 b/-; S b{}");
    yes("last", "W1 a/-; W2 b/-; S a{}");
    no("last", "W1 a/-; W2 b/-; S b{a}");
    yes("last", "W1 a/-; W1 b/a; R2 b; W1 c/b; W2 -/b; S -{}");
    /* Node 1 has seen b, so that a was uploaded before it, and is lost. */
    no("last", "W1 a/-; W2 b/-; R1 b; R2 b; S a{}");
}

static void by_newest_the_later_write_wins_whoever_uploads_first(void **state)
{
    (void)state;
    yes("newest", "W1 a/-; W2 b/-; S b{}");
    no("newest", "W1 a/-; W2 b/-; S a{}");
    no("newest", "W1 a/-; W2 b/-; S b{a}");
    yes("newest", "W1 a/-; W2 b/-; W1 c/a; S c{}");
    no("newest", "W1 a/-; W2 b/-; W1 c/a; S b{}");
    yes("newest", "W1 a/-; R2 a; W2 b/a; W1 -/a; S b{}");
    no("newest", "W1 a/-; R2 a; W2 b/a; W1 -/a; R2 b; S -{}");
}

static void by_newest_kept_the_older_write_becomes_a_conflict(void **state)
{
    (void)state;
    yes("newest-kept", "W1 a/-; W2 b/-; S b{a}");
    no("newest-kept", "W1 a/-; W2 b/-; S b{}");
    no("newest-kept", "W1 a/-; W2 b/-; S a{b}");
}

static void by_either_one_of_the_two_wins(void **state)
{
    (void)state;
    yes("either", "W1 a/-; R2 a; W1 b/a; W2 c/a; S c{}");
    yes("either", "W1 a/-; R2 a; W1 b/a; W2 c/a; S b{}");
    no("either", "W1 a/-; R2 a; W1 b/a; W2 c/a; S a{}");
    no("either", "W1 a/-; R2 a; W1 b/a; W2 c/a; S b{c}");
}

static void by_skip_both_sides_keep_their_own(void **state)
{
    (void)state;
    yes("skip", "W1 a/-; W2 b/-; S a{}|b{}");
    no("skip", "W1 a/-; W2 b/-; S a{}");
    no("skip", "W1 a/-; W2 b/-; S b{}|a{}");
    no("skip", "W1 a/-; R2 a; S a{}|-{}");
    yes("skip", "W1 a/-; R2 a; W1 -/a; W2 b/a; S -{}|b{}");
}

static void by_skip_a_conflict_ends_when_both_are_equal(void **state)
{
    (void)state;
    yes("skip", "W1 a/-; W2 b/-; S a{}|b{}; W2 a/b; S a{}; W1 c/a; R2 c; S c{}");
    no("skip", "W1 a/-; W2 b/-; S a{}|b{}; W2 c/b; R1 c");
}

static void directories_are_values_like_others(void **state)
{
    (void)state;
    yes("fixed", "W1 //-; R2 /; W2 -//; R1 -; S -{}");
    no("fixed", "W1 //-; R2 /; W2 -//; R1 -; R1 /");
    yes("fixed", "W1 //-; W2 a/-; S /{a}");
}

static void events_that_make_no_sense_are_refused_by_name(void **state)
{
    struct sn_sync_event event = {.kind = SN_SYNC_READ, .node = 2};
    struct sn_sync_result result;

    (void)state;
    assert_int_equal(sn_sync_judge(NULL, 2, &event, 1, NULL, &result), SN_CONJECTURED_UNKNOWN);
    assert_string_equal(result.why, "event 1: there is no such node");
    event = (struct sn_sync_event){.kind = SN_SYNC_WRITE, .value = 64};
    assert_int_equal(sn_sync_judge(NULL, 2, &event, 1, NULL, &result), SN_CONJECTURED_UNKNOWN);
    assert_string_equal(result.why, "event 1: a value is above 63");
    event = (struct sn_sync_event){.kind = SN_SYNC_STABILIZE, .seen[1].value = 64};
    assert_int_equal(sn_sync_judge(NULL, 2, &event, 1, NULL, &result), SN_CONJECTURED_UNKNOWN);
    event = (struct sn_sync_event){.kind = (enum sn_sync_kind)3};
    assert_int_equal(sn_sync_judge(NULL, 2, &event, 1, NULL, &result), SN_CONJECTURED_UNKNOWN);
    event = (struct sn_sync_event){.file = 8};
    assert_int_equal(sn_sync_judge(NULL, 2, &event, 1, NULL, &result), SN_CONJECTURED_UNKNOWN);
    assert_int_equal(sn_sync_judge("odd", 2, &event, 0, NULL, &result), SN_CONJECTURED_UNKNOWN);
    assert_string_equal(result.why, "there are no such rules");
    assert_int_equal(sn_sync_judge(NULL, 6, &event, 0, NULL, &result), SN_CONJECTURED_UNKNOWN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(concurrent_writes_make_a_conflict),
        cmocka_unit_test(a_write_over_a_seen_value_makes_none),
        cmocka_unit_test(the_last_of_two_local_writes_is_the_conflict),
        cmocka_unit_test(a_conflict_of_a_value_that_was_seen_is_rejected),
        cmocka_unit_test(the_same_value_twice_is_no_conflict_but_in_v1),
        cmocka_unit_test(a_late_write_wins_over_a_deletion_in_fixed_alone),
        cmocka_unit_test(surprise_D1_brief_delete_is_rejected_by_all),
        cmocka_unit_test(surprise_D2_re_created_file_is_rejected_by_all),
        cmocka_unit_test(surprise_D3_reappearing_file_is_rejected_by_all),
        cmocka_unit_test(surprise_D4_lost_data_is_rejected_by_all),
        cmocka_unit_test(surprise_O2_lost_change_is_rejected_by_all),
        cmocka_unit_test(the_largest_set_of_the_examples_has_41_states),
        cmocka_unit_test(fixed_is_the_default),
        cmocka_unit_test(by_first_the_later_upload_is_lost),
        cmocka_unit_test(by_last_the_earlier_upload_is_lost),
        cmocka_unit_test(by_newest_the_later_write_wins_whoever_uploads_first),
        cmocka_unit_test(by_newest_kept_the_older_write_becomes_a_conflict),
        cmocka_unit_test(by_either_one_of_the_two_wins),
        cmocka_unit_test(by_skip_both_sides_keep_their_own),
        cmocka_unit_test(by_skip_a_conflict_ends_when_both_are_equal),
        cmocka_unit_test(directories_are_values_like_others),
        cmocka_unit_test(events_that_make_no_sense_are_refused_by_name),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
