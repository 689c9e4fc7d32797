/* corpus_anew.c - see corpus_anew.h. SPDX-License-Identifier: MIT */
#include "api/corpus_anew.h"

#include "api/anew.h"
#include "api/identity.h"
#include "api/options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

#define VARIABLE "SENNIT_CORPUS_ANSWER" /* the descriptor of what is shared */

enum { WORDS_MAX = 2 * OPTIONS_BUGS_MAX + 16 };

struct answer {
    bool is_there;
    int rc;
    struct replay_report report;
    struct sn_result result;
};

/* ---- What a trace was written with ---------------------------------------------------------- */

static bool is_bug(const char *option)
{
    return strcmp(option, "--bug") == 0;
}

static bool is_own(const char *option)
{
    return !is_bug(option) && strcmp(option, "--timers") != 0;
}

/* Whether the options of a kind, and their values, are the same in both lists. */
static bool has_same(const struct trace_header *header, const struct run_request *request,
                     bool (*is_kind)(const char *option))
{
    size_t i = 0;
    size_t k = 0;

    for (;; i += 2, k += 2) {
        while (i + 1 < header->n_args && !is_kind(header->args[i]))
            i += 2;
        while (k + 1 < request->n_args && !is_kind(request->args[k]))
            k += 2;
        if (i + 1 >= header->n_args || k + 1 >= request->n_args)
            return i + 1 >= header->n_args && k + 1 >= request->n_args;
        if (strcmp(header->args[i], request->args[k]) != 0 ||
            strcmp(header->args[i + 1], request->args[k + 1]) != 0)
            return false;
    }
}

bool corpus_anew_is_needed(const struct trace_header *header, const struct run_request *request)
{
    return request->argv != NULL && !has_same(header, request, is_own);
}

bool corpus_anew_has_same_bugs(const struct trace_header *header, const struct run_request *request)
{
    return has_same(header, request, is_bug);
}

/* ---- The new process ------------------------------------------------------------------------ */

struct command {
    struct identity identity;
    const char *words[WORDS_MAX + 1];
    char hang[32];
    char memory[32];
};

/* PROGRAM --replay TRACE, and what the run was told about bugs and limits. */
static void set_command(struct command *c, const struct run_request *request, const char *path)
{
    size_t n = 0;

    memset(c, 0, sizeof(*c));
    identity_get(&c->identity);
    (void)snprintf(c->hang, sizeof(c->hang), "--hang=%" PRIu32, request->hang_s);
    (void)snprintf(c->memory, sizeof(c->memory), "--memory=%" PRIu64, request->memory_mb);
    c->words[n++] = c->identity.program;
    c->words[n++] = "--replay";
    c->words[n++] = path;
    c->words[n++] = "--isolate";
    c->words[n++] = "fork";
    if (request->tolerant)
        c->words[n++] = "--tolerant";
    if (request->leaks)
        c->words[n++] = "--leaks";
    if (request->hang_s != 0)
        c->words[n++] = c->hang;
    if (request->memory_mb != 0)
        c->words[n++] = c->memory;
    for (size_t i = 0; i + 1 < request->n_args && n + 2 <= WORDS_MAX; i += 2) {
        if (!is_bug(request->args[i]))
            continue;
        c->words[n++] = request->args[i];
        c->words[n++] = request->args[i + 1];
    }
}

/* In the child. Never returns. */
static void become(struct command *c, int fd, pid_t parent)
{
    char number[16];

    (void)snprintf(number, sizeof(number), "%d", fd);
    (void)setenv(VARIABLE, number, 1); /* without it there is no answer */
    anew_keep(fd);
    anew_become(c->identity.program, (char *const *)(uintptr_t)c->words, environ, parent);
}

static int wait_for(pid_t pid, const struct answer *answer, struct err *why)
{
    int status = 0;

    while (waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR)
            return err_set(why, SN_ESYSTEM, "a process was lost (%s)", strerrordesc_np(errno));
    }
    if (answer->is_there)
        return 0;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 2)
        return err_set(why, SN_EINVAL, "the program does not take the options it was written with");
    return err_set(why, SN_ESYSTEM,
                   "a process with the options it was written with ended without "
                   "an answer");
}

int corpus_anew_replay(const struct run_request *request, const char *path,
                       struct replay_report *report, struct sn_result *result, struct err *why)
{
    int fd = memfd_create("sennit-corpus", MFD_CLOEXEC);
    struct answer *answer = MAP_FAILED;
    struct command command;
    pid_t parent = getpid();
    pid_t pid = -1;
    int rc = SN_ESYSTEM;

    set_command(&command, request, path);
    if (fd >= 0 && ftruncate(fd, sizeof(*answer)) == 0)
        answer = mmap(NULL, sizeof(*answer), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (answer != MAP_FAILED)
        pid = fork();
    if (pid == 0)
        become(&command, fd, parent);
    if (pid < 0)
        (void)err_set(why, SN_ESYSTEM, "no process can be started (%s)", strerrordesc_np(errno));
    else
        rc = wait_for(pid, answer, why);
    if (rc == 0) {
        *report = answer->report;
        *result = answer->result;
        rc = answer->rc < 0 ? err_set(why, answer->rc, "%.500s", result->failure) : 0;
    }
    if (answer != MAP_FAILED)
        (void)munmap(answer, sizeof(*answer));
    if (fd >= 0)
        (void)close(fd);
    return rc;
}

bool corpus_anew_answer(int rc, const struct replay_report *report, const struct sn_result *result)
{
    const char *number = getenv(VARIABLE);
    struct answer *answer;
    int fd;

    if (number == NULL || sscanf(number, "%d", &fd) != 1)
        return false;
    answer = mmap(NULL, sizeof(*answer), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (answer == MAP_FAILED)
        return false;
    answer->rc = rc;
    answer->report = *report;
    answer->result = *result;
    answer->is_there = true;
    (void)munmap(answer, sizeof(*answer));
    return true;
}
