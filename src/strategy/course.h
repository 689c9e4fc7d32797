/* course.h - the course of a trial as events, each with what it depends on.
 *
 * Event 0 is the set-up of the test, event k its k-th step. An event's past are the events that
 * must come before it in every equivalent trial: what announced its operation, what made it ready,
 * and earlier events with a conflicting footprint, with their pasts. A race is a pair of events
 * that conflict, with nothing between them, of which the second could have come first.
 *
 * The events up to one that is taken anew stay as they are, so everything here is kept on stacks
 * that are cut where a trial leaves the one before. SPDX-License-Identifier: MIT
 */
#ifndef STRATEGY_COURSE_H
#define STRATEGY_COURSE_H

#include "engine/pasts.h"
#include "engine/trial.h"
#include "strategy/footprints.h"

enum {
    COURSE_EVENTS_MAX = 1 << 12,
    COURSE_WORDS = COURSE_EVENTS_MAX / 64,
    COURSE_STACK_MAX = 1 << 20,
    COURSE_OWN_TOUCHES = 4, /* of a step, beside those that are told */
};

/* What decides whether a task takes an operation, and which others come before it. */
struct parcel {
    const void *what; /* this and the next five as in struct sn_op */
    uint32_t from;
    uint32_t to;
    uint32_t cause;
    uint32_t number;
    uint32_t kind;
    uint32_t step; /* that announced it: what came before event 1 was announced by several */
    bool is_timed; /* it waits until time has come to its deadline */
    uint64_t deadline;
    uint32_t queue; /* the sender of the link that it waits in; SOURCE_NO_SENDER: none */
};

/* An operation that can run, from one event on and without a break. */
struct candidate {
    uint64_t id;
    uint64_t task; /* id of who performs it */
    uint64_t from; /* id of who announced it */
    struct parcel parcel;
    uint32_t source; /* where it waits */
    uint32_t cause;  /* event that announced it */
    uint32_t since;  /* event that made it ready, perhaps PAST_AND_ALL */
    bool is_start;   /* of its task: nothing of the task comes before it */
    bool is_gated;   /* its task did not take everything when it was chosen */
    bool is_fault;   /* something goes wrong, or comes right again */
};

/* An operation as it was, or is to be, performed. */
struct act {
    uint64_t id;
    uint32_t footprint;
    uint32_t drawn;
};

struct event {
    struct act act;
    uint64_t task;
    uint64_t from;     /* the id of who announced it */
    uint64_t halted;   /* the id of the task if this was its last step; 0: it was not */
    uint64_t decision; /* its place in the log */
    struct parcel parcel;
    bool is_start;
    bool is_gated;
    uint32_t gate; /* what its task took then: see struct substrate; 0: everything */
    uint32_t cause;
    uint32_t since;
    uint32_t after; /* what sent the message that it took, if it is not in its past by that; or 0 */
    uint32_t step;  /* its number in course.steps; 0: none */
    uint32_t waits; /* how often time had passed before it, ... */
    uint64_t time_ns; /* ... and the time then */
    /* Where its parts of the stacks begin; they end where the next event's begin. */
    uint32_t candidates;
    uint32_t ready;     /* operations that it was the first to be able to run */
    uint32_t lost;      /* candidates that it has disabled */
    uint32_t stillborn; /* see engine/touches.h */
    uint32_t dropped;   /* the same */
    uint32_t limits;    /* of the values that it has drawn */
    uint32_t races;     /* earlier events that it is in a race with */
};

struct course;

/* Another way to see what steps depend on than by what they touch. */
struct course_view {
    /* A step is about to be taken. */
    void (*before)(struct course *c, struct trial *t, const struct sn_op *op);
    /* It has been taken: its footprint. NULL: by what it touched. */
    uint32_t (*footprint)(struct course *c, const struct trial *t,
                          const struct candidate *candidate);
};

struct course {
    uint32_t n;         /* events */
    uint64_t began;     /* steps that were taken before event 1, and belong to event 0 */
    uint32_t fresh;     /* the first that no strategy has learned from */
    uint32_t n_blocked; /* operations that its end has left, because their tasks do not take them */
    bool is_incomplete; /* something was longer than can be followed */
    bool has_objects;   /* steps may touch more than tasks */
    bool has_draws;     /* steps draw values */
    bool has_gates;     /* some task did not take everything */
    struct trial *t;
    bool is_causal; /* the order of calls and returns of a history is of no interest */
    bool is_plain;  /* steps are dependent only if one task takes both */
    bool is_over;   /* the present step has ended the trial: nobody can be asked about it */
    const struct course_view *view; /* NULL: none */
    void *view_self;
    struct steps *steps; /* if the test has predicates; NULL: it has none */
    uint32_t step;       /* the present one's number there */
    struct touches touches;
    struct footprints footprints;
    struct drawns drawns;
    struct event events[COURSE_EVENTS_MAX + 1];
    uint32_t footprint_of[COURSE_EVENTS_MAX]; /* that of each event, closer together */
    uint64_t pasts[COURSE_EVENTS_MAX][COURSE_WORDS];
    /* The stacks; how much of them is used is what event n says. */
    struct candidate ready[COURSE_STACK_MAX];
    uint32_t candidates[COURSE_STACK_MAX]; /* places there */
    struct candidate lost[COURSE_STACK_MAX];
    struct candidate blocked[COURSE_EVENTS_MAX];
    struct stillborn stillborn[COURSE_STACK_MAX];
    struct candidate dropped[COURSE_STACK_MAX];
    uint64_t limits[COURSE_STACK_MAX];
    uint32_t races[COURSE_STACK_MAX];
    uint32_t covers[COURSE_STACK_MAX]; /* of each race: see struct reversal */
};

static inline bool course_is_before(const struct course *c, uint32_t i, uint32_t k)
{
    return past_has(c->pasts[k], i);
}

/* Whether two operations wait in one link, where one must come before the other. */
static inline bool course_is_in_queue(const struct parcel *a, const struct parcel *b)
{
    return a->queue != SOURCE_NO_SENDER && a->queue == b->queue && a->to == b->to;
}

static inline bool course_conflict(const struct course *c, uint32_t a, uint32_t b)
{
    return footprints_conflict(&c->footprints, a, b);
}

/* What was noted at a place among the candidates. */
static inline const struct candidate *course_candidate(const struct course *c, uint32_t place)
{
    return &c->ready[c->candidates[place]];
}

/* Forgets everything from event n on. */
static inline void course_cut(struct course *c, uint32_t n)
{
    c->n = n;
    c->n_blocked = 0;
    if (n < c->fresh)
        c->fresh = n;
}

/* The latest event after `after` that has announced event k, or that the test says to have enabled
 * it; 0: there is none. */
uint32_t course_enabler(const struct course *c, uint32_t k, uint32_t after);

/* What the present step has touched, with what the step itself adds, as a footprint. */
uint32_t course_footprint(struct course *c, const struct touch *own, uint32_t n_own);

/* Notes what can run now, before event c->n. False: it cannot be followed that far. */
bool course_look(struct course *c, struct trial *t);

/* The candidate at place `chosen` is about to be performed as event c->n. */
void course_choose(struct course *c, uint32_t chosen);

/* Whether a task that had this gate would take an operation. */
bool course_takes(const struct course *c, uint32_t gate, const struct parcel *parcel);

/* A value below limit is drawn by the present event. */
void course_draw(struct course *c, uint64_t limit);

/* The set-up has ended. */
void course_set_up(struct course *c, uint32_t drawn);

/* The candidate that was noted at place `chosen` of event c->n has been performed, or has failed.
 */
void course_step(struct course *c, const struct trial *t, uint32_t chosen, uint32_t drawn,
                 uint64_t decision);

/* The last event, the candidate at place `chosen`, has ended the trial. */
void course_lose_all(struct course *c, uint32_t chosen);

/* The trial is over, or is left to others: notes what has not run. Where it has failed, what could
 * have is for course_lose_all. */
void course_end(struct course *c, const struct trial *t, bool has_failed);

#endif
