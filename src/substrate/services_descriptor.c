/* services_descriptor.c - libc's functions for any descriptor: read, write, close and the like.
 *
 * Trials have descriptors of their own (sockets.h); all others are the kernel's.
 * SPDX-License-Identifier: MIT
 */
/* Both fcntl and fcntl64 are defined here; a program may call either. */
#undef _FILE_OFFSET_BITS

#include "substrate/services_descriptor.h"

#include <fcntl.h>
#include <stdarg.h>
#include <sys/ioctl.h>

/* Checked variants, which the compiler calls in a program that is built with _FORTIFY_SOURCE. */
ssize_t __read_chk(int fd, void *bytes, size_t n, size_t size);

/* ---- Reading and writing -------------------------------------------------------------------- */

static ssize_t receive(struct trial *t, struct process *p, struct socket *s, void *bytes, size_t n)
{
    const struct iovec part = {.iov_base = bytes, .iov_len = n};

    /* A kernel asks only counters whether there is nothing to read. */
    return (ssize_t)services_result(
        socket_receive(t, p, s, &part, 1, s->kind != SOCKET_COUNTER ? SOCKET_EMPTY_IS_NOTHING : 0));
}

SERVICES_EXPORT_WATCHED ssize_t read(int fd, void *bytes, size_t n)
{
    struct trial *t;
    struct process *p;
    struct socket *s = services_socket(&t, &p, fd);

    return s != NULL ? receive(t, p, s, bytes, n)
                     : SERVICES_PASS(SERVICE_READ, read, SYS_read, fd, bytes, n);
}

SERVICES_EXPORT ssize_t __read_chk(int fd, void *bytes, size_t n, size_t size)
{
    struct trial *t;
    struct process *p;
    struct socket *s = services_socket(&t, &p, fd);

    if (n > size)
        __builtin_trap();
    return s != NULL ? receive(t, p, s, bytes, n)
                     : SERVICES_PASS(SERVICE_READ, read, SYS_read, fd, bytes, n);
}

SERVICES_EXPORT_WATCHED ssize_t readv(int fd, const struct iovec *parts, int n)
{
    struct trial *t;
    struct process *p;
    struct socket *s = services_socket(&t, &p, fd);

    return s != NULL ? (ssize_t)services_result(
                           socket_receive(t, p, s, parts, n, SOCKET_EMPTY_IS_NOTHING))
                     : SERVICES_PASS(SERVICE_READV, readv, SYS_readv, fd, parts, n);
}

SERVICES_EXPORT_WATCHED ssize_t write(int fd, const void *bytes, size_t n)
{
    const struct iovec part = {.iov_base = (void *)(uintptr_t)bytes, .iov_len = n};
    struct trial *t;
    struct process *p;
    struct socket *s = services_socket(&t, &p, fd);

    return s != NULL ? (ssize_t)services_result(socket_send(t, p, s, &part, 1, 0))
                     : SERVICES_PASS(SERVICE_WRITE, write, SYS_write, fd, bytes, n);
}

SERVICES_EXPORT_WATCHED ssize_t writev(int fd, const struct iovec *parts, int n)
{
    struct trial *t;
    struct process *p;
    struct socket *s = services_socket(&t, &p, fd);

    return s != NULL
               ? (ssize_t)services_result(socket_send(t, p, s, parts, n, SOCKET_EMPTY_IS_NOTHING))
               : SERVICES_PASS(SERVICE_WRITEV, writev, SYS_writev, fd, parts, n);
}

/* ---- The rest ------------------------------------------------------------------------------- */

SERVICES_EXPORT int close(int fd)
{
    struct trial *t;
    struct process *p;
    struct socket *s = services_socket(&t, &p, fd);

    return s != NULL ? (int)services_result(socket_close_by(t, p, s))
                     : SERVICES_PASS(SERVICE_CLOSE, close, SYS_close, fd);
}

static int flags_of(const struct socket *s)
{
    int mode = O_RDWR;

    if (s->kind == SOCKET_PIPE)
        mode = s->reads_shut ? O_WRONLY : O_RDONLY;
    return mode | (s->is_nonblocking ? O_NONBLOCK : 0);
}

static int control(struct trial *t, struct socket *s, int what, long value)
{
    switch (what) {
    case F_GETFL:
        return flags_of(s);
    case F_SETFL:
        s->is_nonblocking = (value & O_NONBLOCK) != 0;
        return 0;
    case F_GETFD:
        return s->is_cloexec ? FD_CLOEXEC : 0;
    case F_SETFD:
        s->is_cloexec = (value & FD_CLOEXEC) != 0;
        return 0;
    default:
        trial_lose_control(t, "descriptor", "fcntl does %d to a socket, which is not modelled",
                           what);
        return -1;
    }
}

/* Both names of the function. */
PUBLIC_PART int control_by(enum service name, int fd, int what, long value)
{
    struct trial *t;
    struct process *p;
    struct socket *s = services_socket(&t, &p, fd);

    return s != NULL ? control(t, s, what, value)
                     : SERVICES_PASS(name, fcntl, SYS_fcntl, fd, what, value);
}

SERVICES_EXPORT int fcntl(int fd, int what, ...)
{
    va_list args;
    long value;

    va_start(args, what);
    value = va_arg(args, long);
    va_end(args);
    return control_by(SERVICE_FCNTL, fd, what, value);
}

SERVICES_EXPORT int fcntl64(int fd, int what, ...)
{
    va_list args;
    long value;

    va_start(args, what);
    value = va_arg(args, long);
    va_end(args);
    return control_by(SERVICE_FCNTL64, fd, what, value);
}

/* How many bytes can be read. 0, or an error. */
static int count_bytes(struct trial *t, const struct socket *s, int *n)
{
    if (s->kind == SOCKET_COUNTER || s->kind == SOCKET_EPOLL || s->kind == SOCKET_POSTS)
        return s->kind == SOCKET_COUNTER ? -ENOTTY : -EINVAL;
    if (s->kind == SOCKET_LISTENER)
        return -EINVAL;
    trial_read(t, &s->object);
    *n = (int)(s->kind == SOCKET_PIPE && s->reads_shut ? socket_at(t, s->peer)->in.used
                                                       : s->in.used);
    return 0;
}

static int command(struct trial *t, struct socket *s, unsigned long what, void *value)
{
    if (what == FIONREAD)
        return (int)services_result(count_bytes(t, s, value));
    if (what != FIONBIO)
        trial_lose_control(t, "descriptor", "ioctl does %#lx to a socket, which is not modelled",
                           what);
    s->is_nonblocking = *(const int *)value != 0;
    return 0;
}

SERVICES_EXPORT_WATCHED int ioctl(int fd, unsigned long what, ...)
{
    struct trial *t;
    struct process *p;
    struct socket *s = services_socket(&t, &p, fd);
    va_list args;
    void *value;

    va_start(args, what);
    value = va_arg(args, void *);
    va_end(args);
    return s != NULL ? command(t, s, what, value)
                     : SERVICES_PASS(SERVICE_IOCTL, ioctl, SYS_ioctl, fd, what, value);
}

/* Two numbers for one socket are not modelled. */
static void refuse_copy(struct trial *t, const char *function)
{
    trial_lose_control(t, "descriptor", "%s of a socket is not modelled", function);
}

SERVICES_EXPORT int dup(int fd)
{
    struct trial *t;
    struct process *p;

    if (services_socket(&t, &p, fd) != NULL)
        refuse_copy(t, "dup");
    return SERVICES_PASS(SERVICE_DUP, dup, SYS_dup, fd);
}

SERVICES_EXPORT int dup3(int fd, int to, int flags)
{
    struct trial *t;
    struct process *p;

    if (services_socket(&t, &p, fd) != NULL)
        refuse_copy(t, "dup3");
    return SERVICES_PASS(SERVICE_DUP3, dup3, SYS_dup3, fd, to, flags);
}
