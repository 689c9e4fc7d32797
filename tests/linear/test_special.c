/* test_special.c - the special algorithms against the search, on histories that are too long for
 * brute force.
 *
 *     test_special [HISTORIES [SEED]]
 *
 * SPDX-License-Identifier: MIT
 */
#include "random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint64_t n_histories = 200;
static uint64_t seed = 1;

struct tally {
    uint64_t n_special; /* judged by the special algorithm */
    uint64_t n_illegal;
    uint64_t n_wrong;
};

static struct sn_check_result check(const struct sample *h, const char *algorithm)
{
    /* Some histories are too much for the search; that is what the others are for. */
    const struct sn_check_options options = {.algorithm = algorithm,
                                             .has_initial = h->initial != h->object->initial,
                                             .initial = h->initial,
                                             .configurations = 20000};
    struct sn_check_result result;

    assert_int_equal(sn_check_history(h->model, h->operations, h->n, &options, &result), 0);
    return result;
}

static void compare(const struct sample *h, struct tally *tally)
{
    struct sn_check_result special = check(h, NULL);
    struct sn_check_result search = check(h, "search");
    bool is_wrong = search.verdict != SN_LINEAR_UNKNOWN && special.verdict != search.verdict;

    is_wrong |= special.verdict == SN_LINEAR_NO && h->is_legal_run;
    is_wrong |= search.verdict == SN_LINEAR_NO && h->is_legal_run;
    tally->n_special += strcmp(special.algorithm, "search") != 0;
    tally->n_illegal += special.verdict == SN_LINEAR_NO;
    if (!is_wrong)
        return;
    if (tally->n_wrong++ > 0)
        return;
    (void)fprintf(stderr, "# %s: %d (%s), search: %d (%s)%s\n", special.algorithm,
                  (int)special.verdict, special.why, (int)search.verdict, search.why,
                  h->is_legal_run ? ", legal by construction" : "");
    sample_print(h);
}

static void assert_agrees(const char *model)
{
    const struct plain *object = plain_find(model);
    struct tally tally = {0};
    struct sample history;
    struct rng rng;

    rng_init(&rng, seed, 0);
    for (uint64_t i = 0; i < n_histories; i++) {
        sample_random(&rng, object, sn_model_find(model), &history);
        compare(&history, &tally);
    }

    assert_int_equal(tally.n_wrong, 0);
    assert_true(10 * tally.n_special >= n_histories);
    assert_true(10 * tally.n_illegal >= n_histories);
}

static void register_agrees_with_search(void **state)
{
    (void)state;
    assert_agrees("register");
}

static void cas_register_agrees_with_search(void **state)
{
    (void)state;
    assert_agrees("cas-register");
}

static void map_agrees_with_search(void **state)
{
    (void)state;
    assert_agrees("map");
}

static void set_agrees_with_search(void **state)
{
    (void)state;
    assert_agrees("set");
}

static void counter_agrees_with_search(void **state)
{
    (void)state;
    assert_agrees("counter");
}

static void fetch_add_agrees_with_search(void **state)
{
    (void)state;
    assert_agrees("fetch-add");
}

static void queue_agrees_with_search(void **state)
{
    (void)state;
    assert_agrees("queue");
}

static void stack_agrees_with_search(void **state)
{
    (void)state;
    assert_agrees("stack");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(register_agrees_with_search),
        cmocka_unit_test(cas_register_agrees_with_search),
        cmocka_unit_test(map_agrees_with_search),
        cmocka_unit_test(set_agrees_with_search),
        cmocka_unit_test(counter_agrees_with_search),
        cmocka_unit_test(fetch_add_agrees_with_search),
        cmocka_unit_test(queue_agrees_with_search),
        cmocka_unit_test(stack_agrees_with_search),
    };

    if (argc > 1)
        n_histories = strtoull(argv[1], NULL, 10);
    if (argc > 2)
        seed = strtoull(argv[2], NULL, 10);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
