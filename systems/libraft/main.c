/* main.c - the tests of the library, what goes wrong in them, and ways to break the harness.
 *
 * SPDX-License-Identifier: MIT
 */
#include "../raft_oracles/oracles.h"
#include "heap.h"
#include "machines.h"
#include "repairs.h"
#include "scenarios.h"

#include <string.h>

struct libraft_bugs bugs_wanted;

/* ---- What goes wrong ------------------------------------------------------------------------ */

/* Durations are a few election timeouts, which are 300 to 600 ms. */
#define DURATIONS                                                                                  \
    .down_ns = 1000 * MILLISECOND, .partition_ns = 2000 * MILLISECOND,                             \
    .delay_ns = 1200 * MILLISECOND

static const struct sn_faults crash_faults = {
    .delays = 2,
    .crashes = 6,
    .horizon = 250,
    DURATIONS,
};

static const struct sn_faults partition_faults = {
    .delays = 2,
    .partitions = 10,
    .crashes = 2,
    .horizon = 250,
    DURATIONS,
};

/* What connections between servers do: a message is lost, as if its connection had broken behind
 * the one before and the next one went over another; they are slow; but what arrives does so once
 * and in order. */
static const struct sn_faults connection_faults = {
    .drops = 4,
    .delays = 6,
    .partitions = 3,
    .crashes = 3,
    .horizon = 250,
    DURATIONS,
};

/* What no connection does, and Raft must survive. */
static const struct sn_faults datagram_faults = {
    .drops = 4,
    .duplicates = 6,
    .delays = 6,
    .partitions = 3,
    .crashes = 3,
    .horizon = 250,
    DURATIONS,
};

/* Servers are cut off for a while, each side with its own idea of who belongs to it. */
static const struct sn_faults split_faults = {
    .drops = 4,
    .delays = 6,
    .partitions = 12,
    .crashes = 4,
    .horizon = 500,
    DURATIONS,
};

static const struct sn_faults disk_faults = {
    .crashes = 3,
    .disk_errors = 6,
    .horizon = 250,
    DURATIONS,
};

/* ---- The suite ------------------------------------------------------------------------------ */

static const struct sn_machine *oracles[] = {
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

/* The words of --without: none, and the oracles in their order. */
static const char *const oracle_words[] = {
    "none",
    "one-leader",
    "one-vote",
    "majorities",
    "log-matching",
    "leader-completeness",
    "state-machine-safety",
    "exactly-once",
    "durability",
    "callbacks",
    "addressees",
    "no-leak",
    "configurations",
    "progress",
    NULL,
};

static const char *oracle_unwanted = "none";

#define JUDGED                                                                                     \
    .monitors = oracles, .model = &sn_model_map, .has_model_initial = true, .starts_first = true

/* Trials end when clients have what they want, after some hundred steps. Faults are over long
 * before the last thousand steps of those that do not. */
#define COMMON JUDGED, .max_steps = 3000, .fair_steps = 1000

/* Where it takes PATIENCE timers of a server to make a tick, three servers and two clients need
 * fifty steps for a heartbeat. A leader that looks for the entry up to which its log and that of a
 * follower are the same goes back by one with each heartbeat, and does so anew if another one is
 * elected meanwhile. Strategies that hold a server back for long leave dozens of entries that
 * differ, so this can take thousands of steps, and still comes to its end. */
#define COMMON_PATIENT JUDGED, .max_steps = 12000, .fair_steps = 10000

static const struct sn_test tests[] = {
    {
        .name = "steady",
        .run = scenario_trio,
        .about = "nothing goes wrong",
        COMMON,
    },
    {
        .name = "crashes",
        .run = scenario_trio,
        .about = "servers crash and start again from what is on their disks",
        .faults = &crash_faults,
        COMMON,
    },
    {
        .name = "partitions",
        .run = scenario_quintet,
        .about = "the network is cut again and again",
        .faults = &partition_faults,
        COMMON,
    },
    {
        .name = "connections",
        .run = scenario_trio,
        .about = "messages are lost with their connections, or late",
        .faults = &connection_faults,
        COMMON,
    },
    {
        .name = "late_sends",
        .run = scenario_late_sends,
        .about = "it takes a while to learn that a message has left",
        .faults = &connection_faults,
        COMMON,
    },
    {
        .name = "pre_vote",
        .run = scenario_pre_vote,
        .about = "candidates ask first whether they should stand",
        .faults = &split_faults,
        COMMON,
    },
    {
        .name = "impatient",
        .run = scenario_impatient,
        .about = "clocks run as they please",
        .timers = SN_TIMERS_ANY,
        .faults = &crash_faults,
        COMMON_PATIENT,
    },
    {
        .name = "snapshots",
        .run = scenario_snapshots,
        .about = "logs are short, and who is behind gets a snapshot",
        .faults = &connection_faults,
        COMMON,
    },
    {
        .name = "async_snapshots",
        .run = scenario_async_snapshots,
        .about = "snapshots are taken by asynchronous work",
        .faults = &connection_faults,
        COMMON,
    },
    {
        .name = "diverged",
        .run = scenario_diverged,
        .about = "logs differ from the start, as earlier leaders have left them; snapshots",
        .faults = &connection_faults,
        COMMON,
    },
    {
        .name = "transfer",
        .run = scenario_transfer,
        .about = "leadership is transferred",
        .faults = &connection_faults,
        COMMON,
    },
    {
        .name = "membership",
        .run = scenario_membership,
        .about = "servers are added, promoted, demoted and removed",
        .faults = &connection_faults,
        COMMON,
    },
    {
        .name = "changing_snapshots",
        .run = scenario_changing_snapshots,
        .about = "the same, with short logs and snapshots",
        .faults = &connection_faults,
        COMMON,
    },
    {
        .name = "coming_and_going",
        .run = scenario_coming_and_going,
        .about = "two of five servers come and go while the network is cut",
        .faults = &split_faults,
        COMMON,
    },
    {
        .name = "closing",
        .run = scenario_closing,
        .about = "servers are closed in an orderly way, and come back",
        .faults = &connection_faults,
        COMMON,
    },
    {
        .name = "datagrams",
        .run = scenario_trio,
        .about = "messages are lost, doubled, late and overtaken: more than connections do",
        .links = SN_UNORDERED,
        .faults = &datagram_faults,
        COMMON,
    },
    {
        .name = "chaos",
        .run = scenario_all,
        .about = "the same, with snapshots, transfers and changes",
        .links = SN_UNORDERED,
        .faults = &datagram_faults,
        COMMON,
    },
    {
        .name = "disks",
        .run = scenario_trio,
        .about = "operations of disks fail",
        .faults = &disk_faults,
        COMMON,
    },
    {
        .name = "all",
        .run = scenario_all,
        .about = "everything at once",
        .faults = &connection_faults,
        COMMON,
    },
    {0},
};

/* Ways to break the harness: what the library relies on is not so. */
static const struct sn_bug bugs[] = {
    {
        .name = "deliver-twice",
        .about = "A message is handed to the library twice, though that owns it after the first.",
        .flag = &bugs_wanted.deliver_twice,
        .test = "steady",
    },
    {
        .name = "complete-lost-write",
        .about = "A write of several entries is reported as done, and nothing is written.",
        .flag = &bugs_wanted.complete_lost_write,
        .test = "crashes",
    },
    {
        .name = "forget-vote",
        .about = "A vote is not written to the disk.",
        .flag = &bugs_wanted.forget_vote,
        .test = "crashes",
    },
    {
        .name = "forget-term",
        .about = "A term is not written to the disk, but for the first one.",
        .flag = &bugs_wanted.forget_term,
        .test = "crashes",
    },
    {
        .name = "ignore-truncate",
        .about = "What is to be cut off a log stays on the disk.",
        .flag = &bugs_wanted.ignore_truncate,
        .test = "connections",
    },
    {
        .name = "call-back-twice",
        .about = "A write is reported twice if another one waits.",
        .flag = &bugs_wanted.call_back_twice,
        .test = "steady",
    },
    {
        .name = "wrong-address",
        .about = "The message that transfers leadership goes to its sender.",
        .flag = &bugs_wanted.wrong_address,
        .test = "transfer",
    },
    {
        .name = "local-read",
        .about = "A leader answers reads from what it has, without a barrier.",
        .flag = &bugs_wanted.local_read,
        .test = "partitions",
    },
    {
        .name = "skip-apply",
        .about = "The state machine forgets its third command.",
        .flag = &bugs_wanted.skip_apply,
        .test = "steady",
    },
    {
        .name = "keep-buffers",
        .about = "With each message that has entries memory is lost.",
        .flag = &bugs_wanted.keep_buffers,
        .test = "steady",
    },
    {
        .name = "lose-snapshot",
        .about = "A snapshot of another server is reported as written, and is not.",
        .flag = &bugs_wanted.lose_snapshot,
        .test = "snapshots",
    },
    {
        .name = "lose-own-snapshot",
        .about = "A snapshot of the server's own is reported as written, and is not.",
        .flag = &bugs_wanted.lose_own_snapshot,
        .test = "snapshots",
    },
    {
        .name = "keep-vote",
        .about = "A new term is written with the vote of the last one.",
        .flag = &bugs_wanted.keep_vote,
        .test = "crashes",
    },
    {
        .name = "report-out-of-order",
        .about =
            "Of two writes of entries that wait, the second is reported when the first is done.",
        .flag = &bugs_wanted.report_out_of_order,
        .test = "crashes",
    },
    {
        .name = "deaf-server",
        .about = "What followers answer is never handed to the leader.",
        .flag = &bugs_wanted.deaf_server,
        .test = "steady",
    },
    {
        .name = "count-vote-twice",
        .about = "In the first term a vote counts again, as that of the next server.",
        .flag = &bugs_wanted.count_vote_twice,
        .test = "partitions",
    },
    {
        .name = "garble-barrier",
        .about = "What a barrier says, which nobody reads, is changed on its way.",
        .flag = &bugs_wanted.garble_barrier,
        .test = "steady",
    },
    {
        .name = "skip-sync",
        .about = "A barrier is reported as written when a crash can still undo that.",
        .flag = &bugs_wanted.skip_sync,
        .test = "crashes",
    },
    {
        .name = "restore-part",
        .about = "The state machine takes the registers of a snapshot, and not the digest.",
        .flag = &bugs_wanted.restore_part,
        .test = "snapshots",
    },
    {
        .name = "submit-twice",
        .about = "A command of a client is given to the library twice.",
        .flag = &bugs_wanted.submit_twice,
        .test = "steady",
    },
    {
        .name = "ask-twice",
        .about = "A barrier that a client asks for is handed to the library twice.",
        .flag = &bugs_wanted.ask_twice,
        .test = "steady",
    },
    {
        .name = "forget-answer",
        .about = "A request whose leader steps down is never called back.",
        .flag = &bugs_wanted.forget_answer,
        .test = "connections",
    },
    {
        .name = "misread-configuration",
        .about = "The last voter of a configuration is a spare when that is read from the disk.",
        .flag = &bugs_wanted.misread_configuration,
        .test = "crashes",
    },
    {
        .name = "backdate-snapshot",
        .about = "A snapshot whose last entry a server has comes as one of the term before.",
        .flag = &bugs_wanted.backdate_snapshot,
        .test = "snapshots",
    },
    {0},
};

static void leave_out(size_t unwanted)
{
    do
        oracles[unwanted] = oracles[unwanted + 1];
    while (oracles[unwanted++] != NULL);
}

static void prepare(void)
{
    size_t word = 0;

    heap_install();
    repairs_prepare();
    while (strcmp(oracle_words[word], oracle_unwanted) != 0)
        word++;
    if (word != 0)
        leave_out(word - 1);
}

static const struct sn_option options[] = {
    {
        .name = "finding",
        .about = "of what is known to be wrong with the library only this can happen (all)",
        .word = &finding_wanted,
        .words = finding_words,
    },
    {
        .name = "without",
        .about = "an oracle to leave out, to see what others notice (none)",
        .word = &oracle_unwanted,
        .words = oracle_words,
    },
    {0},
};

static const struct sn_suite suite = {
    .name = "libraft",
    .tests = tests,
    .bugs = bugs,
    .options = options,
    .prepare = prepare,
};

int main(int argc, char **argv)
{
    return sn_main(argc, argv, &suite);
}
