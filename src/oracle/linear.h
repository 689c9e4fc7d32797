/* linear.h - the oracle of histories: what clients did must be linearizable to the test's model.
 *
 * Operations are recorded as the trial goes (sennit/record.h) and put back with it. The order of
 * calls and returns is part of the trial: the history is an object that a return writes and that a
 * call reads, since a return before a call is all that a history says about order.
 * SPDX-License-Identifier: MIT
 */
#ifndef ORACLE_LINEAR_H
#define ORACLE_LINEAR_H

#include "engine/trial.h"

enum {
    CLIENTS_OPERATIONS_MAX = 1 << 16,
    CLIENTS_TIME_SHIFT = 20, /* a time is the step, and below that the number of what happened */
};

static_assert(2 * CLIENTS_OPERATIONS_MAX < 1 << CLIENTS_TIME_SHIFT, "times differ");

/* Makes the oracle part of a trial. 0, or SN_ENOMEM. */
int linear_join(struct trial *t, struct err *why);
void linear_leave(struct trial *t);

/* The operations of a trial that has ended, without those that have failed; n: how many. Valid
 * until the next trial begins. */
const struct sn_operation *linear_history(struct trial *t, size_t *n);

#endif
