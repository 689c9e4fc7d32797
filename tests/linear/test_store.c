/* test_store.c - a model of a user that says more about itself than it must: what hides what, how
 * its states came about, and what they may become. Verdicts are those of brute force all the same.
 *
 *     test_store [HISTORIES [SEED]]
 *
 * The model is a store of texts: get, put and append. A text is a number with a digit for each of
 * its pieces. SPDX-License-Identifier: MIT
 */
#include "random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { GET, PUT, APPEND, EMPTY = 31, DIGITS = 32, KEYS = PLAIN_KEYS };

/* ---- The store, for drawing histories of it -------------------------------------------------- */

static sn_value plain_get(struct plain_part *s, const struct sn_operation *op)
{
    (void)op;
    return s->slot[0] == 0 ? EMPTY : s->slot[0];
}

static sn_value plain_put(struct plain_part *s, const struct sn_operation *op)
{
    s->slot[0] = op->argument[0];
    return SN_VALUE_NIL;
}

static sn_value plain_append(struct plain_part *s, const struct sn_operation *op)
{
    s->slot[0] = plain_get(s, op) * DIGITS + op->argument[0];
    return SN_VALUE_NIL;
}

static void draw_piece(struct draw *draw, struct sn_operation *op)
{
    op->argument[0] =
        draw->is_distinct ? 10 + ++draw->n_drawn : 1 + (sn_value)rng_below(&draw->rng, 3);
}

static const struct plain store = {
    .name = "store",
    .n_keys = 1,
    .initial = SN_VALUE_NIL,
    .functions = {
        {"get", 4, false, NIL_IS_A_VALUE, plain_get, NULL},
        {"put", 1, false, NIL_IS_ANYTHING, plain_put, draw_piece},
        {"append", 4, false, NIL_IS_ANYTHING, plain_append, draw_piece},
    }};

/* ---- The model ------------------------------------------------------------------------------- */

static enum sn_step step_text(sn_value *text, const struct sn_operation *op)
{
    if (*text == 0)
        *text = EMPTY;
    if (op->function == GET)
        return op->ret == SN_TIME_NEVER || op->result == *text ? SN_STEP_TAKEN : SN_STEP_REFUSED;
    *text = op->function == PUT ? op->argument[0] : *text * DIGITS + op->argument[0];
    return SN_STEP_TAKEN;
}

static enum sn_step step(void *state, const struct sn_operation *op, uint32_t choice)
{
    (void)choice;
    return step_text(state, op);
}

static enum sn_step step_whole(void *state, const struct sn_operation *op, uint32_t choice)
{
    (void)choice;
    return step_text((sn_value *)state + op->key, op);
}

static void init(void *state, sn_value initial)
{
    (void)initial;
    *(sn_value *)state = EMPTY;
}

static void init_whole(void *state, sn_value initial)
{
    for (size_t i = 0; i < KEYS; i++)
        init((sn_value *)state + i, initial);
}

static bool hides(const struct sn_operation *earlier, const struct sn_operation *later)
{
    return earlier->key == later->key && earlier->function != GET && later->function == PUT;
}

/* Less than is true: that is allowed. */
static bool hides_puts(const struct sn_operation *earlier, const struct sn_operation *later)
{
    return hides(earlier, later) && earlier->function == PUT &&
           (earlier->argument[0] + later->argument[0]) % 2 == 0;
}

static enum sn_role role(const struct sn_operation *op)
{
    static const enum sn_role roles[] = {SN_ROLE_SHOWS, SN_ROLE_BEGINS, SN_ROLE_EXTENDS};

    return roles[op->function];
}

static bool leads(const void *state, const struct sn_operation *look)
{
    const sn_value *beginning = state;
    sn_value text = look->result;

    while (text > *beginning)
        text /= DIGITS;
    return text == *beginning;
}

static const struct sn_function functions[] = {
    {"get", true}, {"put", false}, {"append", false}, {0}};

#define MODEL .name = "store", .functions = functions
#define PARTS .state_size = sizeof(sn_value), .init = init, .step = step, .is_partitioned = true
#define WHOLE .state_size = KEYS * sizeof(sn_value), .init = init_whole, .step = step_whole

static const struct sn_model silent = {MODEL, PARTS};
static const struct sn_model hiding = {MODEL, PARTS, .hides = hides};
static const struct sn_model hiding_less = {MODEL, PARTS, .hides = hides_puts};
static const struct sn_model hiding_whole = {MODEL, WHOLE, .hides = hides};
static const struct sn_model telling = {MODEL, PARTS, .role = role};
static const struct sn_model leading = {MODEL, PARTS, .role = role, .leads = leads};

/* ---- Comparing ------------------------------------------------------------------------------- */

static const struct judge {
    const struct sn_model *model;
    const char *algorithm;
} judges[] = {{&silent, NULL},       {&hiding, NULL},      {&hiding_less, NULL},
              {&hiding_whole, NULL}, {&telling, "chains"}, {&telling, "search"},
              {&leading, "chains"},  {&leading, NULL}};

enum { JUDGES = sizeof(judges) / sizeof(judges[0]), TELLING = 4, LEADING = 6 };

static uint64_t n_histories;
static uint64_t n_illegal;
static uint64_t n_judged[JUDGES];
static uint64_t n_judged_illegal[JUDGES];
static uint64_t n_wrong[JUDGES];

static void ask(const struct sample *h, size_t i, bool is_legal)
{
    const struct sn_check_options options = {.algorithm = judges[i].algorithm};
    struct sn_check_result result;

    if (sn_check_history(judges[i].model, h->operations, h->n, &options, &result) < 0)
        return;
    n_judged[i]++;
    n_judged_illegal[i] += result.verdict == SN_LINEAR_NO;
    if (result.verdict == (is_legal ? SN_LINEAR_YES : SN_LINEAR_NO))
        return;
    if (n_wrong[i]++ == 0) {
        (void)fprintf(stderr, "# judge %zu (%s) says %d, brute force says %s: %s\n", i,
                      result.algorithm, (int)result.verdict, is_legal ? "legal" : "illegal",
                      result.why);
        sample_print(h);
    }
}

static void compare(uint64_t n, uint64_t seed)
{
    struct rng rng;

    rng_init(&rng, seed, 0);
    for (; n_histories < n; n_histories++) {
        struct sample h;
        bool is_legal;

        sample_random(&rng, &store, &silent, &h);
        is_legal = brute_model_allows(&silent, SN_VALUE_NIL, h.operations, h.n, BRUTE_REAL_TIME);
        n_illegal += !is_legal;
        for (size_t i = 0; i < JUDGES; i++)
            ask(&h, i, is_legal);
    }
}

/* ---- Tests ----------------------------------------------------------------------------------- */

static void a_model_that_says_nothing_is_searched(void **state)
{
    (void)state;
    assert_int_equal(n_judged[0], n_histories);
    assert_int_equal(n_wrong[0], 0);
}

static void what_hides_what_changes_no_verdict(void **state)
{
    (void)state;
    assert_int_equal(n_judged[1], n_histories);
    assert_int_equal(n_wrong[1], 0);
}

static void a_model_may_say_less_about_what_hides_what_than_is_true(void **state)
{
    (void)state;
    assert_int_equal(n_judged[2], n_histories);
    assert_int_equal(n_wrong[2], 0);
}

static void what_hides_what_may_depend_on_the_key(void **state)
{
    (void)state;
    assert_int_equal(n_judged[3], n_histories);
    assert_int_equal(n_wrong[3], 0);
}

static void chains_of_states_that_tell_how_they_came_about_are_exact(void **state)
{
    (void)state;
    assert_true(4 * n_judged[TELLING] >= n_histories);
    assert_true(10 * n_judged_illegal[TELLING] >= n_judged[TELLING]);
    assert_int_equal(n_wrong[TELLING], 0);
    assert_int_equal(n_wrong[TELLING + 1], 0);
}

static void what_states_may_become_changes_no_verdict(void **state)
{
    (void)state;
    assert_true(n_judged[LEADING] >= n_judged[TELLING]);
    assert_int_equal(n_wrong[LEADING], 0);
    assert_int_equal(n_judged[LEADING + 1], n_histories);
    assert_int_equal(n_wrong[LEADING + 1], 0);
}

static void at_least_a_fifth_of_the_histories_of_a_store_is_illegal(void **state)
{
    (void)state;
    assert_true(5 * n_illegal >= n_histories);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_model_that_says_nothing_is_searched),
        cmocka_unit_test(what_hides_what_changes_no_verdict),
        cmocka_unit_test(a_model_may_say_less_about_what_hides_what_than_is_true),
        cmocka_unit_test(what_hides_what_may_depend_on_the_key),
        cmocka_unit_test(chains_of_states_that_tell_how_they_came_about_are_exact),
        cmocka_unit_test(what_states_may_become_changes_no_verdict),
        cmocka_unit_test(at_least_a_fifth_of_the_histories_of_a_store_is_illegal),
    };
    const char *n = argc > 1 ? argv[1] : "1000";

    compare(strtoull(n, NULL, 10), argc > 2 ? strtoull(argv[2], NULL, 10) : 1);
    (void)fprintf(stderr, "# store: %llu histories, %llu illegal, %llu judged by chains\n",
                  (unsigned long long)n_histories, (unsigned long long)n_illegal,
                  (unsigned long long)n_judged[TELLING]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
