/* protocol.h - what master, servers and clients of a chain say to each other.
 *
 * Servers are numbered from 1, and each life of a server has a boot number, higher than those of
 * its earlier lives: a server keeps its data in memory and loses it in a crash. The network may
 * lose, double, delay and reorder messages.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CHAIN_REPLICATION_PROTOCOL_H
#define CHAIN_REPLICATION_PROTOCOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CHAIN_SERVERS_MAX = 4,
    CHAIN_UPDATES_MAX = 16, /* histories are never cut */
};

/* The chain as the master wants it: head first, tail last. Epochs are numbered upwards; 0 is none.
 */
struct chain {
    uint32_t epoch;
    uint32_t count;
    uint32_t servers[CHAIN_SERVERS_MAX];
    uint32_t boots[CHAIN_SERVERS_MAX]; /* which life of each */
};

/* From a server to the master, now and then. */
struct chain_heartbeat {
    uint32_t server;
    uint32_t boot;
    uint32_t is_synced; /* boolean: holds all that was ever committed */
    uint32_t time_ms;   /* by the server's clock */
};

/* From the master: how the chain is. Also the answer to a heartbeat, whose time it contains. */
struct chain_state {
    uint32_t boot;    /* of the receiver, when it is a server */
    uint32_t time_ms; /* of the heartbeat; 0: this is no answer to one */
    struct chain chain;
};

/* A change of the one object that the chain stores. */
struct chain_update {
    uint32_t client;
    uint32_t request; /* numbered by the client: both together identify the update */
    uint32_t value;
};

enum chain_request_kind {
    CHAIN_UPDATE = 1, /* goes to the head */
    CHAIN_QUERY,      /* goes to the tail */
};

struct chain_request {
    uint32_t kind;              /* enum chain_request_kind */
    struct chain_update update; /* value is not used by a query */
};

struct chain_reply {
    uint32_t kind;     /* enum chain_request_kind */
    uint32_t request;  /* that this answers */
    uint32_t sequence; /* of the update; for a query, of the last update that it has seen */
    uint32_t value;
};

/* What neighbours in the chain tell each other, over a link that loses and reorders nothing. */
enum chain_note_kind {
    CHAIN_STATUS = 1, /* to the predecessor: I have everything up to `sequence`, ... */
    CHAIN_FORWARD,    /* to the successor: the update number `sequence` */
    CHAIN_CAUGHT_UP,  /* to the successor: now you have everything that I have */
    CHAIN_ACK,        /* to the predecessor: the tail has everything up to `sequence` */
};

struct chain_note {
    uint32_t kind; /* enum chain_note_kind */
    uint32_t sequence;
    uint32_t stable; /* ... and the tail, as far as I know, up to here (also CHAIN_CAUGHT_UP) */
    struct chain_update update;
};

/* What a link is made of. */
struct chain_segment {
    uint32_t from;    /* a server */
    uint32_t epoch;   /* a link lives for one epoch */
    uint32_t number;  /* of the note, from 1; 0: there is none, this is a receipt only */
    uint32_t receipt; /* the notes up to this number have come */
    struct chain_note note;
};

#endif
