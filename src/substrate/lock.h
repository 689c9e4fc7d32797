/* lock.h - what is known of a lock of the code under test: see locks.h.
 * SPDX-License-Identifier: MIT
 */
#ifndef SUBSTRATE_LOCK_H
#define SUBSTRATE_LOCK_H

#include "engine/trial.h"

enum {
    LOCKS_MAX = 1 << 14, /* of one trial, those that are gone included */
    LOCK_READERS = 8,    /* that are known by name */
    LOCK_NAMES = 1 << 8,
};

enum lock_kind { LOCK_MUTEX = 1, LOCK_CONDITION, LOCK_RWLOCK, LOCK_SEMAPHORE, LOCK_SPIN };

struct lock {
    struct object object;
    const void *at;
    uint64_t n_waits; /* of a condition: how often was waited for it */
    uint32_t creator; /* the task that has used it first */
    uint32_t number;  /* as the how manyth of its locks; 0: it is a variable */
    uint32_t holder;  /* the task that has it for itself; 0: the test */
    uint32_t depth;   /* how often */
    uint32_t count;   /* of a semaphore */
    uint32_t n_readers;
    uint32_t readers[LOCK_READERS]; /* the first ones */
    uint8_t kind;                   /* enum lock_kind */
    bool is_held;                   /* by `holder` */
    char name[66];                  /* "mutex m" */
};

/* What a variable that is a lock is called. Needs no saving: the same in every trial. */
struct lock_name {
    const void *at; /* NULL: this one is not in use */
    uint64_t key;
    char text[52]; /* empty: there is no variable */
};

#endif
