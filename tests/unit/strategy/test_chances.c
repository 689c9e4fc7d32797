/* test_chances.c - how likely each strategy makes the outcome of races where that is known exactly.
 *
 * A race is run some ten thousand times. The test fails if so many hits, or so few, would come from
 * a strategy with the right chance less than once in a million such tests. The trials are the same
 * each time, so a test that passes once always does. That the check can tell right from wrong is
 * shown with strategies that are wrong on purpose. SPDX-License-Identifier: MIT
 */
#include "reference.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "chances.h"

/* pct with the number of steps that there are. */
static const char *pct(int depth, const struct race *race)
{
    static char text[2][32];
    static int i;

    i = !i;
    (void)snprintf(text[i], sizeof(text[i]), "pct:%d:%d", depth, race->forest.n);
    return text[i];
}

/* The same for one of the plain strategies. */
static const char *plain(const char *name, int depth, const struct race *race)
{
    static char text[64];

    (void)snprintf(text, sizeof(text), "%s:%d:%d:%d", name, depth, race->forest.n,
                   race->forest.n_actors);
    return text;
}

/* ---- One order of an inbox ------------------------------------------------------------------- */

static void every_order_of_an_inbox_is_equally_likely(void **unused)
{
    struct race race;

    (void)unused;
    race_inbox(&race, 2);
    assert_chance(&race, "random", 1.0 / 2);
    assert_chance(&race, "pos", 1.0 / 2);
    assert_chance(&race, "posr", 1.0 / 2);
    assert_chance(&race, "pct:1", 1.0 / 2);
    race_inbox(&race, 4);
    assert_chance(&race, "random", 1.0 / 24);
    assert_chance(&race, "pos", 1.0 / 24);
    assert_chance(&race, "posr", 1.0 / 24);
    assert_chance(&race, "pct:1", 1.0 / 24);
    race_inbox(&race, 5);
    assert_chance(&race, "random", 1.0 / 120);
    assert_chance(&race, "pos", 1.0 / 120);
    assert_chance(&race, "posr", 1.0 / 120);
    assert_chance(&race, "pct:1", 1.0 / 120);
}

static void marked_messages_among_others_are_in_every_order_equally_often(void **unused)
{
    struct race race;

    (void)unused;
    race_order_of(&race, 3, 2);
    assert_chance(&race, "random", 1.0 / 2);
    assert_chance(&race, "pos", 1.0 / 2);
    race_order_of(&race, 4, 3);
    assert_chance(&race, "random", 1.0 / 6);
    assert_chance(&race, "pos", 1.0 / 6);
    race_order_of(&race, 5, 3);
    assert_chance(&race, "random", 1.0 / 6);
    assert_chance(&race, "pos", 1.0 / 6);
    assert_chance(&race, "posr", 1.0 / 6);
}

/* ---- A chain against a single message -------------------------------------------------------- */

static void random_lets_a_chain_win_with_half_the_chance_per_link(void **unused)
{
    struct race race;

    (void)unused;
    race_chain(&race, 1, 0);
    assert_chance(&race, "random", 1.0 / 4);
    race_chain(&race, 2, 0);
    assert_chance(&race, "random", 1.0 / 8);
    race_chain(&race, 3, 0);
    assert_chance(&race, "random", 1.0 / 16);
}

static void sampling_by_rank_lets_a_chain_win_once_in_its_length(void **unused)
{
    struct race race;

    (void)unused;
    race_chain(&race, 1, 0);
    assert_chance(&race, "pos", 1.0 / 3);
    assert_chance(&race, "posr", 1.0 / 3);
    race_chain(&race, 2, 0);
    assert_chance(&race, "pos", 1.0 / 4);
    race_chain(&race, 3, 0);
    assert_chance(&race, "pos", 1.0 / 5);
    assert_chance(&race, "posr", 1.0 / 5);
    race_chain(&race, 10, 0);
    assert_chance(&race, "pos", 1.0 / 12);
}

static void pct_lets_a_chain_of_any_length_win_half_the_time(void **unused)
{
    struct race race;

    (void)unused;
    race_chain(&race, 1, 0);
    assert_chance(&race, "pct:1", 1.0 / 2);
    race_chain(&race, 3, 0);
    assert_chance(&race, "pct:1", 1.0 / 2);
    race_chain(&race, 10, 0);
    assert_chance(&race, "pct:1", 1.0 / 2);
}

static void messages_that_touch_nothing_change_no_chance(void **unused)
{
    struct race race;

    (void)unused;
    race_chain(&race, 2, 2);
    assert_chance(&race, "random", 1.0 / 8);
    assert_chance(&race, "pos", 1.0 / 4);
    assert_chance(&race, "posr", 1.0 / 4);
    assert_chance(&race, "pct:1", 1.0 / 2);
    race_chain(&race, 3, 8);
    assert_chance(&race, "random", 1.0 / 16);
    assert_chance(&race, "pos", 1.0 / 5);
    assert_chance(&race, "posr", 1.0 / 5);
    assert_chance(&race, "pct:1", 1.0 / 2);
}

static void the_ends_of_two_chains_race_as_their_lengths_say(void **unused)
{
    struct race race;

    (void)unused;
    race_ends(&race, 2, 1); /* random: C(2,0)/8 + C(3,1)/16 */
    assert_chance(&race, "random", 5.0 / 16);
    assert_chance(&race, "pos", 2.0 / 5);
    assert_chance(&race, "pct:1", 1.0 / 2);
    race_ends(&race, 3, 2); /* random: C(3,0)/16 + C(4,1)/32 + C(5,2)/64 */
    assert_chance(&race, "random", 11.0 / 32);
    assert_chance(&race, "pos", 3.0 / 7);
    assert_chance(&race, "pct:1", 1.0 / 2);
    race_ends(&race, 0, 2); /* random: 1/2 + 1/4 + 1/8 */
    assert_chance(&race, "random", 7.0 / 8);
    assert_chance(&race, "pos", 3.0 / 4);
    assert_chance(&race, "pct:1", 1.0 / 2);
}

static void a_chain_before_two_messages_is_as_likely_as_known(void **unused)
{
    struct race race;

    (void)unused;
    race_crowd(&race, 1);
    assert_chance(&race, "random", 1.0 / 9);
    assert_chance(&race, "pos", 1.0 / 6);
    assert_chance(&race, "pct:1", 1.0 / 3);
    race_crowd(&race, 2);
    assert_chance(&race, "random", 1.0 / 27);
    assert_chance(&race, "pos", 1.0 / 10);
    assert_chance(&race, "pct:1", 1.0 / 3);
    race_crowd(&race, 3);
    assert_chance(&race, "random", 1.0 / 81);
    assert_chance(&race, "pos", 1.0 / 15);
    assert_chance(&race, "pct:1", 1.0 / 3);
}

/* ---- Races that need more than one change ---------------------------------------------------- */

static void a_message_falls_between_two_others_as_often_as_known(void **unused)
{
    struct race race;

    (void)unused;
    race_between(&race, 0, 0);
    assert_chance(&race, "random", 1.0 / 4);
    assert_chance(&race, "pos", 1.0 / 6);
    assert_chance(&race, "pct:1", 0.0);
    assert_chance(&race, pct(2, &race), 1.0 / 6);
    race_between(&race, 1, 1);
    assert_chance(&race, "random", 3.0 / 16);
    assert_chance(&race, "pos", 2.0 / 15);
    assert_chance(&race, "pct:1", 0.0);
    assert_chance(&race, pct(2, &race), 1.0 / 5);
    race_between(&race, 2, 1);
    assert_chance(&race, "random", 3.0 / 32);
    assert_chance(&race, "pos", 1.0 / 12);
    assert_chance(&race, pct(2, &race), 1.0 / 6);
    race_between(&race, 1, 2);
    assert_chance(&race, "random", 7.0 / 32);
    assert_chance(&race, "pos", 1.0 / 6);
    assert_chance(&race, pct(2, &race), 1.0 / 4);
}

static void two_chains_alternate_as_often_as_known(void **unused)
{
    struct race race;

    (void)unused;
    race_alternation(&race, 1);
    assert_chance(&race, "random", 1.0 / 2);
    assert_chance(&race, "pos", 1.0 / 2);
    assert_chance(&race, "pct:1", 1.0 / 2);
    race_alternation(&race, 2);
    assert_chance(&race, "random", 1.0 / 8);
    assert_chance(&race, "pos", 1.0 / 24);
    assert_chance(&race, "pct:1", 0.0);
    assert_chance(&race, pct(2, &race), 0.0);
    assert_chance(&race, pct(3, &race), 1.0 / 32);
    race_alternation(&race, 3);
    assert_chance(&race, "random", 1.0 / 32);
    assert_chance(&race, "pos", 1.0 / 720);
    assert_chance(&race, pct(4, &race), 0.0);
}

/* Where all messages are for one task every step is a conflict, and ranks are drawn anew. */
static void posr_among_conflicts_only_is_the_random_walk(void **unused)
{
    struct race race;

    (void)unused;
    race_alternation(&race, 2);
    assert_chance(&race, "posr", 1.0 / 8);
    race_alternation(&race, 3);
    assert_chance(&race, "posr", 1.0 / 32);
    race_lost_update(&race);
    assert_chance(&race, "posr", 1.0 / 2);
}

static void an_update_is_lost_as_often_as_known(void **unused)
{
    struct race race;

    (void)unused;
    race_lost_update(&race);
    assert_chance(&race, "random", 1.0 / 2);
    assert_chance(&race, "pos", 1.0 / 3);
    assert_chance(&race, "pct:1", 0.0);
    assert_chance(&race, pct(2, &race), 1.0 / 4);
}

/* ---- What is only bounded -------------------------------------------------------------------- */

/* A forest that branches:
 *
 *     0 -> 1 -> 3        4
 *      \-> 2
 *
 * Three leaves, so three chains: 0 1 3, 2 and 4. All to one actor, so that every order differs. */
static void make_branches(struct forest *forest)
{
    int actor;

    *forest = (struct forest){.n = 0};
    actor = forest_actor(forest);
    (void)forest_message(forest, FOREST_NOBODY, actor);
    (void)forest_message(forest, 0, actor);
    (void)forest_message(forest, 0, actor);
    (void)forest_message(forest, 1, actor);
    (void)forest_message(forest, FOREST_NOBODY, actor);
}

static bool is_caused_by(const struct forest *forest, int message, int by)
{
    while (message != FOREST_NOBODY && message != by)
        message = forest->messages[message].creator;
    return message == by;
}

/* Every order of two (three) messages that causes allow: at least 1 / (w N^(d-1)) each. */
static void pct_2_meets_its_bound_for_every_pair(void **unused)
{
    struct race races[FOREST_RACES_MAX];
    uint64_t hits[FOREST_RACES_MAX];
    struct forest forest;
    uint64_t n = trials_for(1.0 / 15);
    int n_races = 0;

    (void)unused;
    make_branches(&forest);
    for (int a = 0; a < forest.n; a++)
        for (int b = 0; b < forest.n; b++) {
            if (is_caused_by(&forest, a, b))
                continue;
            races[n_races] = (struct race){.forest = forest};
            race_order(&races[n_races++], a, b);
        }
    assert_int_equal(n_races, 16);

    race_hits_each(races, n_races, "pct:2:5", n, hits);

    for (int i = 0; i < n_races; i++)
        assert_false(chance_is_below(hits[i], n, 1.0 / 15));
}

static void pct_3_meets_its_bound_for_every_triple(void **unused)
{
    struct race races[FOREST_RACES_MAX];
    uint64_t hits[FOREST_RACES_MAX];
    struct forest forest;
    uint64_t n = trials_for(1.0 / 75);
    int n_races = 0;

    (void)unused;
    make_branches(&forest);
    for (int a = 0; a < forest.n; a++)
        for (int b = 0; b < forest.n; b++)
            for (int c = 0; c < forest.n; c++) {
                if (is_caused_by(&forest, a, b) || is_caused_by(&forest, a, c) ||
                    is_caused_by(&forest, b, c))
                    continue;
                races[n_races] = (struct race){.forest = forest};
                race_order(&races[n_races], a, b);
                race_order(&races[n_races++], b, c);
            }
    assert_int_equal(n_races, 32);

    race_hits_each(races, n_races, "pct:3:5", n, hits);

    for (int i = 0; i < n_races; i++)
        assert_false(chance_is_below(hits[i], n, 1.0 / 75));
}

/* Trial 0 shows how many; the rest have their changes among them. */
static void pct_learns_how_many_steps_there_are(void **unused)
{
    struct race race;

    (void)unused;
    race_between(&race, 1, 1);
    assert_chance(&race, "pct:2", 1.0 / 5);
}

static void sr_delivers_to_each_task_in_the_order_announced(void **unused)
{
    struct race race;

    (void)unused;
    race_inbox(&race, 4);
    assert_chance(&race, "sr", 0.0); /* the race is for the opposite order */
    race_crowd(&race, 1);
    assert_chance(&race, "sr", 0.0);
    race_chain(&race, 1, 0); /* B was there before A */
    assert_chance(&race, "sr", 0.0);
}

static void sr_keeps_the_order_in_which_one_step_announces(void **unused)
{
    struct race race = {.n_pairs = 0};
    int root = forest_private_chain(&race.forest, FOREST_NOBODY, 2);
    int actor = forest_actor(&race.forest);

    (void)unused;
    for (int i = 0; i < 4; i++)
        (void)forest_message(&race.forest, root, actor);
    for (int i = 1; i < 4; i++)
        race_order(&race, root + i, root + i + 1);

    assert_int_equal(race_hits(&race, "sr", 100), 100);
}

/* However many there are for each of them. */
static void sr_picks_every_task_equally_often(void **unused)
{
    struct race race = {.n_pairs = 0};
    int crowded = forest_actor(&race.forest);

    (void)unused;
    for (int i = 0; i < 3; i++)
        (void)forest_message(&race.forest, FOREST_NOBODY, crowded);
    race_order(&race, forest_private_chain(&race.forest, FOREST_NOBODY, 1), 0);

    assert_chance(&race, "sr", 1.0 / 2);
}

/* sr delivers in the order sent, always; random finds new orders for long. They begin with half of
 * the trials each; then sr gets its least share, an eighth, and little more. */
static void a_portfolio_prefers_the_arm_that_finds_more(void **unused)
{
    struct race race;
    uint64_t hits;

    (void)unused;
    race_inbox(&race, 6);
    race.n_pairs = 0;
    for (int i = 1; i < 6; i++)
        race_order(&race, i - 1, i);

    hits = race_hits(&race, "portfolio:random/sr", 256 * 4);

    assert_true(hits >= 128 + 3 * 32);
    assert_true(hits < 128 + 3 * 40);
}

/* When all 720 orders have been seen and eight more epochs have passed, both get half again. */
static void a_portfolio_forgets_what_was_found_long_ago(void **unused)
{
    struct race race;
    uint64_t hits;

    (void)unused;
    race_inbox(&race, 6);
    race.n_pairs = 0;
    for (int i = 1; i < 6; i++)
        race_order(&race, i - 1, i);

    hits = race_hits(&race, "portfolio:random/sr", 256 * 60);

    assert_true(hits > 30 * 128 + 30 * 32);
    assert_true(hits < 60 * 128);
}

/* ---- Wrong ones ------------------------------------------------------------------------------ */

static void plain_strategies_pass_the_checks(void **unused)
{
    struct race race;

    (void)unused;
    race_chain(&race, 3, 0);
    assert_chance(&race, "plain_pos", 1.0 / 5);
    race_inbox(&race, 4);
    assert_chance(&race, "plain_pos", 1.0 / 24);
    race_between(&race, 1, 1);
    assert_chance(&race, plain("plain_pct", 2, &race), 1.0 / 5);
    race_alternation(&race, 2);
    assert_chance(&race, plain("plain_pct", 3, &race), 1.0 / 32);
}

static void ranks_redrawn_at_each_step_are_noticed(void **unused)
{
    struct race race;

    (void)unused;
    race_chain(&race, 3, 0);

    assert_true(is_wrong(&race, "pos_redrawn", 1.0 / 5));
    assert_chance(&race, "pos_redrawn", 1.0 / 16);
}

static void biased_ranks_are_noticed(void **unused)
{
    struct race race;

    (void)unused;
    race_inbox(&race, 4);

    assert_true(is_wrong(&race, "pos_biased", 1.0 / 24));
}

static void change_points_beyond_the_end_are_noticed(void **unused)
{
    struct race race;

    (void)unused;
    race_between(&race, 1, 1);

    assert_true(is_wrong(&race, "pct:2:10", 1.0 / 5));
    assert_chance(&race, "pct:2:10", 1.0 / 10);
}

static void demoted_chains_that_come_first_are_noticed(void **unused)
{
    struct race race;

    (void)unused;
    race_between(&race, 1, 1);

    assert_true(is_wrong(&race, plain("pct_raised", 2, &race), 1.0 / 5));
}

static void a_second_child_that_continues_a_chain_is_noticed(void **unused)
{
    struct race race = {.n_pairs = 0};
    int actor = forest_actor(&race.forest);
    int root = forest_message(&race.forest, FOREST_NOBODY, actor);
    int first = forest_message(&race.forest, root, actor);

    (void)unused;
    race_order(&race, first, forest_message(&race.forest, root, actor));

    assert_chance(&race, "pct:1", 1.0 / 2);
    assert_true(is_wrong(&race, plain("pct_joined", 1, &race), 1.0 / 2));
}

static void a_walk_that_picks_a_task_first_is_noticed(void **unused)
{
    struct race race;

    (void)unused;
    race_crowd(&race, 1);

    assert_true(is_wrong(&race, "task_first", 1.0 / 9));
    assert_chance(&race, "task_first", 1.0 / 6);
    assert_true(is_wrong(&race, "sr", 1.0 / 9));
}

static void chances_are_computed_right(void **unused)
{
    (void)unused;

    /* The largest number of hits that is too few, for one in a million. */
    assert_true(chance_is_below(79, 234, 1.0 / 2));
    assert_false(chance_is_below(82, 234, 1.0 / 2));
    assert_false(chance_is_wrong(117, 234, 1.0 / 2));
    assert_true(chance_is_wrong(160, 234, 1.0 / 2));
    assert_true(chance_is_wrong(1, 234, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chances_are_computed_right),
        cmocka_unit_test(every_order_of_an_inbox_is_equally_likely),
        cmocka_unit_test(marked_messages_among_others_are_in_every_order_equally_often),
        cmocka_unit_test(random_lets_a_chain_win_with_half_the_chance_per_link),
        cmocka_unit_test(sampling_by_rank_lets_a_chain_win_once_in_its_length),
        cmocka_unit_test(pct_lets_a_chain_of_any_length_win_half_the_time),
        cmocka_unit_test(messages_that_touch_nothing_change_no_chance),
        cmocka_unit_test(the_ends_of_two_chains_race_as_their_lengths_say),
        cmocka_unit_test(a_chain_before_two_messages_is_as_likely_as_known),
        cmocka_unit_test(a_message_falls_between_two_others_as_often_as_known),
        cmocka_unit_test(two_chains_alternate_as_often_as_known),
        cmocka_unit_test(posr_among_conflicts_only_is_the_random_walk),
        cmocka_unit_test(an_update_is_lost_as_often_as_known),
        cmocka_unit_test(pct_2_meets_its_bound_for_every_pair),
        cmocka_unit_test(pct_3_meets_its_bound_for_every_triple),
        cmocka_unit_test(pct_learns_how_many_steps_there_are),
        cmocka_unit_test(sr_delivers_to_each_task_in_the_order_announced),
        cmocka_unit_test(sr_keeps_the_order_in_which_one_step_announces),
        cmocka_unit_test(sr_picks_every_task_equally_often),
        cmocka_unit_test(a_portfolio_prefers_the_arm_that_finds_more),
        cmocka_unit_test(a_portfolio_forgets_what_was_found_long_ago),
        cmocka_unit_test(plain_strategies_pass_the_checks),
        cmocka_unit_test(ranks_redrawn_at_each_step_are_noticed),
        cmocka_unit_test(biased_ranks_are_noticed),
        cmocka_unit_test(change_points_beyond_the_end_are_noticed),
        cmocka_unit_test(demoted_chains_that_come_first_are_noticed),
        cmocka_unit_test(a_second_child_that_continues_a_chain_is_noticed),
        cmocka_unit_test(a_walk_that_picks_a_task_first_is_noticed),
    };

    forest_register();
    reference_register();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
