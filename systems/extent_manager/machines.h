/* machines.h - the machines of the harness and what they are born with.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef EXTENT_MANAGER_MACHINES_H
#define EXTENT_MANAGER_MACHINES_H

#include <sennit/sennit.h>

enum scenario {
    SCENARIO_REPLICATE, /* one replica of three: wait until there are three */
    SCENARIO_REPAIR,    /* one of three nodes fails: wait until a new one holds the extent */
};

struct driver_birth {
    uint32_t scenario; /* enum scenario */
};

struct manager_birth {
    sn_id driver;
    uint32_t accept_reports_of_unknown_nodes; /* boolean */
};

struct node_birth {
    sn_id driver;
    sn_id manager;
    uint32_t extents; /* that it holds already */
};

extern const struct sn_machine testing_driver;
extern const struct sn_machine extent_manager_machine;
extern const struct sn_machine extent_node;
extern const struct sn_machine repair_monitor;

/* Set by --bug stale-report. */
extern bool bug_stale_report;

#endif
