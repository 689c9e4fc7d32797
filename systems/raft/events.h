/* events.h - what the machines of the harness say to each other, and what the monitors are told.
 *
 * Payloads are the component's own structs where it has one. All members of payloads have four
 * bytes, so that there is no padding: its bytes would be part of the payload, and arbitrary.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef RAFT_EVENTS_H
#define RAFT_EVENTS_H

#include "../raft_oracles/oracles.h"
#include "types.h"

#include <sennit/sennit.h>

/* ---- Between servers: the messages of types.h ----------------------------------------------- */

extern const struct sn_event vote_request_event;
extern const struct sn_event vote_reply_event;
extern const struct sn_event append_event;
extern const struct sn_event install_event;
extern const struct sn_event append_reply_event;

/* ---- Between clients and servers ------------------------------------------------------------ */

extern const struct sn_event request_event; /* struct raft_request */
extern const struct sn_event reply_event;   /* struct raft_reply */

/* ---- To the director ------------------------------------------------------------------------ */

extern const struct sn_event started_event;  /* a server has been born, or born again */
extern const struct sn_event finished_event; /* a client has no more to ask */

/* ---- Timers --------------------------------------------------------------------------------- */

extern const struct sn_event election_timeout_event;
extern const struct sn_event heartbeat_timeout_event;
extern const struct sn_event recover_event; /* a server whose disk failed tries again */
extern const struct sn_event think_event;   /* a client has thought of something to ask */
extern const struct sn_event retry_event;   /* a client has waited long enough for an answer */

/* ---- What monitors are told, beside raft_oracles/oracles.h ----------------------------------- */

/* A server's state machine has dealt with the log up to an index. */
struct applied {
    uint32_t server;
    uint32_t index;
    uint32_t term;
    uint32_t digest; /* of its state now */
};

/* A server's state machine is that of a snapshot. */
struct restored {
    uint32_t server;
    uint32_t index;
    uint32_t digest;
    uint32_t is_start; /* of the server, which has forgotten what it was */
};

/* A server's state machine has executed a command. */
struct executed {
    uint32_t server;
    uint32_t index;
    uint32_t client;
    uint32_t sequence;
};

/* A client begins or ends an operation on a register. */
struct operation {
    uint32_t client;
    uint32_t key;
    uint32_t is_write;
    uint32_t value;   /* when it ends: written, or read */
    uint32_t version; /* and how often the register had been written to then */
};

extern const struct sn_event applied_event;
extern const struct sn_event restored_event;
extern const struct sn_event executed_event;
extern const struct sn_event begun_event; /* struct operation */
extern const struct sn_event ended_event; /* struct operation */

#endif
