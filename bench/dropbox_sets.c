/* dropbox_sets.c - how many states are possible in tests of the simulated synchroniser.
 *
 *     build/bench/dropbox_sets [TRIALS]
 *
 * Runs that many trials (10000) of the correct one with two to five nodes, and three nodes with
 * several files, and prints for each: events observed in a trial on average, states of the largest
 * set, the mean of all sets, and the share of trials in which some set had more than a thousand.
 *
 * SPDX-License-Identifier: MIT
 */
#include "../systems/sync/simulated.h"

#include <sennit/sennit.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { TRIALS = 10000, STEPS_MAX = 100000, MANY = 1000, COMMANDS = 20, STACK_BYTES = 1 << 18 };

#define SETTLE_NS UINT64_C(20000000)

/* Outside of what is put back after a trial. */
struct figures {
    uint64_t trials;
    uint64_t events;
    uint64_t largest;
    double mean;
    uint64_t many; /* trials with a set of more than MANY states */
};

static struct figures *figures;
static uint32_t n_nodes;
static uint32_t n_files;

static void count(const struct sn_sync_event *events, size_t n, const struct sn_sync_result *result)
{
    (void)events;
    figures->trials++;
    figures->events += n;
    if (result->set_max > figures->largest)
        figures->largest = result->set_max;
    figures->mean += (result->set_mean - figures->mean) / (double)figures->trials;
    figures->many += result->set_max > MANY;
}

static void use(const void *payload)
{
    struct sn_sync_options options = {
        .n_nodes = n_nodes,
        .n_files = n_files,
        .n_commands = COMMANDS,
        .settle_ns = SETTLE_NS,
        .judged = count,
    };
    void *self;
    const struct sn_sync_driver *driver = sync_simulated(&self);

    (void)payload;
    sn_sync_test(driver, self, &options);
}

static const struct sn_process user = {.name = "User", .run = use, .stack_size = STACK_BYTES};

static void run(void)
{
    sn_spawn(&user, NULL);
}

static int measure(uint32_t nodes, uint32_t files, uint64_t trials)
{
    static const struct sn_test test = {.name = "file", .run = run, .max_steps = STEPS_MAX};
    struct sn_options options = {.iterations = trials};
    struct sn_result result;

    *figures = (struct figures){0};
    n_nodes = nodes;
    n_files = files;
    if (sn_run(&test, &options, &result) < 0 || result.failures > 0) {
        (void)fprintf(stderr, "dropbox_sets: %s\n", result.failure);
        return 1;
    }
    (void)printf("| %u | %u | %.1f | %llu | %.1f | %.2f %% |\n", nodes, files,
                 (double)figures->events / (double)figures->trials,
                 (unsigned long long)figures->largest, figures->mean,
                 100.0 * (double)figures->many / (double)figures->trials);
    return 0;
}

int main(int argc, char **argv)
{
    uint64_t trials = argc > 1 ? strtoull(argv[1], NULL, 10) : TRIALS;
    int rc = 0;

    figures =
        mmap(NULL, sizeof(*figures), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (figures == MAP_FAILED || trials == 0)
        return 2;
    (void)printf("| nodes | files | events | largest set | mean set | trials with over %d |\n",
                 MANY);
    (void)printf("|---|---|---|---|---|---|\n");
    for (uint32_t nodes = 2; nodes <= SN_SYNC_NODES_MAX && rc == 0; nodes++)
        rc = measure(nodes, 1, trials);
    for (uint32_t files = 2; files <= 4 && rc == 0; files += 2)
        rc = measure(3, files, trials);
    return rc;
}
