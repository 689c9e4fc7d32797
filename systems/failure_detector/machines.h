/* machines.h - the machines of the harness and what they are born with.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef FAILURE_DETECTOR_MACHINES_H
#define FAILURE_DETECTOR_MACHINES_H

#include "events.h"

/* Who is who. Filled in before the first step, and constant from then on. */
struct cluster {
    sn_id nodes[NODES_END]; /* by number */
    uint32_t slow_node;     /* 0: none */
};

struct node_birth {
    const struct cluster *cluster;
    uint64_t node;
};

extern const struct sn_machine node_machine;
extern const struct sn_machine evidence_monitor;
extern const struct sn_machine settled_monitor;

/* Set by --bug NAME. */
extern bool bug_late_answer;
extern bool bug_kept_timer;
extern bool bug_lost_incarnation;
extern bool bug_dropped_member;

#endif
