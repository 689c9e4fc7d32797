/* server.h - a server of a replicated object, by chain replication.
 *
 * Updates enter at the head, which puts them in order, and pass from each server to its successor.
 * When the tail has one it is committed: the tail answers the client, and an acknowledgement goes
 * back up the chain. Queries are answered by the tail alone.
 *
 * Each server keeps its history: all updates that it has, in order. What the tail has of it is
 * stable; the rest is what the paper calls the sent list. When a server fails the master joins its
 * neighbours: the successor says how far its history goes, and the predecessor sends what is
 * missing. A new server is appended as tail and gets the whole history in the same way; it answers
 * nobody until it has caught up.
 *
 * The master may give up a server that is alive but out of reach. So the tail answers queries only
 * while it holds a lease, which each answer to one of its heartbeats renews, and which ends before
 * the master gives it up. A server that finds itself outside the chain starts a new life.
 *
 * R. van Renesse, F. B. Schneider: Chain Replication for Supporting High Throughput and
 * Availability, OSDI 2004. There failures are detected without error, and links are given.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CHAIN_REPLICATION_SERVER_H
#define CHAIN_REPLICATION_SERVER_H

#include "link.h"
#include "protocol.h"

/* What a server needs of the world. All entries are required. */
struct server_io {
    void (*send_heartbeat)(void *self, const struct chain_heartbeat *heartbeat);
    void (*send_segment)(void *self, uint32_t to, const struct chain_segment *segment);
    void (*reply)(void *self, uint32_t client, const struct chain_reply *reply);

    /* A clock that runs as fast as the master's, and starts anywhere but at 0. */
    uint32_t (*now_ms)(void *self);

    /* The server is outside the chain: initialise it anew, with a new boot number. */
    void (*start_again)(void *self);
};

struct server_config {
    uint32_t server; /* its number */
    uint32_t boot;
    uint32_t lease_ms;

    /* Wrong: takes for granted that a new successor has all that was sent to the old one. */
    bool skip_resend;

    /* Wrong: a server that becomes the tail answers the clients whose updates it had already, but
     * does not acknowledge these updates up the chain. */
    bool skip_ack;

    /* Wrong: an update that a client repeats is looked for among those that this server took from
     * clients itself, as head, and the last one before. */
    bool forget_earlier_heads;

    /* Wrong: answers queries without a lease. */
    bool ignore_lease;

    /* Wrong: answers queries although it is not the tail any more. It has all the data, after all,
     * and more: updates that are not committed. */
    bool answer_as_old_tail;
};

/* To be treated as opaque; here so that it can be embedded. */
struct server {
    struct server_config config;
    const struct server_io *io;
    void *io_self;
    struct chain chain;      /* in which it is a member; epoch 0: none yet */
    struct link up;          /* to the predecessor */
    struct link down;        /* to the successor */
    bool is_down_ready;      /* the successor has told its status */
    bool is_down_new;        /* it was another one in the last epoch */
    bool is_synced;          /* holds all that was ever committed */
    uint32_t count;          /* of its history */
    uint32_t stable;         /* the tail has these */
    uint32_t head_since;     /* so long was its history when it became the head */
    uint32_t lease_until_ms; /* 0: it has none */
    struct chain_update history[CHAIN_UPDATES_MAX]; /* sequence numbers begin at 1 */
};

/* Starts a server. Chain is the one that the system was set up with, if this is the server's first
 * life, or NULL. Keeps io and io_self. */
void server_init(struct server *s, const struct server_config *config, const struct chain *chain,
                 const struct server_io *io, void *io_self);

void server_on_state(struct server *s, const struct chain_state *state);
void server_on_segment(struct server *s, const struct chain_segment *segment);
void server_on_request(struct server *s, const struct chain_request *request);

/* Now and then: sends a heartbeat, and what may have got lost. */
void server_on_tick(struct server *s);

#endif
