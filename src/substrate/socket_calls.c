/* socket_calls.c - what a process does with a socket, but for reading, writing and waiting.
 * SPDX-License-Identifier: MIT
 */
#include "substrate/sockets.h"

/* An operation that the process performs when its turn comes. Until then a task of the process may
 * have closed the descriptor, and opened another one by its number, which is what the operation
 * finds: returned is what it leads to. NULL: it is closed. */
static struct socket *announce(struct trial *t, struct process *p, enum process_verb verb,
                               struct socket *s, const struct address *whom)
{
    char text[SOCKET_TEXT];
    const struct process_request request = {.text =
                                                whom != NULL ? address_text(t, whom, text) : NULL};
    int fd = s->fd;

    process_announce(t, p, process_phrase(verb), &request);
    return s->is_closed ? socket_find(t, fd) : s;
}

/* ---- Connecting ----------------------------------------------------------------------------- */

static bool is_decided(struct trial *t, const void *self)
{
    const struct socket *s = self;

    (void)t;
    return s->state != SOCKET_CONNECTING || s->is_closed;
}

/* It is as if it had never connected. */
static void disconnect(struct socket *s)
{
    s->state = SOCKET_NEW;
    s->told = TOLD_NOTHING;
    s->peer = 0;
    s->reads_shut = s->writes_shut = s->has_end = s->is_ended = false;
    s->in.first = s->in.used = 0;
    s->remote = (struct address){0};
    if (!s->is_bound)
        s->local.ip = 0; /* its port is still told */
    s->is_bound &= s->is_locked;
}

/* The process is told, once, what came of connecting. */
static int64_t conclude(struct trial *t, struct socket *s)
{
    int64_t rc;

    if (s->state == SOCKET_CONNECTED) {
        s->told = TOLD_CONNECTED;
        return 0;
    }
    rc = s->error != 0 ? socket_take_error(s) : -ECONNABORTED;
    disconnect(s);
    socket_changed(t, s); /* for who waits for edges, once more */
    return rc;
}

/* Waits for the answer. */
static int64_t finish(struct trial *t, struct process *p, struct socket *s)
{
    char text[SOCKET_TEXT];
    const struct process_request request = {.text = address_text(t, &s->remote, text)};
    struct process_wait wait = {
        .is_over = is_decided, .self = s, .what = "a connection to be answered"};
    uint64_t timeout_ns = s->send_ns != 0 ? s->send_ns : SN_FOREVER;

    if (!process_wait_for(t, p, process_phrase(VERB_CONNECTED), &request, &wait, timeout_ns)) {
        trial_read(t, &s->object);
        return -EINPROGRESS;
    }
    trial_write(t, &s->object);
    return s->is_closed ? -EBADF : conclude(t, s);
}

/* An address that makes no sense is noticed only where it is needed. */
static int64_t connect_tcp(struct trial *t, struct process *p, struct socket *s,
                           const struct address *remote, int error)
{
    if (s->told == TOLD_IN_PROGRESS && s->state != SOCKET_CONNECTING)
        return conclude(t, s);
    if (s->told == TOLD_IN_PROGRESS)
        return s->is_nonblocking ? -EALREADY : finish(t, p, s);
    if (s->told == TOLD_SHUT)
        return -EINVAL;
    if (s->told == TOLD_CONNECTED || s->kind == SOCKET_LISTENER)
        return -EISCONN;
    if (error != 0)
        return -error;
    if (!s->is_bound)
        s->local.port = socket_port(t, s);
    if (s->local.ip == 0)
        s->local.ip = remote->node == s->local.node && remote->ip != 0
                          ? remote->ip
                          : address_of_node(t, s->local.node);
    s->remote = *remote;
    s->told = TOLD_IN_PROGRESS;
    segment_connect(t, s);
    process_wake(t);
    if (s->is_nonblocking)
        return -EINPROGRESS;
    return s->state == SOCKET_CONNECTING ? finish(t, p, s) : conclude(t, s);
}

static bool has_room(struct trial *t, const void *self)
{
    const struct socket *listener = self;

    (void)t;
    return !socket_is_full(listener) || listener->is_closed || listener->reads_shut;
}

/* Nobody tries again to connect to a local socket: it is waited for. */
static int64_t connect_local(struct trial *t, struct process *p, struct socket *s,
                             const struct address *remote)
{
    struct socket *listener = socket_listener(t, remote);
    struct process_wait wait = {.is_over = has_room, .what = "somebody to accept a connection"};
    uint64_t timeout_ns = s->is_nonblocking ? 0 : s->send_ns != 0 ? s->send_ns : SN_FOREVER;

    while (listener != NULL && socket_is_full(listener) && !listener->reads_shut) {
        trial_read(t, &listener->object);
        wait.self = listener;
        wait.object = &listener->object;
        if (timeout_ns == 0 ||
            !process_wait_for(t, p, process_phrase(VERB_CONNECTED), NULL, &wait, timeout_ns))
            return -EAGAIN;
        listener = socket_listener(t, remote);
    }
    if (s->is_closed)
        return -EBADF;
    if (listener == NULL || listener->reads_shut)
        return -ECONNREFUSED;
    if (s->kind == SOCKET_LISTENER || s->state != SOCKET_NEW)
        return s->state == SOCKET_CONNECTED ? -EISCONN : -EINVAL;
    s->remote = *remote;
    segment_connect(t, s);
    process_wake(t);
    return 0;
}

int64_t socket_connect(struct trial *t, struct process *p, struct socket *s,
                       const struct sockaddr *to, socklen_t size)
{
    struct address remote;
    int error = address_read(t, s, to, size, &remote);
    struct socket *now;

    if (!socket_is_socket(s))
        return -ENOTSOCK;
    if (error != 0 && s->family == AF_UNIX)
        return -error;
    now = announce(t, p, VERB_CONNECT, s, error == 0 ? &remote : NULL);
    if (now != s)
        return now != NULL ? socket_connect(t, p, now, to, size) : -EBADF;
    trial_write(t, &s->object);
    if (s->family == AF_UNIX)
        return connect_local(t, p, s, &remote);
    return connect_tcp(t, p, s, &remote, error);
}

/* ---- Listening ------------------------------------------------------------------------------ */

/* Whether somebody else has an address, or a part of it. */
static bool is_taken(struct trial *t, const struct socket *s, const struct address *a)
{
    trial_read(t, &socket_host(t, a->node)->ports);
    for (uint32_t i = 1; i < t->now.n_own[OWN_SOCKETS]; i++) {
        const struct socket *other = socket_at(t, i);

        if (other != s && other->is_bound && !other->is_closed && !other->is_dead &&
            address_covers(&other->local, a) &&
            (!other->is_reusable || !s->is_reusable || other->kind == SOCKET_LISTENER))
            return true;
    }
    return false;
}

/* Whether a socket of TCP has a port, asked for or not. */
static bool is_in_use(const struct socket *s)
{
    return socket_is_tcp(s) && (s->kind == SOCKET_LISTENER || s->state == SOCKET_CONNECTING ||
                                s->state == SOCKET_CONNECTED);
}

int64_t socket_bind(struct trial *t, struct socket *s, const struct sockaddr *to, socklen_t size)
{
    struct address local;
    int error = address_read(t, s, to, size, &local);

    if (!socket_is_socket(s))
        return -ENOTSOCK;
    if (error != 0)
        return error == ENETUNREACH ? -EADDRNOTAVAIL : -error;
    if (local.node != s->local.node)
        return -EADDRNOTAVAIL;
    if (s->is_bound || s->local.path_size != 0 || is_in_use(s))
        return -EINVAL;
    if ((local.port != 0 || local.path_size != 0) && is_taken(t, s, &local)) {
        s->local.ip = 0; /* that of its last connection, as Linux has it */
        return -EADDRINUSE;
    }
    s->is_locked = local.port != 0;
    if (local.port == 0 && local.path_size == 0)
        local.port = socket_port(t, s);
    trial_write(t, &socket_host(t, local.node)->ports);
    trial_write(t, &s->object);
    s->local = local;
    s->is_bound = true;
    return 0;
}

int64_t socket_listen(struct trial *t, struct process *p, struct socket *s, int backlog)
{
    struct socket *now;

    if (!socket_is_socket(s))
        return -ENOTSOCK;
    now = announce(t, p, VERB_LISTEN, s, &s->local);
    if (now != s)
        return now != NULL ? socket_listen(t, p, now, backlog) : -EBADF;
    if (s->state != SOCKET_NEW || s->told != TOLD_NOTHING || (!socket_is_tcp(s) && !s->is_bound))
        return -EINVAL;
    if (!s->is_bound)
        s->local.port = socket_port(t, s);
    if (s->kind != SOCKET_LISTENER && socket_listener(t, &s->local) != NULL)
        return -EADDRINUSE;
    trial_write(t, &socket_host(t, s->local.node)->ports);
    s->kind = SOCKET_LISTENER;
    s->is_bound = true;
    s->backlog =
        (unsigned int)backlog < SOCKET_BACKLOG_MAX ? (uint32_t)backlog : SOCKET_BACKLOG_MAX;
    segment_listen(t, s->local.node);
    socket_changed(t, s);
    return 0;
}

const struct address *socket_peer_name(struct trial *t, const struct socket *s)
{
    if (socket_is_tcp(s))
        return &s->remote;
    trial_read(t, &socket_at(t, s->peer)->object);
    return &socket_at(t, s->peer)->local;
}

static bool has_pending(struct trial *t, const void *self)
{
    const struct socket *s = self;

    (void)t;
    return s->first_pending != 0 || s->is_closed || s->kind != SOCKET_LISTENER ||
           (s->reads_shut && !socket_is_tcp(s));
}

int64_t socket_accept(struct trial *t, struct process *p, struct socket *s, struct sockaddr *from,
                      socklen_t *size, int flags)
{
    char text[SOCKET_TEXT];
    const struct process_request request = {.text = address_text(t, &s->local, text)};
    struct process_wait wait = {.is_over = has_pending, .self = s, .what = "somebody to connect"};
    uint64_t timeout_ns = s->is_nonblocking ? 0 : s->receive_ns != 0 ? s->receive_ns : SN_FOREVER;
    struct socket *taken;
    int fd = s->fd;

    if ((flags & ~(SOCK_NONBLOCK | SOCK_CLOEXEC)) != 0)
        return -EINVAL;
    if (s->kind != SOCKET_LISTENER)
        return socket_is_socket(s) ? -EINVAL : -ENOTSOCK;
    if (!process_wait_for(t, p, process_phrase(VERB_ACCEPT), &request, &wait, timeout_ns)) {
        trial_read(t, &s->object);
        return -EAGAIN;
    }
    if (s->is_closed) {
        s = socket_find(t, fd);
        return s != NULL ? socket_accept(t, p, s, from, size, flags) : -EBADF;
    }
    trial_write(t, &s->object);
    if (s->first_pending == 0)
        return s->is_nonblocking && s->kind == SOCKET_LISTENER ? -EAGAIN : -EINVAL;
    taken = socket_at(t, s->first_pending);
    s->first_pending = taken->next_pending;
    s->n_pending--;
    taken->is_nonblocking = (flags & SOCK_NONBLOCK) != 0;
    taken->is_cloexec = (flags & SOCK_CLOEXEC) != 0;
    address_write(taken, socket_peer_name(t, taken), from, size);
    process_wake(t);
    return socket_give(t, taken);
}

/* ---- Ends ----------------------------------------------------------------------------------- */

/* Both ends of a local connection know at once. */
static int64_t shut_local(struct trial *t, struct socket *s, int how)
{
    struct socket *peer = socket_at(t, s->peer);

    s->reads_shut |= how != SHUT_WR;
    s->writes_shut |= how != SHUT_RD;
    socket_changed(t, s);
    if (s->peer == 0 || peer->is_closed)
        return 0;
    peer->writes_shut |= how != SHUT_WR;
    peer->reads_shut |= how != SHUT_RD;
    socket_changed(t, peer);
    return 0;
}

static int64_t shut_tcp(struct trial *t, struct socket *s, int how)
{
    bool is_connected = s->state == SOCKET_CONNECTED;

    if (s->told == TOLD_IN_PROGRESS)
        s->told = is_connected ? TOLD_CONNECTED : TOLD_SHUT;
    if (s->kind == SOCKET_LISTENER) {
        if (how != SHUT_WR) {
            socket_stop_listening(t, s);
            disconnect(s);
        }
    } else if (s->state == SOCKET_CONNECTING) {
        segment_stop_timer(t, s);
        disconnect(s);
    } else {
        s->reads_shut |= how != SHUT_WR;
        s->writes_shut |= how != SHUT_RD;
        if (how != SHUT_RD && is_connected && !s->is_ended) {
            s->is_ended = true;
            segment_send(t, s, SEGMENT_END, NULL, 0);
            if (s->has_end)
                socket_end(s, s->error);
        }
        socket_changed(t, s);
        return is_connected ? 0 : -ENOTCONN;
    }
    socket_changed(t, s);
    return 0;
}

int64_t socket_shutdown(struct trial *t, struct process *p, struct socket *s, int how)
{
    struct socket *now;

    if (!socket_is_socket(s))
        return -ENOTSOCK;
    now = announce(t, p, VERB_SHUTDOWN, s, &s->remote);
    if (now != s)
        return now != NULL ? socket_shutdown(t, p, now, how) : -EBADF;
    trial_write(t, &s->object);
    if (how != SHUT_RD && how != SHUT_WR && how != SHUT_RDWR)
        return -EINVAL;
    return socket_is_tcp(s) ? shut_tcp(t, s, how) : shut_local(t, s, how);
}

int64_t socket_close_by(struct trial *t, struct process *p, struct socket *s)
{
    s = announce(t, p, VERB_CLOSE, s, s->state == SOCKET_CONNECTED ? &s->remote : NULL);
    if (s == NULL)
        return -EBADF;
    socket_close(t, s);
    return 0;
}
