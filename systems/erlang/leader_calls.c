/* leader_calls.c - the requests that a candidate has passed on to its leader as calls of its own.
 *
 * SPDX-License-Identifier: MIT
 */
#include "leader_calls.h"

uint32_t leader_calls_add(struct leader_calls *calls, const struct request *request)
{
    uint32_t place = 0;

    while (place < LEADER_CALLS_MAX && calls->waiting[place].kind != 0)
        place++;
    sn_assertf(place < LEADER_CALLS_MAX, "more than %d calls wait", LEADER_CALLS_MAX);
    calls->waiting[place] = *request;
    calls->refs[place] = ++calls->last_ref;
    return calls->last_ref;
}

bool leader_calls_take(struct leader_calls *calls, uint32_t ref, struct request *request)
{
    for (uint32_t place = 0; place < LEADER_CALLS_MAX; place++) {
        if (leader_calls_at(calls, place, request) == ref && ref != 0) {
            calls->waiting[place] = (struct request){0};
            return true;
        }
    }
    return false;
}

uint32_t leader_calls_at(const struct leader_calls *calls, uint32_t place, struct request *request)
{
    if (calls->waiting[place].kind == 0)
        return 0;
    *request = calls->waiting[place];
    return calls->refs[place];
}
