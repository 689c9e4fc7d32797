/* tree.h - all schedules of a program as a tree of decisions, as the enumerator found them.
 *
 * Lies in shared memory and is used again for the next program, so that neither rolling back memory
 * nor forking disturbs it. SPDX-License-Identifier: MIT
 */
#ifndef BRUTE_TREE_H
#define BRUTE_TREE_H

#include "program.h"

enum {
    NODES_MAX = 1 << 20,
    LEAVES_MAX = 1 << 16,
    ROWS_MAX = 1 << 16,
    POOL_MAX = 1 << 22,
    OBSERVATIONS_MAX = 128, /* of one trial */
    DECISIONS_MAX = STEPS_MAX * (1 + DRAWS_MAX) + DRAWS_MAX,
    FAULT_TASK = MACHINES_MAX + 1, /* who performs faults */
};

enum node_kind { NODE_OPEN = 0, NODE_PICK, NODE_DRAW, NODE_LEAF };

struct node {
    uint32_t first; /* edge; of a leaf, its number */
    uint8_t kind;
    uint8_t n_edges;
};

enum op_kind {
    OP_START = 1,
    OP_DELIVER,
    OP_TIMER,
    OP_TIMER_ANY,
    OP_FAULT,      /* event is the enum fault */
    OP_REPAIR,     /* node `event` is restarted, or if that is 0 the network heals; waits for its
                    * deadline as a timer does */
    OP_REPAIR_ANY, /* the same, at any moment */
};

/* A decision. Of an operation, what identifies it among those enabled at the same time; of a draw,
 * nothing: its value is its place. */
struct edge {
    uint32_t child;
    uint32_t row; /* of an operation, in tree->rows */
    uint32_t deadline;
    uint8_t kind;
    uint8_t task;
    uint8_t from;
    uint8_t event;
    uint8_t cause;     /* step that announced it, from 1; 0: the test */
    bool is_copy;      /* of another message, from which the public headers cannot tell it */
    uint8_t number;    /* among what its sender has announced of its kind to its receiver, from 1;
                        * of a copy, 0 */
    uint8_t task_name; /* in tree->machines: what they are called */
    uint8_t from_name;
    uint64_t id; /* what the engine calls it; 0: not known yet */
};

/* An operation, the same in every schedule that has it. Exact: rows are equal only if all of it is.
 */
struct row {
    uint32_t parent;    /* row of the operation that announced it; 0: the test */
    uint32_t index;     /* among what that announced */
    uint32_t n_created; /* how many of those before it are starts: they may count differently */
    uint32_t has_sent;  /* whether one before it is no timer: what comes first is another one */
    uint32_t to;        /* row that started the receiver; of a start, 0 */
    uint8_t kind;
    uint8_t event;
    uint64_t id; /* the engine's; 0: not seen yet */
};

/* What a machine is called: by its type and its number among those that its creator has made. */
struct machine_name {
    uint8_t creator; /* 0: the test */
    uint8_t type;
    uint8_t number;
};

struct leaf {
    uint32_t first_choice;
    uint32_t first_observation;
    uint16_t n_choices;
    uint16_t n_observations;
    uint16_t n_set_up; /* of these, by the test's run function */
    uint32_t trace;    /* number of its Mazurkiewicz trace */
    uint32_t searched; /* the same if faults are ordered with all else: see traces.c */
    uint32_t outcome;  /* number of the situation that it ends in: see outcomes.c */
    uint32_t visits;
    uint64_t order; /* the engine's hash */
};

/* The canonical form of a Mazurkiewicz trace. */
struct trace {
    uint32_t first;
    uint32_t n;
};

struct slot {
    uint32_t generation;
    uint32_t index;
};

/* Gives traces numbers. */
struct traces {
    uint32_t n;
    uint32_t n_words;
    struct slot slots[2 * LEAVES_MAX];
    struct trace all[LEAVES_MAX];
    uint32_t words[POOL_MAX]; /* of their canonical forms */
};

struct tree {
    uint32_t n_nodes;
    uint32_t n_edges;
    uint32_t n_leaves;
    uint32_t n_rows; /* row 0 is the test */
    uint32_t n_choices;
    uint32_t n_observations;
    uint8_t n_machines;  /* names of machines, from 1 on */
    uint32_t generation; /* entries of the tables below that have another one are empty */
    struct slot row_slots[2 * ROWS_MAX];
    struct traces traces;   /* as the order hash sees them */
    struct traces searched; /* as a search does */
    struct traces outcomes; /* situations in which schedules end */
    struct node nodes[NODES_MAX];
    struct edge edges[NODES_MAX];
    struct leaf leaves[LEAVES_MAX];
    struct row rows[ROWS_MAX];
    struct machine_name machines[UINT8_MAX];
    uint8_t choices[POOL_MAX];
    struct observation observations[POOL_MAX];
};

struct tree *tree_new(void);

/* Empties the tree but for the root, node 0, which is open. */
void tree_clear(struct tree *tree);

/* Gives an open node n edges, each to an open child. False: no room. */
bool tree_open(struct tree *tree, uint32_t node, enum node_kind kind, uint8_t n);

/* The row of an operation; added if it is new. 0: no room. */
uint32_t tree_row(struct tree *tree, const struct row *row);

/* The number of the name of a machine; added if it is new. 0: no room. */
uint8_t tree_machine(struct tree *tree, struct machine_name name);

/* The number of the trace with this canonical form; added if it is new. UINT32_MAX: no room. */
uint32_t tree_trace(struct tree *tree, struct traces *traces, const uint32_t *words, uint32_t n);

#endif
