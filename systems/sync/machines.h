/* machines.h - the machines of the simulated synchroniser. SPDX-License-Identifier: MIT */
#ifndef SYNC_MACHINES_H
#define SYNC_MACHINES_H

#include "protocol.h"
#include <sennit/sennit.h>

struct node_birth {
    uint32_t node;
    sn_id server;
};

struct server_birth {
    uint32_t n_nodes;
};

extern const struct sn_machine node_machine;   /* a user's files, a clock and a daemon */
extern const struct sn_machine server_machine; /* on no node: it never fails */

/* Set by --bug, and by the tests. */
extern struct sync_wrong sync_wrong;

#endif
