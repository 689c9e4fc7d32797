/* main.c - the command `sennit`: finds the verb and runs it. SPDX-License-Identifier: MIT */
#include "cli/cli.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct cli_verb *const verbs[] = {
    &cli_test,    &cli_step,     &cli_replay, &cli_shrink, &cli_explain, &cli_show, &cli_report,
    &cli_compare, &cli_coverage, &cli_check,  &cli_events, &cli_sync,    &cli_init};

enum {
    N_VERBS = sizeof(verbs) / sizeof(verbs[0]),
};

int cli_fail(const char *format, ...)
{
    va_list args;

    (void)fputs("sennit: ", stderr);
    va_start(args, format);
    (void)vfprintf(stderr, format, args);
    va_end(args);
    (void)fputc('\n', stderr);
    return CLI_USAGE;
}

int cli_become(char **argv)
{
    (void)execvp(argv[0], argv);
    return cli_fail("cannot run %s: %s", argv[0], strerror(errno));
}

int cli_become_beside(const char *ending, const char *why_not, char **argv)
{
    static char path[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

    if (n <= 0 || (size_t)n + strlen(ending) >= sizeof(path))
        return cli_fail("where this program lies cannot be found out");
    memcpy(path + n, ending, strlen(ending) + 1);
    if (access(path, X_OK) != 0)
        return cli_fail("%s is not there: %s", path, why_not);
    argv[0] = path;
    return cli_become(argv);
}

int cli_print_help(const char *text)
{
    return fputs(text, stdout) < 0 || fflush(stdout) != 0 ? CLI_USAGE : CLI_OK;
}

static void print_help(FILE *to)
{
    (void)fputs(
        "usage: sennit VERB ...\n"
        "Finds and replays the bugs that appear only when the parts of a system interleave\n"
        "in one particular way.\n\n",
        to);
    for (size_t i = 0; i < N_VERBS; i++)
        (void)fprintf(to, "  sennit %-8s %-24s %s\n", verbs[i]->name, verbs[i]->usage,
                      verbs[i]->about);
    (void)fputs("\n`sennit VERB --help` describes a verb. Exit codes: 0 done or no bug, 1 a bug,\n"
                "2 usage or malformed input, 3 nothing ran or decided, 4 nondeterminism found,\n"
                "99 internal error.\n",
                to);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return CLI_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        print_help(stdout);
        return CLI_OK;
    }
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
        (void)puts("sennit " SENNIT_VERSION);
        return CLI_OK;
    }
    for (size_t i = 0; i < N_VERBS; i++) {
        if (strcmp(argv[1], verbs[i]->name) == 0)
            return verbs[i]->run(argc - 1, argv + 1);
    }
    return cli_fail("there is no verb %s; `sennit --help` lists them", argv[1]);
}
