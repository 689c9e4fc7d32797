/* events.c - `sennit events`: becomes sennit-events, which lies beside this program; or writes
 * wrappers, which takes no more than this one.
 * SPDX-License-Identifier: MIT
 */
#include "cli/cli.h"
#include "cli/wrap.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "usage: sennit events --exec PROGRAM [OPTION...]\n"
    "       sennit events --list | --count | --walk N [--recording FILE] [OPTION...]\n"
    "       sennit events --wrap LIST | --wrap-flags LIST\n"
    "Runs every interleaving of the events that a test of a replicated data library has recorded.\n"
    "PROGRAM is that test, in any language; it is told what to run as docs/protocol.md says.\n"
    "\n"
    "      --exec PROGRAM   the command that records the events and performs them\n"
    "      --fd IN,OUT      descriptors of such a program that is there already\n"
    "      --recording FILE with --list, --count or --walk: a recording instead of a program\n"
    "      --list           print the interleavings, and run none\n"
    "      --count          print how many there are, and how many each pruning leaves\n"
    "      --walk N         go over N of them, and print how long it took\n"
    "      --order HOW      causal: causes and programs are respected; free: nothing is (causal)\n"
    "      --fifo           messages on a link keep their order\n"
    "      --prune LIST     groups, replicas, independence, failed; all, none (all)\n"
    "      --watch LIST     A,B:queries: only these replicas, or their queries, count\n"
    "      --expect LIST    what is checked beside assertions: convergence, idempotence,\n"
    "                       no-lost-update, no-throws, same-states, same-results, no-duplicates,\n"
    "                       unique-results; none (convergence,no-throws)\n"
    "      --constraints DIR\n"
    "                       JSON files; more may come while it runs\n"
    "      --infer          find out which events commute by trying\n"
    "      --db FILE        an SQLite database: what was run, to be looked at and gone on with\n"
    "      --event-timeout MS\n"
    "                       that an event may take (10000)\n"
    "      --batch N        interleavings that are asked for at once, at most (256)\n"
    "      --wrap LIST      print wrappers that record the calls of a C library\n"
    "      --wrap-flags LIST\n"
    "                       print what the linker must be told to put them in between\n"
    "\n"
    "All other options are those of test programs, which `sennit-events --help` lists.\n"
    "Exit: 0 no bug, 1 a bug, 2 usage, or a program that makes no sense, 3 nothing ran.\n";

static int run(int argc, char **argv)
{
    static char path[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - sizeof("-events"));

    if (argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0))
        return fputs(help, stdout) < 0 ? CLI_USAGE : CLI_OK;
    if (argc > 1 && (strcmp(argv[1], "--wrap") == 0 || strcmp(argv[1], "--wrap-flags") == 0))
        return argc == 3 ? wrap_print(argv[2], argv[1][6] != '\0')
                         : cli_fail("%s needs one file, a list of functions", argv[1]);
    if (n <= 0)
        return cli_fail("where this program lies cannot be found out");
    memcpy(path + n, "-events", sizeof("-events"));
    if (access(path, X_OK) != 0)
        return cli_fail("%s is not there: this build is without it, for lack of jansson or SQLite",
                        path);
    argv[0] = path;
    return cli_become(argv);
}

const struct cli_verb cli_events = {
    .name = "events",
    .usage = "--exec PROGRAM [OPT...]",
    .about = "explores interleavings of recorded events",
    .run = run,
};
