/* test_orders.c - the schedules that are run if orders are required, against brute force.
 *
 *     test_orders [PROGRAMS [SEED]]
 *
 * The enumerator lists all schedules of a random program; those that respect the orders are found
 * by walking through them. A search must run exactly those, each once, and get stuck exactly where
 * nothing is left that may run. SPDX-License-Identifier: MIT
 */
#include "campaign.h"
#include "generate.h"
#include "orders.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint64_t n_programs = 300;
static uint64_t first_seed = 1;

struct totals {
    uint64_t n_programs;
    uint64_t n_schedules;
    uint64_t n_left;
    uint64_t n_stuck;
    uint64_t n_partly; /* programs of which some schedules are left, and some are not */
    uint64_t n_wrong;
    uint64_t features[FEATURES];
};

/* In shared memory, since the library puts back all other. */
struct seen {
    const struct tree *tree;
    uint64_t n_stuck;
    uint64_t n_strange; /* trials that are no schedule of the program */
    uint64_t n_bad;     /* trials that failed */
    uint32_t visits[LEAVES_MAX];
};

static struct seen *seen;

static void watch(void *self, const struct sn_trial_view *trial)
{
    uint32_t leaf = find_leaf(seen->tree, trial->log, trial->decisions);

    (void)self;
    seen->n_bad += trial->verdict != SN_PASSED;
    seen->n_stuck += trial->stuck;
    if (leaf != UINT32_MAX)
        seen->visits[leaf]++;
    if ((leaf == UINT32_MAX) != trial->stuck)
        seen->n_strange++;
}

struct way_to_run {
    const char *strategy;
    enum sn_world world;
    bool rerun;
    bool is_systematic;
};

static bool is_as_expected(const struct orders_left *left, const struct sn_result *result,
                           bool is_systematic)
{
    bool is_right = seen->n_strange == 0 && seen->n_bad == 0 && result->stuck == seen->n_stuck;

    for (uint32_t i = 0; i < seen->tree->n_leaves; i++)
        is_right &= is_systematic ? seen->visits[i] == left->is_left[i]
                                  : seen->visits[i] == 0 || left->is_left[i];
    if (!is_systematic)
        return is_right;
    return is_right && seen->n_stuck == left->n_stuck && result->schedules == left->n_leaves &&
           !result->exhausted;
}

static void run(struct comparison *c, const struct program *program, const struct orders *orders,
                const struct orders_left *left, const struct way_to_run *way, struct totals *totals)
{
    const struct sn_options options = {
        .strategy = way->strategy,
        .iterations = way->is_systematic ? 2 * (uint64_t)c->tree->n_leaves + 10 : 50,
        .rerun = way->rerun,
        .require = orders->list,
        .watch = watch};
    struct sn_result result = {0};
    struct sn_test test;
    int rc;

    if (seen == NULL)
        seen = shared_memory(sizeof(*seen));
    seen->tree = c->tree;
    seen->n_stuck = seen->n_strange = seen->n_bad = 0;
    memset(seen->visits, 0, c->tree->n_leaves * sizeof(seen->visits[0]));
    interpret_prepare(program, way->world, &test, &c->record);
    rc = sn_run(&test, &options, &result);
    if (rc < 0 || !is_as_expected(left, &result, way->is_systematic)) {
        totals->n_wrong++;
        print_message("# %s: program %llu: %llu of %u schedules are as required and %llu stuck, "
                      "but %llu trials, %llu stuck, %llu strange, %llu bad: %s\n",
                      way->strategy, (unsigned long long)program->seed,
                      (unsigned long long)left->n_leaves, c->tree->n_leaves,
                      (unsigned long long)left->n_stuck, (unsigned long long)result.trials,
                      (unsigned long long)seen->n_stuck, (unsigned long long)seen->n_strange,
                      (unsigned long long)seen->n_bad, result.failure);
        for (uint32_t i = 0; i < orders->n; i++)
            print_message("#     %s\n", orders->texts[i]);
    }
}

static const struct limits limits = {.leaves_min = 2, .leaves_max = 400, .steps_max = 12};

static void run_program(struct campaign *campaign, const struct program *program, uint64_t *random,
                        const struct way_to_run *way, struct totals *totals)
{
    struct orders orders;
    struct orders_left left = {.is_left = calloc(campaign->tree->n_leaves, sizeof(*left.is_left))};

    orders_draw(&orders, campaign->tree, random);
    orders_apply(&orders, campaign->tree, &left);
    totals->n_schedules += campaign->tree->n_leaves;
    totals->n_left += left.n_leaves;
    totals->n_stuck += left.n_stuck;
    totals->n_partly += left.n_leaves > 0 && left.n_leaves < campaign->tree->n_leaves;
    run(campaign->comparison, program, &orders, &left, way, totals);
    free(left.is_left);
}

/* Each program with two sets of orders. */
static void run_programs(const struct way_to_run *way, uint64_t n, struct totals *totals)
{
    struct campaign *campaign = campaign_new();
    uint64_t random = first_seed;

    *totals = (struct totals){.n_programs = 0};
    while (totals->n_programs < n) {
        struct program program;

        random = stamp_child(random, 1);
        generate(random, &program);
        if (!enumerate(&program, &limits, campaign->tree, totals->features))
            continue;
        comparison_begin(campaign->comparison, campaign->tree, program.seed);
        if (compare(campaign->comparison, &program, WAY_WALK) != WRONG_NOTHING)
            continue;
        totals->n_programs++;
        run_program(campaign, &program, &random, way, totals);
        run_program(campaign, &program, &random, way, totals);
    }
    print_message("# %s: %llu programs, %llu schedules, %llu left, %llu stuck, %llu partly\n",
                  way->strategy, (unsigned long long)totals->n_programs,
                  (unsigned long long)totals->n_schedules, (unsigned long long)totals->n_left,
                  (unsigned long long)totals->n_stuck, (unsigned long long)totals->n_partly);
}

/* Builds that are slow run too few programs to meet everything. */
static void assert_all_met(const struct totals *totals)
{
    if (n_programs < 600)
        return;
    assert_true(totals->features[MET_DEFERRED_SKIPPED] > 0);
    assert_true(totals->features[MET_TIMER] > 0);
    assert_true(totals->features[MET_TIMER_ANY] > 0);
    assert_true(totals->features[MET_INBOX_WAIT] > 0);
    assert_true(totals->features[MET_CRASH] > 0);
    assert_true(totals->features[MET_REBORN] > 0);
    assert_true(totals->features[MET_DOUBLED] > 0);
    assert_true(totals->features[MET_LATE] > 0);
}

static void dfs_runs_exactly_the_schedules_that_are_as_required(void **state)
{
    const struct way_to_run way = {
        .strategy = "dfs", .world = SN_WORLD_TRIAL, .is_systematic = true};
    struct totals totals;

    (void)state;
    run_programs(&way, n_programs, &totals);
    assert_int_equal(totals.n_wrong, 0);
    assert_true(totals.n_partly * 5 > totals.n_programs);
    assert_true(totals.n_stuck > 0);
    assert_all_met(&totals);
}

static void dfs_that_runs_prefixes_again_runs_the_same(void **state)
{
    const struct way_to_run way = {
        .strategy = "dfs", .world = SN_WORLD_TRIAL, .rerun = true, .is_systematic = true};
    struct totals totals;

    (void)state;
    run_programs(&way, n_programs / 4 + 1, &totals);
    assert_int_equal(totals.n_wrong, 0);
}

static void dfs_that_restores_the_whole_world_runs_the_same(void **state)
{
    const struct way_to_run way = {
        .strategy = "dfs", .world = SN_WORLD_FULL, .is_systematic = true};
    struct totals totals;

    (void)state;
    run_programs(&way, n_programs / 50 + 1, &totals);
    assert_int_equal(totals.n_wrong, 0);
}

static void a_random_walk_runs_only_schedules_that_are_as_required(void **state)
{
    const struct way_to_run way = {.strategy = "random", .world = SN_WORLD_TRIAL};
    struct totals totals;

    (void)state;
    run_programs(&way, n_programs / 4 + 1, &totals);
    assert_int_equal(totals.n_wrong, 0);
}

static void pos_runs_only_schedules_that_are_as_required(void **state)
{
    const struct way_to_run way = {.strategy = "pos", .world = SN_WORLD_TRIAL};
    struct totals totals;

    (void)state;
    run_programs(&way, n_programs / 4 + 1, &totals);
    assert_int_equal(totals.n_wrong, 0);
}

static void pct_runs_only_schedules_that_are_as_required(void **state)
{
    const struct way_to_run way = {.strategy = "pct:3", .world = SN_WORLD_TRIAL};
    struct totals totals;

    (void)state;
    run_programs(&way, n_programs / 4 + 1, &totals);
    assert_int_equal(totals.n_wrong, 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dfs_runs_exactly_the_schedules_that_are_as_required),
        cmocka_unit_test(dfs_that_runs_prefixes_again_runs_the_same),
        cmocka_unit_test(dfs_that_restores_the_whole_world_runs_the_same),
        cmocka_unit_test(a_random_walk_runs_only_schedules_that_are_as_required),
        cmocka_unit_test(pos_runs_only_schedules_that_are_as_required),
        cmocka_unit_test(pct_runs_only_schedules_that_are_as_required),
    };

    if (argc > 1)
        n_programs = strtoull(argv[1], NULL, 10);
    if (argc > 2)
        first_seed = strtoull(argv[2], NULL, 10);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
