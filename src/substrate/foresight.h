/* foresight.h - has memory fetched that processes need which will run soon.
 *
 * Among thousands of processes, the one that goes on next has a stack and a struct that no cache
 * knows, nor does the processor know their pages. It is too late to fetch them when a message
 * arrives, since its receiver may be next. But who wakes whom tends to repeat itself: for each
 * process it is remembered who was woken a few wakings after it, and what that one will need is
 * fetched meanwhile.
 *
 * None of it is part of a trial: it decides nothing, is neither saved nor put back, and what it
 * remembers of other trials does no harm. SPDX-License-Identifier: MIT
 */
#ifndef SUBSTRATE_FORESIGHT_H
#define SUBSTRATE_FORESIGHT_H

#include <stdint.h>

enum {
    FORESIGHT_WAKINGS = 5, /* so far it looks ahead, ... */
    FORESIGHT_NEARER = 2,  /* ... and again at what is that near: it takes two looks to find all */
    FORESIGHT_RECENT = 8,  /* a power of two */
    FORESIGHT_LEAST = 64,  /* with fewer processes, the caches know all of them */
};

struct trial;
struct process;

/* Of a process, when it was woken last; together, since all of it is read at once. */
struct foreseen {
    uint32_t then;   /* the process that was woken FORESIGHT_WAKINGS later */
    uint32_t source; /* of its operations */
    uint32_t top;    /* the line of the struct of its fiber, counted from the first stack */
    uint32_t line;   /* the line of its stack where it was suspended */
};

struct foresight {
    uint32_t wakings;
    uint32_t recent[FORESIGHT_RECENT]; /* processes that were woken last, by number */
};

/* A process, one of many, is woken by a message. */
void foresight_woken(struct trial *t, const struct process *p);

#endif
