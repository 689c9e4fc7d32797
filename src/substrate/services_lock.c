/* services_lock.c - libc's mutexes, spinlocks and locks for readers and writers: of a trial in a
 * trial, libc's elsewhere.
 *
 * A process announces what it does with them and waits in the trial. Machines and the test, which
 * cannot wait, may have what is free. SPDX-License-Identifier: MIT
 */
#include "substrate/locks.h"

/* ---- Mutexes -------------------------------------------------------------------------------- */

SERVICES_EXPORT int pthread_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *attributes)
{
    struct process *p;
    struct trial *t = lock_caller(&p);
    int rc = LOCK_REAL(SERVICE_MUTEX_INIT, pthread_mutex_init, m, attributes);

    if (t != NULL && rc == 0)
        lock_clear(t, m, LOCK_MUTEX);
    return rc;
}

SERVICES_EXPORT int pthread_mutex_destroy(pthread_mutex_t *m)
{
    struct process *p;
    struct trial *t = lock_caller(&p);

    if (t != NULL && lock_find(t, m, LOCK_MUTEX)->is_held)
        return EBUSY;
    return LOCK_REAL(SERVICE_MUTEX_DESTROY, pthread_mutex_destroy, m);
}

SERVICES_EXPORT_WATCHED int pthread_mutex_lock(pthread_mutex_t *m)
{
    struct process *p;
    struct trial *t = lock_caller(&p);

    return t != NULL ? mutex_lock(t, p, m, SN_FOREVER)
                     : LOCK_REAL(SERVICE_MUTEX_LOCK, pthread_mutex_lock, m);
}

SERVICES_EXPORT int pthread_mutex_trylock(pthread_mutex_t *m)
{
    struct process *p;
    struct trial *t = lock_caller(&p);

    return t != NULL ? mutex_try(t, p, m)
                     : LOCK_REAL(SERVICE_MUTEX_TRYLOCK, pthread_mutex_trylock, m);
}

/* Until a clock shows a time, which only matters to who has to wait. */
static int lock_until(struct trial *t, struct process *p, pthread_mutex_t *m, clockid_t clock,
                      const struct timespec *until)
{
    uint64_t ns;

    if (!lock_timeout(clock, until, &ns))
        return EINVAL;
    return mutex_lock(t, p, m, ns);
}

SERVICES_EXPORT int pthread_mutex_timedlock(pthread_mutex_t *restrict m,
                                            const struct timespec *restrict until)
{
    struct process *p;
    struct trial *t = lock_caller(&p);

    return t != NULL ? lock_until(t, p, m, CLOCK_REALTIME, until)
                     : LOCK_REAL(SERVICE_MUTEX_TIMEDLOCK, pthread_mutex_timedlock, m, until);
}

SERVICES_EXPORT int pthread_mutex_clocklock(pthread_mutex_t *restrict m, clockid_t clock,
                                            const struct timespec *restrict until)
{
    struct process *p;
    struct trial *t = lock_caller(&p);

    return t != NULL ? lock_until(t, p, m, clock, until)
                     : LOCK_REAL(SERVICE_MUTEX_CLOCKLOCK, pthread_mutex_clocklock, m, clock, until);
}

SERVICES_EXPORT_WATCHED int pthread_mutex_unlock(pthread_mutex_t *m)
{
    struct process *p;
    struct trial *t = lock_caller(&p);

    return t != NULL ? mutex_unlock(t, p, m)
                     : LOCK_REAL(SERVICE_MUTEX_UNLOCK, pthread_mutex_unlock, m);
}

/* ---- Spinlocks ------------------------------------------------------------------------------ */

static int spin(struct trial *t, struct process *p, pthread_spinlock_t *l, uint64_t timeout_ns)
{
    struct lock *lock = lock_find(t, (const void *)(uintptr_t)l, LOCK_SPIN);

    if (!lock_acquire(t, p, timeout_ns != 0 ? VERB_LOCK : VERB_TRY_LOCK, lock, lock_is_free,
                      timeout_ns))
        return EBUSY;
    lock_take(t, lock);
    return 0;
}

SERVICES_EXPORT int pthread_spin_lock(pthread_spinlock_t *l)
{
    struct process *p;
    struct trial *t = lock_caller(&p);

    return t != NULL ? spin(t, p, l, SN_FOREVER)
                     : LOCK_REAL(SERVICE_SPIN_LOCK, pthread_spin_lock, l);
}

SERVICES_EXPORT int pthread_spin_trylock(pthread_spinlock_t *l)
{
    struct process *p;
    struct trial *t = lock_caller(&p);

    return t != NULL ? spin(t, p, l, 0) : LOCK_REAL(SERVICE_SPIN_TRYLOCK, pthread_spin_trylock, l);
}

SERVICES_EXPORT int pthread_spin_unlock(pthread_spinlock_t *l)
{
    struct process *p;
    struct trial *t = lock_caller(&p);
    struct lock *lock;

    if (t == NULL)
        return LOCK_REAL(SERVICE_SPIN_UNLOCK, pthread_spin_unlock, l);
    lock = lock_find(t, (const void *)(uintptr_t)l, LOCK_SPIN);
    lock_announce(t, p, VERB_UNLOCK, lock);
    trial_write(t, &lock->object);
    if (!lock_is_mine(t, lock))
        lock_misused(t, lock, "unlocks");
    lock_give(lock);
    lock_wake(t);
    return 0;
}

/* ---- Locks for readers and writers ---------------------------------------------------------- */

SERVICES_EXPORT int pthread_rwlock_init(pthread_rwlock_t *restrict l,
                                        const pthread_rwlockattr_t *restrict attributes)
{
    struct process *p;
    struct trial *t = lock_caller(&p);

    if (t != NULL)
        lock_clear(t, l, LOCK_RWLOCK);
    return LOCK_REAL(SERVICE_RWLOCK_INIT, pthread_rwlock_init, l, attributes);
}

SERVICES_EXPORT int pthread_rwlock_rdlock(pthread_rwlock_t *l)
{
    struct process *p;
    struct trial *t = lock_caller(&p);

    return t != NULL ? rwlock_read(t, p, l, SN_FOREVER)
                     : LOCK_REAL(SERVICE_RWLOCK_RDLOCK, pthread_rwlock_rdlock, l);
}

SERVICES_EXPORT int pthread_rwlock_tryrdlock(pthread_rwlock_t *l)
{
    struct process *p;
    struct trial *t = lock_caller(&p);

    return t != NULL ? rwlock_read(t, p, l, 0)
                     : LOCK_REAL(SERVICE_RWLOCK_TRYRDLOCK, pthread_rwlock_tryrdlock, l);
}

SERVICES_EXPORT int pthread_rwlock_wrlock(pthread_rwlock_t *l)
{
    struct process *p;
    struct trial *t = lock_caller(&p);

    return t != NULL ? rwlock_write(t, p, l, SN_FOREVER)
                     : LOCK_REAL(SERVICE_RWLOCK_WRLOCK, pthread_rwlock_wrlock, l);
}

SERVICES_EXPORT int pthread_rwlock_trywrlock(pthread_rwlock_t *l)
{
    struct process *p;
    struct trial *t = lock_caller(&p);

    return t != NULL ? rwlock_write(t, p, l, 0)
                     : LOCK_REAL(SERVICE_RWLOCK_TRYWRLOCK, pthread_rwlock_trywrlock, l);
}

/* A time that is over already is not to try: the result is another. */
static int rwlock_until(struct trial *t, struct process *p, pthread_rwlock_t *l,
                        const struct timespec *until, bool is_reading)
{
    uint64_t ns;
    int rc;

    if (!lock_timeout(CLOCK_REALTIME, until, &ns))
        return EINVAL;
    rc = is_reading ? rwlock_read(t, p, l, ns) : rwlock_write(t, p, l, ns);
    return rc == EBUSY ? ETIMEDOUT : rc;
}

SERVICES_EXPORT int pthread_rwlock_timedrdlock(pthread_rwlock_t *restrict l,
                                               const struct timespec *restrict until)
{
    struct process *p;
    struct trial *t = lock_caller(&p);

    return t != NULL ? rwlock_until(t, p, l, until, true)
                     : LOCK_REAL(SERVICE_RWLOCK_TIMEDRDLOCK, pthread_rwlock_timedrdlock, l, until);
}

SERVICES_EXPORT int pthread_rwlock_timedwrlock(pthread_rwlock_t *restrict l,
                                               const struct timespec *restrict until)
{
    struct process *p;
    struct trial *t = lock_caller(&p);

    return t != NULL ? rwlock_until(t, p, l, until, false)
                     : LOCK_REAL(SERVICE_RWLOCK_TIMEDWRLOCK, pthread_rwlock_timedwrlock, l, until);
}

SERVICES_EXPORT int pthread_rwlock_unlock(pthread_rwlock_t *l)
{
    struct process *p;
    struct trial *t = lock_caller(&p);

    return t != NULL ? rwlock_unlock(t, p, l)
                     : LOCK_REAL(SERVICE_RWLOCK_UNLOCK, pthread_rwlock_unlock, l);
}
