/* compare.c - `sennit compare PROGRAM`: strategies side by side. A test program is its own runner,
 * so this becomes it. SPDX-License-Identifier: MIT
 */
#include "api/phases.h"
#include "cli/cli.h"
#include "cli/program.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIST_OTHERS "random,random+ca,pos,pos+ca,posr,pct:3,sr,surw,fest"

static const char help[] =
    "usage: sennit compare PROGRAM [OPTION...]\n"
    "Runs each test with one strategy after the other, as many trials with each, whatever fails,\n"
    "and tells how often trials fail: the share with an interval that contains the true one 95\n"
    "times in 100, trials until one fails, distinct orders, steps, speed. Strategies whose\n"
    "intervals overlap share a rank. Nothing is judged by speed.\n"
    "\n"
    "      --strategies A,B,C  which; several times. If none is given: the one that tests are run\n"
    "                          with, " PHASES_USUAL ", and\n"
    "                          " LIST_OTHERS "\n"
    "  -i, --iterations N      trials with each (10000)\n"
    "  -f, --filter TEXT       only tests whose name contains TEXT\n"
    "      --bug NAME          switch on a bug that PROGRAM has, and take the test that shows it\n"
    "      --seed N            of all strategies (1)\n"
    "  -t, --timeout SECONDS   stop each strategy after so long in each test, and say so\n"
    "  -j, --jobs N            processes; the figures do not depend on it\n"
    "  -o, --picture FILE      write a picture, as SVG\n"
    "      --json              one JSON object instead of tables\n"
    "  -h, --help              this text\n"
    "\n"
    "All other options are PROGRAM's, as `PROGRAM --help` says. Ctrl-C ends it with what is "
    "known.\n"
    "Exit: 0 done, 1 control over a trial was lost, 2 usage, or a strategy that there is not or\n"
    "that cannot run a test, 3 interrupted, or there is no such test, 4 nondeterminism.\n";

static char list_option[] = "--strategies";
static char picture_option[] = "--picture";

static bool begins(const char *word, const char *with)
{
    return strncmp(word, with, strlen(with)) == 0;
}

/* The strategy that tests are run with comes first, and not again. */
static char *list_of_default(void)
{
    static char list[] = PHASES_USUAL "," LIST_OTHERS;
    const size_t n = strlen(PHASES_USUAL);
    char *at = list + n;

    while (at != NULL && *at != '\0') {
        if (begins(at + 1, PHASES_USUAL) && (at[n + 1] == ',' || at[n + 1] == '\0'))
            memmove(at, at + n + 1, strlen(at + n + 1) + 1);
        else
            at = strchr(at + 1, ',');
    }
    return list;
}

/* PROGRAM's words: here -o is the picture. */
static size_t translate(int argc, char **argv, char **words)
{
    bool has_list = false;
    size_t n = 0;

    words[n++] = argv[1];
    for (int i = 2; i < argc; i++) {
        has_list |= begins(argv[i], list_option);
        if (!begins(argv[i], "-o")) {
            words[n++] = argv[i];
            continue;
        }
        words[n++] = picture_option;
        if (argv[i][2] != '\0')
            words[n++] = argv[i] + 2;
    }
    if (!has_list) {
        words[n++] = list_option;
        words[n++] = list_of_default();
    }
    return n;
}

static int run(int argc, char **argv)
{
    char **words;
    int rc;

    if (argc < 2)
        return cli_fail("compare needs a program; `sennit compare --help` says more");
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            (void)fputs(help, stdout);
            return CLI_OK;
        }
    }
    if (argv[1][0] == '-')
        return cli_fail("compare does not know %s; the program comes before its arguments",
                        argv[1]);
    if (program_check(argv[1]) != CLI_OK)
        return CLI_USAGE;
    words = calloc(2 * (size_t)argc + 3, sizeof(*words));
    if (words == NULL)
        return cli_fail("there is not enough memory");
    (void)translate(argc, argv, words);
    rc = cli_become(words);
    free(words);
    return rc;
}

const struct cli_verb cli_compare = {
    .name = "compare",
    .usage = "PROGRAM [OPTION...]",
    .about = "tells how well strategies find bugs",
    .run = run,
};
