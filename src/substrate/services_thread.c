/* services_thread.c - mutexes and conditions as C11 has them, which are those of POSIX by other
 * names. SPDX-License-Identifier: MIT
 */
#include "substrate/locks.h"

#include <threads.h>

static_assert(sizeof(mtx_t) == sizeof(pthread_mutex_t) && sizeof(cnd_t) == sizeof(pthread_cond_t),
              "glibc makes one of the other");

static int result(int rc)
{
    switch (rc) {
    case 0:
        return thrd_success;
    case EBUSY:
        return thrd_busy;
    case ETIMEDOUT:
        return thrd_timedout;
    default:
        return thrd_error;
    }
}

static pthread_mutex_t *mutex_of(mtx_t *m)
{
    return (pthread_mutex_t *)(void *)m;
}

static pthread_cond_t *condition_of(cnd_t *c)
{
    return (pthread_cond_t *)(void *)c;
}

SERVICES_EXPORT int mtx_lock(mtx_t *m)
{
    struct process *p;
    struct trial *t = lock_caller(&p);

    return t != NULL ? result(mutex_lock(t, p, mutex_of(m), SN_FOREVER))
                     : LOCK_REAL(SERVICE_MTX_LOCK, mtx_lock, m);
}

SERVICES_EXPORT int mtx_trylock(mtx_t *m)
{
    struct process *p;
    struct trial *t = lock_caller(&p);

    return t != NULL ? result(mutex_try(t, p, mutex_of(m)))
                     : LOCK_REAL(SERVICE_MTX_TRYLOCK, mtx_trylock, m);
}

SERVICES_EXPORT int mtx_timedlock(mtx_t *restrict m, const struct timespec *restrict until)
{
    struct process *p;
    struct trial *t = lock_caller(&p);
    uint64_t ns;

    if (t == NULL)
        return LOCK_REAL(SERVICE_MTX_TIMEDLOCK, mtx_timedlock, m, until);
    if (!lock_timeout(CLOCK_REALTIME, until, &ns))
        return thrd_error;
    return result(mutex_lock(t, p, mutex_of(m), ns));
}

SERVICES_EXPORT int mtx_unlock(mtx_t *m)
{
    struct process *p;
    struct trial *t = lock_caller(&p);

    return t != NULL ? result(mutex_unlock(t, p, mutex_of(m)))
                     : LOCK_REAL(SERVICE_MTX_UNLOCK, mtx_unlock, m);
}

SERVICES_EXPORT int cnd_wait(cnd_t *c, mtx_t *m)
{
    struct process *p;
    struct trial *t = lock_caller(&p);

    return t != NULL ? result(condition_wait(t, p, condition_of(c), mutex_of(m), SN_FOREVER))
                     : LOCK_REAL(SERVICE_CND_WAIT, cnd_wait, c, m);
}

SERVICES_EXPORT int cnd_timedwait(cnd_t *restrict c, mtx_t *restrict m,
                                  const struct timespec *restrict until)
{
    struct process *p;
    struct trial *t = lock_caller(&p);
    uint64_t ns;

    if (t == NULL)
        return LOCK_REAL(SERVICE_CND_TIMEDWAIT, cnd_timedwait, c, m, until);
    if (!lock_timeout(CLOCK_REALTIME, until, &ns))
        return thrd_error;
    return result(condition_wait(t, p, condition_of(c), mutex_of(m), ns));
}

SERVICES_EXPORT int cnd_signal(cnd_t *c)
{
    struct process *p;
    struct trial *t = lock_caller(&p);

    if (t == NULL)
        return LOCK_REAL(SERVICE_CND_SIGNAL, cnd_signal, c);
    condition_signal(t, p, condition_of(c), false);
    return thrd_success;
}

SERVICES_EXPORT int cnd_broadcast(cnd_t *c)
{
    struct process *p;
    struct trial *t = lock_caller(&p);

    if (t == NULL)
        return LOCK_REAL(SERVICE_CND_BROADCAST, cnd_broadcast, c);
    condition_signal(t, p, condition_of(c), true);
    return thrd_success;
}
