/* machines.h - the machines of the harness, what they are born with, and who is who.
 *
 * The director is created first, the servers after it, then the clients and the operators, each in
 * order, so that everybody knows the machine of everybody else from its own number. Server n is on
 * node n. scenarios.c checks that this is so.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef LIBRAFT_MACHINES_H
#define LIBRAFT_MACHINES_H

#include <sennit/sennit.h>

/* The bounds of what monitors keep. Trials stay below: entries beyond are not judged, and more
 * terms fail the trial, since a strategy could make them. */
enum {
    SERVERS_MAX = 5,
    CLIENTS_MAX = 4,
    INDEXES_MAX = 128,
    COMMANDS_MAX = 128,
    TERMS_MAX = 1024,
    KEYS = 2,
};

enum {
    HEARTBEAT_MS = 100,
    ELECTION_MS = 300, /* and up to twice that */
};

/* Where timers fire at any moment, trials would not end: after so many ticks of a server since it
 * was started, and so many timers of a client, it takes several to make one. */
enum { IMPATIENT_TICKS = 50, IMPATIENT_TIMERS = 60, PATIENCE = 10 };

#define MILLISECOND UINT64_C(1000000)

/* How a server of the library is set up, and what the harness does besides. */
struct server_birth {
    uint32_t id;
    uint32_t servers;   /* how many there are, members or not */
    uint32_t members;   /* the first so many are voters from the start; 0: this server is none */
    uint32_t threshold; /* entries before a snapshot is taken; 0: none ever is */
    uint32_t trailing;  /* entries that are kept behind a snapshot */
    uint32_t pre_vote;
    uint32_t is_impatient;   /* ticks come at any moment; each moves the server's clock */
    uint32_t has_late_sends; /* that a message was sent is reported in a step of its own */
    uint32_t has_async_work; /* snapshots are finished by asynchronous work (version 3) */
};

/* What a client asks for, as a set. */
enum duty {
    DUTY_WRITE = 1,
    DUTY_READ = 2,         /* by a command that goes through the log */
    DUTY_BARRIER_READ = 4, /* by a barrier, and then from the leader's state */
};

/* What an operator asks for, as a set. */
enum task {
    TASK_TRANSFER = 1,
    TASK_ADD = 2,
    TASK_ASSIGN = 4,
    TASK_REMOVE = 8,
    TASK_CLOSE = 16, /* a server is closed in an orderly way, and started again */
};

struct client_birth {
    uint32_t id; /* numbered from 1 */
    uint32_t servers;
    uint32_t duties;       /* a set of enum duty, or of enum task for an operator */
    uint32_t operations;   /* how many */
    uint32_t is_impatient; /* its timers fire at any moment */
    uint32_t spared;       /* the first so many servers, which an operator leaves alone */
};

struct director_birth {
    uint32_t servers;
    uint32_t clients; /* that say when they have finished */
};

extern const struct sn_machine libraft_server;
extern const struct sn_machine libraft_client;
extern const struct sn_machine libraft_operator;
extern const struct sn_machine libraft_director;

/* The oracles, beside those of raft_oracles/oracles.h. Election safety is sn_one_leader,
 * one_vote and majorities. */
extern const struct sn_machine one_vote;
extern const struct sn_machine majorities;
extern const struct sn_machine state_machine_safety;
extern const struct sn_machine exactly_once;
extern const struct sn_machine durability;
extern const struct sn_machine configurations;
extern const struct sn_machine callbacks;
extern const struct sn_machine addressees;
extern const struct sn_machine no_leak;

/* The director, as the server or client with this number finds it. Server n is the n-th machine
 * after the director, client n the n-th after the servers. */
static inline sn_id director_of_server(uint32_t id)
{
    return sn_self() - id;
}

static inline sn_id director_of_client(uint32_t id, uint32_t servers)
{
    return sn_self() - servers - id;
}

/* Ways to break the harness on purpose, set by --bug. */
struct libraft_bugs {
    bool deliver_twice;
    bool complete_lost_write;
    bool forget_vote;
    bool forget_term;
    bool ignore_truncate;
    bool call_back_twice;
    bool wrong_address;
    bool local_read;
    bool skip_apply;
    bool keep_buffers;
    bool lose_snapshot;
    bool lose_own_snapshot;
    bool keep_vote;
    bool report_out_of_order;
    bool deaf_server;
    bool count_vote_twice;
    bool garble_barrier;
    bool skip_sync;
    bool restore_part;
    bool submit_twice;
    bool ask_twice;
    bool forget_answer;
    bool misread_configuration;
    bool backdate_snapshot;
};

extern struct libraft_bugs bugs_wanted;

#endif
