/* test_reductions.c - what is done to a history to make it smaller never makes a legal one illegal.
 *
 *     test_reductions [HISTORIES [SEED]]
 *
 * Each reduction is applied wherever it can be to random legal histories, of each model, by real
 * time and by program order, and brute force looks at what is left. What must not be done is tried
 * too, and must be seen to do harm: otherwise the histories could not tell. LINEAR_HISTORIES in the
 * environment overrides the number of histories. SPDX-License-Identifier: MIT
 */
#include "reductions.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const names[] = {"register", "cas-register", "map",   "set",
                                    "counter",  "fetch-add",    "queue", "priority-queue",
                                    "stack",    "mutex",        "lease", "list"};

static const char *const reduction_names[REDUCTIONS] = {"relaxing", "observers", "values",  "keys",
                                                        "cuts",     "tails",     "deleting"};

enum { MODELS = sizeof(names) / sizeof(names[0]) };

/* Legal histories: those to which a reduction could be applied, and those of them that it made
 * illegal. */
struct tally {
    uint64_t n;
    uint64_t n_applied[REDUCTIONS];
    uint64_t n_broken[REDUCTIONS];
};

/* By model and order; where the reduction is allowed, and where it is not. */
static struct tally allowed[MODELS][2];
static struct tally forbidden[MODELS][2];

static bool is_legal(const struct sample *h, enum brute_order order)
{
    return plain_allows(h->object, h->model, h->initial, h->operations, h->n, order);
}

static void report(const struct sample *h, const struct sample *less, enum reduction how,
                   enum brute_order order)
{
    (void)fprintf(stderr, "# %s make a legal history illegal, by %s:\n", reduction_names[how],
                  order == BRUTE_REAL_TIME ? "real time" : "program order");
    sample_print(h);
    (void)fprintf(stderr, "# what is left:\n");
    sample_print(less);
}

static void try_reduction(const struct sample *h, enum reduction how, enum brute_order order,
                          size_t model)
{
    bool is_allowed = reduction_is_allowed(h, how, order);
    struct tally *tally = is_allowed ? &allowed[model][order] : &forbidden[model][order];
    bool is_broken = false;
    bool is_applied = false;

    for (size_t i = 0; i < h->n && !is_broken; i++) {
        struct sample less;

        if (!reduction_apply(h, how, order, i, &less))
            continue;
        is_applied = true;
        is_broken = !is_legal(&less, order);
        if (is_broken && is_allowed && tally->n_broken[how] == 0)
            report(h, &less, how, order);
    }
    tally->n_applied[how] += is_applied;
    tally->n_broken[how] += is_broken;
}

static void run(size_t model, enum brute_order order, uint64_t seed, uint64_t n)
{
    const struct plain *object = plain_find(names[model]);
    bool is_container = strstr(" queue priority-queue stack ", names[model]) != NULL;
    struct sample history;
    struct rng rng;

    rng_init(&rng, seed + model, order);
    while (allowed[model][order].n < n) {
        if (is_container && rng_below(&rng, 4) == 0)
            sample_random_stays(&rng, object, sn_model_find(names[model]), &history);
        else if (order == BRUTE_PROGRAM_ORDER && rng_below(&rng, 4) == 0)
            sample_random_crossing(&rng, object, sn_model_find(names[model]), &history);
        else
            sample_random(&rng, object, sn_model_find(names[model]), &history);
        if (!is_legal(&history, order))
            continue;
        allowed[model][order].n++;
        for (enum reduction how = 0; how < REDUCTIONS; how++)
            try_reduction(&history, how, order, model);
    }
}

/* ---- What is allowed ------------------------------------------------------------------------- */

static size_t model_of(const char *name)
{
    size_t i = 0;

    while (strcmp(names[i], name) != 0)
        i++;
    return i;
}

static void assert_harmless(const char *name)
{
    const struct tally *by_time = &allowed[model_of(name)][BRUTE_REAL_TIME];
    const struct tally *by_order = &allowed[model_of(name)][BRUTE_PROGRAM_ORDER];

    assert_true(by_time->n > 0);
    for (enum reduction how = 0; how < REDUCTIONS; how++) {
        assert_int_equal(by_time->n_broken[how], 0);
        assert_int_equal(by_order->n_broken[how], 0);
    }
    assert_true(2 * by_time->n_applied[REDUCTION_RELAX] > by_time->n);
    assert_true(5 * by_time->n_applied[REDUCTION_OBSERVER] > by_time->n);
    assert_true(2 * by_time->n_applied[REDUCTION_CUT] > by_time->n);
    assert_true(2 * by_order->n_applied[REDUCTION_RELAX] > by_order->n);
    assert_true(5 * by_order->n_applied[REDUCTION_OBSERVER] > by_order->n);
    assert_true(by_order->n_applied[REDUCTION_TAIL] > 0);
}

static void assert_values_may_go(const char *name)
{
    const struct tally *by_time = &allowed[model_of(name)][BRUTE_REAL_TIME];
    const struct tally *by_order = &allowed[model_of(name)][BRUTE_PROGRAM_ORDER];

    assert_true(50 * by_time->n_applied[REDUCTION_VALUE] > by_time->n);
    assert_true(50 * by_order->n_applied[REDUCTION_VALUE] > by_order->n);
}

static void reductions_leave_legal_registers_legal(void **state)
{
    (void)state;
    assert_harmless("register");
    assert_values_may_go("register");
}

static void reductions_leave_legal_cas_registers_legal(void **state)
{
    (void)state;
    assert_harmless("cas-register");
    assert_values_may_go("cas-register");
}

static void reductions_leave_legal_maps_legal(void **state)
{
    (void)state;
    assert_harmless("map");
    assert_values_may_go("map");
}

static void reductions_leave_legal_sets_legal(void **state)
{
    (void)state;
    assert_harmless("set");
    assert_values_may_go("set");
}

static void reductions_leave_legal_counters_legal(void **state)
{
    (void)state;
    assert_harmless("counter");
}

static void reductions_leave_legal_fetch_and_add_legal(void **state)
{
    (void)state;
    assert_harmless("fetch-add");
}

static void reductions_leave_legal_queues_legal(void **state)
{
    (void)state;
    assert_harmless("queue");
    assert_values_may_go("queue");
}

static void reductions_leave_legal_priority_queues_legal(void **state)
{
    (void)state;
    assert_harmless("priority-queue");
    assert_values_may_go("priority-queue");
}

static void reductions_leave_legal_stacks_legal(void **state)
{
    (void)state;
    assert_harmless("stack");
    assert_values_may_go("stack");
}

static void reductions_leave_legal_mutexes_legal(void **state)
{
    (void)state;
    assert_harmless("mutex");
}

static void reductions_leave_legal_leases_legal(void **state)
{
    (void)state;
    assert_harmless("lease");
}

static void reductions_leave_legal_lists_legal(void **state)
{
    (void)state;
    assert_harmless("list");
}

static void every_model_has_been_tried(void **state)
{
    (void)state;
    for (size_t i = 0; i < MODELS; i++)
        assert_string_equal(sn_model_at(i)->name, names[i]);
    assert_null(sn_model_at(MODELS));
}

static void a_twentieth_of_the_histories_has_keys_that_can_be_dropped(void **state)
{
    (void)state;
    for (size_t i = 0; i < MODELS; i++) {
        assert_true(20 * allowed[i][BRUTE_REAL_TIME].n_applied[REDUCTION_KEY] > allowed[i][0].n);
        assert_true(20 * allowed[i][BRUTE_PROGRAM_ORDER].n_applied[REDUCTION_KEY] >
                    allowed[i][1].n);
    }
}

/* ---- What is not ----------------------------------------------------------------------------- */

static void deleting_any_operation_makes_some_legal_histories_illegal(void **state)
{
    (void)state;
    for (size_t i = 0; i < MODELS; i++) {
        assert_true(forbidden[i][BRUTE_REAL_TIME].n_broken[REDUCTION_DELETE] > 0);
        assert_true(forbidden[i][BRUTE_PROGRAM_ORDER].n_broken[REDUCTION_DELETE] > 0);
    }
}

static void cutting_makes_some_histories_illegal_that_are_legal_by_program_order(void **state)
{
    (void)state;
    for (size_t i = 0; i < MODELS; i++)
        assert_true(forbidden[i][BRUTE_PROGRAM_ORDER].n_broken[REDUCTION_CUT] > 0);
}

static void dropping_a_value_makes_some_legal_compare_and_sets_illegal(void **state)
{
    (void)state;
    assert_true(forbidden[model_of("cas-register")][BRUTE_REAL_TIME].n_broken[REDUCTION_VALUE] > 0);
    assert_true(forbidden[model_of("map")][BRUTE_REAL_TIME].n_broken[REDUCTION_VALUE] > 0);
}

static void dropping_a_value_makes_some_legal_lists_illegal(void **state)
{
    (void)state;
    assert_true(forbidden[model_of("list")][BRUTE_REAL_TIME].n_broken[REDUCTION_VALUE] > 0);
}

/* ---- Running --------------------------------------------------------------------------------- */

static uint64_t number_from(const char *text, uint64_t otherwise)
{
    return text != NULL ? strtoull(text, NULL, 10) : otherwise;
}

static void summarise(size_t model, enum brute_order order)
{
    (void)fprintf(stderr, "# %s by %s, %llu legal histories:", names[model],
                  order == BRUTE_REAL_TIME ? "real time" : "program order",
                  (unsigned long long)allowed[model][order].n);
    for (enum reduction how = 0; how < REDUCTIONS; how++) {
        const struct tally *yes = &allowed[model][order];
        const struct tally *no = &forbidden[model][order];

        if (yes->n_applied[how] > 0)
            (void)fprintf(stderr, " %s %llu/%llu", reduction_names[how],
                          (unsigned long long)yes->n_broken[how],
                          (unsigned long long)yes->n_applied[how]);
        if (no->n_applied[how] > 0)
            (void)fprintf(stderr, " (forbidden: %s %llu/%llu)", reduction_names[how],
                          (unsigned long long)no->n_broken[how],
                          (unsigned long long)no->n_applied[how]);
    }
    (void)fprintf(stderr, "\n");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reductions_leave_legal_registers_legal),
        cmocka_unit_test(reductions_leave_legal_cas_registers_legal),
        cmocka_unit_test(reductions_leave_legal_maps_legal),
        cmocka_unit_test(reductions_leave_legal_sets_legal),
        cmocka_unit_test(reductions_leave_legal_counters_legal),
        cmocka_unit_test(reductions_leave_legal_fetch_and_add_legal),
        cmocka_unit_test(reductions_leave_legal_queues_legal),
        cmocka_unit_test(reductions_leave_legal_priority_queues_legal),
        cmocka_unit_test(reductions_leave_legal_stacks_legal),
        cmocka_unit_test(reductions_leave_legal_mutexes_legal),
        cmocka_unit_test(reductions_leave_legal_leases_legal),
        cmocka_unit_test(reductions_leave_legal_lists_legal),
        cmocka_unit_test(every_model_has_been_tried),
        cmocka_unit_test(a_twentieth_of_the_histories_has_keys_that_can_be_dropped),
        cmocka_unit_test(deleting_any_operation_makes_some_legal_histories_illegal),
        cmocka_unit_test(cutting_makes_some_histories_illegal_that_are_legal_by_program_order),
        cmocka_unit_test(dropping_a_value_makes_some_legal_compare_and_sets_illegal),
        cmocka_unit_test(dropping_a_value_makes_some_legal_lists_illegal),
    };
    uint64_t n =
        number_from(getenv("LINEAR_HISTORIES"), number_from(argc > 1 ? argv[1] : NULL, 1000));
    uint64_t seed = number_from(argc > 2 ? argv[2] : NULL, 1);

    for (size_t i = 0; i < MODELS; i++) {
        run(i, BRUTE_REAL_TIME, seed, n);
        run(i, BRUTE_PROGRAM_ORDER, seed, n);
        summarise(i, BRUTE_REAL_TIME);
        summarise(i, BRUTE_PROGRAM_ORDER);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
