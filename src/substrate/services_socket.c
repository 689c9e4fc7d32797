/* services_socket.c - libc's functions for sockets: modelled in processes, the kernel's elsewhere.
 * SPDX-License-Identifier: MIT
 */
#include "substrate/services_descriptor.h"

#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>

ssize_t __recv_chk(int fd, void *bytes, size_t n, size_t size, int flags);

/* ---- Making them ---------------------------------------------------------------------------- */

static int make(struct trial *t, const struct process *p, int family, int type)
{
    int kind = type & ~(SOCK_NONBLOCK | SOCK_CLOEXEC);
    struct socket *s;

    if ((family != AF_INET && family != AF_INET6 && family != AF_UNIX) || kind != SOCK_STREAM)
        trial_lose_control(t, "socket",
                           "%s opens a socket of family %d and type %d, which is not modelled: "
                           "only streams are",
                           sn_name(p->task), family, kind);
    s = socket_new(t, environment_node_here(t), SOCKET_STREAM, family);
    s->is_nonblocking = (type & SOCK_NONBLOCK) != 0;
    s->is_cloexec = (type & SOCK_CLOEXEC) != 0;
    return socket_give(t, s);
}

/* Only processes have sockets of the trial. A machine, or the test, that opens one to the network
 * has been wrapped in the wrong way, unless what is tested is known not to be under control. */
static void refuse_machine(void)
{
    struct trial *t = trial_of_thread();

    if (t != NULL && t->may_act == ACTS_AT_ONCE && t->test->world != SN_WORLD_FORK &&
        t->test->repeats <= 1)
        trial_lose_control(t, "socket",
                           "%s opens a socket to the network, but is no process: only those have "
                           "sockets of the trial",
                           t->now.task != 0 ? sn_name(t->now.task) : "the test");
}

SERVICES_EXPORT int socket(int family, int type, int protocol)
{
    struct process *p;
    struct trial *t = services_process(&p);

    if (unlikely(t == NULL && (family == AF_INET || family == AF_INET6)))
        refuse_machine();
    return t != NULL ? make(t, p, family, type)
                     : SERVICES_PASS(SERVICE_SOCKET, socket, SYS_socket, family, type, protocol);
}

static_assert(O_NONBLOCK == (int)SOCK_NONBLOCK && O_CLOEXEC == (int)SOCK_CLOEXEC,
              "a pipe and a pair of sockets have the same flags");

/* Two ends on one node; of a pipe the first one reads. */
static int make_pair(struct trial *t, enum socket_kind kind, int flags, int fds[2])
{
    struct socket *ends[2];

    for (int i = 0; i < 2; i++) {
        ends[i] = socket_new(t, environment_node_here(t), kind, AF_UNIX);
        ends[i]->state = SOCKET_CONNECTED;
        ends[i]->is_nonblocking = (flags & O_NONBLOCK) != 0;
        ends[i]->is_cloexec = (flags & O_CLOEXEC) != 0;
        fds[i] = socket_give(t, ends[i]);
    }
    ends[0]->peer = socket_index(t, ends[1]);
    ends[1]->peer = socket_index(t, ends[0]);
    if (kind == SOCKET_PIPE)
        ends[0]->writes_shut = ends[1]->reads_shut = true;
    return 0;
}

SERVICES_EXPORT_WATCHED int socketpair(int family, int type, int protocol, int fds[2])
{
    struct process *p;
    struct trial *t = services_process(&p);

    if (t == NULL)
        return SERVICES_PASS(SERVICE_SOCKETPAIR, socketpair, SYS_socketpair, family, type, protocol,
                             fds);
    if (family != AF_UNIX || (type & ~(SOCK_NONBLOCK | SOCK_CLOEXEC)) != SOCK_STREAM)
        trial_lose_control(t, "socket", "%s makes a pair of sockets that is not modelled",
                           sn_name(p->task));
    return make_pair(t, SOCKET_STREAM, type, fds);
}

SERVICES_EXPORT_WATCHED int pipe2(int fds[2], int flags)
{
    struct process *p;
    struct trial *t = services_process(&p);

    return t != NULL ? make_pair(t, SOCKET_PIPE, flags, fds)
                     : SERVICES_PASS(SERVICE_PIPE2, pipe2, SYS_pipe2, fds, flags);
}

SERVICES_EXPORT_WATCHED int pipe(int fds[2])
{
    struct process *p;
    struct trial *t = services_process(&p);

    return t != NULL ? make_pair(t, SOCKET_PIPE, 0, fds)
                     : SERVICES_PASS(SERVICE_PIPE2, pipe2, SYS_pipe2, fds, 0);
}

/* ---- Connecting ----------------------------------------------------------------------------- */

SERVICES_EXPORT_WATCHED int connect(int fd, __CONST_SOCKADDR_ARG to, socklen_t size)
{
    struct trial *t;
    struct process *p;
    struct socket *s = services_socket(&t, &p, fd);

    return s != NULL
               ? (int)services_result(socket_connect(t, p, s, to.__sockaddr__, size))
               : SERVICES_PASS(SERVICE_CONNECT, connect, SYS_connect, fd, to.__sockaddr__, size);
}

SERVICES_EXPORT_WATCHED int bind(int fd, __CONST_SOCKADDR_ARG to, socklen_t size)
{
    struct trial *t;
    struct process *p;
    struct socket *s = services_socket(&t, &p, fd);

    return s != NULL ? (int)services_result(socket_bind(t, s, to.__sockaddr__, size))
                     : SERVICES_PASS(SERVICE_BIND, bind, SYS_bind, fd, to.__sockaddr__, size);
}

SERVICES_EXPORT_WATCHED int listen(int fd, int backlog)
{
    struct trial *t;
    struct process *p;
    struct socket *s = services_socket(&t, &p, fd);

    return s != NULL ? (int)services_result(socket_listen(t, p, s, backlog))
                     : SERVICES_PASS(SERVICE_LISTEN, listen, SYS_listen, fd, backlog);
}

SERVICES_EXPORT_WATCHED int accept4(int fd, __SOCKADDR_ARG from, socklen_t *size, int flags)
{
    struct trial *t;
    struct process *p;
    struct socket *s = services_socket(&t, &p, fd);

    return s != NULL ? (int)services_result(socket_accept(t, p, s, from.__sockaddr__, size, flags))
                     : SERVICES_PASS(SERVICE_ACCEPT4, accept4, SYS_accept4, fd, from.__sockaddr__,
                                     size, flags);
}

SERVICES_EXPORT_WATCHED int accept(int fd, __SOCKADDR_ARG from, socklen_t *size)
{
    struct trial *t;
    struct process *p;
    struct socket *s = services_socket(&t, &p, fd);

    return s != NULL
               ? (int)services_result(socket_accept(t, p, s, from.__sockaddr__, size, 0))
               : SERVICES_PASS(SERVICE_ACCEPT, accept, SYS_accept, fd, from.__sockaddr__, size);
}

SERVICES_EXPORT int shutdown(int fd, int how)
{
    struct trial *t;
    struct process *p;
    struct socket *s = services_socket(&t, &p, fd);

    return s != NULL ? (int)services_result(socket_shutdown(t, p, s, how))
                     : SERVICES_PASS(SERVICE_SHUTDOWN, shutdown, SYS_shutdown, fd, how);
}

/* ---- Bytes ---------------------------------------------------------------------------------- */

/* Flags that change what is read, such as MSG_OOB, are not modelled, but for these. */
static int check_flags(struct trial *t, const struct process *p, const struct socket *s, int flags)
{
    const int known = MSG_PEEK | MSG_DONTWAIT | MSG_WAITALL | MSG_NOSIGNAL | MSG_MORE | MSG_EOR |
                      MSG_CMSG_CLOEXEC;

    if (!socket_is_socket(s))
        return -ENOTSOCK;
    if ((flags & ~known) != 0)
        trial_lose_control(t, "socket",
                           "%s sends or receives with flags %#x, which is not modelled",
                           sn_name(p->task), (unsigned int)(flags & ~known));
    return 0;
}

static ssize_t receive(struct trial *t, struct process *p, struct socket *s, void *bytes, size_t n,
                       int flags)
{
    const struct iovec part = {.iov_base = bytes, .iov_len = n};
    int error = check_flags(t, p, s, flags);

    return (ssize_t)services_result(error != 0 ? error : socket_receive(t, p, s, &part, 1, flags));
}

static ssize_t put(struct trial *t, struct process *p, struct socket *s, const void *bytes,
                   size_t n, int flags)
{
    const struct iovec part = {.iov_base = (void *)(uintptr_t)bytes, .iov_len = n};
    int error = check_flags(t, p, s, flags);

    return (ssize_t)services_result(error != 0 ? error : socket_send(t, p, s, &part, 1, flags));
}

/* Whom bytes came from. Nothing is said of a connection but where a local socket has a name. */
static void tell_sender(struct trial *t, const struct socket *s, int64_t rc, struct sockaddr *from,
                        socklen_t *size)
{
    if (rc < 0 || from == NULL || size == NULL)
        return;
    if ((rc == 0 && s->in.used == 0) || socket_is_tcp(s) || socket_peer_name(t, s)->path_size == 0)
        *size = 0;
    else
        address_write(s, socket_peer_name(t, s), from, size);
}

SERVICES_EXPORT_WATCHED ssize_t recvfrom(int fd, void *bytes, size_t n, int flags,
                                         __SOCKADDR_ARG from, socklen_t *size)
{
    struct trial *t;
    struct process *p;
    struct socket *s = services_socket(&t, &p, fd);

    ssize_t rc;

    if (s == NULL)
        return SERVICES_PASS(SERVICE_RECVFROM, recvfrom, SYS_recvfrom, fd, bytes, n, flags,
                             from.__sockaddr__, size);
    rc = receive(t, p, s, bytes, n, flags);
    tell_sender(t, s, rc, from.__sockaddr__, size);
    return rc;
}

SERVICES_EXPORT_WATCHED ssize_t recv(int fd, void *bytes, size_t n, int flags)
{
    struct trial *t;
    struct process *p;
    struct socket *s = services_socket(&t, &p, fd);

    return s != NULL ? receive(t, p, s, bytes, n, flags)
                     : SERVICES_PASS(SERVICE_RECVFROM, recvfrom, SYS_recvfrom, fd, bytes, n, flags,
                                     (struct sockaddr *)NULL, NULL);
}

SERVICES_EXPORT ssize_t __recv_chk(int fd, void *bytes, size_t n, size_t size, int flags)
{
    struct trial *t;
    struct process *p;
    struct socket *s = services_socket(&t, &p, fd);

    if (n > size)
        __builtin_trap();
    return s != NULL ? receive(t, p, s, bytes, n, flags)
                     : SERVICES_PASS(SERVICE_RECVFROM, recvfrom, SYS_recvfrom, fd, bytes, n, flags,
                                     (struct sockaddr *)NULL, NULL);
}

SERVICES_EXPORT_WATCHED ssize_t sendto(int fd, const void *bytes, size_t n, int flags,
                                       __CONST_SOCKADDR_ARG to, socklen_t size)
{
    struct trial *t;
    struct process *p;
    struct socket *s = services_socket(&t, &p, fd);

    if (s == NULL)
        return SERVICES_PASS(SERVICE_SENDTO, sendto, SYS_sendto, fd, bytes, n, flags,
                             to.__sockaddr__, size);
    if (socket_is_socket(s) && !socket_is_tcp(s) && to.__sockaddr__ != NULL && size > 0)
        return services_result(s->state == SOCKET_CONNECTED ? -EISCONN : -EOPNOTSUPP);
    return put(t, p, s, bytes, n, flags);
}

SERVICES_EXPORT_WATCHED ssize_t send(int fd, const void *bytes, size_t n, int flags)
{
    struct trial *t;
    struct process *p;
    struct socket *s = services_socket(&t, &p, fd);

    return s != NULL ? put(t, p, s, bytes, n, flags)
                     : SERVICES_PASS(SERVICE_SENDTO, sendto, SYS_sendto, fd, bytes, n, flags,
                                     (const struct sockaddr *)NULL, 0);
}

/* A number of parts that an int can hold. */
static int check_message(struct trial *t, const struct process *p, const struct socket *s,
                         const struct msghdr *message, int flags)
{
    int error = check_flags(t, p, s, flags);

    return error == 0 && message->msg_iovlen > IOV_MAX ? -EMSGSIZE : error;
}

SERVICES_EXPORT_WATCHED ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
    struct trial *t;
    struct process *p;
    struct socket *s = services_socket(&t, &p, fd);
    int64_t rc;

    if (s == NULL)
        return SERVICES_PASS(SERVICE_RECVMSG, recvmsg, SYS_recvmsg, fd, message, flags);
    rc = check_message(t, p, s, message, flags);
    if (rc == 0)
        rc = socket_receive(t, p, s, message->msg_iov, (int)message->msg_iovlen, flags);
    if (rc < 0)
        return (ssize_t)services_result(rc);
    tell_sender(t, s, rc, message->msg_name, &message->msg_namelen);
    message->msg_controllen = 0;
    message->msg_flags = 0;
    return (ssize_t)services_result(rc);
}

SERVICES_EXPORT_WATCHED ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
    struct trial *t;
    struct process *p;
    struct socket *s = services_socket(&t, &p, fd);
    int64_t rc;

    if (s == NULL)
        return SERVICES_PASS(SERVICE_SENDMSG, sendmsg, SYS_sendmsg, fd, message, flags);
    rc = check_message(t, p, s, message, flags);
    if (rc == 0 && message->msg_controllen > 0)
        trial_lose_control(t, "socket", "%s sends more than bytes, which is not modelled",
                           sn_name(p->task));
    if (rc == 0)
        rc = socket_send(t, p, s, message->msg_iov, (int)message->msg_iovlen, flags);
    return (ssize_t)services_result(rc);
}
