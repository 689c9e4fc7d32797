/* machines.h - the machines of the harness, what they are born with, and who is who.
 *
 * The director is created first, the servers after it and the clients after them, each in order, so
 * that everybody knows the machine of everybody else from its own number. Server n is on node n.
 * main.c checks that this is so.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef RAFT_MACHINES_H
#define RAFT_MACHINES_H

#include "raft.h"

#include <sennit/sennit.h>

/* The bounds of what monitors keep. What lies beyond is not judged; trials of the lengths that
 * main.c gives them stay far below. */
enum {
    CLIENTS_MAX = 4,
    INDEXES_MAX = 512,
    SEQUENCES_MAX = 256,
};

#define MILLISECOND UINT64_C(1000000)

struct server_birth {
    uint32_t id;
    uint32_t servers; /* how many there are, members or not */
    uint32_t members; /* a set */
    uint32_t batch;
    uint32_t snapshot_entries;
};

/* What a client asks for, as a set. */
enum duty {
    DUTY_WRITE = 1,
    DUTY_READ = 2,
    DUTY_CHANGE = 4, /* adds and removes members */
};

struct client_birth {
    uint32_t id; /* numbered from 1 */
    uint32_t servers;
    uint32_t duties;      /* a set of enum duty */
    uint32_t keys;        /* registers to use */
    uint32_t operations;  /* how many */
    uint32_t is_promised; /* an answer, sooner or later: whether Progress is told */
};

struct director_birth {
    uint32_t servers;
    uint32_t clients;
};

extern const struct sn_machine raft_server;
extern const struct sn_machine raft_client;
extern const struct sn_machine raft_director;

/* The oracles, beside those of raft_oracles/oracles.h. */
extern const struct sn_machine state_machine_safety;
extern const struct sn_machine exactly_once;
extern const struct sn_machine fresh_reads;

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

/* Set by --bug. */
extern struct raft_bugs bugs_wanted;

#endif
