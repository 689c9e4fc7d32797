/* addresses.c - sn_node_address and sn_node_set_address: nodes that reach each other by sockets.
 * SPDX-License-Identifier: MIT
 */
#include <arpa/inet.h>
#include <sennit/sennit.h>
#include <sys/socket.h>
#include <unistd.h>

static struct sockaddr_in at(const char *address)
{
    struct sockaddr_in place = {.sin_family = AF_INET, .sin_port = htons(80)};

    sn_assert(inet_pton(AF_INET, address, &place.sin_addr) == 1);
    return place;
}

static void serve(const void *payload)
{
    struct sockaddr_in place = at("0.0.0.0");
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    char byte;

    (void)payload;
    sn_assert(bind(fd, (const struct sockaddr *)&place, sizeof(place)) == 0);
    sn_assert(listen(fd, 1) == 0);
    sn_assert(read(accept(fd, NULL, NULL), &byte, 1) == 1 && byte == '!');
}

static void call(const void *payload)
{
    struct sockaddr_in place = at(sn_node_address(*(const sn_node *)payload));
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    (void)sleep(1); /* the server listens */
    sn_assert(connect(fd, (const struct sockaddr *)&place, sizeof(place)) == 0);
    sn_assert(write(fd, "!", 1) == 1);
}

static const struct sn_event birth = {.name = "Birth", .size = sizeof(sn_node)};
static const struct sn_process server = {.name = "Server", .run = serve};
static const struct sn_process client = {.name = "Client", .run = call, .birth = &birth};

static void run(void)
{
    sn_node node = sn_node_new("server");

    sn_node_set_address(node, "192.168.1.10");
    (void)sn_spawn_on(node, &server, NULL);
    (void)sn_spawn_on(sn_node_new("client"), &client, &node);
}

static const struct sn_test tests[] = {{.name = "call", .run = run}, {0}};
static const struct sn_suite suite = {.name = "addresses", .tests = tests};

int main(int argc, char **argv)
{
    return sn_main(argc, argv, &suite);
}
