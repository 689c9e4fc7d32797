/* replay.c - `sennit replay TRACE ...`: becomes the program that the trace names, to run it again.
 *
 * `--replay TRACE` comes before the arguments that the trace asks for, so that a trace from
 * elsewhere that names another program than a test program gets a complaint of that program about
 * its usage rather than what it asked for. SPDX-License-Identifier: MIT
 */
#include "base/err.h"
#include "cli/cli.h"
#include "trace/trace.h"

#include <stdio.h>
#include <string.h>

static const char help[] =
    "usage: sennit replay TRACE [ARGUMENT...]\n"
    "Runs the trial of a trace again: PROGRAM --replay TRACE, with the program and the arguments\n"
    "that the trace names, then those given here. A trace says which program is run: replay only\n"
    "what you trust, `sennit show TRACE` looks at a trace without running anything.\n"
    "Exit: 1 it failed again, 0 it did not fail, 4 it went another way, 2 the trace is "
    "malformed.\n";

/* PROGRAM --replay TRACE, the arguments of the trace, those of the command; all of it in the arena
 * of the trace. NULL: no memory. */
static char **command_line(struct trace *trace, int argc, char **argv)
{
    const struct trace_header *header = &trace->header;
    char **words = arena_array(&trace->arena, (size_t)argc + header->n_args + 2, sizeof(*words));
    size_t n = 0;

    if (words == NULL)
        return NULL;
    words[n++] = arena_copy(&trace->arena, header->program, strlen(header->program));
    words[n++] = arena_copy(&trace->arena, "--replay", strlen("--replay"));
    words[n++] = argv[1];
    for (size_t i = 0; i < header->n_args; i++)
        words[n++] = arena_copy(&trace->arena, header->args[i], strlen(header->args[i]));
    for (size_t i = 0; i < n; i++) {
        if (words[i] == NULL)
            return NULL;
    }
    for (int i = 2; i < argc; i++)
        words[n++] = argv[i];
    return words;
}

static int run(int argc, char **argv)
{
    struct trace trace;
    struct err why;
    char **words;
    int rc;

    if (argc < 2)
        return cli_fail("replay needs a trace; `sennit replay --help` says more");
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        (void)fputs(help, stdout);
        return CLI_OK;
    }
    if (argv[1][0] == '-')
        return cli_fail("replay does not know %s; the trace comes before its arguments", argv[1]);
    if (trace_read(&trace, argv[1], &why) < 0)
        return cli_fail("%s", why.text);
    if (trace.header.program[0] == '\0') {
        trace_done(&trace);
        return cli_fail(
            "%s was written by sn_run, not by a test program with sn_main: replay it with "
            "sn_replay",
            argv[1]);
    }
    words = command_line(&trace, argc, argv);
    rc = words == NULL ? cli_fail("there is not enough memory") : cli_become(words);
    trace_done(&trace);
    return rc;
}

const struct cli_verb cli_replay = {
    .name = "replay",
    .usage = "TRACE [ARGUMENT...]",
    .about = "runs the trial of a trace again",
    .run = run,
};
