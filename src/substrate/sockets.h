/* sockets.h - what processes see of a network through libc: descriptors that are the trial's.
 *
 * sockets.c keeps descriptors and what becomes of them when a process or a node ends; segments.c
 * carries what is sent; socket_calls.c is what a process can do with one; socket_poll.c waits for
 * several. services_*.c are the functions of libc in front of all this. docs/sockets.md says what
 * is modelled.
 *
 * Between two nodes each connection has a wire at either end: a task without code of the test, to
 * which segments are delivered as messages are to machines, one after the other. Within a node what
 * is sent is there at once. SPDX-License-Identifier: MIT
 */
#ifndef SUBSTRATE_SOCKETS_H
#define SUBSTRATE_SOCKETS_H

#include "substrate/environment.h"
#include "substrate/process.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>

enum {
    SOCKETS_MAX = 1 << 13, /* of one trial, those that were closed included */
    SOCKET_WATCHES_MAX = 1 << 13,
    SOCKET_FD_FIRST = 512, /* descriptors begin here, where select can still name them */
    SOCKET_FD_MAX = SOCKET_FD_FIRST + SOCKETS_MAX,
    SOCKET_WINDOW = 64 << 10,       /* bytes of one direction that were sent but not read */
    SOCKET_SEGMENT = 4 << 10,       /* bytes that arrive together, at most */
    SOCKET_TEXT = 160,              /* an address in words */
    SOCKET_EPHEMERAL_FIRST = 32768, /* ports of those that have not asked for one */
    SOCKET_EPOLL_NESTED_MAX = 4,
    SOCKET_BACKLOG_MAX = 4096, /* as /proc/sys/net/core/somaxconn has by default */
    /* Beside flags of recv and send: a call that moves nothing does nothing. */
    SOCKET_EMPTY_IS_NOTHING = 1 << 28,
};

enum socket_kind {
    SOCKET_STREAM = 1,
    SOCKET_LISTENER,
    SOCKET_PIPE, /* one direction is shut from the beginning */
    SOCKET_COUNTER,
    SOCKET_EPOLL,
    SOCKET_POSTS, /* ready while callbacks wait that were posted to a process */
};

enum socket_state {
    SOCKET_NEW = 0,
    SOCKET_CONNECTING,
    SOCKET_CONNECTED,
    SOCKET_OVER, /* refused, reset, too late, or ended by both sides */
};

/* What connect has told the process so far, which is not how far the connection is. */
enum socket_told {
    TOLD_NOTHING = 0,
    TOLD_IN_PROGRESS, /* the next call says what came of it */
    TOLD_CONNECTED,
    TOLD_SHUT, /* it was shut before it was told */
};

/* Where a socket is. */
struct address {
    sn_node node;
    uint32_t ip; /* in the order of the host; 0: any */
    uint16_t port;
    uint16_t path_size; /* of a local one; 0: it has none */
    char path[sizeof(((struct sockaddr_un *)NULL)->sun_path)];
};

/* What has arrived, in the trial's memory. */
struct socket_bytes {
    char *at;
    uint32_t size;
    uint32_t first;
    uint32_t used;
};

struct socket {
    struct object object;
    uint32_t owner; /* the process whose descriptor it is */
    int fd;         /* 0: it has none, because it is not accepted yet or is closed */
    int family;
    uint8_t kind;  /* enum socket_kind */
    uint8_t state; /* enum socket_state */
    uint8_t told;  /* enum socket_told */
    bool is_nonblocking;
    bool is_cloexec;
    bool is_closed;
    bool is_dead;     /* its node has crashed: nobody answers */
    bool is_bound;    /* by bind or listen: nobody else can have its address, ... */
    bool is_locked;   /* ... to a port that it asked for, also when its connection is over, ... */
    bool is_reusable; /* ... unless both have said so and neither listens */
    bool reads_shut;  /* when what has arrived is read, there is no more; and ... */
    bool writes_shut; /* ... nothing more is sent: by either side. Of a pipe: which end it is */
    bool has_end;     /* the other side has said that it will send no more */
    bool is_ended;    /* TCP: this side has, which it has not if it was shut before it connected */
    int error;        /* that the next call returns; 0: none */
    struct address local;
    struct address remote;
    uint32_t task;  /* its wire; 0: it needs none */
    sn_timer timer; /* until it tries again to connect, or gives up */
    uint32_t tries;
    uint32_t peer;    /* the other end; 0: there is none yet */
    uint32_t attempt; /* to connect: the how manyth of this socket, or that this one came of */
    struct socket_bytes in;
    uint32_t under_way; /* bytes that are to arrive here */
    uint64_t sent;      /* bytes, by this end */
    uint32_t changes;   /* how often it may have become ready */
    /* Of a listener: connections that nobody has accepted. */
    uint32_t first_pending;
    uint32_t last_pending;
    uint32_t next_pending;
    uint32_t n_pending;
    uint32_t backlog;
    uint16_t ephemeral; /* the port that it gets if it asks for none */
    uint64_t count;     /* of a counter; of posts: the task that gets them */
    bool is_semaphore;
    uint64_t receive_ns; /* timeouts; 0: none */
    uint64_t send_ns;
};

/* What an epoll descriptor waits for. */
struct socket_watch {
    uint32_t epoll; /* 0: this one is not in use */
    uint32_t socket;
    uint32_t events;
    uint32_t seen; /* changes when it was told last, plus one */
    epoll_data_t data;
};

/* A node as the network sees it; 0 is where processes are that are on none. */
struct host {
    struct object ports; /* who listens where */
    uint32_t task;       /* to which attempts to connect go; 0: nobody has listened */
    uint32_t n_made;     /* sockets */
    uint32_t ip;         /* 0: the usual one */
};

struct sockets {
    struct socket all[SOCKETS_MAX];
    struct socket_watch watches[SOCKET_WATCHES_MAX];
    struct host hosts[NODES_MAX + 1];
};

/* ---- sockets.c ------------------------------------------------------------------------------ */

/* Makes sockets part of a trial. 0, or SN_ENOMEM. */
int sockets_join(struct trial *t, struct err *why);
void sockets_leave(struct trial *t);

/* The trial and the running process, if what it does with descriptors is the trial's; otherwise
 * NULL. */
struct trial *sockets_trial(struct process **out);

/* The running process's socket; NULL: the descriptor is none. */
struct socket *socket_find(struct trial *t, int fd);

/* Where a socket is in the table; and the other way round. */
static inline uint32_t socket_index(const struct trial *t, const struct socket *s)
{
    return (uint32_t)(s - t->processes->sockets->all);
}

static inline struct socket *socket_at(const struct trial *t, uint32_t index)
{
    return &t->processes->sockets->all[index];
}

/* A new socket of a node, without a descriptor. */
struct socket *socket_new(struct trial *t, sn_node node, enum socket_kind kind, int family);

/* A port for one that has asked for none. */
uint16_t socket_port(struct trial *t, const struct socket *s);

/* Gives it the running process's lowest free descriptor, which is returned. */
int socket_give(struct trial *t, struct socket *s);

/* The running step closes a socket; whoever looked at it looks again. */
void socket_close(struct trial *t, struct socket *s);

/* Whoever waits for it looks again. */
static inline void socket_touched(struct trial *t, struct socket *s)
{
    trial_write(t, &s->object);
    process_wake(t);
}

/* It may be ready for something now that it was not ready for before: an edge. */
static inline void socket_changed(struct trial *t, struct socket *s)
{
    s->changes++;
    socket_touched(t, s);
}

/* Only a stream that is not local has what TCP has: resets, and ends that pass each other. */
static inline bool socket_is_tcp(const struct socket *s)
{
    return s->family == AF_INET || s->family == AF_INET6;
}

/* Whether it is a socket at all. */
static inline bool socket_is_socket(const struct socket *s)
{
    return s->kind == SOCKET_STREAM || s->kind == SOCKET_LISTENER;
}

/* The error that waits for the next call, with its sign changed; it does not wait any more. */
static inline int64_t socket_take_error(struct socket *s)
{
    int error = s->error;

    s->error = 0;
    return -error;
}

struct host *socket_host(struct trial *t, sn_node node);

/* A callback was posted to a process. */
void sockets_posted(struct trial *t, uint32_t task);

/* The running process's descriptor for what is posted to it. */
int socket_of_posts(struct trial *t, struct process *p);

/* All descriptors of a process are closed, because it has ended. */
void sockets_end_process(struct trial *t, uint32_t task);

/* A node has crashed; has stopped, when its processes have ended; or has come up again. */
void sockets_crash(struct trial *t, sn_node node);
void sockets_stop(struct trial *t, sn_node node);
void sockets_bring_up(struct trial *t, sn_node node);

/* A fault resets a connection of a node, or makes its next transfer short. */
bool sockets_can_reset(struct trial *t, sn_node node);
void sockets_reset_one(struct trial *t, sn_node node);
size_t sockets_shorten(struct trial *t, const struct socket *s, size_t n);

/* ---- addresses.c ---------------------------------------------------------------------------- */

/* Reads an address. 0, or an error as errno has it. */
int address_read(struct trial *t, const struct socket *s, const struct sockaddr *from,
                 socklen_t size, struct address *to);

/* Writes one, cut to the size of what is there. */
void address_write(const struct socket *s, const struct address *from, struct sockaddr *to,
                   socklen_t *size);

/* Whether who is bound to one address is found by another. */
bool address_covers(const struct address *bound, const struct address *a);

/* One in words. */
const char *address_text(const struct trial *t, const struct address *a, char text[SOCKET_TEXT]);

uint32_t address_of_node(const struct trial *t, sn_node node);

/* ---- segments.c ----------------------------------------------------------------------------- */

enum segment_kind {
    SEGMENT_CONNECT = 1,
    SEGMENT_OPEN, /* the answer to it */
    SEGMENT_BYTES,
    SEGMENT_END,
    SEGMENT_RESET,
};

/* The running step sends to the other end, or begins to connect to an address. */
void segment_send(struct trial *t, struct socket *from, enum segment_kind kind, const char *bytes,
                  uint32_t n);
void segment_connect(struct trial *t, struct socket *from);

/* From now on attempts to connect reach a node. */
void segment_listen(struct trial *t, sn_node node);

/* Stops the clock of one that connects. */
void segment_stop_timer(struct trial *t, struct socket *s);

/* Who listens at an address of a node; NULL: nobody. */
struct socket *socket_listener(struct trial *t, const struct address *a);

/* Whether a listener has no room for one more that connects. */
static inline bool socket_is_full(const struct socket *listener)
{
    return listener->n_pending > listener->backlog;
}

/* One that listened does not any more. */
void socket_stop_listening(struct trial *t, struct socket *s);

/* A connection is over for one end: nothing more can be read or written. */
void socket_end(struct socket *s, int error);

void socket_bytes_put(struct trial *t, struct socket_bytes *in, const char *bytes, uint32_t n);
void socket_bytes_get(struct socket_bytes *in, char *to, uint32_t n, bool is_peeking);

/* ---- socket_calls.c ------------------------------------------------------------------------- */

/* What the functions of libc do, for a process and its socket: the result, or an error with its
 * sign changed. */
int64_t socket_connect(struct trial *t, struct process *p, struct socket *s,
                       const struct sockaddr *to, socklen_t size);
int64_t socket_bind(struct trial *t, struct socket *s, const struct sockaddr *to, socklen_t size);
int64_t socket_listen(struct trial *t, struct process *p, struct socket *s, int backlog);
int64_t socket_accept(struct trial *t, struct process *p, struct socket *s, struct sockaddr *from,
                      socklen_t *size, int flags);
int64_t socket_shutdown(struct trial *t, struct process *p, struct socket *s, int how);
int64_t socket_close_by(struct trial *t, struct process *p, struct socket *s);

/* Where the other end is, as the running step sees it: local sockets may get a name later. */
const struct address *socket_peer_name(struct trial *t, const struct socket *s);

/* ---- socket_transfer.c ---------------------------------------------------------------------- */

int64_t socket_receive(struct trial *t, struct process *p, struct socket *s,
                       const struct iovec *parts, int n_parts, int flags);
int64_t socket_send(struct trial *t, struct process *p, struct socket *s, const struct iovec *parts,
                    int n_parts, int flags);

/* ---- socket_poll.c -------------------------------------------------------------------------- */

/* What a socket is ready for now, as poll has it. */
short socket_ready(struct trial *t, const struct socket *s);

/* As poll, all of whose descriptors are sockets of the process or negative. */
int64_t socket_poll(struct trial *t, struct process *p, struct pollfd *fds, nfds_t n,
                    uint64_t timeout_ns);

int64_t socket_epoll_control(struct trial *t, struct socket *epoll, int what, int fd,
                             const struct epoll_event *event);
int64_t socket_epoll_wait(struct trial *t, struct process *p, struct socket *epoll,
                          struct epoll_event *events, int max, uint64_t timeout_ns);

/* Forgets what waits for a socket that is closed, and what an epoll descriptor waits for. */
void socket_unwatch(struct trial *t, const struct socket *s);

#endif
