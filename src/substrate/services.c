/* services.c - libc's own functions behind those that the library replaces.
 * SPDX-License-Identifier: MIT
 */
#include "substrate/services.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
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

static const struct {
    const char *name;
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
    return function_at(found);
}

void services_prepare(void)
{
    for (int i = 0; i < SERVICES; i++)
        (void)services_next((enum service)i);
}
