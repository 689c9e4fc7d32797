/* drain.h - a client that takes all there is from a queue: Jepsen's :drain.
 *
 * It is a row of dequeues of which only the call of the first and the return of the last are known.
 * If nothing that has completed overlaps with them, it makes no difference when within that time
 * they took place: they are put one after the other at its end. If something does, no times could
 * say the same: what came in between is known to nobody. SPDX-License-Identifier: MIT
 */
#ifndef HISTORY_DRAIN_H
#define HISTORY_DRAIN_H

#include "history/history.h"

/* One that took something. */
struct history_drain {
    sn_value key;
    uint64_t call;
    uint64_t ret;
    uint64_t line; /* where it was invoked */
    size_t first;  /* of its dequeues */
    size_t n_taken;
};

/* The drain `op`, which was called and has now completed, took n elements in this order: adds their
 * dequeues. 0, or SN_E* with a sentence. */
int drain_complete(struct history *h, const struct history_event *event,
                   const struct sn_operation *op, const sn_value *elements, size_t n);

/* When everything has been read: refuses drains that overlap with something. 0, or SN_EFORMAT with
 * a sentence. */
int drain_check_all(struct history *h);

#endif
