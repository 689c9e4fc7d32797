/* wrap_loop.c - a server with a loop of poll that has a pool of threads do the slow part, as users
 * of libuv do, under control.
 *
 * The server answers each request when a thread has computed the answer. Its loop waits for
 * connections, for requests and for what threads have done. With --bug reused it keeps one place
 * for the request that is under way, as a server does that has never met two clients.
 * SPDX-License-Identifier: MIT
 */
#include <arpa/inet.h>
#include <poll.h>
#include <sennit/sennit.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CLIENTS = 2, PORT = 7 };

/* ---- The component -------------------------------------------------------------------------- */

struct request {
    struct sn_work work;
    int fd;
    unsigned char number;
    unsigned char answer;
};

static bool is_reusing; /* the bug */

struct server {
    struct request only;            /* with the bug */
    struct pollfd fds[2 + CLIENTS]; /* threads, new connections, clients */
    nfds_t n;
};

/* In a thread. */
static void square(struct sn_work *work)
{
    struct request *request = work->data;

    request->answer = (unsigned char)(request->number * request->number);
}

/* In the loop again. */
static void reply(struct sn_work *work, int status)
{
    struct request *request = work->data;

    sn_assert(status == 0);
    sn_assert(write(request->fd, &request->answer, 1) == 1);
}

static void take_request(struct server *server, struct pollfd *client)
{
    struct request *request = is_reusing ? &server->only : calloc(1, sizeof(*request));

    if (read(client->fd, &request->number, 1) != 1) {
        close(client->fd);
        client->fd = -1;
        return;
    }
    request->fd = client->fd;
    request->work.data = request;
    sn_queue_work(NULL, &request->work, square, reply);
}

static int listen_at(uint16_t port)
{
    struct sockaddr_in any = {.sin_family = AF_INET, .sin_port = htons(port)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    bind(fd, (struct sockaddr *)&any, sizeof(any));
    listen(fd, CLIENTS);
    return fd;
}

static void serve(struct server *server)
{
    server->fds[0] = (struct pollfd){.fd = sn_posted_fd(), .events = POLLIN};
    server->fds[1] = (struct pollfd){.fd = listen_at(PORT), .events = POLLIN};
    server->n = 2;
    for (;;) {
        poll(server->fds, server->n, -1);
        if (server->fds[0].revents != 0)
            sn_posted_wait(0);
        for (nfds_t i = 2; i < server->n; i++) {
            if (server->fds[i].fd >= 0 && server->fds[i].revents != 0)
                take_request(server, &server->fds[i]);
        }
        if (server->fds[1].revents != 0)
            server->fds[server->n++] =
                (struct pollfd){.fd = accept(server->fds[1].fd, NULL, NULL), .events = POLLIN};
    }
}

/* ---- The test ------------------------------------------------------------------------------- */

static void run_server(const void *payload)
{
    struct server *server = calloc(1, sizeof(*server));

    (void)payload;
    serve(server);
}

static void ask(const void *payload)
{
    unsigned char number = *(const unsigned char *)payload;
    struct sockaddr_in place = {.sin_family = AF_INET, .sin_port = htons(PORT)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    unsigned char answer = 0;

    inet_pton(AF_INET, "10.0.0.1", &place.sin_addr);
    sleep(1); /* the server listens */
    sn_assert(connect(fd, (struct sockaddr *)&place, sizeof(place)) == 0);
    sn_assert(write(fd, &number, 1) == 1);
    sn_assert(read(fd, &answer, 1) == 1);
    sn_assertf(answer == number * number, "the square of %d is %d", number, answer);
    close(fd);
}

static const struct sn_event number_event = {.name = "Number", .size = 1};
static const struct sn_process server = {.name = "Server", .run = run_server, .may_wait = true};
static const struct sn_process client = {.name = "Client", .run = ask, .birth = &number_event};

static void run(void)
{
    sn_spawn_on(sn_node_new("server"), &server, NULL);
    for (unsigned char number = 2; number < 2 + CLIENTS; number++)
        sn_spawn_on(sn_node_new("client"), &client, &number);
}

static const struct sn_bug bugs[] = {
    {.name = "reused", .about = "one place for all requests", .flag = &is_reusing}, {0}};
static const struct sn_test tests[] = {{.name = "squares", .run = run}, {0}};
static const struct sn_suite suite = {.name = "wrap_loop", .tests = tests, .bugs = bugs};

int main(int argc, char **argv)
{
    return sn_main(argc, argv, &suite);
}
