/* sync.c - `sennit sync`: becomes sennit-sync, which lies beside this program.
 * SPDX-License-Identifier: MIT
 */
#include "cli/cli.h"

#include <string.h>

static const char help[] =
    "usage: sennit sync --driver NAME [OPTION...]\n"
    "Tests a file synchroniser from outside: reads, writes, deletes and waits on several nodes, "
    "at\n"
    "random, and looks whether hidden uploads and downloads explain what was observed.\n"
    "\n"
    "      --driver NAME        a built-in driver, or the path of a program of your own\n"
    "      --drivers            list the built-in drivers\n"
    "      --print-driver NAME  print one of them, to begin another with\n"
    "      --nodes N            how many nodes there are (2)\n"
    "      --files N            how many files there are (1)\n"
    "      --values N           how many different contents are written (3)\n"
    "      --calls N            at most so many calls in a test, about half of them on average\n"
    "                           (12)\n"
    "      --with LIST          what else is done: triggers, renames, directories, kills, all, "
    "none\n"
    "                           (triggers)\n"
    "      --rules NAME         who wins where nodes disagree (as the driver says)\n"
    "      --rule-sets          list these rules\n"
    "      --sleep MS           milliseconds of the longest sleep (1000)\n"
    "      --settle MS          milliseconds that a stabilization may take (as the driver says)\n"
    "      --wait MS            milliseconds that a value is waited for (500)\n"
    "      --driver-timeout MS  milliseconds after which a driver hangs (10000)\n"
    "      --workdir DIR        where directories are made (sennit-sync-UID in TMPDIR or /tmp)\n"
    "      --repeats N          run each test N times, of which one must fail (3)\n"
    "      --shrink-repeats N   the same while a failing test is shrunk or replayed (20)\n"
    "\n"
    "The other options are those of test programs.\n";

static int run(int argc, char **argv)
{
    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0))
        return cli_print_help(help);
    return cli_become_beside("-sync", "it is installed with this one", argv);
}

const struct cli_verb cli_sync = {
    .name = "sync",
    .usage = "[OPTION...]",
    .about = "black-box test of a file synchroniser",
    .run = run,
};
