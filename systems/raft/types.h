/* types.h - what Raft keeps and sends: entries, sessions, snapshots, messages, requests.
 *
 * All of it is made of 32-bit words without padding, so that it can be hashed, written to a disk
 * and sent as it is between machines of one kind. Indexes and terms begin at 1; 0 is before the
 * first. Servers are numbered from 1 to RAFT_SERVERS_MAX, and a set of servers has bit n-1 for
 * server n. The bounds are fixed, because a server needs no other memory than its struct raft.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef RAFT_TYPES_H
#define RAFT_TYPES_H

#include <assert.h>
#include <stdint.h>

enum {
    RAFT_SERVERS_MAX = 8,
    RAFT_LOG_MAX = 64,     /* entries that are not in the snapshot yet */
    RAFT_BATCH_MAX = 4,    /* entries in one message */
    RAFT_SESSIONS_MAX = 4, /* clients whose last command is remembered */
    RAFT_WAITING_MAX = 8,  /* requests that a leader owes an answer */
    RAFT_DATA_WORDS = 3,   /* of a command, for the state machine */
    RAFT_RESULT_WORDS = 2, /* of its result */
    RAFT_STATE_WORDS = 8,  /* of the state machine's state */
    RAFT_LOG_RESERVE = 16, /* places in the log that commands leave for no-ops and changes */
};

/* ---- What is kept --------------------------------------------------------------------------- */

enum raft_entry_kind {
    RAFT_NOOP,    /* the first entry of a leader's term */
    RAFT_COMMAND, /* for the state machine */
    RAFT_CONFIG,  /* data[0] is the set of members from here on */
};

struct raft_entry {
    uint32_t term;
    uint32_t kind; /* enum raft_entry_kind */
    uint32_t client;
    uint32_t sequence;
    uint32_t data[RAFT_DATA_WORDS];
};

/* The last command of a client that was executed, and its result. */
struct raft_session {
    uint32_t client; /* 0: the place is free */
    uint32_t sequence;
    uint32_t used_index; /* where in the log that command is */
    uint32_t result[RAFT_RESULT_WORDS];
};

/* Everything up to last_index, put in fewer words. */
struct raft_snapshot {
    uint32_t last_index;
    uint32_t last_term;
    uint32_t last_chain; /* see log.h */
    uint32_t members;    /* as of last_index, whatever the log says behind it */
    uint32_t state[RAFT_STATE_WORDS];
    struct raft_session sessions[RAFT_SESSIONS_MAX];
};

/* ---- What servers say to each other --------------------------------------------------------- */

enum raft_message_kind {
    RAFT_VOTE_REQUEST,
    RAFT_VOTE_REPLY,
    RAFT_APPEND,
    RAFT_INSTALL,
    RAFT_APPEND_REPLY, /* answers RAFT_APPEND and RAFT_INSTALL */
    RAFT_MESSAGE_KINDS,
};

/* Every message begins like this. */
struct raft_header {
    uint32_t term;
    uint32_t from;
};

struct raft_vote_request {
    struct raft_header header;
    uint32_t last_index;
    uint32_t last_term;
};

struct raft_vote_reply {
    struct raft_header header;
    uint32_t is_granted;
};

struct raft_append {
    struct raft_header header;
    uint32_t round; /* see reads.c */
    uint32_t prev_index;
    uint32_t prev_term;
    uint32_t commit_index;
    uint32_t count;
    struct raft_entry entries[RAFT_BATCH_MAX];
};

struct raft_install {
    struct raft_header header;
    uint32_t round;
    struct raft_snapshot snapshot;
};

struct raft_append_reply {
    struct raft_header header;
    uint32_t round; /* of the message that is answered */
    uint32_t is_success;
    uint32_t match_index;    /* success: up to here the logs are the same */
    uint32_t conflict_index; /* otherwise: where the follower's entries of this term begin, ... */
    uint32_t conflict_term;  /* ... or, if it has none so far behind (0), where its log ends */
};

/* ---- What clients ask, and are told --------------------------------------------------------- */

enum raft_request_kind {
    RAFT_WRITE,  /* data is a command: executed once, however often the request is repeated */
    RAFT_READ,   /* data is a query: sees all writes that were answered before it was asked */
    RAFT_ADD,    /* data[0] is a server to become a member */
    RAFT_REMOVE, /* data[0] is a member to become none */
};

/* A client has one request at a time and numbers them from 1; it repeats a request, with the same
 * number, to whichever server it likes until it has an answer other than "try again". */
struct raft_request {
    uint32_t client; /* not 0 */
    uint32_t sequence;
    uint32_t kind; /* enum raft_request_kind */
    uint32_t data[RAFT_DATA_WORDS];
};

enum raft_status {
    RAFT_DONE,
    RAFT_NOT_LEADER, /* try again with the server in `leader`, or any if that is 0 */
    RAFT_BUSY,       /* try again later */
    RAFT_REFUSED,    /* cannot be done, ever */
};

struct raft_reply {
    uint32_t client;
    uint32_t sequence;
    uint32_t status; /* enum raft_status */
    uint32_t leader;
    uint32_t result[RAFT_RESULT_WORDS];
};

static_assert(sizeof(struct raft_entry) == 4 * (4 + RAFT_DATA_WORDS), "no padding");
static_assert(sizeof(struct raft_snapshot) ==
                  4 * (4 + RAFT_STATE_WORDS + RAFT_SESSIONS_MAX * (3 + RAFT_RESULT_WORDS)),
              "no padding");

#endif
