/* main.c - the tests of the two-phase commit. SPDX-License-Identifier: MIT */
#include "../noise/noise.h"
#include "machines.h"

enum {
    STEPS_MAX = 600,
    FAULT_STEPS = 160, /* in which the faults of a trial begin: trials seldom take more */
};

static const uint64_t noise_rest_ns = 100000000;

bool bug_early_commit;
bool bug_counted_acks;
bool bug_impatient;
bool bug_forgotten_promise;
bool bug_second_vote;
bool bug_forgotten_refusal;

static const struct sn_faults everything = {
    .drops = 1,
    .duplicates = 1,
    .delays = 1,
    .partitions = 1,
    .crashes = 2,
    .disk_errors = 1,
    .horizon = FAULT_STEPS,
    .down_ns = UINT64_C(4000000000),
    .partition_ns = UINT64_C(4000000000),
    .delay_ns = UINT64_C(4000000000),
};

static void start(bool has_termination_monitor)
{
    struct cluster *cluster = sn_alloc(sizeof(*cluster));
    struct site_birth birth = {.cluster = cluster};

    cluster->has_termination_monitor = has_termination_monitor;
    cluster->sites[TPC_COORDINATOR] =
        sn_create_on(sn_node_new("coordinator"), &coordinator_machine, &birth);
    for (birth.site = 1; birth.site <= PARTICIPANTS; birth.site++) {
        sn_node node = sn_node_new("participant %u", (unsigned)birth.site);

        cluster->sites[birth.site] = sn_create_on(node, &participant_machine, &birth);
    }
    cluster->client = sn_create(&client_machine, &birth);
    noise_start(noise_rest_ns);
}

static void atomic(void)
{
    start(false);
}

static void terminates(void)
{
    start(true);
}

static const struct sn_machine *const atomic_monitors[] = {&atomicity_monitor, NULL};
static const struct sn_machine *const terminates_monitors[] = {
    &atomicity_monitor,
    &termination_monitor,
    NULL,
};

static struct sn_test tests[] = {
    {
        .name = "atomic",
        .run = atomic,
        .about = "whatever fails, all sites decide the same",
        .monitors = atomic_monitors,
        .max_steps = STEPS_MAX,
        .world = SN_WORLD_TRIAL,
        .links = SN_UNORDERED,
        .faults = &everything,
    },
    {
        .name = "terminates",
        .run = terminates,
        .about = "once everybody is up again, nobody stays in doubt",
        .monitors = terminates_monitors,
        .max_steps = STEPS_MAX,
        .world = SN_WORLD_TRIAL,
        .links = SN_UNORDERED,
        .faults = &everything,
    },
    {0},
};

static const struct sn_bug bugs[] = {
    {
        .name = "early-commit",
        .about = "The coordinator tells its decision before it is durable.",
        .test = "atomic",
        .flag = &bug_early_commit,
    },
    {
        .name = "counted-acks",
        .about = "The coordinator counts acknowledgements, not those who sent them.",
        .test = "atomic",
        .flag = &bug_counted_acks,
    },
    {
        .name = "impatient",
        .about = "A participant that has voted yes aborts when nobody answers its questions.",
        .test = "atomic",
        .flag = &bug_impatient,
    },
    {
        .name = "forgotten-promise",
        .about =
            "A participant votes yes before its promise is durable, and forgets it in a crash.",
        .test = "atomic",
        .flag = &bug_forgotten_promise,
    },
    {
        .name = "second-vote",
        .about = "A late copy of the question makes a participant vote after the decision.",
        .test = "atomic",
        .flag = &bug_second_vote,
    },
    {
        .name = "forgotten-refusal",
        .about = "A participant refuses when asked by another, but does not remember it.",
        .test = "atomic",
        .flag = &bug_forgotten_refusal,
    },
    {0},
};

static void prepare(void)
{
    noise_make_room(tests);
}

static const struct sn_option options[] = {NOISE_OPTION, {0}};

static const struct sn_suite suite = {
    .name = "two_phase_commit",
    .tests = tests,
    .bugs = bugs,
    .options = options,
    .prepare = prepare,
};

int main(int argc, char **argv)
{
    return sn_main(argc, argv, &suite);
}
