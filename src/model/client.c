/* client.c - a client that asks until it is answered.
 *
 * One request at a time. No answer in time: it asks another server, with the same number. An answer
 * to a request that is not the present one is ignored: it was sent twice, or was late.
 * SPDX-License-Identifier: MIT
 */
#include <sennit/oracles.h>

enum { DEFAULT_TIMEOUT_NS = 1000000000 };

static const struct sn_field request_fields[] = {
    SN_FIELD(struct sn_request, client, SN_MACHINE), SN_FIELD(struct sn_request, number, SN_UINT),
    SN_FIELD(struct sn_request, what, SN_UINT),      SN_FIELD(struct sn_request, key, SN_UINT),
    SN_FIELD(struct sn_request, value, SN_UINT),     {0}};
static const struct sn_field reply_fields[] = {SN_FIELD(struct sn_reply, number, SN_UINT),
                                               SN_FIELD(struct sn_reply, value, SN_UINT),
                                               SN_FIELD(struct sn_reply, leader, SN_MACHINE),
                                               {0}};
static const struct sn_field birth_fields[] = {SN_FIELD(struct sn_client, n_servers, SN_UINT),
                                               SN_FIELD(struct sn_client, n_requests, SN_UINT),
                                               {0}};

const struct sn_event sn_request_event = {
    .name = "Request", .size = sizeof(struct sn_request), .fields = request_fields};
const struct sn_event sn_reply_event = {
    .name = "Reply", .size = sizeof(struct sn_reply), .fields = reply_fields};
const struct sn_event sn_client_birth = {
    .name = "Client", .size = sizeof(struct sn_client), .fields = birth_fields};
static const struct sn_event timeout_event = {.name = "Timeout"};

struct client {
    struct sn_client plan;
    struct sn_request request;
    uint32_t tries;
    sn_timer timer;
};

static const struct sn_state asking;

static void ask(struct client *c, sn_id server)
{
    uint64_t timeout_ns = c->plan.timeout_ns;

    c->tries++;
    sn_send(server, &sn_request_event, &c->request);
    c->timer =
        sn_timer_start(&timeout_event, timeout_ns != 0 ? timeout_ns : DEFAULT_TIMEOUT_NS, NULL);
}

static sn_id any_server(const struct client *c)
{
    return c->plan.servers[sn_choose("server", c->plan.n_servers)];
}

static void next_request(struct client *c)
{
    if (c->request.number == c->plan.n_requests) {
        sn_halt();
        return;
    }
    c->request = (struct sn_request){.client = sn_self(), .number = c->request.number + 1};
    c->tries = 0;
    c->plan.make(c->plan.context, &c->request);
    ask(c, any_server(c));
}

static void finish(struct client *c, const struct sn_reply *reply)
{
    if (c->plan.done != NULL)
        c->plan.done(c->plan.context, &c->request, reply);
    next_request(c);
}

static void on_birth(void *self, const void *payload)
{
    struct client *c = self;

    c->plan = *(const struct sn_client *)payload;
    sn_assertf(c->plan.n_servers >= 1 && c->plan.n_servers <= SN_CLIENT_SERVERS_MAX,
               "a client has %u servers", c->plan.n_servers);
    next_request(c);
}

static void on_reply(void *self, const void *payload)
{
    struct client *c = self;
    const struct sn_reply *reply = payload;

    if (reply->number != c->request.number)
        return;
    (void)sn_timer_cancel(c->timer);
    if (reply->leader == SN_NOBODY)
        finish(c, reply);
    else if (c->plan.max_tries != 0 && c->tries == c->plan.max_tries)
        finish(c, NULL);
    else
        ask(c, reply->leader);
}

static void on_timeout(void *self, const void *payload)
{
    struct client *c = self;

    (void)payload;
    if (c->plan.max_tries != 0 && c->tries == c->plan.max_tries)
        finish(c, NULL);
    else
        ask(c, any_server(c));
}

static const struct sn_state asking = {
    .name = "Asking",
    .entry = on_birth,
    .on = (const struct sn_on[]){{.event = &sn_reply_event, .run = on_reply},
                                 {.event = &timeout_event, .run = on_timeout},
                                 {0}},
};

const struct sn_machine sn_client_machine = {
    .name = "Client", .size = sizeof(struct client), .start = &asking, .birth = &sn_client_birth};
