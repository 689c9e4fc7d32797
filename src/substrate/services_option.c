/* services_option.c - libc's functions that ask what a socket is, and say how it is to be.
 *
 * Of options only timeouts and errors have an effect; all others are taken, because whoever sets
 * one wants the same bytes to arrive. SPDX-License-Identifier: MIT
 */
#include "substrate/services_descriptor.h"

#include <netinet/in.h>
#include <sys/time.h>

#define NS_PER_S UINT64_C(1000000000)

/* As much of a number as there is room for. */
static int answer(void *value, socklen_t *size, int number)
{
    if ((int)*size < 0)
        return -EINVAL;
    *size = *size < sizeof(number) ? *size : sizeof(number);
    memcpy(value, &number, *size);
    return 0;
}

static int get_socket(struct trial *t, struct socket *s, int option, void *value, socklen_t *size)
{
    switch (option) {
    case SO_ERROR:
        trial_write(t, &s->object);
        return answer(value, size, (int)-socket_take_error(s));
    case SO_TYPE:
        return answer(value, size, SOCK_STREAM);
    case SO_DOMAIN:
        return answer(value, size, s->family);
    case SO_PROTOCOL:
        return answer(value, size, socket_is_tcp(s) ? IPPROTO_TCP : 0);
    case SO_ACCEPTCONN:
        return answer(value, size, s->kind == SOCKET_LISTENER);
    case SO_REUSEADDR:
        return answer(value, size, s->is_reusable);
    case SO_SNDBUF:
    case SO_RCVBUF:
        return answer(value, size, SOCKET_WINDOW);
    default:
        return answer(value, size, 0);
    }
}

SERVICES_EXPORT_WATCHED int getsockopt(int fd, int level, int option, void *value, socklen_t *size)
{
    struct trial *t;
    struct process *p;
    struct socket *s = services_socket(&t, &p, fd);

    if (s == NULL)
        return SERVICES_PASS(SERVICE_GETSOCKOPT, getsockopt, SYS_getsockopt, fd, level, option,
                             value, size);
    if (!socket_is_socket(s))
        return (int)services_result(-ENOTSOCK);
    if (level != SOL_SOCKET)
        return (int)services_result(answer(value, size, 0));
    return (int)services_result(get_socket(t, s, option, value, size));
}

static int set_flag(const void *value, socklen_t size, bool *flag)
{
    int number;

    if (size < sizeof(number))
        return -EINVAL;
    memcpy(&number, value, sizeof(number));
    *flag = number != 0;
    return 0;
}

/* Timeouts of nothing are none, and so are those of more than the clock can tell. */
static int set_timeout(const void *value, socklen_t size, uint64_t *timeout_ns)
{
    struct timeval timeout;

    if (size < sizeof(timeout))
        return -EINVAL;
    memcpy(&timeout, value, sizeof(timeout));
    if (timeout.tv_usec < 0 || timeout.tv_usec >= 1000000)
        return -EDOM;
    *timeout_ns = timeout.tv_sec < 0 || (uint64_t)timeout.tv_sec > SN_FOREVER / NS_PER_S - 1
                      ? 0
                      : (uint64_t)timeout.tv_sec * NS_PER_S + (uint64_t)timeout.tv_usec * 1000;
    return 0;
}

SERVICES_EXPORT int setsockopt(int fd, int level, int option, const void *value, socklen_t size)
{
    struct trial *t;
    struct process *p;
    struct socket *s = services_socket(&t, &p, fd);

    if (s == NULL)
        return SERVICES_PASS(SERVICE_SETSOCKOPT, setsockopt, SYS_setsockopt, fd, level, option,
                             value, size);
    if (!socket_is_socket(s))
        return (int)services_result(-ENOTSOCK);
    if (level == SOL_SOCKET && option == SO_REUSEADDR)
        return (int)services_result(set_flag(value, size, &s->is_reusable));
    if (level == SOL_SOCKET && (option == SO_RCVTIMEO || option == SO_SNDTIMEO))
        return (int)services_result(
            set_timeout(value, size, option == SO_RCVTIMEO ? &s->receive_ns : &s->send_ns));
    return 0;
}

/* Where a socket is, or the other end. */
static int tell_name(struct trial *t, const struct socket *s, bool is_peer, struct sockaddr *to,
                     socklen_t *size)
{
    const struct address *name = &s->local;

    if (!socket_is_socket(s))
        return -ENOTSOCK;
    if (is_peer) {
        trial_read(t, &s->object);
        if (s->state != SOCKET_CONNECTED)
            return -ENOTCONN;
        name = socket_peer_name(t, s);
    }
    address_write(s, name, to, size);
    return 0;
}

SERVICES_EXPORT_WATCHED int getsockname(int fd, __SOCKADDR_ARG to, socklen_t *size)
{
    struct trial *t;
    struct process *p;
    struct socket *s = services_socket(&t, &p, fd);

    return s != NULL ? (int)services_result(tell_name(t, s, false, to.__sockaddr__, size))
                     : SERVICES_PASS(SERVICE_GETSOCKNAME, getsockname, SYS_getsockname, fd,
                                     to.__sockaddr__, size);
}

SERVICES_EXPORT_WATCHED int getpeername(int fd, __SOCKADDR_ARG to, socklen_t *size)
{
    struct trial *t;
    struct process *p;
    struct socket *s = services_socket(&t, &p, fd);

    return s != NULL ? (int)services_result(tell_name(t, s, true, to.__sockaddr__, size))
                     : SERVICES_PASS(SERVICE_GETPEERNAME, getpeername, SYS_getpeername, fd,
                                     to.__sockaddr__, size);
}
