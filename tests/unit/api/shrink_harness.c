/* shrink_harness.c - see shrink_harness.h. SPDX-License-Identifier: MIT */
#include "shrink_harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ENTRIES_MAX = 4096 };

char shrink_directory[] = "/tmp/sennit-shrink-XXXXXX";
char shrink_path[sizeof(shrink_directory) + 16];
struct run_request shrink_request;
struct trace shrink_found;
struct trace shrink_smallest;
struct shrink_report shrink_report;
static char number[16] = "1";
static const char *const args[] = {"--number", number};

/* ---- Helpers -------------------------------------------------------------------------------- */

static int open_directory(void **unused)
{
    (void)unused;
    if (mkdtemp(shrink_directory) == NULL)
        return -1;
    (void)snprintf(shrink_path, sizeof(shrink_path), "%s/smallest", shrink_directory);
    return 0;
}

static int remove_directory(void **unused)
{
    char command[sizeof(shrink_directory) + 16];

    (void)unused;
    (void)snprintf(command, sizeof(command), "rm -r %s", shrink_directory);
    return system(command);
}

int shrink_forget(void **unused)
{
    (void)unused;
    trace_done(&shrink_found);
    trace_done(&shrink_smallest);
    return 0;
}

void shrink_find(const char *name, const char *strategy, uint64_t seed)
{
    struct sn_result r;

    shrink_request = (struct run_request){
        .test = shrunk_test(name),
        .suite = "shrunk",
        .jobs = 1,
        .args = args,
        .n_args = 2,
        .options = {
            .strategy = strategy, .seed = seed, .iterations = 100000, .outdir = shrink_directory}};
    do
        assert_int_equal(run_test(&shrink_request, &r), 0);
    while (r.nondeterministic); /* of the one that is not controlled, some repeat themselves */
    assert_true(r.failures > 0);
    trace_done(&shrink_found);
    assert_int_equal(trace_read(&shrink_found, r.trace, NULL), 0);
}

int shrink_with(struct shrink_options options)
{
    struct err why = {""};
    int rc;

    options.request = &shrink_request;
    (void)unlink(shrink_path);
    trace_done(&shrink_smallest);
    rc = shrink_trace(&options, &shrink_found, shrink_path, &shrink_report, &why);
    if (rc == 0 && shrink_report.how <= SHRINK_STOPPED)
        assert_int_equal(trace_read(&shrink_smallest, shrink_path, NULL), 0);
    return rc;
}

void shrink_it(void)
{
    assert_int_equal(shrink_with((struct shrink_options){.workers = 1}), 0);
    assert_int_equal(shrink_report.how, SHRINK_DONE);
}

void shrink_set_number(uint64_t n)
{
    random_number = n;
    (void)snprintf(number, sizeof(number), "%d", (int)n);
}

size_t shrink_count(const struct trace *trace, enum trace_kind kind)
{
    size_t n = 0;

    for (size_t i = 0; i < trace->n_records; i++)
        n += trace->records[i].kind == kind;
    return n;
}

/* ---- Leaving out by hand -------------------------------------------------------------------- */

static uint64_t ids[ENTRIES_MAX];
static struct plan_draw draws[ENTRIES_MAX];
static uint32_t n_ids;
static uint32_t n_draws;

/* What was decided before the fair end, if there is one. */
static void list_entries(uint64_t n_steps)
{
    n_ids = 0;
    n_draws = 0;
    for (size_t i = 0; i < shrink_smallest.n_records; i++) {
        const struct trace_record *r = &shrink_smallest.records[i];

        assert_true(n_ids < ENTRIES_MAX && n_draws < ENTRIES_MAX);
        if (r->kind == TRACE_STEP && n_ids == n_steps)
            break;
        if (r->kind == TRACE_STEP)
            ids[n_ids++] = r->step.id;
        if (r->kind == TRACE_DRAW && r->draw.value != 0)
            draws[n_draws++] = (struct plan_draw){r->draw.key, r->draw.value};
    }
}

static uint64_t without_id[ENTRIES_MAX];
static struct plan_draw without_draw[ENTRIES_MAX];

/* Runs a plan that may take so many steps before its fair end. */
static struct lab_result try(struct lab *lab, struct plan plan, uint64_t steps)
{
    struct lab_job job = {.plan = &plan, .max_steps = plan.fair_steps == 0 ? steps : 0};
    struct lab_result result;

    plan.fair_from = steps;
    assert_int_equal(lab_run(lab, &job, 1, &result, NULL), 0);
    return result;
}

static void assert_other(const struct lab_result *r, const struct signature *signature)
{
    assert_false(r->how == LAB_FAILED && signature_is_same(&r->signature, signature));
}

static void leave_out_all(struct lab *lab, const struct plan *plan,
                          const struct signature *signature)
{
    for (uint32_t i = 0; i < n_ids && n_ids > 1; i++) {
        struct plan less = *plan;
        struct lab_result r;

        memcpy(without_id, ids, i * sizeof(ids[0]));
        memcpy(without_id + i, ids + i + 1, (n_ids - i - 1) * sizeof(ids[0]));
        less.ids = without_id;
        less.n_ids = n_ids - 1;
        r = try(lab, less, n_ids - 1);
        assert_other(&r, signature);
    }
    for (uint32_t i = 0; i < n_draws; i++) {
        struct plan less = *plan;
        struct lab_result r;

        memcpy(without_draw, draws, i * sizeof(draws[0]));
        memcpy(without_draw + i, draws + i + 1, (n_draws - i - 1) * sizeof(draws[0]));
        less.draws = without_draw;
        less.n_draws = n_draws - 1;
        r = try(lab, less, n_ids);
        assert_other(&r, signature);
    }
}

void shrink_assert_minimal(void)
{
    const struct trace_header *header = &shrink_smallest.header;
    bool has_tail = shrink_report.fair_steps > 0;
    struct lab_options options = {.request = &shrink_request,
                                  .workers = 1,
                                  .entries_max = ENTRIES_MAX,
                                  .fork = strcmp(shrink_smallest.verdict.oracle, "crash") == 0};
    struct plan plan = {.ids = ids, .draws = draws, .fair_seed = 1};
    struct lab_result r;
    struct lab *lab;

    list_entries(has_tail ? header->fair_from : UINT64_MAX);
    plan.n_ids = n_ids;
    plan.n_draws = n_draws;
    plan.fair_steps = has_tail ? header->max_steps - header->fair_from : 0;
    assert_int_equal(lab_open(&lab, &options, NULL), 0);
    r = try(lab, plan, n_ids);
    assert_int_equal(r.how, LAB_FAILED);
    assert_int_equal(r.steps, shrink_smallest.n_steps);
    leave_out_all(lab, &plan, &r.signature);
    lab_close(lab);
}

/* ---- Running -------------------------------------------------------------------------------- */

int shrink_main(int argc, char **argv, const char *name, const struct CMUnitTest *tests, size_t n)
{
    if (argc > 1)
        return sn_main(argc, argv, &shrunk_suite);
    return _cmocka_run_group_tests(name, tests, n, open_directory, remove_directory);
}
