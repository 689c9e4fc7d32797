/* checks.h - what is wrong with how an interleaving came out, whoever ran it.
 * SPDX-License-Identifier: MIT
 */
#ifndef EVENTS_CHECKS_H
#define EVENTS_CHECKS_H

#include "events/recording.h"

/* Beside those of enum sn_expectation, for hosts that can tell: */
enum {
    /* Without an update, all else being the same, the states would be others. */
    CHECK_NO_LOST_UPDATE = 1 << 16,
    /* Nothing throws that did not when it was recorded. */
    CHECK_NO_THROWS = 1 << 17,
};

/* Texts are JSON; NULL where there is none, or nobody asked. */
struct outcome {
    const char *states[RECORDING_REPLICAS_MAX];
    const char *results[RECORDING_EVENTS_MAX];
};

/* Where to look. */
struct check_job {
    const struct recording *recording;
    uint32_t expect;
    uint16_t watched;         /* replicas of which all counts, ... */
    uint16_t watched_queries; /* ... and those of which queries do; neither: all counts of all */
    const uint8_t *order;     /* of the events that have happened, ... */
    uint32_t n;               /* ... so many */
    const struct outcome *outcome;
    const struct outcome *recorded; /* as it came out in the order of the recording */
};

/* The name of what was expected and is not so, with a sentence; NULL: all is well. What takes other
 * interleavings to find out (idempotence, lost updates) is not looked at. */
const char *checks_judge(const struct check_job *job, char *sentence, size_t size);

/* For each replica, the updates that have reached it. */
void checks_delivered(const struct recording *r, const uint8_t *order, uint32_t n,
                      uint64_t delivered[RECORDING_REPLICAS_MAX]);

/* The expectation with this name, or a set of some for a misconception; 0: there is none. */
uint32_t checks_find(const char *name);

/* «convergence,same-states». 0 or SN_EINVAL. */
int checks_read(const char *list, uint32_t *expect, struct err *why);

#endif
