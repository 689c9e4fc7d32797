/* test.c - `sennit test PROGRAM... [OPTION...]`: a test program is its own runner, so this becomes
 * it; several are run one after the other. SPDX-License-Identifier: MIT
 */
#include "api/options.h"
#include "cli/cli.h"
#include "cli/program.h"
#include "cli/several.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "usage: sennit test PROGRAM... [OPTION...]\n"
    "Runs test programs with these options; with one, the same as PROGRAM [OPTION...].\n"
    "\n"
    "Several programs are run one after the other. Each writes to a directory of its own within\n"
    "that of --outdir. With --tap their results are one stream, with --xml one file. The exit\n"
    "code is the one that counts most: 99, then 2, 1, 4, 3, 0.\n"
    "A binary that is no test program is not run; a script is, whatever it does.\n";

static int print_help(void)
{
    struct sn_text out;
    char buffer[4096];

    text_init_fd(&out, buffer, sizeof(buffer), STDOUT_FILENO);
    text_puts(&out, help);
    text_putc(&out, '\n');
    options_print_help(&out);
    return text_flush(&out) < 0 ? CLI_USAGE : CLI_OK;
}

static int run(int argc, char **argv)
{
    int n = 0;

    if (argc < 2)
        return cli_fail("test needs a program; `sennit test --help` says more");
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
        return print_help();
    if (argv[1][0] == '-')
        return cli_fail("test does not know %s; the program comes before its arguments", argv[1]);
    while (n + 1 < argc && argv[n + 1][0] != '-') {
        if (program_check(argv[n + 1]) != CLI_OK)
            return CLI_USAGE;
        n++;
    }
    return n == 1 ? cli_become(argv + 1) : several_run(argc - 1, argv + 1, n);
}

const struct cli_verb cli_test = {
    .name = "test",
    .usage = "PROGRAM... [OPTION...]",
    .about = "runs test programs",
    .run = run,
};
