/* test_rules.c - the special algorithms, written once more, against brute force; and that the same
 * comparison finds each mistake that is easily made in them.
 *
 * The library is not under test here, the histories are: what they show in these algorithms they
 * show in those of the library too. SPDX-License-Identifier: MIT
 */
#include "rules.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

enum { HISTORIES = 4000, HISTORIES_OF_INTERVALS = 40000 };

typedef void generator(struct rng *rng, const struct plain *object, const struct sn_model *model,
                       struct sample *history);

struct tally {
    uint64_t n_illegal;
    uint64_t n_wrong;
};

/* Compares a rule with brute force on so many histories that it applies to. */
static struct tally compare(rule_function *rule, enum mistake mistake, const char *name,
                            generator *generate, uint64_t n)
{
    const struct plain *object = plain_find(name);
    const struct sn_model *model = sn_model_find(name);
    struct tally tally = {0};
    struct sample history;
    struct rng rng;

    rng_init(&rng, 1, 0);
    while (n > 0) {
        enum ruling ruling;
        bool is_legal;

        generate(&rng, object, model, &history);
        ruling = rule(&history, mistake);
        if (ruling == RULING_NOT_APPLICABLE)
            continue;
        n--;
        is_legal = plain_allows(object, model, history.initial, history.operations, history.n,
                                BRUTE_REAL_TIME);
        tally.n_illegal += !is_legal;
        if (is_legal == (ruling == RULING_YES))
            continue;
        tally.n_wrong++;
        if (mistake == MISTAKE_NONE && tally.n_wrong == 1)
            sample_print(&history);
    }
    return tally;
}

static void assert_agrees(rule_function *rule, const char *name, generator *generate)
{
    struct tally tally = compare(rule, MISTAKE_NONE, name, generate, HISTORIES);

    assert_int_equal(tally.n_wrong, 0);
    assert_true(tally.n_illegal >= HISTORIES / 5);
}

static void assert_shown(rule_function *rule, enum mistake mistake, const char *name,
                         generator *generate)
{
    struct tally tally = compare(rule, mistake, name, generate, HISTORIES);

    (void)fprintf(stderr, "# %s, mistake %d: %llu of %d\n", name, (int)mistake,
                  (unsigned long long)tally.n_wrong, HISTORIES);
    assert_true(tally.n_wrong > 0);
}

/* ---- The rules hold -------------------------------------------------------------------------- */

static void window_search_agrees_on_registers(void **state)
{
    (void)state;
    assert_agrees(rule_search, "register", sample_random);
}

static void window_search_agrees_on_queues(void **state)
{
    (void)state;
    assert_agrees(rule_search, "queue", sample_random);
}

static void zones_of_distinct_values_agree(void **state)
{
    (void)state;
    assert_agrees(rule_register, "register", sample_random);
}

static void chains_of_compare_and_set_agree(void **state)
{
    (void)state;
    assert_agrees(rule_cas, "cas-register", sample_random);
}

static void flipping_as_late_as_possible_agrees(void **state)
{
    (void)state;
    assert_agrees(rule_set, "set", sample_random);
}

static void counting_as_late_as_possible_agrees(void **state)
{
    (void)state;
    assert_agrees(rule_counter, "counter", sample_random);
}

static void tickets_with_gaps_agree(void **state)
{
    (void)state;
    assert_agrees(rule_fetch_add, "fetch-add", sample_random);
}

static void pairs_and_segments_of_queues_agree(void **state)
{
    (void)state;
    assert_agrees(rule_queue, "queue", sample_random);
    assert_agrees(rule_queue, "queue", sample_random_stays);
}

static void wrapping_and_splitting_stacks_agrees(void **state)
{
    (void)state;
    assert_agrees(rule_stack, "stack", sample_random);
    assert_agrees(rule_stack, "stack", sample_random_stays);
}

/* ---- Mistakes are shown ---------------------------------------------------------------------- */

static void slots_shared_with_unknown_operations_are_found(void **state)
{
    (void)state;
    assert_shown(rule_search, SEARCH_SHARES_SLOTS, "register", sample_random);
}

static void taking_the_last_of_equal_unknown_operations_is_found(void **state)
{
    (void)state;
    assert_shown(rule_search, SEARCH_TAKES_LAST_OF_EQUAL, "fetch-add", sample_random);
}

static void a_memory_without_the_window_is_found(void **state)
{
    (void)state;
    assert_shown(rule_search, SEARCH_FORGETS_THE_WINDOW, "register", sample_random);
}

static void a_memory_without_used_unknown_operations_is_found(void **state)
{
    (void)state;
    assert_shown(rule_search, SEARCH_FORGETS_WHAT_WAS_USED, "map", sample_random);
}

static void ignored_backward_zones_are_found(void **state)
{
    (void)state;
    assert_shown(rule_register, REGISTER_IGNORES_BACKWARD_ZONES, "register", sample_random);
}

static void reads_before_their_writes_are_found(void **state)
{
    (void)state;
    assert_shown(rule_register, REGISTER_READS_BEFORE_WRITES, "register", sample_random);
}

static void ignored_order_in_chains_is_found(void **state)
{
    (void)state;
    assert_shown(rule_cas, CAS_IGNORES_ORDER_IN_CHAINS, "cas-register", sample_random);
}

static void zones_per_value_instead_of_chain_are_found(void **state)
{
    (void)state;
    assert_shown(rule_cas, CAS_HAS_ZONES_PER_VALUE, "cas-register", sample_random);
}

static void taking_the_first_called_change_of_a_set_is_found(void **state)
{
    (void)state;
    assert_shown(rule_set, SET_TAKES_FIRST_CALLED, "set", sample_random);
}

static void changing_a_set_early_is_found(void **state)
{
    (void)state;
    assert_shown(rule_set, SET_FLIPS_EARLY, "set", sample_random);
}

static void ignored_gets_of_a_counter_are_found(void **state)
{
    (void)state;
    assert_shown(rule_counter, COUNTER_IGNORES_EARLIER_GETS, "counter", sample_random);
}

static void taking_the_first_called_increment_is_found(void **state)
{
    (void)state;
    assert_shown(rule_counter, COUNTER_TAKES_FIRST_CALLED, "counter", sample_random);
}

static void ignored_limits_of_tickets_are_found(void **state)
{
    (void)state;
    assert_shown(rule_fetch_add, FETCH_ADD_IGNORES_LIMITS, "fetch-add", sample_random);
}

static void ignored_values_that_stay_in_a_queue_are_found(void **state)
{
    (void)state;
    assert_shown(rule_queue, QUEUE_IGNORES_WHAT_IS_NEVER_TAKEN, "queue", sample_random);
}

static void segments_that_are_not_joined_are_found(void **state)
{
    (void)state;
    assert_shown(rule_queue, QUEUE_DOES_NOT_MERGE_SEGMENTS, "queue", sample_random_stays);
}

static void a_stack_that_is_never_split_is_found(void **state)
{
    (void)state;
    assert_shown(rule_stack, STACK_NEVER_SPLITS, "stack", sample_random);
}

static void a_stack_that_is_compared_in_pairs_only_is_found(void **state)
{
    struct tally tally = compare(rule_stack, STACK_COMPARES_PAIRS_ONLY, "stack",
                                 sample_random_stays, HISTORIES_OF_INTERVALS);

    (void)state;
    (void)fprintf(stderr, "# pairs only: %llu\n", (unsigned long long)tally.n_wrong);
    assert_true(tally.n_wrong > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(window_search_agrees_on_registers),
        cmocka_unit_test(window_search_agrees_on_queues),
        cmocka_unit_test(zones_of_distinct_values_agree),
        cmocka_unit_test(chains_of_compare_and_set_agree),
        cmocka_unit_test(flipping_as_late_as_possible_agrees),
        cmocka_unit_test(counting_as_late_as_possible_agrees),
        cmocka_unit_test(tickets_with_gaps_agree),
        cmocka_unit_test(pairs_and_segments_of_queues_agree),
        cmocka_unit_test(wrapping_and_splitting_stacks_agrees),
        cmocka_unit_test(slots_shared_with_unknown_operations_are_found),
        cmocka_unit_test(taking_the_last_of_equal_unknown_operations_is_found),
        cmocka_unit_test(a_memory_without_the_window_is_found),
        cmocka_unit_test(a_memory_without_used_unknown_operations_is_found),
        cmocka_unit_test(ignored_backward_zones_are_found),
        cmocka_unit_test(reads_before_their_writes_are_found),
        cmocka_unit_test(ignored_order_in_chains_is_found),
        cmocka_unit_test(zones_per_value_instead_of_chain_are_found),
        cmocka_unit_test(taking_the_first_called_change_of_a_set_is_found),
        cmocka_unit_test(changing_a_set_early_is_found),
        cmocka_unit_test(ignored_gets_of_a_counter_are_found),
        cmocka_unit_test(taking_the_first_called_increment_is_found),
        cmocka_unit_test(ignored_limits_of_tickets_are_found),
        cmocka_unit_test(ignored_values_that_stay_in_a_queue_are_found),
        cmocka_unit_test(segments_that_are_not_joined_are_found),
        cmocka_unit_test(a_stack_that_is_never_split_is_found),
        cmocka_unit_test(a_stack_that_is_compared_in_pairs_only_is_found),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
