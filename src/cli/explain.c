/* explain.c - `sennit explain TRACE`: becomes the program that the trace names, to have its failure
 * explained.
 *
 * The program takes from the trace what it was given then. SPDX-License-Identifier: MIT
 */
#include "base/err.h"
#include "cli/cli.h"
#include "trace/trace.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const char help[] =
    "usage: sennit explain [OPTION...] TRACE [ARGUMENT...]\n"
    "Says why the trial of a trace failed: when it was lost, which orders of which operations "
    "make\n"
    "the test fail, what else. Runs PROGRAM --explain TRACE with the program and the arguments "
    "that\n"
    "the trace names, then those given here: explain only what you trust.\n"
    "\n"
    "  -t, --timeout SECONDS  stop after so long and say what is known (60)\n"
    "  -i, --iterations N     stop after N trials instead: the same every time\n"
    "  -j, --jobs N           processes (one for each processor)\n"
    "      --seed N           of the trials that are sampled (1)\n"
    "      --json             one JSON object\n"
    "      --tolerant         take the program as it is, without bugs that were switched on then\n"
    "  -v, --verbose          show every step of the trial\n"
    "  -h, --help             this text\n"
    "\n"
    "Exit: 0 done, 3 the budget ended before, 2 the trial does not fail any more, or usage.\n";

enum { WORDS_MAX = 16 };

struct explain_words {
    char *list[WORDS_MAX]; /* options for the program */
    int n;
    bool has_jobs;
};

static bool is_one_of(const char *word, const char *const *words)
{
    for (; *words != NULL; words++) {
        if (strcmp(word, *words) == 0)
            return true;
    }
    return false;
}

/* Options come before the trace. Returns how many words they are, or -1 after a message. */
static int parse(int argc, char **argv, struct explain_words *out)
{
    static const char *const valued[] = {"-t", "--timeout", "-i",     "--iterations",
                                         "-j", "--jobs",    "--seed", NULL};
    static const char *const flags[] = {"--json", "--tolerant", "-v", "--verbose", NULL};
    int n = 0;

    while (n + 1 < argc && argv[n + 1][0] == '-') {
        char *option = argv[++n];
        bool has_value = is_one_of(option, valued);

        if (!has_value && !is_one_of(option, flags)) {
            (void)cli_fail("explain does not know %s; the trace comes before its arguments",
                           option);
            return -1;
        }
        if (out->n + 2 > WORDS_MAX || (has_value && n + 1 == argc)) {
            (void)cli_fail(has_value && n + 1 == argc ? "%s needs a value"
                                                      : "there are too many options, from %s on",
                           option);
            return -1;
        }
        out->has_jobs |= strcmp(option, "-j") == 0 || strcmp(option, "--jobs") == 0;
        out->list[out->n++] = option;
        if (has_value)
            out->list[out->n++] = argv[++n];
    }
    return n;
}

static int become(struct trace *trace, const struct explain_words *options, int argc, char **argv)
{
    static char verb[] = "--explain";
    static char jobs[] = "-j0";
    const struct trace_header *header = &trace->header;
    char **words =
        arena_array(&trace->arena, (size_t)argc + WORDS_MAX + header->n_args + 5, sizeof(*words));
    size_t n = 0;

    if (words == NULL)
        return cli_fail("there is not enough memory");
    words[n++] = arena_copy(&trace->arena, header->program, strlen(header->program));
    words[n++] = verb;
    words[n++] = argv[1];
    if (!options->has_jobs)
        words[n++] = jobs;
    for (int i = 0; i < options->n; i++)
        words[n++] = options->list[i];
    for (int i = 2; i < argc; i++)
        words[n++] = argv[i];
    return words[0] != NULL ? cli_become(words) : cli_fail("there is not enough memory");
}

static int run(int argc, char **argv)
{
    struct explain_words options = {.n = 0};
    struct trace trace;
    struct err why;
    int rc;

    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        (void)fputs(help, stdout);
        return CLI_OK;
    }
    rc = parse(argc, argv, &options);
    if (rc < 0)
        return CLI_USAGE;
    argc -= rc;
    argv += rc;
    if (argc < 2)
        return cli_fail("explain needs a trace; `sennit explain --help` says more");
    if (trace_read(&trace, argv[1], &why) < 0)
        return cli_fail("%s", why.text);
    if (trace.header.program[0] == '\0') {
        trace_done(&trace);
        return cli_fail("%s was written by sn_run, not by a test program with sn_main", argv[1]);
    }
    rc = become(&trace, &options, argc, argv);
    trace_done(&trace);
    return rc;
}

const struct cli_verb cli_explain = {
    .name = "explain",
    .usage = "[OPTION] TRACE [ARG...]",
    .about = "says why the trial of a trace failed",
    .run = run,
};
