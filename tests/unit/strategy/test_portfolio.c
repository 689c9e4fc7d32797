/* test_portfolio.c - how a portfolio divides its trials. SPDX-License-Identifier: MIT */
#include "base/rng.h"
#include "strategy/portfolio.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A wrong copy, in which no arm is sure of anything. */
void portfolio_greedy_shares(const struct portfolio_score *scores, uint32_t n, uint32_t *shares);

static uint32_t sum(const uint32_t *shares, uint32_t n)
{
    uint32_t total = 0;

    for (uint32_t i = 0; i < n; i++)
        total += shares[i];
    return total;
}

static void arms_of_which_nothing_is_known_get_the_same(void **unused)
{
    const struct portfolio_score scores[5] = {{0, 0}};
    uint32_t shares[5];

    (void)unused;
    portfolio_shares(scores, 5, shares);

    assert_int_equal(shares[0], 52);
    assert_int_equal(shares[1], 51);
    assert_int_equal(shares[2], 51);
    assert_int_equal(shares[3], 51);
    assert_int_equal(shares[4], 51);
}

/* A quarter of the epoch is shared equally: 13 each of 5, 191 for what is new. */
static void an_arm_that_finds_nothing_is_not_given_up(void **unused)
{
    const struct portfolio_score scores[5] = {
        {2000, 2000}, {2000, 0}, {2000, 0}, {2000, 0}, {2000, 0}};
    uint32_t shares[5];

    (void)unused;
    portfolio_shares(scores, 5, shares);

    assert_int_equal(shares[0], 13 + 191);
    assert_int_equal(shares[1], 13);
    assert_int_equal(shares[4], 13);
}

/* How many of 1000 random scores leave some arm of n less than a 4n-th of the epoch. */
static int count_starved(void (*divide)(const struct portfolio_score *, uint32_t, uint32_t *))
{
    struct rng rng;
    int starved = 0;

    rng_init(&rng, 1, 3);
    for (int i = 0; i < 1000; i++) {
        uint32_t n = 1 + rng_below(&rng, PORTFOLIO_ARMS_MAX);
        struct portfolio_score scores[PORTFOLIO_ARMS_MAX];
        uint32_t shares[PORTFOLIO_ARMS_MAX];
        bool is_starved = false;

        for (uint32_t k = 0; k < n; k++) {
            scores[k].trials = rng_below(&rng, 2049);
            scores[k].news = rng_below(&rng, (uint32_t)scores[k].trials + 1) >> rng_below(&rng, 12);
        }
        divide(scores, n, shares);
        for (uint32_t k = 0; k < n; k++)
            is_starved |= shares[k] * 4 * n < PORTFOLIO_EPOCH;
        starved += is_starved;
    }
    return starved;
}

static void each_of_n_arms_gets_at_least_a_4n_th(void **unused)
{
    (void)unused;
    assert_int_equal(count_starved(portfolio_shares), 0);
}

static void shares_without_a_floor_are_noticed(void **unused)
{
    (void)unused;
    assert_true(count_starved(portfolio_greedy_shares) > 500);
}

/* 32 each, and 192 as 300 to 100. */
static void the_rest_goes_by_what_is_new_per_trial(void **unused)
{
    const struct portfolio_score scores[2] = {{998, 299}, {998, 99}};
    uint32_t shares[2];

    (void)unused;
    portfolio_shares(scores, 2, shares);

    assert_int_equal(shares[0], 32 + 144);
    assert_int_equal(shares[1], 32 + 48);
}

static void an_arm_alone_gets_everything(void **unused)
{
    const struct portfolio_score scores[1] = {{2000, 0}};
    uint32_t share;

    (void)unused;
    portfolio_shares(scores, 1, &share);

    assert_int_equal(share, PORTFOLIO_EPOCH);
}

static void every_trial_of_an_epoch_has_one_arm(void **unused)
{
    struct rng rng;

    (void)unused;
    rng_init(&rng, 1, 1);
    for (int i = 0; i < 1000; i++) {
        uint32_t n = 1 + rng_below(&rng, PORTFOLIO_ARMS_MAX);
        struct portfolio_score scores[PORTFOLIO_ARMS_MAX];
        uint32_t shares[PORTFOLIO_ARMS_MAX];
        uint32_t met[PORTFOLIO_ARMS_MAX] = {0};
        uint8_t arms[PORTFOLIO_EPOCH];

        for (uint32_t k = 0; k < n; k++) {
            scores[k].trials = rng_below(&rng, 2049);
            scores[k].news = rng_below(&rng, (uint32_t)scores[k].trials + 1);
        }
        portfolio_shares(scores, n, shares);
        portfolio_mix(shares, n, rng_below(&rng, n), arms);
        for (int k = 0; k < PORTFOLIO_EPOCH; k++)
            met[arms[k]]++;

        assert_int_equal(sum(shares, n), PORTFOLIO_EPOCH);
        assert_memory_equal(met, shares, n * sizeof(met[0]));
    }
}

/* No arm waits for much longer than its share says. */
static void the_arms_of_an_epoch_are_evenly_mixed(void **unused)
{
    const uint32_t shares[4] = {128, 64, 48, 16};
    uint32_t last[4] = {0};
    uint8_t arms[PORTFOLIO_EPOCH];

    (void)unused;
    portfolio_mix(shares, 4, 2, arms);

    for (uint32_t i = 0; i < PORTFOLIO_EPOCH; i++) {
        assert_true(i - last[arms[i]] <= 2 * PORTFOLIO_EPOCH / shares[arms[i]]);
        last[arms[i]] = i;
    }
}

static void where_two_arms_are_due_the_first_goes_first(void **unused)
{
    const uint32_t shares[2] = {128, 128};
    uint8_t arms[PORTFOLIO_EPOCH];

    (void)unused;
    portfolio_mix(shares, 2, 0, arms);
    assert_int_equal(arms[0], 0);
    assert_int_equal(arms[1], 1);
    portfolio_mix(shares, 2, 1, arms);
    assert_int_equal(arms[0], 1);
    assert_int_equal(arms[1], 0);
}

/* ---- Arms that find one of so many things each time ------------------------------------------ */

enum { ARMS = 3, EPOCHS = 60, THINGS_MAX = 5000 };

static const uint32_t things[ARMS] = {20, THINGS_MAX, 300};

/* How many different things are found, and how often each arm was asked. */
static uint32_t find(bool is_learning, uint32_t asked[ARMS])
{
    static bool found[ARMS][THINGS_MAX];
    struct portfolio_score scores[ARMS] = {{0, 0}};
    uint32_t shares[ARMS];
    uint32_t n = 0;
    struct rng rng;

    rng_init(&rng, 1, 2);
    memset(found, 0, sizeof(found));
    portfolio_shares(scores, ARMS, shares);
    for (int epoch = 0; epoch < EPOCHS; epoch++) {
        for (uint32_t arm = 0; arm < ARMS; arm++) {
            scores[arm] = (struct portfolio_score){shares[arm], 0};
            asked[arm] += shares[arm];
            for (uint32_t i = 0; i < shares[arm]; i++) {
                bool *thing = &found[arm][rng_below(&rng, things[arm])];

                scores[arm].news += !*thing;
                n += !*thing;
                *thing = true;
            }
        }
        if (is_learning)
            portfolio_shares(scores, ARMS, shares);
    }
    return n;
}

static void learning_finds_more_than_equal_shares(void **unused)
{
    uint32_t equal[ARMS] = {0};
    uint32_t learned[ARMS] = {0};
    uint32_t n_equal = find(false, equal);
    uint32_t n_learned = find(true, learned);

    (void)unused;
    assert_true(n_learned > n_equal + n_equal / 20);
    assert_true(learned[1] > learned[2] && learned[2] >= learned[0]);
    assert_true(learned[0] >= EPOCHS * 22);
}

/* Arms that find something new in a fixed part of their trials, by the scores of the last eight
 * epochs: a quarter is shared equally, and the rest as 1 to 2 to 5. */
static void fixed_rates_converge_to_their_shares(void **unused)
{
    static const uint32_t per_mille[ARMS] = {100, 200, 500};
    struct portfolio_score window[8][ARMS] = {{{0, 0}}};
    uint32_t shares[ARMS];
    double expected[ARMS];

    (void)unused;
    for (uint32_t epoch = 0; epoch < 40; epoch++) {
        struct portfolio_score scores[ARMS] = {{0, 0}};

        for (uint32_t arm = 0; arm < ARMS; arm++)
            for (uint32_t k = 0; k < 8; k++) {
                scores[arm].trials += window[k][arm].trials;
                scores[arm].news += window[k][arm].news;
            }
        portfolio_shares(scores, ARMS, shares);
        for (uint32_t arm = 0; arm < ARMS; arm++)
            window[epoch % 8][arm] =
                (struct portfolio_score){shares[arm], (shares[arm] * per_mille[arm] + 500) / 1000};
    }

    for (uint32_t arm = 0; arm < ARMS; arm++) {
        expected[arm] = 22 + (256 - 66) * per_mille[arm] / 800.0;
        assert_true(shares[arm] > expected[arm] * 0.93 && shares[arm] < expected[arm] * 1.07);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arms_of_which_nothing_is_known_get_the_same),
        cmocka_unit_test(an_arm_that_finds_nothing_is_not_given_up),
        cmocka_unit_test(each_of_n_arms_gets_at_least_a_4n_th),
        cmocka_unit_test(shares_without_a_floor_are_noticed),
        cmocka_unit_test(the_rest_goes_by_what_is_new_per_trial),
        cmocka_unit_test(an_arm_alone_gets_everything),
        cmocka_unit_test(every_trial_of_an_epoch_has_one_arm),
        cmocka_unit_test(the_arms_of_an_epoch_are_evenly_mixed),
        cmocka_unit_test(where_two_arms_are_due_the_first_goes_first),
        cmocka_unit_test(fixed_rates_converge_to_their_shares),
        cmocka_unit_test(learning_finds_more_than_equal_shares),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
