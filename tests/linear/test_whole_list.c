/* test_whole_list.c - lists that are read as a whole: the algorithm for them against brute force,
 * on random histories in which no value is appended twice.
 *
 *     test_whole_list [HISTORIES [SEED]]
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

enum { OPERATIONS_MAX = 8, APPEND = 0, SIZE = 2, READ = 3 };

static uint64_t n_histories = 20000;
static uint64_t seed = 1;

/* A list that somebody has read. */
struct shown {
    sn_value value;
    sn_value elements[OPERATIONS_MAX + 1];
    size_t n;
};

struct history {
    struct sn_operation operations[OPERATIONS_MAX];
    struct shown shown[OPERATIONS_MAX];
    size_t n;
};

static const sn_value *elements(void *self, sn_value whole, size_t *n)
{
    struct history *history = self;

    for (size_t i = 0; i < history->n; i++) {
        if (history->shown[i].value == whole) {
            *n = history->shown[i].n;
            return history->shown[i].elements;
        }
    }
    return NULL;
}

static void draw_append(struct rng *rng, struct sn_operation *op, struct shown *list, size_t value)
{
    op->function = APPEND;
    op->argument[0] = 1 + (sn_value)value;
    op->result = rng_below(rng, 4) == 0 ? (sn_value)list->n : SN_VALUE_NIL;
    if (op->ret != SN_TIME_NEVER || rng_below(rng, 2) == 0)
        list->elements[list->n++] = op->argument[0];
}

/* What a read shows, now and then not quite right. */
static void draw_read(struct rng *rng, struct sn_operation *op, const struct shown *list,
                      struct shown *shown)
{
    *shown = *list;
    if (shown->n > 1 && rng_below(rng, 10) == 0) {
        size_t i = rng_below(rng, (uint32_t)shown->n - 1);
        sn_value moved = shown->elements[i];

        shown->elements[i] = shown->elements[i + 1];
        shown->elements[i + 1] = moved;
    }
    if (shown->n > 0 && rng_below(rng, 10) == 0)
        shown->n--;
    else if (rng_below(rng, 20) == 0)
        shown->elements[shown->n++] = 1 + rng_below(rng, OPERATIONS_MAX);
    shown->value = sn_list_value(shown->elements, shown->n);
    op->result = shown->value;
}

static void draw(struct rng *rng, struct history *history)
{
    struct shown list = {.n = 0};
    uint32_t spread = 1 + rng_below(rng, 6);

    *history = (struct history){.n = 2 + rng_below(rng, OPERATIONS_MAX - 1)};
    for (size_t i = 0; i < history->n; i++) {
        struct sn_operation *op = &history->operations[i];
        uint64_t moment = 20 * i + rng_below(rng, 20 * spread);
        uint32_t kind = rng_below(rng, 10);

        *op = (struct sn_operation){.process = (uint32_t)i, .function = READ};
        op->argument[0] = op->argument[1] = op->result = SN_VALUE_NIL;
        op->call = moment - (moment > 40 ? rng_below(rng, 40) : 0);
        op->ret = rng_below(rng, 6) == 0 ? SN_TIME_NEVER : moment + rng_below(rng, 40);
        if (kind < 5) {
            draw_append(rng, op, &list, i);
        } else if (kind == 5) {
            op->function = SIZE;
            op->result = (sn_value)list.n;
        } else {
            draw_read(rng, op, &list, &history->shown[i]);
        }
    }
}

struct tally {
    uint64_t n_legal;
    uint64_t n_illegal;
    uint64_t n_wrong;
    uint64_t n_special; /* decided without searching */
};

static void judge(struct history *history, struct tally *tally)
{
    const struct sn_check_options options = {.elements = elements, .self = history};
    bool is_legal = plain_allows(plain_find("list"), &sn_model_list, SN_VALUE_NIL,
                                 history->operations, history->n, BRUTE_REAL_TIME);
    struct sn_check_result result;

    assert_int_equal(
        sn_check_history(&sn_model_list, history->operations, history->n, &options, &result), 0);
    tally->n_legal += is_legal;
    tally->n_illegal += !is_legal;
    tally->n_wrong += (result.verdict == SN_LINEAR_YES) != is_legal;
    tally->n_special += strcmp(result.algorithm, "list") == 0;
    assert_true(result.verdict == SN_LINEAR_YES || result.stuck < history->n);
}

static void verdicts_about_lists_are_those_of_brute_force(void **state)
{
    struct history history;
    struct tally tally = {0};
    struct rng rng;

    (void)state;
    rng_init(&rng, seed, 0);
    for (uint64_t i = 0; i < n_histories; i++) {
        draw(&rng, &history);
        judge(&history, &tally);
    }

    (void)fprintf(stderr, "# %llu legal, %llu illegal, %llu without searching\n",
                  (unsigned long long)tally.n_legal, (unsigned long long)tally.n_illegal,
                  (unsigned long long)tally.n_special);
    assert_int_equal(tally.n_wrong, 0);
    assert_true(5 * tally.n_legal >= n_histories);
    assert_true(5 * tally.n_illegal >= n_histories);
    assert_true(3 * tally.n_special >= n_histories);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verdicts_about_lists_are_those_of_brute_force),
    };

    if (argc > 1)
        n_histories = strtoull(argv[1], NULL, 10);
    if (argc > 2)
        seed = strtoull(argv[2], NULL, 10);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
