/* frozen_clock.c - see frozen_clock.h. SPDX-License-Identifier: MIT */
#include "api/frozen_clock.h"

#include "api/engine.h"
#include "engine/here.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>

#define NS_PER_S UINT64_C(1000000000)

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#ifdef ARCHITECTURE

/* Where the arguments of a call are, and where its result goes. */
static uintptr_t argument(const ucontext_t *at, int i)
{
#if defined(__x86_64__)
    return (uintptr_t)at->uc_mcontext.gregs[i == 0 ? REG_RDI : REG_RSI];
#else
    return (uintptr_t)at->uc_mcontext.regs[i];
#endif
}

static void set_result(ucontext_t *at, long result)
{
#if defined(__x86_64__)
    at->uc_mcontext.gregs[REG_RAX] = result;
#else
    at->uc_mcontext.regs[0] = (uint64_t)result;
#endif
}

static uint64_t tick(void)
{
    struct trial *t = trial_here();
    struct engine *engine = t != NULL ? t->owner : NULL;
    struct frozen_clock *clock = engine != NULL ? engine->clock : NULL;

    return clock != NULL ? clock->start_ns + 1000 * clock->calls++ : 0;
}

/* A call was handed back. */
static void answer(int number, siginfo_t *info, void *context)
{
    ucontext_t *at = context;
    uint64_t now_ns = tick();
    time_t seconds = (time_t)(now_ns / NS_PER_S);
    long rest_ns = (long)(now_ns % NS_PER_S);

    (void)number;
    if (info->si_syscall == SYS_clock_gettime) {
        struct timespec *out = (struct timespec *)argument(at, 1);

        *out = (struct timespec){.tv_sec = seconds, .tv_nsec = rest_ns};
        set_result(at, 0);
    } else if (info->si_syscall == SYS_gettimeofday) {
        struct timeval *out = (struct timeval *)argument(at, 0);

        if (out != NULL)
            *out = (struct timeval){.tv_sec = seconds, .tv_usec = rest_ns / 1000};
        set_result(at, 0);
    } else {
        time_t *out = (time_t *)argument(at, 0);

        if (out != NULL)
            *out = seconds;
        set_result(at, seconds);
    }
}

bool frozen_clock_install(void)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 0, 5),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clock_gettime, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_gettimeofday, 1, 0),
#ifdef SYS_time
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_time, 0, 1),
#else
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_gettimeofday, 0, 1),
#endif
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = sizeof(filter) / sizeof(filter[0]), .filter = filter};

    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

void frozen_clock_start(struct frozen_clock *clock)
{
    struct engine *engine = trial_here()->owner;
    struct sigaction action = {.sa_sigaction = answer, .sa_flags = SA_SIGINFO};

    clock->calls = 0;
    engine->clock = clock;
    (void)sigaction(SIGSYS, &action, NULL); /* each process of a trial starts without it */
}

#else

bool frozen_clock_install(void)
{
    return false;
}

void frozen_clock_start(struct frozen_clock *clock)
{
    (void)clock;
}

#endif
