/* events.h - what the machines of the harness say to each other, and to the monitors.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CHAIN_REPLICATION_EVENTS_H
#define CHAIN_REPLICATION_EVENTS_H

#include "protocol.h"

#include <sennit/sennit.h>

enum {
    SERVERS = 3,
    SERVERS_END = SERVERS + 1, /* they are numbered from 1, in the order of their sn_node */
    CLIENTS = 2,
    CLIENTS_END = CLIENTS + 1, /* the same */
};

/* The payload of each is the struct of that name in protocol.h. */
extern const struct sn_event heartbeat_event;
extern const struct sn_event state_event;
extern const struct sn_event request_event;
extern const struct sn_event reply_event;
extern const struct sn_event segment_event;

extern const struct sn_event where_event; /* from a client to the master: how is the chain? */

/* ---- From clients and servers to the driver ------------------------------------------------- */

extern const struct sn_event done_event;  /* a client has all its answers */
extern const struct sn_event hello_event; /* a server has started */

/* ---- Timers --------------------------------------------------------------------------------- */

extern const struct sn_event tick_event;

/* ---- What monitors are told ----------------------------------------------------------------- */

struct server_notice {
    uint32_t server;
    uint32_t boot;
    uint32_t stable;
    uint32_t is_synced; /* boolean */
};

struct apply {
    uint32_t server;
    uint32_t boot;
    uint32_t sequence;
    struct chain_update update;
};

struct commit {
    uint32_t server;
    uint32_t sequence;
    struct chain_update update;
};

struct client_notice {
    uint32_t client;
    uint32_t kind;     /* enum chain_request_kind */
    uint32_t sequence; /* of the answer */
    uint32_t value;
};

extern const struct sn_event chain_event;    /* a struct chain: the master has changed it */
extern const struct sn_event born_event;     /* a server_notice: the server has a new, empty life */
extern const struct sn_event status_event;   /* a server_notice */
extern const struct sn_event apply_event;    /* a server has got an update */
extern const struct sn_event commit_event;   /* a server answers an update */
extern const struct sn_event asked_event;    /* a client_notice */
extern const struct sn_event answered_event; /* a client_notice */
extern const struct sn_event client_done_event; /* a client_notice: it will ask no more */

#endif
