/* several.c - see several.h. SPDX-License-Identifier: MIT */
#include "cli/several.h"

#include "api/exit_code.h"
#include "api/options.h"
#include "base/file.h"
#include "cli/cli.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOT_STARTED = 127 }; /* as shells say it */

struct several {
    int n_programs;
    char **programs;
    int n_args;
    char **args;
    struct options options;
    struct sn_text out;
    struct several_tap tap;
    struct several_xml xml;
    char buffer[4096];
};

/* ---- One program ---------------------------------------------------------------------------- */

static volatile sig_atomic_t is_interrupted;

static void on_interrupt(int number)
{
    (void)number;
    is_interrupted = 1;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

/* A directory of its own for each program: they may have suites and tests of the same names. */
static void name_outdir(const struct several *s, int index, char *path, size_t size)
{
    const char *name = base_name(s->programs[index]);
    bool is_taken = false;

    for (int i = 0; i < index; i++)
        is_taken |= strcmp(base_name(s->programs[i]), name) == 0;
    if (is_taken)
        (void)snprintf(path, size, "%s/%d-%s", s->options.run.outdir, index + 1, name);
    else
        (void)snprintf(path, size, "%s/%s", s->options.run.outdir, name);
}

/* Becomes the program. Options given last win over those before them. */
static void become(const struct several *s, int index, char *outdir, char *xml)
{
    static char outdir_option[] = "--outdir";
    static char xml_option[] = "--xml";
    char **words = calloc((size_t)s->n_args + 6, sizeof(*words));
    int n = 0;

    if (words == NULL)
        _exit(NOT_STARTED);
    words[n++] = s->programs[index];
    memcpy(words + n, s->args, (size_t)s->n_args * sizeof(*words));
    n += s->n_args;
    words[n++] = outdir_option;
    words[n++] = outdir;
    if (s->options.xml != NULL) {
        words[n++] = xml_option;
        words[n++] = xml;
    }
    (void)signal(SIGINT, SIG_DFL);
    (void)cli_become(words);
    _exit(NOT_STARTED);
}

/* The exit code of a program, and a clause if it did not end as test programs do. */
static int judge(int status, char *how, size_t size)
{
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;

    how[0] = '\0';
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGINT) {
        (void)snprintf(how, size, "was interrupted");
        return EXIT_NOTHING;
    }
    if (WIFSIGNALED(status))
        (void)snprintf(how, size, "died of signal %d (SIG%s)", WTERMSIG(status),
                       sigabbrev_np(WTERMSIG(status)));
    else if (code == NOT_STARTED)
        (void)snprintf(how, size, "cannot be run");
    else if (code != EXIT_NO_BUG && exit_code_worse(code, EXIT_NO_BUG) != code)
        (void)snprintf(how, size, "ended with exit code %d", code);
    if (code == NOT_STARTED)
        return EXIT_USAGE;
    return how[0] != '\0' ? EXIT_INTERNAL : code;
}

/* Runs a program and takes its TAP. Returns what waitpid says, or -1 with errno. */
static int run_program(struct several *s, int index, char *xml)
{
    char outdir[FILE_PATH_MAX];
    int ends[2] = {-1, -1};
    int status = -1;
    pid_t child;

    name_outdir(s, index, outdir, sizeof(outdir));
    if (s->options.tap && pipe(ends) < 0)
        return -1;
    (void)text_flush(&s->out);
    child = fork();
    if (child == 0) {
        if (s->options.tap &&
            (dup2(ends[1], STDOUT_FILENO) < 0 || close(ends[0]) < 0 || close(ends[1]) < 0))
            _exit(NOT_STARTED);
        become(s, index, outdir, xml);
    }
    if (s->options.tap)
        (void)close(ends[1]);
    if (child > 0 && s->options.tap)
        several_tap_copy(&s->tap, ends[0]);
    while (child > 0 && waitpid(child, &status, 0) < 0) {
        if (errno != EINTR)
            return -1;
    }
    return child > 0 ? status : -1;
}

/* ---- All of them ---------------------------------------------------------------------------- */

static int run_one(struct several *s, int index)
{
    const char *program = s->programs[index];
    char xml[FILE_PATH_MAX + 64] = "";
    char how[128];
    int status;
    int code;

    if (s->options.xml != NULL)
        (void)snprintf(xml, sizeof(xml), "%s.%ld-%d.part", s->options.xml, (long)getpid(),
                       index + 1);
    status = run_program(s, index, xml);
    if (status < 0) {
        (void)cli_fail("cannot start %s: %s", program, strerror(errno));
        return EXIT_INTERNAL;
    }
    code = judge(status, how, sizeof(how));
    if (how[0] != '\0' && code != EXIT_USAGE)
        (void)cli_fail("%s %s", program, how);
    if (s->options.tap)
        several_tap_program(&s->tap, program, how[0] != '\0' ? how : NULL);
    if (s->options.xml != NULL) {
        if (several_xml_add(&s->xml, program, xml, how[0] != '\0' ? how : NULL) < 0)
            code = EXIT_INTERNAL;
        (void)unlink(xml);
    }
    return code;
}

static int run_all(struct several *s)
{
    struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = SA_RESTART};
    int code = EXIT_NO_BUG;
    struct err why = {""};

    (void)sigaction(SIGINT, &action, NULL);
    text_init_fd(&s->out, s->buffer, sizeof(s->buffer), STDOUT_FILENO);
    if (s->options.xml != NULL && file_try(s->options.xml, &why) < 0)
        return cli_fail("%s", why.text);
    if (s->options.tap)
        several_tap_begin(&s->tap, &s->out);
    for (int i = 0; i < s->n_programs && !is_interrupted; i++)
        code = exit_code_worse(code, run_one(s, i));
    if (is_interrupted)
        code = exit_code_worse(code, EXIT_NOTHING);
    if (s->options.tap && is_interrupted && !s->tap.has_bailed_out)
        text_puts(&s->out, "Bail out! The run was interrupted\n");
    if (s->options.tap)
        several_tap_end(&s->tap);
    if (s->options.xml != NULL && several_xml_end(&s->xml, s->options.xml, &why) < 0)
        code = exit_code_worse(code, cli_fail("%s", why.text));
    return code;
}

int several_run(int argc, char **argv, int n)
{
    struct several s = {.n_programs = n, .programs = argv, .n_args = argc - n, .args = argv + n};
    struct err why = {""};

    /* The last program stands where a program's own name would: before its arguments. */
    if (options_parse(&s.options, NULL, argc - n + 1, argv + n - 1, &why) < 0)
        return cli_fail("%s", why.text);
    if (s.options.action == OPTIONS_REPLAY || s.options.step)
        return cli_fail("--replay and --step are for one program");
    if (s.options.checkpoint != NULL && n > 1)
        return cli_fail("--checkpoint is for one program: each would write the other's file");
    if (s.options.action != OPTIONS_RUN) {
        s.options.tap = false;
        s.options.xml = NULL;
    }
    return run_all(&s);
}
