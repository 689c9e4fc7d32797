/* test_cover.c - several causes, and what all failing trials have in common.
 * SPDX-License-Identifier: MIT
 */
#include "explain/core.h"
#include "explain/cover.h"
#include "programs.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/* Trials that were found independently, and the causes that were found for them: items by the
 * operations that they are the order of, since each trial has items of its own. */
struct pool {
    struct made_up *m;
    struct made_up_run failing[COVER_RUNS_MAX];
    struct made_up_run passing[COVER_RUNS_MAX];
    uint32_t n_failing;
    uint32_t n_passing;
    struct item causes[COVER_CAUSES_MAX][8];
    uint32_t n_items[COVER_CAUSES_MAX];
    bool refuses;
};

static struct pool pool;
static uint32_t order[MADE_UP_OPS_MAX];

static void fill_pool(struct made_up *m)
{
    pool = (struct pool){.m = m};
    for (uint32_t i = 0; pool.n_failing < COVER_RUNS_MAX || pool.n_passing < COVER_RUNS_MAX; i++) {
        struct made_up_run run;
        bool fails = made_up_try(m, i, &run);

        if (fails && pool.n_failing < COVER_RUNS_MAX)
            pool.failing[pool.n_failing++] = run;
        else if (!fails && pool.n_passing < COVER_RUNS_MAX)
            pool.passing[pool.n_passing++] = run;
    }
}

static int explain(void *self, uint32_t run, uint32_t cause)
{
    struct pool *p = self;
    struct sufficient found;
    int rc;

    if (p->refuses)
        return EXPLAIN_NONE;
    for (uint32_t op = 0; op < p->m->n_ops; op++)
        order[p->failing[run].at[op]] = op;
    p->m->order = order;
    p->m->n_order = p->m->n_ops;
    made_up_open(p->m);
    rc = sufficient_backward(&p->m->search, &found);
    for (uint32_t i = 0; i < found.chosen.n; i++)
        p->causes[cause][i] = p->m->items[found.chosen.list[i]];
    p->n_items[cause] = found.chosen.n;
    return rc;
}

static bool holds(void *self, uint32_t run, uint32_t cause)
{
    const struct pool *p = self;

    for (uint32_t i = 0; i < p->n_items[cause]; i++) {
        const struct item *item = &p->causes[cause][i];

        if (!before(&p->failing[run], item->first, item->second))
            return false;
    }
    return true;
}

static struct cover cover_of(struct made_up *m)
{
    fill_pool(m);
    return (struct cover){
        .self = &pool, .n_runs = pool.n_failing, .explain = explain, .holds = holds};
}

static void race_has_one_cause(void **state)
{
    struct cover c = cover_of(program_race());

    (void)state;
    assert_int_equal(cover_run(&c), 0);

    assert_int_equal(c.n_causes, 1);
    assert_int_equal(c.explained[0], COVER_RUNS_MAX);
    assert_int_equal(c.covered, COVER_RUNS_MAX);
}

static void disjunction_has_two_causes(void **state)
{
    struct cover c = cover_of(program_disjunction());

    (void)state;
    assert_int_equal(cover_run(&c), 0);

    assert_int_equal(c.n_causes, 2);
    assert_in_range(c.explained[0], 30, 50);
    assert_int_equal(c.covered, COVER_RUNS_MAX);
}

static void exclusive_or_has_two_causes_with_nothing_in_common(void **state)
{
    struct cover c = cover_of(program_exclusive());

    (void)state;
    assert_int_equal(cover_run(&c), 0);

    assert_int_equal(c.n_causes, 2);
    assert_int_equal(c.explained[0] + c.explained[1], COVER_RUNS_MAX);
    assert_int_equal(c.covered, COVER_RUNS_MAX);
}

/* Six pairs of four: without a word about symmetry each pair is a cause. */
static void no_more_than_five_causes_are_looked_for(void **state)
{
    struct cover c = cover_of(program_acknowledgements());

    (void)state;
    assert_int_equal(cover_run(&c), 0);

    assert_int_equal(c.n_causes, COVER_CAUSES_MAX);
    assert_in_range(c.covered, 1, COVER_RUNS_MAX);
}

static void trials_without_explanation_stay_uncovered(void **state)
{
    struct cover c = cover_of(program_race());

    (void)state;
    pool.refuses = true;
    assert_int_equal(cover_run(&c), 0);

    assert_int_equal(c.n_causes, 0);
    assert_int_equal(c.covered, 0);
    assert_int_equal(c.attempts, COVER_CAUSES_MAX);
}

/* ---- The core ------------------------------------------------------------------------------- */

static bool has(void *self, bool is_failing, uint32_t run, uint32_t item)
{
    const struct pool *p = self;

    return made_up_holds(p->m, is_failing ? &p->failing[run] : &p->passing[run], item);
}

static struct core core_of(struct made_up *m)
{
    fill_pool(m);
    return (struct core){.self = &pool,
                         .asker = &m->asker,
                         .items = m->items,
                         .n_items = m->n_items,
                         .n_failing = pool.n_failing,
                         .n_passing = pool.n_passing,
                         .has = has};
}

static void core_of_two_orders_is_both_of_them(void **state)
{
    struct made_up *m = program_two_orders();
    struct core c = core_of(m);

    (void)state;
    assert_int_equal(core_find(&c), 0);

    assert_in_range(c.n_orders, 2, CORE_MAX);
    assert_int_equal(c.orders[0].in_failing, COVER_RUNS_MAX);
    assert_true(c.orders[0].in_passing <= c.orders[1].in_passing);
    assert_true(c.orders[0].item == made_up_order(m, 3, 4) ||
                c.orders[0].item == made_up_order(m, 3, 1) ||
                c.orders[0].item == made_up_order(m, 1, 4));
    assert_int_equal(c.orders[0].reversed.failed, 0);
    assert_true(c.orders[0].forced.failed > 200);
}

static void disjunction_has_no_core(void **state)
{
    struct core c = core_of(program_disjunction());

    (void)state;
    assert_int_equal(core_find(&c), 0);

    assert_int_equal(c.n_orders, 0);
}

static void few_failing_trials_have_no_core(void **state)
{
    struct core c = core_of(program_race());

    (void)state;
    c.n_failing = CORE_FAILING_MIN - 1;
    assert_int_equal(core_find(&c), 0);

    assert_int_equal(c.n_orders, 0);
}

/* A pool in which one order is in all failing trials; in the passing ones as a formula says. */
struct figures {
    bool (*passes_with)(uint32_t run);
    struct answer forced;
    struct answer reversed;
};

static bool figures_has(void *self, bool is_failing, uint32_t run, uint32_t item)
{
    const struct figures *f = self;

    (void)item;
    return is_failing || f->passes_with(run);
}

static int figures_ask(void *self, const struct question *q, struct answer *out)
{
    const struct figures *f = self;

    *out = q->choices[0].is_reversed ? f->reversed : f->forced;
    return 0;
}

static uint32_t count_core(struct figures *f, struct core_order *out)
{
    static const struct item one = {.kind = ITEM_ORDER, .first = 1, .second = 2};
    const struct asker asker = {.self = f, .ask = figures_ask};
    struct core c = {.self = f,
                     .asker = &asker,
                     .items = &one,
                     .n_items = 1,
                     .n_failing = 60,
                     .n_passing = 400,
                     .base = {1000, 100, 0},
                     .has = figures_has};

    assert_int_equal(core_find(&c), 0);
    assert_int_equal(c.n_told, 200);
    *out = c.orders[0];
    return c.n_orders;
}

static bool is_chosen_by_chance(uint32_t run)
{
    return run % 2 == 1; /* none of those that choose has it, all of the others do */
}

static bool is_in_every_fifth(uint32_t run)
{
    return run % 5 == 0;
}

static void order_that_chance_has_chosen_is_no_core(void **state)
{
    struct figures f = {is_chosen_by_chance, {1000, 900, 0}, {1000, 0, 0}};
    struct core_order one;

    (void)state;
    assert_int_equal(count_core(&f, &one), 0);
}

static void core_is_counted_in_trials_that_have_not_chosen_it(void **state)
{
    struct figures f = {is_in_every_fifth, {1000, 900, 0}, {1000, 0, 0}};
    struct core_order one;

    (void)state;
    assert_int_equal(count_core(&f, &one), 1);

    assert_int_equal(one.in_failing, 60);
    assert_int_equal(one.in_passing, 40);
}

static void order_that_makes_no_more_trials_fail_is_no_core(void **state)
{
    struct figures f = {is_in_every_fifth, {1000, 105, 0}, {1000, 0, 0}};
    struct core_order one;

    (void)state;
    assert_int_equal(count_core(&f, &one), 0);
}

static void order_whose_reverse_does_as_well_is_no_core(void **state)
{
    struct figures f = {is_in_every_fifth, {1000, 300, 0}, {1000, 300, 0}};
    struct core_order one;

    (void)state;
    assert_int_equal(count_core(&f, &one), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(race_has_one_cause),
        cmocka_unit_test(disjunction_has_two_causes),
        cmocka_unit_test(exclusive_or_has_two_causes_with_nothing_in_common),
        cmocka_unit_test(no_more_than_five_causes_are_looked_for),
        cmocka_unit_test(trials_without_explanation_stay_uncovered),
        cmocka_unit_test(core_of_two_orders_is_both_of_them),
        cmocka_unit_test(disjunction_has_no_core),
        cmocka_unit_test(few_failing_trials_have_no_core),
        cmocka_unit_test(order_that_chance_has_chosen_is_no_core),
        cmocka_unit_test(core_is_counted_in_trials_that_have_not_chosen_it),
        cmocka_unit_test(order_that_makes_no_more_trials_fail_is_no_core),
        cmocka_unit_test(order_whose_reverse_does_as_well_is_no_core),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
