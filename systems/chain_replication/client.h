/* client.h - a client of the chain: one request at a time, repeated until it is answered.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CHAIN_REPLICATION_CLIENT_H
#define CHAIN_REPLICATION_CLIENT_H

#include "protocol.h"

/* What a client needs of the world. All entries are required. */
struct client_io {
    void (*send_request)(void *self, uint32_t server, const struct chain_request *request);
    void (*ask_master)(void *self); /* the answer comes as a struct chain_state */
    void (*answered)(void *self, const struct chain_reply *reply);
};

/* To be treated as opaque; here so that it can be embedded. */
struct client {
    const struct client_io *io;
    void *io_self;
    uint32_t client; /* its number */
    struct chain chain;
    struct chain_request request; /* the last one */
    bool is_waiting;
};

/* Starts a client that knows a chain. Keeps io and io_self. */
void client_init(struct client *c, uint32_t client, const struct chain *chain,
                 const struct client_io *io, void *io_self);

/* Sends a request. There must be none that waits for its answer. */
void client_request(struct client *c, enum chain_request_kind kind, uint32_t value);

void client_on_reply(struct client *c, const struct chain_reply *reply);
void client_on_state(struct client *c, const struct chain_state *state);

/* No answer came for a while: repeats the request, and asks how the chain is now. */
void client_on_timeout(struct client *c);

#endif
