/* processes.c - sn_spawn, sn_receive, sn_receive_event, sn_sleep_ns, sn_yield and sn_is_alive:
 * processes that send to each other. SPDX-License-Identifier: MIT
 */
#include <sennit/sennit.h>

static const struct sn_event ping = {.name = "Ping", .size = sizeof(int)};
static const struct sn_event pong = {.name = "Pong", .size = sizeof(int)};
static const struct sn_event birth = {.name = "Birth", .size = sizeof(sn_id)};

static void answer(const void *payload)
{
    (void)payload;
    for (;;) {
        const struct sn_message *m = sn_receive_event(&ping, SN_FOREVER);

        sn_send(m->from, &pong, m->payload);
    }
}

static const struct sn_process server = {.name = "Server", .run = answer, .may_wait = true};

/* A match function looks at the message alone. */
static bool is_round(const struct sn_message *message, const void *round)
{
    return message->event == &pong && *(const int *)message->payload == *(const int *)round;
}

static void ask(const void *payload)
{
    sn_id to = *(const sn_id *)payload;

    for (int round = 1; round <= 3; round++) {
        sn_send(to, &ping, &round);
        if (sn_receive(is_round, &round, 1000000000) == NULL)
            sn_assert(!"there was an answer within a second");
        sn_yield(); /* others may go first */
    }
    sn_sleep_ns(1000); /* all others have done what they could */
    sn_assert(sn_is_alive(to));
}

static const struct sn_process client = {.name = "Client", .run = ask, .birth = &birth};

static void run(void)
{
    sn_id to = sn_spawn(&server, NULL);

    sn_spawn(&client, &to);
    sn_spawn(&client, &to);
}

static const struct sn_test tests[] = {{.name = "ping", .run = run}, {0}};
static const struct sn_suite suite = {.name = "processes", .tests = tests};

int main(int argc, char **argv)
{
    return sn_main(argc, argv, &suite);
}
