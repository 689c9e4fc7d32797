/* test_processes.c - random small programs of processes: the engine against brute force.
 *
 * A program is a list of calls for each of two to four processes. The engine runs it with every
 * strategy that claims to have seen everything; model.c runs it by its own rules, along every
 * interleaving, with its own notion of which steps depend on each other. What processes saw must be
 * the same sets, and there must be as many partial orders; no strategy may miss one.
 *
 *     test_processes PROGRAMS SEED
 *
 * SPDX-License-Identifier: MIT
 */
#include "process_run.h"

#include <sennit/sennit.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static uint64_t programs_wanted = 100;
static uint64_t seed = 1;

/* ---- Comparing ------------------------------------------------------------------------------ */

static struct outcomes *seen; /* in a mapping that is not put back */

static void watch(void *self, const struct sn_trial_view *trial)
{
    struct outcome outcome;

    (void)trial;
    memset(&outcome, 0, sizeof(outcome));
    for (uint32_t i = 0; i < program.n + program.n_children; i++)
        memcpy(outcome.text[i], seen_by(i), LOG_SIZE);
    outcomes_add(self, &outcome);
}

static void describe(const char *strategy, uint64_t number)
{
    print_error("program %llu of seed %llu, %s:\n", (unsigned long long)number,
                (unsigned long long)seed, strategy);
    program_print(&program);
}

/* Runs the program with a strategy. False: something differs from what the model says. */
static bool is_same(const char *strategy, const struct model_result *model, bool is_optimal,
                    struct sn_result *r)
{
    struct sn_test test = {.name = "brute", .run = run_program, .world = SN_WORLD_TRIAL};
    struct sn_options options = {.strategy = strategy,
                                 .iterations = 1000000,
                                 .keep_going = true,
                                 .watch = watch,
                                 .watch_self = seen};

    test.timers = program.any_timers ? SN_TIMERS_ANY : SN_TIMERS_IDEAL;
    memset(seen, 0, sizeof(*seen));
    assert_int_equal(sn_run(&test, &options, r), 0);
    return r->exhausted && r->failures == 0 && outcomes_are_same(seen, &model->outcomes) &&
           r->distinct_orders == model->orders && (!is_optimal || r->trials == model->orders);
}

static bool compare(const char *strategy, uint64_t number, const struct model_result *model,
                    bool is_optimal)
{
    struct sn_result r;

    if (is_same(strategy, model, is_optimal, &r))
        return true;
    describe(strategy, number);
    print_error("exhausted %d, failure \"%s\", outcomes %u, should be %u; orders %llu, should "
                "be %llu; trials %llu\n",
                r.exhausted, r.failure, seen->n, model->outcomes.n,
                (unsigned long long)r.distinct_orders, (unsigned long long)model->orders,
                (unsigned long long)r.trials);
    return false;
}

static struct model_result model;

/* False: there is too much to compare. */
static bool run_model(uint64_t number)
{
    struct sn_result ignored;

    if (!model_run(&program, &model))
        return false;
    if (model.why[0] != '\0')
        describe("the model", number);
    assert_string_equal(model.why, "");
    if (!program_has_two_parents(&program) || is_same("dfs", &model, false, &ignored))
        return true;
    program.is_second_first = true;
    return model_run(&program, &model);
}

static uint64_t compare_programs(void (*draw)(struct program *p, uint64_t seed, uint64_t i),
                                 bool any_timers)
{
    uint64_t n_compared = 0;
    uint64_t n_orders = 0;
    uint64_t n_wrong = 0;

    for (uint64_t i = 0; n_compared < programs_wanted; i++) {
        draw(&program, seed, i);
        program.any_timers = any_timers;
        if (!run_model(i))
            continue;
        n_compared++;
        n_orders += model.orders;
        n_wrong += !compare("dfs", i, &model, false);
        n_wrong += !compare("dpor", i, &model, false);
        n_wrong += !compare("odpor:trees", i, &model, true);
        assert_int_equal(n_wrong, 0);
    }
    return n_orders;
}

static void no_strategy_misses_an_order_or_an_outcome_of_processes(void **unused)
{
    (void)unused;

    assert_true(compare_programs(program_draw, false) > programs_wanted);
}

static void nor_does_one_where_timeouts_may_come_at_any_time(void **unused)
{
    (void)unused;

    assert_true(compare_programs(program_draw, true) > programs_wanted);
}

static void nor_where_nodes_come_and_go_and_processes_are_spawned(void **unused)
{
    (void)unused;

    assert_true(compare_programs(program_draw_nodes, false) > programs_wanted);
}

static void nor_if_timeouts_come_at_any_time_there(void **unused)
{
    (void)unused;

    assert_true(compare_programs(program_draw_nodes, true) > programs_wanted);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_strategy_misses_an_order_or_an_outcome_of_processes),
        cmocka_unit_test(nor_does_one_where_timeouts_may_come_at_any_time),
        cmocka_unit_test(nor_where_nodes_come_and_go_and_processes_are_spawned),
        cmocka_unit_test(nor_if_timeouts_come_at_any_time_there),
    };

    if (argc > 1)
        programs_wanted = strtoull(argv[1], NULL, 10);
    if (argc > 2)
        seed = strtoull(argv[2], NULL, 10);
    if (getenv("BRUTE_PROGRAMS") != NULL)
        programs_wanted = strtoull(getenv("BRUTE_PROGRAMS"), NULL, 10);
    seen = mmap(NULL, sizeof(*seen), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
