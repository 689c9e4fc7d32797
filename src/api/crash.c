/* crash.c - see crash.h. SPDX-License-Identifier: MIT */
#include "api/crash.h"

#include "api/engine.h"
#include "engine/explore.h"
#include "engine/here.h"
#include "substrate/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const int signals[CRASH_SIGNALS] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

/* What is being watched, if a trial is running in this process. */
static struct crash *watched(struct trial *t)
{
    struct engine *engine = t != NULL ? t->owner : NULL;

    if (t == NULL || !t->running || t->explore == NULL || t->explore->mode == SN_WORLD_FORK)
        return NULL;
    return engine->crash;
}

static void report(struct trial *t, const char *what)
{
    const struct crash *crash = watched(t);
    const struct machine *actor = t != NULL ? t->machines->actor : NULL;
    char text[1024];
    int n;

    if (crash == NULL)
        return;
    n = snprintf(
        text, sizeof(text),
        "%s/%s: FAILED in trial %llu, step %llu%s%s: the code under test %s%s and took the "
        "runner with it; SN_WORLD_FORK or --isolate=fork makes that a failing trial with a "
        "trace\n",
        crash->suite, crash->test, (unsigned long long)(t->explore->trial - (t->recorder != NULL)),
        (unsigned long long)t->now.steps, actor != NULL ? ", " : "",
        actor != NULL ? actor->type->name : "", what,
        t->recorder != NULL ? " while a failing trial was recorded (in a printer?)" : "");
    if (n > 0)
        (void)!write(crash->fd, text, (size_t)n < sizeof(text) ? (size_t)n : sizeof(text) - 1);
}

static void on_signal(int number)
{
    char what[64];

    (void)snprintf(what, sizeof(what), "died of signal %d (SIG%s)", number, sigabbrev_np(number));
    report(trial_here(), what);
    (void)signal(number, SIG_DFL);
    (void)raise(number);
}

static void on_exit_call(int status, void *unused)
{
    struct trial *t = trial_here();
    char what[64];

    (void)unused;
    if (watched(t) == NULL)
        return;
    (void)snprintf(what, sizeof(what), "called exit(%d)", status);
    report(t, what);
    _exit(1);
}

void crash_watch(struct crash *crash)
{
    struct engine *engine = trial_here()->owner;
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK | SA_NODEFER};
    stack_t stack = {.ss_sp = crash->stack, .ss_size = sizeof(crash->stack)};

    if (!engine->has_exit_hook)
        (void)on_exit(on_exit_call, NULL);
    engine->has_exit_hook = true;
    (void)sigaltstack(&stack, &crash->stack_before);
    for (int i = 0; i < CRASH_SIGNALS; i++)
        (void)sigaction(signals[i], &action, &crash->before[i]);
    engine->crash = crash;
}

void crash_unwatch(struct crash *crash)
{
    struct engine *engine = trial_here()->owner;

    if (engine->crash != crash)
        return;
    for (int i = 0; i < CRASH_SIGNALS; i++)
        (void)sigaction(signals[i], &crash->before[i], NULL);
    (void)sigaltstack(&crash->stack_before, NULL);
    engine->crash = NULL;
}
