/* test_orders_seen.c - orders that were seen: compared with a table that never grows.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/bytes.h"
#include "base/rng.h"
#include "engine/mem.h"
#include "strategy/orders_seen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
/* cmocka.h comes after these */
#include <cmocka.h>

static struct orders_seen *seen;
static struct orders_seen *other;
static uint64_t (*plain)[ORDERS_WAYS];

static int set_up(void **state)
{
    (void)state;
    seen = mem_reserve_shared(sizeof(*seen), NULL);
    other = mem_reserve_shared(sizeof(*other), NULL);
    plain = calloc(ORDERS_SETS_MAX, sizeof(*plain));
    return seen != NULL && other != NULL && plain != NULL ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    mem_release(seen, sizeof(*seen));
    mem_release(other, sizeof(*other));
    free(plain);
    return 0;
}

/* As large as can be from the beginning. */
static bool see_plainly(uint64_t order)
{
    uint64_t *set;

    order += order == 0;
    set = plain[mix64(order) % ORDERS_SETS_MAX];
    for (uint32_t i = 0; i < ORDERS_WAYS; i++) {
        if (set[i] == order)
            return false;
    }
    memmove(set + 1, set, (ORDERS_WAYS - 1) * sizeof(*set));
    set[0] = order;
    return true;
}

/* Some come often, others once. */
static uint64_t order_of(struct rng *rng)
{
    return mix64(rng_below64(rng, rng_below(rng, 4) == 0 ? 500 : 2000000));
}

static void a_table_that_grows_tells_the_same_as_one_that_is_large(void **state)
{
    struct rng rng;

    (void)state;
    rng_init(&rng, 1, 0);
    for (uint32_t i = 0; i < 4000000; i++) {
        uint64_t order = order_of(&rng);

        assert_int_equal(orders_see(seen, order), see_plainly(order));
    }
    assert_int_equal(seen->n_sets, ORDERS_SETS_MAX);
}

/* Before some were forgotten, when it was full, and after that. */
static void what_is_put_down_and_seen_again_goes_on_alike(void **state)
{
    static const uint32_t sizes[] = {0, 1, 100, 5000, 200000, 2500000};
    unsigned char *bytes = malloc(sizeof(seen->sets));
    struct rng rng;

    (void)state;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        orders_forget(seen);
        orders_forget(other);
        rng_init(&rng, 2, i);
        for (uint32_t k = 0; k < sizes[i]; k++)
            (void)orders_see(seen, order_of(&rng));
        orders_put(seen, bytes);
        for (uint64_t k = 0; k < seen->n; k++)
            assert_true(orders_see(other, bytes_get(bytes + 8 * k)));
        assert_int_equal(other->n, seen->n);
        assert_int_equal(other->n_sets, seen->n_sets);
        assert_memory_equal(other->sets, seen->sets, sizeof(seen->sets));
    }
    free(bytes);
}

static void nothing_is_an_order_too(void **state)
{
    (void)state;
    assert_true(orders_see(seen, 0));
    assert_false(orders_see(seen, 0));
    assert_int_equal(seen->n, 1);
}

static void a_copy_has_what_was_there_and_nothing_else(void **state)
{
    (void)state;
    for (uint64_t i = 1; i <= 30000; i++)
        (void)orders_see(other, mix64(i));
    for (uint64_t i = 1; i <= 300; i++)
        (void)orders_see(seen, mix64(~i));
    orders_copy(other, seen);
    assert_int_equal(other->n, 300);
    assert_memory_equal(other->sets, seen->sets, sizeof(seen->sets));
}

/* A page that is touched for the first time costs more than a short trial. */
static void few_orders_take_few_pages(void **state)
{
    (void)state;
    for (uint64_t i = 1; i <= 10000; i++)
        (void)orders_see(seen, mix64(i));
    assert_true(seen->n_sets * sizeof(seen->sets[0]) <= 1 << 19);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_table_that_grows_tells_the_same_as_one_that_is_large,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_put_down_and_seen_again_goes_on_alike, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(nothing_is_an_order_too, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_copy_has_what_was_there_and_nothing_else, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(few_orders_take_few_pages, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
