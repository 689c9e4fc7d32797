/* machines.h - the machines of the harness and what they are born with.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CHAIN_REPLICATION_MACHINES_H
#define CHAIN_REPLICATION_MACHINES_H

#include "events.h"

enum {
    LEASE_MS = 1000,
    SILENCE_MS = 1100, /* longer than a lease by any clock: they differ by 1 percent at most */
    SERVER_TICK_MS = 400,
    MASTER_TICK_MS = 300,
    CLIENT_TIMEOUT_MS = 600,
};

/* Who is who. Filled in before the first step, and constant from then on. */
struct cluster {
    sn_id driver;
    sn_id master;
    sn_id servers[SERVERS_END]; /* by number */
    sn_id clients[CLIENTS_END]; /* the same */
    struct chain chain;         /* at first */
    bool has_answers_monitor;
};

struct member_birth {
    const struct cluster *cluster;
    uint64_t number; /* of a server or a client */
};

/* Of all four machines. */
extern const struct sn_event member_birth_event;

extern const struct sn_machine driver_machine;
extern const struct sn_machine master_machine;
extern const struct sn_machine server_machine;
extern const struct sn_machine client_machine;
extern const struct sn_machine chain_monitor;
extern const struct sn_machine order_monitor;
extern const struct sn_machine answers_monitor;

/* The time by the clock of the machine's node, which is never 0. */
uint32_t clock_ms(void);

/* Starts tick_event for the running machine. */
sn_timer start_tick(uint32_t delay_ms);

/* Set by --bug NAME. */
extern bool bug_no_resend;
extern bool bug_silent_tail;
extern bool bug_applied_twice;
extern bool bug_no_lease;
extern bool bug_old_tail;

#endif
