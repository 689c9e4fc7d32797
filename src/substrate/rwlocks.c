/* rwlocks.c - locks for readers and writers, and semaphores, of the code under test.
 *
 * As in glibc a reader comes in whenever no writer is in, also if one waits.
 * SPDX-License-Identifier: MIT
 */
#include "substrate/locks.h"

#include <limits.h>

/* ---- Locks for readers and writers ---------------------------------------------------------- */

static bool has_no_writer(struct trial *t, const void *self)
{
    (void)t;
    return !((const struct lock *)self)->is_held;
}

int rwlock_read(struct trial *t, struct process *p, pthread_rwlock_t *l, uint64_t timeout_ns)
{
    struct lock *lock = lock_find(t, l, LOCK_RWLOCK);

    if (lock_is_mine(t, lock) && timeout_ns != 0)
        return EDEADLK;
    if (!lock_acquire(t, p, timeout_ns != 0 ? VERB_LOCK_TO_READ : VERB_TRY_LOCK, lock,
                      has_no_writer, timeout_ns))
        return timeout_ns != 0 ? ETIMEDOUT : EBUSY;
    if (lock->n_readers < LOCK_READERS)
        lock->readers[lock->n_readers] = t->now.task;
    lock->n_readers++;
    lock_calm(t);
    return 0;
}

int rwlock_write(struct trial *t, struct process *p, pthread_rwlock_t *l, uint64_t timeout_ns)
{
    struct lock *lock = lock_find(t, l, LOCK_RWLOCK);

    if (lock_is_mine(t, lock) && timeout_ns != 0)
        return EDEADLK;
    if (!lock_acquire(t, p, timeout_ns != 0 ? VERB_LOCK_TO_WRITE : VERB_TRY_LOCK, lock,
                      lock_is_free, timeout_ns))
        return timeout_ns != 0 ? ETIMEDOUT : EBUSY;
    lock_take(t, lock);
    return 0;
}

/* Which of the readers the running task is; or, if not all are known by name, the last one. */
static uint32_t find_reader(const struct trial *t, const struct lock *lock)
{
    uint32_t i = 0;

    while (i < lock->n_readers && i < LOCK_READERS && lock->readers[i] != t->now.task)
        i++;
    return i;
}

int rwlock_unlock(struct trial *t, struct process *p, pthread_rwlock_t *l)
{
    struct lock *lock = lock_find(t, l, LOCK_RWLOCK);
    uint32_t reader;

    lock_announce(t, p, VERB_UNLOCK, lock);
    trial_write(t, &lock->object);
    reader = find_reader(t, lock);
    if (lock_is_mine(t, lock))
        lock_give(lock);
    else if (!lock->is_held && reader < lock->n_readers)
        lock_remove_reader(lock, reader);
    else
        lock_misused(t, lock, "unlocks");
    lock_wake(t);
    return 0;
}

/* ---- Semaphores ----------------------------------------------------------------------------- */

static bool has_some(struct trial *t, const void *self)
{
    (void)t;
    return ((const struct lock *)self)->count > 0;
}

bool semaphore_take(struct trial *t, struct process *p, sem_t *s, uint64_t timeout_ns)
{
    struct lock *lock = lock_find(t, s, LOCK_SEMAPHORE);

    if (!lock_acquire(t, p, VERB_AWAIT, lock, has_some, timeout_ns))
        return false;
    lock->count--;
    lock_calm(t);
    return true;
}

int semaphore_post(struct trial *t, struct process *p, sem_t *s)
{
    struct lock *lock = lock_find(t, s, LOCK_SEMAPHORE);

    lock_announce(t, p, VERB_POST, lock);
    trial_write(t, &lock->object);
    if (lock->count == INT_MAX)
        return EOVERFLOW;
    lock->count++;
    lock_wake(t);
    return 0;
}

int semaphore_value(struct trial *t, const sem_t *s)
{
    struct lock *lock = lock_find(t, s, LOCK_SEMAPHORE);

    trial_read(t, &lock->object);
    return (int)lock->count;
}
