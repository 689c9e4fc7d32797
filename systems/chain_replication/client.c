/* client.c - a client of the chain. SPDX-License-Identifier: MIT */
#include "client.h"

static void send_request(struct client *c);

void client_init(struct client *c, uint32_t client, const struct chain *chain,
                 const struct client_io *io, void *io_self)
{
    *c = (struct client){.io = io, .io_self = io_self, .client = client, .chain = *chain};
}

void client_request(struct client *c, enum chain_request_kind kind, uint32_t value)
{
    c->request.kind = kind;
    c->request.update.client = c->client;
    c->request.update.request++;
    c->request.update.value = value;
    c->is_waiting = true;
    send_request(c);
}

void client_on_reply(struct client *c, const struct chain_reply *reply)
{
    if (!c->is_waiting || reply->request != c->request.update.request)
        return;
    c->is_waiting = false;
    c->io->answered(c->io_self, reply);
}

void client_on_state(struct client *c, const struct chain_state *state)
{
    if (state->chain.epoch <= c->chain.epoch)
        return;
    c->chain = state->chain;
    if (c->is_waiting)
        send_request(c);
}

void client_on_timeout(struct client *c)
{
    if (!c->is_waiting)
        return;
    send_request(c);
    c->io->ask_master(c->io_self);
}

static void send_request(struct client *c)
{
    uint32_t place = c->request.kind == CHAIN_UPDATE ? 0 : c->chain.count - 1;

    c->io->send_request(c->io_self, c->chain.servers[place], &c->request);
}
