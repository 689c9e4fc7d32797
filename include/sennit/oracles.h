/* sennit/oracles.h - oracles and models that many tests need, ready to use.
 *
 * Oracles are monitors: list them in test->monitors and tell them what happens with sn_monitor.
 * Models are a client with retries, and sets of faults. docs/oracles.md shows each in use.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SENNIT_ORACLES_H
#define SENNIT_ORACLES_H

#include <sennit/environment.h>
#include <sennit/machine.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* ---- Oracles -------------------------------------------------------------------------------- */

/* At most one leader per term: fails when two machines become leader of the same term. A machine
 * may say so of itself again. */
extern const struct sn_machine sn_one_leader;

struct sn_leader {
    uint64_t term;
    sn_id who;
};

extern const struct sn_event sn_became_leader; /* payload: struct sn_leader */

/* Agreement on a log: fails when two machines decide differently about one place of it, or one
 * machine decides twice and differently. */
extern const struct sn_machine sn_agreement;

struct sn_decision {
    uint64_t index; /* the place in the log; 0 for a single decision */
    uint64_t value; /* what was decided, or a hash of it */
    sn_id who;
};

extern const struct sn_event sn_decided; /* payload: struct sn_decision */

/* Monotone reads: fails when a client reads an older version of a key than it has read before. */
extern const struct sn_machine sn_monotone_reads;

struct sn_version {
    sn_id client;
    uint64_t key;
    uint64_t version; /* grows with each write of the key */
};

extern const struct sn_event sn_read; /* payload: struct sn_version */

/* ---- A client with retries ------------------------------------------------------------------ */

/* What clients send and servers answer. A request that is sent again has the same number: servers
 * that must not do it twice compare (client, number). */
struct sn_request {
    sn_id client; /* who gets the reply */
    uint64_t number;
    uint64_t what; /* the test's own, as are key and value */
    uint64_t key;
    uint64_t value;
};

struct sn_reply {
    uint64_t number; /* of the request */
    uint64_t value;
    sn_id leader; /* whom to ask instead; SN_NOBODY: this is the answer */
};

extern const struct sn_event sn_request_event; /* payload: struct sn_request */
extern const struct sn_event sn_reply_event;   /* payload: struct sn_reply */

enum { SN_CLIENT_SERVERS_MAX = 16 };

/* A machine that makes one request after another, each until it is answered. It asks one of its
 * servers, chosen by the strategy, and another one if no answer comes in time. Create it with a
 * struct sn_client. */
extern const struct sn_machine sn_client_machine;
extern const struct sn_event sn_client_birth; /* payload: struct sn_client */

struct sn_client {
    sn_id servers[SN_CLIENT_SERVERS_MAX];
    uint32_t n_servers;
    uint32_t n_requests;
    uint32_t max_tries;  /* of one request; 0 means no limit */
    uint64_t timeout_ns; /* 0 means one second */
    void *context;       /* for the functions below */

    /* Fills in what, key and value of a request that is about to be sent for the first time. */
    void (*make)(void *context, struct sn_request *request);

    /* A request was answered; reply is NULL if the client gave up. May be NULL. */
    void (*done)(void *context, const struct sn_request *request, const struct sn_reply *reply);
};

/* ---- Sets of faults ------------------------------------------------------------------------- */

/* For test->faults as they are, or to be copied and changed. */
extern const struct sn_faults sn_lossy_network; /* messages are lost, doubled, late */
extern const struct sn_faults sn_split_network; /* the network is cut in two and heals */
extern const struct sn_faults sn_flaky_disk;    /* disk operations fail, nodes crash and restart */
extern const struct sn_faults sn_rough_weather; /* all of it */

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
