/* main.c - tests of applications of replicated data libraries. SPDX-License-Identifier: MIT */
#include "tests.h"

#include <sennit/sennit.h>

#include <stdio.h>
#include <string.h>

bool bug_tie;
bool bug_identity;
bool bug_clock;
bool bug_unseen;
bool bug_move;
bool bug_anchor;
bool bug_sequential;
bool bug_append;
bool bug_raw;
bool bug_uncoordinated;

static const char *order = "causal";
static const char *prune = "all";

/* Events at different replicas never touch the same memory, and a message does not change. The
 * published prunings have no such thing. */
void begin_events(uint32_t expect, const char *before)
{
    static char constraints[128];
    bool is_free = strcmp(order, "free") == 0;
    bool is_published = strcmp(prune, "groups") == 0 || strcmp(prune, "paper") == 0;
    struct sn_events how = {
        .expect = expect,
        .is_free = is_free,
        .prune = prune,
        .constraints = constraints,
    };

    (void)snprintf(constraints, sizeof(constraints), "[%s%s%s]",
                   is_published ? "" : "{\"independent\": \"replicas\"}",
                   before && !is_free && !is_published ? ", " : "",
                   before && !is_free ? before : "");
    if (is_published)
        how.prune = strcmp(prune, "paper") == 0 ? "groups:paper,replicas:paper" : "groups:paper";
    if (strcmp(prune, "paper") == 0)
        how.watch = "A:queries";
    sn_events_begin(&how);
}

static const struct sn_test tests[] = {
    {
        .name = "set",
        .run = set_run,
        .about = "a set with last writer wins is the same wherever the same is known",
    },
    {
        .name = "removal",
        .run = removal_run,
        .about = "so is a set in which a removal removes what it has observed",
    },
    {
        .name = "log",
        .run = log_run,
        .about = "two devices of one writer have their entries in one order",
    },
    {
        .name = "clock",
        .run = clock_run,
        .about = "so they have with a clock that is far ahead",
    },
    {
        .name = "todo",
        .run = todo_run,
        .about = "no two tasks of a to-do list have the same id",
    },
    {
        .name = "list",
        .run = list_run,
        .about = "a shopping list has one order",
    },
    {
        .name = "move",
        .run = move_run,
        .about = "what two people move is on the list once",
    },
    {
        .name = "anchor",
        .run = anchor_run,
        .about = "lists agree if something is moved behind what is moved itself",
    },
    {
        .name = "gossip",
        .run = gossip_run,
        .about = "it does not matter in which order a resident hears of what others did",
    },
    {
        .name = "town",
        .run = town_run,
        .about = "a report has nothing that was resolved, and all the rest",
    },
    {0},
};

static const struct sn_bug bugs[] = {
    {
        .name = "tie",
        .about = "Of two updates of the same moment the one that arrives later wins.",
        .test = "set",
        .flag = &bug_tie,
    },
    {
        .name = "unseen",
        .about = "A removal also removes additions that its author did not know.",
        .test = "removal",
        .flag = &bug_unseen,
    },
    {
        .name = "identity",
        .about = "Entries of one writer with the same clock are in the order of arrival.",
        .test = "log",
        .flag = &bug_identity,
    },
    {
        .name = "clock",
        .about = "A clock that is far ahead stands still.",
        .test = "clock",
        .flag = &bug_clock,
    },
    {
        .name = "sequential",
        .about = "The id of a task is one more than the largest that is known.",
        .test = "todo",
        .flag = &bug_sequential,
    },
    {
        .name = "append",
        .about = "What others have added to a list is appended when it comes.",
        .test = "list",
        .flag = &bug_append,
    },
    {
        .name = "move",
        .about = "A move deletes an element and inserts it anew.",
        .test = "move",
        .flag = &bug_move,
    },
    {
        .name = "anchor",
        .about = "An element is moved behind another one, wherever that has been moved.",
        .test = "anchor",
        .flag = &bug_anchor,
    },
    {
        .name = "raw",
        .about = "What is heard of is done again, instead of being merged.",
        .test = "gossip",
        .flag = &bug_raw,
    },
    {
        .name = "uncoordinated",
        .about = "A report is transmitted without asking whether the others have finished.",
        .test = "town",
        .flag = &bug_uncoordinated,
    },
    {0},
};

static const struct sn_option options[] = {
    {
        .name = "order",
        .about = "which orders there are: causal, free",
        .word = &order,
        .words = (const char *const[]){"causal", "free", NULL},
    },
    {
        .name = "prune",
        .about = "which of them are left out: all, none, groups, paper",
        .word = &prune,
        .words = (const char *const[]){"all", "none", "groups", "paper", NULL},
    },
    {0},
};

static const struct sn_suite suite = {
    .name = "rdl",
    .tests = tests,
    .bugs = bugs,
    .options = options,
};

int main(int argc, char **argv)
{
    return sn_main(argc, argv, &suite);
}
