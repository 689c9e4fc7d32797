/* chains.h - the operations of a trial as chains: of two in one chain, one had to come before the
 * other in every schedule.
 *
 * An operation comes after the step that announced it and, in a queue, after what stood before it
 * there. Operations are met one by one, when they can run for the first time, and each is put at
 * the end of a chain or begins one; what is in a chain stays there.
 *
 * As long as causes are all that orders them, operations form a forest, and the first one that a
 * step has announced (or, if that cannot run yet, the first that can) continues the chain of the
 * step. There are then as many chains as leaves, which is the least that is possible: so many are
 * unordered. From the first queue on that orders what causes do not, it is the online partition of
 * Agarwal and Garg ("Efficient dependency tracking for relevant events in concurrent systems",
 * Distributed Computing 2007): at most w(w+1)/2 chains if at most w operations are unordered. The
 * ends of the chains of a forest are unordered, which is all that the partition asks of those it
 * begins with.
 *
 * Of each chain at most one operation can run at a time. SPDX-License-Identifier: MIT
 */
#ifndef STRATEGY_CHAINS_H
#define STRATEGY_CHAINS_H

#include "engine/trial.h"

enum {
    CHAINS_GROUPS_MAX = 1447 >> MEM_SAVING_SHIFT / 2, /* of which the i-th has at most i chains */
    CHAINS_MAX = CHAINS_GROUPS_MAX * (CHAINS_GROUPS_MAX + 1) / 2,
    CHAINS_OPS_MAX = TRIAL_OPS_MAX >> MEM_SAVING_SHIFT, /* others are in no chain */
    CHAINS_STEPS_MAX = (1 << 22) >> MEM_SAVING_SHIFT,   /* of a trial; later causes count as none */
    CHAINS_COVERS_MAX = (1 << 23) >> MEM_SAVING_SHIFT,
    CHAINS_COVERS_SPARE = 2, /* room for those that cannot be remembered */
};

struct chain {
    uint32_t rank;   /* the user's own */
    uint32_t length; /* operations in it so far */
    uint32_t group;  /* from 1; 0: groups do not matter yet */
    uint32_t parent; /* the step that announced its first operation; 0: none that is known */
    uint64_t mark;   /* see covers */
};

/* The length-th operation of a chain. */
struct chain_place {
    uint32_t chain; /* 0: of none, since there were too many */
    uint32_t length;
};

/* What is known of an operation that has been met: its place, and which ends of chains, as they
 * were then, come before it. */
struct chain_link {
    struct chain_place place;
    uint32_t covers; /* where they begin, ... */
    uint32_t n_covers;
};

/* By the number of an operation that is pending. */
struct chain_pending {
    uint64_t id;
    uint64_t trial; /* the link is of this one; 0: of none */
    struct chain_link link;
};

/* What was last taken out of a queue. */
struct chain_last {
    uint64_t trial;
    uint32_t step;
    uint32_t cause; /* these two as in struct sn_op */
    uint32_t number;
};

/* Zeroed is ready to begin. */
struct chains {
    uint64_t trial; /* a number of its own for each */
    uint64_t base;  /* steps before the first one that counts */
    uint64_t marks;
    uint32_t n;
    uint32_t n_groups;
    uint32_t n_covers;
    bool is_general; /* queues have ordered what causes do not */
    uint32_t sizes[CHAINS_GROUPS_MAX + 1];
    uint32_t groups[CHAINS_MAX]; /* chains of group i, from i(i-1)/2 on */
    struct chain all[CHAINS_MAX + 1];
    struct chain_link steps[CHAINS_STEPS_MAX + 1]; /* counted from base */
    struct chain_pending pending[CHAINS_OPS_MAX];
    struct chain_last lasts[CHAINS_OPS_MAX];
    struct chain_place covers[CHAINS_COVERS_MAX + CHAINS_COVERS_SPARE];
};

/* A trial begins, in which so many steps have been taken by others. */
void chains_start(struct chains *c, uint64_t base);

/* The chain of an operation that can run, whose number is `index`; `is_queued` if it stands in a
 * queue. *is_new: this operation has begun it, and its rank is to be set. 0: there are too many
 * chains, and it is in none. */
uint32_t chains_meet(struct chains *c, uint32_t index, const struct sn_op *op, bool is_queued,
                     bool *is_new);

/* An operation that was met is about to run, as the step with this number of the whole trial. */
void chains_run(struct chains *c, uint32_t index, const struct sn_op *op, uint64_t step);

#endif
