/* services_option.c - libc's functions that ask what a socket is, and say how it is to be.
 *
 * Of options only timeouts and errors have an effect; all others are taken, because whoever sets
 * one wants the same bytes to arrive. SPDX-License-Identifier: MIT
 */
#include "substrate/services_descriptor.h"

#include <sys/time.h>

#define NS_PER_S UINT64_C(1000000000)

static int answer(void *value, socklen_t *size, int number)
{
    if (*size < sizeof(number))
        return -EINVAL;
    memcpy(value, &number, sizeof(number));
    *size = sizeof(number);
    return 0;
}

static int get_socket(struct trial *t, struct socket *s, int option, void *value, socklen_t *size)
{
    int error = s->error;

    switch (option) {
    case SO_ERROR:
        trial_write(t, &s->object);
        s->error = 0;
        return answer(value, size, error);
    case SO_TYPE:
        return answer(value, size, SOCK_STREAM);
    case SO_DOMAIN:
        return answer(value, size, s->family);
    case SO_ACCEPTCONN:
        return answer(value, size, s->kind == SOCKET_LISTENER);
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
    if (level != SOL_SOCKET)
        return (int)services_result(answer(value, size, 0));
    return (int)services_result(get_socket(t, s, option, value, size));
}

/* Timeouts of nothing are none. */
static int set_timeout(const void *value, socklen_t size, uint64_t *timeout_ns)
{
    struct timeval timeout;

    if (size < sizeof(timeout))
        return -EINVAL;
    memcpy(&timeout, value, sizeof(timeout));
    if (timeout.tv_usec < 0 || timeout.tv_usec >= 1000000)
        return -EDOM;
    *timeout_ns = timeout.tv_sec < 0
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
    if (level == SOL_SOCKET && (option == SO_RCVTIMEO || option == SO_SNDTIMEO))
        return (int)services_result(
            set_timeout(value, size, option == SO_RCVTIMEO ? &s->receive_ns : &s->send_ns));
    return 0;
}

SERVICES_EXPORT_WATCHED int getsockname(int fd, __SOCKADDR_ARG to, socklen_t *size)
{
    struct trial *t;
    struct process *p;
    struct socket *s = services_socket(&t, &p, fd);

    if (s == NULL)
        return SERVICES_PASS(SERVICE_GETSOCKNAME, getsockname, SYS_getsockname, fd, to.__sockaddr__,
                             size);
    address_write(t, s, &s->local, to.__sockaddr__, size);
    return 0;
}

SERVICES_EXPORT_WATCHED int getpeername(int fd, __SOCKADDR_ARG to, socklen_t *size)
{
    struct trial *t;
    struct process *p;
    struct socket *s = services_socket(&t, &p, fd);

    if (s == NULL)
        return SERVICES_PASS(SERVICE_GETPEERNAME, getpeername, SYS_getpeername, fd, to.__sockaddr__,
                             size);
    trial_read(t, &s->object);
    if (s->state != SOCKET_CONNECTED)
        return (int)services_result(-ENOTCONN);
    address_write(t, s, &s->remote, to.__sockaddr__, size);
    return 0;
}
