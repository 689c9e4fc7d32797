/* happened.h - what happened in a trial, as events with names, and what had to come before what.
 *
 * A trial is run again with the recorder of this file (explore_repeat with happened_before,
 * happened_recorder, happened_after and happened_after_death). Then the list holds: event 0, the
 * set-up; an event for each step, in order; and, as virtual last events, the operations that were
 * left pending, and what was lost or cancelled before it could be performed, which no pair is
 * about. Each has the name that opname.h describes, with its number, so that it can be found in
 * other trials, and required (require.h).
 *
 * What is promised, and compared with brute force:
 *
 *  - happened_is_before: i comes before k in every trial that differs from this one only in the
 *    order of steps that do not conflict.
 *  - happened_causes: i comes before k in every trial that has both. (The converse is not promised:
 *    two events may be ordered in all trials for other reasons.)
 *  - happened_pairs: the pairs of events that conflict, with nothing between them, of which the
 *    later could have come first: for each there is a trial that goes like this one up to the first
 *    of the two and in which the later runs while the first has not. (There is none if the machine
 *    would have deferred the later one before the first, and here it came only after that: one pair
 *    in thousands of random programs.) All other orders of this trial follow from these and from
 *    causes. With a pending operation as the later one, a pair says what
 *    could have come after it.
 *
 * Two steps conflict if one task takes both, or if they touch one object in ways that do not
 * commute (touches.h): monitors, nodes, the two sides of a history, what a fault changes.
 * SPDX-License-Identifier: MIT
 */
#ifndef ENGINE_HAPPENED_H
#define ENGINE_HAPPENED_H

#include "engine/require.h"
#include "engine/trial.h"

enum { HAPPENED_EVENTS_MAX = 1 << 14 };

/* An event: a step, or an operation that was left pending. */
struct happening {
    uint64_t id;        /* of the operation */
    uint64_t time_ns;   /* of a step */
    uint64_t decision;  /* of a step: its place in the log */
    uint32_t name;      /* in the table of names; 0: the set-up, or there was no room */
    uint32_t long_name; /* the same but that it names the creators of machines, too */
    uint32_t cause;     /* the event that announced it */
    uint32_t task;      /* these as in struct sn_op */
    uint32_t from;
    uint16_t kind;
    bool is_pending; /* it never ran */
    bool is_ready;   /* ... but could have */
    bool is_strike;  /* a fault, and not its end */
    bool is_lost;    /* a message that was lost on its way, or a timer that was cancelled */
    bool is_copy;    /* of another message: its name has no number, and stands for all copies */
};

/* A value that was drawn. */
struct happened_draw {
    uint64_t key;
    uint64_t value;
    uint64_t n;     /* it was below this */
    uint32_t event; /* in which it was drawn */
    uint32_t name;  /* "draw LABEL of M number N" */
};

/* The first came before the later one. */
struct happened_pair {
    uint32_t first;
    uint32_t later;
};

struct happened;

/* Names go into this table, which must outlast it. 0, or SN_ENOMEM. To be called while nothing is
 * explored with t; happened_free too. */
int happened_new(struct happened **out, struct trial *t, struct opnames *names, struct err *why);
void happened_free(struct happened *h);

/* For explore_repeat: `self` is the struct happened. The list is there when after has returned,
 * also if the trial ran in a process of its own. If that has died, the last event is the step that
 * it died in, with what that had touched until then; what it had announced is not listed, since
 * nobody can look into messages any more. */
const struct recorder *happened_recorder(const struct happened *h);
void happened_before(struct trial *t, void *self);
void happened_after(struct trial *t, void *self);
void happened_after_death(struct trial *t, void *self);

/* For require.c: something was announced. */
void happened_hear(struct trial *t, const struct announcement *one);

/* Events, event 0 included: those that ran are below *n_ran. */
const struct happening *happened_events(const struct happened *h, uint32_t *n, uint32_t *n_ran);
const struct happened_draw *happened_draws(const struct happened *h, uint32_t *n);

/* The trial was longer than can be followed: what is here is only its beginning. */
bool happened_is_cut(const struct happened *h);

bool happened_is_before(const struct happened *h, uint32_t i, uint32_t k);
bool happened_causes(const struct happened *h, uint32_t i, uint32_t k);
bool happened_conflict(const struct happened *h, uint32_t i, uint32_t k);

/* In the order of the later ones, and of the first ones from the last on. */
const struct happened_pair *happened_pairs(const struct happened *h, uint32_t *n);

/* Whether an event is called so, or belongs to that class; of an alias, its anchor does not count.
 */
bool happened_is_named(const struct happened *h, uint32_t event, uint32_t name);

/* Whether the trial is as a constraint requires. */
bool happened_respects(const struct happened *h, const struct constraint *c);

/* Whether it has an order: the first operation ran, and the later one did not before. For machines
 * that change places, `as` says of each text of the table what it stands for, 0 being nothing;
 * NULL: each for itself. */
bool happened_has(const struct happened *h, const struct constraint *c, const uint32_t *as);

/* The type of the machine that a task is; "" if it is none. */
const char *happened_type(const struct happened *h, uint32_t task);

#endif
