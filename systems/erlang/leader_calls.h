/* leader_calls.h - the requests that a candidate has passed on to its leader as calls of its own.
 *
 * The leader answers the candidate, and the candidate the client. A leader that ends does not
 * answer any more.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ERLANG_LEADER_CALLS_H
#define ERLANG_LEADER_CALLS_H

#include "leader.h"

enum {
    LEADER_CALLS_MAX = 4, /* at a time: clients wait for their answers */
};

/* Zeroed, there are none. */
struct leader_calls {
    struct request waiting[LEADER_CALLS_MAX]; /* as they came; without a kind: a free place */
    uint32_t refs[LEADER_CALLS_MAX];          /* of the calls */
    uint32_t last_ref;
};

/* Remembers a request, and returns the reference under which it is passed on. */
uint32_t leader_calls_add(struct leader_calls *calls, const struct request *request);

/* Takes the request with a reference out. False: there is none, since it was answered before. */
bool leader_calls_take(struct leader_calls *calls, uint32_t ref, struct request *request);

/* The call at a place; 0: none. */
uint32_t leader_calls_at(const struct leader_calls *calls, uint32_t place, struct request *request);

#endif
