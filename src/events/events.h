/* events.h - the events of a recording as operations of a trial.
 *
 * Each replica is a machine and each event a message to it, announced in the set-up, so strategies,
 * traces and explanations know what to do with them. A message waits until the events have happened
 * that must come before it. Who performs events is a host: the test's own process, where the calls
 * were recorded (segment.c), or one that speaks to another program.
 *
 * Whether an event takes part in a trial is a decision as well. It always does unless a plan says
 * otherwise, so that shrinking can leave events out. SPDX-License-Identifier: MIT
 */
#ifndef EVENTS_EVENTS_H
#define EVENTS_EVENTS_H

#include "engine/trial.h"
#include "events/interleave.h"

#include <sennit/machine.h>

struct events_host {
    /* This process is about to run trials, or has run them. May be NULL. */
    int (*open)(struct trial *t, struct err *why);
    void (*close)(struct trial *t);
    /* Performs an event as a step of the trial. */
    void (*perform)(struct trial *t, uint32_t event);
    /* All events that take part have happened: judges what came of it. */
    void (*finish)(struct trial *t);
    /* The interleaving behind which a walk over all of them begins. False, or NULL: at the first.
     */
    bool (*resume)(struct trial *t, uint8_t *order);
    /* Who can tell whether units commute, asked with the trial. NULL: nobody. */
    interleave_ask *(*infer)(struct trial *t);
    /* A trial begins whose events will happen in the present order of `it`, and later ones as it
     * goes on: a host may run them together. True: there are other units from here on. NULL: it
     * does neither. */
    bool (*ahead)(struct trial *t, const struct interleave *it);
};

/* What belongs to a moment of a trial. */
struct events_now {
    uint64_t done;    /* events that have happened, or take no part */
    uint64_t omitted; /* those that take no part */
    uint32_t n;
    uint8_t order[RECORDING_EVENTS_MAX]; /* of those that have happened, the first n */
    uint32_t sources[RECORDING_EVENTS_MAX];
    void *messages[RECORDING_EVENTS_MAX];   /* that events have made, for hosts of this process */
    uint64_t results[RECORDING_EVENTS_MAX]; /* what they returned, or a hash of it */
};

/* Owned by the trial; outside of the memory that is put back. */
struct events {
    struct recording recording;
    struct rules rules;
    struct units units;
    uint64_t before[RECORDING_EVENTS_MAX]; /* of events: what the order of units comes to */
    bool is_known;                         /* all of the above is filled in */
    const struct events_host *host;
    void *self;              /* the host's own, if it is not this process */
    struct segment *segment; /* the host's own, if it is this process */
    struct events_now now;
    struct sn_machine types[RECORDING_REPLICAS_MAX];
    struct sn_state state;
    struct sn_on ons[RECORDING_EVENTS_MAX + 1];
    struct sn_event kinds[RECORDING_EVENTS_MAX];
    char labels[RECORDING_EVENTS_MAX][RECORDING_NAME_MAX + 32];
};

int events_join(struct trial *t, struct err *why);
void events_leave(struct trial *t);

/* Forgets the recording: another test may have another one. */
void events_forget(struct trial *t);

/* Takes what is known of events from another trial, unless that has it from a test of its own. */
void events_inherit(struct trial *t, const struct trial *like);

/* The recording and the rules are filled in: works out the rest. 0, or SN_EINVAL. */
int events_know(struct events *e, struct err *why);

/* The rules are others now: works out the units, and what waits for what. Nothing has to wait that
 * did not before, so that what was found under the old rules can still be run. 0, or SN_EINVAL. */
int events_change_units(struct events *e, struct err *why);

/* Announces the events, in the set-up of a trial. */
void events_announce(struct trial *t);

enum { EVENTS_OWN = 23 }; /* OWN_EVENTS of substrate/machine.h */

static inline bool events_are_used(const struct trial *t)
{
    return t->now.n_own[EVENTS_OWN] != 0;
}

extern const struct strategy_entry strategy_events;

#endif
