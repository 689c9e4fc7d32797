/* events.h - the calls and returns of an object in their order, as distinct small numbers.
 *
 * The algorithms for special objects need times that are all different. Where times are the same,
 * calls come before returns, and otherwise the order of the history counts: it makes no difference.
 * SPDX-License-Identifier: MIT
 */
#ifndef LINEAR_EVENTS_H
#define LINEAR_EVENTS_H

#include "linear/object.h"

#define EVENTS_NEVER ((uint64_t)UINT32_MAX + 1) /* after all events */

struct span {
    const struct sn_operation *op;
    uint64_t call; /* from 1 on: 0 is before everything */
    uint64_t ret;  /* EVENTS_NEVER: not known */
};

struct event {
    uint32_t span;
    bool is_return;
};

struct events {
    struct span *spans; /* as in the object */
    size_t n_spans;
    struct event *order; /* the event at time t is order[t - 1] */
    size_t n;
};

/* Lives in the object's pool. Returns 0 or SN_ENOMEM. */
int events_init(struct events *events, const struct object *object);

#endif
