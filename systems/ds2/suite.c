/* suite.c - the tests, options and bugs of DS2's objects. SPDX-License-Identifier: MIT */
#include "../noise/noise.h"
#include "harness.h"

struct ds2_parameters ds2_parameters = {.reads = 2, .writes = 1, .timeouts = 2, .variant = "fixed"};

static void run_register(void)
{
    ds2_set_up(&ds2_register_exhibit);
}

static void run_erroneous(void)
{
    ds2_set_up(&ds2_erroneous_exhibit);
}

static void run_another(void)
{
    ds2_set_up(&ds2_another_exhibit);
}

static void run_chord(void)
{
    ds2_set_up(&ds2_chord_exhibit);
}

static void run_paxos(void)
{
    ds2_set_up(&ds2_paxos_exhibit);
}

static void run_raft(void)
{
    ds2_set_up(&ds2_raft_exhibit);
}

static void run_zab(void)
{
    ds2_set_up(&ds2_zab_exhibit);
}

#define ANY_TEST                                                                                   \
    .world = SN_WORLD_TRIAL, .links = SN_UNORDERED, .starts_first = true, .max_steps = 1000
#define REGISTER_TEST                                                                              \
    ANY_TEST, .model = &sn_model_register, .model_initial = 0, .has_model_initial = true
#define MAP_TEST ANY_TEST, .model = &sn_model_map

static struct sn_test tests[] = {
    {
        .name = "register",
        .run = run_register,
        .about = "a register with a leader and copies",
        .dependence = &ds2_register_dependence,
        REGISTER_TEST,
    },
    {
        .name = "erroneous",
        .run = run_erroneous,
        .about = "the same, wrong: a write is acknowledged too early, and any copy is read",
        .dependence = &ds2_register_dependence,
        REGISTER_TEST,
    },
    {
        .name = "another",
        .run = run_another,
        .about = "a register in which any agent leads",
        .dependence = &ds2_register_dependence,
        REGISTER_TEST,
    },
    {
        .name = "chord",
        .run = run_chord,
        .about = "a hash table on a ring, which answers before it has joined it",
        .dependence = &ds2_chord_dependence,
        MAP_TEST,
    },
    {
        .name = "paxos",
        .run = run_paxos,
        .about = "a map replicated by Multi-Paxos",
        .dependence = &ds2_paxos_dependence,
        MAP_TEST,
    },
    {
        .name = "zab",
        .run = run_zab,
        .about = "a register replicated by Zab",
        REGISTER_TEST,
    },
    {
        .name = "raft",
        .run = run_raft,
        .about = "a register replicated by Raft",
        REGISTER_TEST,
    },
    {0},
};

static const struct sn_bug bugs[] = {
    {
        .name = "raft-second-vote",
        .about = "A follower votes for everybody who asks, in the same term.",
        .flag = &ds2_parameters.raft_has_bug,
        .test = "raft",
    },
    {
        .name = "zab-own-history",
        .about = "A new leader keeps its own history, whatever the others have.",
        .flag = &ds2_parameters.zab_has_bug,
        .test = "zab",
    },
    {0},
};

static const char *const variants[] = {"fixed", "asis", NULL};

static const struct sn_option options[] = {
    {
        .name = "reads",
        .about = "how many operations of clients read (2)",
        .number = &ds2_parameters.reads,
        .max = 8,
    },
    {
        .name = "writes",
        .about = "how many operations of clients write (1)",
        .number = &ds2_parameters.writes,
        .max = 8,
    },
    {
        .name = "agents",
        .about = "how many agents an object has (2; erroneous, raft, zab: 3)",
        .number = &ds2_parameters.agents,
        .min = 2,
        .max = DS2_AGENTS_MAX,
    },
    {
        .name = "timeouts",
        .about = "how many there are in a trial of raft and zab (2)",
        .number = &ds2_parameters.timeouts,
        .max = DS2_TIMEOUTS_MAX,
    },
    {
        .name = "variant",
        .about = "asis: register with the defects that were published; fixed: without",
        .word = &ds2_parameters.variant,
        .words = variants,
    },
    NOISE_OPTION,
    {0},
};

static void prepare(void)
{
    noise_make_room(tests);
}

const struct sn_suite ds2_suite = {
    .name = "ds2",
    .tests = tests,
    .bugs = bugs,
    .options = options,
    .prepare = prepare,
};
