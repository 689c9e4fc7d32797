/* ping.c - sn_create, sn_send, sn_sender, sn_self and sn_main: two machines and a question.
 * SPDX-License-Identifier: MIT
 */
#include <sennit/sennit.h>

static const struct sn_event ping = {.name = "Ping"};
static const struct sn_event pong = {.name = "Pong"};

static void on_ping(void *self, const void *payload)
{
    (void)self;
    (void)payload;
    sn_send(sn_sender(), &pong, NULL);
}

static const struct sn_state answering = {
    .name = "Answering",
    .on = (const struct sn_on[]){{.event = &ping, .run = on_ping}, {0}},
};
static const struct sn_machine server = {.name = "Server", .start = &answering};

static void ask(void *self, const void *payload)
{
    sn_id of_its_own = sn_create(&server, NULL);

    (void)self;
    (void)payload;
    sn_assert(of_its_own != sn_self());
    sn_send(of_its_own, &ping, NULL);
}

static const struct sn_state asking = {
    .name = "Asking",
    .entry = ask,
    .on = (const struct sn_on[]){{.event = &pong, .halt = true}, {0}},
    .must_leave = true, /* a client that gets no answer is a bug */
};
static const struct sn_machine client = {.name = "Client", .start = &asking};

static void run(void)
{
    sn_create(&client, NULL);
}

static const struct sn_test tests[] = {{.name = "ping", .run = run}, {0}};
static const struct sn_suite suite = {.name = "ping", .tests = tests};

int main(int argc, char **argv)
{
    return sn_main(argc, argv, &suite);
}
