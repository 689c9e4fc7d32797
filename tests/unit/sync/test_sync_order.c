/* test_sync_order.c - the specification by what happened before what: the examples of section VII
 * of the paper, its surprises, and that it never rejects what the model accepts if values are
 * distinct: test_sync_order [OBSERVATIONS SEED]. SPDX-License-Identifier: MIT
 */
#include "random_story.h"
#include "story.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

static unsigned long n_observations = 10000;
static uint64_t seed = 1;

static enum sn_conjectured judge(const char *text)
{
    struct story story = story_of(2, text);
    struct sn_sync_result result;

    return sn_sync_judge_order(2, story.events, story.n, &result);
}

static void a_chain_of_writes_has_an_order(void **state)
{
    (void)state;
    assert_int_equal(judge("W1 a/-; W1 b/a; W2 c/b"), SN_CONJECTURED_YES);
}

static void going_back_to_an_overwritten_value_has_none(void **state)
{
    (void)state;
    assert_int_equal(judge("W1 a/-; W1 b/a; R2 b; R2 a"), SN_CONJECTURED_NO);
    assert_int_equal(judge("W1 a/-; W1 b/a; R2 a; R2 b"), SN_CONJECTURED_YES);
}

static void a_value_that_nobody_wrote_has_none(void **state)
{
    (void)state;
    assert_int_equal(judge("W1 a/-; R2 b"), SN_CONJECTURED_NO);
    assert_int_equal(judge("R2 b; W1 b/-"), SN_CONJECTURED_NO);
}

static void at_rest_every_last_write_must_be_there(void **state)
{
    (void)state;
    assert_int_equal(judge("W1 a/-; W2 b/-; S a{b}"), SN_CONJECTURED_YES);
    assert_int_equal(judge("W1 a/-; W2 b/-; S a{}"), SN_CONJECTURED_NO);
    assert_int_equal(judge("W1 a/-; W2 b/a; S b{}"), SN_CONJECTURED_YES);
    assert_int_equal(judge("W1 a/-; W2 b/a; S a{}"), SN_CONJECTURED_NO);
}

static void repeated_values_may_be_of_any_write(void **state)
{
    (void)state;
    /* The first a is overwritten when node 2 reads it, the second is not. */
    assert_int_equal(judge("W1 a/-; W1 b/a; W2 a/b; R1 a"), SN_CONJECTURED_YES);
    assert_int_equal(judge("W1 a/-; W1 -/a; R2 -; R2 a; W2 b/a; R1 b"), SN_CONJECTURED_YES);
}

static void all_surprises_with_files_are_rejected(void **state)
{
    (void)state;
    assert_int_equal(judge("W1 a/-; W1 -/a; W2 b/a; W1 c/-; R1 -"), SN_CONJECTURED_NO);
    assert_int_equal(judge("W1 b/-; W1 -/b; R1 b"), SN_CONJECTURED_NO);
    assert_int_equal(judge("W2 b/-; W1 -/b; R1 -; S b{}"), SN_CONJECTURED_NO);
    assert_int_equal(judge("W2 b/-; W1 a/b; R1 a; S a{}|b{}"), SN_CONJECTURED_NO);
    assert_int_equal(judge("W1 a/-; W2 b/a; W1 c/a; S b{}"), SN_CONJECTURED_NO);
}

/* It knows no server, so it cannot tell that a conflict that was seen to lose must not win later.
 */
static void less_is_rejected_than_by_the_model(void **state)
{
    const char *story = "W1 a/-; W2 b/-; R2 a; R1 b";
    struct sn_sync_result result;

    (void)state;
    assert_int_equal(judge(story), SN_CONJECTURED_YES);
    assert_int_equal(story_judge(NULL, 2, story, &result), SN_CONJECTURED_NO);
}

static void what_the_model_accepts_with_distinct_values_has_an_order(void **state)
{
    static const char *const rules[] = {"fixed", "v1", "v2", "final"};
    struct random_source source = {seed};
    unsigned long accepted = 0;
    unsigned long rejected = 0;

    (void)state;
    for (unsigned long i = 0; i < n_observations; i++) {
        struct plain plain = {.rules = rules[i % 4],
                              .n_nodes = 2 + (uint32_t)random_below(&source, 2),
                              .n_files = 1 + (uint32_t)random_below(&source, 2)};
        struct random_story story = random_distinct_story(&source, &plain);
        struct sn_sync_result model;
        struct sn_sync_result order;

        (void)sn_sync_judge(plain.rules, plain.n_nodes, story.events, story.n, NULL, &model);
        (void)sn_sync_judge_order(plain.n_nodes, story.events, story.n, &order);

        if (model.verdict == SN_CONJECTURED_YES && order.verdict != SN_CONJECTURED_YES) {
            char text[8192];

            (void)sn_sync_print(plain.rules, plain.n_nodes, story.events, story.n, NULL,
                                SN_SYNC_TABLE, text, sizeof(text));
            fail_msg("only the model accepts, by %s: %s\n%s", plain.rules, order.why, text);
        }
        accepted += model.verdict == SN_CONJECTURED_YES;
        rejected += order.verdict == SN_CONJECTURED_NO;
    }
    print_message("# %lu observations, the model accepts %lu, the order rejects %lu\n",
                  n_observations, accepted, rejected);
    assert_in_range(accepted, n_observations / 4, n_observations);
    assert_in_range(rejected, n_observations / 8, n_observations);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_of_writes_has_an_order),
        cmocka_unit_test(going_back_to_an_overwritten_value_has_none),
        cmocka_unit_test(a_value_that_nobody_wrote_has_none),
        cmocka_unit_test(at_rest_every_last_write_must_be_there),
        cmocka_unit_test(repeated_values_may_be_of_any_write),
        cmocka_unit_test(all_surprises_with_files_are_rejected),
        cmocka_unit_test(less_is_rejected_than_by_the_model),
        cmocka_unit_test(what_the_model_accepts_with_distinct_values_has_an_order),
    };

    if (argc > 1)
        n_observations = strtoul(argv[1], NULL, 10);
    if (argc > 2)
        seed = strtoul(argv[2], NULL, 10) * 1000;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
