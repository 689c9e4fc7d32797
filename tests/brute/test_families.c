/* test_families.c - programs whose numbers of schedules and of partial orders are known by formula.
 *
 * Judges the enumerator and the library at once: both must find what the formula says.
 * SPDX-License-Identifier: MIT
 */
#include "campaign.h"
#include "families.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct campaign *campaign;

enum { ANY_NUMBER = 0 };

static uint64_t factorial(int n)
{
    return n <= 1 ? 1 : (uint64_t)n * factorial(n - 1);
}

static uint64_t power(uint64_t base, int n)
{
    return n == 0 ? 1 : base * power(base, n - 1);
}

/* How many orders there are of `kinds` sequences of `each` steps. */
static uint64_t merges(int kinds, int each)
{
    return factorial(kinds * each) / power(factorial(each), kinds);
}

static uint64_t binomial(int n, int k)
{
    return factorial(n) / (factorial(k) * factorial(n - k));
}

static void assert_counts(const struct program *program, uint64_t n_schedules, uint64_t n_traces)
{
    const struct limits limits = {1, LEAVES_MAX, STEPS_MAX};
    uint32_t ways = 1u << WAY_WALK | 1u << WAY_RESTORE | 1u << WAY_RERUN;

    assert_true(enumerate(program, &limits, campaign->tree, campaign->features));
    if (n_schedules != ANY_NUMBER)
        assert_int_equal(campaign->tree->n_leaves, n_schedules);
    assert_int_equal(campaign->tree->traces.n, n_traces);
    if (campaign->tree->n_leaves < 1000)
        ways |= 1u << WAY_FULL;
    campaign_compare(campaign, program, ways);
    if (campaign->comparison->wrong != WRONG_NOTHING)
        comparison_print(campaign->comparison, stderr);
    assert_int_equal(campaign->comparison->wrong, WRONG_NOTHING);
}

static void messages_of_many_senders_arrive_in_every_order(void **state)
{
    struct program program;

    (void)state;
    for (int n = 2; n <= 5; n++) {
        family_fifo(&program, n, 1);
        assert_counts(&program, factorial(n), factorial(n));
    }
}

static void messages_of_one_sender_arrive_in_the_order_sent(void **state)
{
    static const int sizes[][2] = {{1, 3}, {2, 2}, {2, 3}, {3, 2}};
    struct program program;

    (void)state;
    for (int i = 0; i < 4; i++) {
        uint64_t n = merges(sizes[i][0], sizes[i][1]);

        family_fifo(&program, sizes[i][0], sizes[i][1]);
        assert_counts(&program, n, n);
    }
}

static void any_timers_fire_in_every_order(void **state)
{
    struct program program;

    (void)state;
    for (int n = 1; n <= 4; n++) {
        family_timers(&program, n);
        assert_counts(&program, factorial(n), factorial(n));
    }
}

static void replies_are_gathered_in_every_order(void **state)
{
    struct program program;

    (void)state;
    for (int n = 1; n <= 4; n++) {
        family_gather(&program, n);
        assert_counts(&program, merges(n, 2), factorial(n));
    }
}

static void chains_that_never_meet_are_one_partial_order(void **state)
{
    static const int sizes[][2] = {{2, 2}, {2, 3}, {3, 2}, {4, 2}, {3, 3}};
    struct program program;

    (void)state;
    for (int i = 0; i < 5; i++) {
        family_pairs(&program, sizes[i][0], sizes[i][1]);
        assert_counts(&program, merges(sizes[i][0], sizes[i][1]), 1);
    }
}

static void a_chain_and_a_message_meet_in_two_orders_whatever_the_noise(void **state)
{
    struct program program;

    (void)state;
    for (int k = 1; k <= 3; k++)
        for (int m = 0; m <= 2 && k + m <= 4; m++) {
            family_chain(&program, k, m);
            assert_counts(&program, factorial(k + m + 2) / factorial(k + 1), 2);
        }
}

static void a_message_falls_before_between_or_after_two_others(void **state)
{
    struct program program;

    (void)state;
    for (int a = 0; a <= 2; a++)
        for (int b = 0; b <= 2; b++) {
            family_between(&program, a, b);
            assert_counts(&program, (uint64_t)(a + b + 3), 3);
        }
}

static void the_ends_of_two_chains_meet_in_two_orders(void **state)
{
    struct program program;

    (void)state;
    for (int p = 0; p <= 3; p++)
        for (int q = 0; q <= 2; q++) {
            family_ends(&program, p, q);
            assert_counts(&program, binomial(p + q + 2, p + 1), 2);
        }
}

static void the_end_of_a_chain_and_two_messages_meet_in_six_orders(void **state)
{
    struct program program;

    (void)state;
    for (int k = 1; k <= 3; k++) {
        family_crowd(&program, k);
        assert_counts(&program, factorial(k + 3) / factorial(k + 1), 6);
    }
}

static void two_chains_at_one_machine_are_merged_in_every_way(void **state)
{
    struct program program;

    (void)state;
    for (int k = 1; k <= 4; k++) {
        family_alternation(&program, k);
        assert_counts(&program, merges(2, k), merges(2, k));
    }
}

static void receivers_of_a_broadcast_choose_their_orders_independently(void **state)
{
    static const int sizes[][2] = {{1, 1}, {2, 1}, {1, 2}, {2, 2}, {3, 2}};
    struct program program;

    (void)state;
    for (int i = 0; i < 5; i++) {
        int s = sizes[i][0];
        int r = sizes[i][1];

        family_broadcast(&program, s, r);
        assert_counts(&program, factorial(r) * power(factorial(s), r) * merges(r, s + 1),
                      power(factorial(s), r));
    }
}

static void a_reply_comes_before_or_after_its_timeout(void **state)
{
    struct program program;

    (void)state;
    family_timer_reply(&program, 1);
    assert_counts(&program, 3, 2);
    family_timer_reply(&program, 2);
    assert_counts(&program, ANY_NUMBER, 4);
    family_timer_reply_shared(&program, 2);
    assert_counts(&program, ANY_NUMBER, 8);
}

static void a_deferring_state_entered_again_keeps_what_is_pending(void **state)
{
    struct program program;

    (void)state;
    known_deferring_state_entered_again(&program);
    assert_counts(&program, 6, 6);
    known_timers_of_a_deferring_state(&program);
    assert_counts(&program, 1, 1);
}

static void what_is_sent_to_a_halted_machine_counts_as_announced(void **state)
{
    struct program program;

    (void)state;
    known_send_to_halted_then_more(&program);
    assert_counts(&program, 13, 2);
}

static int set_up(void **state)
{
    (void)state;
    campaign = campaign_new();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_of_many_senders_arrive_in_every_order),
        cmocka_unit_test(messages_of_one_sender_arrive_in_the_order_sent),
        cmocka_unit_test(any_timers_fire_in_every_order),
        cmocka_unit_test(replies_are_gathered_in_every_order),
        cmocka_unit_test(chains_that_never_meet_are_one_partial_order),
        cmocka_unit_test(a_chain_and_a_message_meet_in_two_orders_whatever_the_noise),
        cmocka_unit_test(a_message_falls_before_between_or_after_two_others),
        cmocka_unit_test(the_ends_of_two_chains_meet_in_two_orders),
        cmocka_unit_test(the_end_of_a_chain_and_two_messages_meet_in_six_orders),
        cmocka_unit_test(two_chains_at_one_machine_are_merged_in_every_way),
        cmocka_unit_test(receivers_of_a_broadcast_choose_their_orders_independently),
        cmocka_unit_test(a_reply_comes_before_or_after_its_timeout),
        cmocka_unit_test(a_deferring_state_entered_again_keeps_what_is_pending),
        cmocka_unit_test(what_is_sent_to_a_halted_machine_counts_as_announced),
    };

    return cmocka_run_group_tests(tests, set_up, NULL);
}
