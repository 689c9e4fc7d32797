/* test_explain_text.c - explanations in words and as JSON. SPDX-License-Identifier: MIT */
#include "report/explain_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct explanation e;
static char printed[1 << 16];

static bool is_verbose;

static const char *in_words(void)
{
    struct sn_text out;

    text_init(&out, printed, sizeof(printed));
    explain_text(&out, &e, is_verbose);
    assert_false(out.cut);
    return printed;
}

static void assert_says(const char *text)
{
    if (strstr(in_words(), text) == NULL)
        fail_msg("\"%s\" is not in:\n%s", text, printed);
}

static void assert_is_silent_about(const char *text)
{
    if (strstr(in_words(), text) != NULL)
        fail_msg("\"%s\" is in:\n%s", text, printed);
}

static void add_order(struct explanation_cause *c, const char *first, const char *second,
                      enum label label)
{
    struct explanation_item *item = &c->items[c->n_items++];

    *item = (struct explanation_item){
        .kind = ITEM_ORDER,
        .is_labelled = true,
        .labelled = {.label = label, .dropped = {1000, 83, 0}, .flipped = {1000, 0, 12}}};
    (void)snprintf(item->first, sizeof(item->first), "%s", first);
    (void)snprintf(item->second, sizeof(item->second), "%s", second);
    (void)snprintf(item->require, sizeof(item->require), "a before b");
}

static int set_up(void **state)
{
    struct explanation_cause *c = &e.causes[0];

    (void)state;
    is_verbose = false;
    e = (struct explanation){.suite = "shop",
                             .test = "pay",
                             .strategy = "pos",
                             .trial = 8,
                             .is_shrunk = true,
                             .steps_before = 48,
                             .steps_all = 8,
                             .steps = 8,
                             .shrink_trials = 20,
                             .base = {1000, 44, 0},
                             .n_causes = 1,
                             .n_pool = 60,
                             .has_covers = true,
                             .covered = 60,
                             .stage = STAGE_DONE,
                             .executions = 4321,
                             .seed = 1,
                             .n_steps_list = 8};
    (void)snprintf(e.failure, sizeof(e.failure), "deadlock: client C waits for ack");
    for (uint32_t i = 0; i < 8; i++) {
        e.steps_list[i].step = i + 1;
        (void)snprintf(e.steps_list[i].words, sizeof(e.steps_list[i].words), "M handles E%u",
                       i + 1);
    }
    e.pnr =
        (struct pnr){.is_found = true, .step = 5, .before = {400, 324, 0}, .after = {400, 400, 0}};
    *c = (struct explanation_cause){
        .verified = {1000, 1000, 0}, .is_enough = true, .is_minimal = true, .covers = 60};
    add_order(c, "S1 handles hello from S2", "S1 handles down from P", LABEL_DECISIVE);
    add_order(c, "S1 handles down from P", "S1 handles req from C", LABEL_SET_UP);
    e.rates[0] = (struct explanation_rate){"random", {2000, 106, 0}};
    e.rates[1] = (struct explanation_rate){"pct:3", {2000, 0, 0}};
    e.n_rates = 2;
    return 0;
}

static void failure_comes_with_how_it_was_found_and_shrunk(void **state)
{
    (void)state;

    assert_says("FAILS  shop/pay: deadlock: client C waits for ack\n"
                "       found by pos in trial 8; shrunk from 48 to 8 steps (20 trials)\n");
}

static void point_of_no_return_is_a_sampled_statement(void **state)
{
    (void)state;

    assert_says("LOST   after step 5 of 8, \"M handles E5\":\n"
                "       400 of 400 sampled continuations fail (99.05 % or more); before it 324 of "
                "400.\n");
    assert_says("These are sampled statements, not proofs: 4321 trials, seed 1.\n");
}

static void no_point_of_no_return_is_said(void **state)
{
    (void)state;
    e.pnr = (struct pnr){.step = 8, .n_points = 1, .points = {{8, {100, 98, 0}}}};

    assert_says("LOST   No point of no return: even after the last step only 98 of 100 "
                "continuations fail.\n");
}

static void last_step_that_decides_is_called_so(void **state)
{
    (void)state;
    e.pnr.step = 8;
    e.pnr.jumps[0] = (struct pnr_jump){8, {400, 324, 0}, {400, 400, 0}};
    e.pnr.jumps[1] = (struct pnr_jump){3, {400, 100, 0}, {400, 300, 0}};
    e.pnr.n_jumps = 2;

    assert_says("LOST   only with its last step, 8, \"M handles E8\":\n");
    assert_says("       jumps before it: step 3, \"M handles E3\": 100 -> 300 of 400\n");
    assert_is_silent_about("324 -> 400");
}

static void trial_that_its_values_have_lost_is_lost_from_the_start(void **state)
{
    (void)state;
    e.pnr.step = 0;

    assert_says("LOST   from the start, with the values of its set-up:\n"
                "       400 of 400 sampled continuations fail (99.05 % or more).\n");
}

static void orders_come_with_labels_and_rates(void **state)
{
    (void)state;

    assert_says("WHY    In 1000 of 1000 random schedules with these 2 orders the test fails "
                "(without: 44 of 1000):\n"
                "        1  S1 handles hello from S2  before  S1 handles down from P\n"
                "           decisive: reversed, 0 of 1000 fail (at most 0.38 %; 12 stuck); without "
                "it, 83 of 1000 fail (6.7 to 10.2 %)\n");
    assert_says("           set-up: reversed, ");
}

static void operation_that_never_ran_could_have(void **state)
{
    (void)state;
    e.causes[0].items[0].is_pending = true;

    assert_says("before  S1 handles down from P could run\n");
}

static void orders_with_the_same_first_are_said_together(void **state)
{
    (void)state;
    add_order(&e.causes[0], "S1 handles down from P", "S3 handles late from P", LABEL_HELPING);
    e.causes[0].items[1].is_grouped = true;
    e.causes[0].items[2].is_grouped = true;

    assert_says("with these 2 orders the test fails");
    assert_says("        2  S1 handles down from P\n"
                "           before each of these could run\n"
                "             S1 handles req from C\n"
                "             S3 handles late from P\n");
}

static void value_is_said_as_one(void **state)
{
    struct explanation_item *item = &e.causes[0].items[1];

    (void)state;
    item->kind = ITEM_DRAW;
    (void)snprintf(item->first, sizeof(item->first), "Driver draws \"victim\"");
    (void)snprintf(item->second, sizeof(item->second), "2");

    assert_says("with this order and this value the test fails");
    assert_says("        2  Driver draws \"victim\" = 2\n");
}

static void order_that_is_merely_needed_has_figures_and_no_label(void **state)
{
    (void)state;
    e.causes[0].items[0].labelled.label = LABEL_NEEDED;

    assert_says(
        "           reversed, 0 of 1000 fail (at most 0.38 %; 12 stuck); without it, 83 of");
    assert_is_silent_about("needed:");
}

static void order_that_lets_others_come_about_is_named_last_without_figures(void **state)
{
    (void)state;
    e.causes[0].items[0].labelled.label = LABEL_ENABLING;

    assert_says("with this order the test fails");
    assert_says("        1  S1 handles down from P  before  S1 handles req from C\n"
                "           set-up: reversed, ");
    assert_says("       so that these come about:\n"
                "         - S1 handles hello from S2  before  S1 handles down from P\n"
                "LOST");
}

static void set_that_is_enough_only_after_a_step_says_so(void **state)
{
    (void)state;
    e.causes[0].from = (struct beginning){.is_kept = true, .steps = 3};
    e.causes[0].base = (struct answer){100, 12, 0};

    assert_says("WHY    In 1000 of 1000 random continuations with these 2 orders the test fails "
                "(without: 12 of 100),\n"
                "       once the trial has come to step 3, \"M handles E3\":\n"
                "        1  S1 handles hello");
    assert_says("How the trial comes to that step is needed, too: see the trial.\n");
}

static void set_that_is_enough_with_the_values_of_the_set_up_says_so(void **state)
{
    (void)state;
    e.causes[0].from = (struct beginning){.is_kept = true, .steps = 0};

    assert_says("WHY    In 1000 of 1000 random schedules with the values of its set-up and these 2 "
                "orders the test fails:\n");
    assert_is_silent_about("How the trial comes");
}

static void add_value(struct explanation_cause *c, uint32_t number, const char *value)
{
    struct explanation_item *item = &c->items[c->n_items++];

    *item = (struct explanation_item){.kind = ITEM_DRAW, .is_labelled = true};
    (void)snprintf(item->first, sizeof(item->first),
                   "the faults draw \"fault from step\" (number %u)", number);
    (void)snprintf(item->second, sizeof(item->second), "%s", value);
}

static void many_equal_values_are_one_line(void **state)
{
    (void)state;
    for (uint32_t i = 1; i <= 9; i++)
        add_value(&e.causes[0], i, i == 5 ? "7" : "0");

    assert_says("with these 2 orders and these 9 values the test fails");
    assert_says("        3  the faults draw \"fault from step\" = 0, 8 times\n"
                "        4  the faults draw \"fault from step\" (number 5) = 7\n"
                "LOST");
}

static void insufficient_orders_are_never_called_the_reason(void **state)
{
    (void)state;
    e.causes[0].is_enough = false;
    e.causes[0].verified = (struct answer){1000, 600, 0};
    e.causes[0].ladder[0] = (struct rung){9, {200, 30, 0}};
    e.causes[0].n_ladder = 1;

    assert_says("WHY    No set of at most 8 orders was found with which 99 in 100 trials fail; "
                "best,\n       these 2 orders: 600 of 1000 fail");
    assert_says("       9 orders: 30 of 200 fail\n");
    assert_says("TRIAL  step by step");
    assert_is_silent_about("the test fails");
}

static void orders_that_do_no_better_than_none_are_not_named(void **state)
{
    (void)state;
    e.base = (struct answer){1000, 590, 0};
    e.causes[0].is_enough = false;
    e.causes[0].verified = (struct answer){1000, 600, 0};

    assert_says("WHY    No set of at most 8 orders was found with which 99 in 100 trials fail.\n"
                "       See the trial instead.\n");
    assert_is_silent_about("hello");
}

static void reason_comes_before_the_trial(void **state)
{
    const char *why;

    (void)state;
    why = strstr(in_words(), "\nWHY");

    assert_non_null(why);
    assert_non_null(strstr(why, "\nLOST"));
    assert_non_null(strstr(why, "\nTRIAL"));
    assert_true(strstr(printed, "\nTRIAL") > why);
}

/* Of forty steps the fifth is named and the seventh is a fault. */
static void list_forty(void)
{
    e.steps = e.steps_all = 40;
    e.n_steps_list = 40;
    for (uint32_t i = 0; i < 40; i++) {
        e.steps_list[i] = (struct explanation_step){.step = i + 1};
        (void)snprintf(e.steps_list[i].words, sizeof(e.steps_list[i].words), "M handles E%u",
                       i + 1);
    }
    e.steps_list[4].is_named = e.steps_list[4].is_of_note = true;
    e.steps_list[4].is_sampled = true;
    e.steps_list[4].after = (struct answer){100, 81, 0};
    e.steps_list[6].is_of_note = true;
}

static void long_trial_is_shown_as_far_as_it_matters(void **state)
{
    (void)state;
    list_forty();

    assert_says("TRIAL  what is of note in it (--verbose: all); ");
    assert_says("                    (4 steps)\n"
                "        81      5 * M handles E5\n"
                "                    (1 step)\n"
                "                7   M handles E7\n"
                "                    (33 steps)\n");
    assert_is_silent_about("M handles E6");
}

static void long_trial_is_shown_whole_if_that_is_wanted(void **state)
{
    (void)state;
    list_forty();
    is_verbose = true;

    assert_says("TRIAL  step by step; ");
    assert_says("                6   M handles E6\n");
    assert_says("               40   M handles E40\n");
    assert_is_silent_about("steps)");
}

static void step_that_changes_something_says_what(void **state)
{
    (void)state;
    list_forty();
    (void)snprintf(e.steps_list[6].changes, sizeof(e.steps_list[6].changes), "M: Idle -> Busy");

    assert_says("                7   M handles E7\n"
                "                      M: Idle -> Busy\n"
                "                    (33 steps)\n");
}

static void unfinished_search_is_not_an_answer(void **state)
{
    (void)state;
    e.causes[0].is_enough = false;
    e.causes[0].verified = (struct answer){0};
    e.stage = STAGE_WHY;

    assert_says("WHY    Not known: the search was not finished. See where the trial was lost.\n");
    assert_says("The budget ended while the orders were looked for: the rest is missing.\n");
    assert_is_silent_about("hello");
}

static void set_of_nothing_tells_when_the_trial_was_lost(void **state)
{
    (void)state;
    e.causes[0].n_items = 0;
    e.causes[0].verified = (struct answer){1000, 998, 0};
    e.causes[0].from = (struct beginning){.is_kept = true, .steps = 107}; /* which is not listed */

    assert_says("WHY    No order is needed any more once the trial has come to step 107:\n"
                "       998 of 1000 random continuations fail. How it comes to that step is what "
                "counts: see LOST, and the trial.\n");
}

static void search_that_found_nothing_before_the_budget_ended_is_not_finished(void **state)
{
    (void)state;
    e.causes[0] = (struct explanation_cause){.n_items = 0};
    e.stage = STAGE_WHY;

    assert_says("WHY    Not known: the search was not finished. See where the trial was lost.\n");
    assert_is_silent_about("No set of at most");
}

static void trials_that_were_stuck_are_told(void **state)
{
    (void)state;
    e.causes[0].verified = (struct answer){1000, 992, 8};

    assert_says("8 of the 1000 could not satisfy the orders (stuck) and were counted as passing.");
}

static void uncovered_trials_are_other_ways_to_fail(void **state)
{
    (void)state;
    e.causes[0].covers = 21;
    e.covered = 21;

    assert_says("COVERS 21 of 60 failing trials found independently.\n"
                "       39 of 60 are not covered: the same happens to other messages, or there are "
                "other ways to fail.\n");
}

static void messages_with_other_numbers_are_told_beside_those_that_pass(void **state)
{
    (void)state;
    e.causes[0].covers = 0;
    e.covered = 0;
    e.has_alike = true;
    e.alike_failing = (struct explanation_share){58, 60};
    e.alike_passing = (struct explanation_share){3, 50};

    assert_says(
        "COVERS 0 of 60 failing trials found independently.\n"
        "       60 of 60 are not covered: the same happens to other messages, or there are "
        "other ways to fail.\n"
        "       Whichever messages of the same types they are of, the orders that are not "
        "set-up or help are\n"
        "       in 58 of 60 failing trials found independently and in 3 of 50 that pass.\n");
}

static void what_passing_trials_have_as_well_is_not_told(void **state)
{
    (void)state;
    e.has_covers = false;
    e.has_alike = true;
    e.alike_failing = (struct explanation_share){58, 60};
    e.alike_passing = (struct explanation_share){29, 60};

    assert_is_silent_about("COVERS");
}

static void what_was_not_counted_is_not_told(void **state)
{
    (void)state;
    e.has_covers = false;

    assert_is_silent_about("COVERS");
    assert_is_silent_about("covered");
}

static void several_causes_cover_so_many_each_and_together(void **state)
{
    (void)state;
    e.causes[2] = e.causes[1] = e.causes[0];
    e.causes[0].covers = 33;
    e.causes[1].covers = 12;
    e.causes[2].covers = 27;
    e.n_causes = 3;

    assert_says("COVERS 33, 12 and 27 of 60 failing trials found independently, together 60.\n");
}

static void covering_says_what_it_does_not_compare(void **state)
{
    (void)state;
    add_value(&e.causes[0], 1, "0");
    e.is_covered_modulo = true;
    e.n_unknown = 2;

    assert_says("COVERS 60 of 60 failing trials found independently, values and faults apart,\n"
                "       where machines of one type may change places.\n"
                "       2 more are too long to be compared.\n");
}

static void common_core_leaves_out_what_got_stuck_and_says_so(void **state)
{
    (void)state;
    e.n_core = 1;
    e.n_core_failing = 20;
    e.n_core_passing = 200;
    e.core[0] = (struct explanation_core){.first = "A",
                                          .second = "B",
                                          .order = {.in_failing = 20,
                                                    .in_passing = 12,
                                                    .forced = {1000, 754, 20},
                                                    .reversed = {1000, 0, 0}}};

    assert_says("CORE   A  before  B\n"
                "           in 20 of only 20 failing trials and 12 of 200 passing ones\n"
                "           forced, 754 of 980 fail (74.2 to 79.5 %; 20 more got stuck); reversed, "
                "0 of 1000 fail (at most 0.38 %)\n");
}

static void nearest_pass_that_was_not_found_is_told_of_what_was_tried(void **state)
{
    (void)state;
    e.near = NEAR_NONE;
    e.near_tried = 17;

    assert_says("NEAR   None of the 17 orders that were tried makes this trial pass when reversed "
                "alone.\n");
}

static void rates_come_with_intervals(void **state)
{
    (void)state;

    assert_says("RATES  random  106 of 2000 fail (4.4 to 6.4 %)\n"
                "       pct:3   0 of 2000 fail (at most 0.19 %)\n");
}

static void liveness_is_never_proved(void **state)
{
    (void)state;
    e.is_liveness = true;
    e.fair_steps = 500;
    e.near = NEAR_LIVENESS;

    assert_says("Liveness: not repaired within the last 500 steps; not proved to be for ever.\n");
    assert_says("Not compared with a passing trial: this failure is about what never happens.\n");
}

static void end_of_the_trials_that_are_asked_is_told(void **state)
{
    (void)state;
    e.is_liveness = true;
    e.fair_steps = 500;
    e.fair_from = 61;

    assert_says("       Trials that are asked are left to chance up to step 60, and are fair from "
                "there on.\n");
}

static void default_schedule_that_fails_is_told(void **state)
{
    (void)state;
    e.default_fails = true;

    assert_says("The default schedule already fails; there is no exception to show.\n");
}

static void json_has_the_same_figures(void **state)
{
    struct sn_text out;

    (void)state;
    text_init(&out, printed, sizeof(printed));
    explain_json(&out, &e);

    assert_false(out.cut);
    assert_non_null(strstr(printed, "\"verified\":{\"trials\":1000,\"failed\":1000,\"stuck\":0,"));
    assert_non_null(strstr(printed, "\"label\":\"decisive\""));
    assert_non_null(strstr(printed, "\"complete\":true}"));
}

static const char *in_json(void)
{
    struct sn_text out;

    text_init(&out, printed, sizeof(printed));
    explain_json(&out, &e);
    assert_false(out.cut);
    return printed;
}

static void json_tells_orders_that_are_said_together(void **state)
{
    (void)state;
    e.causes[0].items[1].is_grouped = true;

    assert_non_null(strstr(in_json(),
                           "\"second\":\"S1 handles down from P\","
                           "\"second_never_ran\":false,\"first_step\":0,\"second_step\":0,"
                           "\"group\":0,"));
    assert_non_null(strstr(printed, "\"second\":\"S1 handles req from C\","
                                    "\"second_never_ran\":false,\"first_step\":0,\"second_step\":0,"
                                    "\"group\":1,"));
}

static void json_tells_from_where_a_set_is_enough(void **state)
{
    (void)state;

    assert_non_null(strstr(in_json(), "\"from\":null,\"base\":null,\"covers\":60,"));
    e.causes[0].from = (struct beginning){.is_kept = true, .steps = 3};
    assert_non_null(strstr(in_json(), "\"from\":3,"));
}

static void json_has_no_number_where_nobody_has_counted(void **state)
{
    (void)state;
    e.has_covers = false;

    assert_non_null(strstr(in_json(), "\"covers\":null"));
    assert_non_null(strstr(printed, "\"pool\":60,\"covered\":null"));
}

static void json_names_the_label_of_enabling_orders(void **state)
{
    (void)state;
    e.causes[0].items[0].labelled.label = LABEL_ENABLING;

    assert_non_null(strstr(in_json(), "\"label\":\"enabling\""));
}

static void smaller_trial_that_is_explained_instead_is_told(void **state)
{
    (void)state;
    e.instead_by = "pct:3";

    assert_says(
        "instead of it, a smaller one is explained that pct:3 has found and that fails in the "
        "same way\n");
    assert_non_null(strstr(in_json(), "\"instead_by\":\"pct:3\","));
}

static void faults_that_orders_are_about_can_strike_from_the_start(void **state)
{
    (void)state;
    assert_is_silent_about("Faults can strike");
    (void)snprintf(e.causes[0].also, sizeof(e.causes[0].also), "draw x = 0");

    assert_says("Faults can strike from the start in these trials: the orders say when.\n");
    assert_non_null(strstr(in_json(), "\"also\":\"draw x = 0\","));
}

static void search_that_was_given_up_is_told(void **state)
{
    (void)state;
    e.causes[0].is_enough = false;
    assert_says("See the trial instead.\n");
    e.causes[0].is_given_up = true;

    assert_says("The search was not finished: more time (-t) may find one. See the trial.\n");
    assert_non_null(strstr(in_json(), "\"given_up\":true"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(failure_comes_with_how_it_was_found_and_shrunk, set_up),
        cmocka_unit_test_setup(point_of_no_return_is_a_sampled_statement, set_up),
        cmocka_unit_test_setup(no_point_of_no_return_is_said, set_up),
        cmocka_unit_test_setup(smaller_trial_that_is_explained_instead_is_told, set_up),
        cmocka_unit_test_setup(faults_that_orders_are_about_can_strike_from_the_start, set_up),
        cmocka_unit_test_setup(search_that_was_given_up_is_told, set_up),
        cmocka_unit_test_setup(last_step_that_decides_is_called_so, set_up),
        cmocka_unit_test_setup(trial_that_its_values_have_lost_is_lost_from_the_start, set_up),
        cmocka_unit_test_setup(orders_come_with_labels_and_rates, set_up),
        cmocka_unit_test_setup(operation_that_never_ran_could_have, set_up),
        cmocka_unit_test_setup(orders_with_the_same_first_are_said_together, set_up),
        cmocka_unit_test_setup(value_is_said_as_one, set_up),
        cmocka_unit_test_setup(order_that_is_merely_needed_has_figures_and_no_label, set_up),
        cmocka_unit_test_setup(order_that_lets_others_come_about_is_named_last_without_figures,
                               set_up),
        cmocka_unit_test_setup(set_that_is_enough_only_after_a_step_says_so, set_up),
        cmocka_unit_test_setup(set_that_is_enough_with_the_values_of_the_set_up_says_so, set_up),
        cmocka_unit_test_setup(many_equal_values_are_one_line, set_up),
        cmocka_unit_test_setup(insufficient_orders_are_never_called_the_reason, set_up),
        cmocka_unit_test_setup(orders_that_do_no_better_than_none_are_not_named, set_up),
        cmocka_unit_test_setup(reason_comes_before_the_trial, set_up),
        cmocka_unit_test_setup(long_trial_is_shown_as_far_as_it_matters, set_up),
        cmocka_unit_test_setup(long_trial_is_shown_whole_if_that_is_wanted, set_up),
        cmocka_unit_test_setup(step_that_changes_something_says_what, set_up),
        cmocka_unit_test_setup(end_of_the_trials_that_are_asked_is_told, set_up),
        cmocka_unit_test_setup(unfinished_search_is_not_an_answer, set_up),
        cmocka_unit_test_setup(set_of_nothing_tells_when_the_trial_was_lost, set_up),
        cmocka_unit_test_setup(search_that_found_nothing_before_the_budget_ended_is_not_finished,
                               set_up),
        cmocka_unit_test_setup(trials_that_were_stuck_are_told, set_up),
        cmocka_unit_test_setup(uncovered_trials_are_other_ways_to_fail, set_up),
        cmocka_unit_test_setup(messages_with_other_numbers_are_told_beside_those_that_pass, set_up),
        cmocka_unit_test_setup(what_passing_trials_have_as_well_is_not_told, set_up),
        cmocka_unit_test_setup(what_was_not_counted_is_not_told, set_up),
        cmocka_unit_test_setup(several_causes_cover_so_many_each_and_together, set_up),
        cmocka_unit_test_setup(covering_says_what_it_does_not_compare, set_up),
        cmocka_unit_test_setup(common_core_leaves_out_what_got_stuck_and_says_so, set_up),
        cmocka_unit_test_setup(nearest_pass_that_was_not_found_is_told_of_what_was_tried, set_up),
        cmocka_unit_test_setup(rates_come_with_intervals, set_up),
        cmocka_unit_test_setup(liveness_is_never_proved, set_up),
        cmocka_unit_test_setup(default_schedule_that_fails_is_told, set_up),
        cmocka_unit_test_setup(json_has_the_same_figures, set_up),
        cmocka_unit_test_setup(json_tells_orders_that_are_said_together, set_up),
        cmocka_unit_test_setup(json_tells_from_where_a_set_is_enough, set_up),
        cmocka_unit_test_setup(json_has_no_number_where_nobody_has_counted, set_up),
        cmocka_unit_test_setup(json_names_the_label_of_enabling_orders, set_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
