/* socket_transfer.c - bytes that a process reads from a socket and writes to it.
 * SPDX-License-Identifier: MIT
 */
#include "substrate/sockets.h"

#include <limits.h>
#include <signal.h>

/* What is read or written by one call, and how far that is. */
struct transfer {
    const struct iovec *parts;
    int n_parts;
    int flags;
    size_t n; /* bytes in all */
    size_t done;
};

struct wait_for_bytes {
    const struct socket *socket;
    uint64_t least; /* bytes; of a counter, what is added */
};

/* As much as a kernel moves at a time. */
#define TRANSFER_MAX ((size_t)INT_MAX & ~(size_t)4095)

/* 0, or an error. */
static int64_t begin(struct transfer *transfer, const struct iovec *parts, int n_parts, int flags)
{
    *transfer = (struct transfer){.parts = parts, .n_parts = n_parts, .flags = flags};
    if (n_parts < 0 || n_parts > IOV_MAX)
        return -EINVAL;
    for (int i = 0; i < n_parts; i++) {
        size_t n = parts[i].iov_len;

        if (n > SSIZE_MAX)
            return -EINVAL;
        transfer->n += n < TRANSFER_MAX - transfer->n ? n : TRANSFER_MAX - transfer->n;
    }
    return 0;
}

static uint64_t patience(const struct socket *s, int flags, uint64_t timeout_ns)
{
    if (s->is_nonblocking || (flags & MSG_DONTWAIT) != 0)
        return 0;
    return timeout_ns != 0 ? timeout_ns : SN_FOREVER;
}

/* The bytes of a transfer from where it is, as far as they lie together. */
static char *next_part(const struct transfer *transfer, size_t *n)
{
    size_t skip = transfer->done;
    int i = 0;

    while (skip >= transfer->parts[i].iov_len)
        skip -= transfer->parts[i++].iov_len;
    *n = transfer->parts[i].iov_len - skip;
    return (char *)transfer->parts[i].iov_base + skip;
}

/* ---- Reading -------------------------------------------------------------------------------- */

static bool can_read(struct trial *t, const void *self)
{
    const struct wait_for_bytes *wait = self;
    const struct socket *s = wait->socket;

    (void)t;
    if (s->is_closed)
        return true;
    if (s->kind == SOCKET_COUNTER)
        return s->count > 0;
    if (s->state == SOCKET_CONNECTING)
        return false;
    return s->in.used >= wait->least || s->has_end || s->error != 0 || s->reads_shut ||
           s->state != SOCKET_CONNECTED;
}

static int64_t read_counter(struct trial *t, struct socket *s, struct transfer *transfer)
{
    uint64_t value = s->is_semaphore ? 1 : s->count;
    bool was_full = s->count == UINT64_MAX - 1;
    char bytes[sizeof(value)];

    if (s->count == 0)
        return -EAGAIN;
    s->count -= value;
    memcpy(bytes, &value, sizeof(value));
    while (transfer->done < sizeof(value)) {
        size_t n;
        char *to = next_part(transfer, &n);

        n = n < sizeof(value) - transfer->done ? n : sizeof(value) - transfer->done;
        memcpy(to, bytes + transfer->done, n);
        transfer->done += n;
    }
    s->changes += was_full;
    socket_touched(t, s);
    return sizeof(value);
}

/* Nothing has arrived. What came first differs: TCP remembers the end before a reset. */
static int64_t read_nothing(struct socket *s)
{
    if (s->kind == SOCKET_PIPE)
        return s->has_end ? 0 : -EAGAIN;
    if (!socket_is_tcp(s) && s->state != SOCKET_CONNECTED)
        return -EINVAL;
    if (socket_is_tcp(s) && s->has_end)
        return 0;
    if (s->error != 0)
        return socket_take_error(s);
    if (s->reads_shut)
        return 0;
    return s->state == SOCKET_NEW ? -ENOTCONN : -EAGAIN;
}

/* The writer may have waited for room. */
static void tell_writer(struct trial *t, const struct socket *s, uint32_t had)
{
    struct socket *peer = socket_at(t, s->peer);

    if (s->peer != 0 && had + s->under_way >= SOCKET_WINDOW && !peer->is_dead)
        socket_changed(t, peer);
}

static int64_t take_bytes(struct trial *t, struct socket *s, struct transfer *transfer)
{
    uint32_t had = s->in.used;
    struct socket_bytes in = s->in;
    size_t left = transfer->n - transfer->done;
    size_t taken;

    taken = left = sockets_shorten(t, s, left < had ? left : had);
    while (left > 0) {
        size_t n;
        char *to = next_part(transfer, &n);

        n = n < left ? n : left;
        socket_bytes_get(&in, to, (uint32_t)n, false);
        transfer->done += n;
        left -= n;
    }
    if ((transfer->flags & MSG_PEEK) == 0) {
        s->in = in;
        tell_writer(t, s, had);
    }
    return (int64_t)taken;
}

/* Whether a call returns before anybody looks at the socket. */
static bool is_nothing(const struct socket *s, const struct transfer *transfer)
{
    return transfer->n == 0 && (transfer->flags & SOCKET_EMPTY_IS_NOTHING) != 0 &&
           s->kind != SOCKET_EPOLL && s->kind != SOCKET_POSTS;
}

/* Of what can never be read. */
static int64_t refuse_read(const struct socket *s, const struct transfer *transfer)
{
    if (s->kind == SOCKET_PIPE && s->reads_shut)
        return -EBADF;
    if (is_nothing(s, transfer))
        return 0;
    if (s->kind == SOCKET_LISTENER)
        return socket_is_tcp(s) ? -ENOTCONN : -EINVAL;
    if (s->kind == SOCKET_EPOLL || s->kind == SOCKET_POSTS ||
        (s->kind == SOCKET_COUNTER && transfer->n < sizeof(uint64_t)))
        return -EINVAL;
    return 0;
}

/* How many bytes a call waits for, in one of its turns: more than there is room for never come. */
static uint64_t least_of(const struct transfer *transfer)
{
    size_t left = transfer->n - transfer->done;

    if ((transfer->flags & MSG_WAITALL) == 0 || left == 0)
        return 1;
    return left < SOCKET_WINDOW ? left : SOCKET_WINDOW;
}

static int64_t read_some(struct trial *t, struct socket *s, struct transfer *transfer)
{
    trial_write(t, &s->object);
    if (s->is_closed)
        return -EBADF;
    if (s->kind == SOCKET_COUNTER)
        return read_counter(t, s, transfer);
    return s->in.used == 0 ? read_nothing(s) : take_bytes(t, s, transfer);
}

/* Who wants all of some bytes looks behind those that there are. Of a local socket he finds what is
 * wrong with it there, and nobody is told any more, since the bytes are the result. */
static void look_behind(struct socket *s, const struct transfer *transfer)
{
    bool is_peek = (transfer->flags & MSG_PEEK) != 0;

    if (s->kind == SOCKET_STREAM && !socket_is_tcp(s) && (transfer->flags & MSG_WAITALL) != 0 &&
        transfer->done > 0 && transfer->done < transfer->n &&
        s->in.used == (is_peek ? transfer->done : 0))
        s->error = 0;
}

int64_t socket_receive(struct trial *t, struct process *p, struct socket *s,
                       const struct iovec *parts, int n_parts, int flags)
{
    struct transfer transfer;
    int64_t rc = begin(&transfer, parts, n_parts, flags);
    uint64_t timeout_ns = patience(s, flags, s->receive_ns);
    struct wait_for_bytes bytes = {.socket = s};
    struct process_wait wait = {
        .is_over = can_read, .self = &bytes, .what = "bytes to read from a socket"};
    char text[SOCKET_TEXT];
    const struct process_request request = {
        .text = s->kind == SOCKET_STREAM ? address_text(t, &s->remote, text) : NULL};
    int fd = s->fd;

    if (rc == 0)
        rc = refuse_read(s, &transfer);
    if (rc < 0 || is_nothing(s, &transfer))
        return rc;
    do {
        bytes.least = least_of(&transfer);
        (void)process_wait_for(t, p, process_phrase(VERB_READ), &request, &wait, timeout_ns);
        if (s->is_closed && transfer.done == 0 && socket_find(t, fd) != NULL)
            return socket_receive(t, p, socket_find(t, fd), parts, n_parts, flags);
        rc = read_some(t, s, &transfer);
    } while (rc >= (int64_t)bytes.least && (flags & MSG_WAITALL) != 0 && timeout_ns != 0 &&
             (flags & MSG_PEEK) == 0 && transfer.done < transfer.n);
    look_behind(s, &transfer);
    return transfer.done > 0 ? (int64_t)transfer.done : rc;
}

/* ---- Writing -------------------------------------------------------------------------------- */

static uint32_t room(struct trial *t, const struct socket *s)
{
    const struct socket *peer = socket_at(t, s->peer);
    uint32_t used = peer->in.used + peer->under_way;

    return used < SOCKET_WINDOW ? SOCKET_WINDOW - used : 0;
}

/* Nobody will read what is written. */
static bool is_broken(const struct socket *s)
{
    if (s->kind == SOCKET_PIPE)
        return s->has_end;
    return s->writes_shut || s->state != SOCKET_CONNECTED || s->kind == SOCKET_LISTENER;
}

static bool can_write(struct trial *t, const void *self)
{
    const struct wait_for_bytes *wait = self;
    const struct socket *s = wait->socket;

    if (s->is_closed)
        return true;
    if (s->kind == SOCKET_COUNTER)
        return wait->least <= UINT64_MAX - 1 - s->count;
    if (s->state == SOCKET_CONNECTING)
        return false;
    return s->error != 0 || is_broken(s) || wait->least == 0 || room(t, s) > 0;
}

static int64_t write_counter(struct trial *t, struct socket *s, uint64_t value)
{
    if (value > UINT64_MAX - 1 - s->count)
        return -EAGAIN;
    s->count += value;
    socket_changed(t, s);
    return sizeof(value);
}

/* What the program has said about the signal holds. */
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

/* Sends what there is room for. How much that is depends on what the other end has read so far,
 * unless all that was ever sent has room. */
static int64_t put_bytes(struct trial *t, struct socket *s, struct transfer *transfer)
{
    size_t left = transfer->n - transfer->done;
    size_t put;

    if (s->sent + left > SOCKET_WINDOW)
        trial_read(t, &socket_at(t, s->peer)->object);
    left = left < room(t, s) ? left : room(t, s);
    if (s->is_nonblocking)
        left = sockets_shorten(t, s, left);
    put = left;
    s->sent += put;
    while (left > 0) {
        size_t n;
        const char *from = next_part(transfer, &n);

        n = n < left ? n : left;
        n = n < SOCKET_SEGMENT ? n : SOCKET_SEGMENT;
        segment_send(t, s, SEGMENT_BYTES, from, (uint32_t)n);
        transfer->done += n;
        left -= n;
    }
    return (int64_t)put;
}

/* Of what can never be written, or not this. */
static int64_t refuse_write(const struct socket *s, const struct transfer *transfer,
                            uint64_t *value)
{
    const char *from;
    size_t n = 0;

    if (s->kind == SOCKET_EPOLL || s->kind == SOCKET_POSTS)
        return -EINVAL;
    if (s->kind == SOCKET_PIPE && s->writes_shut)
        return -EBADF;
    if (s->kind != SOCKET_COUNTER || is_nothing(s, transfer))
        return 0;
    if (transfer->n < sizeof(*value))
        return -EINVAL;
    from = next_part(transfer, &n);
    if (n < sizeof(*value))
        return -EINVAL;
    memcpy(value, from, sizeof(*value));
    return *value == UINT64_MAX ? -EINVAL : 0;
}

/* One turn of a write. */
static int64_t write_some(struct trial *t, const struct process *p, struct socket *s,
                          struct transfer *transfer, uint64_t value)
{
    trial_write(t, &s->object);
    if (s->is_closed)
        return -EBADF;
    if (s->kind == SOCKET_COUNTER)
        return write_counter(t, s, value);
    if (s->kind == SOCKET_PIPE && transfer->n == 0)
        return 0;
    if (s->state == SOCKET_CONNECTING)
        return -EAGAIN;
    if (s->kind != SOCKET_PIPE && !socket_is_tcp(s) && s->state == SOCKET_NEW)
        return -ENOTCONN;
    if (socket_is_tcp(s) && s->error != 0 && s->error != EPIPE)
        return socket_take_error(s);
    if (is_broken(s)) {
        s->error = socket_is_tcp(s) ? 0 : s->error;
        return break_pipe(t, p, transfer->flags);
    }
    if (transfer->n == 0)
        return 0;
    return room(t, s) == 0 ? -EAGAIN : put_bytes(t, s, transfer);
}

int64_t socket_send(struct trial *t, struct process *p, struct socket *s, const struct iovec *parts,
                    int n_parts, int flags)
{
    struct transfer transfer;
    int64_t rc = begin(&transfer, parts, n_parts, flags);
    struct wait_for_bytes bytes = {.socket = s, .least = transfer.n};
    char text[SOCKET_TEXT];
    const struct process_request request = {
        .text = s->kind == SOCKET_STREAM ? address_text(t, &s->remote, text) : NULL,
        .payload = n_parts == 1 ? parts[0].iov_base : NULL,
        .size = n_parts == 1 ? parts[0].iov_len : 0};
    struct process_wait wait = {
        .is_over = can_write, .self = &bytes, .what = "room to write to a socket"};
    uint64_t timeout_ns = patience(s, flags, s->send_ns);
    int fd = s->fd;

    if (rc == 0)
        rc = refuse_write(s, &transfer, &bytes.least);
    if (rc < 0 || is_nothing(s, &transfer))
        return rc;
    do {
        (void)process_wait_for(t, p, process_phrase(VERB_WRITE), &request, &wait, timeout_ns);
        if (s->is_closed && transfer.done == 0 && socket_find(t, fd) != NULL)
            return socket_send(t, p, socket_find(t, fd), parts, n_parts, flags);
        rc = write_some(t, p, s, &transfer, bytes.least);
    } while (rc > 0 && s->kind != SOCKET_COUNTER && transfer.done < transfer.n && timeout_ns != 0);
    return transfer.done > 0 ? (int64_t)transfer.done : rc;
}
