/* main.c - the tests of Raft, what goes wrong in them, and the bugs.
 *
 * SPDX-License-Identifier: MIT
 */
#include "../noise/noise.h"
#include "../raft_oracles/oracles.h"
#include "machines.h"
#include "scenarios.h"

struct raft_bugs bugs_wanted;

/* ---- What goes wrong ------------------------------------------------------------------------ */

/* Durations are a few election timeouts, which are 150 to 300 ms. */
#define DURATIONS                                                                                  \
    .down_ns = 400 * MILLISECOND, .partition_ns = 800 * MILLISECOND, .delay_ns = 600 * MILLISECOND

static const struct sn_faults election_faults = {
    .drops = 2,
    .delays = 2,
    .crashes = 10,
    .horizon = 150,
    .down_ns = 200 * MILLISECOND,
    .delay_ns = 400 * MILLISECOND,
};

static const struct sn_faults replication_faults = {
    .drops = 4,
    .duplicates = 4,
    .delays = 6,
    .partitions = 4,
    .crashes = 2,
    .horizon = 200,
    DURATIONS,
};

static const struct sn_faults partition_faults = {
    .partitions = 20,
    .crashes = 3,
    .horizon = 300,
    .down_ns = 400 * MILLISECOND,
    .partition_ns = 1200 * MILLISECOND,
};

static const struct sn_faults restart_faults = {
    .drops = 2,
    .crashes = 3,
    .stops = 1,
    .horizon = 250,
    DURATIONS,
};

static const struct sn_faults disk_faults = {
    .crashes = 6,
    .disk_errors = 12,
    .horizon = 200,
    .down_ns = 200 * MILLISECOND,
};

static const struct sn_faults snapshot_faults = {
    .duplicates = 3,
    .delays = 3,
    .partitions = 1,
    .crashes = 2,
    .horizon = 200,
    DURATIONS,
};

static const struct sn_faults reads_faults = {
    .delays = 2,
    .partitions = 6,
    .crashes = 2,
    .horizon = 200,
    DURATIONS,
};

static const struct sn_faults all_faults = {
    .drops = 3,
    .duplicates = 3,
    .delays = 3,
    .partitions = 4,
    .crashes = 3,
    .stops = 1,
    .disk_errors = 2,
    .horizon = 400,
    .skew_ns = 200 * MILLISECOND,
    .drift_ppm = 100000,
    DURATIONS,
};

/* ---- The suite ------------------------------------------------------------------------------ */

static const struct sn_machine *const safety[] = {
    &sn_one_leader, &log_matching, &leader_completeness, &state_machine_safety, &exactly_once,
    &fresh_reads,   NULL,
};

static const struct sn_machine *const safety_and_liveness[] = {
    &sn_one_leader,
    &log_matching,
    &leader_completeness,
    &state_machine_safety,
    &exactly_once,
    &fresh_reads,
    &progress,
    NULL,
};

static struct sn_test tests[] = {
    {
        .name = "election",
        .run = scenario_election,
        .about = "leaders come and go",
        .monitors = safety,
        .max_steps = 600,
        .world = SN_WORLD_TRIAL,
        .faults = &election_faults,
    },
    {
        .name = "replication",
        .run = scenario_replication,
        .about = "commands are replicated one at a time while leaders change",
        .monitors = safety,
        .max_steps = 600,
        .world = SN_WORLD_TRIAL,
        .links = SN_UNORDERED,
        .faults = &replication_faults,
    },
    {
        .name = "partitions",
        .run = scenario_replication,
        .about = "the network is cut again and again, and never in the same way",
        .monitors = safety,
        .max_steps = 600,
        .world = SN_WORLD_TRIAL,
        .faults = &partition_faults,
    },
    {
        .name = "restart",
        .run = scenario_replication,
        .about = "servers crash and start again from what is on their disks",
        .monitors = safety,
        .max_steps = 600,
        .world = SN_WORLD_TRIAL,
        .faults = &restart_faults,
    },
    {
        .name = "disks",
        .run = scenario_trio,
        .about = "disks fail, and servers crash with what was not synced",
        .monitors = safety,
        .max_steps = 600,
        .world = SN_WORLD_TRIAL,
        .faults = &disk_faults,
    },
    {
        .name = "snapshot",
        .run = scenario_snapshot,
        .about = "logs are short, and who is behind gets a snapshot",
        .monitors = safety,
        .max_steps = 600,
        .world = SN_WORLD_TRIAL,
        .links = SN_UNORDERED,
        .faults = &snapshot_faults,
    },
    {
        .name = "membership",
        .run = scenario_membership,
        .about = "members of a cluster of four are added and removed",
        .monitors = safety,
        .max_steps = 600,
        .world = SN_WORLD_TRIAL,
        .faults = &partition_faults,
    },
    {
        .name = "reads",
        .run = scenario_reads,
        .about = "clients read what others write while leaders are cut off",
        .monitors = safety,
        .max_steps = 600,
        .world = SN_WORLD_TRIAL,
        .faults = &reads_faults,
    },
    {
        .name = "all",
        .run = scenario_all,
        .about = "everything at once, and everything goes wrong",
        .monitors = safety,
        .max_steps = 1000,
        .world = SN_WORLD_TRIAL,
        .links = SN_UNORDERED,
        .faults = &all_faults,
    },
    {
        .name = "progress",
        .run = scenario_commands,
        .about = "clients are answered once the faults are over",
        .monitors = safety_and_liveness,
        .max_steps = 2000,
        .world = SN_WORLD_TRIAL,
        .faults = &all_faults,
    },
    {0},
};

static const struct sn_bug bugs[] = {
    {
        .name = "forget-vote",
        .about = "A vote is given before it is on the disk.",
        .flag = &bugs_wanted.forget_vote,
        .test = "election",
    },
    {
        .name = "one-shot-candidate",
        .about = "A candidate that is not elected never tries again.",
        .flag = &bugs_wanted.one_shot_candidate,
        .test = "progress",
    },
    {
        .name = "compare-lengths",
        .about = "A follower takes entries if its log is long enough, whatever is in it.",
        .flag = &bugs_wanted.compare_lengths,
        .test = "restart",
    },
    {
        .name = "truncate-always",
        .about = "A follower drops what lies behind a message's entries, though nothing conflicts.",
        .flag = &bugs_wanted.truncate_always,
        .test = "replication",
    },
    {
        .name = "commit-unverified",
        .about = "A follower commits what it has, not only what it knows to be the leader's.",
        .flag = &bugs_wanted.commit_unverified,
        .test = "replication",
    },
    {
        .name = "count-old-term",
        .about = "A leader commits an entry of an older term because it is on a majority.",
        .flag = &bugs_wanted.count_old_term,
        .test = "partitions",
    },
    {
        .name = "double-apply",
        .about = "A command that is in the log twice is executed twice.",
        .flag = &bugs_wanted.double_apply,
        .test = "restart",
    },
    {
        .name = "stale-read",
        .about = "A leader answers reads without making sure that it still is the leader.",
        .flag = &bugs_wanted.stale_read,
        .test = "reads",
    },
    {
        .name = "early-read",
        .about = "A new leader answers reads before it knows what is committed.",
        .flag = &bugs_wanted.early_read,
        .test = "reads",
    },
    {
        .name = "ack-before-sync",
        .about = "Entries are confirmed when they are written, and synced later.",
        .flag = &bugs_wanted.ack_before_sync,
        .test = "restart",
    },
    {
        .name = "trust-unsynced",
        .about = "A server that starts again takes what it can read for durable.",
        .flag = &bugs_wanted.trust_unsynced,
        .test = "disks",
    },
    {
        .name = "stale-snapshot",
        .about = "A snapshot is installed though the follower has got farther.",
        .flag = &bugs_wanted.stale_snapshot,
        .test = "snapshot",
    },
    {
        .name = "snapshot-forgets-sessions",
        .about = "A snapshot has the state, but not which commands led to it.",
        .flag = &bugs_wanted.snapshot_forgets_sessions,
        .test = "snapshot",
    },
    {
        .name = "overlapping-changes",
        .about = "A leader changes the members before an entry of its term is committed.",
        .flag = &bugs_wanted.overlapping_changes,
        .test = "membership",
    },
    {0},
};

static void prepare(void)
{
    noise_make_room(tests);
}

static const struct sn_option options[] = {NOISE_OPTION, {0}};

static const struct sn_suite suite = {
    .name = "raft",
    .tests = tests,
    .bugs = bugs,
    .options = options,
    .prepare = prepare,
};

int main(int argc, char **argv)
{
    return sn_main(argc, argv, &suite);
}
