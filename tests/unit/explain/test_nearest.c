/* test_nearest.c - which neighbour of a failing trial is shown. SPDX-License-Identifier: MIT */
#include "explain/nearest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { N = 4 };

static const struct item items[N] = {
    {.kind = ITEM_ORDER, .rank = 1},
    {.kind = ITEM_ORDER, .rank = 9},
    {.kind = ITEM_DRAW, .rank = 10},
    {.kind = ITEM_ORDER, .rank = 5},
};

/* How each neighbour comes out, and which were tried. */
struct street {
    struct neighbour all[N];
    uint32_t tried[N];
    uint32_t n;
};

static int reverse(void *self, uint32_t item, struct neighbour *out)
{
    struct street *s = self;

    s->tried[s->n++] = item;
    *out = s->all[item];
    return 0;
}

static struct nearest look(struct street *s)
{
    struct nearest n = {
        .self = s, .items = items, .n_items = N, .tries_max = N, .reverse = reverse};

    assert_int_equal(nearest_find(&n), 0);
    return n;
}

static void one_with_fewest_inversions_is_the_nearest(void **state)
{
    struct street s = {.all = {{true, 2, 0}, {true, 3, 0}, {true, 1, 0}, {true, 4, 0}}};
    struct nearest n;

    (void)state;
    n = look(&s);

    assert_true(n.is_found);
    assert_int_equal(n.item, 0);
    assert_int_equal(n.best.inversions, 2);
}

static void of_equals_the_one_with_fewer_operations_of_its_own_is_taken(void **state)
{
    struct street s = {.all = {{true, 1, 2}, {true, 1, 3}, {0}, {true, 1, 1}}};

    (void)state;
    assert_int_equal(look(&s).item, 3);
}

static void values_have_no_neighbours_and_high_ranks_come_first(void **state)
{
    struct street s = {.n = 0};

    (void)state;
    assert_false(look(&s).is_found);

    assert_int_equal(s.n, 3);
    assert_int_equal(s.tried[0], 1);
    assert_int_equal(s.tried[1], 3);
    assert_int_equal(s.tried[2], 0);
}

static void nothing_is_nearer_than_a_single_reversed_order(void **state)
{
    struct street s = {.all = {{true, 1, 0}, {true, 1, 0}, {0}, {true, 1, 0}}};

    (void)state;
    assert_int_equal(look(&s).item, 1);

    assert_int_equal(s.n, 1);
}

static struct nearest look_first(struct street *s, const uint32_t *before, uint32_t n_before)
{
    struct nearest n = {.self = s,
                        .items = items,
                        .n_items = N,
                        .before = before,
                        .n_before = n_before,
                        .near_max = 5,
                        .tries_max = N,
                        .reverse = reverse};

    assert_int_equal(nearest_find(&n), 0);
    return n;
}

static void order_that_explains_is_tried_first_and_taken_if_it_is_near(void **state)
{
    static const uint32_t before[] = {2, 0};
    struct street s = {.all = {{true, 3, 0}, {true, 1, 0}, {0}, {true, 1, 0}}};
    struct nearest n;

    (void)state;
    n = look_first(&s, before, 2);

    assert_int_equal(n.item, 0);
    assert_int_equal(n.tried, 1);
    assert_int_equal(s.tried[0], 0);
}

static void other_orders_are_tried_where_those_that_explain_are_far(void **state)
{
    static const uint32_t before[] = {0};
    struct street s = {.all = {{true, 6, 0}, {true, 2, 0}, {0}, {true, 1, 0}}};
    struct nearest n;

    (void)state;
    n = look_first(&s, before, 1);

    assert_int_equal(n.item, 3);
    assert_int_equal(n.tried, 3);
}

static void orders_that_were_tried_are_counted(void **state)
{
    struct street s = {.n = 0};

    (void)state;
    assert_int_equal(look(&s).tried, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_with_fewest_inversions_is_the_nearest),
        cmocka_unit_test(of_equals_the_one_with_fewer_operations_of_its_own_is_taken),
        cmocka_unit_test(values_have_no_neighbours_and_high_ranks_come_first),
        cmocka_unit_test(nothing_is_nearer_than_a_single_reversed_order),
        cmocka_unit_test(order_that_explains_is_tried_first_and_taken_if_it_is_near),
        cmocka_unit_test(other_orders_are_tried_where_those_that_explain_are_far),
        cmocka_unit_test(orders_that_were_tried_are_counted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
