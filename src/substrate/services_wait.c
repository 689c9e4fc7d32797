/* services_wait.c - libc's conditions, semaphores and barriers: of a trial in a trial, libc's
 * elsewhere. SPDX-License-Identifier: MIT
 */
#include "substrate/locks.h"

/* ---- Conditions ----------------------------------------------------------------------------- */

/* The clock that its timeouts are by. glibc has that in the condition, whoever has made it. */
static clockid_t clock_of(const pthread_cond_t *c)
{
    enum { IS_MONOTONIC = 2 };

    return (c->__data.__wrefs & IS_MONOTONIC) != 0 ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}

SERVICES_EXPORT int pthread_cond_init(pthread_cond_t *restrict c,
                                      const pthread_condattr_t *restrict attributes)
{
    struct process *p;
    struct trial *t = lock_caller(&p);

    if (t != NULL)
        lock_clear(t, c, LOCK_CONDITION);
    return LOCK_REAL(SERVICE_COND_INIT, pthread_cond_init, c, attributes);
}

SERVICES_EXPORT int pthread_cond_wait(pthread_cond_t *restrict c, pthread_mutex_t *restrict m)
{
    struct process *p;
    struct trial *t = lock_caller(&p);

    return t != NULL ? condition_wait(t, p, c, m, SN_FOREVER)
                     : LOCK_REAL(SERVICE_COND_WAIT, pthread_cond_wait, c, m);
}

static int wait_until(struct trial *t, struct process *p, pthread_cond_t *c, pthread_mutex_t *m,
                      clockid_t clock, const struct timespec *until)
{
    uint64_t ns;

    if (!lock_timeout(clock, until, &ns))
        return EINVAL;
    return condition_wait(t, p, c, m, ns);
}

SERVICES_EXPORT int pthread_cond_timedwait(pthread_cond_t *restrict c, pthread_mutex_t *restrict m,
                                           const struct timespec *restrict until)
{
    struct process *p;
    struct trial *t = lock_caller(&p);

    return t != NULL ? wait_until(t, p, c, m, clock_of(c), until)
                     : LOCK_REAL(SERVICE_COND_TIMEDWAIT, pthread_cond_timedwait, c, m, until);
}

SERVICES_EXPORT int pthread_cond_clockwait(pthread_cond_t *restrict c, pthread_mutex_t *restrict m,
                                           clockid_t clock, const struct timespec *restrict until)
{
    struct process *p;
    struct trial *t = lock_caller(&p);

    return t != NULL
               ? wait_until(t, p, c, m, clock, until)
               : LOCK_REAL(SERVICE_COND_CLOCKWAIT, pthread_cond_clockwait, c, m, clock, until);
}

SERVICES_EXPORT int pthread_cond_signal(pthread_cond_t *c)
{
    struct process *p;
    struct trial *t = lock_caller(&p);

    if (t == NULL)
        return LOCK_REAL(SERVICE_COND_SIGNAL, pthread_cond_signal, c);
    condition_signal(t, p, c, false);
    return 0;
}

SERVICES_EXPORT int pthread_cond_broadcast(pthread_cond_t *c)
{
    struct process *p;
    struct trial *t = lock_caller(&p);

    if (t == NULL)
        return LOCK_REAL(SERVICE_COND_BROADCAST, pthread_cond_broadcast, c);
    condition_signal(t, p, c, true);
    return 0;
}

/* ---- Semaphores ----------------------------------------------------------------------------- */

/* What is returned and left in errno. */
static int as_errno(bool is_taken, int error)
{
    if (is_taken)
        return 0;
    errno = error;
    return -1;
}

SERVICES_EXPORT_WATCHED int sem_init(sem_t *s, int is_shared, unsigned int value)
{
    struct process *p;
    struct trial *t = lock_caller(&p);
    int rc = LOCK_REAL(SERVICE_SEM_INIT, sem_init, s, is_shared, value);

    if (t != NULL && rc == 0)
        lock_clear(t, s, LOCK_SEMAPHORE);
    return rc;
}

SERVICES_EXPORT_WATCHED int sem_wait(sem_t *s)
{
    struct process *p;
    struct trial *t = lock_caller(&p);

    if (t == NULL)
        return LOCK_REAL(SERVICE_SEM_WAIT, sem_wait, s);
    (void)semaphore_take(t, p, s, SN_FOREVER);
    return 0;
}

SERVICES_EXPORT_WATCHED int sem_trywait(sem_t *s)
{
    struct process *p;
    struct trial *t = lock_caller(&p);

    return t != NULL ? as_errno(semaphore_take(t, p, s, 0), EAGAIN)
                     : LOCK_REAL(SERVICE_SEM_TRYWAIT, sem_trywait, s);
}

static int take_until(struct trial *t, struct process *p, sem_t *s, clockid_t clock,
                      const struct timespec *until)
{
    uint64_t ns;

    if (!lock_timeout(clock, until, &ns))
        return as_errno(false, EINVAL);
    return as_errno(semaphore_take(t, p, s, ns), ETIMEDOUT);
}

SERVICES_EXPORT_WATCHED int sem_timedwait(sem_t *restrict s, const struct timespec *restrict until)
{
    struct process *p;
    struct trial *t = lock_caller(&p);

    return t != NULL ? take_until(t, p, s, CLOCK_REALTIME, until)
                     : LOCK_REAL(SERVICE_SEM_TIMEDWAIT, sem_timedwait, s, until);
}

SERVICES_EXPORT int sem_clockwait(sem_t *restrict s, clockid_t clock,
                                  const struct timespec *restrict until)
{
    struct process *p;
    struct trial *t = lock_caller(&p);

    return t != NULL ? take_until(t, p, s, clock, until)
                     : LOCK_REAL(SERVICE_SEM_CLOCKWAIT, sem_clockwait, s, clock, until);
}

SERVICES_EXPORT_WATCHED int sem_post(sem_t *s)
{
    struct process *p;
    struct trial *t = lock_caller(&p);

    return t != NULL ? as_errno(semaphore_post(t, p, s) == 0, EOVERFLOW)
                     : LOCK_REAL(SERVICE_SEM_POST, sem_post, s);
}

SERVICES_EXPORT_WATCHED int sem_getvalue(sem_t *restrict s, int *restrict value)
{
    struct process *p;
    struct trial *t = lock_caller(&p);

    if (t == NULL)
        return LOCK_REAL(SERVICE_SEM_GETVALUE, sem_getvalue, s, value);
    *value = semaphore_value(t, s);
    return 0;
}

/* ---- Barriers ------------------------------------------------------------------------------- */

/* Not modelled: a process that waited there would stop all others. */
SERVICES_EXPORT int pthread_barrier_wait(pthread_barrier_t *b)
{
    struct process *p;
    struct trial *t = lock_caller(&p);

    if (t != NULL && p != NULL)
        trial_lose_control(t, "lock", "%s waits at a barrier, which is not modelled", lock_user(t));
    return LOCK_REAL(SERVICE_BARRIER_WAIT, pthread_barrier_wait, b);
}
