/* test_lab.c - experiments: trials as they are asked for. SPDX-License-Identifier: MIT */
#include "api/lab_own.h"
#include "shrunk_tests.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

enum { JOBS = 200, ENTRIES_MAX = 4096 };

static struct run_request request;
static struct lab *lab;
static struct lab_job jobs[JOBS];
static struct lab_result results[JOBS];
static uint64_t ids[ENTRIES_MAX];
static uint64_t op_names[ENTRIES_MAX];
static struct plan_draw draws[ENTRIES_MAX];

/* ---- Helpers -------------------------------------------------------------------------------- */

static void open_lab_with(const struct sn_test *test, struct lab_options options)
{
    options.request = &request;
    options.entries_max = ENTRIES_MAX;
    request = (struct run_request){.test = test, .jobs = 1};
    memset(jobs, 0, sizeof(jobs));
    assert_int_equal(lab_open(&lab, &options, NULL), 0);
}

static void open_lab(const char *name, uint32_t workers, bool (*tick)(void *self))
{
    open_lab_with(shrunk_test(name), (struct lab_options){.workers = workers, .tick = tick});
}

static int close_lab(void **unused)
{
    (void)unused;
    lab_close(lab);
    lab = NULL;
    return 0;
}

/* The trials of a strategy, one after the other. */
static void run_trials(uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        jobs[i] = (struct lab_job){.strategy = "random", .seed = 1, .trial = i};
    assert_int_equal(lab_run(lab, jobs, n, results, NULL), 0);
}

/* The plan of a result's decisions. */
static struct plan plan_of(const struct lab_result *r)
{
    struct plan plan = {.ids = ids, .draws = draws};

    assert_non_null(r->entries);
    for (uint64_t i = 0; i < r->decisions; i++) {
        const struct lab_entry *entry = &r->entries[i];

        if (entry->is_draw)
            draws[plan.n_draws++] = (struct plan_draw){entry->id, entry->value};
        else
            ids[plan.n_ids++] = entry->id;
    }
    return plan;
}

/* The same with names. */
static struct plan plan_by_name(const struct lab_result *r)
{
    struct plan plan = plan_of(r);
    uint32_t n = 0;

    for (uint64_t i = 0; i < r->decisions; i++) {
        if (r->entries[i].is_draw)
            draws[n++].key = r->entries[i].place;
    }
    for (uint32_t i = 0; i < plan.n_ids; i++)
        op_names[i] = r->ops[i].name;
    plan.names = op_names;
    return plan;
}

static uint32_t find_failed(bool is_longest)
{
    uint32_t best = JOBS;

    for (uint32_t i = 0; i < JOBS; i++) {
        if (results[i].how != LAB_FAILED)
            continue;
        if (best == JOBS || (results[i].steps > results[best].steps) == is_longest)
            best = i;
    }
    assert_true(best < JOBS);
    return best;
}

/* ---- Tests ---------------------------------------------------------------------------------- */

static void results_come_in_the_order_of_the_jobs_whoever_ran_them(void **unused)
{
    static struct lab_result one[JOBS];

    (void)unused;
    open_lab("noisy", 1, NULL);
    run_trials(JOBS);
    memcpy(one, results, sizeof(one));
    lab_close(lab);
    open_lab("noisy", 3, NULL);
    run_trials(JOBS);

    for (uint32_t i = 0; i < JOBS; i++) {
        assert_int_equal(results[i].how, one[i].how);
        assert_int_equal(results[i].steps, one[i].steps);
        assert_true(results[i].order == one[i].order);
        assert_string_equal(results[i].verdict.message, one[i].verdict.message);
    }
}

static void the_first_job_counts_and_not_the_first_that_is_done(void **unused)
{
    struct lab_wanted wanted = {.any = true};
    struct lab_job some[3];

    (void)unused;
    open_lab("noisy", 3, NULL);
    run_trials(JOBS);
    some[0] = jobs[find_failed(true)];
    some[1] = some[2] = jobs[find_failed(false)];

    assert_int_equal(lab_find(lab, &wanted, some, 3, results, NULL), 0);
    assert_int_equal(results[1].how, LAB_NOT_RUN);
    assert_int_equal(results[2].how, LAB_NOT_RUN);
}

static void what_does_not_fail_in_the_wanted_way_is_not_found(void **unused)
{
    struct lab_wanted wanted = {.any = false};

    (void)unused;
    open_lab("order", 2, NULL);
    run_trials(JOBS);
    (void)find_failed(false);

    assert_int_equal(lab_find(lab, &wanted, jobs, JOBS, results, NULL), JOBS);
}

static void a_plan_with_names_is_the_same_trial(void **unused)
{
    uint64_t order;
    struct plan plan;

    (void)unused;
    open_lab("crashes", 1, NULL);
    jobs[0] = (struct lab_job){.strategy = "random", .seed = 3, .trial = 5, .wants_log = true};
    assert_int_equal(lab_run(lab, jobs, 1, results, NULL), 0);
    order = results[0].order;
    plan = plan_by_name(&results[0]);
    jobs[0] = (struct lab_job){.plan = &plan, .wants_log = true};
    assert_int_equal(lab_run(lab, jobs, 1, results, NULL), 0);

    assert_true(results[0].order == order);
}

/* Without the first of its turns all others have other ids, and other draws. */
static void what_follows_from_what_is_left_out_is_found_by_its_name(void **unused)
{
    uint64_t steps;
    struct plan plan;

    (void)unused;
    open_lab("turns", 1, NULL);
    run_trials(JOBS);
    jobs[0] = jobs[find_failed(true)];
    jobs[0].wants_log = true;
    assert_int_equal(lab_run(lab, jobs, 1, results, NULL), 0);
    steps = results[0].steps;
    assert_true(steps > 5);
    plan = plan_by_name(&results[0]);
    plan.n_ids--;
    memmove(ids + 3, ids + 4, (plan.n_ids - 3) * sizeof(ids[0]));
    memmove(op_names + 3, op_names + 4, (plan.n_ids - 3) * sizeof(op_names[0]));
    jobs[0] = (struct lab_job){.plan = &plan};
    jobs[1] = (struct lab_job){
        .plan = &(struct plan){
            .ids = ids, .n_ids = plan.n_ids, .draws = plan.draws, .n_draws = plan.n_draws}};
    assert_int_equal(lab_run(lab, jobs, 2, results, NULL), 0);

    assert_int_equal(results[0].how, LAB_FAILED);
    assert_int_equal(results[0].steps, steps - 1);
    assert_int_equal(results[1].how, LAB_PASSED);
}

static void a_plan_of_all_decisions_is_the_same_trial(void **unused)
{
    struct lab_result of_strategy;
    struct plan plan;

    (void)unused;
    open_lab("value", 2, NULL);
    jobs[0] = (struct lab_job){.strategy = "pos", .seed = 9, .trial = 4, .wants_log = true};
    assert_int_equal(lab_run(lab, jobs, 1, results, NULL), 0);
    of_strategy = results[0];
    plan = plan_of(&of_strategy);
    jobs[0] = (struct lab_job){.plan = &plan};
    assert_int_equal(lab_run(lab, jobs, 1, results, NULL), 0);

    assert_true(plan.n_draws > 0);
    assert_true(results[0].order == of_strategy.order);
    assert_int_equal(results[0].steps, of_strategy.steps);
}

static void nothing_goes_wrong_that_is_not_planned(void **unused)
{
    (void)unused;
    open_lab("fault", 1, NULL);
    jobs[0] = (struct lab_job){.wants_log = true};
    assert_int_equal(lab_run(lab, jobs, 1, results, NULL), 0);

    assert_int_equal(results[0].how, LAB_PASSED);
    assert_int_equal(results[0].steps, 7); /* three starts, three messages and a timer */
    for (uint64_t i = 0; i < results[0].steps; i++)
        assert_false(results[0].ops[i].is_fault);
}

static void what_is_held_runs_after_what_it_waits_for(void **unused)
{
    struct plan plan = {.n_holds = 1};
    struct plan_hold hold;

    (void)unused;
    open_lab("order", 1, NULL);
    jobs[0] = (struct lab_job){.wants_log = true};
    assert_int_equal(lab_run(lab, jobs, 1, results, NULL), 0);
    hold = (struct plan_hold){.held = results[0].ops[1].id, .until = results[0].ops[3].id};
    plan.holds = &hold;
    jobs[0].plan = &plan;
    assert_int_equal(lab_run(lab, jobs, 1, results, NULL), 0);

    assert_true(results[0].ops[2].id == hold.until);
    assert_true(results[0].ops[3].id == hold.held);
}

static void a_trial_of_which_all_is_held_is_stuck(void **unused)
{
    struct plan plan = {.n_holds = 1};
    struct plan_hold hold;

    (void)unused;
    open_lab("order", 1, NULL);
    jobs[0] = (struct lab_job){.wants_log = true};
    assert_int_equal(lab_run(lab, jobs, 1, results, NULL), 0);
    hold = (struct plan_hold){.held = results[0].ops[1].id, .until = 12345};
    plan.holds = &hold;
    jobs[0].plan = &plan;
    assert_int_equal(lab_run(lab, jobs, 1, results, NULL), 0);

    assert_int_equal(results[0].how, LAB_STUCK);
    assert_int_equal(results[0].verdict.verdict, SN_PASSED);
}

static void a_strategy_goes_on_where_a_plan_ends(void **unused)
{
    struct lab_result whole;
    struct plan plan;
    uint32_t n_other = 0;

    (void)unused;
    open_lab("noisy", 2, NULL);
    jobs[0] = (struct lab_job){.strategy = "random", .seed = 3, .trial = 1, .wants_log = true};
    assert_int_equal(lab_run(lab, jobs, 1, results, NULL), 0);
    whole = results[0];
    plan = plan_of(&whole);
    assert_true(whole.steps > 20);
    for (uint32_t i = 0; i < 20; i++)
        jobs[i] = (struct lab_job){.plan = &plan,
                                   .plan_steps = 10,
                                   .strategy = "random",
                                   .seed = 7,
                                   .trial = i,
                                   .wants_log = true};
    assert_int_equal(lab_run(lab, jobs, 20, results, NULL), 0);

    for (uint32_t i = 0; i < 20; i++) {
        for (uint32_t k = 0; k < 10; k++)
            assert_true(results[i].ops[k].id == ids[k]);
        n_other += results[i].order != whole.order;
    }
    assert_true(n_other > 15);
}

static void a_crash_is_a_result_and_the_next_job_is_run(void **unused)
{
    uint32_t n_failed = 0;

    (void)unused;
    open_lab("abort", 2, NULL);
    run_trials(40);

    for (uint32_t i = 0; i < 40; i++) {
        assert_true(results[i].how == LAB_PASSED || results[i].how == LAB_FAILED);
        if (results[i].how == LAB_PASSED)
            continue;
        n_failed++;
        assert_true(results[i].has_died);
        assert_string_equal(results[i].verdict.oracle, "crash");
    }
    assert_true(n_failed > 1 && n_failed < 40);
}

static bool say_no(void *self)
{
    (void)self;
    return false;
}

static void jobs_that_are_not_wanted_any_more_are_not_run(void **unused)
{
    (void)unused;
    open_lab("order", 2, say_no);
    run_trials(JOBS);

    assert_true(lab_is_stopped(lab));
    assert_int_equal(results[0].how, LAB_NOT_RUN);
    assert_int_equal(results[JOBS - 1].how, LAB_NOT_RUN);
}

static void a_strategy_that_there_is_not_is_said_in_the_result(void **unused)
{
    (void)unused;
    open_lab("order", 1, NULL);
    jobs[0] = (struct lab_job){.strategy = "wishes"};
    assert_int_equal(lab_run(lab, jobs, 1, results, NULL), 0);

    assert_int_equal(results[0].how, LAB_UNCONTROLLED);
    assert_non_null(strstr(results[0].verdict.message, "wishes"));
}

/* ---- Jobs that share a plan ----------------------------------------------------------------- */

static void a_job_without_a_plan_takes_none_away_from_the_next(void **unused)
{
    struct plan plan = {.n_holds = 1};
    struct plan_hold hold;

    (void)unused;
    open_lab("order", 1, NULL);
    jobs[0] = (struct lab_job){.wants_log = true};
    assert_int_equal(lab_run(lab, jobs, 1, results, NULL), 0);
    hold = (struct plan_hold){.held = results[0].ops[1].id, .until = 12345};
    plan.holds = &hold;
    jobs[0] = jobs[2] = (struct lab_job){.plan = &plan};
    jobs[1] = (struct lab_job){0};
    assert_int_equal(lab_run(lab, jobs, 3, results, NULL), 0);

    assert_int_equal(results[0].how, LAB_STUCK);
    assert_int_equal(results[1].how, LAB_PASSED);
    assert_int_equal(results[2].how, LAB_STUCK);
}

static void a_trial_without_a_plan_is_not_stuck_because_the_last_one_was(void **unused)
{
    struct plan plan = {.n_holds = 1};
    struct plan_hold hold;

    (void)unused;
    open_lab("order", 1, NULL);
    jobs[0] = (struct lab_job){.wants_log = true};
    assert_int_equal(lab_run(lab, jobs, 1, results, NULL), 0);
    hold = (struct plan_hold){.held = results[0].ops[1].id, .until = 12345};
    plan.holds = &hold;
    jobs[0] = (struct lab_job){.plan = &plan};
    assert_int_equal(lab_run(lab, jobs, 1, results, NULL), 0);
    assert_true(follow_is_stuck(lab->hands[0]->follow));
    run_trials(1);

    assert_false(follow_is_stuck(lab->hands[0]->follow));
}

/* ---- Limits --------------------------------------------------------------------------------- */

static void no_trial_may_have_more_steps_than_there_is_room_for(void **unused)
{
    (void)unused;
    open_lab_with(shrunk_test("order"),
                  (struct lab_options){.workers = 1, .max_steps = UINT64_MAX});
    run_trials(1);

    assert_int_equal(results[0].steps_max, EXPLORE_STEPS_LIMIT);
}

static void no_fair_end_may_have_more_steps_than_there_is_room_for(void **unused)
{
    struct plan plan = {.fair_steps = UINT64_MAX, .fair_from = 2};

    (void)unused;
    open_lab("order", 1, NULL);
    jobs[0] = (struct lab_job){.plan = &plan};
    assert_int_equal(lab_run(lab, jobs, 1, results, NULL), 0);

    assert_int_equal(results[0].steps_max, EXPLORE_STEPS_LIMIT);
}

/* ---- Once more ------------------------------------------------------------------------------ */

/* In memory that no trial puts back: how often it was run, and when it ends its process. */
static struct {
    _Atomic uint32_t n;
    uint32_t fatal;
} * executions;

static void run_fatal(void)
{
    if (++executions->n == executions->fatal)
        _exit(3);
    sn_assertf(false, "as every time");
}

static const struct sn_test fatal_test = {
    .name = "fatal", .run = run_fatal, .world = SN_WORLD_TRIAL};

/* A failing test that ends its process when it is run for the second time. */
static void open_fatal(void)
{
    if (executions == NULL)
        executions = mmap(NULL, sizeof(*executions), PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    executions->n = 0;
    executions->fatal = 2;
    open_lab_with(&fatal_test, (struct lab_options){.workers = 1});
    jobs[0] = jobs[1] = (struct lab_job){.strategy = "random", .seed = 1, .wants_log = true};
}

static void a_process_that_ends_while_a_trial_is_written_down_is_a_result(void **unused)
{
    (void)unused;
    open_fatal();
    assert_int_equal(lab_run(lab, jobs, 2, results, NULL), 0);

    assert_int_equal(results[0].how, LAB_UNCONTROLLED);
    assert_non_null(strstr(results[0].verdict.message, "run once more"));
    assert_int_equal(results[1].how, LAB_FAILED);
    assert_int_equal(executions->n, 4);
}

static void what_cannot_be_written_down_is_not_what_was_looked_for(void **unused)
{
    struct lab_wanted wanted = {.any = true};

    (void)unused;
    open_fatal();

    assert_int_equal(lab_find(lab, &wanted, jobs, 2, results, NULL), 1);
    assert_non_null(results[1].entries);
}

static void run_changing(void)
{
    uint32_t n = ++executions->n;

    for (uint32_t i = 0; i < n; i++)
        (void)sn_choose("number", 3);
    sn_assertf(false, "as every time");
}

static void a_trial_that_does_not_repeat_itself_is_not_under_control(void **unused)
{
    const struct sn_test test = {.name = "changing", .run = run_changing, .world = SN_WORLD_TRIAL};

    (void)unused;
    open_fatal();
    lab_close(lab);
    open_lab_with(&test, (struct lab_options){.workers = 1});
    jobs[0] = (struct lab_job){.strategy = "random", .seed = 1, .wants_log = true};
    assert_int_equal(lab_run(lab, jobs, 1, results, NULL), 0);

    assert_int_equal(results[0].how, LAB_UNCONTROLLED);
    assert_null(results[0].entries);
}

/* ---- What cannot be undone ------------------------------------------------------------------ */

static void run_drawing(void)
{
    (void)sn_choose("number", 3);
}

static void memory_of_a_strategy_is_not_taken_for_the_trials(void **unused)
{
    static const char *const names[] = {"random", "pct:3", "pos", "posr", "urw", "pos+ca"};
    const struct sn_test test = {.name = "drawing", .run = run_drawing};
    uint32_t n = sizeof(names) / sizeof(names[0]);

    (void)unused;
    open_lab_with(&test, (struct lab_options){.workers = 1});
    for (uint32_t i = 0; i < n; i++)
        jobs[i] = (struct lab_job){.strategy = names[i], .seed = 1};
    assert_int_equal(lab_run(lab, jobs, n, results, NULL), 0);

    for (uint32_t i = 0; i < n; i++)
        assert_int_not_equal(results[i].how, LAB_UNCONTROLLED);
}

static void run_opening(void)
{
    if (open("/dev/null", O_RDONLY) < 0)
        abort();
}

/* A sanitizer has a process per trial, which undoes it. */
static void a_file_that_a_trial_leaves_open_is_noticed_whatever_its_number(void **unused)
{
    const struct sn_test test = {.name = "opening", .run = run_opening};
    struct plan plan = {0};

    (void)unused;
    open_lab_with(&test, (struct lab_options){.workers = 1});
    jobs[0] = (struct lab_job){.plan = &plan, .plan_steps = 1, .trial = 17};
    assert_int_equal(lab_run(lab, jobs, 1, results, NULL), 0);
#ifndef __SANITIZE_ADDRESS__
    assert_int_equal(results[0].how, LAB_UNCONTROLLED);
    assert_non_null(strstr(results[0].verdict.message, "/dev/null"));
#endif
}

/* ---- What a process that ended has left behind ---------------------------------------------- */

static void start_member(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    if (++executions->n == executions->fatal)
        _exit(3);
}

static void ignore(void *self, sn_id from, const void *bytes, size_t n)
{
    (void)self;
    (void)from;
    (void)bytes;
    (void)n;
}

static const struct sn_machine member = {
    .name = "Member", .on_start = start_member, .on_message = ignore};

/* Three machines that start, one of which ends the process. */
static void run_members(void)
{
    (void)sn_create(&member, NULL);
    (void)sn_create(&member, NULL);
    (void)sn_create(&member, NULL);
}

static const struct sn_test members_test = {
    .name = "members", .run = run_members, .world = SN_WORLD_TRIAL};

static struct opnames *names;
static struct constraints *constraints;

static int open_members(void **unused)
{
    (void)unused;
    open_fatal();
    lab_close(lab);
    lab = NULL;
    executions->fatal = 0;
    constraints =
        mmap(NULL, sizeof(*constraints), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (opnames_new(&names, NULL) < 0)
        return -1;
    open_lab_with(&members_test, (struct lab_options){.workers = 1, .names = names});
    return 0;
}

static int close_members(void **unused)
{
    (void)close_lab(unused);
    opnames_free(names);
    return munmap(constraints, sizeof(*constraints));
}

/* The steps of the default schedule. */
static void find_starts(uint64_t starts[3])
{
    jobs[0] = (struct lab_job){.wants_log = true};
    assert_int_equal(lab_run(lab, jobs, 1, results, NULL), 0);
    assert_int_equal(results[0].steps, 3);
    for (uint32_t i = 0; i < 3; i++)
        starts[i] = results[0].ops[i].id;
}

static void orders_required_of_a_trial_that_ended_its_process_are_not_of_the_next(void **unused)
{
    uint64_t starts[3];

    (void)unused;
    find_starts(starts);
    assert_int_equal(
        constraints_read(constraints, names, "start Member#3 before start Member", NULL), 0);
    executions->fatal = executions->n + 2;
    jobs[0] = (struct lab_job){.constraints = constraints, .version = 1};
    jobs[1] = (struct lab_job){.wants_log = true};
    assert_int_equal(lab_run(lab, jobs, 2, results, NULL), 0);

    assert_true(results[0].has_died);
    assert_true(results[1].ops[0].id == starts[0]);
    assert_true(results[1].ops[2].id == starts[2]);
}

static void events_of_a_trial_that_ended_its_process_are_no_causes_in_the_next(void **unused)
{
    uint64_t starts[3];
    struct plan plan = {.ids = ids, .n_ids = 1};
    uint32_t n;
    uint32_t n_ran;

    (void)unused;
    find_starts(starts);
    ids[0] = starts[2];
    executions->fatal = executions->n + 4; /* the first step, when it is run once more */
    jobs[0] = (struct lab_job){.plan = &plan, .wants_events = true};
    assert_int_equal(lab_run(lab, jobs, 1, results, NULL), 0);
    assert_int_equal(results[0].how, LAB_UNCONTROLLED);
    jobs[0] = (struct lab_job){.max_steps = 1, .wants_events = true};
    assert_int_equal(lab_run(lab, jobs, 1, results, NULL), 0);

    assert_non_null(results[0].happened);
    assert_true(happened_events(results[0].happened, &n, &n_ran)[3].id == starts[2]);
    assert_int_equal(n, 4); /* the set-up, the first start, and those that are pending */
    assert_false(happened_causes(results[0].happened, 1, 3));
}

/* By default they start in order: the third one would come first, and the second one last. */
static void orders_hold_from_the_step_on_that_they_are_for(void **unused)
{
    uint64_t starts[3];

    (void)unused;
    find_starts(starts);
    assert_int_equal(
        constraints_read(constraints, names, "start Member#3 before start Member", NULL), 0);
    assert_int_equal(
        constraints_read(constraints, names, "start Member#3 before start Member#2", NULL), 0);
    constraints->from = 1;
    jobs[0] = (struct lab_job){.constraints = constraints, .version = 1, .wants_log = true};
    assert_int_equal(lab_run(lab, jobs, 1, results, NULL), 0);

    assert_int_equal(results[0].how, LAB_PASSED);
    assert_true(results[0].ops[0].id == starts[0]);
    assert_true(results[0].ops[1].id == starts[2]);
    assert_true(results[0].ops[2].id == starts[1]);
}

/* ---- Lengths -------------------------------------------------------------------------------- */

static void what_is_longer_than_wanted_is_not_found(void **unused)
{
    struct lab_wanted wanted = {.any = true};
    struct lab_job some[2];
    uint64_t steps;

    (void)unused;
    open_lab("noisy", 2, NULL);
    run_trials(JOBS);
    some[0] = jobs[find_failed(true)];
    some[1] = jobs[find_failed(false)];
    steps = results[find_failed(false)].steps;
    wanted.steps_max = steps;

    assert_int_equal(lab_find(lab, &wanted, some, 2, results, NULL), 1);
    wanted = (struct lab_wanted){.any = true, .decisions_max = steps};
    assert_int_equal(lab_find(lab, &wanted, some, 2, results, NULL), 1);
    wanted = (struct lab_wanted){.any = true};
    assert_int_equal(lab_find(lab, &wanted, some, 2, results, NULL), 0);
}

static bool say_no_at_first(void *self)
{
    static bool has_been_asked;

    (void)self;
    if (has_been_asked)
        return true;
    has_been_asked = true;
    return false;
}

static void a_lab_that_was_stopped_can_go_on(void **unused)
{
    (void)unused;
    open_lab("order", 2, say_no_at_first);
    run_trials(1);
    assert_int_equal(results[0].how, LAB_NOT_RUN);
    lab_resume(lab);
    run_trials(1);

    assert_false(lab_is_stopped(lab));
    assert_int_not_equal(results[0].how, LAB_NOT_RUN);
}

#define TEST(name_) cmocka_unit_test_teardown(name_, close_lab)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(results_come_in_the_order_of_the_jobs_whoever_ran_them),
        TEST(the_first_job_counts_and_not_the_first_that_is_done),
        TEST(what_does_not_fail_in_the_wanted_way_is_not_found),
        TEST(a_plan_of_all_decisions_is_the_same_trial),
        TEST(a_plan_with_names_is_the_same_trial),
        TEST(what_follows_from_what_is_left_out_is_found_by_its_name),
        TEST(nothing_goes_wrong_that_is_not_planned),
        TEST(what_is_held_runs_after_what_it_waits_for),
        TEST(a_trial_of_which_all_is_held_is_stuck),
        TEST(a_strategy_goes_on_where_a_plan_ends),
        TEST(a_crash_is_a_result_and_the_next_job_is_run),
        TEST(jobs_that_are_not_wanted_any_more_are_not_run),
        TEST(a_strategy_that_there_is_not_is_said_in_the_result),
        TEST(a_job_without_a_plan_takes_none_away_from_the_next),
        TEST(a_trial_without_a_plan_is_not_stuck_because_the_last_one_was),
        TEST(no_trial_may_have_more_steps_than_there_is_room_for),
        TEST(no_fair_end_may_have_more_steps_than_there_is_room_for),
        TEST(a_process_that_ends_while_a_trial_is_written_down_is_a_result),
        TEST(what_cannot_be_written_down_is_not_what_was_looked_for),
        TEST(a_trial_that_does_not_repeat_itself_is_not_under_control),
        TEST(memory_of_a_strategy_is_not_taken_for_the_trials),
        TEST(a_file_that_a_trial_leaves_open_is_noticed_whatever_its_number),
        cmocka_unit_test_setup_teardown(
            orders_required_of_a_trial_that_ended_its_process_are_not_of_the_next, open_members,
            close_members),
        cmocka_unit_test_setup_teardown(
            events_of_a_trial_that_ended_its_process_are_no_causes_in_the_next, open_members,
            close_members),
        cmocka_unit_test_setup_teardown(orders_hold_from_the_step_on_that_they_are_for,
                                        open_members, close_members),
        TEST(what_is_longer_than_wanted_is_not_found),
        TEST(a_lab_that_was_stopped_can_go_on),
    };

    return cmocka_run_group_tests_name("lab", tests, NULL, NULL);
}
