/* step.c - `sennit step PROGRAM ...`: a person takes the decisions of a test program, which does
 * the asking itself. SPDX-License-Identifier: MIT
 */
#include "cli/cli.h"
#include "cli/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: sennit step PROGRAM [ARGUMENT...]\n"
    "You decide which operation runs next, step by step, from a numbered list; you can go back,\n"
    "save a trace, and let a strategy go on. The same as PROGRAM --step [ARGUMENT...].\n\n"
    "  -f, --filter TEXT    which test; only one is stepped through\n"
    "  -s, --strategy NAME  what `run` runs if it is not told (oldest)\n"
    "      --json           for a program that decides: a line of JSON for each question\n\n"
    "All other arguments of PROGRAM are as `PROGRAM --help` says. `help` in the session lists the\n"
    "commands.\n"
    "Exit: 0 no bug, 1 a bug, 2 usage or malformed input, 3 no trial was brought to its end,\n"
    "4 nondeterminism.\n";

static int run(int argc, char **argv)
{
    static char step[] = "--step";
    char **words;
    int rc;

    if (argc < 2)
        return cli_fail("step needs a program; `sennit step --help` says more");
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        (void)fputs(help, stdout);
        return CLI_OK;
    }
    if (argv[1][0] == '-')
        return cli_fail("step does not know %s; the program comes before its arguments", argv[1]);
    if (program_check(argv[1]) != CLI_OK)
        return CLI_USAGE;
    words = calloc((size_t)argc + 1, sizeof(*words));
    if (words == NULL)
        return cli_fail("there is not enough memory");
    words[0] = argv[1];
    words[1] = step;
    memmove(words + 2, argv + 2, (size_t)(argc - 2) * sizeof(*words));
    rc = cli_become(words);
    free(words);
    return rc;
}

const struct cli_verb cli_step = {
    .name = "step",
    .usage = "PROGRAM [ARGUMENT...]",
    .about = "lets you take the decisions",
    .run = run,
};
