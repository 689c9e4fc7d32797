/* environment.h - nodes, the network between them, and what goes wrong with them.
 *
 * environment.c keeps the nodes; network.c decides where a sent message waits and whether it
 * arrives; fault.c performs the operations of the fault task; disk.c keeps the nodes' disks. In a
 * trial that has no node, no links but ordered ones and no faults, none of it is used, and sends
 * take their short way (TASK_ROUTED). SPDX-License-Identifier: MIT
 */
#ifndef SUBSTRATE_ENVIRONMENT_H
#define SUBSTRATE_ENVIRONMENT_H

#include "engine/trial.h"
#include "substrate/machine.h"
#include "substrate/rank.h"

enum {
    NODES_MAX = 1024,
    NODES_CUT_MAX = 64,
    NODE_NAME_MAX = 64,
    RESIDENTS_MAX = 1 << 16,
    LINK_RULES_MAX = 4096,
    DUE_FAULTS_MAX = 4096,
    SENT_MAX = 1024, /* messages of one step of which one can be lost, ... */
};

struct node {
    char name[NODE_NAME_MAX];
    int64_t offset_ns;
    int32_t drift_ppm;
    uint32_t object;          /* its being up or down, which others can ask for */
    uint32_t drops;           /* so many of its next messages are lost, ... */
    uint32_t duplicates;      /* ... arrive twice, ... */
    uint32_t delays;          /* ... take longer, ... */
    uint32_t disk_errors;     /* ... so many of its next disk operations fail, ... */
    uint32_t short_transfers; /* ... and so many of its sockets' transfers are short */
    uint64_t delay_ns;
    uint32_t effects_left; /* of its last step, until it crashes; 0: it crashes at the end */
    bool is_doomed;        /* its next step is its last */
    bool stops;            /* ... and ends in an orderly way */
    bool is_down;
    bool is_down_by_fault;
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
    uint64_t id;
    const struct sn_event *what;
};

/* The scalars of the environment at a moment of a trial. */
struct environment_now {
    uint64_t cut; /* nodes of one side; 0: the network is whole */
    uint32_t cuts;
    uint32_t fault_task;
    uint32_t n_down; /* because of faults */
    uint32_t n_doomed;
};

struct environment {
    struct environment_now now;
    struct node nodes[NODES_MAX + 1]; /* 0 is where machines are that are on none */
    struct resident residents[RESIDENTS_MAX];
    struct link_rule rules[LINK_RULES_MAX];
    struct due_fault due[DUE_FAULTS_MAX];
    /* What the running step has sent between nodes so far; of use only within a step. */
    uint32_t sent[SENT_MAX];
    uint32_t n_sent;
    struct ranked ranked[RESIDENTS_MAX];
    jmp_buf escape; /* from the middle of a step of a doomed node */
    bool may_escape;
};

/* A message that is being sent. */
struct message {
    uint32_t to;
    const struct sn_event *event; /* NULL: bytes */
    const void *payload;
    size_t size;
};

/* Makes the environment part of a trial. 0, or SN_ENOMEM. */
int environment_join(struct trial *t, struct err *why);
void environment_leave(struct trial *t);

static inline bool environment_is_used(const struct trial *t)
{
    return t->now.n_own[OWN_ENVIRONMENT] != 0;
}

/* From now on the trial has an environment. */
void environment_use(struct trial *t);

/* ---- environment.c: nodes ------------------------------------------------------------------- */

/* The node of the running machine; 0: none. */
static inline sn_node environment_node_here(const struct trial *t)
{
    return t->now.task != 0 ? t->machines->all[t->now.task].node : 0;
}

/* The running machine has had an effect outside itself: it has sent, it has written. Where the
 * strategy chose to crash the node at this point, the call does not return. */
void environment_effect(struct trial *t);

/* Whether this disk operation of a node is to fail; true once per fault. */
bool environment_disk_fails(struct trial *t, sn_node node);

/* The time that the clock of the running machine shows; to a monitor, true time. */
uint64_t environment_now_ns(const struct trial *t);

/* How long it really takes until the clock of the running machine has gone on so far. */
uint64_t environment_true_delay_ns(const struct trial *t, uint64_t delay_ns);

/* Ends all machines of a node, now. */
void environment_take_down(struct trial *t, sn_node node, bool in_order);

/* A decision about faults. */
uint64_t environment_draw(struct trial *t, const char *label, uint64_t n);

/* The running step changes what this node does. */
void environment_touch(struct trial *t, sn_node node);

static inline uint32_t environment_n_nodes(const struct trial *t)
{
    return t->now.n_own[OWN_NODES] - 1;
}

/* ---- network.c ------------------------------------------------------------------------------ */

/* Sends from the running machine to one that has not halted. */
void network_send(struct trial *t, const struct message *message);

/* The sender of the link that what is sent from one to another waits in; SOURCE_NO_SENDER: of
 * none. */
uint32_t network_queue(const struct trial *t, uint32_t from, uint32_t to);

/* The running step has sent something to a machine that has halted. Whether it would be pending if
 * the machine had not. */
bool network_refuse(struct trial *t, uint32_t to);

/* Whether what the running step's machine sends to another one keeps its order. */
bool network_keeps_order(const struct trial *t, uint32_t to);

/* Whether two machines are on different nodes. */
bool network_lies_across(const struct trial *t, uint32_t from, uint32_t to);

/* The running step sends across the network, and the message may be struck. */
void network_touch_strikes(const struct trial *t, uint32_t to);

/* Whether faults have struck the messages of a node. */
static inline bool network_is_struck(const struct node *node)
{
    return (node->drops | node->duplicates | node->delays) != 0;
}

/* A step of a machine on this node has ended: does to its messages what faults struck. */
void network_strike(struct trial *t, struct node *node);

/* Whether a message passes between two different nodes. */
bool network_crosses(const struct trial *t, const struct sn_op *op);

/* Whether the network is cut between sender and receiver, now or with this cut. */
bool network_is_cut(const struct trial *t, const struct sn_op *op);
bool network_is_cut_by(const struct trial *t, uint64_t cut, const struct sn_op *op);

/* Whether a cut lies between two nodes, which may be none. */
bool network_parts(uint64_t cut, sn_node a, sn_node b);

/* Whether this is a wire of sockets: what is sent to it is sent again until it arrives. */
bool sockets_is_wire(const struct trial *t, uint32_t task);

/* Whether messages wait until a cut heals; those to a task. */
static inline bool network_holds(const struct trial *t)
{
    return unlikely(environment_is_used(t)) && t->environment->now.cut != 0 &&
           t->test->faults != NULL && t->test->faults->cut_holds;
}

static inline bool network_holds_for(const struct trial *t, uint32_t task)
{
    return network_holds(t) || (unlikely(environment_is_used(t)) && t->environment->now.cut != 0 &&
                                sockets_is_wire(t, task));
}

/* Cuts the network, or heals it with 0. */
void network_set_cut(struct trial *t, uint64_t side);

/* What a crash of this machine does to the messages from and to it. */
void network_on_down(struct trial *t, const struct machine *m, bool is_resident, bool in_order);

/* ---- fault.c -------------------------------------------------------------------------------- */

extern const struct substrate fault_substrate;

/* Brings a node back after a while, if the test says so. */
void fault_plan_restart(struct trial *t, sn_node node);

#endif
