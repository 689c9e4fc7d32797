/* events.c - `sennit events`: becomes sennit-events, which lies beside this program; or writes
 * wrappers, which takes no more than this one. SPDX-License-Identifier: MIT
 */
#include "cli/cli.h"
#include "cli/wrap.h"

#include <string.h>

static const char help[] =
    "usage: sennit events --exec PROGRAM [OPTION...]\n"
    "Runs what a test has done with a replicated data library in every order in which the same\n"
    "events could have happened. PROGRAM records the events and performs them.\n"
    "\n"
    "      --exec PROGRAM       a command for the shell, which is a client of the protocol\n"
    "      --fd IN,OUT          descriptors of a client that is there already\n"
    "      --order WORD         causal: causes and programs are respected; free: nothing is\n"
    "      --links WORD         messages of a link come in any order, or as made: any, fifo\n"
    "      --fifo               as --links fifo\n"
    "      --prune LIST         groups, replicas, independence, failed, all (all), none\n"
    "      --watch LIST         replicas that count, A, or of which queries do, A:queries\n"
    "      --constraints DIR    JSON files; more may come while it runs\n"
    "      --infer              find out by trying which events commute\n"
    "      --expect LIST        what is checked beside assertions (convergence,no-throws)\n"
    "      --db FILE            an SQLite database of what was run, to be gone on with\n"
    "      --emit FILE          write a program that runs the failing interleaving: *.js, or for "
    "sh\n"
    "      --event-timeout MS   milliseconds that an event may take (10000)\n"
    "      --batch N            interleavings that are asked for at once, at most (256)\n"
    "      --recording FILE     a recording, for the following three\n"
    "      --list               print the interleavings\n"
    "      --count              tell how many each pruning leaves\n"
    "      --walk N             tell how long it takes to walk over so many\n"
    "      --wrap FILE          write wrappers in C for the functions that FILE lists\n"
    "      --wrap-flags FILE    ... and the flags of the linker that put them in between\n"
    "\n"
    "The other options are those of test programs.\n";

static int run(int argc, char **argv)
{
    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0))
        return cli_print_help(help);
    if (argc > 1 && (strcmp(argv[1], "--wrap") == 0 || strcmp(argv[1], "--wrap-flags") == 0))
        return argc == 3 ? wrap_print(argv[2], argv[1][6] != '\0')
                         : cli_fail("%s needs one file, a list of functions", argv[1]);
    return cli_become_beside("-events", "this build is without it, for lack of jansson or SQLite",
                             argv);
}

const struct cli_verb cli_events = {
    .name = "events",
    .usage = "[OPTION...]",
    .about = "interleavings of recorded events",
    .run = run,
};
