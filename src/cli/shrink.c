/* shrink.c - `sennit shrink TRACE`: becomes the program that the trace names, to make its trial
 * smaller. As replay.c does it. SPDX-License-Identifier: MIT
 */
#include "base/err.h"
#include "cli/cli.h"
#include "trace/trace.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

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

enum { WORDS_MAX = 64 };

/* What the program is given beside the trace. */
struct shrink_words {
    char *words[WORDS_MAX];
    size_t n;
    char *trace;
};

static bool takes_value(const char *option)
{
    static const char *const options[] = {"-o", "--repeats", "-t",    "--timeout",
                                          "-j", "--jobs",    "--seed"};

    for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
        if (strcmp(options[i], option) == 0)
            return true;
    }
    return false;
}

/* The program has another meaning for these. */
static bool is_output(const char *option)
{
    return strcmp(option, "-o") == 0 || strcmp(option, "--output") == 0;
}

/* Options may come before the trace and after it. False after a message. */
static bool parse(int argc, char **argv, struct shrink_words *out)
{
    static char shrunk[] = "--shrunk";

    for (int i = 1; i < argc; i++) {
        bool has_value = takes_value(argv[i]);

        if (argv[i][0] != '-' && out->trace == NULL) {
            out->trace = argv[i];
            continue;
        }
        if (argv[i][0] != '-' || (!has_value && strcmp(argv[i], "--any-failure") != 0)) {
            (void)cli_fail("shrink does not know %s; `sennit shrink --help` says more", argv[i]);
            return false;
        }
        if ((has_value && i + 1 == argc) || out->n + 2 > WORDS_MAX) {
            (void)cli_fail("%s needs a value", argv[i]);
            return false;
        }
        out->words[out->n++] = is_output(argv[i]) ? shrunk : argv[i];
        if (has_value)
            out->words[out->n++] = argv[++i];
    }
    if (out->trace == NULL)
        (void)cli_fail("shrink needs a trace; `sennit shrink --help` says more");
    return out->trace != NULL;
}

/* PROGRAM --shrink TRACE, what was asked for, the arguments of the trace. NULL: no memory. */
static char **command_line(struct trace *trace, const struct shrink_words *given)
{
    const struct trace_header *header = &trace->header;
    char **words = arena_array(&trace->arena, given->n + header->n_args + 4, sizeof(*words));
    size_t n = 0;

    if (words == NULL)
        return NULL;
    words[n++] = arena_copy(&trace->arena, header->program, strlen(header->program));
    words[n++] = arena_copy(&trace->arena, "--shrink", strlen("--shrink"));
    words[n++] = given->trace;
    for (size_t i = 0; i < given->n; i++)
        words[n++] = given->words[i];
    for (size_t i = 0; i < header->n_args; i++)
        words[n++] = arena_copy(&trace->arena, header->args[i], strlen(header->args[i]));
    words[n] = NULL;
    for (size_t i = 0; i < n; i++) {
        if (words[i] == NULL)
            return NULL;
    }
    return words;
}

static int run(int argc, char **argv)
{
    struct shrink_words given = {.n = 0};
    struct trace trace;
    struct err why;
    char **words;
    int code = CLI_USAGE;

    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        (void)fputs(help, stdout);
        return CLI_OK;
    }
    if (!parse(argc, argv, &given))
        return CLI_USAGE;
    if (trace_read(&trace, given.trace, &why) < 0)
        return cli_fail("%s", why.text);
    words = command_line(&trace, &given);
    if (trace.header.program[0] == '\0')
        (void)cli_fail("%s was written by sn_run, not by a test program with sn_main", given.trace);
    else if (words == NULL)
        (void)cli_fail("there is not enough memory");
    else
        code = cli_become(words);
    trace_done(&trace);
    return code;
}

const struct cli_verb cli_shrink = {
    .name = "shrink",
    .usage = "TRACE [OPTION...]",
    .about = "makes the trial of a trace smaller",
    .run = run,
};
