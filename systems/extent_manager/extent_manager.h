/* extent_manager.h - keeps every extent replicated on enough extent nodes.
 *
 * Extent nodes send heartbeats often and sync reports, which list the extents they hold, now and
 * then. From both the manager learns which nodes have failed and which extents lack replicas. Its
 * expiration loop gives up nodes that have been silent for too long; its repair loop asks living
 * nodes to copy what lacks replicas from a node that has it. Nodes never answer such a request: the
 * manager learns of the new replica from a later sync report.
 *
 * The manager owns no socket, timer or clock: it reaches all of them through struct extent_io, and
 * whoever owns them calls the entry points below, from one thread. Ids of nodes and extents are the
 * caller's; any 64-bit value is one. Errors are negative errno values.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef EXTENT_MANAGER_H
#define EXTENT_MANAGER_H

#include "extent_center.h"
#include "node_map.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The loops, each driven by a timer that the manager starts anew whenever it has fired. */
enum em_timer {
    EM_TIMER_EXPIRATION,
    EM_TIMER_REPAIR,
};

/* What a repair request says: destination, copy this extent from source. */
struct em_repair {
    uint64_t destination;
    uint64_t extent;
    uint64_t source;
};

/* What the manager needs of the world. All entries are required. */
struct extent_io {
    /* Sends a request to repair->destination. It may get lost. */
    void (*send_repair)(void *self, const struct em_repair *repair);

    /* Calls em_on_expiration_tick or em_on_repair_tick once, after about delay_ms. */
    void (*start_timer)(void *self, enum em_timer timer, uint64_t delay_ms);

    /* A clock that starts anywhere. */
    uint64_t (*now_ms)(void *self);
};

struct em_config {
    size_t replica_target;         /* replicas that each extent should have; 0 means 3 */
    uint64_t expiry_ms;            /* a node silent for so long has failed; 0 means 10000 */
    uint64_t expiration_period_ms; /* 0 means 1000 */
    uint64_t repair_period_ms;     /* 0 means 1000 */
    uint64_t repair_retry_ms;      /* an unconfirmed repair is given up after; 0 means 5000 */

    /* Takes sync reports also from nodes that are not in the node map. This is wrong: a report of a
     * failed node that was long under way brings its replicas back, and as the node is in the map
     * no more, nothing will ever expire them again. */
    bool accept_reports_of_unknown_nodes;
};

/* To be treated as opaque; here so that it can be embedded. */
struct extent_manager {
    struct em_config config;
    const struct extent_io *io;
    void *io_self;
    struct node_map nodes;
    struct extent_center center;
};

/* Prepares a manager and starts its timers. Config may be NULL; io and io_self are kept. 0, or
 * -EINVAL with nothing done. */
int em_init(struct extent_manager *em, const struct em_config *config, const struct extent_io *io,
            void *io_self);

/* Releases what the manager holds. Timers that still run must not reach it any more. A zeroed
 * manager may be given. */
void em_done(struct extent_manager *em);

/* A heartbeat of a node came in; a node that was given up, or never seen, is alive from now on. 0,
 * or -ENOMEM with nothing done. */
int em_on_heartbeat(struct extent_manager *em, uint64_t node);

/* A sync report came in: the node holds these n extents. Reports of nodes that are not known to be
 * alive are ignored: the next one after the next heartbeat will do. 0, or -ENOMEM; the next report
 * puts right what this one could not. */
int em_on_sync_report(struct extent_manager *em, uint64_t node, const uint64_t *extents, size_t n);

/* One round of the expiration loop: gives up the silent nodes. */
void em_on_expiration_tick(struct extent_manager *em);

/* One round of the repair loop: asks for the replicas that are missing. 0, or -ENOMEM; what could
 * not be asked for now is asked for in the next round. */
int em_on_repair_tick(struct extent_manager *em);

/* What the manager believes. */
bool em_knows_node(const struct extent_manager *em, uint64_t node);
bool em_has_replica(const struct extent_manager *em, uint64_t extent, uint64_t node);
size_t em_replica_count(const struct extent_manager *em, uint64_t extent);

/* A hash of all that it believes, with times counted from now: as long as it is the same, the
 * manager does the same. */
uint64_t em_digest(const struct extent_manager *em);

#endif
