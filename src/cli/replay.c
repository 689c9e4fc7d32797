/* replay.c - `sennit replay TRACE ...`: becomes the program that the trace names, to run it again.
 *
 * `--replay TRACE` comes before the arguments that the trace asks for, so that a trace from
 * elsewhere that names another program than a test program gets a complaint of that program about
 * its usage rather than what it asked for. SPDX-License-Identifier: MIT
 */
#include "base/err.h"
#include "cli/cli.h"
#include "cli/debug.h"
#include "trace/trace.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: sennit replay [--tolerant] [--break | --break-at N] TRACE [ARGUMENT...]\n"
    "Runs the trial of a trace again: PROGRAM --replay TRACE, with the program and the arguments\n"
    "that the trace names, then those given here. A trace says which program is run: replay only\n"
    "what you trust, `sennit show TRACE` looks at a trace without running anything.\n"
    "\n"
    "  --tolerant     go on although the program has changed since, and tell the drift\n"
    "  --break        in gdb, stopped where the trial fails\n"
    "  --break-at N   in gdb, stopped before what the test does in step N\n"
    "\n"
    "Exit: 1 it failed again, 0 it did not fail, 4 it went another way, 2 the trace is "
    "malformed.\n";

struct replay_options {
    bool breaks;
    uint64_t step;  /* to stop before; 0: only where it fails */
    char *tolerant; /* the program's own option; NULL: it is not to be given */
};

/* PROGRAM --replay TRACE, the arguments of the trace, those of the command; all of it in the arena
 * of the trace. NULL: no memory. */
static char **command_line(struct trace *trace, const struct replay_options *options, int argc,
                           char **argv)
{
    const struct trace_header *header = &trace->header;
    char **words = arena_array(&trace->arena, (size_t)argc + header->n_args + 3, sizeof(*words));
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
    if (options->tolerant != NULL)
        words[n++] = options->tolerant;
    for (int i = 2; i < argc; i++)
        words[n++] = argv[i];
    return words;
}

static bool parse_step(const char *text, uint64_t *out)
{
    char *end;

    errno = 0;
    *out = strtoull(text, &end, 10);
    return text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0 && *out > 0;
}

/* Options come before the trace: what follows it is the program's. Returns how many words they are,
 * or -1 after a message. */
static int parse(int argc, char **argv, struct replay_options *out)
{
    int n = 0;

    while (n + 1 < argc && argv[n + 1][0] == '-') {
        const char *option = argv[++n];
        const char *value = n + 1 < argc ? argv[n + 1] : "";

        if (strcmp(option, "--tolerant") == 0) {
            out->tolerant = argv[n];
            continue;
        }
        if (strcmp(option, "--break") != 0 && strcmp(option, "--break-at") != 0) {
            (void)cli_fail("replay does not know %s; the trace comes before its arguments", option);
            return -1;
        }
        out->breaks = true;
        if (strcmp(option, "--break-at") != 0)
            continue;
        if (!parse_step(value, &out->step)) {
            (void)cli_fail("--break-at needs the number of a step, from 1, not \"%s\"", value);
            return -1;
        }
        n++;
    }
    return n;
}

static int run_trace(struct trace *trace, const struct replay_options *options, int argc,
                     char **argv)
{
    char **words = command_line(trace, options, argc, argv);

    if (words == NULL)
        return cli_fail("there is not enough memory");
    if (!options->breaks)
        return cli_become(words);
    return debug_become(
        &(struct debug_request){.trace = trace, .program = words, .step = options->step});
}

static int run(int argc, char **argv)
{
    struct replay_options options = {.breaks = false};
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
        return cli_fail("replay needs a trace; `sennit replay --help` says more");
    if (trace_read(&trace, argv[1], &why) < 0)
        return cli_fail("%s", why.text);
    if (trace.header.program[0] == '\0') {
        trace_done(&trace);
        return cli_fail(
            "%s was written by sn_run, not by a test program with sn_main: replay it with "
            "sn_replay",
            argv[1]);
    }
    rc = run_trace(&trace, &options, argc, argv);
    trace_done(&trace);
    return rc;
}

const struct cli_verb cli_replay = {
    .name = "replay",
    .usage = "[OPTION] TRACE [ARG...]",
    .about = "runs the trial of a trace again",
    .run = run,
};
