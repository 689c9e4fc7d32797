/* recording.h - what a test of a replicated data library did between its marks: the events.
 *
 * Flat and without pointers to memory of the program, which is put back between trials. Texts are
 * those that people read; what an event does is known to whoever recorded it.
 * SPDX-License-Identifier: MIT
 */
#ifndef EVENTS_RECORDING_H
#define EVENTS_RECORDING_H

#include "base/err.h"
#include "base/text.h"

#include <sennit/events.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    RECORDING_EVENTS_MAX = 64, /* a set of events is a word */
    RECORDING_REPLICAS_MAX = 16,
    RECORDING_NAME_MAX = 64,
    RECORDING_TEXT_MAX = 256,
};

struct recorded {
    enum sn_event_kind kind;
    uint8_t replica; /* where it happens */
    uint8_t peer;    /* of a request, whom it is for; of what is applied, where it comes from */
    uint8_t of;      /* of what is applied: the event that makes the message */
    bool is_free;    /* not held by the order of its program */
    uint32_t lamport;
    char op[RECORDING_NAME_MAX];
    char args[RECORDING_TEXT_MAX];   /* as in a call, without the brackets */
    char result[RECORDING_TEXT_MAX]; /* JSON */
};

struct recording {
    char name[RECORDING_NAME_MAX];
    uint32_t n;
    uint32_t n_replicas;
    char replicas[RECORDING_REPLICAS_MAX][RECORDING_NAME_MAX];
    struct recorded events[RECORDING_EVENTS_MAX];
};

static inline bool recorded_is_applied(const struct recorded *e)
{
    return e->kind == SN_EVENT_EXECUTE || e->kind == SN_EVENT_DELIVER;
}

/* Checks that events refer to what there is, and gives them their stamps. 0, or SN_EINVAL. */
int recording_settle(struct recording *r, struct err *why);

/* The number of the replica with this name; -1: there is none. */
int recording_replica(const struct recording *r, const char *name);

/* «add("otb") at A», «sync from A at B». */
void recording_print_event(const struct recording *r, uint32_t event, struct sn_text *out);

/* The events in an order: «0 1 3 2». */
void recording_print_order(const uint8_t *order, uint32_t n, struct sn_text *out);

#endif
