/* child.c - a trial in a process of its own, and who looks after it.
 * SPDX-License-Identifier: MIT
 */
#include "engine/explore_own.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Waits for a child, and looks after it meanwhile. */
static void wait_for(struct trial *t, pid_t pid, int *status)
{
    int fd = (int)syscall(SYS_pidfd_open, pid, 0);
    struct pollfd ended = {.fd = fd, .events = POLLIN};
    int n = 0;

    while (fd >= 0 && (n == 0 || (n < 0 && errno == EINTR))) {
        n = poll(&ended, 1, DEATH_LOOK_MS);
        if (n == 0)
            death_look(t, pid);
    }
    if (fd >= 0)
        (void)close(fd);
    while (waitpid(pid, status, 0) < 0 && errno == EINTR)
        continue;
}

bool explore_in_child(struct explore *e, void (*run)(struct explore *e, void *argument),
                      void *argument)
{
    struct trial *t = e->t;
    pid_t parent = getpid();
    int status = 0;
    pid_t pid;

    e->child_has_ended = false;
    death_forget(t);
    pid = fork();
    if (pid == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent)
            _exit(0);
        death_watch(t);
        run(e, argument);
        e->child_has_ended = true;
        _exit(0);
    }
    if (pid < 0) {
        trial_lose_control(t, "fork", "no process could be started for the trial (%s)",
                           strerrordesc_np(errno));
        return true;
    }
    wait_for(t, pid, &status);
    t->running = false;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && e->child_has_ended)
        return true;
    death_judge(t, status);
    return false;
}
