/* pending.h - what is pending, as part of the key of a state. SPDX-License-Identifier: MIT */
#ifndef STRATEGY_PENDING_H
#define STRATEGY_PENDING_H

#include "engine/trial.h"

/* An operation and its place in the queue where it waits. */
struct pending_op {
    uint32_t op;
    uint32_t source;
    uint32_t place;
};

/* All operations that are pending, whether they can run or not, from the oldest on. */
struct pending {
    uint32_t n;
    struct pending_op ops[TRIAL_OPS_MAX];
};

void pending_list(struct pending *p, const struct trial *t);

/* What one of them is, and where it waits. */
struct state_key pending_key(const struct trial *t, const struct pending_op *pending);

#endif
