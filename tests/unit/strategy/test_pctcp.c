/* test_pctcp.c - pctcp makes the outcomes of races as likely as is known, also where links keep an
 * order, and tells of trials that were longer than it knew.
 *
 * As in test_chances.c. Wrong copies of pctcp.c show that the checks can fail; test_chains.c has
 * what holds for all small programs. SPDX-License-Identifier: MIT
 */
#include "engine/explore.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "chances.h"

extern const struct strategy_entry pctcp_raised; /* what a change puts last comes first instead */
extern const struct strategy_entry pctcp_far;    /* change points up to twice the length */

/* A strategy with the number of steps that there are. */
static const char *with_steps(const char *name, int depth, const struct race *race)
{
    static char text[64];

    (void)snprintf(text, sizeof(text), "%s:%d:%d", name, depth, race->forest.n);
    return text;
}

static void chains_of_any_length_win_half_the_time(void **unused)
{
    struct race race;

    (void)unused;
    race_chain(&race, 3, 0);
    assert_chance(&race, "pctcp:1", 1.0 / 2);
    race_chain(&race, 3, 8);
    assert_chance(&race, "pctcp:1", 1.0 / 2);
    race_ends(&race, 3, 2);
    assert_chance(&race, "pctcp:1", 1.0 / 2);
    race_crowd(&race, 2);
    assert_chance(&race, "pctcp:1", 1.0 / 3);
    race_inbox(&race, 4);
    assert_chance(&race, "pctcp:1", 1.0 / 24);
}

static void a_change_puts_a_message_between_two_as_often_as_known(void **unused)
{
    struct race race;

    (void)unused;
    race_between(&race, 1, 1);
    assert_chance(&race, "pctcp:1", 0.0);
    assert_chance(&race, with_steps("pctcp", 2, &race), 1.0 / 5);
    race_between(&race, 1, 2);
    assert_chance(&race, with_steps("pctcp", 2, &race), 1.0 / 4);
    race_alternation(&race, 2);
    assert_chance(&race, with_steps("pctcp", 2, &race), 0.0);
    assert_chance(&race, with_steps("pctcp", 3, &race), 1.0 / 32);
    race_lost_update(&race);
    assert_chance(&race, with_steps("pctcp", 2, &race), 1.0 / 4);
}

static void the_number_of_steps_is_learned(void **unused)
{
    struct race race;

    (void)unused;
    race_between(&race, 1, 1);
    assert_chance(&race, "pctcp:2", 1.0 / 5);
}

/* To pct each message of the queue is a chain, and all of them have to rank above the other. */
static void a_queue_of_any_length_wins_half_the_time_and_not_with_pct(void **unused)
{
    struct race race;

    (void)unused;
    race_queue(&race, 4);
    assert_chance(&race, "pctcp:1", 1.0 / 2);
    assert_chance(&race, "pct:1", 1.0 / 5);
    race_queue(&race, 8);
    assert_chance(&race, "pctcp:1", 1.0 / 2);
}

static void demoted_chains_that_come_first_are_noticed(void **unused)
{
    struct race race;

    (void)unused;
    race_between(&race, 1, 1);
    assert_true(is_wrong(&race, with_steps("pctcp_raised", 2, &race), 1.0 / 5));
}

static void change_points_beyond_the_end_are_noticed(void **unused)
{
    struct race race;

    (void)unused;
    race_between(&race, 1, 1);
    assert_true(is_wrong(&race, with_steps("pctcp_far", 2, &race), 1.0 / 5));
    assert_chance(&race, with_steps("pctcp_far", 2, &race), 1.0 / 10);
}

/* ---- Longer than expected -------------------------------------------------------------------- */

static void run_chain(const char *strategy, struct sn_result *result)
{
    struct sn_options options = {.iterations = 100, .seed = 1, .strategy = strategy};
    struct race race;

    race_chain(&race, 3, 0); /* 4 actors and 5 messages */
    assert_int_equal(forest_run(&race.forest, &options, result), 0);
}

static void trials_that_are_longer_than_expected_are_told_of(void **unused)
{
    struct sn_result result;

    (void)unused;
    run_chain("pctcp:2:8", &result);
    assert_non_null(strstr(result.note, "100 of 100 trials were longer than expected"));
}

static void trials_that_are_as_long_as_expected_are_not_told_of(void **unused)
{
    struct sn_result result;

    (void)unused;
    run_chain("pctcp:2:9", &result);
    assert_string_equal(result.note, "");
    run_chain("pctcp:2", &result);
    assert_string_equal(result.note, "");
    run_chain("pctcp:1:8", &result); /* which changes nothing */
    assert_string_equal(result.note, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chains_of_any_length_win_half_the_time),
        cmocka_unit_test(a_change_puts_a_message_between_two_as_often_as_known),
        cmocka_unit_test(the_number_of_steps_is_learned),
        cmocka_unit_test(a_queue_of_any_length_wins_half_the_time_and_not_with_pct),
        cmocka_unit_test(demoted_chains_that_come_first_are_noticed),
        cmocka_unit_test(change_points_beyond_the_end_are_noticed),
        cmocka_unit_test(trials_that_are_longer_than_expected_are_told_of),
        cmocka_unit_test(trials_that_are_as_long_as_expected_are_not_told_of),
    };

    forest_register();
    if (sn_strategy_register(pctcp_raised.strategy) < 0 ||
        sn_strategy_register(pctcp_far.strategy) < 0)
        return 99;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
