/* events.h - what machines send each other, and what monitors are told.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef LIBRAFT_EVENTS_H
#define LIBRAFT_EVENTS_H

#include "../raft_oracles/oracles.h"
#include "machines.h"

#include <raft.h>

/* ---- Between servers ------------------------------------------------------------------------ */

enum { DATA_MAX = 64 }; /* of an entry: a configuration of five servers is the longest */

/* An entry on its way, or on a disk. */
struct packed_entry {
    uint64_t term;
    uint32_t type;
    uint32_t length;
    unsigned char data[DATA_MAX];
};

/* Entries lie in memory of the trial that nobody changes. */
struct append_entries {
    uint64_t term;
    uint64_t prev_index;
    uint64_t prev_term;
    uint64_t commit;
    uint64_t n;
    const struct packed_entry *entries;
};

/* A configuration without pointers. */
struct packed_members {
    uint32_t count;
    uint32_t ids[SERVERS_MAX];
    uint32_t roles[SERVERS_MAX];
};

struct packed_snapshot {
    uint64_t index;
    uint64_t term;
    uint64_t conf_index;
    struct packed_members members;
    uint32_t length; /* of the state */
    unsigned char state[DATA_MAX];
};

struct install_snapshot {
    uint64_t term;
    struct packed_snapshot snapshot;
};

extern const struct sn_event request_vote_event;          /* struct raft_request_vote */
extern const struct sn_event request_vote_result_event;   /* struct raft_request_vote_result */
extern const struct sn_event append_entries_event;        /* struct append_entries */
extern const struct sn_event append_entries_result_event; /* struct raft_append_entries_result */
extern const struct sn_event install_snapshot_event;      /* struct install_snapshot */
extern const struct sn_event timeout_now_event;           /* struct raft_timeout_now */

/* ---- What a server says to itself ----------------------------------------------------------- */

extern const struct sn_event tick_event;
extern const struct sn_event log_written_event;      /* the first request of the log is done */
extern const struct sn_event snapshot_written_event; /* a snapshot is on the disk */
extern const struct sn_event snapshot_read_event;    /* ... or was read */
extern const struct sn_event sent_event;             /* a message has left */
extern const struct sn_event worked_event;           /* asynchronous work is done */
extern const struct sn_event closed_event;           /* nothing of the server is left but memory */
extern const struct sn_event reopen_event;           /* its process is started again */

/* ---- Clients, operators, the director ------------------------------------------------------- */

enum ask {
    ASK_WRITE = 0,
    ASK_READ,
    ASK_BARRIER_READ,
    ASK_TRANSFER,
    ASK_ADD,
    ASK_ASSIGN,
    ASK_REMOVE,
    ASK_CLOSE,
};

struct request {
    uint32_t id; /* no other request of the trial has it */
    uint32_t ask;
    uint32_t key;    /* a register, or a server */
    uint32_t role;   /* ASK_ASSIGN */
    sn_id client;    /* who gets the reply */
    uint32_t unused; /* padding */
};

struct reply {
    uint32_t id;
    uint32_t is_refused; /* it was not even begun, and never will be */
    int32_t status;      /* of the library */
    uint32_t value;      /* read */
    uint32_t leader;     /* as the server believes; 0: it knows none */
};

extern const struct sn_event request_event;
extern const struct sn_event reply_event;
extern const struct sn_event finished_event; /* a client has had all that it wanted */
extern const struct sn_event started_event;  /* a server has; to the director */
extern const struct sn_event shutdown_event; /* the trial is over: the server closes for good */
extern const struct sn_event think_event;
extern const struct sn_event retry_event;

/* ---- What monitors are told, beside raft_oracles/oracles.h ----------------------------------- */

/* A server's state machine has executed a command, or is that of a snapshot. */
struct applied {
    uint32_t server;
    uint32_t command; /* 0: of a snapshot */
    uint64_t count;   /* of the commands that it has executed since the beginning */
    uint64_t digest;  /* of its state now */
};

/* A server is about to store a vote, has stored it, or finds it when it starts. */
struct voted {
    uint32_t server;
    uint64_t term;
    uint64_t vote;
};

/* A server leads a term. */
struct won {
    uint32_t server;
    uint32_t index; /* of the last configuration that is on its disk */
    uint64_t term;
    struct packed_members members; /* as it is there; count 0: not known */
};

/* How far a server says its log is on the disk, and how far it is. */
struct stored {
    uint32_t server;
    uint64_t claimed;
    uint64_t claimed_term; /* of that entry; 0: not known */
    uint64_t durable;
    uint64_t durable_term; /* of the entry that was claimed */
};

/* A server is told that its snapshot is on the disk, or finds it there when it starts. */
struct kept {
    uint32_t server;
    uint32_t unused; /* padding */
    uint64_t index;  /* of the last entry that is in it */
};

/* A server answers that it has all that is in a snapshot which it was sent. */
struct confirmed {
    uint32_t server;
    uint32_t unused;   /* padding */
    uint64_t index;    /* of the last entry that is in the snapshot */
    uint64_t term;     /* of that entry */
    uint64_t own_term; /* of the server's own entry there; 0: it has none */
};

/* A server uses a configuration, or has put it into a snapshot, and says of which entry it is. */
struct configured {
    uint32_t server;
    uint32_t index;
    uint32_t is_snapshot;
    struct packed_members members;
    struct packed_members entry; /* as it is; count 0: it is in no log of this server */
};

/* A request of a client is accepted by a server's library, or called back. */
struct call {
    uint32_t server;
    uint32_t id;
    int32_t status;
    uint32_t answered; /* the command whose result it brings; 0: it brings none */
};

/* A message leaves a server. */
struct addressed {
    uint32_t server;
    uint32_t servers;
    uint64_t to;
    const char *address;
};

/* A server was closed, with so many blocks of memory left. */
struct ended {
    uint32_t server;
    int64_t blocks;
};

extern const struct sn_event applied_event;
extern const struct sn_event restored_event; /* struct applied */
extern const struct sn_event voting_event;   /* struct voted */
extern const struct sn_event voted_event;
extern const struct sn_event vote_found_event; /* struct voted */
extern const struct sn_event won_event;
extern const struct sn_event settled_event; /* struct configured, of a snapshot */
extern const struct sn_event stored_event;
extern const struct sn_event kept_event;
extern const struct sn_event kept_found_event; /* struct kept */
extern const struct sn_event confirmed_event;
extern const struct sn_event configured_event;
extern const struct sn_event accepted_event;    /* struct call */
extern const struct sn_event called_back_event; /* struct call */
extern const struct sn_event reborn_event;      /* struct call: the server has forgotten all */
extern const struct sn_event addressed_event;
extern const struct sn_event ended_event;

#endif
