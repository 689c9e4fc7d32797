/* test_since.c - sets of orders that are enough from a step of the failing trial on.
 * SPDX-License-Identifier: MIT
 */
#include "explain/sufficient.h"
#include "programs.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static struct since since;
static struct sufficient found;

static bool is_chosen(const struct made_up *m, uint32_t first, uint32_t second)
{
    return items_has(&found.chosen, made_up_order(m, first, second));
}

/* Pairs of operations, 0 before 1, 2 before 3 and so on, all of which are needed: after step 23 the
 * trial is lost, and after 7 steps the first four pairs are had. */
static void of_twelve_orders_the_last_eight_are_enough_from_a_step_on(void **state)
{
    struct made_up *m = program_twelve_orders();

    (void)state;
    assert_int_equal(since_find(&m->search, 23, &since), 0);
    assert_int_equal(since_settle(&m->search, &since, &found), 0);

    assert_true(found.is_enough);
    assert_int_equal(found.verified.failed, EXPLAIN_VERIFY_TRIALS);
    assert_true(found.from.is_kept);
    assert_in_range(found.from.steps, 7, 8);
    assert_int_equal(found.chosen.n, 8);
    assert_true(is_chosen(m, 8, 9));
    assert_true(is_chosen(m, 22, 23));
}

static void set_that_is_enough_from_the_start_needs_no_step(void **state)
{
    struct made_up *m = program_four_orders();

    (void)state;
    assert_int_equal(since_find(&m->search, 7, &since), 0);
    assert_int_equal(since_settle(&m->search, &since, &found), 0);

    assert_true(found.is_enough);
    assert_int_equal(found.from.steps, 0);
    assert_int_equal(found.chosen.n, 4);
}

static void orders_of_the_beginning_are_not_asked_for(void **state)
{
    struct made_up *m = program_twelve_orders();
    struct items all;

    (void)state;
    m->search.from = (struct beginning){.is_kept = true, .steps = 7};
    items_all(&m->search, &all);

    assert_int_equal(all.n, 8);
    assert_false(items_has(&all, made_up_order(m, 6, 7)));
    assert_true(items_has(&all, made_up_order(m, 8, 9)));
}

/* The value, which is drawn in the set-up, is had by every trial that begins as this one does. */
static void values_of_the_set_up_belong_to_the_beginning(void **state)
{
    struct made_up *m = program_value();

    (void)state;
    assert_int_equal(since_find(&m->search, m->n_order, &since), 0);
    assert_int_equal(since_settle(&m->search, &since, &found), 0);

    assert_true(found.is_enough);
    assert_int_equal(found.chosen.n, 1);
    assert_int_equal(m->items[found.chosen.list[0]].kind, ITEM_ORDER);
}

static bool never_fails(const struct made_up_run *run)
{
    (void)run;
    return false;
}

static void nothing_is_found_if_no_continuation_fails(void **state)
{
    struct made_up *m = program_twelve_orders();

    (void)state;
    m->fails = never_fails;
    assert_int_equal(since_find(&m->search, 23, &since), 0);
    assert_int_equal(since_settle(&m->search, &since, &found), 0);

    assert_int_equal(since.n, 0);
    assert_false(found.is_enough);
}

static void end_of_the_budget_leaves_the_earliest_step_so_far(void **state)
{
    struct made_up *m = program_twelve_orders();

    (void)state;
    m->executions_max = 3000;
    assert_int_equal(since_find(&m->search, 23, &since), EXPLAIN_OVER);
    m->executions_max = 0;
    assert_int_equal(since_settle(&m->search, &since, &found), 0);

    assert_true(since.n > 0);
    assert_true(found.is_enough);
    assert_in_range(found.from.steps, 8, 22);
}

/* A set that chance has made too small is given back what it lacks. */
static void set_that_is_too_small_is_made_larger(void **state)
{
    struct made_up *m = program_four_orders();
    struct items small = {.n = 0};
    struct items wide;

    (void)state;
    items_all(&m->search, &wide);
    items_add(&small, made_up_order(m, 0, 1));
    items_add(&small, made_up_order(m, 2, 3));
    assert_int_equal(sufficient_settle(&m->search, &small, &wide, &found), 0);

    assert_true(found.is_enough);
    assert_int_equal(found.chosen.n, 4);
    assert_true(is_chosen(m, 6, 7));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_twelve_orders_the_last_eight_are_enough_from_a_step_on),
        cmocka_unit_test(set_that_is_enough_from_the_start_needs_no_step),
        cmocka_unit_test(orders_of_the_beginning_are_not_asked_for),
        cmocka_unit_test(values_of_the_set_up_belong_to_the_beginning),
        cmocka_unit_test(nothing_is_found_if_no_continuation_fails),
        cmocka_unit_test(end_of_the_budget_leaves_the_earliest_step_so_far),
        cmocka_unit_test(set_that_is_too_small_is_made_larger),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
