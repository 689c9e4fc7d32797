/* test_ca.c - what conflict analysis does to chances, exactly, and what it tells of a run.
 * SPDX-License-Identifier: MIT
 */
#include "chances.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* With a thousand messages on the way a trial takes long: fewer of them must do. */
enum { FEW_TRIALS = 1000, LONG_CHAIN = 1050 };

static bool is_wrong_in_few(const struct race *race, const char *strategy, double p)
{
    uint64_t hits = race_hits(race, strategy, FEW_TRIALS);

    if (chance_is_wrong(hits, FEW_TRIALS, p))
        print_error("%s: %llu hits of %d where %.5f is right\n", strategy, (unsigned long long)hits,
                    FEW_TRIALS, p);
    return chance_is_wrong(hits, FEW_TRIALS, p);
}

/* ---- A mutant ------------------------------------------------------------------------------- */

/* pos that draws all ranks anew at each step. */
struct forgetful {
    uint64_t random;
};

static bool forgetful_begin(void *self, uint64_t trial, uint64_t *keep)
{
    struct forgetful *f = self;

    (void)keep;
    f->random = (trial + 1) * UINT64_C(0x9e3779b97f4a7c15);
    return true;
}

static uint32_t forgetful_pick(void *self, const struct sn_pending *pending)
{
    struct forgetful *f = self;
    uint64_t best = UINT64_MAX;
    uint32_t picked = 0;

    for (uint32_t i = 0; i < sn_pending_count(pending); i++) {
        uint64_t rank;

        f->random = f->random * UINT64_C(6364136223846793005) + 1442695040888963407;
        rank = (f->random ^ f->random >> 33) * UINT64_C(0xff51afd7ed558ccd) >> 8;
        if (rank < best) {
            best = rank;
            picked = i;
        }
    }
    return picked;
}

static const struct sn_strategy forgetful = {.name = "forgetful",
                                             .state_size = sizeof(struct forgetful),
                                             .begin = forgetful_begin,
                                             .pick = forgetful_pick};

/* ---- pos under noise ------------------------------------------------------------------------ */

static void pos_lets_a_chain_of_k_win_once_in_k_plus_2_whatever_the_noise(void **unused)
{
    struct race race;

    (void)unused;
    for (int k = 0; k <= 3; k += 3) {
        race_chain(&race, k, 0);
        assert_chance(&race, "pos", 1.0 / (k + 2));
        race_chain(&race, k, 100);
        assert_false(is_wrong_in_few(&race, "pos", 1.0 / (k + 2)));
    }
    race_chain(&race, 3, 1000);
    assert_false(is_wrong_in_few(&race, "pos", 1.0 / 5));
}

static void ranks_that_are_drawn_at_each_step_are_noticed(void **unused)
{
    struct race race;

    (void)unused;
    race_chain(&race, 3, 100);
    assert_true(chance_is_wrong(race_hits(&race, "forgetful", FEW_TRIALS), FEW_TRIALS, 1.0 / 5));
}

/* ---- With conflict analysis ----------------------------------------------------------------- */

static void what_races_is_decided_by_pos_as_without_the_noise(void **unused)
{
    struct race race;

    (void)unused;
    for (int m = 0; m <= 40; m += 40) {
        race_racy_chain(&race, 3, m);
        assert_chance(&race, "pos", 1.0 / 5);
        assert_chance(&race, "pos+ca", 1.0 / 5);
    }
    race_racy_chain(&race, 3, 1000);
    assert_false(is_wrong_in_few(&race, "pos+ca", 1.0 / 5));
}

/* Each has a signature that races. */
static void where_nothing_is_quiet_trials_are_those_of_the_strategy_alone(void **unused)
{
    static const char *const names[] = {"random", "pos", "posr"};
    struct race race;

    (void)unused;
    race_racy_chain(&race, 3, 0);
    for (int i = 0; i < 3; i++) {
        char with_ca[16];

        (void)snprintf(with_ca, sizeof(with_ca), "%s+ca", names[i]);
        assert_int_equal(race_hits(&race, with_ca, 5000), race_hits(&race, names[i], 5000));
    }
}

/* One trial in 32 is as without conflict analysis. */
static double mixed(double chance, double alone)
{
    return (31 * chance + alone) / 32;
}

/* What comes before A in its chain races with nobody, so A has as good a chance as B. */
static void a_chain_of_quiet_messages_is_no_hindrance(void **unused)
{
    struct race race;

    (void)unused;
    for (int m = 0; m <= 40; m += 40) {
        race_chain(&race, 5, m);
        assert_chance(&race, "random", 1.0 / 64);
        assert_chance(&race, "random+ca", mixed(1.0 / 2, 1.0 / 64));
        assert_chance(&race, "pos", 1.0 / 7);
        assert_chance(&race, "pos+ca", mixed(1.0 / 2, 1.0 / 7));
        assert_chance(&race, "posr", 1.0 / 7);
        assert_chance(&race, "posr+ca", mixed(1.0 / 2, 1.0 / 7));
    }
}

static void a_walk_among_what_races_is_as_without_the_noise(void **unused)
{
    struct race race;

    (void)unused;
    race_racy_chain(&race, 2, 0);
    assert_chance(&race, "random+ca", 1.0 / 8);
    race_racy_chain(&race, 2, 40);
    assert_chance(&race, "random+ca", 1.0 / 8);
}

/* The noise and the chain are messages of one kind: who gets them is all that tells them from A and
 * B. */
static void without_who_performs_them_operations_of_one_kind_are_all_explored(void **unused)
{
    struct race race;

    (void)unused;
    race_chain(&race, 3, 4);
    assert_chance(&race, "pos+ca:pc", 1.0 / 5);
    assert_chance(&race, "random+ca:pc", 1.0 / 16);
}

static void quiet_steps_in_a_queue_are_ordered(void **unused)
{
    struct race race;

    (void)unused;
    race_queue(&race, 3); /* three messages in a queue against a chain of two */
    assert_chance(&race, "random+ca", 1.0 / 8);
}

/* The chain is longer than CONFLICTS_STREAK_MAX. A comes before one of its messages, by its place
 * in it. A and B race. */
static void make_long_chain(struct race *race, int place)
{
    struct forest *forest = &race->forest;
    int self;
    int last = FOREST_NOBODY;
    int other;
    int a;

    *race = (struct race){.n_pairs = 0};
    self = forest_actor(forest);
    for (int i = 0; i < LONG_CHAIN; i++)
        last = forest_message(forest, last, self);
    other = forest_actor(forest);
    a = forest_message(forest, FOREST_NOBODY, other);
    (void)forest_message(forest, FOREST_NOBODY, other);
    race_order(race, a, place - 1);
}

/* The first thousand messages of the chain run at once, but in one trial in 32, in which A is
 * earlier for sure, or nearly so. Then the next one and A have the same chance. */
static bool waits_its_turn_after_a_thousand(const char *strategy)
{
    struct race races[2];
    uint64_t hits[2];

    make_long_chain(&races[0], 1000);
    make_long_chain(&races[1], 1001);
    race_hits_each(races, 2, strategy, FEW_TRIALS, hits);
    return hits[0] <= FEW_TRIALS / 32 + 1 &&
           !chance_is_wrong(hits[1], FEW_TRIALS, mixed(1.0 / 2, 1));
}

static void a_machine_that_sends_to_itself_for_ever_keeps_nobody_waiting(void **unused)
{
    (void)unused;
    assert_true(waits_its_turn_after_a_thousand("random+ca"));
    assert_true(waits_its_turn_after_a_thousand("pos+ca"));
    assert_true(waits_its_turn_after_a_thousand("posr+ca"));
}

/* ---- What is told --------------------------------------------------------------------------- */

static struct sn_conflicts conflicts_of(const struct race *race, const char *strategy, uint64_t n)
{
    struct sn_options options = {.strategy = strategy, .iterations = n, .seed = 1};
    struct sn_result result;

    assert_int_equal(forest_run(&race->forest, &options, &result), 0);
    return result.conflicts;
}

static void false_negatives_are_those_of_the_first_trial(void **unused)
{
    struct sn_conflicts c;
    struct race race;

    (void)unused;
    race_chain(&race, 2, 3);
    c = conflicts_of(&race, "pos+ca", 16);
    assert_true(c.trials >= 2);
    assert_int_equal(c.signatures, 2 * 6);
    assert_int_equal(c.racy, 1);
    assert_int_equal(c.raced, 2 * c.trials);
    assert_int_equal(c.false_negatives, 2);
    assert_int_equal(c.false_positives, 0);
}

static void a_strategy_without_analysis_tells_nothing(void **unused)
{
    struct race race;

    (void)unused;
    race_chain(&race, 2, 3);
    assert_int_equal(conflicts_of(&race, "pos", 16).trials, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pos_lets_a_chain_of_k_win_once_in_k_plus_2_whatever_the_noise),
        cmocka_unit_test(ranks_that_are_drawn_at_each_step_are_noticed),
        cmocka_unit_test(what_races_is_decided_by_pos_as_without_the_noise),
        cmocka_unit_test(where_nothing_is_quiet_trials_are_those_of_the_strategy_alone),
        cmocka_unit_test(a_chain_of_quiet_messages_is_no_hindrance),
        cmocka_unit_test(a_walk_among_what_races_is_as_without_the_noise),
        cmocka_unit_test(without_who_performs_them_operations_of_one_kind_are_all_explored),
        cmocka_unit_test(quiet_steps_in_a_queue_are_ordered),
        cmocka_unit_test(a_machine_that_sends_to_itself_for_ever_keeps_nobody_waiting),
        cmocka_unit_test(false_negatives_are_those_of_the_first_trial),
        cmocka_unit_test(a_strategy_without_analysis_tells_nothing),
    };

    forest_register();
    if (sn_strategy_register(&forgetful) < 0)
        return 99;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
