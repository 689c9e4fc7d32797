/* test_sufficient.c - minimal explanations of made-up programs. SPDX-License-Identifier: MIT */
#include "explain/label.h"
#include "explain/sufficient.h"
#include "programs.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static struct sufficient found;
static struct labelled labels[EXPLAIN_ITEMS_MAX];

static void assert_is_enough(void)
{
    assert_true(found.is_enough);
    assert_true(found.is_minimal);
    assert_int_equal(found.verified.trials, EXPLAIN_VERIFY_TRIALS);
    assert_int_equal(found.verified.failed, EXPLAIN_VERIFY_TRIALS);
}

static bool is_chosen(const struct made_up *m, uint32_t first, uint32_t second)
{
    uint32_t item = made_up_order(m, first, second);

    for (uint32_t i = 0; i < found.chosen.n; i++) {
        if (found.chosen.list[i] == item)
            return true;
    }
    return false;
}

static const struct labelled *label_of(const struct made_up *m, uint32_t first, uint32_t second)
{
    uint32_t item = made_up_order(m, first, second);

    for (uint32_t i = 0; i < found.chosen.n; i++) {
        if (labels[i].item == item)
            return &labels[i];
    }
    fail_msg("the order was not chosen");
    return NULL;
}

/* ---- Backward ------------------------------------------------------------------------------- */

static void race_is_one_order(void **state)
{
    struct made_up *m = program_race();

    (void)state;
    assert_int_equal(sufficient_backward(&m->search, &found), 0);

    assert_is_enough();
    assert_int_equal(found.chosen.n, 1);
    assert_true(is_chosen(m, 1, 0));
}

static void two_orders_of_ten_are_found(void **state)
{
    struct made_up *m = program_two_orders();

    (void)state;
    assert_int_equal(sufficient_backward(&m->search, &found), 0);

    assert_is_enough();
    assert_int_equal(found.chosen.n, 2);
    assert_true(is_chosen(m, 3, 1));
    assert_true(is_chosen(m, 1, 4));
}

static void four_orders_of_twelve_are_found(void **state)
{
    struct made_up *m = program_four_orders();

    (void)state;
    assert_int_equal(sufficient_backward(&m->search, &found), 0);

    assert_is_enough();
    assert_int_equal(found.chosen.n, 4);
    assert_true(is_chosen(m, 0, 1));
    assert_true(is_chosen(m, 2, 3));
    assert_true(is_chosen(m, 4, 5));
    assert_true(is_chosen(m, 6, 7));
}

static void of_a_disjunction_one_part_is_found(void **state)
{
    struct made_up *m = program_disjunction();

    (void)state;
    assert_int_equal(sufficient_backward(&m->search, &found), 0);

    assert_is_enough();
    assert_int_equal(found.chosen.n, 1);
    assert_true(is_chosen(m, 0, 1) || is_chosen(m, 2, 3));
}

static void exclusive_or_is_both_orders_of_the_trial(void **state)
{
    struct made_up *m = program_exclusive();

    (void)state;
    assert_int_equal(sufficient_backward(&m->search, &found), 0);

    assert_is_enough();
    assert_int_equal(found.chosen.n, 2);
    assert_true(is_chosen(m, 0, 1));
    assert_true(is_chosen(m, 3, 2));
}

static void two_of_four_acknowledgements_are_the_two_of_the_trial(void **state)
{
    struct made_up *m = program_acknowledgements();

    (void)state;
    assert_int_equal(sufficient_backward(&m->search, &found), 0);

    assert_is_enough();
    assert_int_equal(found.chosen.n, 2);
    assert_true(is_chosen(m, 0, 4));
    assert_true(is_chosen(m, 1, 4));
}

static void operations_that_never_ran_are_named(void **state)
{
    struct made_up *m = program_pending();

    (void)state;
    assert_int_equal(sufficient_backward(&m->search, &found), 0);

    assert_is_enough();
    assert_int_equal(found.chosen.n, 2);
    assert_true(is_chosen(m, 0, 3));
    assert_true(is_chosen(m, 2, 1));
}

static void value_that_is_needed_stays_and_others_go(void **state)
{
    struct made_up *m = program_value();

    (void)state;
    assert_int_equal(sufficient_backward(&m->search, &found), 0);

    assert_is_enough();
    assert_int_equal(found.chosen.n, 2);
    assert_int_equal(found.chosen.list[0], 1);
    assert_int_equal(m->items[1].kind, ITEM_DRAW);
    assert_true(is_chosen(m, 0, 1));
    assert_int_equal(sufficient_orders(&m->search, &found), 1);
}

static void noise_does_not_change_the_explanation(void **state)
{
    struct made_up *m = program_noise();

    (void)state;
    assert_int_equal(sufficient_backward(&m->search, &found), 0);

    assert_is_enough();
    assert_int_equal(found.chosen.n, 1);
    assert_true(is_chosen(m, 1, 0));
}

static bool never_fails(const struct made_up_run *run)
{
    (void)run;
    return false;
}

static void nothing_is_found_where_the_items_do_not_make_trials_fail(void **state)
{
    struct made_up *m = program_two_orders();

    (void)state;
    m->fails = never_fails;
    assert_int_equal(sufficient_backward(&m->search, &found), 0);

    assert_false(found.is_enough);
    assert_int_equal(found.verified.trials, 0);
}

static bool rarely_passes(const struct made_up_run *run)
{
    /* Operations 2 to 5 are 24 orders, of which one passes, if 0 comes before 1. */
    return before(run, 0, 1) && !(before(run, 5, 4) && before(run, 4, 3) && before(run, 3, 2));
}

/* Without an order of 2 to 5 that excludes the one that passes, 23 of 24 trials fail: 96 in 100. */
static void order_that_only_few_trials_need_is_kept(void **state)
{
    static const struct made_up_op ops[] = {{0, 0}, {0, 0}, {0, 1}, {0, 1}, {0, 1}, {0, 1}};
    struct made_up *m = program_four_orders();

    (void)state;
    m->ops = ops;
    m->n_ops = 6;
    m->n_order = 6;
    m->fails = rarely_passes;
    made_up_open(m);
    assert_int_equal(sufficient_backward(&m->search, &found), 0);

    assert_is_enough();
    assert_int_equal(found.chosen.n, 2);
    assert_true(is_chosen(m, 0, 1));
}

static void end_of_the_budget_leaves_an_unverified_set(void **state)
{
    struct made_up *m = program_four_orders();

    (void)state;
    m->executions_max = 1500;
    assert_int_equal(sufficient_backward(&m->search, &found), EXPLAIN_OVER);

    assert_false(found.is_enough);
    assert_in_range(found.chosen.n, 4, 12);
}

/* Notes the streams of what is asked: of verifications, which are asked to the end, and others. */
struct listener {
    const struct asker *inner;
    uint64_t verified[16];
    uint32_t n_verified;
    uint64_t others; /* a bit for each */
};

static int listen(void *self, const struct question *q, struct answer *out)
{
    struct listener *l = self;
    bool is_verification = q->trials == EXPLAIN_VERIFY_TRIALS && q->misses_max == UINT32_MAX;

    assert_in_range(q->stream, 0, 63);
    assert_true(l->n_verified < 16);
    if (is_verification)
        l->verified[l->n_verified++] = q->stream;
    else
        l->others |= UINT64_C(1) << q->stream;
    return l->inner->ask(l->inner->self, q, out);
}

static void verification_uses_seeds_of_its_own(void **state)
{
    struct made_up *m = program_two_orders();
    struct listener listener = {.inner = &m->asker};
    const struct asker asker = {.self = &listener, .ask = listen};
    uint64_t seen = 0;

    (void)state;
    m->search.asker = &asker;
    assert_int_equal(sufficient_backward(&m->search, &found), 0);

    assert_is_enough();
    assert_true(listener.n_verified > 0);
    assert_true(listener.others != 0);
    for (uint32_t i = 0; i < listener.n_verified; i++) {
        uint64_t bit = UINT64_C(1) << listener.verified[i];

        assert_int_equal(bit & (listener.others | seen), 0);
        seen |= bit;
    }
}

static bool sometimes_exists(const struct made_up_run *run, uint32_t op)
{
    return op != 2 || run->draws[0] == 0;
}

static bool one_first_fails(const struct made_up_run *run)
{
    return before(run, 1, 0);
}

/* Operation 2 came first in the failing trial, and in half of the others there is none. */
static void order_that_gets_others_stuck_is_left_out(void **state)
{
    static const uint32_t values[] = {2};
    static const uint32_t drawn[] = {0};
    static const uint32_t order[] = {2, 1, 0};
    struct made_up *m = program_two_orders();

    (void)state;
    m->n_ops = 3;
    m->order = order;
    m->n_order = 3;
    m->values = values;
    m->drawn = drawn;
    m->n_draws = 1;
    m->hides_draws = true;
    m->exists = sometimes_exists;
    m->fails = one_first_fails;
    made_up_open(m);
    assert_int_equal(sufficient_backward(&m->search, &found), 0);

    assert_is_enough();
    assert_int_equal(found.chosen.n, 1);
    assert_true(is_chosen(m, 1, 0));
}

static bool zero_before_two_fails(const struct made_up_run *run)
{
    return before(run, 0, 2);
}

/* 1 announces 2: that 0 comes before 1 is enough, and that it comes before 2 is, too. */
static void weaker_order_is_taken_where_it_is_enough(void **state)
{
    static const struct made_up_op ops[] = {{0, 0}, {0, 0}, {2, 0}};
    struct made_up *m = program_four_orders();

    (void)state;
    m->ops = ops;
    m->n_ops = 3;
    m->n_order = 3;
    m->fails = zero_before_two_fails;
    made_up_open(m);
    m->search.n_items = 1;
    m->items[made_up_order(m, 0, 2)].weakens = made_up_order(m, 0, 1) + 1;
    assert_int_equal(sufficient_backward(&m->search, &found), 0);

    assert_is_enough();
    assert_int_equal(found.chosen.n, 1);
    assert_true(is_chosen(m, 0, 2));
}

static void orders_that_are_said_together_count_as_one(void **state)
{
    struct made_up *m = program_four_orders();

    (void)state;
    m->items[made_up_order(m, 0, 1)].is_grouped = true;
    m->items[made_up_order(m, 2, 3)].is_grouped = true;
    assert_int_equal(sufficient_backward(&m->search, &found), 0);

    assert_int_equal(found.chosen.n, 4);
    assert_int_equal(sufficient_orders(&m->search, &found), 3);
}

/* ---- Sets that are too long ----------------------------------------------------------------- */

/* Each of the twelve orders doubles the share that fails. */
static void twelve_orders_are_too_many_and_eight_reach_little(void **state)
{
    struct made_up *m = program_twelve_orders();

    (void)state;
    assert_int_equal(sufficient_backward(&m->search, &found), 0);
    assert_true(found.is_too_long);
    assert_int_equal(sufficient_orders(&m->search, &found), 12);
    assert_int_equal(sufficient_shorten(&m->search, &found), 0);

    assert_false(found.is_enough);
    assert_int_equal(found.chosen.n, EXPLAIN_ORDERS_MAX);
    assert_in_range(found.verified.failed, 30, 100);
    assert_int_equal(found.n_ladder, 4);
    assert_int_equal(found.ladder[0].orders, 11);
    assert_in_range(found.ladder[0].answer.failed, 80, 130);
    assert_int_equal(found.ladder[3].orders, 8);
}

/* ---- Orders that only make others possible --------------------------------------------------- */

static bool two_if_one_is_late(const struct made_up_run *run, uint32_t op)
{
    return op != 2 || before(run, 0, 1) || before(run, 4, 1);
}

static bool two_before_three_fails(const struct made_up_run *run)
{
    return run->at[2] != MADE_UP_NEVER && before(run, 2, 3);
}

/* 1 announces 2 unless it is the first of 0, 1 and 4: without 0 before 1 a third gets stuck. */
static struct made_up *open_enabling(void)
{
    static const struct made_up_op ops[] = {{0, 0}, {0, 0}, {2, 1}, {0, 1}, {0, 0}};
    static const uint32_t order[] = {0, 1, 4, 2, 3};
    struct made_up *m = program_set_up();

    m->ops = ops;
    m->n_ops = 5;
    m->order = order;
    m->n_order = 5;
    m->exists = two_if_one_is_late;
    m->fails = two_before_three_fails;
    made_up_open(m);
    return m;
}

static void order_without_which_all_that_go_on_fail_is_enabling(void **state)
{
    struct made_up *m = open_enabling();

    (void)state;
    assert_int_equal(sufficient_backward(&m->search, &found), 0);
    assert_is_enough();
    assert_int_equal(label_all(&m->search, &found, labels), 0);

    assert_int_equal(found.chosen.n, 2);
    assert_int_equal(label_of(m, 0, 1)->label, LABEL_ENABLING);
    assert_in_range(label_of(m, 0, 1)->dropped.stuck, 250, 420);
    assert_int_equal(label_of(m, 0, 1)->dropped.failed + label_of(m, 0, 1)->dropped.stuck,
                     EXPLAIN_VERIFY_TRIALS);
    assert_int_equal(label_of(m, 2, 3)->label, LABEL_DECISIVE);
}

static void enabling_orders_do_not_make_a_set_long(void **state)
{
    struct made_up *m = open_enabling();

    (void)state;
    assert_int_equal(sufficient_backward(&m->search, &found), 0);
    assert_int_equal(sufficient_orders(&m->search, &found), 2);
    assert_int_equal(sufficient_weigh(&m->search, &found), 0);

    assert_int_equal(found.enabling.n, 1);
    assert_int_equal(found.enabling.list[0], made_up_order(m, 0, 1));
    assert_int_equal(sufficient_orders(&m->search, &found), 1);
}

/* ---- Labels --------------------------------------------------------------------------------- */

static void order_whose_reverse_never_fails_is_decisive(void **state)
{
    struct made_up *m = program_two_orders();

    (void)state;
    assert_int_equal(sufficient_backward(&m->search, &found), 0);
    assert_int_equal(label_all(&m->search, &found, labels), 0);

    assert_int_equal(label_of(m, 3, 1)->label, LABEL_DECISIVE);
    assert_int_equal(label_of(m, 3, 1)->flipped.failed, 0);
    assert_int_equal(label_of(m, 3, 1)->flipped.trials, EXPLAIN_VERIFY_TRIALS);
    assert_in_range(label_of(m, 3, 1)->dropped.failed, 400, 780);
    assert_int_equal(label_of(m, 1, 4)->label, LABEL_DECISIVE);
}

static void order_without_which_others_cannot_be_had_is_set_up(void **state)
{
    struct made_up *m = program_set_up();

    (void)state;
    assert_int_equal(sufficient_backward(&m->search, &found), 0);
    assert_is_enough();
    assert_int_equal(label_all(&m->search, &found, labels), 0);

    assert_int_equal(found.chosen.n, 2);
    assert_int_equal(label_of(m, 0, 1)->label, LABEL_SET_UP);
    assert_int_equal(label_of(m, 0, 1)->flipped.stuck, EXPLAIN_VERIFY_TRIALS);
    assert_int_equal(label_of(m, 2, 3)->label, LABEL_DECISIVE);
}

static void order_without_which_nearly_all_fail_is_helping(void **state)
{
    struct made_up *m = program_acknowledgements();

    (void)state;
    assert_int_equal(sufficient_backward(&m->search, &found), 0);
    assert_int_equal(label_all(&m->search, &found, labels), 0);

    assert_int_equal(label_of(m, 0, 4)->label, LABEL_HELPING);
    assert_in_range(label_of(m, 0, 4)->flipped.failed, 500, 900);
}

static void label_that_the_budget_does_not_allow_is_none(void **state)
{
    struct made_up *m = program_two_orders();

    (void)state;
    assert_int_equal(sufficient_backward(&m->search, &found), 0);
    m->executions_max = m->executions + EXPLAIN_VERIFY_TRIALS + 500;
    assert_int_equal(label_all(&m->search, &found, labels), EXPLAIN_OVER);
    m->executions_max = 0;

    assert_int_equal(labels[0].dropped.trials, 0);
    assert_int_equal(labels[0].flipped.trials, 0);
}

static void value_has_no_reverse(void **state)
{
    struct made_up *m = program_value();

    (void)state;
    assert_int_equal(sufficient_backward(&m->search, &found), 0);
    assert_int_equal(label_all(&m->search, &found, labels), 0);

    assert_int_equal(labels[0].flipped.trials, 0);
    assert_in_range(labels[0].dropped.failed, 250, 420);
    assert_int_equal(labels[0].label, LABEL_NEEDED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(race_is_one_order),
        cmocka_unit_test(two_orders_of_ten_are_found),
        cmocka_unit_test(four_orders_of_twelve_are_found),
        cmocka_unit_test(of_a_disjunction_one_part_is_found),
        cmocka_unit_test(exclusive_or_is_both_orders_of_the_trial),
        cmocka_unit_test(two_of_four_acknowledgements_are_the_two_of_the_trial),
        cmocka_unit_test(operations_that_never_ran_are_named),
        cmocka_unit_test(value_that_is_needed_stays_and_others_go),
        cmocka_unit_test(noise_does_not_change_the_explanation),
        cmocka_unit_test(nothing_is_found_where_the_items_do_not_make_trials_fail),
        cmocka_unit_test(order_that_only_few_trials_need_is_kept),
        cmocka_unit_test(end_of_the_budget_leaves_an_unverified_set),
        cmocka_unit_test(verification_uses_seeds_of_its_own),
        cmocka_unit_test(order_that_gets_others_stuck_is_left_out),
        cmocka_unit_test(weaker_order_is_taken_where_it_is_enough),
        cmocka_unit_test(orders_that_are_said_together_count_as_one),
        cmocka_unit_test(twelve_orders_are_too_many_and_eight_reach_little),
        cmocka_unit_test(order_whose_reverse_never_fails_is_decisive),
        cmocka_unit_test(order_without_which_others_cannot_be_had_is_set_up),
        cmocka_unit_test(order_without_which_nearly_all_fail_is_helping),
        cmocka_unit_test(label_that_the_budget_does_not_allow_is_none),
        cmocka_unit_test(value_has_no_reverse),
        cmocka_unit_test(order_without_which_all_that_go_on_fail_is_enabling),
        cmocka_unit_test(enabling_orders_do_not_make_a_set_long),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
