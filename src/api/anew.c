/* anew.c - see anew.h. SPDX-License-Identifier: MIT */
#include "api/anew.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

/* Nothing of the parent's may be changed before the exec: memory is a copy, but descriptors are
 * not. */
_Noreturn void anew_become(const char *program, char *const *argv, char *const *environment,
                           pid_t parent)
{
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);

    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent || nothing < 0)
        _exit(127);
    for (int i = 0; i < 3; i++)
        (void)dup2(nothing, i);
    (void)execve(program, argv, environment);
    _exit(127);
}

void anew_keep(int fd)
{
    (void)fcntl(fd, F_SETFD, 0);
}
