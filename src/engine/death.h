/* death.h - how a process that runs trials comes to its end, for the one that outlives it.
 *
 * Such a process leaves in shared memory what it died of, and where. Whoever waits for it makes a
 * verdict of that. A step that does not end is a kind of death, too: a watchdog counts the time of
 * the processor that passes without a step. SPDX-License-Identifier: MIT
 */
#ifndef ENGINE_DEATH_H
#define ENGINE_DEATH_H

#include "engine/modules.h"
#include "engine/stack.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct trial;

enum death_kind {
    DEATH_UNKNOWN = 0, /* nothing was left behind: SIGKILL, _exit */
    DEATH_SIGNAL,
    DEATH_OVERFLOW, /* a signal, because there was no stack left */
    DEATH_EXIT,     /* exit was called */
    DEATH_HANG,     /* the watchdog */
    DEATH_BLOCKED,  /* the parent's: nothing happened, and no time of the processor passed */
    DEATH_MEMORY,   /* the parent's: it had too much */
    DEATH_KINDS,
};

enum {
    DEATH_STACK = 65536,
    DEATH_HANG_DEFAULT_S = 10,
};

struct death {
    enum death_kind kind;
    int signal;
    int status;       /* that exit was called with */
    uint64_t address; /* of a SIGSEGV or SIGBUS */
    struct stack stack;
    struct modules modules; /* of the process, when the stack was taken */
    bool is_watched;        /* by death_watch, in this process or its parent */

    /* Of the watchdog. */
    uint32_t hang_s;     /* seconds of the processor that a step may take, or of only waiting */
    uint32_t ticks;      /* half seconds without a step */
    uint64_t seen_steps; /* at the last tick */
    uint64_t seen_trial;

    /* Of whoever waits for it. */
    uint64_t memory_max; /* bytes that the process may use; 0: no limit */
    struct {
        uint64_t trial; /* when it was last looked at, ... */
        uint64_t steps;
        uint64_t cpu_ns;
        uint64_t since_ns; /* ... since when nothing has changed; 0: it was not looked at */
    } last;

    unsigned char alternate[DEATH_STACK]; /* the program's own may be what overflowed */
};

/* Leaves behind where the process is, or was at `at`, and what its addresses mean. */
void death_leave_stack(struct death *d, const ucontext_t *at);

/* From now on this process leaves behind what it dies of, and that it has called exit. */
void death_watch(struct trial *t);

/* Forgets the last one, before a process is started that may die. */
void death_forget(struct trial *t);

/* Now and then, by the process that waits for the one that runs the trial: ends it if it uses too
 * much memory, or waits for so long that it must be for ever. */
void death_look(struct trial *t, pid_t pid);

/* How often, in milliseconds. */
enum { DEATH_LOOK_MS = 100 };

/* The process that ran the trial has ended with this status (of waitpid) while it should not have:
 * the trial has failed. */
void death_judge(struct trial *t, int status);

#endif
