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
    for (uint32_t i = 0; i < program.n; i++)
        memcpy(outcome.text[i], seen_by(i), LOG_SIZE);
    outcomes_add(self, &outcome);
}

static void describe(const char *strategy, uint64_t number)
{
    print_error("program %llu of seed %llu, %s:\n", (unsigned long long)number,
                (unsigned long long)seed, strategy);
    program_print(&program);
}

/* False: something differs. */
static bool compare(const char *strategy, uint64_t number, const struct model_result *model,
                    bool is_optimal)
{
    struct sn_test test = {.name = "brute", .run = run_program, .world = SN_WORLD_TRIAL};
    struct sn_options options = {.strategy = strategy,
                                 .iterations = 1000000,
                                 .keep_going = true,
                                 .watch = watch,
                                 .watch_self = seen};
    struct sn_result r;
    bool is_same;

    test.timers = program.any_timers ? SN_TIMERS_ANY : SN_TIMERS_IDEAL;
    memset(seen, 0, sizeof(*seen));
    assert_int_equal(sn_run(&test, &options, &r), 0);
    is_same = r.exhausted && r.failures == 0 && outcomes_are_same(seen, &model->outcomes) &&
              r.distinct_orders == model->orders && (!is_optimal || r.trials == model->orders);
    if (!is_same) {
        describe(strategy, number);
        print_error("exhausted %d, failure \"%s\", outcomes %u, should be %u; orders %llu, should "
                    "be %llu; trials %llu\n",
                    r.exhausted, r.failure, seen->n, model->outcomes.n,
                    (unsigned long long)r.distinct_orders, (unsigned long long)model->orders,
                    (unsigned long long)r.trials);
    }
    return is_same;
}

static struct model_result model;

static uint64_t compare_programs(bool any_timers)
{
    uint64_t n_compared = 0;
    uint64_t n_orders = 0;
    uint64_t n_wrong = 0;

    for (uint64_t i = 0; n_compared < programs_wanted; i++) {
        program_draw(&program, seed, i);
        program.any_timers = any_timers;
        if (!model_run(&program, &model))
            continue;
        if (model.why[0] != '\0')
            describe("the model", i);
        assert_string_equal(model.why, "");
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

    assert_true(compare_programs(false) > programs_wanted);
}

static void nor_does_one_where_timeouts_may_come_at_any_time(void **unused)
{
    (void)unused;

    assert_true(compare_programs(true) > programs_wanted);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_strategy_misses_an_order_or_an_outcome_of_processes),
        cmocka_unit_test(nor_does_one_where_timeouts_may_come_at_any_time),
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
