/* interleave.h - the interleavings of a recording, one after the other, the smallest first.
 *
 * A depth-first walk over units (rules.h). What must not come next follows from a set that is
 * carried along: the units that could be moved to the left of a larger one. Nothing is kept but the
 * present interleaving and a few words for each of its places, so the struct can be copied, and
 * a walk can be taken up at any interleaving, also with other rules. docs/events.md has the
 * definitions. SPDX-License-Identifier: MIT
 */
#ifndef EVENTS_INTERLEAVE_H
#define EVENTS_INTERLEAVE_H

#include "events/rules.h"

/* Asked whether two units commute after a prefix of events: see docs/events.md, «inferred». */
typedef bool interleave_ask(void *self, const uint8_t *prefix, uint32_t n, uint32_t unit,
                            uint32_t other);

/* What is known at one place of the present interleaving. */
struct interleave_place {
    uint64_t done;   /* units before it */
    uint64_t ready;  /* units that could come here, ... */
    uint64_t left;   /* ... and of those, the ones not yet tried that may */
    uint64_t asleep; /* units that would better have come earlier */
    uint64_t over;   /* units that can be moved to the left over the one that is here */
    uint8_t unit;
    uint8_t n_events;                 /* before it */
    bool is_idle;                     /* nothing that is left has any influence */
    uint16_t dirty[RULES_FAILED_MAX]; /* of each list: replicas where something else happened */
};

struct interleave {
    const struct units *u;
    uint32_t depth;
    bool has_begun;
    bool has_ended;
    uint32_t kept;       /* events of the last interleaving that the present one begins with, ... */
    uint32_t n;          /* ... of so many */
    interleave_ask *ask; /* NULL: nothing is inferred */
    void *self;
    uint64_t asked;    /* how often somebody was, ... */
    uint64_t commuted; /* ... and said yes */
    uint8_t order[RECORDING_EVENTS_MAX];
    struct interleave_place places[RECORDING_EVENTS_MAX + 1];
};

/* Begins before the smallest interleaving. Keeps `u`. */
void interleave_init(struct interleave *it, const struct units *u);

/* Goes on to the next one, which is then in `order`. False: there are no more. */
bool interleave_next(struct interleave *it);

/* Goes to where the next interleaving is the smallest that is larger than this one, which need not
 * be one itself; all its events must be different and below the number of events. */
void interleave_seek(struct interleave *it, const uint8_t *order);

/* Whether an order is one that the walk comes to. */
bool interleave_has(const struct units *u, const uint8_t *order);

/* How many interleavings there are. False: that is not known, because it would take more than
 * `states_max` states to find out, or it is more than a double holds exactly. */
bool interleave_count(const struct units *u, uint64_t states_max, double *count);

#endif
