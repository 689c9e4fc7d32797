/* server.c - see server.h. SPDX-License-Identifier: MIT */
#include "server.h"

#include <arpa/inet.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CLIENTS_MAX = 15, WORDS_MAX = 8, LINE_MAX_ = 512 };

struct client {
    size_t used;
    char bytes[LINE_MAX_];
};

struct server {
    struct pollfd fds[1 + CLIENTS_MAX]; /* the first one listens */
    struct client clients[1 + CLIENTS_MAX];
    nfds_t n;
    char value[32]; /* of the one key */
};

/* A number between a sign and the end of its line. NULL: the line is not there yet. */
static const char *read_number(const char *from, const char *end, char sign, long *number)
{
    const char *line = memchr(from, '\n', (size_t)(end - from));

    if (line == NULL || *from != sign)
        return NULL;
    *number = strtol(from + 1, NULL, 10);
    return line + 1;
}

/* Words of the first command. Returns how many bytes it has; 0: it is not there as a whole. */
static size_t read_command(const struct client *c, char words[WORDS_MAX][32])
{
    const char *end = c->bytes + c->used;
    long n = 0;
    long size = 0;
    const char *at = c->used > 0 ? read_number(c->bytes, end, '*', &n) : NULL;

    for (long i = 0; at != NULL && i < n; i++) {
        at = at < end ? read_number(at, end, '$', &size) : NULL;
        if (at == NULL || size > end - at - 2)
            return 0;
        if (i < WORDS_MAX)
            (void)snprintf(words[i], 32, "%.*s", (int)size, at);
        at += size + 2;
    }
    return at != NULL ? (size_t)(at - c->bytes) : 0;
}

static void answer(int fd, struct server *s, char words[WORDS_MAX][32])
{
    char text[64];
    int n;

    if (strcasecmp(words[0], "SET") == 0) {
        (void)snprintf(s->value, sizeof(s->value), "%s", words[2]);
        n = snprintf(text, sizeof(text), "+OK\r\n");
    } else if (strcasecmp(words[0], "ZADD") == 0) {
        if (atol(words[3]) > atol(s->value))
            (void)snprintf(s->value, sizeof(s->value), "%s", words[3]);
        n = snprintf(text, sizeof(text), ":0\r\n");
    } else if (strcasecmp(words[0], "GET") == 0) {
        n = snprintf(text, sizeof(text), "$%zu\r\n%s\r\n", strlen(s->value), s->value);
    } else {
        n = snprintf(text, sizeof(text), "-ERR unknown command\r\n");
    }
    (void)send(fd, text, (size_t)n, MSG_NOSIGNAL);
}

/* False: the client is gone. */
static int serve(struct server *s, nfds_t i)
{
    struct client *c = &s->clients[i];
    char words[WORDS_MAX][32] = {{0}};
    ssize_t n = read(s->fds[i].fd, c->bytes + c->used, sizeof(c->bytes) - c->used);
    size_t size;

    if (n <= 0)
        return 0;
    c->used += (size_t)n;
    while ((size = read_command(c, words)) > 0) {
        answer(s->fds[i].fd, s, words);
        c->used -= size;
        memmove(c->bytes, c->bytes + size, c->used);
    }
    return 1;
}

static void forget(struct server *s, nfds_t i)
{
    (void)close(s->fds[i].fd);
    s->n--;
    s->fds[i] = s->fds[s->n];
    s->clients[i] = s->clients[s->n];
}

static void welcome(struct server *s)
{
    int fd = accept(s->fds[0].fd, NULL, NULL);

    if (fd < 0 || s->n == 1 + CLIENTS_MAX) {
        (void)close(fd);
        return;
    }
    s->clients[s->n].used = 0;
    s->fds[s->n++] = (struct pollfd){.fd = fd, .events = POLLIN};
}

void server_run(void)
{
    static struct server s;
    struct sockaddr_in any = {.sin_family = AF_INET, .sin_port = htons(SERVER_PORT)};

    s.fds[0] = (struct pollfd){.fd = socket(AF_INET, SOCK_STREAM, 0), .events = POLLIN};
    s.n = 1;
    if (bind(s.fds[0].fd, (const struct sockaddr *)&any, sizeof(any)) != 0 ||
        listen(s.fds[0].fd, CLIENTS_MAX) != 0)
        abort();
    while (poll(s.fds, s.n, -1) > 0) {
        for (nfds_t i = s.n - 1; i > 0; i--) {
            if (s.fds[i].revents != 0 && !serve(&s, i))
                forget(&s, i);
        }
        if (s.fds[0].revents != 0)
            welcome(&s);
    }
}
