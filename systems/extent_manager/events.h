/* events.h - what the machines of the harness say to each other.
 *
 * Nodes are named by their machine: the extent manager takes any 64-bit id, so an sn_id serves as
 * the id of an extent node. The extents of a node are a set of bits. All members of payloads have
 * four bytes, so that there is no padding: its bytes would be part of the payload, and arbitrary.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef EXTENT_MANAGER_EVENTS_H
#define EXTENT_MANAGER_EVENTS_H

#include <sennit/sennit.h>

enum {
    REPLICA_TARGET = 3,
    NODES_MAX = 4,   /* three, and the one that replaces the failed one */
    THE_EXTENT = 0,  /* one extent is enough to lose data */
    EXTENTS_MAX = 32 /* as many as a set of bits can hold */
};

/* ---- From an extent node to the extent manager, and the receipts ---------------------------- */

struct heartbeat {
    sn_id node;
};

struct sync_report {
    sn_id node;
    uint32_t extents;
};

extern const struct sn_event heartbeat_event;
extern const struct sn_event heartbeat_ack_event;
extern const struct sn_event sync_report_event; /* travels by way of the driver */
extern const struct sn_event sync_report_ack_event;

/* ---- From the extent manager through the driver to an extent node, and between nodes -------- */

struct repair_request {
    sn_id destination;
    uint32_t extent;
    sn_id source;
};

struct copy_request {
    uint32_t extent;
    sn_id destination;
};

struct copy_response {
    uint32_t extent;
    uint32_t is_copied; /* boolean */
};

extern const struct sn_event repair_request_event;
extern const struct sn_event copy_request_event;
extern const struct sn_event copy_response_event;

/* ---- From the machine around the extent manager to the driver ------------------------------- */

extern const struct sn_event
    all_reported_event; /* the manager has seen as many replicas as it wants */

/* ---- Between the driver and the nodes; also what the monitor is told ------------------------ */

struct node_notice {
    sn_id node;
};

extern const struct sn_event fail_event;            /* the driver ends a node */
extern const struct sn_event node_failed_event;     /* a node has failed */
extern const struct sn_event extent_repaired_event; /* a node has got a replica */

/* ---- Timers --------------------------------------------------------------------------------- */

extern const struct sn_event heartbeat_tick_event;
extern const struct sn_event sync_tick_event;
extern const struct sn_event expiration_tick_event;
extern const struct sn_event repair_tick_event;
extern const struct sn_event failure_tick_event;

#endif
