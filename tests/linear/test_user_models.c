/* test_user_models.c - models of users: with a choice between next states, and with states that
 * are alike though their bytes differ.
 *
 * The model is a bag: whoever takes gets any of the values in it. SPDX-License-Identifier: MIT
 */
#include "random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

enum { BAG_MAX = SAMPLE_OPERATIONS_MAX, PUT = 0, TAKE = 1 };

struct bag {
    uint64_t n;
    sn_value values[BAG_MAX];
};

static enum sn_step take(struct bag *bag, const struct sn_operation *op, uint32_t choice)
{
    uint64_t i = choice;

    if (bag->n == 0)
        return op->ret == SN_TIME_NEVER || op->result == SN_VALUE_NIL ? SN_STEP_TAKEN
                                                                      : SN_STEP_REFUSED;
    if (op->ret != SN_TIME_NEVER)
        for (i = 0; i < bag->n && bag->values[i] != op->result;)
            i++;
    if (i == bag->n)
        return SN_STEP_REFUSED;
    bag->values[i] = bag->values[--bag->n];
    bag->values[bag->n] = 0;
    return op->ret == SN_TIME_NEVER && i < bag->n ? SN_STEP_TAKEN_MORE : SN_STEP_TAKEN;
}

static enum sn_step step(void *state, const struct sn_operation *op, uint32_t choice)
{
    struct bag *bag = state;

    if (op->function == TAKE)
        return take(bag, op, choice);
    bag->values[bag->n++] = op->argument[0];
    return SN_STEP_TAKEN;
}

/* The same with the values in order, so that bags that are alike have the same bytes. */
static enum sn_step step_in_order(void *state, const struct sn_operation *op, uint32_t choice)
{
    struct bag *bag = state;
    enum sn_step taken = step(state, op, choice);

    for (uint64_t i = 1; i < bag->n; i++)
        for (uint64_t j = i; j > 0 && bag->values[j - 1] > bag->values[j]; j--) {
            sn_value value = bag->values[j];

            bag->values[j] = bag->values[j - 1];
            bag->values[j - 1] = value;
        }
    return taken;
}

static bool has_as_many(const struct bag *a, const struct bag *b, sn_value value)
{
    int difference = 0;

    for (uint64_t i = 0; i < a->n; i++)
        difference += (a->values[i] == value) - (b->values[i] == value);
    return difference == 0;
}

static bool are_alike(const void *a, const void *b)
{
    const struct bag *x = a;

    if (x->n != ((const struct bag *)b)->n)
        return false;
    for (uint64_t i = 0; i < x->n; i++)
        if (!has_as_many(a, b, x->values[i]))
            return false;
    return true;
}

static uint64_t hash(const void *state)
{
    const struct bag *bag = state;
    uint64_t sum = bag->n;

    for (uint64_t i = 0; i < bag->n; i++)
        sum += mix64((uint64_t)bag->values[i]);
    return sum;
}

static const struct sn_function functions[] = {{"enqueue", false}, {"dequeue", false}, {0}};

static const struct sn_model bag_alike = {.name = "bag",
                                          .functions = functions,
                                          .state_size = sizeof(struct bag),
                                          .step = step,
                                          .equal = are_alike,
                                          .hash = hash};

static const struct sn_model bag_bytes = {
    .name = "bag", .functions = functions, .state_size = sizeof(struct bag), .step = step};

static const struct sn_model bag_in_order = {.name = "bag",
                                             .functions = functions,
                                             .state_size = sizeof(struct bag),
                                             .step = step_in_order,
                                             .is_partitioned = true};

static void assert_agrees(const struct sn_model *model)
{
    const struct plain *queue = plain_find("queue"); /* what it does a bag may do */
    uint64_t n_illegal = 0;
    struct rng rng;

    rng_init(&rng, 1, 0);
    for (int i = 0; i < 2000; i++) {
        struct sn_check_result result;
        struct sample h;
        bool is_legal;

        sample_random(&rng, queue, model, &h);
        is_legal = brute_model_allows(model, SN_VALUE_NIL, h.operations, h.n, BRUTE_REAL_TIME);
        n_illegal += !is_legal;
        assert_int_equal(
            sn_check_history(model, h.operations, h.n, &(struct sn_check_options){0}, &result), 0);
        if (result.verdict != (is_legal ? SN_LINEAR_YES : SN_LINEAR_NO))
            sample_print(&h);
        assert_int_equal(result.verdict, is_legal ? SN_LINEAR_YES : SN_LINEAR_NO);
    }
    assert_true(n_illegal >= 200);
}

static void choices_of_a_user_model_are_all_searched(void **state)
{
    (void)state;
    assert_agrees(&bag_bytes);
}

static void states_that_a_user_model_calls_alike_are_searched_once(void **state)
{
    (void)state;
    assert_agrees(&bag_alike);
}

static void a_user_model_is_checked_key_by_key(void **state)
{
    (void)state;
    assert_agrees(&bag_in_order);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(choices_of_a_user_model_are_all_searched),
        cmocka_unit_test(states_that_a_user_model_calls_alike_are_searched_once),
        cmocka_unit_test(a_user_model_is_checked_key_by_key),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
