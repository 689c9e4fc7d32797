/* chain_replication_world.h - a chain of three servers and its master, in a world made by hand.
 *
 * Messages wait in one queue and are handed over in order by `settle`; those to a server that is
 * cut off are lost. Time stands still but for `pass_ms`, which lets everybody tick.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_CHAIN_REPLICATION_WORLD_H
#define TESTS_CHAIN_REPLICATION_WORLD_H

#include "client.h"
#include "master.h"
#include "server.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum {
    SERVERS = 3,
    LEASE_MS = 100,
    TICK_MS = 40,
    CLIENT = 8,
    WAITING_MAX = 256,
    REPLIES_MAX = 64,
};

enum waiting_kind {
    WAITING_HEARTBEAT,
    WAITING_STATE,
    WAITING_SEGMENT,
};

struct waiting {
    enum waiting_kind kind;
    uint32_t from; /* 0: the master */
    uint32_t to;
    struct chain_heartbeat heartbeat;
    struct chain_state state;
    struct chain_segment segment;
};

struct node {
    struct server server;
    struct world *world;
    bool is_cut_off;
};

struct world {
    struct master master;
    struct node nodes[SERVERS + 1];
    struct server_config config; /* of servers that start: number and boot are set by the world */
    uint32_t now_ms;
    uint32_t starts_again; /* how often a server did so */
    struct waiting queue[WAITING_MAX];
    size_t first;
    size_t end;
    struct chain_reply replies[REPLIES_MAX];
    size_t reply_count;
};

/* A fixture: *state is a world in which all servers are up, in the order of their numbers. */
int set_up(void **state);

#define IN_WORLD(claim_) cmocka_unit_test_setup(claim_, set_up)

/* Hands over all messages, and those that follow from them. */
void settle(struct world *world);

/* Throws away the messages under way from one server to another. */
void lose_segments(struct world *world, uint32_t from, uint32_t to);

/* Lets time pass in ticks, each of which everybody who can hear notices. */
void pass_ms(struct world *world, uint32_t ms);

/* A server loses its memory; it is down, or up in a new life. */
void crash(struct world *world, uint32_t server);
void restart(struct world *world, uint32_t server);

/* Sends a request to a server, and settles nothing. */
void update(struct world *world, uint32_t server, uint32_t request);
void query(struct world *world, uint32_t server, uint32_t request);

/* How many replies there were to a request, and the last of them. */
size_t count_replies(const struct world *world, uint32_t request);
const struct chain_reply *last_reply(const struct world *world, uint32_t request);

#endif
