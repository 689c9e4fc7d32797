/* libraft.c - the Raft library of Debian under Sennit: how fast it is, and how much memory it
 * takes.
 *
 * Prints `name<TAB>value<TAB>unit`. Three servers of the library run in one process; every trial is
 * judged by all oracles and its history is checked, as in systems/libraft. Figures of speed are the
 * best of some rounds, of a hundredth as many trials each as come then: those have 60 steps, and
 * the library allocates and frees as it likes. There are a million unless said otherwise:
 * libraft [TRIALS]
 * SPDX-License-Identifier: MIT
 */
#include "../systems/libraft/heap.h"
#include "../systems/libraft/machines.h"
#include "../systems/libraft/repairs.h"
#include "../systems/libraft/scenarios.h"
#include "../systems/raft_oracles/oracles.h"
#include "bench.h"

#include <sennit/sennit.h>
#include <stdlib.h>

enum { ROUNDS = 5, SHORT_STEPS = 60, MILLION = 1000000 };

struct libraft_bugs bugs_wanted;

static const struct sn_machine *const oracles[] = {
    &sn_one_leader,
    &one_vote,
    &majorities,
    &log_matching,
    &leader_completeness,
    &state_machine_safety,
    &exactly_once,
    &durability,
    &callbacks,
    &addressees,
    &no_leak,
    &configurations,
    &progress,
    NULL,
};

static const struct sn_test steady = {
    .name = "steady",
    .run = scenario_trio,
    .monitors = oracles,
    .max_steps = 800,
    .model = &sn_model_map,
    .has_model_initial = true,
    .starts_first = true,
};

static const struct sn_faults faults = {
    .drops = 4,
    .delays = 6,
    .partitions = 3,
    .crashes = 3,
    .horizon = 250,
    .down_ns = 1000 * MILLISECOND,
    .partition_ns = 2000 * MILLISECOND,
    .delay_ns = 1200 * MILLISECOND,
};

static void run(const struct sn_test *test, const struct sn_options *options,
                struct sn_result *result)
{
    int rc = sn_run(test, options, result);

    if (rc == 0 && result->verdict == SN_PASSED)
        return;
    (void)fprintf(stderr, "bench: %s\n", result->failure);
    exit(1);
}

/* The best of some rounds; the last one leaves its counts in result. */
static double steps_per_s(const struct sn_test *test, uint64_t trials, struct sn_result *result)
{
    double best = 0;

    for (int round = 0; round < ROUNDS; round++) {
        struct sn_options options = {
            .strategy = "random",
            .iterations = trials,
            .seed = (uint64_t)round + 1,
        };
        double start = bench_now_s();

        run(test, &options, result);

        double speed = (double)result->steps / (bench_now_s() - start);

        best = speed > best ? speed : best;
    }
    return best;
}

/* Memory of this process that is resident, in KiB. */
static double resident_kib(void)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");

    if (file == NULL || fscanf(file, "%*u %lu", &pages) != 1)
        pages = 0;
    if (file != NULL)
        (void)fclose(file);
    return (double)pages * 4;
}

static void measure_memory(uint64_t trials)
{
    struct sn_test test = steady;
    struct sn_result result;
    struct sn_options options = {.strategy = "random", .iterations = 1000};

    test.max_steps = SHORT_STEPS;
    test.fair_steps = 1;
    run(&test, &options, &result);
    bench_line("libraft.resident_after_1000_trials", resident_kib(), "KiB");
    options.iterations = trials;
    run(&test, &options, &result);
    bench_line("libraft.short_trials", (double)result.trials, "trials");
    bench_line("libraft.short_steps", (double)result.steps, "steps");
    bench_line("libraft.resident_after_all_trials", resident_kib(), "KiB");
}

int main(int argc, char **argv)
{
    uint64_t trials = argc > 1 ? strtoull(argv[1], NULL, 10) : MILLION;
    uint64_t speed_trials = trials < 100 ? 1 : trials / 100;
    struct sn_test test = steady;
    struct sn_result result;

    heap_install();
    finding_wanted = "none";
    repairs_prepare();
    bench_line("libraft.steady", steps_per_s(&test, speed_trials, &result), "steps/s");
    bench_line("libraft.steady_trial", (double)result.steps / (double)result.trials, "steps");
    test.faults = &faults;
    bench_line("libraft.faults", steps_per_s(&test, speed_trials, &result), "steps/s");
    bench_line("libraft.faults_trial", (double)result.steps / (double)result.trials, "steps");
    measure_memory(trials);
    return 0;
}
