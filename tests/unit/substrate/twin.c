/* twin.c - calls of libc as a program makes them, and what came of each.
 *
 * Where the model and the kernel may differ is kept out here, and nowhere else:
 *
 *   buffers            a program writes far less than any of them holds
 *   blocking           what a call would wait for is asked of poll before, and left out if it is
 *                      not there: nobody else could bring it
 *   Nagle's algorithm  small writes wait for an answer, unless a socket says TCP_NODELAY: all do
 *   a full backlog     whether one more TCP connection is answered a second later is time
 *   ports, names       others may have them: bound are those that the kernel gives, or that a
 *                      socket of the program still has, or names with the number of the process
 *   TIME_WAIT          a port that a closed socket had is not asked for again
 *   edges              a kernel wakes writers of local sockets whenever their peer reads, though
 *                      there was room before: edges are asked for reading only
 *   eventfd            Linux 6.11 and later refuse to write more than eight bytes, others do not
 *   an order           what epoll_wait returns is sorted
 *
 * SPDX-License-Identifier: MIT
 */
#include "twin.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

enum { MODEL_FD = 512, NAME_SIZE = 16, CHUNK = 24 };

/* ---- Notes ---------------------------------------------------------------------------------- */

static __attribute__((format(printf, 2, 3))) void note(struct twin *w, const char *format, ...)
{
    va_list args;
    int n;

    va_start(args, format);
    n = vsnprintf(w->text + w->used, sizeof(w->text) - w->used, format, args);
    va_end(args);
    if (n < 0 || w->used + (size_t)n >= sizeof(w->text))
        abort();
    w->used += (size_t)n;
}

/* A result, and what is wrong if it is -1. */
static void note_result(struct twin *w, long rc)
{
    int error = errno;

    if (rc < 0)
        note(w, " = %s\n", strerrorname_np(error));
    else
        note(w, " = %ld\n", rc);
}

static void note_events(struct twin *w, unsigned int events)
{
    static const struct {
        unsigned int bit;
        char letter;
    } letters[] = {{POLLIN, 'I'},     {POLLOUT, 'O'},      {POLLRDHUP, 'D'}, {POLLHUP, 'H'},
                   {POLLERR, 'E'},    {POLLNVAL, 'N'},     {POLLPRI, 'P'},   {POLLRDNORM, 'i'},
                   {POLLWRNORM, 'o'}, {EPOLLONESHOT, '1'}, {EPOLLET, '^'}};

    for (size_t i = 0; i < sizeof(letters) / sizeof(letters[0]); i++) {
        if ((events & letters[i].bit) != 0)
            note(w, "%c", letters[i].letter);
        events &= ~letters[i].bit;
    }
    if (events != 0)
        note(w, "+%#x", events);
}

/* A descriptor as the program knows it; -1: that of nothing. */
static int number_of(const struct twin *w, int fd)
{
    for (int i = 0; i < TWIN_FDS; i++) {
        if (w->fds[i] == fd)
            return i;
    }
    return -1;
}

static void note_fd(struct twin *w, int fd)
{
    if (fd < 0)
        note_result(w, fd);
    else
        note(w, " = fd %d\n", number_of(w, fd));
}

/* ---- Making them ---------------------------------------------------------------------------- */

static void make_pair(struct twin *w, const struct twin_call *call)
{
    int type = SOCK_STREAM | ((call->a & 1) != 0 ? 0 : SOCK_NONBLOCK);
    int fds[2] = {-1, -1};
    int rc = socketpair(AF_UNIX, type, 0, fds);

    note(w, "socketpair %d %d", number_of(w, fds[0]), number_of(w, fds[1]));
    note_result(w, rc);
}

static void make_pipe(struct twin *w, const struct twin_call *call)
{
    int fds[2] = {-1, -1};
    int rc = pipe2(fds, ((call->a & 1) != 0 ? 0 : O_NONBLOCK) | ((call->b & 1) ? O_CLOEXEC : 0));

    note(w, "pipe2 %d %d", number_of(w, fds[0]), number_of(w, fds[1]));
    note_result(w, rc);
}

static int make_socket(struct twin *w, int family, int type)
{
    int fd = socket(family, SOCK_STREAM | type, 0);
    const int yes = 1;

    if (family == AF_INET)
        (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
    note(w, "socket %s%s", family == AF_UNIX ? "unix" : "tcp", type != 0 ? " nonblock" : "");
    note_fd(w, fd);
    return fd;
}

static void call_socket(struct twin *w, const struct twin_call *call)
{
    (void)make_socket(w, (call->a & 1) != 0 ? AF_UNIX : AF_INET,
                      (call->b & 3) != 0 ? SOCK_NONBLOCK : 0);
}

/* ---- Addresses ------------------------------------------------------------------------------ */

union place {
    struct sockaddr any;
    struct sockaddr_in in;
    struct sockaddr_un local;
};

/* Names are abstract, and of the same length in each run. */
static socklen_t name_local(const struct twin *w, uint16_t number, union place *to)
{
    *to = (union place){.local.sun_family = AF_UNIX};
    (void)snprintf(to->local.sun_path + 1, NAME_SIZE, "twin%06d%04u",
                   w->is_kernel ? (int)getpid() % 1000000 : 0, number % 10000U);
    return offsetof(struct sockaddr_un, sun_path) + NAME_SIZE - 1;
}

static socklen_t place_of(const struct twin *w, const struct twin_address *from, union place *to)
{
    if (from->family == AF_UNIX)
        return name_local(w, from->port, to);
    *to = (union place){.in = {.sin_family = AF_INET,
                               .sin_port = htons(from->port),
                               .sin_addr.s_addr = htonl(INADDR_LOOPBACK)}};
    return sizeof(to->in);
}

static void note_port(struct twin *w, uint16_t port)
{
    int i = 0;

    while (i < w->n_ports && w->ports[i] != port)
        i++;
    if (port != 0 && i == w->n_ports && i < TWIN_PORTS)
        w->ports[w->n_ports++] = port;
    note(w, port != 0 ? " port %d" : " no port", i);
}

static void note_place(struct twin *w, const union place *from, socklen_t size)
{
    uint32_t ip = ntohl(from->in.sin_addr.s_addr);

    note(w, " size %u", size);
    if (size < sizeof(from->any.sa_family))
        return;
    if (from->any.sa_family == AF_INET) {
        note(w, " tcp %u.%u.%u.%u", ip >> 24, ip >> 16 & 255, ip >> 8 & 255, ip & 255);
        note_port(w, ntohs(from->in.sin_port));
    } else if (from->any.sa_family == AF_UNIX) {
        note(w, " unix %.4s",
             size > offsetof(struct sockaddr_un, sun_path) + 11 ? from->local.sun_path + 11 : "");
    } else {
        note(w, " family %d", from->any.sa_family);
    }
}

static int family_of(int fd)
{
    int family = -1;
    socklen_t size = sizeof(family);

    return getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &family, &size) == 0 ? family : -1;
}

/* Remembers where a socket is. */
static struct twin_address *remember(struct twin *w, int fd, uint16_t name)
{
    struct twin_address *address = &w->addresses[w->n_addresses];
    union place place = {0};
    socklen_t size = sizeof(place);

    if (w->n_addresses == TWIN_ADDRESSES || getsockname(fd, &place.any, &size) != 0)
        return NULL;
    w->n_addresses++;
    *address = (struct twin_address){.family = place.any.sa_family, .owner = fd, .port = name};
    if (address->family == AF_INET)
        address->port = ntohs(place.in.sin_port);
    return address;
}

static struct twin_address *address_of(struct twin *w, int fd)
{
    for (int i = w->n_addresses; i-- > 0;) {
        if (w->addresses[i].owner == fd)
            return &w->addresses[i];
    }
    return NULL;
}

static int bind_to(struct twin *w, int fd, int family, bool is_any)
{
    uint16_t name = (uint16_t)w->n_addresses;
    union place place;
    socklen_t size = name_local(w, name, &place);
    int rc;

    if (family != AF_UNIX) {
        place = (union place){
            .in = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(is_any ? 0 : INADDR_LOOPBACK)}};
        size = sizeof(place.in);
    }
    rc = bind(fd, &place.any, size);
    note(w, "bind %d %s", number_of(w, fd), family == AF_UNIX ? "name" : is_any ? "any" : "here");
    note_result(w, rc);
    if (rc == 0)
        (void)remember(w, fd, name);
    return rc;
}

/* Whether nobody else can bind an address, whatever became of connections from it. */
static bool has_address(const struct twin_address *address)
{
    int is_listening = 0;
    socklen_t size = sizeof(is_listening);

    (void)getsockopt(address->owner, SOL_SOCKET, SO_ACCEPTCONN, &is_listening, &size);
    return is_listening != 0 || address->family == AF_UNIX;
}

static void call_bind(struct twin *w, const struct twin_call *call)
{
    int fd = w->fds[call->fd];
    const struct twin_address *other =
        &w->addresses[w->n_addresses > 0 ? call->b % w->n_addresses : 0];
    int family = family_of(fd);
    union place place;
    socklen_t size;

    if ((call->a & 3) == 3)
        family = family == AF_UNIX ? AF_INET : AF_UNIX;
    if ((call->a & 3) != 0 || w->n_addresses == 0 || other->owner < 0 || !has_address(other)) {
        (void)bind_to(w, fd, family, (call->a & 4) != 0);
        return;
    }
    size = place_of(w, other, &place);
    note(w, "bind %d to address %d", call->fd, (int)(other - w->addresses));
    note_result(w, bind(fd, &place.any, size));
}

static int listen_on(struct twin *w, int fd, int backlog)
{
    int rc = listen(fd, backlog);
    struct twin_address *address = address_of(w, fd);

    note(w, "listen %d %d", number_of(w, fd), backlog);
    note_result(w, rc);
    if (rc != 0)
        return rc;
    if (address == NULL)
        address = remember(w, fd, 0);
    if (address != NULL)
        address->backlog = backlog;
    return rc;
}

static void call_listen(struct twin *w, const struct twin_call *call)
{
    (void)listen_on(w, w->fds[call->fd], call->a % 4);
}

/* ---- Connecting ----------------------------------------------------------------------------- */

static bool is_waiting(int fd)
{
    int flags = fcntl(fd, F_GETFL);

    return flags >= 0 && (flags & O_NONBLOCK) == 0;
}

/* Whether a descriptor that waits has nothing to wait for. */
static bool would_not_wait(int fd, short events)
{
    struct pollfd one = {.fd = fd, .events = events};

    return !is_waiting(fd) || poll(&one, 1, 0) != 0;
}

static void connect_to(struct twin *w, int fd, struct twin_address *address)
{
    union place place;
    socklen_t size = place_of(w, address, &place);
    int rc;

    note(w, "connect %d to address %d", number_of(w, fd), (int)(address - w->addresses));
    if (address->owner == fd || (address->pending > address->backlog && address->owner >= 0 &&
                                 (address->family == AF_INET || is_waiting(fd)))) {
        note(w, ": not tried\n");
        return;
    }
    rc = connect(fd, &place.any, size);
    if (rc == 0 || errno == EINPROGRESS)
        address->pending++;
    note_result(w, rc);
}

static void call_connect(struct twin *w, const struct twin_call *call)
{
    if (w->n_addresses > 0)
        connect_to(w, w->fds[call->fd], &w->addresses[call->a % w->n_addresses]);
}

static void accept_from(struct twin *w, int fd, int flags)
{
    struct twin_address *address = address_of(w, fd);
    union place place = {0};
    socklen_t size = sizeof(place);
    int accepted;

    note(w, "accept4 %d %s", number_of(w, fd), flags != 0 ? "nonblock" : "");
    if (!would_not_wait(fd, POLLIN)) {
        note(w, ": would wait\n");
        return;
    }
    accepted = accept4(fd, &place.any, &size, flags);
    if (accepted >= 0) {
        int error = errno;

        note_place(w, &place, size);
        if (address != NULL)
            address->pending--;
        errno = error;
    }
    note_fd(w, accepted);
}

static void call_accept(struct twin *w, const struct twin_call *call)
{
    accept_from(w, w->fds[call->fd], (call->a & 3) != 0 ? SOCK_NONBLOCK : 0);
}

static void make_connection(struct twin *w, int family, const struct twin_call *call)
{
    int type = (call->a & 3) != 0 ? SOCK_NONBLOCK : 0;
    int listener = make_socket(w, family, type);
    struct twin_address *address;
    int fd;

    if (bind_to(w, listener, family, false) != 0 || listen_on(w, listener, 1) != 0)
        return;
    address = address_of(w, listener);
    fd = make_socket(w, family, type);
    if (address == NULL || fd < 0)
        return;
    connect_to(w, fd, address);
    if ((call->b & 7) != 0)
        accept_from(w, listener, type);
    if ((call->c & 1) == 0) {
        address->owner = -1;
        note(w, "close %d", number_of(w, listener));
        note_result(w, close(listener));
    }
}

static void make_tcp(struct twin *w, const struct twin_call *call)
{
    make_connection(w, AF_INET, call);
}

static void make_local(struct twin *w, const struct twin_call *call)
{
    make_connection(w, AF_UNIX, call);
}

/* ---- Bytes ---------------------------------------------------------------------------------- */

static const int receive_flags[] = {
    0,           0, MSG_DONTWAIT, MSG_PEEK, MSG_PEEK | MSG_DONTWAIT, MSG_WAITALL | MSG_DONTWAIT,
    MSG_NOSIGNAL};
static const int send_flags[] = {MSG_NOSIGNAL, 0, MSG_DONTWAIT, MSG_NOSIGNAL | MSG_DONTWAIT};
static const size_t sizes[] = {3, 1, 8, 0, 5, 20, 7, 12};

#define PICK(array_, n_) ((array_)[(n_) % (sizeof(array_) / sizeof((array_)[0]))])

/* Cuts bytes into parts, one of them empty. */
static void cut(struct iovec parts[3], char *bytes, size_t n)
{
    parts[0] = (struct iovec){.iov_base = bytes, .iov_len = n / 2};
    parts[1] = (struct iovec){.iov_base = bytes + n / 2, .iov_len = 0};
    parts[2] = (struct iovec){.iov_base = bytes + n / 2, .iov_len = n - n / 2};
}

static void call_write(struct twin *w, const struct twin_call *call)
{
    static const char *const names[] = {"write", "send", "writev", "sendmsg", "sendto"};
    int which = call->a % 5;
    int fd = w->fds[call->fd];
    size_t n = PICK(sizes, call->b);
    int flags = PICK(send_flags, call->c);
    struct iovec parts[3];
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = 3};
    union place place;
    char bytes[CHUNK] = {0};
    ssize_t rc = -1;

    if ((w->counters >> call->fd & 1) != 0 && n > sizeof(uint64_t))
        n = sizeof(uint64_t);
    for (size_t i = 0; i < n; i++)
        bytes[i] = (char)('a' + w->next_byte++ % 26);
    cut(parts, bytes, n);
    note(w, "%s %d %.*s", names[which], call->fd, (int)n, bytes);
    if (which != 0 && which != 2)
        note(w, " flags %#x", flags);
    if (!would_not_wait(fd, POLLOUT)) {
        note(w, ": would wait\n");
        return;
    }
    switch (which) {
    case 0:
        rc = write(fd, bytes, n);
        break;
    case 1:
        rc = send(fd, bytes, n, flags);
        break;
    case 2:
        rc = writev(fd, parts, 3);
        break;
    case 3:
        rc = sendmsg(fd, &message, flags);
        break;
    case 4:
        rc = sendto(fd, bytes, n, flags, &place.any, name_local(w, 0, &place));
        break;
    }
    note_result(w, rc);
}

static void note_bytes(struct twin *w, const unsigned char *bytes, ssize_t n)
{
    int error = errno;

    for (ssize_t i = 0; i < n; i++) {
        if (bytes[i] >= 'a' && bytes[i] <= 'z')
            note(w, "%s%c", i == 0 ? " " : "", bytes[i]);
        else
            note(w, " %02x", bytes[i]);
    }
    errno = error;
}

static void call_read(struct twin *w, const struct twin_call *call)
{
    static const char *const names[] = {"read", "recv", "readv", "recvmsg", "recvfrom"};
    int which = call->a % 5;
    int fd = w->fds[call->fd];
    size_t n = PICK(sizes, call->b);
    int flags = PICK(receive_flags, call->c);
    struct iovec parts[3];
    union place place = {0};
    socklen_t size = sizeof(place);
    struct msghdr message = {
        .msg_iov = parts, .msg_iovlen = 3, .msg_name = &place, .msg_namelen = size};
    char bytes[CHUNK] = {0};
    ssize_t rc = -1;

    cut(parts, bytes, n);
    note(w, "%s %d %zu", names[which], call->fd, n);
    if (which != 0 && which != 2)
        note(w, " flags %#x", flags);
    if (!would_not_wait(fd, POLLIN)) {
        note(w, ": would wait\n");
        return;
    }
    switch (which) {
    case 0:
        rc = read(fd, bytes, n);
        break;
    case 1:
        rc = recv(fd, bytes, n, flags);
        break;
    case 2:
        rc = readv(fd, parts, 3);
        break;
    case 3:
        rc = recvmsg(fd, &message, flags);
        size = message.msg_namelen;
        break;
    case 4:
        rc = recvfrom(fd, bytes, n, flags, &place.any, &size);
        break;
    }
    if (rc >= 0 && which >= 3)
        note_place(w, &place, size);
    note_bytes(w, (unsigned char *)bytes, rc);
    note_result(w, rc);
}

/* ---- Ends ----------------------------------------------------------------------------------- */

static void call_close(struct twin *w, const struct twin_call *call)
{
    struct twin_address *address = address_of(w, w->fds[call->fd]);

    note(w, "close %d", call->fd);
    note_result(w, close(w->fds[call->fd]));
    w->epolls &= ~(UINT64_C(1) << call->fd);
    w->counters &= ~(UINT64_C(1) << call->fd);
    if (address != NULL)
        address->owner = -1;
}

static void call_shutdown(struct twin *w, const struct twin_call *call)
{
    static const int ways[] = {SHUT_WR, SHUT_RD,   SHUT_RDWR, SHUT_WR,
                               SHUT_RD, SHUT_RDWR, SHUT_WR,   7};
    int how = PICK(ways, call->a);

    note(w, "shutdown %d %d", call->fd, how);
    note_result(w, shutdown(w->fds[call->fd], how));
}

/* ---- Waiting -------------------------------------------------------------------------------- */

static const short poll_events[] = {POLLIN | POLLOUT,
                                    POLLIN,
                                    POLLOUT,
                                    POLLIN | POLLRDHUP,
                                    POLLIN | POLLOUT | POLLRDHUP | POLLPRI | POLLRDNORM |
                                        POLLWRNORM,
                                    0};

static void call_poll(struct twin *w, const struct twin_call *call)
{
    struct pollfd fds[3];
    int rc;

    for (int i = 0; i < 3; i++)
        fds[i] = (struct pollfd){.fd = w->fds[(call->fd + i * (1 + call->a % 3)) % TWIN_REACH],
                                 .events = PICK(poll_events, call->b)};
    if (call->c == 1)
        fds[1].fd = -1;
    note(w, "poll");
    rc = poll(fds, 3, 0);
    for (int i = 0; i < 3 && rc >= 0; i++) {
        note(w, " %d:", number_of(w, fds[i].fd));
        note_events(w, (unsigned int)(uint16_t)fds[i].revents);
    }
    note_result(w, rc);
}

static void call_select(struct twin *w, const struct twin_call *call)
{
    fd_set sets[3];
    struct timeval now = {0};
    int fds[2] = {w->fds[call->fd], w->fds[(call->fd + 1 + call->a % 4) % TWIN_REACH]};
    int rc;

    for (int i = 0; i < 3; i++) {
        FD_ZERO(&sets[i]);
        for (int k = 0; k < 2; k++) {
            if ((call->b >> i & 1) != 0 || call->b == 0)
                FD_SET(fds[k], &sets[i]);
        }
    }
    rc = select(FD_SETSIZE, &sets[0], &sets[1], &sets[2], &now);
    note(w, "select %d", call->b);
    for (int k = 0; k < 2 && rc >= 0; k++)
        note(w, " %d:%s%s%s", number_of(w, fds[k]), FD_ISSET(fds[k], &sets[0]) ? "I" : "",
             FD_ISSET(fds[k], &sets[1]) ? "O" : "", FD_ISSET(fds[k], &sets[2]) ? "P" : "");
    note_result(w, rc);
}

static void make_eventfd(struct twin *w, const struct twin_call *call)
{
    int flags = ((call->a & 1) != 0 ? EFD_SEMAPHORE : 0) | ((call->b & 3) != 0 ? EFD_NONBLOCK : 0);
    int fd;

    note(w, "eventfd %d %#x", call->c % 3, flags);
    fd = eventfd(call->c % 3, flags);
    note_fd(w, fd);
    if (fd >= 0)
        w->counters |= UINT64_C(1) << number_of(w, fd);
}

static void make_epoll(struct twin *w, const struct twin_call *call)
{
    int fd = epoll_create1((call->a & 1) != 0 ? EPOLL_CLOEXEC : 0);

    note(w, "epoll_create1");
    note_fd(w, fd);
    if (fd >= 0)
        w->epolls |= UINT64_C(1) << number_of(w, fd);
}

/* The epoll descriptor that is meant: the first one from here on, or whatever is here. */
static int epoll_at(const struct twin *w, int from)
{
    for (int i = 0; i < TWIN_REACH; i++) {
        int number = (from + i) % TWIN_REACH;

        if ((w->epolls >> number & 1) != 0)
            return w->fds[number];
    }
    return w->fds[from];
}

static void call_epoll_control(struct twin *w, const struct twin_call *call)
{
    static const uint32_t events[] = {EPOLLIN,
                                      EPOLLIN | EPOLLOUT,
                                      EPOLLIN | EPOLLET,
                                      EPOLLIN | EPOLLONESHOT,
                                      EPOLLIN | EPOLLRDHUP,
                                      EPOLLOUT | EPOLLONESHOT,
                                      EPOLLIN | EPOLLET | EPOLLRDHUP,
                                      0,
                                      EPOLLONESHOT,
                                      EPOLLET};
    static const int whats[] = {EPOLL_CTL_ADD, EPOLL_CTL_ADD, EPOLL_CTL_MOD, EPOLL_CTL_DEL, 9};
    static const char *const names[] = {"add", "add", "mod", "del", "nothing"};
    int epoll = epoll_at(w, call->b % TWIN_REACH);
    struct epoll_event event = {.events = PICK(events, call->c), .data.u64 = call->fd};

    note(w, "epoll_ctl %d %s %d ", number_of(w, epoll), PICK(names, call->a), call->fd);
    note_events(w, event.events);
    note_result(w, epoll_ctl(epoll, PICK(whats, call->a), w->fds[call->fd], &event));
}

static int compare_events(const void *a, const void *b)
{
    const struct epoll_event *x = a;
    const struct epoll_event *y = b;

    return (x->data.u64 > y->data.u64) - (x->data.u64 < y->data.u64);
}

static void call_epoll_wait(struct twin *w, const struct twin_call *call)
{
    struct epoll_event events[TWIN_FDS];
    int epoll = (call->a & 3) != 0 ? epoll_at(w, call->fd) : w->fds[call->fd];
    int rc = epoll_wait(epoll, events, (call->b & 15) != 0 ? TWIN_FDS : 0, 0);

    note(w, "epoll_wait %d", number_of(w, epoll));
    if (rc > 1)
        qsort(events, (size_t)rc, sizeof(events[0]), compare_events);
    for (int i = 0; i < rc; i++) {
        note(w, " %d:", (int)events[i].data.u64);
        note_events(w, events[i].events);
    }
    note_result(w, rc);
}

/* ---- Asking --------------------------------------------------------------------------------- */

static void call_flags(struct twin *w, const struct twin_call *call)
{
    int fd = w->fds[call->fd];
    int rc;

    switch (call->a & 3) {
    case 0:
        rc = fcntl(fd, F_GETFL);
        note(w, "fcntl %d GETFL %#x", call->fd, rc < 0 ? 0U : (unsigned int)rc);
        break;
    case 1:
        rc = fcntl(fd, F_GETFD);
        note(w, "fcntl %d GETFD", call->fd);
        break;
    case 2:
        rc = fcntl(fd, F_SETFD, (call->b & 1) != 0 ? FD_CLOEXEC : 0);
        note(w, "fcntl %d SETFD %d", call->fd, call->b & 1);
        break;
    default:
        rc = fcntl(fd, F_SETFL, (call->b & 1) != 0 ? 0 : O_NONBLOCK);
        note(w, "fcntl %d SETFL %s", call->fd, (call->b & 1) != 0 ? "wait" : "nonblock");
        break;
    }
    note_result(w, rc);
}

static void call_ioctl(struct twin *w, const struct twin_call *call)
{
    int value = call->b & 1;
    bool is_asking = (call->a & 3) != 0;
    int rc = ioctl(w->fds[call->fd], is_asking ? FIONREAD : FIONBIO, &value);

    note(w, "ioctl %d %s", call->fd, is_asking ? "FIONREAD" : "FIONBIO");
    if (rc == 0)
        note(w, " %d", value);
    note_result(w, rc);
}

static void call_option(struct twin *w, const struct twin_call *call)
{
    static const struct {
        int option;
        const char *name;
    } options[] = {{SO_ERROR, "SO_ERROR"},       {SO_TYPE, "SO_TYPE"},
                   {SO_DOMAIN, "SO_DOMAIN"},     {SO_ACCEPTCONN, "SO_ACCEPTCONN"},
                   {SO_PROTOCOL, "SO_PROTOCOL"}, {SO_ERROR, "SO_ERROR"}};
    int value = 0;
    socklen_t size = (call->b & 7) == 7 ? 2 : sizeof(value);
    int rc = getsockopt(w->fds[call->fd], SOL_SOCKET, PICK(options, call->a).option, &value, &size);

    note(w, "getsockopt %d %s", call->fd, PICK(options, call->a).name);
    if (rc == 0 && PICK(options, call->a).option == SO_ERROR)
        note(w, " %s", value == 0 ? "0" : strerrorname_np(value));
    else if (rc == 0)
        note(w, " %d", value);
    note(w, " size %u", size);
    note_result(w, rc);
}

static void call_name(struct twin *w, const struct twin_call *call)
{
    union place place = {0};
    socklen_t size = sizeof(place);
    bool is_peer = (call->a & 1) != 0;
    int rc = is_peer ? getpeername(w->fds[call->fd], &place.any, &size)
                     : getsockname(w->fds[call->fd], &place.any, &size);
    int error = errno;

    note(w, "%s %d", is_peer ? "getpeername" : "getsockname", call->fd);
    if (rc == 0)
        note_place(w, &place, size);
    errno = error;
    note_result(w, rc);
}

/* ---- Programs ------------------------------------------------------------------------------- */

typedef void twin_function(struct twin *w, const struct twin_call *call);

static twin_function *const functions[TWIN_VERBS] = {
    [TWIN_PAIR] = make_pair,
    [TWIN_PIPE] = make_pipe,
    [TWIN_WRITE] = call_write,
    [TWIN_READ] = call_read,
    [TWIN_POLL] = call_poll,
    [TWIN_CLOSE] = call_close,
    [TWIN_SHUTDOWN] = call_shutdown,
    [TWIN_TCP] = make_tcp,
    [TWIN_LOCAL] = make_local,
    [TWIN_SOCKET] = call_socket,
    [TWIN_BIND] = call_bind,
    [TWIN_LISTEN] = call_listen,
    [TWIN_CONNECT] = call_connect,
    [TWIN_ACCEPT] = call_accept,
    [TWIN_SELECT] = call_select,
    [TWIN_EVENTFD] = make_eventfd,
    [TWIN_EPOLL] = make_epoll,
    [TWIN_EPOLL_CONTROL] = call_epoll_control,
    [TWIN_EPOLL_WAIT] = call_epoll_wait,
    [TWIN_FLAGS] = call_flags,
    [TWIN_IOCTL] = call_ioctl,
    [TWIN_OPTION] = call_option,
    [TWIN_NAME] = call_name,
};

/* Numbers that are given, the lowest first. */
static void find_numbers(struct twin *w)
{
    int fd = w->is_kernel ? 0 : MODEL_FD;

    for (int i = 0; i < TWIN_FDS; i++, fd++) {
        while (w->is_kernel && fcntl(fd, F_GETFD) >= 0)
            fd++;
        w->fds[i] = fd;
    }
}

/* Without leaving anything behind in the kernel: what is reset is forgotten at once. */
static void close_all(struct twin *w)
{
    const struct linger now = {.l_onoff = 1};

    for (int i = 0; i < TWIN_FDS; i++) {
        if (fcntl(w->fds[i], F_GETFD) < 0)
            continue;
        if (w->is_kernel)
            (void)setsockopt(w->fds[i], SOL_SOCKET, SO_LINGER, &now, sizeof(now));
        (void)close(w->fds[i]);
    }
}

void twin_run(struct twin *w, const struct twin_call *calls, size_t n)
{
    find_numbers(w);
    for (size_t i = 0; i < n; i++)
        functions[calls[i].verb](w, &calls[i]);
    close_all(w);
}
