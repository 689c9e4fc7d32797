/* follow.h - follows a plan: operations in an order, drawn values, and what is to wait for what.
 *
 * A plan is a log with tolerance. Of the operations in its list that can run, the first one runs;
 * if none can, what would run by default does, which is what was announced first. Nothing goes
 * wrong (no fault strikes) that the list does not have. A draw has the value that the plan has for
 * its key, and otherwise 0. An operation that is to be held does not run before another one has:
 * if nothing else is left, the trial is stuck and ends without a verdict.
 *
 * Operations are known by their ids, which come from their causes, so a plan of which a part is
 * removed still means what it says in the rest, unless the rest follows from what is removed. A
 * plan that has names, too, does without: what no listed id is for counts as the first with its
 * name that has not run, and what follows from it as what followed from that; and values belong to
 * the operations that drew them. So a round of a loop can be left out.
 *
 * Where the end of a trial is judged for liveness, the fair strategy decides everything once all of
 * the list has run. While a trial runs it is written down in the terms of a plan (follow_steps,
 * follow_keys, follow_drawn), so that one can be made of it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef STRATEGY_FOLLOW_H
#define STRATEGY_FOLLOW_H

#include "engine/explore.h"

/* A value that a draw has; those that are not in a plan are 0. */
struct plan_draw {
    /* In a plan with names: struct follow_drawn has it as `place`; in one that goes in turn:
     * follow_turn. */
    uint64_t key;
    uint64_t value;
};

/* What is held runs after `until` has. Both are ids of operations. */
struct plan_hold {
    uint64_t held;
    uint64_t until;
};

/* Zeroed: the default schedule, and nothing goes wrong. The arrays are the caller's. */
struct plan {
    const uint64_t *ids;   /* of operations, in the order in which they are to run */
    const uint64_t *names; /* of the same operations; NULL: they are known by their ids alone */
    uint32_t n_ids;
    const struct plan_draw *draws;
    uint32_t n_draws;
    /* Draws are known by who draws and how often it has drawn before, whatever for: where something
     * is left out of a row of values, those behind it come sooner. */
    bool is_in_turn;
    const struct plan_hold *holds;
    uint32_t n_holds;
    /* Steps that the fair strategy decides at the end of the trial; 0: it decides nothing. They
     * begin when all ids have run, and at the latest after fair_from steps. */
    uint64_t fair_steps;
    uint64_t fair_from;
    bool is_fair_late; /* ... and not before that either */
    uint64_t fair_seed;
    bool wants_passed; /* write down what was passed over: see follow_passed */
};

/* An operation that was performed, or is pending at the end. */
struct follow_op {
    uint64_t id;
    uint64_t name;   /* who does what, for whom: not when, and why */
    uint32_t cause;  /* the step that announced it, ... */
    uint32_t source; /* ... and where: both together tell what is older */
    uint32_t task;
    uint32_t kind; /* enum sn_op_kind */
    bool is_fault; /* that strikes: it never happens by itself */
};

/* An operation that could have run in a step, and by default would have run before the one that
 * did. */
struct follow_passed {
    uint32_t step;
    struct follow_op op;
};

struct follow_op follow_describe(const struct trial *t, const struct sn_op *op);

/* A draw, in other terms than its key. */
struct follow_drawn {
    uint64_t place; /* which draw of which operation */
    uint64_t which; /* of its operation: the how many-th with its label */
    uint64_t label;
    uint64_t task;  /* its id */
    uint32_t depth; /* in how many scopes it was drawn, ... */
    uint32_t low;   /* ... and how many of these its task had drawn in before: struct draw_depth */
};

/* The key of a task's draw in a plan that goes in turn; the first draw is number 0. */
uint64_t follow_turn(uint64_t task, uint32_t number);

enum { FOLLOW_LABELS = 64 };

/* The draws of the running step so far. Zeroed: of none. */
struct follow_draws {
    uint64_t step;
    uint32_t n;
    uint64_t labels[FOLLOW_LABELS]; /* of the last ones */
};

/* The label of a draw as it is in there. */
uint64_t follow_label(const char *label);

/* Describes the next draw of the running step. */
struct follow_drawn follow_describe_draw(struct follow_draws *draws, const struct trial *t,
                                         const char *label);

struct follow;

/* A state of the strategy for at most as many entries of each kind in a plan, in memory that forked
 * processes share. The phase is one for explore_options. 0, or SN_ENOMEM. */
int follow_new(struct follow **out, uint32_t entries_max, struct explore_phase *phase,
               struct err *why);
void follow_free(struct follow *f);

/* Follows this plan from the next trial on. Its arrays must last until the trial has ended. As the
 * first phase of several the strategy decides up to the step at which that ends. */
void follow_set(struct follow *f, const struct plan *plan);

/* Whether the last trial ended because nothing was left but what is to be held. */
bool follow_is_stuck(const struct follow *f);

/* Of the last trial: what was performed in each of its steps, from 0, which is step 1; and the keys
 * of the draws in its log, and what else they are, by their index there. Steps of a later phase are
 * not in it. */
const struct follow_op *follow_steps(const struct follow *f);
const uint64_t *follow_keys(const struct follow *f);
const struct follow_drawn *follow_drawn(const struct follow *f);

/* What was passed over in the last trial, step by step, if its plan asked for that. The fair end is
 * not in it. */
const struct follow_passed *follow_passed(const struct follow *f, uint32_t *n);

/* What is pending at the end of the trial, up to n of them. Returns how many were written. */
uint32_t follow_pending(const struct trial *t, struct follow_op *out, uint32_t n);

#endif
