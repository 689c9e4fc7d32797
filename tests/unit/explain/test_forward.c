/* test_forward.c - explanations that are found by adding one item after the other.
 * SPDX-License-Identifier: MIT
 */
#include "explain/sufficient.h"
#include "programs.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static struct sufficient found;

static void assert_is_enough(void)
{
    assert_true(found.is_enough);
    assert_true(found.is_minimal);
    assert_int_equal(found.verified.trials, EXPLAIN_VERIFY_TRIALS);
    assert_int_equal(found.verified.failed, EXPLAIN_VERIFY_TRIALS);
}

static bool is_chosen(const struct made_up *m, uint32_t first, uint32_t second)
{
    return items_has(&found.chosen, made_up_order(m, first, second));
}

static void forward_finds_two_orders(void **state)
{
    struct made_up *m = program_two_orders();

    (void)state;
    assert_int_equal(sufficient_forward(&m->search, &found), 0);

    assert_is_enough();
    assert_int_equal(found.chosen.n, 2);
    assert_true(is_chosen(m, 3, 1));
    assert_true(is_chosen(m, 1, 4));
}

static void forward_finds_four_orders(void **state)
{
    struct made_up *m = program_four_orders();

    (void)state;
    assert_int_equal(sufficient_forward(&m->search, &found), 0);

    assert_is_enough();
    assert_int_equal(found.chosen.n, 4);
}

static void forward_keeps_the_value_that_is_needed(void **state)
{
    struct made_up *m = program_value();

    (void)state;
    assert_int_equal(sufficient_forward(&m->search, &found), 0);

    assert_is_enough();
    assert_int_equal(found.chosen.n, 2);
    assert_int_equal(found.chosen.list[0], 1);
}

static bool two_fail_by_chance(const struct made_up_run *run)
{
    return before(run, 3, 1) && before(run, 1, 4) && run->draws[0] == 0;
}

/* With both orders half of the trials fail: the rest is up to a value that cannot be asked for. */
static void forward_that_does_not_arrive_says_how_far_it_came(void **state)
{
    static const uint32_t values[] = {2};
    static const uint32_t drawn[] = {0};
    struct made_up *m = program_two_orders();

    (void)state;
    m->fails = two_fail_by_chance;
    m->values = values;
    m->drawn = drawn;
    m->n_draws = 1;
    m->hides_draws = true;
    made_up_open(m);
    assert_int_equal(sufficient_forward(&m->search, &found), 0);

    assert_false(found.is_enough);
    assert_true(is_chosen(m, 3, 1));
    assert_true(is_chosen(m, 1, 4));
    assert_int_equal(found.verified.trials, EXPLAIN_VERIFY_TRIALS);
    assert_in_range(found.verified.failed, 430, 570);
}

/* Three values, the first of which no trial can have together with the others, and an order. The
 * other two make half of the trials fail, with the order all of them; nothing alone does. */
static int answer_contradiction(void *self, const struct question *q, struct answer *out)
{
    bool is_chosen[4] = {false};

    (void)self;
    for (uint32_t i = 0; i < q->n_choices; i++)
        is_chosen[q->choices[i].item] = true;
    out->trials = q->trials;
    if (is_chosen[0] && (is_chosen[1] || is_chosen[2]))
        out->stuck = q->trials;
    else if (is_chosen[1] && is_chosen[2])
        out->failed = is_chosen[3] ? q->trials : q->trials / 2;
    for (uint32_t i = 0; q->blamed != NULL && i < q->n_choices; i++)
        q->blamed[i] = q->choices[i].item == 0 ? out->stuck : 0;
    return 0;
}

static void forward_begins_with_values_that_can_be_had_at_once(void **state)
{
    static const struct item items[] = {{.kind = ITEM_DRAW},
                                        {.kind = ITEM_DRAW, .first = 1},
                                        {.kind = ITEM_DRAW, .first = 2},
                                        {.kind = ITEM_ORDER, .second = 1}};
    const struct asker asker = {.ask = answer_contradiction};
    struct sufficient_search s = {
        .asker = &asker, .items = items, .n_items = 4, .n_known = 4, .next_stream = STREAM_VERIFY};

    (void)state;
    assert_int_equal(sufficient_forward(&s, &found), 0);

    assert_is_enough();
    assert_int_equal(found.chosen.n, 3);
    assert_int_equal(found.chosen.list[0], 1);
    assert_int_equal(found.chosen.list[1], 2);
    assert_int_equal(found.chosen.list[2], 3);
}

/* Where all values at once make fewer trials fail than none of them, it begins with none. */
static int answer_without_values(void *self, const struct question *q, struct answer *out)
{
    uint32_t orders = 0;

    (void)self;
    for (uint32_t i = 0; i < q->n_choices; i++) {
        if (q->choices[i].item < 2)
            orders -= 10; /* none fails */
        orders++;
    }
    out->trials = q->trials;
    if (orders <= 2)
        out->failed = (orders + 2) * q->trials / 4;
    return 0;
}

static void forward_begins_without_values_that_keep_trials_from_failing(void **state)
{
    static const struct item items[] = {{.kind = ITEM_DRAW},
                                        {.kind = ITEM_DRAW, .first = 1},
                                        {.kind = ITEM_ORDER, .second = 1},
                                        {.kind = ITEM_ORDER, .second = 2}};
    const struct asker asker = {.ask = answer_without_values};
    struct sufficient_search s = {
        .asker = &asker, .items = items, .n_items = 4, .n_known = 4, .next_stream = STREAM_VERIFY};

    (void)state;
    assert_int_equal(sufficient_forward(&s, &found), 0);

    assert_is_enough();
    assert_int_equal(found.chosen.n, 2);
    assert_int_equal(found.chosen.list[0], 2);
    assert_int_equal(found.chosen.list[1], 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forward_finds_two_orders),
        cmocka_unit_test(forward_finds_four_orders),
        cmocka_unit_test(forward_keeps_the_value_that_is_needed),
        cmocka_unit_test(forward_that_does_not_arrive_says_how_far_it_came),
        cmocka_unit_test(forward_begins_with_values_that_can_be_had_at_once),
        cmocka_unit_test(forward_begins_without_values_that_keep_trials_from_failing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
