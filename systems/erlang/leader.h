/* leader.h - electing a leader among candidates, and a registry of names behind it.
 *
 * The election is that of gen_leader, which follows Stoller's "Leader Election in Distributed
 * Systems with Crash Failures" (1997); the registry is what gproc makes of it. A node has a process
 * with a name, which is a candidate, and a helper that watches the others for it. Candidates are in
 * an order: the first of those that are up wins.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ERLANG_LEADER_H
#define ERLANG_LEADER_H

#include "noise.h"

#include <sennit/sennit.h>

enum {
    NODES = 3,      /* numbered from 1 in the order of candidates; 0 is none */
    ALL_NODES = 14, /* as a set */
    LEADER_NAME_SIZE = 24,
};

/* What an election is told apart by. */
struct election_id {
    uint32_t node;
    uint32_t count;
};

/* Of all events of the election. */
struct election {
    uint32_t from; /* a node */
    uint32_t leader;
    struct election_id id;
    uint32_t names; /* that are registered, as a set: what a new leader hands out */
};

/* Payload of down_event and of monitor_event: a node, and whether it had no process at all when the
 * monitor was made. */
struct report {
    uint32_t node;
    uint32_t is_early;
};

enum request_kind {
    REQUEST_REGISTER = 1,
    REQUEST_UNREGISTER,
    REQUEST_SYNC,   /* answered when all nodes have done what was asked before */
    REQUEST_LOOKUP, /* answered by the node that is asked, as the next one; others by the leader */
    REQUEST_LEADER,
};

/* Name n is that of a process on node n. */
struct request {
    uint32_t kind; /* enum request_kind */
    uint32_t name;
    sn_id client; /* SN_NOBODY: wants no answer */
    uint32_t ref; /* of a call to the leader, which the answer names; 0: none */
};

struct answer {
    uint32_t is_there; /* of a lookup */
    uint32_t leader;   /* a node */
    uint32_t ref;
};

struct leader_birth {
    uint32_t node;
    sn_id starter; /* is told when the node has begun its first election */
    uint32_t noise_points;
    /* Requests to the leader are calls of the node that was asked: the leader answers the node, and
     * the node the client. Otherwise the leader answers the client. */
    uint32_t is_calling;
};

extern const struct sn_event halt_event;
extern const struct sn_event ack_leader_event;
extern const struct sn_event has_leader_event;
extern const struct sn_event is_leader_event;
extern const struct sn_event not_leader_event;
extern const struct sn_event norm_query_event;
extern const struct sn_event not_norm_event;
extern const struct sn_event leads_event;
extern const struct sn_event heartbeat_event;
extern const struct sn_event check_event;
extern const struct sn_event send_check_event;
extern const struct sn_event down_event;

/* Of the helper. */
extern const struct sn_event monitor_event;
extern const struct sn_event monitored_event;

/* Of the registry. */
extern const struct sn_event request_event;
extern const struct sn_event answer_event;
extern const struct sn_event change_event; /* from the leader: a struct request */
extern const struct sn_event sync_event;   /* from the leader */
extern const struct sn_event synced_event; /* a struct election, of which from counts */

extern const struct sn_event started_event;
extern const struct sn_event leader_birth_event;
extern const struct sn_event helper_birth_event; /* a struct helper_birth */

struct helper_birth {
    sn_id leader;
};

extern const struct sn_process leader_process; /* born with a struct leader_birth */
extern const struct sn_process leader_helper_process;

/* Writes the name of a node's process. */
void leader_name(uint32_t node, char name[LEADER_NAME_SIZE]);

#endif
