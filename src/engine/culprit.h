/* culprit.h - which call of the code under test left something behind that no restore undoes.
 *
 * That something was left is found after the trial, when nobody is there any more who did it. So
 * the trial is run again in a process of its own, in which the kernel hands over every system call
 * that can leave something (seccomp): it is made for the program, and the stack of who made it is
 * kept until it is undone. What is still kept when the trial has ended is the answer.
 * SPDX-License-Identifier: MIT
 */
#ifndef ENGINE_CULPRIT_H
#define ENGINE_CULPRIT_H

#include "engine/modules.h"
#include "engine/stack.h"
#include "engine/world/check.h"

#include <stdbool.h>
#include <stddef.h>

enum {
    CULPRIT_MAPS = 128,
    CULPRIT_SECONDS = 10, /* of real time: a trial that waits for a thread that is not there */
};

struct culprit_map {
    uintptr_t start; /* 0: none */
    size_t bytes;
    struct stack stack;
};

/* In memory that both processes share. Zeroed, with `left` set, it can be used. */
struct culprit {
    enum check_left left; /* what is looked for */
    bool is_watching;
    struct stack stack; /* n is 0: not found */
    struct modules modules;
    struct stack fds[CHECK_FDS_MOST]; /* who opened each; n is 0: it was open before, or is not */
    struct culprit_map maps[CULPRIT_MAPS];
};

/* From now on this process is watched, for ever. Does nothing where the kernel has no such thing.
 */
void culprit_watch(struct culprit *c);

/* The trial has ended: fills in the stack, and the modules that it is in. */
void culprit_find(struct culprit *c);

#endif
