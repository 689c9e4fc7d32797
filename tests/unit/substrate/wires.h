/* wires.h - for tests of sockets: code as it runs in production, on nodes or on none.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_UNIT_SUBSTRATE_WIRES_H
#define TESTS_UNIT_SUBSTRATE_WIRES_H

#include "flow.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PORT = 7000 };

static inline struct sockaddr_in wires_address(const char *text, uint16_t port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};

    sn_assert(inet_pton(AF_INET, text, &address.sin_addr) == 1);
    return address;
}

/* A socket that listens on all addresses. */
static inline int wires_listen(void)
{
    struct sockaddr_in any = wires_address("0.0.0.0", PORT);
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    sn_assert(fd >= 0);
    sn_assert(bind(fd, (const struct sockaddr *)&any, sizeof(any)) == 0);
    sn_assert(listen(fd, 8) == 0);
    return fd;
}

static inline int wires_accept(int fd)
{
    int connection = accept(fd, NULL, NULL);

    sn_assert(connection >= 0);
    return connection;
}

/* 0, or what is wrong. */
static inline int wires_connect(int fd, const char *text)
{
    struct sockaddr_in to = wires_address(text, PORT);

    return connect(fd, (const struct sockaddr *)&to, sizeof(to)) == 0 ? 0 : errno;
}

/* A connection with whoever listens there: waits until somebody does. */
static inline int wires_reach(const char *text)
{
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    while (wires_connect(fd, text) != 0) {
        sn_assert(errno == ECONNREFUSED);
        (void)close(fd);
        sn_sleep_ns(SECOND);
        fd = socket(AF_INET, SOCK_STREAM, 0);
    }
    return fd;
}

static inline void wires_write(int fd, const char *text)
{
    sn_assert(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
}

/* Tells what is read at a time: its bytes, "-" for the end, or what is wrong. */
static inline ssize_t wires_tell(int fd)
{
    char bytes[64];
    ssize_t n = read(fd, bytes, sizeof(bytes));

    if (n > 0)
        tell("%.*s ", (int)n, bytes);
    else
        tell("%s", n == 0                ? "- "
                   : errno == ECONNRESET ? "reset "
                   : errno == EAGAIN     ? "again "
                   : errno == ETIMEDOUT  ? "late "
                                         : "error ");
    return n;
}

static inline void wires_tell_all(int fd)
{
    while (wires_tell(fd) > 0)
        ;
}

/* Starts a process on a node of its own. */
static inline sn_node wires_start(const char *name, const struct sn_process *type)
{
    sn_node node = sn_node_new("%s", name);

    (void)sn_spawn_on(node, type, NULL);
    return node;
}

#endif
