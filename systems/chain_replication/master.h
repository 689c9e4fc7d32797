/* master.h - decides which servers form the chain, and in which order.
 *
 * It gives up servers that have been silent for too long, and closes the gap; it appends servers
 * that have come up, one at a time, once the tail is synced. At least one server of the chain is
 * always synced: when the last of them seems to have failed, the chain stays as it is until one
 * returns, because a chain of the others would have lost what was committed.
 *
 * The master itself does not fail: in a real system it would be replicated by other means.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CHAIN_REPLICATION_MASTER_H
#define CHAIN_REPLICATION_MASTER_H

#include "protocol.h"

/* What the master needs of the world. All entries are required. */
struct master_io {
    void (*send_state)(void *self, uint32_t server, const struct chain_state *state);
    uint32_t (*now_ms)(void *self);

    /* The chain has changed. */
    void (*changed)(void *self, const struct chain *chain);
};

struct master_config {
    uint32_t server_count;
    uint32_t silence_ms; /* after which a server is given up: not less than the lease */
};

struct master_record {
    uint32_t boot;
    uint32_t heard_ms;
    bool is_synced;
    bool was_removed; /* in this life */
};

/* To be treated as opaque; here so that it can be embedded. */
struct master {
    struct master_config config;
    const struct master_io *io;
    void *io_self;
    struct chain chain;
    struct master_record records[CHAIN_SERVERS_MAX + 1]; /* by number */
};

/* Starts a master with a chain of synced servers. Keeps io and io_self. */
void master_init(struct master *m, const struct master_config *config, const struct chain *chain,
                 const struct master_io *io, void *io_self);

void master_on_heartbeat(struct master *m, const struct chain_heartbeat *heartbeat);

/* Now and then: looks for servers that have failed. */
void master_on_tick(struct master *m);

#endif
