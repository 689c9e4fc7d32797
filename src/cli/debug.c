/* debug.c - a replay in a debugger: see debug.h. SPDX-License-Identifier: MIT */
#include "cli/debug.h"

#include "cli/cli.h"
#include "cli/land.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The first two arguments of sn_debug_break, where gdb may know neither by name. */
#if defined(__aarch64__)
#define STEP "$x0"
#define WHY "$x1"
#else
#define STEP "$rdi"
#define WHY "$rsi"
#endif

static char *word(const char *text)
{
    return (char *)(uintptr_t)text;
}

/* A crash without a signal: the code under test has called exit, which only the kernel is sure to
 * be told of. A step that hangs is ended in that way, too. */
static bool has_exited(const struct trace_verdict *verdict)
{
    const char *message = verdict->message.bytes;

    if (verdict->oracle == NULL || message == NULL)
        return false;
    return strcmp(verdict->oracle, "hang") == 0 ||
           (strcmp(verdict->oracle, "crash") == 0 && strstr(message, "signal") == NULL);
}

int debug_become(const struct debug_request *request)
{
    struct trace *trace = request->trace;
    char *break_command;
    char **words;
    size_t n = 0;
    size_t n_program = 0;

    while (request->program[n_program] != NULL)
        n_program++;
    words = arena_array(&trace->arena, n_program + 32, sizeof(*words));
    break_command = arena_array(&trace->arena, 128, 1);
    if (words == NULL || break_command == NULL)
        return cli_fail("there is not enough memory");
    if (request->step == 0)
        (void)snprintf(break_command, 128, "break sn_debug_break if " WHY " != 0");
    else
        (void)snprintf(break_command, 128,
                       "break sn_debug_break if " WHY " != 0 || " STEP " == %" PRIu64,
                       request->step);
    words[n++] = word("gdb");
    words[n++] = word("-q");
    words[n++] = word("-ex");
    words[n++] = word("set breakpoint pending on"); /* the library may be a shared one */
    words[n++] = word("-ex");
    words[n++] = word("set follow-fork-mode child"); /* where the trial has a process of its own */
    if (has_exited(&trace->verdict)) {
        words[n++] = word("-ex");
        words[n++] = word("catch syscall exit_group");
    }
    words[n++] = word("-ex");
    words[n++] = break_command;
    words[n++] = word("-ex");
    words[n++] = word(land_command);
    words[n++] = word("-ex");
    words[n++] = word("run");
    words[n++] = word("--args");
    memcpy(words + n, request->program, (n_program + 1) * sizeof(*words));
    (void)execvp(words[0], words);
    return cli_fail("--break and --break-at need gdb, which cannot be run: %s", strerror(errno));
}
