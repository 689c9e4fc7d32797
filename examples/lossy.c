/* lossy.c - a client that asks again when no answer comes, and a server that must not count twice.
 *
 * The example of docs/environment.md. With the bug `forget` the server does not remember what it
 * has done. SPDX-License-Identifier: MIT
 */
#include <sennit/sennit.h>

enum { AMOUNT = 10, DEPOSITS = 2 };

static bool forget;

struct server {
    uint64_t balance;
    uint64_t last; /* deposit that has been counted */
};

static void on_deposit(void *self, const void *payload)
{
    struct server *server = self;
    const struct sn_request *request = payload;

    if (forget || request->number > server->last)
        server->balance += request->value;
    if (request->number > server->last)
        server->last = request->number;
    sn_assertf(server->balance == server->last * AMOUNT, "%d deposits of %d make %d",
               (int)server->last, AMOUNT, (int)server->balance);
    sn_send(request->client, &sn_reply_event,
            &(struct sn_reply){.number = request->number, .value = server->balance});
}

static const struct sn_state serving = {
    .name = "Serving",
    .on = (const struct sn_on[]){{.event = &sn_request_event, .run = on_deposit}, {0}},
};

static const struct sn_machine server = {
    .name = "Server", .size = sizeof(struct server), .start = &serving};

static void make_deposit(void *context, struct sn_request *request)
{
    (void)context;
    request->value = AMOUNT;
}

static void deposits(void)
{
    struct sn_client plan = {.n_servers = 1, .n_requests = DEPOSITS, .make = make_deposit};

    plan.servers[0] = sn_create_on(sn_node_new("bank"), &server, NULL);
    sn_create_on(sn_node_new("home"), &sn_client_machine, &plan);
}

static const struct sn_faults faults = {.drops = 1, .duplicates = 1};

static const struct sn_test tests[] = {
    {.name = "deposits", .run = deposits, .must_end = true, .faults = &faults},
    {0},
};

static const struct sn_bug bugs[] = {
    {.name = "forget", .about = "the server counts what it has counted before", .flag = &forget},
    {0},
};

static const struct sn_suite suite = {.name = "lossy", .tests = tests, .bugs = bugs};

int main(int argc, char **argv)
{
    return sn_main(argc, argv, &suite);
}
