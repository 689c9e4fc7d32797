/* perform.h - what the files that carry out steps share. SPDX-License-Identifier: MIT */
#ifndef BRUTE_PERFORM_H
#define BRUTE_PERFORM_H

#include "situation.h"

/* What a machine is to do next, within the step. */
enum next { NEXT_NOTHING, NEXT_EVENT, NEXT_GOTO, NEXT_PUSH, NEXT_POP, NEXT_HALT };

struct control {
    enum next next;
    uint8_t state; /* or event */
};

/* The message being handled. */
struct handled {
    uint8_t event;
    uint8_t value;
    uint8_t life;
    uint8_t from;
    uint8_t carried;
};

/* The entry that applies to an event, from the top state down, and the level of its state on the
 * stack; NULL: none. */
const struct binding *find_binding(const struct performer *p, const struct actor *a, uint8_t event,
                                   int *level);

void observe(struct performer *p, uint64_t machine, int what, uint8_t state, struct locals locals);

void remove_op(struct situation *s, uint8_t i);

/* Adds an operation that the running step announces. NULL: there is no room. */
struct op *add_op(struct performer *p, const struct op *op);

/* A decision of the running step. */
uint8_t draw_value(struct performer *p, uint8_t n);

/* Whether a message passes between two nodes. */
bool is_crossing(const struct situation *s, const struct op *op);

/* Whether the network is cut between its sender and its receiver. */
bool is_cut_off(const struct situation *s, const struct op *op);

/* Announces the faults of the program, at the end of the test's run function. */
void announce_faults(struct performer *p);

/* Performs a fault, or its counterpart. */
void perform_fault(struct performer *p, const struct op *op);

/* A machine on a node has taken its step: does what faults have prepared. */
void end_step_on_node(struct performer *p, uint8_t self);

/* One instruction that is no control. */
void carry_out(struct performer *p, uint8_t self, const struct instruction *in,
               const struct handled *m);

/* Carries out the instructions up to the first control, and returns that. */
struct control run_script(struct performer *p, uint8_t self, const struct script *script,
                          const struct handled *m);

#endif
