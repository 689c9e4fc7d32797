/* twin.h - programs of socket calls that are run twice: by the trial's model, and by the kernel.
 *
 * A program is a list of calls by one process that knows nothing of who serves libc. Each call is
 * noted in words that do not depend on it: descriptors by their number among those that were free,
 * ports by the order in which they were met, masks and errors by their names.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_UNIT_SUBSTRATE_TWIN_H
#define TESTS_UNIT_SUBSTRATE_TWIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    TWIN_CALLS = 60,
    TWIN_FDS = 48,       /* descriptors that a program has at most */
    TWIN_REACH = 10,     /* descriptors that calls name */
    TWIN_ADDRESSES = 32, /* that sockets were bound to */
    TWIN_PORTS = 96,
    TWIN_TEXT = 1 << 14,
};

/* What a call does; the last four numbers of struct twin_call mean what its function makes of them.
 */
enum twin_verb {
    TWIN_PAIR = 0,
    TWIN_PIPE,
    TWIN_WRITE,
    TWIN_READ,
    TWIN_POLL,
    TWIN_CLOSE,
    TWIN_SHUTDOWN,
    TWIN_TCP,   /* a listener, somebody who connects, and what is accepted */
    TWIN_LOCAL, /* the same with a name */
    TWIN_SOCKET,
    TWIN_BIND,
    TWIN_LISTEN,
    TWIN_CONNECT,
    TWIN_ACCEPT,
    TWIN_SELECT,
    TWIN_EVENTFD,
    TWIN_EPOLL,
    TWIN_EPOLL_CONTROL,
    TWIN_EPOLL_WAIT,
    TWIN_FLAGS,
    TWIN_IOCTL,
    TWIN_OPTION,
    TWIN_NAME,
    TWIN_VERBS,
};

struct twin_call {
    uint8_t verb; /* enum twin_verb */
    uint8_t fd;   /* below TWIN_REACH */
    uint8_t a;    /* the rest are below 16 */
    uint8_t b;
    uint8_t c;
};

/* Where a socket was bound. */
struct twin_address {
    int family;
    uint16_t port; /* or the number of its name */
    int owner;     /* the descriptor; -1: that is closed */
    int pending;   /* connections that nobody has accepted */
    int backlog;
};

/* One run of a program. */
struct twin {
    bool is_kernel;
    int fds[TWIN_FDS]; /* numbers of descriptors, in the order in which they are given */
    struct twin_address addresses[TWIN_ADDRESSES];
    int n_addresses;
    uint64_t epolls;   /* which numbers are epoll descriptors, a bit each, ... */
    uint64_t counters; /* ... and which are eventfds */
    uint16_t ports[TWIN_PORTS];
    int n_ports;
    unsigned char next_byte;
    size_t used;
    char text[TWIN_TEXT]; /* what came of each call: a line each */
};

/* Runs a program, and closes all that it has opened. */
void twin_run(struct twin *w, const struct twin_call *calls, size_t n);

#endif
