/* parts.c - nanoseconds per step of processes, for `engine`, which runs this program as it is and
 * in copies that lack one part of a step, or do it twice: parts ROUNDS
 *
 * Prints two numbers, the least of all rounds: of two processes that exchange messages, where there
 * is never a choice, and of sixteen with thirty messages on the way. SPDX-License-Identifier: MIT
 */
#include "../bench.h"

#include <sennit/sennit.h>
#include <stdlib.h>

enum { STEPS = 400000, CROWD = 16, ON_THE_WAY = 30 };

static const struct sn_event number_event = {.name = "Number", .size = sizeof(uint64_t)};

/* Sends whatever it gets to somebody else. */
static void pass_on(const void *payload)
{
    uint64_t n = *(const uint64_t *)payload;

    for (;;) {
        const struct sn_message *m = sn_receive(NULL, NULL, SN_FOREVER);
        uint64_t number = *(const uint64_t *)m->payload * UINT64_C(6364136223846793005) + 1;

        sn_send((sn_id)(1 + (number >> 33) % n), &number_event, &number);
    }
}

static const struct sn_process passing = {
    .name = "Passing", .run = pass_on, .birth = &number_event, .may_wait = true};

static void run_among(uint64_t n, uint64_t messages)
{
    for (uint64_t i = 0; i < n; i++)
        (void)sn_spawn(&passing, &n);
    for (uint64_t i = 0; i < messages; i++)
        sn_send((sn_id)(1 + i % n), &number_event, &i);
}

static void run_pair(void)
{
    run_among(2, 1);
}

static void run_crowd(void)
{
    run_among(CROWD, ON_THE_WAY);
}

static double step_ns(void (*run)(void))
{
    const struct sn_test test = {
        .name = "parts", .run = run, .max_steps = STEPS, .world = SN_WORLD_TRIAL};
    const struct sn_options options = {.strategy = "random", .iterations = 1};
    struct sn_result result;
    double start_s = bench_now_s();

    if (sn_run(&test, &options, &result) < 0 || result.failures > 0) {
        (void)fprintf(stderr, "parts: %s\n", result.failure);
        exit(1);
    }
    return (bench_now_s() - start_s) * 1e9 / (double)result.steps;
}

int main(int argc, char **argv)
{
    double pair_ns = 1e9;
    double crowd_ns = 1e9;

    for (int i = argc > 1 ? atoi(argv[1]) : 1; i > 0; i--) {
        double ns = step_ns(run_pair);

        pair_ns = ns < pair_ns ? ns : pair_ns;
        ns = step_ns(run_crowd);
        crowd_ns = ns < crowd_ns ? ns : crowd_ns;
    }
    (void)printf("%.4f %.4f\n", pair_ns, crowd_ns);
    return 0;
}
