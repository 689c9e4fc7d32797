/* death.c - see death.h. SPDX-License-Identifier: MIT */
#include "engine/death.h"

#include "engine/here.h"
#include "engine/trial.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

enum {
    TICKS_PER_S = 2,
    BUSY_SHARE = 8,           /* it uses it if so much of the time is its */
    OVERFLOW_REACH = 1 << 17, /* a function may skip so much of the stack at once */
};

static const int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS, SIGTRAP};

enum { FATAL = sizeof(fatal) / sizeof(fatal[0]) };

/* ---- In the process that dies --------------------------------------------------------------- */

/* Reads the list of modules here and not before: it is long work for each of many processes, few of
 * which die, and a trial may have loaded more. */
void death_leave_stack(struct death *d, const ucontext_t *at)
{
    stack_take(&d->stack, at);
    modules_record(&d->modules);
}

static uint64_t stack_pointer(const ucontext_t *at)
{
#if defined(__x86_64__)
    return (uint64_t)at->uc_mcontext.gregs[REG_RSP];
#elif defined(__aarch64__)
    return at->uc_mcontext.sp;
#else
    return 0;
#endif
}

static bool is_overflow(int number, const siginfo_t *info, const ucontext_t *at)
{
    uint64_t pointer = stack_pointer(at);
    uint64_t address = (uintptr_t)info->si_addr;

    return (number == SIGSEGV || number == SIGBUS) && address + OVERFLOW_REACH > pointer &&
           address < pointer + OVERFLOW_REACH / 2;
}

static void on_fatal(int number, siginfo_t *info, void *at)
{
    struct trial *t = trial_here();
    struct death *d = &t->death;

    /* Whatever goes wrong in here must end it. */
    for (size_t i = 0; i < FATAL; i++)
        (void)signal(fatal[i], SIG_DFL);
    if (d->kind == DEATH_UNKNOWN) {
        d->signal = number;
        d->address = (uintptr_t)info->si_addr;
        d->kind = is_overflow(number, info, at) ? DEATH_OVERFLOW : DEATH_SIGNAL;
        death_leave_stack(d, at);
    }
    (void)raise(number);
}

/* Half a second of the processor has passed. */
static void on_tick(int number, siginfo_t *info, void *at)
{
    struct trial *t = trial_here();
    struct death *d = &t->death;

    (void)number;
    (void)info;
    if (!t->running || t->now.steps != d->seen_steps || t->serial != d->seen_trial) {
        d->seen_steps = t->now.steps;
        d->seen_trial = t->serial;
        d->ticks = 0;
        return;
    }
    d->ticks++;
    if (d->ticks < d->hang_s * TICKS_PER_S)
        return;
    d->kind = DEATH_HANG;
    death_leave_stack(d, at);
    _exit(1);
}

/* A sanitizer reports more than a stack, and ends the process, too. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
static const bool has_sanitizer = true;
#else
static const bool has_sanitizer = false;
#endif

/* The first that is called is the one of this process; those of its parents come after it. */
static void on_exit_call(int status, void *unused)
{
    struct trial *t = trial_of_thread();
    struct death *d = t != NULL ? &t->death : NULL;

    (void)unused;
    if (d == NULL || !d->is_watched || !t->running || d->kind != DEATH_UNKNOWN)
        return;
    d->kind = DEATH_EXIT;
    d->status = status;
    death_leave_stack(d, NULL);
}

void death_watch(struct trial *t)
{
    struct death *d = &t->death;
    struct sigaction action = {.sa_sigaction = on_fatal,
                               .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    stack_t stack = {.ss_sp = d->alternate, .ss_size = sizeof(d->alternate)};
    struct itimerval every = {.it_interval = {.tv_usec = 1000000 / TICKS_PER_S},
                              .it_value = {.tv_usec = 1000000 / TICKS_PER_S}};

    d->is_watched = true;
    (void)sigaltstack(&stack, NULL);
    for (size_t i = 0; i < FATAL && !has_sanitizer; i++)
        (void)sigaction(fatal[i], &action, NULL);
    action.sa_sigaction = on_tick;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
    (void)sigaction(SIGPROF, &action, NULL);
    (void)on_exit(on_exit_call, NULL);
    (void)setitimer(ITIMER_PROF, &every, NULL);
}

/* ---- In the process that outlives it -------------------------------------------------------- */

void death_forget(struct trial *t)
{
    struct death *d = &t->death;

    d->kind = DEATH_UNKNOWN;
    d->stack.n = 0;
    d->ticks = 0;
    d->last.since_ns = 0;
}

static uint64_t now_ns(clockid_t clock)
{
    struct timespec ts = {0};

    (void)clock_gettime(clock, &ts);
    return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static uint64_t cpu_ns(pid_t pid)
{
    clockid_t clock;

    return clock_getcpuclockid(pid, &clock) == 0 ? now_ns(clock) : 0;
}

/* What the kernel says of a process; false if that cannot be told. */
static bool read_about(pid_t pid, const char *name, char *text, size_t size)
{
    char path[64];
    ssize_t n;
    int fd;

    (void)snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    n = read(fd, text, size - 1);
    (void)close(fd);
    if (n <= 0)
        return false;
    text[n] = '\0';
    return true;
}

/* Bytes of memory that a process has; 0 if that cannot be told. */
static uint64_t resident(pid_t pid)
{
    char text[128];
    unsigned long long pages = 0;

    if (!read_about(pid, "statm", text, sizeof(text)))
        return 0;
    return sscanf(text, "%*u %llu", &pages) == 1 ? pages * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}

/* Whether a process could not go on if a processor was free for it; true if that cannot be told. On
 * a busy machine one that computes may get so little of a processor that it seems to do nothing. */
static bool is_waiting(pid_t pid)
{
    char text[128];
    const char *name_end;

    if (!read_about(pid, "stat", text, sizeof(text)))
        return true;
    name_end = strrchr(text, ')');
    return name_end == NULL || strncmp(name_end, ") R", 3) != 0;
}

static void put_down(struct trial *t, pid_t pid, enum death_kind why)
{
    t->death.kind = why;
    (void)kill(pid, SIGKILL);
}

/* A step that uses the processor is the watchdog's; one that only waits shows nothing but that time
 * goes by. */
void death_look(struct trial *t, pid_t pid)
{
    struct death *d = &t->death;
    uint64_t now = now_ns(CLOCK_MONOTONIC);
    uint64_t cpu = cpu_ns(pid);

    if (d->last.since_ns == 0 || d->last.trial != t->serial || d->last.steps != t->now.steps ||
        !t->running || cpu - d->last.cpu_ns > (now - d->last.since_ns) / BUSY_SHARE) {
        d->last.trial = t->serial;
        d->last.steps = t->now.steps;
        d->last.cpu_ns = cpu;
        d->last.since_ns = now;
    } else if (now - d->last.since_ns > (uint64_t)d->hang_s * 1000000000 && is_waiting(pid)) {
        put_down(t, pid, DEATH_BLOCKED);
    }
    if (d->memory_max != 0 && t->running && resident(pid) > d->memory_max)
        put_down(t, pid, DEATH_MEMORY);
}

static void judge_signal(struct trial *t, int number)
{
    const struct death *d = &t->death;

    if (d->kind == DEATH_OVERFLOW)
        trial_fail(t, "crash", NULL, "the code under test has overflowed its stack");
    else if (d->kind == DEATH_SIGNAL && (number == SIGSEGV || number == SIGBUS))
        trial_fail(t, "crash", NULL, "the code under test died of signal %d (%s) at address 0x%llx",
                   number, strsignal(number), (unsigned long long)d->address);
    else
        trial_fail(t, "crash", NULL, "the code under test died of signal %d (%s)", number,
                   strsignal(number));
}

void death_judge(struct trial *t, int status)
{
    const struct death *d = &t->death;

    t->running = false;
    if (d->kind == DEATH_HANG)
        trial_fail(t, "hang", NULL, "a step has taken more than %u second%s of the processor",
                   d->hang_s, d->hang_s == 1 ? "" : "s");
    else if (d->kind == DEATH_BLOCKED)
        trial_fail(t, "hang", NULL, "a step waits for something that does not come");
    else if (d->kind == DEATH_MEMORY)
        trial_fail(t, "memory", NULL, "the process has used more memory than a trial may");
    else if (d->kind == DEATH_EXIT)
        trial_fail(t, "crash", NULL, "the code under test called exit(%d)", d->status);
    else if (WIFSIGNALED(status))
        judge_signal(t, WTERMSIG(status));
    else
        trial_fail(t, "crash", NULL, "the code under test ended the process with exit code %d",
                   WEXITSTATUS(status));
}
