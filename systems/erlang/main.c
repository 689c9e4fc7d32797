/* main.c - the tests, options and bugs of the protocols in Erlang. SPDX-License-Identifier: MIT */
#include "bugs.h"
#include "noise.h"
#include "tests.h"

#include <sennit/sennit.h>

bool bug_locks_1;
bool bug_locks_1_relay;
bool bug_locks_2;
bool bug_locks_2_patch;
bool bug_gproc_1;
bool bug_gproc_1_late;
bool bug_gproc_2;
bool bug_gproc_3;
bool bug_mnesia_1;
bool bug_mnesia_2;
bool bug_ms_1;
bool bug_crce_2;
bool bug_crce_2_pattern;
bool bug_crce_3;
bool bug_c6023;

#define ANY_TEST .world = SN_WORLD_TRIAL, .max_steps = 20000

static const struct sn_test tests[] = {
    {
        .name = "locks-1",
        .run = locks_1_run,
        .about = "three agents lock three things in turn, and all get them",
        ANY_TEST,
    },
    {
        .name = "figure-6",
        .run = figure_6_run,
        .about = "the same with two locks, as figure 6 of the paper has it",
        ANY_TEST,
    },
    {
        .name = "locks-2",
        .run = locks_2_run,
        .about = "agents notice that a lock server has been started again",
        ANY_TEST,
    },
    {
        .name = "gproc-1",
        .run = gproc_1_run,
        .about = "three nodes start, elect a leader, and all see a name that is registered",
        ANY_TEST,
    },
    {
        .name = "gproc-2",
        .run = gproc_2_run,
        .about = "three nodes start, and one registers a name for a process on another one",
        ANY_TEST,
    },
    {
        .name = "gproc-3",
        .run = gproc_3_run,
        .about = "the leader is stopped while another node has a request",
        ANY_TEST,
    },
    {
        .name = "mnesia-1",
        .run = mnesia_1_run,
        .about = "a table is copied to a node that is being started again",
        ANY_TEST,
    },
    {
        .name = "mnesia-2",
        .run = mnesia_2_run,
        .about = "a table's copy is deleted from a node that is being started again",
        ANY_TEST,
    },
    {
        .name = "ms-1",
        .run = ms_1_run,
        .about = "a supervisor joins a group while another one is being stopped",
        ANY_TEST,
    },
    {
        .name = "crce-2",
        .run = crce_2_run,
        .about = "a chain of log servers grows at its tail while it is written to",
        ANY_TEST,
    },
    {
        .name = "crce-3",
        .run = crce_3_run,
        .about = "a chain of log servers grows while it is written to",
        ANY_TEST,
    },
    {
        .name = "c6023",
        .run = c6023_run,
        .about = "three proposers write to a register by Paxos, and nothing comes back",
        ANY_TEST,
    },
    {0},
};

static const struct sn_bug bugs[] = {
    {
        .name = "locks-1",
        .about = "The lock server forgets the version of a lock that nobody wants any more.",
        .test = "locks-1",
        .flag = &bug_locks_1,
    },
    {
        .name = "locks-1-relay",
        .about = "Who sees a circle of waiting agents does not tell the one that must give way.",
        .test = "locks-1",
        .flag = &bug_locks_1_relay,
    },
    {
        .name = "locks-2",
        .about = "A watcher looks for the server once, before it can be told of it.",
        .test = "locks-2",
        .flag = &bug_locks_2,
    },
    {
        .name = "locks-2-patch",
        .about = "A watcher looks for the server each time, but still before it can be told of it.",
        .test = "locks-2",
        .flag = &bug_locks_2_patch,
    },
    {
        .name = "gproc-1",
        .about = "A report that a node is down is believed although the node has answered since.",
        .test = "gproc-1",
        .flag = &bug_gproc_1,
    },
    {
        .name = "gproc-1-late",
        .about = "A candidate forgets those who acknowledge it after it took them to be down.",
        .test = "gproc-1",
        .flag = &bug_gproc_1_late,
    },
    {
        .name = "gproc-2",
        .about = "A node that joins has a name removed that was registered for its process.",
        .test = "gproc-2",
        .flag = &bug_gproc_2,
    },
    {
        .name = "gproc-3",
        .about = "Requests that were passed on to a leader that has ended are never sent again.",
        .test = "gproc-3",
        .flag = &bug_gproc_3,
    },
    {
        .name = "mnesia-1",
        .about = "A node takes transactions of others before it has merged its schema for good.",
        .test = "mnesia-1",
        .flag = &bug_mnesia_1,
    },
    {
        .name = "mnesia-2",
        .about = "A node that starts takes a transaction whose outcome it missed for aborted.",
        .test = "mnesia-2",
        .flag = &bug_mnesia_2,
    },
    {
        .name = "ms-1",
        .about = "A supervisor that joins a group ends if one that it asks has ended.",
        .test = "ms-1",
        .flag = &bug_ms_1,
    },
    {
        .name = "crce-2",
        .about = "A log server is repaired while the chain is being written to, to be its tail.",
        .test = "crce-2",
        .flag = &bug_crce_2,
    },
    {
        .name = "crce-2-pattern",
        .about = "The same, and the test as committed: it takes a read of one value for wrong.",
        .test = "crce-2",
        .flag = &bug_crce_2_pattern,
    },
    {
        .name = "crce-3",
        .about = "A log server is repaired while the chain is being written to.",
        .test = "crce-3",
        .flag = &bug_crce_3,
    },
    {
        .name = "c6023",
        .about = "An acceptor takes the ballot of its last promise for that of what it accepted.",
        .test = "c6023",
        .flag = &bug_c6023,
    },
    {0},
};

static const char *const told[] = {"holders", "all", NULL};

static const struct sn_option options[] = {
    {
        .name = "noise",
        .about = "about how many operations of others there are in a trial (0)",
        .number = &noise_operations,
        .max = 10000,
    },
    {
        .name = "tell",
        .about = "all: agents that hold no lock are told of queues, too (holders)",
        .word = &locks_1_tell,
        .words = told,
    },
    {0},
};

static const struct sn_suite suite = {
    .name = "erlang",
    .tests = tests,
    .bugs = bugs,
    .options = options,
};

int main(int argc, char **argv)
{
    return sn_main(argc, argv, &suite);
}
