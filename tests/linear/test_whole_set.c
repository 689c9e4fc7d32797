/* test_whole_set.c - sets that only grow and are read as a whole: the algorithm for them against
 * brute force, on random histories in which no value is added twice.
 *
 *     test_whole_set [HISTORIES [SEED]]
 *
 * SPDX-License-Identifier: MIT
 */
#include "plain.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { VALUES = 5, SUBSETS = 1 << VALUES, OPERATIONS_MAX = 9, ADD = 0, READ = 3 };

static uint64_t n_histories = 20000;
static uint64_t seed = 1;

/* All sets that there can be, and the values that stand for them. */
static struct {
    sn_value value;
    sn_value elements[VALUES];
    size_t n;
} subsets[SUBSETS];

static void fill_subsets(void)
{
    for (uint32_t set = 0; set < SUBSETS; set++) {
        for (uint32_t i = 0; i < VALUES; i++)
            if ((set >> i & 1) != 0)
                subsets[set].elements[subsets[set].n++] = 1 + i;
        subsets[set].value = sn_set_value(subsets[set].elements, subsets[set].n);
    }
}

static const sn_value *elements(void *self, sn_value whole, size_t *n)
{
    (void)self;
    for (uint32_t set = 0; set < SUBSETS; set++) {
        if (subsets[set].value == whole) {
            *n = subsets[set].n;
            return subsets[set].elements;
        }
    }
    return NULL;
}

/* A history whose reads show what some order gives, or something near it, with random times. */
static size_t draw(struct rng *rng, struct sn_operation *operations)
{
    size_t n = 2 + rng_below(rng, OPERATIONS_MAX - 1);
    uint32_t spread = 1 + rng_below(rng, 6);
    uint32_t set = 0;
    uint32_t added = 0;

    for (size_t i = 0; i < n; i++) {
        struct sn_operation *op = &operations[i];
        uint64_t moment = 20 * i + rng_below(rng, 20 * spread);

        *op = (struct sn_operation){.process = (uint32_t)i, .function = READ};
        op->argument[0] = op->argument[1] = op->result = SN_VALUE_NIL;
        op->call = moment - (moment > 40 ? rng_below(rng, 40) : 0);
        op->ret = rng_below(rng, 5) == 0 ? SN_TIME_NEVER : moment + rng_below(rng, 40);
        if (added < VALUES && rng_below(rng, 2) == 0) {
            op->function = ADD;
            op->argument[0] = 1 + (sn_value)added;
            op->result = rng_below(rng, 2) == 0 ? SN_VALUE_NIL : 1;
            if (op->ret != SN_TIME_NEVER || rng_below(rng, 2) == 0)
                set |= 1u << added;
            added++;
        } else {
            uint32_t odd = rng_below(rng, 8) == 0 ? 1u << rng_below(rng, VALUES) : 0;

            op->result = subsets[set ^ odd].value;
        }
    }
    return n;
}

struct tally {
    uint64_t n_legal;
    uint64_t n_illegal;
    uint64_t n_wrong;
    uint64_t n_searched; /* with somebody who reads, the algorithm should always apply */
};

static bool has_read(const struct sn_operation *operations, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (operations[i].function == READ && operations[i].ret != SN_TIME_NEVER)
            return true;
    return false;
}

static void judge(const struct sn_operation *operations, size_t n, struct tally *tally)
{
    const struct sn_check_options options = {.elements = elements};
    bool is_legal = plain_allows(plain_find("set"), &sn_model_set, SN_VALUE_NIL, operations, n,
                                 BRUTE_REAL_TIME);
    struct sn_check_result result;

    assert_int_equal(sn_check_history(&sn_model_set, operations, n, &options, &result), 0);
    tally->n_legal += is_legal;
    tally->n_illegal += !is_legal;
    tally->n_wrong += (result.verdict == SN_LINEAR_YES) != is_legal;
    tally->n_searched += has_read(operations, n) && strcmp(result.algorithm, "set") != 0;
    assert_true(result.verdict == SN_LINEAR_YES || result.stuck < n);
}

static void verdicts_about_growing_sets_are_those_of_brute_force(void **state)
{
    struct sn_operation operations[OPERATIONS_MAX + 1];
    struct tally tally = {0};
    struct rng rng;

    (void)state;
    rng_init(&rng, seed, 0);
    for (uint64_t i = 0; i < n_histories; i++)
        judge(operations, draw(&rng, operations), &tally);

    (void)fprintf(stderr, "# %llu legal, %llu illegal\n", (unsigned long long)tally.n_legal,
                  (unsigned long long)tally.n_illegal);
    assert_int_equal(tally.n_wrong, 0);
    assert_int_equal(tally.n_searched, 0);
    assert_true(5 * tally.n_legal >= n_histories);
    assert_true(5 * tally.n_illegal >= n_histories);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verdicts_about_growing_sets_are_those_of_brute_force),
    };

    if (argc > 1)
        n_histories = strtoull(argv[1], NULL, 10);
    if (argc > 2)
        seed = strtoull(argv[2], NULL, 10);
    fill_subsets();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
