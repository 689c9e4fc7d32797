/* sync_world.h - a server and nodes whose messages a test delivers one by one.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_SYNC_WORLD_H
#define TESTS_SYNC_WORLD_H

#include <setjmp.h> /* what cmocka.h wants before it */
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "daemon.h"
#include "server.h"

enum { WORLD_NODES = 3, WORLD_QUEUE = 64 };

struct world_message {
    enum sync_kind kind;
    uint64_t payload[8]; /* aligned for any of them */
};

struct world_queue {
    struct world_message all[WORLD_QUEUE];
    uint32_t first;
    uint32_t n;
};

struct world_node {
    struct world *world;
    struct files files;
    struct daemon daemon;
    bool is_dead;
    struct daemon_record record; /* that the database does not have yet */
    bool has_record;
    struct world_queue to_server;
    struct world_queue from_server;
};

struct world {
    struct sync_wrong wrong;
    struct server server;
    struct world_node nodes[WORLD_NODES];
};

/* Three nodes and no file; set world->wrong afterwards. */
int world_set_up(void **state);
int world_tear_down(void **state);

/* Writes on a node (from 0), and tells the daemon unless it is dead; returns what was there. */
uint32_t user_writes(struct world *world, uint32_t node, uint32_t value);

/* The same, and the daemon is not told yet; to be told what is there by then. */
void user_writes_quietly(struct world *world, uint32_t node, uint32_t value);
void tell_daemon(struct world *world, uint32_t node);

/* What a node has of file 0. */
uint32_t value_on(const struct world *world, uint32_t node);
uint64_t conflicts_on(const struct world *world, uint32_t node);

/* Deliver the next message from or to a node; there must be one. Return what it is. */
enum sync_kind to_server(struct world *world, uint32_t node);
enum sync_kind to_node(struct world *world, uint32_t node);

/* Deliver until nothing is left. */
void calm_down(struct world *world);

void kill_daemon(struct world *world, uint32_t node);
void restart_daemon(struct world *world, uint32_t node);

/* All nodes and the server have these. */
void assert_all_have(const struct world *world, uint32_t value, uint64_t conflicts);

#endif
