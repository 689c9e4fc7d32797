/* test_greedy.c - the first look for an order: what it accepts is linearizable.
 * SPDX-License-Identifier: MIT
 */
#include "linear/greedy.h"

#include "base/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define NIL SN_VALUE_NIL

enum { READ, WRITE };

static _Alignas(16) char memory[4096];

static bool accepts(const struct sn_model *model, const struct sn_operation *ops, size_t n)
{
    struct greedy greedy = {.model = model,
                            .operations = ops,
                            .n = n,
                            .initial = NIL,
                            .memory = memory,
                            .memory_size = sizeof(memory)};

    return greedy_is_linear(&greedy);
}

static struct sn_operation op(uint32_t function, sn_value value, uint64_t call, uint64_t ret)
{
    struct sn_operation made = {
        .function = function, .argument = {NIL, NIL}, .result = NIL, .call = call, .ret = ret};

    if (function == WRITE)
        made.argument[0] = value;
    else
        made.result = value;
    return made;
}

static void operations_take_effect_when_they_return(void **unused)
{
    const struct sn_operation ops[] = {op(WRITE, 1, 1, 2), op(WRITE, 2, 3, 8), op(READ, 1, 4, 7),
                                       op(READ, 2, 9, 10)};

    (void)unused;

    assert_true(accepts(&sn_model_register, ops, 4));
}

static void an_operation_takes_effect_earlier_if_a_return_needs_it(void **unused)
{
    const struct sn_operation ops[] = {op(WRITE, 1, 1, 8), op(READ, 1, 4, 7),
                                       op(WRITE, 2, 9, SN_TIME_NEVER), op(READ, 2, 10, 11)};

    (void)unused;

    assert_true(accepts(&sn_model_register, ops, 4));
}

static void a_read_takes_effect_while_what_it_sees_is_there(void **unused)
{
    const struct sn_operation ops[] = {op(WRITE, 1, 1, 2), op(READ, 1, 3, 9), op(WRITE, 2, 4, 5)};

    (void)unused;

    assert_true(accepts(&sn_model_register, ops, 3));
}

static void an_operation_does_not_take_effect_before_its_call(void **unused)
{
    const struct sn_operation ops[] = {op(READ, 1, 1, 2), op(WRITE, 1, 3, 4)};

    (void)unused;

    assert_false(accepts(&sn_model_register, ops, 2));
}

static void objects_have_states_of_their_own(void **unused)
{
    struct sn_operation ops[] = {op(WRITE, 1, 1, 2), op(WRITE, 2, 3, 4), op(READ, 1, 5, 6)};

    (void)unused;

    assert_false(accepts(&sn_model_map, ops, 3));
    ops[1].key = 7;
    assert_true(accepts(&sn_model_map, ops, 3));
}

static void histories_that_do_not_fit_are_left_to_the_checker(void **unused)
{
    struct sn_operation ops[GREEDY_OPERATIONS_MAX + 1];

    (void)unused;
    for (uint64_t i = 0; i <= GREEDY_OPERATIONS_MAX; i++)
        ops[i] = op(WRITE, 1, 2 * i + 1, 2 * i + 2);

    assert_true(accepts(&sn_model_register, ops, GREEDY_OPERATIONS_MAX));
    assert_false(accepts(&sn_model_register, ops, GREEDY_OPERATIONS_MAX + 1));
    assert_false(accepts(&sn_model_list, ops, GREEDY_OPERATIONS_MAX)); /* states are too large */
}

/* Operations of a register or a queue, both of which number what has a result and what has an
 * argument alike once they are swapped. */
static size_t make_random(struct rng *rng, bool is_queue, struct sn_operation *ops)
{
    size_t n = 3 + rng_below(rng, 6);
    uint64_t now = 1;

    for (size_t i = 0; i < n; i++) {
        uint32_t function = rng_below(rng, 2);

        now += 1 + rng_below(rng, 3);
        ops[i] = op(function, 1 + rng_below(rng, 2), now, now + 1 + rng_below(rng, 12));
        if (is_queue)
            ops[i].function = 1 - function;
        if (rng_below(rng, 6) == 0)
            ops[i].ret = SN_TIME_NEVER;
    }
    return n;
}

static void compare_random(const struct sn_model *model, bool is_queue)
{
    struct rng rng;
    uint64_t accepted = 0;
    uint64_t refused = 0;

    rng_init(&rng, 1, 0);
    for (int i = 0; i < 3000; i++) {
        struct sn_operation ops[16];
        size_t n = make_random(&rng, is_queue, ops);
        struct sn_check_result result;

        assert_int_equal(sn_check_history(model, ops, n, NULL, &result), 0);
        if (accepts(model, ops, n)) {
            assert_int_equal(result.verdict, SN_LINEAR_YES);
            accepted++;
        }
        refused += result.verdict == SN_LINEAR_NO;
    }
    assert_true(accepted > 300);
    assert_true(refused > 300);
}

static void no_illegal_history_of_a_register_is_accepted(void **unused)
{
    (void)unused;
    compare_random(&sn_model_register, false);
}

static void no_illegal_history_of_a_queue_is_accepted(void **unused)
{
    (void)unused;
    compare_random(&sn_model_queue, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations_take_effect_when_they_return),
        cmocka_unit_test(an_operation_takes_effect_earlier_if_a_return_needs_it),
        cmocka_unit_test(a_read_takes_effect_while_what_it_sees_is_there),
        cmocka_unit_test(an_operation_does_not_take_effect_before_its_call),
        cmocka_unit_test(objects_have_states_of_their_own),
        cmocka_unit_test(histories_that_do_not_fit_are_left_to_the_checker),
        cmocka_unit_test(no_illegal_history_of_a_register_is_accepted),
        cmocka_unit_test(no_illegal_history_of_a_queue_is_accepted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
