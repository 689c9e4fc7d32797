/* channel.c - see channel.h. SPDX-License-Identifier: MIT */
#include "remote/channel.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sennit/test.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    CLIENT_IN = 3, /* what the program has them as */
    CLIENT_OUT = 4,
    HIGH = 100,         /* ours are out of the way of whatever else is opened and closed */
    GRACE_MS = 1000,    /* that a program has to end by itself, ... */
    GRACE_STEP_US = 200 /* ... looked at so often */
};

static int move_up(int fd)
{
    int high = fcntl(fd, F_DUPFD_CLOEXEC, HIGH);

    (void)close(fd);
    return high;
}

static _Noreturn void become(const char *command, int in, int out, pid_t parent)
{
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(127);
    /* Both are above the numbers that they get. */
    if (dup2(in, CLIENT_IN) < 0 || dup2(out, CLIENT_OUT) < 0)
        _exit(127);
    (void)signal(SIGINT, SIG_DFL);
    (void)signal(SIGPIPE, SIG_DFL);
    (void)setpgid(0, 0);
    (void)setenv("SENNIT_EVENTS", "fd:3,4", 1);
    (void)execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
}

int channel_start(struct channel *c, const char *command, struct err *why)
{
    int down[2];
    int up[2];
    pid_t parent = getpid();

    if (pipe2(down, O_CLOEXEC) < 0)
        return err_set(why, SN_ESYSTEM, "there is no pipe for the client (%s)",
                       strerrordesc_np(errno));
    if (pipe2(up, O_CLOEXEC) < 0) {
        (void)close(down[0]);
        (void)close(down[1]);
        return err_set(why, SN_ESYSTEM, "there is no pipe for the client (%s)",
                       strerrordesc_np(errno));
    }
    for (int i = 0; i < 2; i++) {
        down[i] = move_up(down[i]);
        up[i] = move_up(up[i]);
    }
    (void)signal(SIGPIPE, SIG_IGN);
    c->pid = fork();
    if (c->pid == 0)
        become(command, down[0], up[1], parent);
    (void)close(down[0]);
    (void)close(up[1]);
    c->in = up[0];
    c->out = down[1];
    c->is_open = true;
    c->used = c->taken = 0;
    c->lines = 0;
    if (c->pid > 0)
        return 0;
    c->pid = 0;
    (void)channel_close(c);
    return err_set(why, SN_ESYSTEM, "the client cannot be started (%s)", strerrordesc_np(errno));
}

void channel_use(struct channel *c, int in, int out)
{
    *c = (struct channel){.is_open = true, .in = in, .out = out};
    (void)signal(SIGPIPE, SIG_IGN);
}

/* A pipe that can be written to takes PIPE_BUF bytes at once, so this waits only in poll. */
static enum channel_end write_all(int fd, const char *bytes, size_t n, int timeout_ms)
{
    while (n > 0) {
        struct pollfd wait = {.fd = fd, .events = POLLOUT};
        int ready = poll(&wait, 1, timeout_ms);
        ssize_t done;

        if (ready == 0)
            return CHANNEL_SILENT;
        done = ready > 0 ? write(fd, bytes, n < PIPE_BUF ? n : PIPE_BUF) : -1;
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return CHANNEL_CLOSED;
        bytes += done;
        n -= (size_t)done;
    }
    return CHANNEL_LINE;
}

enum channel_end channel_write(struct channel *c, const char *line, size_t n, int timeout_ms)
{
    enum channel_end how = CHANNEL_CLOSED;

    if (c->is_open)
        how = write_all(c->out, line, n, timeout_ms);
    return how == CHANNEL_LINE ? write_all(c->out, "\n", 1, timeout_ms) : how;
}

/* Makes room for more behind what is there. */
static bool make_room(struct channel *c)
{
    size_t size = c->size > 0 ? c->size * 2 : 65536;
    char *larger;

    if (c->taken > 0) {
        memmove(c->buffer, c->buffer + c->taken, c->used - c->taken);
        c->used -= c->taken;
        c->taken = 0;
    }
    if (c->used + 1 < c->size)
        return true;
    larger = realloc(c->buffer, size);
    if (larger == NULL)
        return false;
    c->buffer = larger;
    c->size = size;
    return true;
}

static enum channel_end fill(struct channel *c, int timeout_ms)
{
    struct pollfd wait = {.fd = c->in, .events = POLLIN};
    int ready;
    ssize_t n;

    if (!make_room(c))
        return CHANNEL_TOO_LONG;
    do {
        ready = poll(&wait, 1, timeout_ms);
    } while (ready < 0 && errno == EINTR);
    if (ready == 0)
        return CHANNEL_SILENT;
    do {
        n = read(c->in, c->buffer + c->used, c->size - c->used - 1);
    } while (n < 0 && errno == EINTR);
    if (n <= 0)
        return CHANNEL_CLOSED;
    c->used += (size_t)n;
    return CHANNEL_LINE;
}

enum channel_end channel_read(struct channel *c, int timeout_ms, char **line, size_t *n)
{
    size_t looked = c->taken;

    if (!c->is_open)
        return CHANNEL_CLOSED;
    for (;;) {
        char *end = c->used > looked ? memchr(c->buffer + looked, '\n', c->used - looked) : NULL;
        size_t before = c->used - c->taken;
        enum channel_end how;

        if ((end != NULL ? (size_t)(end - c->buffer) : c->used) - c->taken > CHANNEL_LINE_MAX)
            return CHANNEL_TOO_LONG;
        if (end != NULL) {
            *end = '\0';
            *line = c->buffer + c->taken;
            *n = (size_t)(end - *line);
            c->taken = (size_t)(end - c->buffer) + 1;
            c->lines++;
            return CHANNEL_LINE;
        }
        how = fill(c, timeout_ms);
        if (how != CHANNEL_LINE)
            return how;
        looked = c->taken + before;
    }
}

/* Waits a little for a program that may be ending by itself; then ends it. */
static int reap(pid_t pid)
{
    int status = 0;

    for (int waited = 0; waited < GRACE_MS * 1000; waited += GRACE_STEP_US) {
        if (waitpid(pid, &status, WNOHANG) != 0)
            return status;
        (void)poll(NULL, 0, waited < 20000 ? 1 : 10);
        waited += waited < 20000 ? 1000 : 10000;
    }
    (void)kill(-pid, SIGKILL);
    (void)kill(pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    return status;
}

void channel_kill(struct channel *c)
{
    if (c->pid <= 0)
        return;
    (void)kill(-c->pid, SIGKILL);
    (void)kill(c->pid, SIGKILL);
}

int channel_close(struct channel *c)
{
    int status = 0;

    if (c->is_open) {
        (void)close(c->in);
        (void)close(c->out);
    }
    if (c->pid > 0)
        status = reap(c->pid);
    free(c->buffer);
    *c = (struct channel){.is_open = false};
    return status;
}
