/* main.c - the tests of the failure detector. SPDX-License-Identifier: MIT */
#include "../noise/noise.h"
#include "machines.h"

enum {
    FAULT_STEPS = 120, /* in which the faults of a trial begin */
    ROUGH_STEPS = 140, /* that a strategy has for them; what comes then is quiet, and judged */
    QUIET_STEPS = 260,
};

static const uint64_t noise_rest_ns = 100000000;

bool bug_late_answer;
bool bug_kept_timer;
bool bug_lost_incarnation;
bool bug_dropped_member;

static const struct sn_faults crashes = {
    .drops = 1,
    .duplicates = 1,
    .delays = 1,
    .crashes = 1,
    .disk_errors = 1,
    .horizon = FAULT_STEPS,
    .delay_ns = UINT64_C(2000000000),
};

static const struct sn_faults restarts = {
    .drops = 1,
    .duplicates = 1,
    .delays = 1,
    .partitions = 1,
    .crashes = 2,
    .disk_errors = 1,
    .horizon = FAULT_STEPS,
    .down_ns = UINT64_C(4000000000),
    .partition_ns = UINT64_C(4000000000),
    .delay_ns = UINT64_C(2000000000),
};

static void start(void)
{
    struct cluster *cluster = sn_alloc(sizeof(*cluster));
    struct node_birth birth = {.cluster = cluster};

    cluster->slow_node = (uint32_t)sn_choose("slow node", NODES + 1);
    for (birth.node = 1; birth.node <= NODES; birth.node++) {
        sn_node node = sn_node_new("node %u", (unsigned)birth.node);

        sn_assert(node == birth.node);
        cluster->nodes[birth.node] = sn_create_on(node, &node_machine, &birth);
    }
    noise_start(noise_rest_ns);
}

static const struct sn_machine *const monitors[] = {&evidence_monitor, &settled_monitor, NULL};

static struct sn_test tests[] = {
    {
        .name = "crash",
        .run = start,
        .about = "a node that has crashed for good is suspected, and nobody else",
        .monitors = monitors,
        .max_steps = ROUGH_STEPS + QUIET_STEPS,
        .fair_steps = QUIET_STEPS,
        .world = SN_WORLD_TRIAL,
        .links = SN_UNORDERED,
        .faults = &crashes,
    },
    {
        .name = "restart",
        .run = start,
        .about = "nodes that come back, or into reach, are trusted and in the group again",
        .monitors = monitors,
        .max_steps = ROUGH_STEPS + QUIET_STEPS,
        .fair_steps = QUIET_STEPS,
        .world = SN_WORLD_TRIAL,
        .links = SN_UNORDERED,
        .faults = &restarts,
    },
    {0},
};

static const struct sn_bug bugs[] = {
    {
        .name = "late-answer",
        .about = "An answer to an earlier round counts for the round that is on.",
        .test = "crash",
        .flag = &bug_late_answer,
    },
    {
        .name = "kept-timer",
        .about = "The timer of a round that is complete goes on, and ends a later round.",
        .test = "restart",
        .flag = &bug_kept_timer,
    },
    {
        .name = "lost-incarnation",
        .about = "A node that crashes and is back has the incarnation number it had before.",
        .test = "restart",
        .flag = &bug_lost_incarnation,
    },
    {
        .name = "dropped-member",
        .about = "A leader strikes off a member that it suspects, and the member does not know.",
        .test = "crash",
        .flag = &bug_dropped_member,
    },
    {0},
};

static void prepare(void)
{
    noise_make_room(tests);
}

static const struct sn_option options[] = {NOISE_OPTION, {0}};

static const struct sn_suite suite = {
    .name = "failure_detector",
    .tests = tests,
    .bugs = bugs,
    .options = options,
    .prepare = prepare,
};

int main(int argc, char **argv)
{
    return sn_main(argc, argv, &suite);
}
