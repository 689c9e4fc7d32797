/* minimal.c - is a shrunk trial as small as it can be? By brute force, for any system.
 *
 *     minimal_SYSTEM --minimal TRACE
 *
 * Leaves out of the trial of a trace one operation after the other, and makes one drawn value after
 * the other 0, and runs each. Exits with 0 if none fails in the same way in fewer steps (or, of
 * draws, in as many); otherwise it says which does. With other arguments it is the system itself.
 * Of a trial that is judged at its fair end only what comes before that is looked at.
 * SPDX-License-Identifier: MIT
 */
#include "api/lab.h"
#include "trace/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ENTRIES_MAX = 1 << 16 };

int __real_sn_main(int argc, char **argv, const struct sn_suite *suite);
int __wrap_sn_main(int argc, char **argv, const struct sn_suite *suite);

static struct trace trace;
static uint64_t ids[ENTRIES_MAX];
static uint64_t fewer_ids[ENTRIES_MAX];
static struct plan_draw draws[ENTRIES_MAX];
static struct plan_draw fewer_draws[ENTRIES_MAX];
static struct plan whole = {.ids = ids, .draws = draws};

static bool is_judged_at_its_end(void)
{
    const char *oracle = trace.verdict.oracle;

    return strcmp(oracle, "lasso") == 0 ||
           (trace.verdict.cut && (strcmp(oracle, "hot") == 0 || strcmp(oracle, "limit") == 0));
}

static void list_entries(void)
{
    uint64_t step = 0;

    for (size_t i = 0; i < trace.n_records; i++) {
        const struct trace_record *r = &trace.records[i];

        step += r->kind == TRACE_STEP;
        if (is_judged_at_its_end() && step > trace.header.fair_from)
            break;
        if (r->kind == TRACE_STEP)
            ids[whole.n_ids++] = r->step.id;
        if (r->kind == TRACE_DRAW && r->draw.value != 0)
            draws[whole.n_draws++] = (struct plan_draw){r->draw.key, r->draw.value};
    }
    if (!is_judged_at_its_end())
        return;
    whole.fair_steps = trace.header.max_steps - trace.header.fair_from;
    whole.fair_from = trace.header.fair_from;
}

static const struct sn_test *prepare(const struct sn_suite *suite)
{
    const struct sn_test *test = suite->tests;

    for (size_t i = 0; i + 1 < trace.header.n_args; i += 2) {
        for (const struct sn_bug *bug = suite->bugs; bug->name != NULL; bug++)
            *bug->flag |= strcmp(bug->name, trace.header.args[i + 1]) == 0;
    }
    while (strcmp(test->name, trace.header.test) != 0)
        test++;
    return test;
}

static struct lab_result try(struct lab *lab, const struct plan *plan, uint64_t max_steps)
{
    struct lab_job job = {.plan = plan, .max_steps = max_steps};
    struct lab_result result;

    if (lab_run(lab, &job, 1, &result, NULL) < 0)
        exit(2);
    return result;
}

/* A trial with a fair end fails with some of these seeds, and what is left of it must do so with as
 * many as the shrinker asks for. */
enum { SEEDS_TRIED = 8, SEEDS_MAX = 5 };

static uint64_t seeds[SEEDS_MAX];
static uint32_t n_seeds;
static struct lab_wanted wanted;

static void find_seeds(struct lab *lab)
{
    for (uint64_t seed = 1; seed <= SEEDS_TRIED && n_seeds < SEEDS_MAX; seed++) {
        struct lab_result r;

        whole.fair_seed = seed;
        r = try(lab, &whole, is_judged_at_its_end() ? 0 : trace.header.max_steps);
        if (n_seeds == 0 && r.how == LAB_FAILED)
            wanted = (struct lab_wanted){
                .signature = r.signature,
                .is_hot_before = is_judged_at_its_end() && r.hot_since <= r.fair_from,
            };
        if (r.how == LAB_FAILED && lab_is_wanted(&wanted, &r))
            seeds[n_seeds++] = seed;
        if (!is_judged_at_its_end())
            break;
    }
    if (n_seeds > 0)
        return;
    (void)printf("the trial itself does not fail\n");
    exit(2);
}

static bool fails(struct lab *lab, struct plan *plan, uint64_t limit)
{
    bool fails = true;

    for (uint32_t i = 0; i < n_seeds && fails; i++) {
        struct lab_result r;

        plan->fair_seed = seeds[i];
        r = try(lab, plan, limit);
        fails = lab_is_wanted(&wanted, &r);
    }
    return fails;
}

static int check(struct lab *lab, const struct plan *plan, const char *what, uint32_t number)
{
    bool is_of_draw = plan->n_draws < whole.n_draws;
    struct plan limited = *plan;
    uint64_t length = whole.n_ids - (is_of_draw ? 0 : 1);
    uint64_t limit = length;

    if (is_judged_at_its_end()) {
        limited.fair_from = length;
        limit = 0;
    }
    if ((!is_of_draw && length == 0) || !fails(lab, &limited, limit))
        return 0;
    (void)printf("without %s %" PRIu32 " it fails, too\n", what, number);
    return 1;
}

static int check_all(struct lab *lab)
{
    struct plan plan = whole;
    int rc = 0;

    find_seeds(lab);
    plan.ids = fewer_ids;
    plan.n_ids = whole.n_ids - 1;
    for (uint32_t i = 0; i < whole.n_ids; i++) {
        memcpy(fewer_ids, ids, i * sizeof(ids[0]));
        memcpy(fewer_ids + i, ids + i + 1, (whole.n_ids - i - 1) * sizeof(ids[0]));
        rc |= check(lab, &plan, "step", i + 1);
    }
    plan = whole;
    plan.draws = fewer_draws;
    plan.n_draws = whole.n_draws - 1;
    for (uint32_t i = 0; i < whole.n_draws; i++) {
        memcpy(fewer_draws, draws, i * sizeof(draws[0]));
        memcpy(fewer_draws + i, draws + i + 1, (whole.n_draws - i - 1) * sizeof(draws[0]));
        rc |= check(lab, &plan, "draw", i + 1);
    }
    (void)printf("%" PRIu32 " operations and %" PRIu32 " draws were left out, one by one\n",
                 whole.n_ids, whole.n_draws);
    return rc;
}

int __wrap_sn_main(int argc, char **argv, const struct sn_suite *suite)
{
    struct run_request request = {.jobs = 1};
    struct lab_options options = {.request = &request, .workers = 1};
    struct lab *lab;
    struct err why;
    int rc;

    if (argc != 3 || strcmp(argv[1], "--minimal") != 0)
        return __real_sn_main(argc, argv, suite);
    if (trace_read(&trace, argv[2], &why) < 0) {
        (void)fprintf(stderr, "%s\n", why.text);
        return 2;
    }
    request.test = prepare(suite);
    list_entries();
    options.max_steps = trace.header.max_steps;
    if (lab_open(&lab, &options, &why) < 0)
        return 2;
    rc = check_all(lab);
    lab_close(lab);
    return rc;
}
