/* socket_poll.c - waiting for several sockets at a time: poll, and epoll.
 * SPDX-License-Identifier: MIT
 */
#include "substrate/post.h"
#include "substrate/sockets.h"

/* ---- What is ready -------------------------------------------------------------------------- */

enum {
    READABLE = POLLIN | POLLRDNORM,
    WRITABLE = POLLOUT | POLLWRNORM,
};

static bool has_room(struct trial *t, const struct socket *s)
{
    const struct socket *peer = socket_at(t, s->peer);

    return peer->is_closed || peer->in.used + peer->under_way < SOCKET_WINDOW;
}

static int pipe_ready(struct trial *t, const struct socket *s)
{
    if (s->reads_shut)
        return (has_room(t, s) ? WRITABLE : 0) | (s->has_end ? POLLERR : 0);
    return (s->in.used > 0 ? READABLE : 0) | (s->has_end ? POLLHUP : 0);
}

static int stream_ready(struct trial *t, const struct socket *s)
{
    bool is_over = s->state == SOCKET_NEW || s->state == SOCKET_OVER;
    int ready = 0;

    if (s->reads_shut)
        ready |= READABLE | POLLRDHUP;
    if (s->error != 0)
        ready |= POLLERR;
    if (s->state == SOCKET_CONNECTING)
        return ready;
    if (s->in.used > 0)
        ready |= READABLE;
    if (is_over || (socket_is_tcp(s) && s->writes_shut) || has_room(t, s))
        ready |= WRITABLE;
    if (is_over || (s->reads_shut && s->writes_shut))
        ready |= POLLHUP;
    return ready;
}

static int listener_ready(const struct socket *s)
{
    int ready = s->first_pending != 0 ? READABLE : 0;

    if (!socket_is_tcp(s) && s->reads_shut)
        ready |= READABLE | POLLRDHUP | (s->writes_shut ? POLLHUP : 0);
    return ready;
}

static bool is_any_ready(struct trial *t, const struct socket *epoll);

short socket_ready(struct trial *t, const struct socket *s)
{
    switch (s->kind) {
    case SOCKET_LISTENER:
        return (short)listener_ready(s);
    case SOCKET_COUNTER:
        return (short)((s->count > 0 ? POLLIN : 0) | (s->count < UINT64_MAX - 1 ? POLLOUT : 0));
    case SOCKET_EPOLL:
        return is_any_ready(t, s) ? READABLE : 0;
    case SOCKET_POSTS:
        return posts_wait(t, process_of(t, (uint32_t)s->count)) ? POLLIN : 0;
    case SOCKET_PIPE:
        return (short)pipe_ready(t, s);
    default:
        return (short)stream_ready(t, s);
    }
}

/* ---- What epoll descriptors wait for --------------------------------------------------------- */

/* Of an epoll descriptor, from one of its watches on; NULL: there are no more. */
static struct socket_watch *next_watch(struct trial *t, const struct socket *epoll, uint32_t from)
{
    struct socket_watch *all = t->processes->sockets->watches;
    uint32_t index = socket_index(t, epoll);

    for (uint32_t i = from; i < t->now.n_own[OWN_SOCKET_WATCHES]; i++) {
        if (all[i].epoll == index)
            return &all[i];
    }
    return NULL;
}

#define EACH_WATCH(w_, epoll_)                                                                     \
    struct socket_watch *(w_) = next_watch(t, (epoll_), 0);                                        \
    (w_) != NULL;                                                                                  \
    (w_) = next_watch(t, (epoll_), (uint32_t)((w_)-t->processes->sockets->watches) + 1)

/* ---- poll ----------------------------------------------------------------------------------- */

struct poll_wait {
    struct pollfd *fds;
    struct socket *const *sockets;
    nfds_t n;
};

static short events_of(struct trial *t, const struct pollfd *fd, const struct socket *s)
{
    return (short)(socket_ready(t, s) & (fd->events | POLLERR | POLLHUP));
}

static bool is_one_ready(struct trial *t, const void *self)
{
    const struct poll_wait *wait = self;

    for (nfds_t i = 0; i < wait->n; i++) {
        if (wait->fds[i].fd >= 0 && (wait->sockets[i] == NULL || wait->sockets[i]->is_closed ||
                                     events_of(t, &wait->fds[i], wait->sockets[i]) != 0))
            return true;
    }
    return false;
}

/* The running step depends on how ready a socket is: an epoll descriptor is if one of those is that
 * it waits for. */
static void look_at(struct trial *t, const struct socket *s)
{
    trial_read(t, &s->object);
    if (s->kind == SOCKET_POSTS)
        trial_read(t, &process_of(t, (uint32_t)s->count)->mailbox);
    if (s->kind != SOCKET_EPOLL)
        return;
    for (EACH_WATCH(w, s))
        look_at(t, socket_at(t, w->socket));
}

/* What was open when the waiting began may be closed by now, and its number used again. */
static int64_t note_ready(struct trial *t, const struct poll_wait *wait)
{
    int64_t n = 0;

    for (nfds_t i = 0; i < wait->n; i++) {
        struct pollfd *fd = &wait->fds[i];
        const struct socket *s = wait->sockets[i];

        fd->revents = 0;
        if (fd->fd < 0)
            continue;
        if (s != NULL && s->is_closed)
            s = socket_find(t, fd->fd);
        if (s == NULL) {
            fd->revents = POLLNVAL;
        } else {
            look_at(t, s);
            fd->revents = events_of(t, fd, s);
        }
        n += fd->revents != 0;
    }
    return n;
}

int64_t socket_poll(struct trial *t, struct process *p, struct pollfd *fds, nfds_t n,
                    uint64_t timeout_ns)
{
    struct socket **sockets = trial_alloc(t, (n + 1) * sizeof(struct socket *));
    struct poll_wait poll = {.fds = fds, .sockets = sockets, .n = n};
    struct process_wait wait = {
        .is_over = is_one_ready, .self = &poll, .what = "a descriptor to be ready"};

    for (nfds_t i = 0; i < n; i++)
        sockets[i] = socket_find(t, fds[i].fd);
    (void)process_wait_for(t, p, process_phrase(VERB_POLL), NULL, &wait, timeout_ns);
    return note_ready(t, &poll);
}

/* ---- epoll ---------------------------------------------------------------------------------- */

/* An epoll descriptor has those of all that it waits for. */
static uint32_t changes_of(struct trial *t, const struct socket *s)
{
    uint32_t changes = s->changes;

    if (s->kind == SOCKET_EPOLL) {
        for (EACH_WATCH(w, s))
            changes += changes_of(t, socket_at(t, w->socket));
    }
    return changes;
}

/* What is to be told of a watch now; 0: nothing. Events of epoll have the numbers of poll's. */
static uint32_t watch_ready(struct trial *t, const struct socket_watch *w)
{
    const struct socket *s = socket_at(t, w->socket);
    uint32_t wanted = w->events & ~(uint32_t)(EPOLLET | EPOLLONESHOT | EPOLLEXCLUSIVE);

    /* Of one that is told once, nothing is wanted any more when it has been. */
    if ((w->events & EPOLLET) != 0 && w->seen == changes_of(t, s) + 1)
        return 0;
    return (uint32_t)(uint16_t)socket_ready(t, s) & wanted;
}

static bool is_any_ready(struct trial *t, const struct socket *epoll)
{
    for (EACH_WATCH(w, epoll)) {
        if (watch_ready(t, w) != 0)
            return true;
    }
    return false;
}

static struct socket_watch *find_watch(struct trial *t, const struct socket *epoll,
                                       const struct socket *s)
{
    for (EACH_WATCH(w, epoll)) {
        if (w->socket == socket_index(t, s))
            return w;
    }
    return NULL;
}

static struct socket_watch *new_watch(struct trial *t)
{
    struct socket_watch *all = t->processes->sockets->watches;
    uint32_t *n = &t->now.n_own[OWN_SOCKET_WATCHES];

    for (uint32_t i = 0; i < *n; i++) {
        if (all[i].epoll == 0)
            return &all[i];
    }
    if (*n == SOCKET_WATCHES_MAX)
        op_too_many(t, "descriptors that epoll waits for");
    return &all[(*n)++];
}

/* How many epoll descriptors lead from one to the last, itself not counted; -1: it can lead to
 * `end`. */
static int depth_below(struct trial *t, const struct socket *s, const struct socket *end)
{
    int deepest = 0;

    if (s == end)
        return -1;
    for (EACH_WATCH(w, s)) {
        const struct socket *next = socket_at(t, w->socket);
        int depth = next->kind == SOCKET_EPOLL ? depth_below(t, next, end) : -2;

        if (depth == -1)
            return -1;
        deepest = depth + 1 > deepest ? depth + 1 : deepest;
    }
    return deepest;
}

static int depth_above(struct trial *t, const struct socket *s)
{
    int highest = 0;

    for (uint32_t i = 0; i < t->now.n_own[OWN_SOCKET_WATCHES]; i++) {
        const struct socket_watch *w = &t->processes->sockets->watches[i];

        if (w->epoll != 0 && w->socket == socket_index(t, s)) {
            int depth = 1 + depth_above(t, socket_at(t, w->epoll));

            highest = depth > highest ? depth : highest;
        }
    }
    return highest;
}

/* Whether epoll descriptors would wait for each other in a circle, or in too long a row. */
static bool would_loop(struct trial *t, const struct socket *epoll, const struct socket *s)
{
    int below = s->kind == SOCKET_EPOLL ? depth_below(t, s, epoll) : 0;

    return s->kind == SOCKET_EPOLL &&
           (below < 0 || below + 1 + depth_above(t, epoll) > SOCKET_EPOLL_NESTED_MAX);
}

/* Between two calls of epoll_wait nobody notices when exactly this is done: it is no operation. */
int64_t socket_epoll_control(struct trial *t, struct socket *epoll, int what, int fd,
                             const struct epoll_event *event)
{
    struct socket *s = socket_find(t, fd);
    struct socket_watch *w;

    if (what != EPOLL_CTL_DEL && event == NULL)
        return -EFAULT;
    if (s == NULL)
        return -EBADF;
    if (epoll->kind != SOCKET_EPOLL || s == epoll)
        return -EINVAL;
    if (what == EPOLL_CTL_ADD && would_loop(t, epoll, s))
        return -ELOOP;
    if (what != EPOLL_CTL_ADD && what != EPOLL_CTL_DEL && what != EPOLL_CTL_MOD)
        return -EINVAL;
    w = find_watch(t, epoll, s);
    if ((w == NULL) != (what == EPOLL_CTL_ADD))
        return w == NULL ? -ENOENT : -EEXIST;
    trial_write(t, &epoll->object);
    if (what == EPOLL_CTL_DEL) {
        w->epoll = 0;
        return 0;
    }
    if (w == NULL)
        w = new_watch(t);
    *w = (struct socket_watch){.epoll = socket_index(t, epoll),
                               .socket = socket_index(t, s),
                               .events = event->events | EPOLLERR | EPOLLHUP,
                               .data = event->data};
    process_wake(t);
    return 0;
}

void socket_unwatch(struct trial *t, const struct socket *s)
{
    struct socket_watch *all = t->processes->sockets->watches;
    uint32_t index = socket_index(t, s);

    for (uint32_t i = 0; i < t->now.n_own[OWN_SOCKET_WATCHES]; i++) {
        if (all[i].epoll == index || all[i].socket == index)
            all[i].epoll = 0;
    }
}

static bool is_epoll_over(struct trial *t, const void *self)
{
    return is_any_ready(t, self) || ((const struct socket *)self)->is_closed;
}

/* Takes what is ready, and remembers of each watch that it has been told. */
static int take_ready(struct trial *t, struct socket *epoll, struct epoll_event *events, int max)
{
    int n = 0;

    for (EACH_WATCH(w, epoll)) {
        uint32_t ready = watch_ready(t, w);

        look_at(t, socket_at(t, w->socket));
        if (ready == 0 || n == max)
            continue;
        events[n++] = (struct epoll_event){.events = ready, .data = w->data};
        w->seen = changes_of(t, socket_at(t, w->socket)) + 1;
        if ((w->events & EPOLLONESHOT) != 0)
            w->events &= (uint32_t)(EPOLLET | EPOLLONESHOT);
    }
    return n;
}

int64_t socket_epoll_wait(struct trial *t, struct process *p, struct socket *epoll,
                          struct epoll_event *events, int max, uint64_t timeout_ns)
{
    struct process_wait wait = {
        .is_over = is_epoll_over, .self = epoll, .what = "a descriptor to be ready"};

    if (epoll->kind != SOCKET_EPOLL || max <= 0)
        return -EINVAL;
    (void)process_wait_for(t, p, process_phrase(VERB_POLL), NULL, &wait, timeout_ns);
    trial_write(t, &epoll->object);
    if (epoll->is_closed)
        return -EBADF;
    return take_ready(t, epoll, events, max);
}
