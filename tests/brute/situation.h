/* situation.h - what a program's machines are and have pending at one moment, and what a step does.
 *
 * Written from the documented semantics and sharing nothing with the engine. Everything is in one
 * struct without pointers, so that going back is an assignment.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef BRUTE_SITUATION_H
#define BRUTE_SITUATION_H

#include "tree.h"

enum { OPS_MAX = 32, STACK_MAX = 12, OP_CLASSES_MAX = 64 };

struct op {
    uint64_t stamp;
    uint32_t row;
    uint32_t deadline; /* of a timer */
    uint8_t kind;
    uint8_t to;
    uint8_t from;
    uint8_t event;
    uint8_t value;
    uint8_t life;
    uint8_t carried;
    uint8_t cause;
    uint8_t order;  /* of a message: enum sn_order */
    uint8_t number; /* see struct edge */
    bool is_copy;   /* a message that arrives twice: it keeps to no order */
    bool is_late;   /* a message that waits for its deadline */
    bool is_due;    /* what waits for its deadline: its time has come */
    bool was_deferred;
};

struct actor {
    uint64_t stamp;
    uint32_t row;       /* of its start */
    uint32_t clock;     /* the latest deadline of a timer that it saw fire */
    uint32_t timers[2]; /* rows of the timers started last and first; 0: none */
    uint8_t type;
    uint8_t parent;
    uint8_t child;
    uint8_t node;
    bool is_resident; /* born again with its node */
    bool is_started;
    bool is_halted;
    uint8_t depth;
    uint8_t stack[STACK_MAX];
    uint8_t name;       /* in tree->machines */
    uint8_t n_left;     /* announced by its exit actions */
    uint64_t stamp_now; /* of the last operation of which it has seen the message */
    uint32_t n_stamps;  /* announced since then, but for exit actions */
    struct locals locals;
};

struct place {
    bool is_down;
    bool is_doomed;  /* the next step of one of its machines is its last, ... */
    uint8_t effects; /* ... which ends after so many messages sent */
    uint8_t drops;
    uint8_t duplicates;
    uint8_t delays;
    uint8_t delay;
};

struct rule {
    uint8_t from; /* machine; 0: any */
    uint8_t to;
    uint8_t order;
};

struct watcher {
    uint8_t state;
    uint8_t count;
    uint8_t acc;
};

/* How many operations of one sender, receiver and event were announced. */
struct class
{
    uint8_t kind;
    uint8_t from;
    uint8_t to;
    uint8_t event;
    uint8_t n;
};

struct situation {
    uint32_t now;
    uint8_t n_actors; /* without the test, which is number 0 */
    uint8_t n_roots;
    uint8_t n_ops;
    uint8_t n_steps;
    uint8_t n_observations;
    uint8_t n_set_up; /* of these, by the test's run function */
    uint8_t n_rules;
    uint8_t n_classes;
    uint8_t side; /* set of nodes that are cut off from the others: 1 << node */
    uint8_t roots[ROOTS_MAX];
    struct rule rules[LINKS_MAX];
    struct place places[BRUTE_NODES + 1]; /* 0 is no node */
    struct watcher watchers[MONITORS_MAX];
    struct actor actors[FAULT_TASK + 1];
    struct class classes[OP_CLASSES_MAX];
    struct op ops[OPS_MAX]; /* in the order announced, so each link's are in the order sent */
};

/* What a step did, for the partial order. The test's own run function is step 0. */
struct step {
    uint32_t row;
    uint8_t actor;
    uint8_t cause;
    uint8_t watchers; /* set of monitors called */
    uint16_t touched; /* set of machines of which it decided what they do next, its own included */
    uint16_t inboxes; /* set of machines into whose shared inbox it has sent */
    uint16_t aims;    /* set of machines to which it has sent, across, what a fault might strike */
    uint8_t looks;    /* set of nodes: it has sent across from its own, ... */
    uint8_t struck;   /* ... and a fault had struck messages of it */
    bool is_wild;     /* a fault, or the end of a node: a search orders it with everything */
    bool changes_all; /* the network is cut or heals, or machines end with their node */
    uint8_t n_draws;
    uint8_t draws[DRAWS_MAX];
};

/* Things that happened while enumerating: a test that never meets them proves nothing about them.
 */
enum feature {
    MET_DEFERRED_SKIPPED, /* a later message of a link overtook a deferred one */
    MET_DEFERRED_TAKEN_UP,
    MET_DEFERRED_TIMER,
    MET_IGNORED,
    MET_GOTO,
    MET_PUSH,
    MET_POP,
    MET_INHERITED,
    MET_REMOVED_ABOVE, /* states above the one whose entry applied */
    MET_ANNOUNCED_AT_EXIT,
    MET_RAISED_HALT,
    MET_MONITOR_DRAW,
    MET_DELAY_ZERO,
    MET_RAISE,
    MET_HALT,
    MET_HALT_EVENT,
    MET_REMOVED_BY_HALT,
    MET_SENT_TO_HALTED,
    MET_CREATED_BY_MACHINE,
    MET_WAITED_FOR_START,
    MET_DRAW,
    MET_TEST_DRAW,
    MET_TIMER,
    MET_TIMER_ANY,
    MET_EQUAL_DEADLINES,
    MET_CANCELLED,
    MET_CANCELLED_LATE,
    MET_MONITOR,
    MET_OVERTAKEN,   /* a message that keeps to no order overtook one of its link */
    MET_INBOX_WAIT,  /* a message waited in an inbox behind that of another sender */
    MET_LINK_OF_OWN, /* a link had another order than the test's */
    MET_LOST,
    MET_DOUBLED,
    MET_CHOSEN, /* of several messages of a step one was lost or doubled */
    MET_STOP,
    MET_CRASH,
    MET_CRASH_WITHIN, /* a step that would have gone on */
    MET_CRASH_AT_END, /* a step that had no effect left */
    MET_LOST_WITH_RECEIVER,
    MET_LOST_WITH_SENDER,
    MET_DATAGRAM_WAITED, /* for its receiver to be born again */
    MET_REBORN,
    MET_STRUCK_NOBODY, /* a fault found no node that it could strike */
    MET_LATE,
    MET_BEHIND_LATE, /* a message waited behind a late one */
    MET_CUT_OFF_IN_FLIGHT,
    MET_CUT_OFF_AT_ONCE,
    MET_HELD,
    MET_HEALED,
    FEATURES,
};

/* How a step asks for a draw: gives a value below n. */
struct drawer {
    uint8_t (*draw)(void *self, uint8_t n);
    void *self;
};

/* Carries out steps. */
struct performer {
    const struct program *program;
    struct situation *s;
    struct step *step;
    struct tree *tree; /* for rows */
    struct drawer drawer;
    struct observation *observations; /* of the current path; s->n_observations are valid */
    uint64_t features[FEATURES];
    uint64_t stamp;        /* of the operation being performed */
    uint32_t n_children;   /* announced by it so far */
    uint32_t n_created;    /* of these, starts */
    bool has_sent;         /* one of these is no timer */
    uint8_t effects_left;  /* until the node of the running machine crashes; 0: it does not */
    bool has_crashed;      /* nothing more happens in this step */
    bool is_leaving;       /* an exit action is running */
    bool is_out_of_bounds; /* the program is too big, or outside the documented semantics */
};

/* The test's run function: begins a trial. The situation must be zeroed. */
void situation_begin(struct performer *p);

/* Performs the i-th operation of s->ops. */
void situation_perform(struct performer *p, uint8_t i);

/* Indexes of the operations that can run now, letting time pass if there is no other way. Returns
 * how many; 0: the trial is over. */
uint8_t situation_enabled(struct performer *p, uint8_t enabled[OPS_MAX]);

#endif
