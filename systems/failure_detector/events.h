/* events.h - what the machines of the harness say to each other, and to the monitors.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef FAILURE_DETECTOR_EVENTS_H
#define FAILURE_DETECTOR_EVENTS_H

#include "protocol.h"

#include <sennit/sennit.h>

enum {
    NODES = 3,
    NODES_END = NODES + 1, /* they are numbered from 1, in the order of their sn_node */
};

/* Between nodes: a struct fd_message. */
extern const struct sn_event message_event;

/* ---- Timers --------------------------------------------------------------------------------- */

extern const struct sn_event pause_event;
extern const struct sn_event answers_event;
extern const struct sn_event slow_event; /* a slow node gets round to a message: fd_message */
extern const struct sn_event boot_event; /* the disk failed when the node started: try again */

/* ---- What monitors are told ----------------------------------------------------------------- */

struct notice {
    uint32_t node;
    uint32_t peer; /* in answer_event */
};

struct suspicion {
    uint32_t node;
    uint32_t peer;
    uint32_t waited_ms;  /* since the round began */
    uint32_t timeout_ms; /* of the round */
};

/* What a node believes, and what it leads. Incarnations of nodes by their number; 0: none. */
struct view {
    uint32_t node;
    uint32_t incarnation;
    uint32_t leader;
    uint32_t joined; /* incarnation of the leader */
    uint32_t alive[NODES_END];
    uint32_t members[NODES_END];
};

extern const struct sn_event born_event;   /* a notice: a node has started */
extern const struct sn_event round_event;  /* a notice: a round has begun */
extern const struct sn_event answer_event; /* a notice: a peer has answered in this round */
extern const struct sn_event suspicion_event;
extern const struct sn_event view_event;

#endif
