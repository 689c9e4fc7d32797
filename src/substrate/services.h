/* services.h - what the program asks libc for and the trial answers: clocks, sleep, randomness.
 *
 * services_time.c, services_random.c and those that include services_descriptor.h define functions
 * of libc. In the thread that runs a trial
 * they are the trial's; everywhere else they do exactly what libc's own do, which services.c finds.
 * docs/time.md defines the semantics. SPDX-License-Identifier: MIT
 */
#ifndef SUBSTRATE_SERVICES_H
#define SUBSTRATE_SERVICES_H

#include "engine/here.h"

/* Weak, so that a program may define one of them itself, as it may with libc's. */
#define SERVICES_EXPORT __attribute__((weak, visibility("default")))

/* For what AddressSanitizer replaces, too. clang links its replacements into the program, weak as
 * well and before ours. */
#define SERVICES_EXPORT_WATCHED SERVICES_EXPORT
#if defined(__clang__) && defined(__has_feature)
#if __has_feature(address_sanitizer)
#undef SERVICES_EXPORT_WATCHED
#define SERVICES_EXPORT_WATCHED __attribute__((visibility("default")))
#endif
#endif

/* Functions that are replaced. */
enum service {
    SERVICE_TIME,
    SERVICE_GETTIMEOFDAY,
    SERVICE_CLOCK_GETTIME,
    SERVICE_TIMESPEC_GET,
    SERVICE_CLOCK,
    SERVICE_SLEEP,
    SERVICE_USLEEP,
    SERVICE_NANOSLEEP,
    SERVICE_CLOCK_NANOSLEEP,
    SERVICE_RAND,
    SERVICE_SRAND,
    SERVICE_RANDOM,
    SERVICE_SRANDOM,
    SERVICE_GETRANDOM,
    SERVICE_GETENTROPY,
    SERVICE_ARC4RANDOM,
    SERVICE_ARC4RANDOM_BUF,
    SERVICE_ARC4RANDOM_UNIFORM,
    SERVICE_READ,
    SERVICE_READV,
    SERVICE_WRITE,
    SERVICE_WRITEV,
    SERVICE_CLOSE,
    SERVICE_FCNTL,
    SERVICE_FCNTL64,
    SERVICE_IOCTL,
    SERVICE_DUP,
    SERVICE_DUP3,
    SERVICE_SOCKET,
    SERVICE_SOCKETPAIR,
    SERVICE_PIPE2,
    SERVICE_CONNECT,
    SERVICE_BIND,
    SERVICE_LISTEN,
    SERVICE_ACCEPT,
    SERVICE_ACCEPT4,
    SERVICE_SHUTDOWN,
    SERVICE_RECVFROM,
    SERVICE_SENDTO,
    SERVICE_RECVMSG,
    SERVICE_SENDMSG,
    SERVICE_GETSOCKOPT,
    SERVICE_SETSOCKOPT,
    SERVICE_GETSOCKNAME,
    SERVICE_GETPEERNAME,
    SERVICE_POLL,
    SERVICE_PPOLL,
    SERVICE_SELECT,
    SERVICE_PSELECT,
    SERVICE_EPOLL_CREATE1,
    SERVICE_EPOLL_CTL,
    SERVICE_EPOLL_PWAIT,
    SERVICE_EVENTFD,
    SERVICE_TIMERFD_CREATE,
    SERVICE_MUTEX_INIT,
    SERVICE_MUTEX_DESTROY,
    SERVICE_MUTEX_LOCK,
    SERVICE_MUTEX_TRYLOCK,
    SERVICE_MUTEX_TIMEDLOCK,
    SERVICE_MUTEX_CLOCKLOCK,
    SERVICE_MUTEX_UNLOCK,
    SERVICE_SPIN_LOCK,
    SERVICE_SPIN_TRYLOCK,
    SERVICE_SPIN_UNLOCK,
    SERVICE_RWLOCK_INIT,
    SERVICE_RWLOCK_RDLOCK,
    SERVICE_RWLOCK_TRYRDLOCK,
    SERVICE_RWLOCK_TIMEDRDLOCK,
    SERVICE_RWLOCK_WRLOCK,
    SERVICE_RWLOCK_TRYWRLOCK,
    SERVICE_RWLOCK_TIMEDWRLOCK,
    SERVICE_RWLOCK_UNLOCK,
    SERVICE_COND_INIT,
    SERVICE_COND_WAIT,
    SERVICE_COND_TIMEDWAIT,
    SERVICE_COND_CLOCKWAIT,
    SERVICE_COND_SIGNAL,
    SERVICE_COND_BROADCAST,
    SERVICE_SEM_INIT,
    SERVICE_SEM_WAIT,
    SERVICE_SEM_TRYWAIT,
    SERVICE_SEM_TIMEDWAIT,
    SERVICE_SEM_CLOCKWAIT,
    SERVICE_SEM_POST,
    SERVICE_SEM_GETVALUE,
    SERVICE_BARRIER_WAIT,
    SERVICE_MTX_LOCK,
    SERVICE_MTX_TRYLOCK,
    SERVICE_MTX_TIMEDLOCK,
    SERVICE_MTX_UNLOCK,
    SERVICE_CND_WAIT,
    SERVICE_CND_TIMEDWAIT,
    SERVICE_CND_SIGNAL,
    SERVICE_CND_BROADCAST,
    SERVICES,
};

static_assert(SERVICES <= (int)ROOT_NEXT, "the root has room for all");

/* Any function; cast to its own type before it is called. */
typedef void service_function(void);

/* The function that the program would have called without the library: libc's, or that of someone
 * else who replaces it. NULL: there is none to be found, because the program is linked statically
 * or libc is too old. */
service_function *services_next(enum service which);

/* Finds all of them, before the first trial. Whoever calls this links the replacements, so that a
 * program's shared libraries are served although the program itself may call none of them. */
void services_prepare(void);

#endif
