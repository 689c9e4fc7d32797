/* environment.h - nodes, the network between them, and what goes wrong with them.
 *
 * environment.c keeps the nodes; network.c decides where a sent message waits and whether it
 * arrives; fault.c performs the operations of the fault task; disk.c keeps the nodes' disks.
 * A trial that has no node, no link order of its own and no faults never comes here: sends take
 * their short way (t->sends_plainly). SPDX-License-Identifier: MIT
 */
#ifndef SUBSTRATE_ENVIRONMENT_H
#define SUBSTRATE_ENVIRONMENT_H

#include "engine/trial.h"

enum {
    NODES_MAX = 1024,
    NODE_NAME_MAX = 64,
    RESIDENTS_MAX = 1 << 16,
    LINK_RULES_MAX = 4096,
    DUE_FAULTS_MAX = 1024,
};

struct node {
    char name[NODE_NAME_MAX];
    int64_t offset_ns;
    int32_t drift_ppm;
    uint32_t effects_left; /* until it crashes within its next step; 0: it does not */
    uint32_t drops;        /* so many of its next messages are lost, ... */
    uint32_t duplicates;   /* ... arrive twice, ... */
    uint32_t delays;       /* ... take longer, ... */
    uint32_t disk_errors;  /* ... and so many of its next disk operations fail */
    bool is_down;
    bool is_doomed;   /* it crashes in its next step, at the latest at the end */
    bool is_stopping; /* ... in an orderly way */
    bool never_crashes;
};

/* A machine that is born again with its node. */
struct resident {
    uint32_t task;
    uint32_t creator;
    void *payload; /* of its birth, in the trial's memory */
};

struct link_rule {
    uint32_t from;
    uint32_t to;
    enum sn_order order;
};

/* A fault that the strategy is offered from a step on. */
struct due_fault {
    uint64_t step;
    const struct sn_event *what;
};

/* The scalars of the environment at a moment of a trial. */
struct environment_now {
    uint64_t cut; /* nodes of one side; 0: the network is whole */
    uint32_t fault_task;
    uint32_t n_rules;
    uint32_t n_due;
    uint32_t n_down; /* because of faults */
    uint32_t doomed; /* node whose next step is its last; 0: none */
    bool has_default_links;
};

struct environment {
    struct environment_now now;
    struct node nodes[NODES_MAX + 1];
    struct resident residents[RESIDENTS_MAX];
    struct link_rule rules[LINK_RULES_MAX];
    struct due_fault due[DUE_FAULTS_MAX];
    jmp_buf escape; /* from the middle of a step */
    bool may_escape;
};

/* Makes the environment part of a trial. 0, or SN_ENOMEM. */
int environment_join(struct trial *t, struct err *why);
void environment_leave(struct trial *t);

/* ---- For disks, clocks and machines ----------------------------------------------------------- */

/* The node of the running machine; 0: none. */
sn_node environment_node_here(const struct trial *t);

/* The running machine is about to have an effect outside itself (it sends, it writes): where the
 * strategy chose to crash the node at this point, the call does not return. Call it after the
 * effect. */
void environment_effect(struct trial *t);

/* Whether the next disk operation of this node is to fail; true once per armed fault. */
bool environment_disk_fails(struct trial *t, sn_node node);

/* The time that the clock of the running machine shows. */
uint64_t environment_now_ns(const struct trial *t);

#endif
