/* explain.c - `sennit explain TRACE`: becomes the program that the trace names, to have its failure
 * explained.
 *
 * The program takes from the trace what it was given then. SPDX-License-Identifier: MIT
 */
#include "base/err.h"
#include "cli/cli.h"
#include "cli/handed.h"
#include "trace/trace.h"

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

static const struct handed_option options[] = {
    {"timeout", true, 't', "--timeout"},  {"iterations", true, 'i', "--iterations"},
    {"jobs", true, 'j', "--jobs"},        {"seed", true, 0, "--seed"},
    {"json", false, 0, "--json"},         {"tolerant", false, 0, "--tolerant"},
    {"verbose", false, 'v', "--verbose"}, {0},
};

/* PROGRAM --explain TRACE, the options, and the arguments behind the trace, which is argv[0]. */
static int become(struct trace *trace, const struct handed *handed, int argc, char **argv)
{
    const char **words =
        arena_array(&trace->arena, (size_t)argc + (size_t)handed->n + 5, sizeof(*words));
    size_t n = 0;

    if (words == NULL)
        return cli_fail("there is not enough memory");
    words[n++] = trace->header.program;
    words[n++] = "--explain";
    words[n++] = argv[0];
    if (!handed_has(handed, "--jobs"))
        words[n++] = "-j0";
    for (int i = 0; i < handed->n; i++)
        words[n++] = handed->words[i];
    for (int i = 1; i < argc; i++)
        words[n++] = argv[i];
    return cli_become((char **)words);
}

static int run(int argc, char **argv)
{
    struct handed handed;
    struct trace trace;
    struct err why;
    int rc = handed_parse(&handed, options, false, argc, argv);

    if (rc < 0)
        return CLI_USAGE;
    if (handed.is_help)
        return cli_print_help(help);
    argc -= rc;
    argv += rc;
    if (argc < 1)
        return cli_fail("explain needs a trace; `sennit explain --help` says more");
    if (trace_read(&trace, argv[0], &why) < 0)
        return cli_fail("%s", why.text);
    if (trace.header.program[0] == '\0') {
        trace_done(&trace);
        return cli_fail("%s was written by sn_run, not by a test program with sn_main", argv[0]);
    }
    rc = become(&trace, &handed, argc, argv);
    trace_done(&trace);
    return rc;
}

const struct cli_verb cli_explain = {
    .name = "explain",
    .usage = "[OPTION] TRACE [ARG...]",
    .about = "says why the trial of a trace failed",
    .run = run,
};
