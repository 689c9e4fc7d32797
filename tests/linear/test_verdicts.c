/* test_verdicts.c - verdicts about random small histories against brute force, for every model.
 *
 *     test_verdicts [HISTORIES [SEED]]
 *
 * Each model's campaign is run once; the tests ask what came of it. LINEAR_HISTORIES in the
 * environment overrides the number of histories for each model. SPDX-License-Identifier: MIT
 */
#include "campaign.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static const char *const names[] = {"register", "cas-register", "map",   "set",
                                    "counter",  "fetch-add",    "queue", "priority-queue",
                                    "stack",    "mutex",        "lease", "list"};

enum { MODELS = sizeof(names) / sizeof(names[0]) };

static struct campaign campaigns[MODELS];

/* ---- One model ------------------------------------------------------------------------------- */

static void assert_verdicts_agree(const struct campaign *c)
{
    assert_true(c->n > 0);
    assert_int_equal(c->n_impossible, 0);
    assert_int_equal(c->n_wrong[JUDGE_MODEL], 0);
    assert_int_equal(c->n_wrong[JUDGE_SEARCH], 0);
    assert_int_equal(c->n_wrong[JUDGE_SPECIAL], 0);
    assert_int_equal(c->n_wrong[JUDGE_BEST], 0);
}

static void verdicts_about_register_are_those_of_brute_force(void **state)
{
    (void)state;
    assert_verdicts_agree(&campaigns[0]);
}

static void verdicts_about_cas_register_are_those_of_brute_force(void **state)
{
    (void)state;
    assert_verdicts_agree(&campaigns[1]);
}

static void verdicts_about_map_are_those_of_brute_force(void **state)
{
    (void)state;
    assert_verdicts_agree(&campaigns[2]);
}

static void verdicts_about_set_are_those_of_brute_force(void **state)
{
    (void)state;
    assert_verdicts_agree(&campaigns[3]);
}

static void verdicts_about_counter_are_those_of_brute_force(void **state)
{
    (void)state;
    assert_verdicts_agree(&campaigns[4]);
}

static void verdicts_about_fetch_add_are_those_of_brute_force(void **state)
{
    (void)state;
    assert_verdicts_agree(&campaigns[5]);
}

static void verdicts_about_queue_are_those_of_brute_force(void **state)
{
    (void)state;
    assert_verdicts_agree(&campaigns[6]);
}

static void verdicts_about_priority_queue_are_those_of_brute_force(void **state)
{
    (void)state;
    assert_verdicts_agree(&campaigns[7]);
}

static void verdicts_about_stack_are_those_of_brute_force(void **state)
{
    (void)state;
    assert_verdicts_agree(&campaigns[8]);
}

static void verdicts_about_mutex_are_those_of_brute_force(void **state)
{
    (void)state;
    assert_verdicts_agree(&campaigns[9]);
}

static void verdicts_about_lease_are_those_of_brute_force(void **state)
{
    (void)state;
    assert_verdicts_agree(&campaigns[10]);
}

static void verdicts_about_list_are_those_of_brute_force(void **state)
{
    (void)state;
    assert_verdicts_agree(&campaigns[11]);
}

/* ---- All of them ----------------------------------------------------------------------------- */

static void every_model_of_the_library_is_compared(void **state)
{
    (void)state;
    for (size_t i = 0; i < MODELS; i++)
        assert_string_equal(sn_model_at(i)->name, names[i]);
    assert_null(sn_model_at(MODELS));
}

static void at_least_a_fifth_of_the_histories_is_illegal(void **state)
{
    (void)state;
    for (size_t i = 0; i < MODELS; i++)
        assert_true(5 * campaigns[i].n_illegal >= campaigns[i].n);
}

static void histories_have_unknown_operations_equal_times_and_several_objects(void **state)
{
    (void)state;
    for (size_t i = 0; i < MODELS; i++) {
        assert_true(10 * campaigns[i].n_unknown >= campaigns[i].n);
        assert_true(20 * campaigns[i].n_illegal_unknown >= campaigns[i].n_unknown);
        assert_true(10 * campaigns[i].n_ties >= campaigns[i].n);
        assert_true(20 * campaigns[i].n_keys >= campaigns[i].n);
    }
}

static uint64_t n_special(const char *model)
{
    for (size_t i = 0; i < MODELS; i++)
        if (campaigns[i].model == sn_model_find(model))
            return 20 * campaigns[i].n_judged[JUDGE_SPECIAL] / campaigns[i].n;
    return 0;
}

static void special_algorithms_judge_at_least_a_twentieth_of_their_histories(void **state)
{
    (void)state;
    assert_true(n_special("register") > 0);
    assert_true(n_special("cas-register") > 0);
    assert_true(n_special("map") > 0);
    assert_true(n_special("set") > 0);
    assert_true(n_special("counter") > 0);
    assert_true(n_special("fetch-add") > 0);
    assert_true(n_special("queue") > 0);
    assert_true(n_special("stack") > 0);
}

static void verdicts_of_several_processes_are_those_of_brute_force(void **state)
{
    (void)state;
    for (size_t i = 0; i < MODELS; i++)
        assert_int_equal(campaigns[i].n_wrong[JUDGE_JOBS], 0);
}

static void sequential_verdicts_are_those_of_brute_force(void **state)
{
    (void)state;
    for (size_t i = 0; i < MODELS; i++) {
        assert_true(campaigns[i].n_sequential > 0);
        assert_int_equal(campaigns[i].n_wrong[JUDGE_MODEL_SEQUENTIAL], 0);
        assert_int_equal(campaigns[i].n_wrong[JUDGE_SEQUENTIAL], 0);
    }
}

static void illegal_verdicts_name_an_operation_of_the_object_and_say_why(void **state)
{
    (void)state;
    for (size_t i = 0; i < MODELS; i++)
        assert_int_equal(campaigns[i].n_wrong_stuck, 0);
}

/* ---- Running --------------------------------------------------------------------------------- */

static uint64_t number_from(const char *text, uint64_t otherwise)
{
    return text != NULL ? strtoull(text, NULL, 10) : otherwise;
}

static void summarise(const struct campaign *c)
{
    (void)fprintf(stderr,
                  "# %s: %llu histories, %llu illegal, %llu with unknown operations, %llu judged "
                  "by special algorithms, %llu legal by program order only\n",
                  c->model->name, (unsigned long long)c->n, (unsigned long long)c->n_illegal,
                  (unsigned long long)c->n_unknown, (unsigned long long)c->n_judged[JUDGE_SPECIAL],
                  (unsigned long long)c->n_sequential);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verdicts_about_register_are_those_of_brute_force),
        cmocka_unit_test(verdicts_about_cas_register_are_those_of_brute_force),
        cmocka_unit_test(verdicts_about_map_are_those_of_brute_force),
        cmocka_unit_test(verdicts_about_set_are_those_of_brute_force),
        cmocka_unit_test(verdicts_about_counter_are_those_of_brute_force),
        cmocka_unit_test(verdicts_about_fetch_add_are_those_of_brute_force),
        cmocka_unit_test(verdicts_about_queue_are_those_of_brute_force),
        cmocka_unit_test(verdicts_about_priority_queue_are_those_of_brute_force),
        cmocka_unit_test(verdicts_about_stack_are_those_of_brute_force),
        cmocka_unit_test(verdicts_about_mutex_are_those_of_brute_force),
        cmocka_unit_test(verdicts_about_lease_are_those_of_brute_force),
        cmocka_unit_test(verdicts_about_list_are_those_of_brute_force),
        cmocka_unit_test(every_model_of_the_library_is_compared),
        cmocka_unit_test(at_least_a_fifth_of_the_histories_is_illegal),
        cmocka_unit_test(histories_have_unknown_operations_equal_times_and_several_objects),
        cmocka_unit_test(special_algorithms_judge_at_least_a_twentieth_of_their_histories),
        cmocka_unit_test(verdicts_of_several_processes_are_those_of_brute_force),
        cmocka_unit_test(sequential_verdicts_are_those_of_brute_force),
        cmocka_unit_test(illegal_verdicts_name_an_operation_of_the_object_and_say_why),
    };
    uint64_t n =
        number_from(getenv("LINEAR_HISTORIES"), number_from(argc > 1 ? argv[1] : NULL, 1000));

    for (size_t i = 0; i < MODELS; i++) {
        campaign_run(&campaigns[i], names[i], number_from(argc > 2 ? argv[2] : NULL, 1) + i, n);
        summarise(&campaigns[i]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
