/* processes.c - see processes.h. SPDX-License-Identifier: MIT */
#include "drivers/processes.h"

#include "drivers/clock.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>

enum {
    ENVIRONMENT_MAX = 1 << 17,
    KILL_NS_MAX = 2000000000,
    LOOK_NS = 1000000,
};

/* ---- Running -------------------------------------------------------------------------------- */

static _Noreturn void become(const struct processes_command *c, pid_t parent)
{
    char mark[PATH_MAX];
    char temporary[PATH_MAX + 8];
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    int out = open(c->output, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);

    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent || null < 0 || out < 0)
        _exit(127);
    (void)setpgid(0, 0);
    (void)dup2(null, STDIN_FILENO);
    (void)dup2(out, STDOUT_FILENO);
    (void)dup2(out, STDERR_FILENO);
    (void)signal(SIGINT, SIG_DFL);
    (void)signal(SIGPIPE, SIG_DFL);
    (void)snprintf(mark, sizeof(mark), "%s", c->directory);
    (void)snprintf(temporary, sizeof(temporary), "%s/tmp", c->directory);
    (void)setenv(PROCESSES_MARK, mark, 1);
    (void)setenv("TMPDIR", temporary, 1);
    (void)execv(c->argv[0], c->argv);
    _exit(127);
}

/* Waits for the end of a process at most until a time. False: it has not ended. */
static bool wait_until(pid_t pid, uint64_t end_ns, int *status)
{
    int fd = (int)syscall(SYS_pidfd_open, pid, 0);
    struct pollfd ended = {.fd = fd, .events = POLLIN};
    bool has_ended = false;

    while (!has_ended) {
        uint64_t now = clock_real_ns();
        pid_t got = waitpid(pid, status, WNOHANG);

        has_ended = got == pid || (got < 0 && errno == ECHILD);
        if (has_ended || now >= end_ns)
            break;
        if (fd >= 0)
            (void)poll(&ended, 1, (int)((end_ns - now) / 1000000 + 1));
        else
            clock_real_sleep(LOOK_NS);
    }
    if (fd >= 0)
        (void)close(fd);
    return has_ended;
}

enum processes_end processes_run(const struct processes_command *command, int *status)
{
    pid_t parent = getpid();
    pid_t pid = fork();
    int how = 0;

    if (pid == 0)
        become(command, parent);
    if (pid < 0) {
        *status = errno;
        return PROCESSES_NONE;
    }
    (void)setpgid(pid, pid); /* whoever is first */
    if (wait_until(pid, clock_real_ns() + command->timeout_ns, &how)) {
        *status = WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
        return PROCESSES_EXITED;
    }
    (void)kill(-pid, SIGKILL);
    while (waitpid(pid, &how, 0) < 0 && errno == EINTR)
        continue;
    *status = 0;
    return PROCESSES_HANGS;
}

/* ---- Finding -------------------------------------------------------------------------------- */

/* Whether a variable "NAME=PATH" marks a directory, or one below it. */
static bool is_mark(const char *variable, const char *directory)
{
    size_t name = strlen(PROCESSES_MARK "=");
    size_t n = strlen(directory);

    return strncmp(variable, PROCESSES_MARK "=", name) == 0 &&
           strncmp(variable + name, directory, n) == 0 &&
           (variable[name + n] == '\0' || variable[name + n] == '/');
}

/* One that has ended and is not yet waited for has no environment. */
static bool is_marked(const char *pid, const char *directory, char *buffer)
{
    char path[64];
    size_t used = 0;
    ssize_t n = 1;
    int fd;

    (void)snprintf(path, sizeof(path), "/proc/%.20s/environ", pid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    while (n > 0 && used < ENVIRONMENT_MAX) {
        n = read(fd, buffer + used, ENVIRONMENT_MAX - used);
        used += n > 0 ? (size_t)n : 0;
    }
    (void)close(fd);
    buffer[used] = '\0';
    for (size_t at = 0; at < used; at += strlen(buffer + at) + 1) {
        if (is_mark(buffer + at, directory))
            return true;
    }
    return false;
}

/* Sends a signal (0: none) to all that are marked, except to this process. Returns how many. */
static uint32_t signal_marked(const char *directory, int number)
{
    DIR *all = opendir("/proc");
    char *buffer = malloc(ENVIRONMENT_MAX + 1);
    const struct dirent *entry;
    uint32_t n = 0;

    while (all != NULL && buffer != NULL && (entry = readdir(all)) != NULL) {
        pid_t pid;

        if (!isdigit((unsigned char)entry->d_name[0]) ||
            !is_marked(entry->d_name, directory, buffer))
            continue;
        pid = (pid_t)strtol(entry->d_name, NULL, 10);
        if (pid == getpid())
            continue;
        n++;
        if (number != 0)
            (void)kill(pid, number);
    }
    free(buffer);
    if (all != NULL)
        (void)closedir(all);
    return n;
}

void processes_adopt(void)
{
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1);
}

uint32_t processes_count(const char *directory)
{
    while (waitpid(-1, NULL, WNOHANG) > 0)
        continue;
    return signal_marked(directory, 0);
}

bool processes_kill(const char *directory)
{
    uint64_t end_ns = clock_real_ns() + KILL_NS_MAX;

    while (signal_marked(directory, SIGKILL) > 0) {
        if (clock_real_ns() > end_ns)
            return false;
        clock_real_sleep(LOOK_NS);
        (void)processes_count(directory);
    }
    return true;
}
