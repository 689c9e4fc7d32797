/* test.c - `sennit test PROGRAM ...`: a test program is its own runner, so this becomes it.
 * SPDX-License-Identifier: MIT
 */
#include "cli/cli.h"

#include <stdio.h>
#include <string.h>

static int run(int argc, char **argv)
{
    if (argc < 2)
        return cli_fail("test needs a program; `sennit test --help` says more");
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        (void)puts("usage: sennit test PROGRAM [ARGUMENT...]\n"
                   "Runs a test program; the same as PROGRAM [ARGUMENT...].\n"
                   "`PROGRAM --help` lists its arguments and exit codes.");
        return CLI_OK;
    }
    if (argv[1][0] == '-')
        return cli_fail("test does not know %s; the program comes before its arguments", argv[1]);
    return cli_become(argv + 1);
}

const struct cli_verb cli_test = {
    .name = "test",
    .usage = "PROGRAM [ARGUMENT...]",
    .about = "runs a test program",
    .run = run,
};
