/* services_poll.c - libc's functions that wait for descriptors, and those that only wake up.
 *
 * A process that waits for nothing, or for sockets of the trial alone, waits in virtual time. One
 * that waits for descriptors of the kernel alone has asked for that. SPDX-License-Identifier: MIT
 */
#include "substrate/services_descriptor.h"

#include <signal.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/timerfd.h>

#define NS_PER_MS UINT64_C(1000000)
#define NS_PER_S UINT64_C(1000000000)

int __poll_chk(struct pollfd *fds, nfds_t n, int timeout_ms, size_t size);

static uint64_t of_ms(int timeout_ms)
{
    return timeout_ms < 0 ? SN_FOREVER : (uint64_t)timeout_ms * NS_PER_MS;
}

static uint64_t of_timespec(const struct timespec *timeout)
{
    if (timeout == NULL || (uint64_t)timeout->tv_sec > SN_FOREVER / NS_PER_S - 1)
        return SN_FOREVER; /* as good as none */
    return (uint64_t)timeout->tv_sec * NS_PER_S + (uint64_t)timeout->tv_nsec;
}

/* Whether a timeout makes no sense. */
static bool is_wrong(const struct timespec *timeout)
{
    return timeout != NULL &&
           (timeout->tv_sec < 0 || timeout->tv_nsec < 0 || timeout->tv_nsec >= (long)NS_PER_S);
}

/* ---- poll ----------------------------------------------------------------------------------- */

/* Whether a process waits for sockets of the trial, or for nothing but time. */
static bool is_modelled(struct trial *t, const struct process *p, const struct pollfd *fds,
                        nfds_t n)
{
    nfds_t mine = 0;
    nfds_t others = 0;

    for (nfds_t i = 0; i < n; i++) {
        mine += services_in_range(fds[i].fd);
        others += fds[i].fd >= 0 && !services_in_range(fds[i].fd);
    }
    if (mine > 0 && others > 0)
        trial_lose_control(t, "descriptor",
                           "%s waits for sockets of the trial and for other descriptors at a time",
                           sn_name(p->task));
    return others == 0;
}

static int real_ppoll(struct pollfd *fds, nfds_t n, const struct timespec *timeout,
                      const sigset_t *signals)
{
    struct timespec left = timeout != NULL ? *timeout : (struct timespec){0};
    service_function *next = services_next(SERVICE_PPOLL);

    if (next != NULL)
        return ((__typeof__(&ppoll))next)(fds, n, timeout, signals);
    return (int)syscall(SYS_ppoll, fds, n, timeout != NULL ? &left : NULL, signals, _NSIG / 8);
}

static int real_poll(struct pollfd *fds, nfds_t n, int timeout_ms)
{
    const struct timespec timeout = {.tv_sec = timeout_ms / 1000,
                                     .tv_nsec = timeout_ms % 1000 * 1000000L};
    service_function *next = services_next(SERVICE_POLL);

    if (next != NULL)
        return ((__typeof__(&poll))next)(fds, n, timeout_ms);
    return real_ppoll(fds, n, timeout_ms >= 0 ? &timeout : NULL, NULL);
}

SERVICES_EXPORT_WATCHED int poll(struct pollfd *fds, nfds_t n, int timeout_ms)
{
    struct process *p;
    struct trial *t = services_process(&p);

    if (t == NULL || !is_modelled(t, p, fds, n))
        return real_poll(fds, n, timeout_ms);
    return (int)services_result(socket_poll(t, p, fds, n, of_ms(timeout_ms)));
}

SERVICES_EXPORT int __poll_chk(struct pollfd *fds, nfds_t n, int timeout_ms, size_t size)
{
    struct process *p;
    struct trial *t = services_process(&p);

    if (size / sizeof(*fds) < n)
        __builtin_trap();
    if (t == NULL || !is_modelled(t, p, fds, n))
        return real_poll(fds, n, timeout_ms);
    return (int)services_result(socket_poll(t, p, fds, n, of_ms(timeout_ms)));
}

SERVICES_EXPORT_WATCHED int ppoll(struct pollfd *fds, nfds_t n, const struct timespec *timeout,
                                  const sigset_t *signals)
{
    struct process *p;
    struct trial *t = services_process(&p);

    if (t == NULL || is_wrong(timeout) || !is_modelled(t, p, fds, n))
        return real_ppoll(fds, n, timeout, signals);
    return (int)services_result(socket_poll(t, p, fds, n, of_timespec(timeout)));
}

/* ---- select --------------------------------------------------------------------------------- */

static short wanted_of(int fd, const fd_set *reads, const fd_set *writes, const fd_set *errors)
{
    return (short)((reads != NULL && FD_ISSET(fd, reads) ? POLLIN : 0) |
                   (writes != NULL && FD_ISSET(fd, writes) ? POLLOUT : 0) |
                   (errors != NULL && FD_ISSET(fd, errors) ? POLLPRI : 0));
}

static int keep(fd_set *set, int fd, bool is_ready)
{
    if (set == NULL || !FD_ISSET(fd, set))
        return 0;
    if (!is_ready)
        FD_CLR(fd, set);
    return is_ready;
}

/* False: descriptors of the kernel are to be waited for. */
static bool select_sockets(struct trial *t, struct process *p, int n, fd_set *const sets[3],
                           uint64_t timeout_ns, int *result)
{
    struct pollfd fds[FD_SETSIZE];
    nfds_t used = 0;

    for (int fd = 0; fd < n && fd < FD_SETSIZE; fd++) {
        short wanted = wanted_of(fd, sets[0], sets[1], sets[2]);

        if (wanted != 0)
            fds[used++] = (struct pollfd){.fd = fd, .events = wanted};
    }
    if (!is_modelled(t, p, fds, used))
        return false;
    *result = (int)services_result(socket_poll(t, p, fds, used, timeout_ns));
    if (*result < 0)
        return true;
    *result = 0;
    for (nfds_t i = 0; i < used; i++) {
        int ready = fds[i].revents;

        if ((ready & POLLNVAL) != 0) {
            *result = (int)services_result(-EBADF);
            return true;
        }
        *result += keep(sets[0], fds[i].fd, (ready & (POLLIN | POLLHUP | POLLERR)) != 0);
        *result += keep(sets[1], fds[i].fd, (ready & (POLLOUT | POLLERR)) != 0);
        *result += keep(sets[2], fds[i].fd, (ready & POLLPRI) != 0);
    }
    return true;
}

static int real_pselect(int n, fd_set *const sets[3], const struct timespec *timeout,
                        const sigset_t *signals)
{
    struct timespec left = timeout != NULL ? *timeout : (struct timespec){0};
    const struct {
        const sigset_t *signals;
        size_t size;
    } with = {signals, _NSIG / 8};
    service_function *next = services_next(SERVICE_PSELECT);

    if (next != NULL)
        return ((__typeof__(&pselect))next)(n, sets[0], sets[1], sets[2], timeout, signals);
    return (int)syscall(SYS_pselect6, n, sets[0], sets[1], sets[2], timeout != NULL ? &left : NULL,
                        &with);
}

SERVICES_EXPORT int select(int n, fd_set *reads, fd_set *writes, fd_set *errors,
                           struct timeval *timeout)
{
    struct process *p;
    struct trial *t = services_process(&p);
    fd_set *const sets[3] = {reads, writes, errors};
    struct timespec wanted = {0};
    service_function *next;
    int result;

    if (timeout != NULL)
        wanted = (struct timespec){.tv_sec = timeout->tv_sec, .tv_nsec = timeout->tv_usec * 1000};
    if (t != NULL && n >= 0 && !is_wrong(&wanted) &&
        select_sockets(t, p, n, sets, of_timespec(timeout != NULL ? &wanted : NULL), &result))
        return result;
    next = services_next(SERVICE_SELECT);
    if (next != NULL)
        return ((__typeof__(&select))next)(n, reads, writes, errors, timeout);
    return real_pselect(n, sets, timeout != NULL ? &wanted : NULL, NULL);
}

SERVICES_EXPORT int pselect(int n, fd_set *reads, fd_set *writes, fd_set *errors,
                            const struct timespec *timeout, const sigset_t *signals)
{
    struct process *p;
    struct trial *t = services_process(&p);
    fd_set *const sets[3] = {reads, writes, errors};
    int result;

    if (t != NULL && n >= 0 && !is_wrong(timeout) &&
        select_sockets(t, p, n, sets, of_timespec(timeout), &result))
        return result;
    return real_pselect(n, sets, timeout, signals);
}

/* ---- epoll ---------------------------------------------------------------------------------- */

static_assert((int)EFD_CLOEXEC == (int)EPOLL_CLOEXEC, "flags are the same for all");

static int make(struct trial *t, enum socket_kind kind, uint64_t count, int flags)
{
    struct socket *s = socket_new(t, environment_node_here(t), kind, AF_UNSPEC);

    s->state = SOCKET_CONNECTED;
    s->count = count;
    s->is_nonblocking = (flags & EFD_NONBLOCK) != 0;
    s->is_cloexec = (flags & EFD_CLOEXEC) != 0;
    s->is_semaphore = (flags & EFD_SEMAPHORE) != 0;
    return socket_give(t, s);
}

SERVICES_EXPORT int epoll_create1(int flags)
{
    struct process *p;
    struct trial *t = services_process(&p);

    if (t != NULL && (flags & ~EPOLL_CLOEXEC) != 0)
        return (int)services_result(-EINVAL);
    return t != NULL
               ? make(t, SOCKET_EPOLL, 0, flags)
               : SERVICES_PASS(SERVICE_EPOLL_CREATE1, epoll_create1, SYS_epoll_create1, flags);
}

SERVICES_EXPORT int epoll_create(int size)
{
    struct process *p;
    struct trial *t = services_process(&p);

    if (size <= 0)
        return (int)services_result(-EINVAL);
    return t != NULL ? make(t, SOCKET_EPOLL, 0, 0)
                     : SERVICES_PASS(SERVICE_EPOLL_CREATE1, epoll_create1, SYS_epoll_create1, 0);
}

SERVICES_EXPORT_WATCHED int epoll_ctl(int epoll, int what, int fd, struct epoll_event *event)
{
    struct trial *t;
    struct process *p;
    struct socket *s = services_socket(&t, &p, epoll);

    if (s == NULL)
        return SERVICES_PASS(SERVICE_EPOLL_CTL, epoll_ctl, SYS_epoll_ctl, epoll, what, fd, event);
    if (!services_in_range(fd))
        trial_lose_control(t, "descriptor",
                           "%s waits for sockets of the trial and for other descriptors at a time",
                           sn_name(p->task));
    return (int)services_result(socket_epoll_control(t, s, what, fd, event));
}

static int real_epoll_pwait(int epoll, struct epoll_event *events, int max, int timeout_ms,
                            const sigset_t *signals)
{
    service_function *next = services_next(SERVICE_EPOLL_PWAIT);

    if (next != NULL)
        return ((__typeof__(&epoll_pwait))next)(epoll, events, max, timeout_ms, signals);
    return (int)syscall(SYS_epoll_pwait, epoll, events, max, timeout_ms, signals, _NSIG / 8);
}

SERVICES_EXPORT_WATCHED int epoll_wait(int epoll, struct epoll_event *events, int max,
                                       int timeout_ms)
{
    struct trial *t;
    struct process *p;
    struct socket *s = services_socket(&t, &p, epoll);

    return s != NULL
               ? (int)services_result(socket_epoll_wait(t, p, s, events, max, of_ms(timeout_ms)))
               : real_epoll_pwait(epoll, events, max, timeout_ms, NULL);
}

SERVICES_EXPORT_WATCHED int epoll_pwait(int epoll, struct epoll_event *events, int max,
                                        int timeout_ms, const sigset_t *signals)
{
    struct trial *t;
    struct process *p;
    struct socket *s = services_socket(&t, &p, epoll);

    return s != NULL
               ? (int)services_result(socket_epoll_wait(t, p, s, events, max, of_ms(timeout_ms)))
               : real_epoll_pwait(epoll, events, max, timeout_ms, signals);
}

/* ---- What only wakes up --------------------------------------------------------------------- */

SERVICES_EXPORT_WATCHED int eventfd(unsigned int count, int flags)
{
    struct process *p;
    struct trial *t = services_process(&p);

    if (t != NULL && (flags & ~(EFD_NONBLOCK | EFD_CLOEXEC | EFD_SEMAPHORE)) != 0)
        return (int)services_result(-EINVAL);
    return t != NULL ? make(t, SOCKET_COUNTER, count, flags)
                     : SERVICES_PASS(SERVICE_EVENTFD, eventfd, SYS_eventfd2, count, flags);
}

/* libc's own call its own read and write. */
SERVICES_EXPORT_WATCHED int eventfd_read(int fd, eventfd_t *value)
{
    struct trial *t;
    struct process *p;
    struct socket *s = services_socket(&t, &p, fd);
    const struct iovec part = {.iov_base = value, .iov_len = sizeof(*value)};
    int64_t n = s != NULL ? services_result(socket_receive(t, p, s, &part, 1, 0))
                          : SERVICES_PASS(SERVICE_READ, read, SYS_read, fd, value, sizeof(*value));

    return n == sizeof(*value) ? 0 : -1;
}

SERVICES_EXPORT_WATCHED int eventfd_write(int fd, eventfd_t value)
{
    struct trial *t;
    struct process *p;
    struct socket *s = services_socket(&t, &p, fd);
    const struct iovec part = {.iov_base = &value, .iov_len = sizeof(value)};
    int64_t n = s != NULL
                    ? services_result(socket_send(t, p, s, &part, 1, 0))
                    : SERVICES_PASS(SERVICE_WRITE, write, SYS_write, fd, &value, sizeof(value));

    return n == sizeof(value) ? 0 : -1;
}

SERVICES_EXPORT int timerfd_create(int clock, int flags)
{
    struct process *p;
    struct trial *t = services_process(&p);

    if (t != NULL)
        trial_lose_control(t, "descriptor",
                           "%s makes a timer by timerfd_create, which is not modelled",
                           sn_name(p->task));
    return SERVICES_PASS(SERVICE_TIMERFD_CREATE, timerfd_create, SYS_timerfd_create, clock, flags);
}
