/* report.c - `sennit report TRACE|DIR...`: one HTML file to look at.
 * SPDX-License-Identifier: MIT
 */
#include "report/page.h"

#include "cli/cli.h"
#include "report/page_files.h"

#include <getopt.h>
#include <sennit/test.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const char help[] =
    "usage: sennit report [OPTION...] TRACE|DIR...\n"
    "Writes traces, or all of a run (DIR is its --outdir), into one HTML file that any browser "
    "opens: the trial as a\n"
    "diagram to step through, why it failed, what was covered. What lies beside a trace goes in,\n"
    "too: the trial as it was found, and its explanation if `sennit explain` has been run.\n\n"
    "  -o, --output FILE  where to write it (report.html)\n"
    "  -h, --help         this text\n\n"
    "Exit: 0, or 2 if something cannot be read or written; the message says why.\n";

static const struct option long_options[] = {
    {"output", required_argument, NULL, 'o'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

static int write_report(const char *path, char **inputs, int n)
{
    static struct page page;
    static struct page_files files;
    struct err why;
    int rc = page_files_find(&files, (const char *const *)inputs, (size_t)n, &why);

    if (rc == 0)
        rc = page_files_write(&files, &page, path, &why);
    page_files_done(&files);
    if (rc < 0)
        return cli_fail("%s", why.text);
    (void)printf("%s\n", path);
    return CLI_OK;
}

static int run(int argc, char **argv)
{
    const char *path = "report.html";
    int option;

    while ((option = getopt_long(argc, argv, "o:h", long_options, NULL)) != -1) {
        if (option == 'o')
            path = optarg;
        else
            return option == 'h' ? cli_print_help(help)
                                 : cli_fail("`sennit report --help` lists the options");
    }
    if (optind == argc)
        return cli_fail("report needs traces or the directory of a run; `sennit report --help` "
                        "says more");
    return write_report(path, argv + optind, argc - optind);
}

const struct cli_verb cli_report = {
    .name = "report",
    .usage = "[OPTION] TRACE|DIR...",
    .about = "writes one HTML file to look at",
    .run = run,
};
