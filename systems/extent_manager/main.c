/* main.c - the tests of the extent manager. SPDX-License-Identifier: MIT */
#include "../noise/noise.h"
#include "machines.h"

/* Trials that reach the goal end long before this limit: see README.md for how long they take. */
enum { STEPS_MAX = 2000 };

bool bug_stale_report;

static void start_driver(enum scenario scenario)
{
    struct driver_birth birth = {.scenario = scenario};

    sn_set_name(sn_create(&testing_driver, &birth), "Driver");
    noise_start(0); /* all timers here fire at some moment */
}

static void replicate(void)
{
    start_driver(SCENARIO_REPLICATE);
}

static void repair(void)
{
    start_driver(SCENARIO_REPAIR);
}

static const struct sn_machine *const monitors[] = {&repair_monitor, NULL};

static struct sn_test tests[] = {
    {
        .name = "replicate",
        .run = replicate,
        .about = "an extent with one replica gets two more",
        .monitors = monitors,
        .max_steps = STEPS_MAX,
    },
    {
        .name = "repair",
        .run = repair,
        .about = "a replica lost with its node is made again on a new node",
        .monitors = monitors,
        .max_steps = STEPS_MAX,
    },
    {0},
};

static const struct sn_bug bugs[] = {
    {
        .name = "stale-report",
        .about =
            "A sync report of a node that has been given up brings its replicas back for good.",
        .flag = &bug_stale_report,
        .test = "repair",
    },
    {0},
};

static void prepare(void)
{
    noise_make_room(tests);
}

static const struct sn_option options[] = {NOISE_OPTION, {0}};

static const struct sn_suite suite = {
    .name = "extent_manager",
    .tests = tests,
    .bugs = bugs,
    .options = options,
    .prepare = prepare,
};

int main(int argc, char **argv)
{
    return sn_main(argc, argv, &suite);
}
