/* locks.h - locks of code under test: mutexes, conditions, locks for readers and writers,
 * semaphores.
 *
 * A lock belongs to the program, and what kind it is stands in its bytes. Who has it and who waits
 * is the trial's: all tasks run in one thread, so libc could not tell them apart. The bytes stay as
 * they are when nobody has it. Where real threads are to be expected (SN_WORLD_FORK, repeats)
 * machines and the test use locks as ever.
 *
 * services_lock.c and services_wait.c are the functions of libc in front of this.
 * SPDX-License-Identifier: MIT
 */
#ifndef SUBSTRATE_LOCKS_H
#define SUBSTRATE_LOCKS_H

#include "engine/here.h"
#include "substrate/process.h"
#include "substrate/services.h"

#include <pthread.h>
#include <semaphore.h>

/* ---- locks.c -------------------------------------------------------------------------------- */

/* The lock at an address, which becomes known if it was not. */
struct lock *lock_find(struct trial *t, const void *at, enum lock_kind kind);

/* Nobody has it: it was made anew, or is gone. */
void lock_clear(struct trial *t, const void *at, enum lock_kind kind);

/* The running task gets a lock when `is_free` holds, or waits until then; p is its process, NULL:
 * it has none and cannot wait, which ends the trial. False: that has taken longer than timeout_ns.
 */
bool lock_acquire(struct trial *t, struct process *p, enum process_verb verb, struct lock *lock,
                  bool (*is_free)(struct trial *t, const void *self), uint64_t timeout_ns);

/* Announces what the running task does to a lock, if it is a process. */
void lock_announce(struct trial *t, struct process *p, enum process_verb verb,
                   const struct lock *lock);

/* Somebody may go on; or somebody may not any more. */
static inline void lock_wake(struct trial *t)
{
    if (processes_are_used(t))
        process_wake(t);
}

static inline void lock_calm(struct trial *t)
{
    if (processes_are_used(t))
        process_calm(t);
}

/* Whether the running task has a lock, for itself alone. */
static inline bool lock_is_mine(const struct trial *t, const struct lock *lock)
{
    return lock->is_held && lock->holder == t->now.task;
}

/* Whether nobody has it; of type bool (*)(struct trial *, const void *). */
bool lock_is_free(struct trial *t, const void *self);

/* Notes that the running task has it, or no more. */
void lock_take(struct trial *t, struct lock *lock);
void lock_give(struct lock *lock);

/* One of those that have it to read has it no more. */
void lock_remove_reader(struct lock *lock, uint32_t index);

/* Writes what somebody waits for. */
void lock_describe(struct trial *t, const void *self, struct sn_text *out);

/* The running task does what the lock's rules forbid, such as to give what it does not have. */
void lock_misused(struct trial *t, const struct lock *lock, const char *verb);

/* The machine that tasks had locks in is down. */
void locks_end_node(struct trial *t, sn_node node);

/* The running task in words. */
const char *lock_user(const struct trial *t);

/* How long it is until a clock shows this. Fails if it shows nothing. */
bool lock_timeout(clockid_t clock, const struct timespec *until, uint64_t *ns);

/* ---- rwlocks.c ------------------------------------------------------------------------------ */

/* What the functions of libc do, in a trial; a timeout of 0 tries. */
int rwlock_read(struct trial *t, struct process *p, pthread_rwlock_t *l, uint64_t timeout_ns);
int rwlock_write(struct trial *t, struct process *p, pthread_rwlock_t *l, uint64_t timeout_ns);
int rwlock_unlock(struct trial *t, struct process *p, pthread_rwlock_t *l);
bool semaphore_take(struct trial *t, struct process *p, sem_t *s, uint64_t timeout_ns);
int semaphore_post(struct trial *t, struct process *p, sem_t *s);
int semaphore_value(struct trial *t, const sem_t *s);

/* ---- mutexes.c ------------------------------------------------------------------------------ */

/* The same for mutexes and conditions. */
int mutex_lock(struct trial *t, struct process *p, pthread_mutex_t *m, uint64_t timeout_ns);
int mutex_try(struct trial *t, struct process *p, pthread_mutex_t *m);
int mutex_unlock(struct trial *t, struct process *p, pthread_mutex_t *m);

int condition_wait(struct trial *t, struct process *p, pthread_cond_t *c, pthread_mutex_t *m,
                   uint64_t timeout_ns);
void condition_signal(struct trial *t, struct process *p, pthread_cond_t *c, bool is_for_all);

/* ---- What services have in common ----------------------------------------------------------- */

/* The trial whose code calls, and its process; NULL: what is done is libc's. */
PUBLIC_PART struct trial *lock_caller(struct process **p)
{
    struct trial *t = trial_of_thread();

    *p = NULL;
    if (likely(t == NULL))
        return NULL;
    if (t->may_act == ACTS_IN_TURN) {
        *p = t->process;
        process_called_from(t, *p, __builtin_return_address(0));
        return t;
    }
    return t->test->world == SN_WORLD_FORK || t->test->repeats > 1 ? NULL : t;
}

/* libc's function. In a program that is linked statically there may be none: then nothing is done,
 * which is right where there is one thread. */
#define LOCK_REAL(which_, function_, ...)                                                          \
    __extension__({                                                                                \
        service_function *next_ = services_next(which_);                                           \
                                                                                                   \
        next_ != NULL ? ((__typeof__(&function_))next_)(__VA_ARGS__) : 0;                          \
    })

#endif
