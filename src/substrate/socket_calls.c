/* socket_calls.c - what a process does with a socket, but for reading, writing and waiting.
 * SPDX-License-Identifier: MIT
 */
#include "substrate/sockets.h"

/* An operation that the process performs when its turn comes. */
static void announce(struct trial *t, struct process *p, enum process_verb verb,
                     const struct address *whom)
{
    char text[SOCKET_TEXT];
    const struct process_request request = {.text =
                                                whom != NULL ? address_text(t, whom, text) : NULL};

    process_announce(t, p, process_phrase(t, verb), &request);
}

/* ---- Connecting ----------------------------------------------------------------------------- */

static bool is_decided(struct trial *t, const void *self)
{
    const struct socket *s = self;

    (void)t;
    return s->state != SOCKET_CONNECTING;
}

static int64_t take_error(struct socket *s)
{
    int error = s->error;

    s->error = 0;
    return -error;
}

/* Waits for the answer. */
static int64_t finish(struct trial *t, struct process *p, struct socket *s)
{
    char text[SOCKET_TEXT];
    const struct process_request request = {.text = address_text(t, &s->remote, text)};
    struct process_wait wait = {
        .is_over = is_decided, .self = s, .what = "a connection to be answered"};
    uint64_t timeout_ns = s->send_ns != 0 ? s->send_ns : SN_FOREVER;

    if (!process_wait_for(t, p, process_phrase(t, VERB_CONNECTED), &request, &wait, timeout_ns)) {
        trial_read(t, &s->object);
        return -EINPROGRESS;
    }
    trial_write(t, &s->object);
    return take_error(s);
}

int64_t socket_connect(struct trial *t, struct process *p, struct socket *s,
                       const struct sockaddr *to, socklen_t size)
{
    struct address remote;
    int error = address_read(t, s, to, size, &remote);

    if (error != 0)
        return -error;
    announce(t, p, VERB_CONNECT, &remote);
    trial_write(t, &s->object);
    if (s->kind != SOCKET_STREAM)
        return -EOPNOTSUPP;
    if (s->error != 0)
        return take_error(s);
    if (s->state == SOCKET_CONNECTED)
        return -EISCONN;
    if (s->state == SOCKET_CONNECTING)
        return -EALREADY;
    if (s->local.ip == 0)
        s->local.ip = remote.node == s->local.node && remote.ip != 0
                          ? remote.ip
                          : address_of_node(t, s->local.node);
    s->remote = remote;
    segment_connect(t, s);
    process_wake(t);
    if (s->state != SOCKET_CONNECTING)
        return take_error(s);
    return s->is_nonblocking ? -EINPROGRESS : finish(t, p, s);
}

/* ---- Listening ------------------------------------------------------------------------------ */

int64_t socket_bind(struct trial *t, struct socket *s, const struct sockaddr *to, socklen_t size)
{
    struct address local;
    int error = address_read(t, s, to, size, &local);
    const struct socket *other;

    if (error != 0)
        return -error;
    if (local.node != s->local.node)
        return -EADDRNOTAVAIL;
    other = local.port != 0 || local.path_size != 0 ? socket_listener(t, &local) : NULL;
    if (other != NULL && other != s)
        return -EADDRINUSE;
    if (local.port == 0)
        local.port = s->local.port;
    s->local = local;
    return 0;
}

int64_t socket_listen(struct trial *t, struct process *p, struct socket *s, int backlog)
{
    struct host *host = socket_host(t, s->local.node);
    const struct socket *other;

    announce(t, p, VERB_LISTEN, &s->local);
    other = socket_listener(t, &s->local);
    if (other != NULL && other != s)
        return -EADDRINUSE;
    if (s->state != SOCKET_NEW || (s->kind != SOCKET_STREAM && s->kind != SOCKET_LISTENER))
        return -EINVAL;
    trial_write(t, &host->ports);
    s->kind = SOCKET_LISTENER;
    s->backlog = backlog > 0 ? (uint32_t)backlog : 0;
    segment_listen(t, s->local.node);
    socket_changed(t, s);
    return 0;
}

static bool has_pending(struct trial *t, const void *self)
{
    const struct socket *s = self;

    (void)t;
    return s->first_pending != 0 || s->is_closed;
}

int64_t socket_accept(struct trial *t, struct process *p, struct socket *s, struct sockaddr *from,
                      socklen_t *size, int flags)
{
    char text[SOCKET_TEXT];
    const struct process_request request = {.text = address_text(t, &s->local, text)};
    struct process_wait wait = {.is_over = has_pending, .self = s, .what = "somebody to connect"};
    uint64_t timeout_ns = s->is_nonblocking ? 0 : s->receive_ns != 0 ? s->receive_ns : SN_FOREVER;
    struct socket *taken;

    if (s->kind != SOCKET_LISTENER)
        return -EINVAL;
    if (!process_wait_for(t, p, process_phrase(t, VERB_ACCEPT), &request, &wait, timeout_ns)) {
        trial_read(t, &s->object);
        return -EAGAIN;
    }
    trial_write(t, &s->object);
    if (s->first_pending == 0)
        return -EINVAL;
    taken = socket_at(t, s->first_pending);
    s->first_pending = taken->next_pending;
    s->n_pending--;
    taken->is_nonblocking = (flags & SOCK_NONBLOCK) != 0;
    address_write(t, taken, &taken->remote, from, size);
    process_wake(t);
    return socket_give(t, taken);
}

/* ---- Ends ----------------------------------------------------------------------------------- */

int64_t socket_shutdown(struct trial *t, struct process *p, struct socket *s, int how)
{
    announce(t, p, VERB_SHUTDOWN, &s->remote);
    trial_write(t, &s->object);
    if (how != SHUT_RD && how != SHUT_WR && how != SHUT_RDWR)
        return -EINVAL;
    if (s->kind != SOCKET_STREAM || s->state != SOCKET_CONNECTED)
        return -ENOTCONN;
    if (how != SHUT_RD && !s->writes_shut) {
        s->writes_shut = true;
        segment_send(t, s, SEGMENT_END, NULL, 0);
    }
    s->reads_shut |= how != SHUT_WR;
    socket_changed(t, s);
    return 0;
}

int64_t socket_close_by(struct trial *t, struct process *p, struct socket *s)
{
    announce(t, p, VERB_CLOSE, s->state == SOCKET_CONNECTED ? &s->remote : NULL);
    socket_close(t, s);
    return 0;
}
