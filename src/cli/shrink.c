/* shrink.c - `sennit shrink TRACE`: becomes the program that the trace names, to make its trial
 * smaller. As replay.c does it. SPDX-License-Identifier: MIT
 */
#include "base/err.h"
#include "cli/cli.h"
#include "cli/handed.h"
#include "trace/trace.h"

static const char help[] =
    "usage: sennit shrink TRACE [OPTION...]\n"
    "Finds the smallest trial that fails in the same way as that of a trace, and writes its trace\n"
    "beside it, as NAME.shrunk.trace: PROGRAM --shrink TRACE, with the program and the arguments\n"
    "that the trace names. A trace says which program is run: shrink only what you trust.\n"
    "\n"
    "  -o, --output FILE      where to write it\n"
    "      --any-failure      it may fail in another way; that is said\n"
    "      --repeats N        run each candidate N times, of which one must fail: for a program\n"
    "                         that is not fully under control (1)\n"
    "  -t, --timeout SECONDS  stop after so long, and write what there is (60)\n"
    "  -j, --jobs N           run candidates in N processes; 0: one for each processor (1)\n"
    "      --seed N           of what is decided anew: other trials, the fair end of one (1)\n"
    "  -h, --help             this text\n"
    "\n"
    "The result has failed in a fresh process before it is written. It is the same for every -j.\n"
    "Exit: 0 it is written (and says so if time was up), 3 there was no time for any trial, 4 the\n"
    "trial does not fail any more, 2 the trace is malformed or cannot be shrunk.\n";

/* The program has another meaning for --output. */
static const struct handed_option options[] = {
    {"output", true, 'o', "--shrunk"},
    {"any-failure", false, 0, "--any-failure"},
    {"repeats", true, 0, "--repeats"},
    {"timeout", true, 't', "--timeout"},
    {"jobs", true, 'j', "--jobs"},
    {"seed", true, 0, "--seed"},
    {0},
};

/* PROGRAM --shrink TRACE, what was asked for, the arguments of the trace. */
static int become(struct trace *trace, const char *path, const struct handed *handed)
{
    const struct trace_header *header = &trace->header;
    const char **words =
        arena_array(&trace->arena, (size_t)handed->n + header->n_args + 4, sizeof(*words));
    size_t n = 0;

    if (words == NULL)
        return cli_fail("there is not enough memory");
    words[n++] = header->program;
    words[n++] = "--shrink";
    words[n++] = path;
    for (int i = 0; i < handed->n; i++)
        words[n++] = handed->words[i];
    for (size_t i = 0; i < header->n_args; i++)
        words[n++] = header->args[i];
    return cli_become((char **)words);
}

static int run(int argc, char **argv)
{
    struct handed handed;
    struct trace trace;
    struct err why;
    int first = handed_parse(&handed, options, true, argc, argv);
    int code;

    if (first < 0)
        return CLI_USAGE;
    if (handed.is_help)
        return cli_print_help(help);
    if (first == argc)
        return cli_fail("shrink needs a trace; `sennit shrink --help` says more");
    if (first + 1 < argc)
        return cli_fail("shrink does not know %s; `sennit shrink --help` says more",
                        argv[first + 1]);
    if (trace_read(&trace, argv[first], &why) < 0)
        return cli_fail("%s", why.text);
    if (trace.header.program[0] == '\0')
        code =
            cli_fail("%s was written by sn_run, not by a test program with sn_main", argv[first]);
    else
        code = become(&trace, argv[first], &handed);
    trace_done(&trace);
    return code;
}

const struct cli_verb cli_shrink = {
    .name = "shrink",
    .usage = "TRACE [OPTION...]",
    .about = "makes the trial of a trace smaller",
    .run = run,
};
