/* verify_process.c - see verify_process.h. SPDX-License-Identifier: MIT */
#include "api/verify_process.h"

#include "api/anew.h"
#include "base/text.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    OWN_VARIABLES = 3,
    POLL_MS = 1000,
    PATIENCE = 60, /* polls without any progress */
};

extern char **environ;

/* ---- What all share ------------------------------------------------------------------------- */

/* Without what this file sets itself. */
static bool is_own(const char *variable)
{
    return strncmp(variable, "SENNIT_WORLD_BASE=", 18) == 0 ||
           strncmp(variable, "SENNIT_HEAP_FILL=", 17) == 0 ||
           strncmp(variable, VERIFY_VARIABLE "=", sizeof(VERIFY_VARIABLE)) == 0;
}

static int copy_environment(struct verify_common *c)
{
    size_t n = 0;

    while (environ[n] != NULL)
        n++;
    c->environment = arena_array(&c->arena, n + OWN_VARIABLES + 1, sizeof(char *));
    if (c->environment == NULL)
        return SN_ENOMEM;
    for (size_t i = 0; i < n; i++) {
        char *copy =
            is_own(environ[i]) ? NULL : arena_copy(&c->arena, environ[i], strlen(environ[i]));

        if (copy != NULL)
            c->environment[c->n_environment++] = copy;
    }
    return 0;
}

int verify_common_init(struct verify_common *c, char **argv, struct err *why)
{
    *c = (struct verify_common){.argv = argv};
    identity_get(&c->identity);
    c->board_fd = memfd_create("sennit-board", MFD_CLOEXEC);
    if (c->board_fd < 0 || ftruncate(c->board_fd, sizeof(*c->board)) < 0)
        return err_set(why, SN_ESYSTEM, "there is no memory to share (%s)", strerrordesc_np(errno));
    c->board = mmap(NULL, sizeof(*c->board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
                    c->board_fd, 0);
    if (c->board == MAP_FAILED) {
        c->board = NULL;
        return err_set(why, SN_ENOMEM, "there is no address space to share (%s)",
                       strerrordesc_np(errno));
    }
    return copy_environment(c);
}

void verify_common_done(struct verify_common *c)
{
    if (c->board != NULL)
        (void)munmap(c->board, sizeof(*c->board));
    if (c->board_fd > 0)
        (void)close(c->board_fd);
    arena_done(&c->arena);
}

/* ---- Starting ------------------------------------------------------------------------------- */

/* Of the same length whatever is in them, so that they move nothing on the stack. */
struct variables {
    char base[64];
    char fill[64];
    char verifier[128];
};

static void set_variables(struct variables *v, struct verify_common *c, int fd,
                          const struct verify_setting *setting)
{
    size_t n = c->n_environment;

    (void)snprintf(v->base, sizeof(v->base), "SENNIT_WORLD_BASE=%016" PRIx64, setting->shift);
    (void)snprintf(v->fill, sizeof(v->fill), "SENNIT_HEAP_FILL=%02x", setting->fill & 0xff);
    (void)snprintf(v->verifier, sizeof(v->verifier), VERIFY_VARIABLE "=%06d,%06d,%02x,%016" PRIx64,
                   c->board_fd, fd, setting->fill & 0xff, setting->clock_ns);
    c->environment[n] = v->base;
    c->environment[n + 1] = v->fill;
    c->environment[n + 2] = v->verifier;
    c->environment[n + 3] = NULL;
}

int verify_process_start(struct verify_process *p, struct verify_common *c,
                         const struct verify_setting *setting, struct err *why)
{
    struct variables variables;
    pid_t parent = getpid();
    int fds[2];
    pid_t pid;

    *p = (struct verify_process){0};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) < 0)
        return err_set(why, SN_ESYSTEM, "no process can be talked to (%s)", strerrordesc_np(errno));
    set_variables(&variables, c, fds[1], setting);
    pid = fork();
    if (pid == 0) {
        if (setting->is_fixed)
            (void)personality(ADDR_NO_RANDOMIZE);
        anew_keep(c->board_fd);
        anew_keep(fds[1]);
        anew_become(c->identity.program, c->argv, c->environment, parent);
    }
    *p = (struct verify_process){.pid = pid, .fd = fds[0]}; /* which the child may share */
    (void)close(fds[1]);
    if (p->pid > 0 && verify_process_ask(p, c, why) == 0)
        return 0;
    verify_process_end(p);
    return err_set(why, SN_ESYSTEM, "the program cannot be started a second time to verify it: %s",
                   c->identity.program);
}

/* ---- Asking --------------------------------------------------------------------------------- */

/* Waits for it to say anything. False: it is dead, or seems to do nothing at all. */
static bool hear(struct verify_process *p, const struct witness_board *board)
{
    struct pollfd polled = {.fd = p->fd, .events = POLLIN};
    uint64_t progress = board->progress;
    int patience = PATIENCE;
    char byte;

    while (patience > 0) {
        int n = poll(&polled, 1, POLL_MS);

        if (n > 0 || (n < 0 && errno != EINTR))
            return n > 0 && recv(p->fd, &byte, 1, 0) == 1;
        patience = progress != board->progress ? PATIENCE : patience - (n == 0);
        progress = board->progress;
    }
    return false;
}

static int tell_death(struct verify_process *p, struct err *why)
{
    int status = 0;
    pid_t pid = waitpid(p->pid, &status, WNOHANG);

    for (int i = 0; pid == 0 && i < 100; i++) { /* its socket closes before it is gone */
        (void)poll(NULL, 0, 10);
        pid = waitpid(p->pid, &status, WNOHANG);
    }
    if (pid == p->pid)
        p->pid = 0;
    if (pid <= 0)
        return err_set(why, 1, "it did not come to an end");
    if (WIFSIGNALED(status))
        return err_set(why, 1, "it died of signal %d (%s)", WTERMSIG(status),
                       sigdescr_np(WTERMSIG(status)));
    return err_set(why, 1, "it ended with exit code %d", WEXITSTATUS(status));
}

int verify_process_ask(struct verify_process *p, const struct verify_common *c, struct err *why)
{
    /* When it has just been started it speaks first. */
    (void)send(p->fd, "", 1, MSG_NOSIGNAL);
    if (hear(p, c->board))
        return 0;
    return tell_death(p, why);
}

void verify_process_end(struct verify_process *p)
{
    if (p->fd > 0)
        (void)close(p->fd);
    if (p->pid > 0) {
        (void)kill(p->pid, SIGKILL);
        while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR)
            continue;
    }
    *p = (struct verify_process){0};
}
