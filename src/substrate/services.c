/* services.c - libc's own functions behind those that the library replaces.
 * SPDX-License-Identifier: MIT
 */
#include "substrate/services.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

/* Not there in a static program, which has no next function either. */
__attribute__((weak)) void *dlsym(void *restrict handle, const char *restrict name);

/* Since glibc 2.36. */
uint32_t arc4random(void);
void arc4random_buf(void *buffer, size_t n);
uint32_t arc4random_uniform(uint32_t n);

#define SERVICE(function_)                                                                         \
    {                                                                                              \
        .name = #function_, .linked = (service_function *)(function_)                              \
    }

/* A function that glibc has by another name as well, which is all that a static program has. */
#define SERVICE_LOCK(function_, other_)                                                            \
    {                                                                                              \
        .name = #function_, .linked = (service_function *)(function_), .other = (other_)           \
    }

/* Weak: they are nobody's business but libc's, and in a shared one hidden. */
#define OTHER(name_) extern __attribute__((weak)) void name_(void)
OTHER(__pthread_mutex_init);
OTHER(__pthread_mutex_destroy);
OTHER(__pthread_mutex_lock);
OTHER(__pthread_mutex_trylock);
OTHER(__pthread_mutex_timedlock);
OTHER(__pthread_mutex_clocklock);
OTHER(__pthread_mutex_unlock);
OTHER(__pthread_spin_lock);
OTHER(__pthread_spin_trylock);
OTHER(__pthread_spin_unlock);
OTHER(__pthread_rwlock_init);
OTHER(__pthread_rwlock_rdlock);
OTHER(___pthread_rwlock_tryrdlock);
OTHER(___pthread_rwlock_timedrdlock);
OTHER(__pthread_rwlock_wrlock);
OTHER(___pthread_rwlock_trywrlock);
OTHER(___pthread_rwlock_timedwrlock);
OTHER(__pthread_rwlock_unlock);
OTHER(__pthread_cond_init);
OTHER(__pthread_cond_wait);
OTHER(__pthread_cond_timedwait);
OTHER(__pthread_cond_clockwait);
OTHER(__pthread_cond_signal);
OTHER(__pthread_cond_broadcast);
OTHER(__new_sem_init);
OTHER(__new_sem_wait);
OTHER(__new_sem_trywait);
OTHER(___sem_timedwait64);
OTHER(___sem_clockwait64);
OTHER(__new_sem_post);
OTHER(__new_sem_getvalue);
OTHER(___pthread_barrier_wait);
OTHER(__mtx_lock);
OTHER(__mtx_trylock);
OTHER(__mtx_timedlock);
OTHER(__mtx_unlock);
OTHER(__cnd_wait);
OTHER(__cnd_timedwait);
OTHER(__cnd_signal);
OTHER(__cnd_broadcast);

static const struct {
    const char *name;
    service_function *other;
    service_function *linked; /* never read: the linker takes along what has an address */
} services[SERVICES] = {
    [SERVICE_TIME] = SERVICE(time),
    [SERVICE_GETTIMEOFDAY] = SERVICE(gettimeofday),
    [SERVICE_CLOCK_GETTIME] = SERVICE(clock_gettime),
    [SERVICE_TIMESPEC_GET] = SERVICE(timespec_get),
    [SERVICE_CLOCK] = SERVICE(clock),
    [SERVICE_SLEEP] = SERVICE(sleep),
    [SERVICE_USLEEP] = SERVICE(usleep),
    [SERVICE_NANOSLEEP] = SERVICE(nanosleep),
    [SERVICE_CLOCK_NANOSLEEP] = SERVICE(clock_nanosleep),
    [SERVICE_RAND] = SERVICE(rand),
    [SERVICE_SRAND] = SERVICE(srand),
    [SERVICE_RANDOM] = SERVICE(random),
    [SERVICE_SRANDOM] = SERVICE(srandom),
    [SERVICE_GETRANDOM] = SERVICE(getrandom),
    [SERVICE_GETENTROPY] = SERVICE(getentropy),
    [SERVICE_ARC4RANDOM] = SERVICE(arc4random),
    [SERVICE_ARC4RANDOM_BUF] = SERVICE(arc4random_buf),
    [SERVICE_ARC4RANDOM_UNIFORM] = SERVICE(arc4random_uniform),
    [SERVICE_READ] = SERVICE(read),
    [SERVICE_READV] = SERVICE(readv),
    [SERVICE_WRITE] = SERVICE(write),
    [SERVICE_WRITEV] = SERVICE(writev),
    [SERVICE_CLOSE] = SERVICE(close),
    [SERVICE_FCNTL] = SERVICE(fcntl),
    [SERVICE_FCNTL64] = SERVICE(fcntl64),
    [SERVICE_IOCTL] = SERVICE(ioctl),
    [SERVICE_DUP] = SERVICE(dup),
    [SERVICE_DUP3] = SERVICE(dup3),
    [SERVICE_SOCKET] = SERVICE(socket),
    [SERVICE_SOCKETPAIR] = SERVICE(socketpair),
    [SERVICE_PIPE2] = SERVICE(pipe2),
    [SERVICE_CONNECT] = SERVICE(connect),
    [SERVICE_BIND] = SERVICE(bind),
    [SERVICE_LISTEN] = SERVICE(listen),
    [SERVICE_ACCEPT] = SERVICE(accept),
    [SERVICE_ACCEPT4] = SERVICE(accept4),
    [SERVICE_SHUTDOWN] = SERVICE(shutdown),
    [SERVICE_RECVFROM] = SERVICE(recvfrom),
    [SERVICE_SENDTO] = SERVICE(sendto),
    [SERVICE_RECVMSG] = SERVICE(recvmsg),
    [SERVICE_SENDMSG] = SERVICE(sendmsg),
    [SERVICE_GETSOCKOPT] = SERVICE(getsockopt),
    [SERVICE_SETSOCKOPT] = SERVICE(setsockopt),
    [SERVICE_GETSOCKNAME] = SERVICE(getsockname),
    [SERVICE_GETPEERNAME] = SERVICE(getpeername),
    [SERVICE_POLL] = SERVICE(poll),
    [SERVICE_PPOLL] = SERVICE(ppoll),
    [SERVICE_SELECT] = SERVICE(select),
    [SERVICE_PSELECT] = SERVICE(pselect),
    [SERVICE_EPOLL_CREATE1] = SERVICE(epoll_create1),
    [SERVICE_EPOLL_CTL] = SERVICE(epoll_ctl),
    [SERVICE_EPOLL_PWAIT] = SERVICE(epoll_pwait),
    [SERVICE_EVENTFD] = SERVICE(eventfd),
    [SERVICE_TIMERFD_CREATE] = SERVICE(timerfd_create),
    [SERVICE_MUTEX_INIT] = SERVICE_LOCK(pthread_mutex_init, __pthread_mutex_init),
    [SERVICE_MUTEX_DESTROY] = SERVICE_LOCK(pthread_mutex_destroy, __pthread_mutex_destroy),
    [SERVICE_MUTEX_LOCK] = SERVICE_LOCK(pthread_mutex_lock, __pthread_mutex_lock),
    [SERVICE_MUTEX_TRYLOCK] = SERVICE_LOCK(pthread_mutex_trylock, __pthread_mutex_trylock),
    [SERVICE_MUTEX_TIMEDLOCK] = SERVICE_LOCK(pthread_mutex_timedlock, __pthread_mutex_timedlock),
    [SERVICE_MUTEX_CLOCKLOCK] = SERVICE_LOCK(pthread_mutex_clocklock, __pthread_mutex_clocklock),
    [SERVICE_MUTEX_UNLOCK] = SERVICE_LOCK(pthread_mutex_unlock, __pthread_mutex_unlock),
    [SERVICE_SPIN_LOCK] = SERVICE_LOCK(pthread_spin_lock, __pthread_spin_lock),
    [SERVICE_SPIN_TRYLOCK] = SERVICE_LOCK(pthread_spin_trylock, __pthread_spin_trylock),
    [SERVICE_SPIN_UNLOCK] = SERVICE_LOCK(pthread_spin_unlock, __pthread_spin_unlock),
    [SERVICE_RWLOCK_INIT] = SERVICE_LOCK(pthread_rwlock_init, __pthread_rwlock_init),
    [SERVICE_RWLOCK_RDLOCK] = SERVICE_LOCK(pthread_rwlock_rdlock, __pthread_rwlock_rdlock),
    [SERVICE_RWLOCK_TRYRDLOCK] =
        SERVICE_LOCK(pthread_rwlock_tryrdlock, ___pthread_rwlock_tryrdlock),
    [SERVICE_RWLOCK_TIMEDRDLOCK] =
        SERVICE_LOCK(pthread_rwlock_timedrdlock, ___pthread_rwlock_timedrdlock),
    [SERVICE_RWLOCK_WRLOCK] = SERVICE_LOCK(pthread_rwlock_wrlock, __pthread_rwlock_wrlock),
    [SERVICE_RWLOCK_TRYWRLOCK] =
        SERVICE_LOCK(pthread_rwlock_trywrlock, ___pthread_rwlock_trywrlock),
    [SERVICE_RWLOCK_TIMEDWRLOCK] =
        SERVICE_LOCK(pthread_rwlock_timedwrlock, ___pthread_rwlock_timedwrlock),
    [SERVICE_RWLOCK_UNLOCK] = SERVICE_LOCK(pthread_rwlock_unlock, __pthread_rwlock_unlock),
    [SERVICE_COND_INIT] = SERVICE_LOCK(pthread_cond_init, __pthread_cond_init),
    [SERVICE_COND_WAIT] = SERVICE_LOCK(pthread_cond_wait, __pthread_cond_wait),
    [SERVICE_COND_TIMEDWAIT] = SERVICE_LOCK(pthread_cond_timedwait, __pthread_cond_timedwait),
    [SERVICE_COND_CLOCKWAIT] = SERVICE_LOCK(pthread_cond_clockwait, __pthread_cond_clockwait),
    [SERVICE_COND_SIGNAL] = SERVICE_LOCK(pthread_cond_signal, __pthread_cond_signal),
    [SERVICE_COND_BROADCAST] = SERVICE_LOCK(pthread_cond_broadcast, __pthread_cond_broadcast),
    [SERVICE_SEM_INIT] = SERVICE_LOCK(sem_init, __new_sem_init),
    [SERVICE_SEM_WAIT] = SERVICE_LOCK(sem_wait, __new_sem_wait),
    [SERVICE_SEM_TRYWAIT] = SERVICE_LOCK(sem_trywait, __new_sem_trywait),
    [SERVICE_SEM_TIMEDWAIT] = SERVICE_LOCK(sem_timedwait, ___sem_timedwait64),
    [SERVICE_SEM_CLOCKWAIT] = SERVICE_LOCK(sem_clockwait, ___sem_clockwait64),
    [SERVICE_SEM_POST] = SERVICE_LOCK(sem_post, __new_sem_post),
    [SERVICE_SEM_GETVALUE] = SERVICE_LOCK(sem_getvalue, __new_sem_getvalue),
    [SERVICE_BARRIER_WAIT] = SERVICE_LOCK(pthread_barrier_wait, ___pthread_barrier_wait),
    [SERVICE_MTX_LOCK] = SERVICE_LOCK(mtx_lock, __mtx_lock),
    [SERVICE_MTX_TRYLOCK] = SERVICE_LOCK(mtx_trylock, __mtx_trylock),
    [SERVICE_MTX_TIMEDLOCK] = SERVICE_LOCK(mtx_timedlock, __mtx_timedlock),
    [SERVICE_MTX_UNLOCK] = SERVICE_LOCK(mtx_unlock, __mtx_unlock),
    [SERVICE_CND_WAIT] = SERVICE_LOCK(cnd_wait, __cnd_wait),
    [SERVICE_CND_TIMEDWAIT] = SERVICE_LOCK(cnd_timedwait, __cnd_timedwait),
    [SERVICE_CND_SIGNAL] = SERVICE_LOCK(cnd_signal, __cnd_signal),
    [SERVICE_CND_BROADCAST] = SERVICE_LOCK(cnd_broadcast, __cnd_broadcast),
};

static service_function *function_at(void *address)
{
    service_function *function;

    memcpy(&function, &address, sizeof(function));
    return function;
}

service_function *services_next(enum service which)
{
    _Atomic(void *) *cached = &world_root.next[which];
    void *found = atomic_load_explicit(cached, memory_order_relaxed);

    if (found == NULL && dlsym != NULL) {
        found = dlsym(RTLD_NEXT, services[which].name);
        atomic_store_explicit(cached, found, memory_order_relaxed);
    }
    return found != NULL ? function_at(found) : services[which].other;
}

void services_prepare(void)
{
    for (int i = 0; i < SERVICES; i++)
        (void)services_next((enum service)i);
}
