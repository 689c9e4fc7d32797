/* test_search.c - tests of the search, of sequential consistency, of budgets, of processes that
 * share the work, and of what is refused. SPDX-License-Identifier: MIT
 */
#include "histories.h"

#include <sennit/test.h>

static void operations_that_overlap_may_take_effect_in_any_order(void **state)
{
    (void)state;
    assert_int_equal(verdict(&sn_model_register, "search",
                             HISTORY(WRITE(0, 1, 1, 10), WRITE(1, 2, 2, 9), READ(2, 1, 11, 12))),
                     SN_LINEAR_YES);
    assert_int_equal(verdict(&sn_model_register, "search",
                             HISTORY(WRITE(0, 1, 1, 10), WRITE(1, 2, 2, 9), READ(2, 1, 11, 12),
                                     READ(2, 2, 13, 14))),
                     SN_LINEAR_NO);
}

static void calls_come_before_returns_at_the_same_time(void **state)
{
    (void)state;
    assert_int_equal(
        verdict(&sn_model_register, "search", HISTORY(READ(0, 1, 1, 5), WRITE(1, 1, 5, 6))),
        SN_LINEAR_YES);
    assert_int_equal(
        verdict(&sn_model_register, "search", HISTORY(READ(0, 1, 1, 4), WRITE(1, 1, 5, 6))),
        SN_LINEAR_NO);
}

static void an_operation_that_never_returned_may_take_effect_later_or_never(void **state)
{
    (void)state;
    assert_int_equal(verdict(&sn_model_register, "search",
                             HISTORY(WRITE(0, 1, 1, 2), WRITE(1, 2, 3, NEVER), READ(0, 1, 4, 5),
                                     READ(0, 2, 6, 7))),
                     SN_LINEAR_YES);
    assert_int_equal(verdict(&sn_model_register, "search",
                             HISTORY(WRITE(0, 1, 1, 2), WRITE(1, 2, 3, NEVER), READ(0, 1, 4, 5))),
                     SN_LINEAR_YES);
    assert_int_equal(verdict(&sn_model_register, "search",
                             HISTORY(WRITE(0, 1, 1, 2), READ(0, 2, 3, 4), WRITE(1, 2, 5, NEVER))),
                     SN_LINEAR_NO);
}

static void an_operation_that_never_returned_takes_effect_once(void **state)
{
    (void)state;
    assert_int_equal(verdict(&sn_model_register, "search",
                             HISTORY(WRITE(1, 2, 1, NEVER), READ(0, 2, 2, 3), WRITE(0, 1, 4, 5),
                                     READ(0, 2, 6, 7))),
                     SN_LINEAR_NO);
}

/* The second of two alike ones is called too late for the first read. */
static void of_alike_ones_the_first_called_is_used(void **state)
{
    (void)state;
    assert_int_equal(verdict(&sn_model_register, "search",
                             HISTORY(WRITE(1, 2, 8, NEVER), WRITE(2, 2, 1, NEVER), READ(0, 2, 2, 3),
                                     WRITE(0, 1, 4, 5), READ(0, 2, 9, 10))),
                     SN_LINEAR_YES);
    assert_int_equal(
        verdict(&sn_model_register, "search",
                HISTORY(WRITE(1, 2, 8, NEVER), WRITE(2, 2, 1, NEVER), READ(0, 2, 2, 3),
                        WRITE(0, 1, 4, 5), READ(0, 2, 6, 7), WRITE(0, 1, 7, 8), READ(0, 2, 9, 10))),
        SN_LINEAR_NO);
}

static void the_operation_that_could_not_be_placed_is_named(void **state)
{
    struct sn_check_options options = {.algorithm = "search"};
    struct sn_check_result result =
        check_with(&sn_model_register, &options,
                   HISTORY(WRITE(0, 1, 1, 2), READ(1, 3, 3, 4), READ(2, 1, 5, 6)));

    (void)state;
    assert_int_equal(result.verdict, SN_LINEAR_NO);
    assert_int_equal(result.stuck, 1);
    assert_string_equal(result.why,
                        "read -> 3 by process 1 cannot be put in order before it returns");
}

/* So many writes at the same time, and reads of all of them in the other order, last to first. */
static void make_wide(struct sn_operation *operations, uint32_t n, uint64_t ret)
{
    for (uint32_t i = 0; i < n; i++) {
        operations[i] = (struct sn_operation)WRITE(i, i, 1 + i, ret);
        operations[n + i] = (struct sn_operation)READ(1000, n - 1 - i, 1000 + 2 * i, 1001 + 2 * i);
    }
}

/* So many increments at the same time, and then a look at the count. */
static enum sn_linear count_to(uint64_t ret, sn_value count)
{
    struct sn_operation operations[101];

    for (uint32_t i = 0; i < 100; i++)
        operations[i] = (struct sn_operation)OP(i, COUNTER_INC, NIL, NIL, 1 + i, ret);
    operations[100] = (struct sn_operation)OP(100, COUNTER_GET, NIL, count, 300, 301);
    return verdict(&sn_model_counter, "search", operations, 101);
}

static void more_than_64_operations_may_be_open(void **state)
{
    struct sn_operation operations[200];

    (void)state;
    make_wide(operations, 100, 2000);
    assert_int_equal(verdict(&sn_model_register, "search", operations, 200), SN_LINEAR_YES);
    assert_int_equal(count_to(2000, 99), SN_LINEAR_YES);
    assert_int_equal(count_to(200, 99), SN_LINEAR_NO);
    assert_int_equal(count_to(2000, 101), SN_LINEAR_NO);
}

static void more_than_64_operations_may_not_be_known_to_have_returned(void **state)
{
    struct sn_operation operations[200];

    (void)state;
    make_wide(operations, 100, NEVER);
    assert_int_equal(verdict(&sn_model_register, "search", operations, 200), SN_LINEAR_YES);
    operations[199].result = 99;
    assert_int_equal(verdict(&sn_model_register, "search", operations, 200), SN_LINEAR_NO);
    assert_int_equal(count_to(NEVER, 100), SN_LINEAR_YES);
    assert_int_equal(count_to(NEVER, 101), SN_LINEAR_NO);
}

/* A bag of two coins: taking one gives either. */
static enum sn_step draw(void *bag, const struct sn_operation *op, uint32_t choice)
{
    unsigned char *coins = bag;
    unsigned char coin = (unsigned char)(1U << choice);

    if ((*coins & coin) != 0 || (op->ret != SN_TIME_NEVER && op->result != (sn_value)choice))
        coin = 0;
    *coins |= coin;
    if (choice == 0)
        return SN_STEP_TAKEN_MORE;
    return coin != 0 ? SN_STEP_TAKEN : SN_STEP_REFUSED;
}

static void a_step_may_have_several_outcomes(void **state)
{
    static const struct sn_function functions[] = {{"draw", false}, {0}};
    static const struct sn_model bag = {
        .name = "bag", .functions = functions, .state_size = 1, .step = draw};

    (void)state;
    assert_int_equal(verdict(&bag, NULL, HISTORY(OP(0, 0, NIL, 1, 1, 2))), SN_LINEAR_YES);
    assert_int_equal(verdict(&bag, NULL, HISTORY(OP(0, 0, NIL, 1, 1, 2), OP(0, 0, NIL, 0, 3, 4))),
                     SN_LINEAR_YES);
}

static void a_budget_of_configurations_ends_the_search(void **state)
{
    struct sn_check_options options = {.algorithm = "search", .configurations = 5};
    struct sn_operation operations[40];
    struct sn_check_result result;

    (void)state;
    make_wide(operations, 20, 2000);
    result = check_with(&sn_model_register, &options, operations, 40);

    assert_int_equal(result.verdict, SN_LINEAR_UNKNOWN);
    assert_int_equal(result.configurations, 5);
    assert_string_equal(result.why, "not decided within 5 configurations");
}

/* Twenty values in a queue in any order, and one that comes out although nobody put it in. */
static size_t make_hard(struct sn_operation *operations)
{
    for (uint32_t i = 0; i < 20; i++)
        operations[i] = (struct sn_operation)PUT(i, i + 1, 1, 100);
    operations[20] = (struct sn_operation)TAKE(20, 99, 101, 102);
    return 21;
}

static void a_budget_of_memory_ends_the_search(void **state)
{
    struct sn_check_options options = {.algorithm = "search", .memory_mb = 4};
    struct sn_operation operations[21];
    struct sn_check_result result =
        check_with(&sn_model_queue, &options, operations, make_hard(operations));

    (void)state;
    assert_int_equal(result.verdict, SN_LINEAR_UNKNOWN);
    assert_string_equal(result.why, "not decided within 4 MiB of memory");
}

static void a_budget_of_time_ends_the_search(void **state)
{
    struct sn_check_options options = {.algorithm = "search", .seconds = 1e-9};
    struct sn_operation operations[21];
    struct sn_check_result result =
        check_with(&sn_model_queue, &options, operations, make_hard(operations));

    (void)state;
    assert_int_equal(result.verdict, SN_LINEAR_UNKNOWN);
    assert_string_equal(result.why, "not decided within 1e-09 seconds");
}

static void an_empty_history_is_linearizable(void **state)
{
    struct sn_check_result result;

    (void)state;
    assert_int_equal(sn_check_history(&sn_model_queue, NULL, 0, NULL, &result), 0);
    assert_int_equal(result.verdict, SN_LINEAR_YES);
}

static int refused(const char *algorithm, const char *why, const struct sn_operation *operations,
                   size_t n)
{
    struct sn_check_options options = {.algorithm = algorithm};
    struct sn_check_result result;
    int rc = sn_check_history(&sn_model_register, operations, n, &options, &result);

    assert_string_equal(result.why, why);
    return rc;
}

static void nonsense_is_refused_with_a_sentence(void **state)
{
    (void)state;
    assert_int_equal(refused(NULL, "operation 1 returns before it is called",
                             HISTORY(WRITE(0, 1, 1, 2), READ(0, 1, 4, 3))),
                     SN_EINVAL);
    assert_int_equal(refused(NULL, "operation 0 has a function that the model does not have",
                             HISTORY(OP(0, 2, NIL, NIL, 1, 2))),
                     SN_EINVAL);
    assert_int_equal(
        refused("queue", "the algorithm queue is not for register", HISTORY(READ(0, NIL, 1, 2))),
        SN_EINVAL);
    assert_int_equal(refused("register",
                             "the algorithm register does not apply to these operations",
                             HISTORY(WRITE(0, 1, 1, 2), WRITE(0, 1, 3, 4))),
                     SN_EINVAL);
    assert_int_equal(refused(NULL, "operation 0 has a time of 2^63 or later",
                             HISTORY(READ(0, 1, 4, SN_TIME_NEVER - 1))),
                     SN_EINVAL);
}

/* ---- Sequential consistency ----------------------------------------------------------------- */

static enum sn_linear sequential(const struct sn_model *model,
                                 const struct sn_operation *operations, size_t n)
{
    struct sn_check_options options = {.is_sequential = true};

    return check_with(model, &options, operations, n).verdict;
}

static void time_between_processes_does_not_count(void **state)
{
    (void)state;
    assert_int_equal(sequential(&sn_model_register, HISTORY(WRITE(0, 1, 1, 2), READ(1, NIL, 3, 4))),
                     SN_LINEAR_YES);
    assert_int_equal(sequential(&sn_model_register, HISTORY(WRITE(0, 1, 1, 2), READ(0, NIL, 3, 4))),
                     SN_LINEAR_NO);
}

/* Each key alone has an order; Lamport's example. */
static void keys_are_ordered_together(void **state)
{
    (void)state;
    assert_int_equal(sequential(&sn_model_map, HISTORY(ON(1, 0, REGISTER_WRITE, 1, NIL, 1, 2),
                                                       ON(2, 0, REGISTER_READ, NIL, NIL, 3, 4),
                                                       ON(2, 1, REGISTER_WRITE, 1, NIL, 1, 2),
                                                       ON(1, 1, REGISTER_READ, NIL, NIL, 3, 4))),
                     SN_LINEAR_NO);
    assert_int_equal(sequential(&sn_model_map, HISTORY(ON(1, 0, REGISTER_WRITE, 1, NIL, 1, 2),
                                                       ON(2, 0, REGISTER_READ, NIL, NIL, 3, 4),
                                                       ON(2, 1, REGISTER_WRITE, 1, NIL, 1, 2),
                                                       ON(1, 1, REGISTER_READ, NIL, 1, 3, 4))),
                     SN_LINEAR_YES);
}

static void what_never_returned_waits_for_its_own_process(void **state)
{
    (void)state;
    assert_int_equal(
        sequential(&sn_model_register, HISTORY(READ(0, 2, 1, 2), WRITE(0, 2, 3, NEVER))),
        SN_LINEAR_NO);
    assert_int_equal(
        sequential(&sn_model_register, HISTORY(READ(0, 2, 1, 2), WRITE(1, 2, 3, NEVER))),
        SN_LINEAR_YES);
}

/* ---- What is hidden ------------------------------------------------------------------------- */

static void a_write_that_another_hides_may_still_take_effect_later(void **state)
{
    (void)state;
    assert_int_equal(verdict(&sn_model_register, "search",
                             HISTORY(WRITE(0, 1, 1, 4), WRITE(1, 3, 2, 11), READ(2, 1, 7, 9),
                                     READ(3, 3, 12, 18))),
                     SN_LINEAR_YES);
    assert_int_equal(verdict(&sn_model_register, "search",
                             HISTORY(WRITE(0, 1, 1, 4), WRITE(1, 3, 2, 11), READ(2, 1, 7, 9),
                                     READ(3, 1, 12, 18), READ(3, 3, 19, 20))),
                     SN_LINEAR_NO);
}

static void a_write_that_was_called_later_is_not_hidden(void **state)
{
    (void)state;
    assert_int_equal(verdict(&sn_model_register, "search",
                             HISTORY(WRITE(0, 1, 1, 2), WRITE(1, 2, 3, 4), READ(2, 1, 5, 6))),
                     SN_LINEAR_NO);
}

/* All of them are open at the same time, and one read sees what nobody has written. */
static void writes_that_hide_each_other_are_not_tried_in_every_order(void **state)
{
    struct sn_operation operations[41];
    struct sn_check_options search = {.algorithm = "search", .configurations = 10000};
    struct sn_check_result result;

    (void)state;
    for (uint32_t i = 0; i < 40; i++)
        operations[i] = (struct sn_operation)WRITE(i, i, i, 100 + i);
    operations[40] = (struct sn_operation)READ(40, 50, 99, 200);
    result = check_with(&sn_model_register, &search, operations, 41);

    assert_int_equal(result.verdict, SN_LINEAR_NO);
    assert_int_equal(result.stuck, 40);
}

/* ---- Several processes ---------------------------------------------------------------------- */

static void several_processes_find_the_same(void **state)
{
    struct sn_check_options one = {.algorithm = "search"};
    struct sn_check_options several = {.algorithm = "search", .jobs = 3};
    struct sn_operation operations[40];
    struct sn_check_result alone;
    struct sn_check_result together;

    (void)state;
    for (uint32_t i = 0; i < 20; i++) {
        operations[2 * i] = (struct sn_operation)ON(i, 0, REGISTER_WRITE, 1, NIL, 1, 2);
        operations[2 * i + 1] =
            (struct sn_operation)ON(i, 1, REGISTER_READ, NIL, i < 7 ? 1 : 2, 3, 4);
    }
    alone = check_with(&sn_model_map, &one, operations, 40);
    together = check_with(&sn_model_map, &several, operations, 40);

    assert_int_equal(together.verdict, SN_LINEAR_NO);
    assert_int_equal(together.key, 7);
    assert_int_equal(together.stuck, 15);
    assert_string_equal(together.why, alone.why);
    assert_string_equal(together.algorithm, "search");
    assert_int_equal(together.configurations, alone.configurations);
    assert_int_equal(together.partitions, 20);
    assert_int_equal(check_with(&sn_model_map, &several, operations, 14).verdict, SN_LINEAR_YES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations_that_overlap_may_take_effect_in_any_order),
        cmocka_unit_test(calls_come_before_returns_at_the_same_time),
        cmocka_unit_test(an_operation_that_never_returned_may_take_effect_later_or_never),
        cmocka_unit_test(an_operation_that_never_returned_takes_effect_once),
        cmocka_unit_test(of_alike_ones_the_first_called_is_used),
        cmocka_unit_test(the_operation_that_could_not_be_placed_is_named),
        cmocka_unit_test(more_than_64_operations_may_be_open),
        cmocka_unit_test(more_than_64_operations_may_not_be_known_to_have_returned),
        cmocka_unit_test(a_step_may_have_several_outcomes),
        cmocka_unit_test(a_budget_of_configurations_ends_the_search),
        cmocka_unit_test(a_budget_of_memory_ends_the_search),
        cmocka_unit_test(a_budget_of_time_ends_the_search),
        cmocka_unit_test(an_empty_history_is_linearizable),
        cmocka_unit_test(nonsense_is_refused_with_a_sentence),
        cmocka_unit_test(time_between_processes_does_not_count),
        cmocka_unit_test(keys_are_ordered_together),
        cmocka_unit_test(what_never_returned_waits_for_its_own_process),
        cmocka_unit_test(a_write_that_another_hides_may_still_take_effect_later),
        cmocka_unit_test(a_write_that_was_called_later_is_not_hidden),
        cmocka_unit_test(writes_that_hide_each_other_are_not_tried_in_every_order),
        cmocka_unit_test(several_processes_find_the_same),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
