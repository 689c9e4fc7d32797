/* test_cache.c - states that were met, and what it cost to come there. SPDX-License-Identifier: MIT
 */
#include "strategy/cache.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct cache *cache;

static int open_cache(void **state)
{
    (void)state;
    cache = mem_reserve_shared(sizeof(*cache), NULL);
    return cache == NULL ? -1 : 0;
}

static int close_cache(void **state)
{
    (void)state;
    mem_release(cache, sizeof(*cache));
    return 0;
}

static bool meet(uint64_t number, uint32_t cost)
{
    return cache_meet(cache, state_begin(number), cost);
}

static void a_state_is_known_if_it_was_met_at_no_higher_cost(void **state)
{
    (void)state;
    cache_init(cache, 10);

    assert_false(meet(1, 5));
    assert_true(meet(1, 5));
    assert_true(meet(1, 6));
    assert_false(meet(1, 4));
    assert_true(meet(1, 4));
    assert_false(meet(2, 4));
    assert_int_equal(cache->n, 2);
}

static void both_halves_of_a_key_count(void **state)
{
    (void)state;
    cache_init(cache, 10);

    assert_false(cache_meet(cache, (struct state_key){7, 1}, 0));
    assert_false(cache_meet(cache, (struct state_key){7, 2}, 0));
    assert_false(cache_meet(cache, (struct state_key){8, 1}, 0));
    assert_true(cache_meet(cache, (struct state_key){7, 2}, 0));
}

static void all_states_are_known_however_many_there_are(void **state)
{
    uint32_t n_known = 0;

    (void)state;
    cache_init(cache, 20000);
    for (uint64_t i = 0; i < 20000; i++)
        assert_false(meet(i, 3));
    for (uint64_t i = 0; i < 20000; i++)
        n_known += meet(i, 3);

    assert_int_equal(n_known, 20000);
    assert_false(cache->is_full);
}

static void a_full_cache_takes_no_more_and_knows_what_it_has(void **state)
{
    (void)state;
    cache_init(cache, 2);

    assert_false(meet(1, 0));
    assert_false(meet(2, 1));
    assert_false(cache->is_full);
    assert_false(meet(3, 0));
    assert_true(cache->is_full);
    assert_false(meet(3, 0));
    assert_true(meet(1, 0));
    assert_false(meet(2, 0));
    assert_true(meet(2, 0));
}

static void a_cache_that_was_cleared_knows_nothing(void **state)
{
    (void)state;
    cache_init(cache, 2000);
    for (uint64_t i = 0; i <= 2000; i++)
        assert_false(meet(i, 0));

    cache_clear(cache);

    assert_false(meet(0, 0));
    assert_false(meet(1999, 0));
    assert_false(cache->is_full);
    assert_int_equal(cache->n, 2);
}

static void the_order_in_which_a_key_was_made_counts(void **state)
{
    struct state_key ab = state_add(state_begin(1), 2);
    struct state_key ba = state_add(state_begin(2), 1);

    (void)state;
    assert_true(ab.low != ba.low);
    assert_true(ab.high != ba.high);
    assert_true(state_is_equal(state_sum(ab, ba), state_sum(ba, ab)));
}

#define TEST(test_) cmocka_unit_test_setup_teardown(test_, open_cache, close_cache)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_state_is_known_if_it_was_met_at_no_higher_cost),
        TEST(both_halves_of_a_key_count),
        TEST(all_states_are_known_however_many_there_are),
        TEST(a_full_cache_takes_no_more_and_knows_what_it_has),
        TEST(a_cache_that_was_cleared_knows_nothing),
        TEST(the_order_in_which_a_key_was_made_counts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
