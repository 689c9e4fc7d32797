/* socket_transfer.c - bytes that a process reads from a socket and writes to it.
 * SPDX-License-Identifier: MIT
 */
#include "substrate/sockets.h"

#include <signal.h>

struct wait_for_bytes {
    const struct socket *socket;
    uint64_t least; /* bytes */
};

static size_t size_of(const struct iovec *parts, int n_parts)
{
    size_t n = 0;

    for (int i = 0; i < n_parts; i++)
        n += parts[i].iov_len;
    return n;
}

static int64_t take_error(struct socket *s)
{
    int error = s->error;

    s->error = 0;
    return -error;
}

static uint64_t patience(const struct socket *s, int flags, uint64_t timeout_ns)
{
    if (s->is_nonblocking || (flags & MSG_DONTWAIT) != 0)
        return 0;
    return timeout_ns != 0 ? timeout_ns : SN_FOREVER;
}

/* ---- Reading -------------------------------------------------------------------------------- */

static bool can_read(struct trial *t, const void *self)
{
    const struct wait_for_bytes *wait = self;
    const struct socket *s = wait->socket;

    (void)t;
    if (s->kind == SOCKET_COUNTER)
        return s->count > 0;
    if (s->state == SOCKET_CONNECTING)
        return s->is_closed;
    return s->in.used >= wait->least || s->has_end || s->error != 0 || s->reads_shut ||
           s->is_closed || s->state != SOCKET_CONNECTED;
}

static int64_t read_counter(struct trial *t, struct socket *s, const struct iovec *to)
{
    uint64_t value = s->is_semaphore ? 1 : s->count;

    if (to->iov_len < sizeof(value))
        return -EINVAL;
    if (s->count == 0)
        return -EAGAIN;
    s->count -= value;
    memcpy(to->iov_base, &value, sizeof(value));
    socket_changed(t, s);
    return sizeof(value);
}

/* Nothing has arrived. */
static int64_t read_nothing(struct socket *s)
{
    if (s->error != 0)
        return take_error(s);
    if (s->state == SOCKET_NEW)
        return -ENOTCONN;
    return s->has_end || s->reads_shut || s->state == SOCKET_OVER ? 0 : -EAGAIN;
}

/* The writer may have waited for room. */
static void tell_writer(struct trial *t, const struct socket *s, uint32_t had)
{
    struct socket *peer = socket_at(t, s->peer);

    if (s->peer != 0 && had + s->under_way >= SOCKET_WINDOW && !peer->is_dead)
        socket_changed(t, peer);
}

static int64_t take_bytes(struct trial *t, struct socket *s, const struct iovec *parts, int n_parts,
                          bool is_peeking)
{
    size_t n = size_of(parts, n_parts);
    uint32_t had = s->in.used;
    struct socket_bytes in = s->in;
    size_t left;

    n = sockets_shorten(t, s, n < had ? n : had);
    left = n;
    for (int i = 0; i < n_parts && left > 0; i++) {
        size_t part = parts[i].iov_len < left ? parts[i].iov_len : left;

        socket_bytes_get(&in, parts[i].iov_base, (uint32_t)part, false);
        left -= part;
    }
    if (!is_peeking) {
        s->in = in;
        tell_writer(t, s, had);
    }
    return (int64_t)n;
}

int64_t socket_receive(struct trial *t, struct process *p, struct socket *s,
                       const struct iovec *parts, int n_parts, int flags)
{
    size_t n = size_of(parts, n_parts);
    struct wait_for_bytes bytes = {.socket = s,
                                   .least = (flags & MSG_WAITALL) != 0 && n > 0 ? n : 1};
    char text[SOCKET_TEXT];
    const struct process_request request = {
        .text = s->kind == SOCKET_STREAM ? address_text(t, &s->remote, text) : NULL};
    struct process_wait wait = {
        .is_over = can_read, .self = &bytes, .what = "bytes to read from a socket"};

    if (s->kind == SOCKET_LISTENER || s->kind == SOCKET_EPOLL)
        return s->kind == SOCKET_EPOLL ? -EINVAL : -ENOTCONN;
    (void)process_wait_for(t, p, process_phrase(t, VERB_READ), &request, &wait,
                           patience(s, flags, s->receive_ns));
    trial_write(t, &s->object);
    if (s->is_closed || (s->kind == SOCKET_PIPE && s->reads_shut))
        return -EBADF;
    if (s->kind == SOCKET_COUNTER)
        return read_counter(t, s, parts);
    if (n == 0 || s->in.used == 0 || s->reads_shut)
        return n == 0 ? 0 : read_nothing(s);
    return take_bytes(t, s, parts, n_parts, (flags & MSG_PEEK) != 0);
}

/* ---- Writing -------------------------------------------------------------------------------- */

static uint32_t room(struct trial *t, const struct socket *s)
{
    const struct socket *peer = socket_at(t, s->peer);
    uint32_t used = peer->in.used + peer->under_way;

    return used < SOCKET_WINDOW ? SOCKET_WINDOW - used : 0;
}

static bool is_broken(struct trial *t, const struct socket *s)
{
    return s->writes_shut || s->state == SOCKET_NEW || s->state == SOCKET_OVER ||
           ((s->kind == SOCKET_PIPE || s->family == AF_UNIX) && socket_at(t, s->peer)->is_closed);
}

static bool can_write(struct trial *t, const void *self)
{
    const struct socket *s = ((const struct wait_for_bytes *)self)->socket;

    if (s->kind == SOCKET_COUNTER)
        return s->count < UINT64_MAX - 1;
    if (s->state == SOCKET_CONNECTING)
        return s->is_closed;
    return s->is_closed || s->error != 0 || is_broken(t, s) || room(t, s) > 0;
}

static int64_t write_counter(struct trial *t, struct socket *s, const struct iovec *from)
{
    uint64_t value;

    if (from->iov_len < sizeof(value))
        return -EINVAL;
    memcpy(&value, from->iov_base, sizeof(value));
    if (value == UINT64_MAX)
        return -EINVAL;
    if (value > UINT64_MAX - 1 - s->count)
        return -EAGAIN;
    s->count += value;
    socket_changed(t, s);
    return sizeof(value);
}

/* Nobody will read it. What the program has said about the signal holds. */
static int64_t break_pipe(struct trial *t, const struct process *p, int flags)
{
    struct sigaction now;

    if ((flags & MSG_NOSIGNAL) != 0)
        return -EPIPE;
    (void)sigaction(SIGPIPE, NULL, &now);
    if ((now.sa_flags & SA_SIGINFO) == 0 && now.sa_handler == SIG_DFL)
        trial_fail(t, "signal", NULL,
                   "%s writes to a connection that is over, and SIGPIPE, which it neither ignores "
                   "nor handles, ends it",
                   sn_name(p->task));
    if ((now.sa_flags & SA_SIGINFO) != 0 || now.sa_handler != SIG_IGN)
        (void)raise(SIGPIPE);
    return -EPIPE;
}

/* Sends from `skip` on what there is room for. */
static size_t put_bytes(struct trial *t, struct socket *s, const struct iovec *parts, int n_parts,
                        size_t skip)
{
    size_t n = size_of(parts, n_parts) - skip;
    size_t put = 0;

    n = n < room(t, s) ? n : room(t, s);
    if (s->is_nonblocking)
        n = sockets_shorten(t, s, n);
    for (int i = 0; i < n_parts && put < n; i++) {
        size_t from = skip < parts[i].iov_len ? skip : parts[i].iov_len;

        skip -= from;
        while (from < parts[i].iov_len && put < n) {
            size_t part = parts[i].iov_len - from < n - put ? parts[i].iov_len - from : n - put;

            part = part < SOCKET_SEGMENT ? part : SOCKET_SEGMENT;
            segment_send(t, s, SEGMENT_BYTES, (const char *)parts[i].iov_base + from,
                         (uint32_t)part);
            from += part;
            put += part;
        }
    }
    return put;
}

/* One turn of a write. */
static int64_t write_some(struct trial *t, const struct process *p, struct socket *s,
                          const struct iovec *parts, int n_parts, size_t skip, int flags)
{
    trial_write(t, &s->object);
    if (s->is_closed || (s->kind == SOCKET_PIPE && s->writes_shut))
        return -EBADF;
    if (s->kind == SOCKET_COUNTER)
        return write_counter(t, s, parts);
    if (s->error != 0)
        return take_error(s);
    if (is_broken(t, s))
        return break_pipe(t, p, flags);
    if (s->state == SOCKET_CONNECTING || room(t, s) == 0)
        return -EAGAIN;
    return (int64_t)put_bytes(t, s, parts, n_parts, skip);
}

int64_t socket_send(struct trial *t, struct process *p, struct socket *s, const struct iovec *parts,
                    int n_parts, int flags)
{
    struct wait_for_bytes bytes = {.socket = s};
    size_t n = size_of(parts, n_parts);
    char text[SOCKET_TEXT];
    const struct process_request request = {
        .text = s->kind == SOCKET_STREAM ? address_text(t, &s->remote, text) : NULL,
        .payload = n_parts == 1 ? parts[0].iov_base : NULL,
        .size = n_parts == 1 ? parts[0].iov_len : 0};
    struct process_wait wait = {
        .is_over = can_write, .self = &bytes, .what = "room to write to a socket"};
    uint64_t timeout_ns = patience(s, flags, s->send_ns);
    size_t done = 0;

    if (s->kind == SOCKET_LISTENER || s->kind == SOCKET_EPOLL)
        return s->kind == SOCKET_EPOLL ? -EINVAL : -ENOTCONN;
    do {
        int64_t rc;

        (void)process_wait_for(t, p, process_phrase(t, VERB_WRITE), &request, &wait, timeout_ns);
        rc = write_some(t, p, s, parts, n_parts, done, flags);
        if (rc < 0)
            return done > 0 ? (int64_t)done : rc;
        done += (size_t)rc;
    } while (done < n && timeout_ns != 0);
    return (int64_t)done;
}
