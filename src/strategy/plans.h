/* plans.h - wakeup trees: what is still to be tried from each point of a course.
 *
 * A forest hangs at each event: sequences of acts that lead from the point before it to trials
 * which are equivalent to none that was run. What was tried there sleeps: it need not be tried
 * again until something that it depends on has happened.
 *
 * Abdulla, Aronis, Jonsson and Sagonas, "Optimal dynamic partial order reduction" (POPL 2014).
 * SPDX-License-Identifier: MIT
 */
#ifndef STRATEGY_PLANS_H
#define STRATEGY_PLANS_H

#include "strategy/course.h"

enum { PLANS_MAX = 1 << 24, PLANS_SLEEP_MAX = 1 << 20, PLANS_PATH_MAX = COURSE_EVENTS_MAX };

struct plan {
    struct act act;
    uint32_t child;    /* the first of what follows it; 0: whatever comes */
    uint32_t next;     /* to be tried after it, instead of it; 0: none */
    bool is_doubtful;  /* something may still sleep after it: see plans_settle */
    bool has_doubtful; /* it is, or one that follows it */
    bool is_guessed;   /* what it touches may be something else than the footprint says, ... */
    uint32_t sure;     /* ... but it touches this */
};

struct plans {
    bool is_full;      /* a plan was given up for lack of room */
    bool is_doubtful;  /* the plan that was taken last is */
    bool has_doubtful; /* or one that follows it */
    uint32_t n;
    uint32_t free;                            /* a list, by next */
    uint32_t trees[COURSE_EVENTS_MAX + 1];    /* first plan from the point before each event */
    uint32_t sleepers[COURSE_EVENTS_MAX + 2]; /* where those at each event begin */
    uint32_t awakes[COURSE_EVENTS_MAX + 2];
    uint32_t vains[COURSE_EVENTS_MAX + 2];
    struct act vain[PLANS_SLEEP_MAX]; /* acts that were tried, and need not have been */
    uint32_t woken;                   /* the first of them that was woken by the last event */
    struct act sleep[PLANS_SLEEP_MAX];
    struct act awake[PLANS_SLEEP_MAX]; /* known acts of operations of which some acts sleep */
    struct plan all[PLANS_MAX];
    /* What is left of a sequence that is being planned: events of the course, then one more act. */
    struct left {
        struct act act;
        uint32_t event;
    } left[COURSE_EVENTS_MAX];
    uint32_t n_left;
    bool has_last;
    struct act last;
    uint32_t last_at;     /* the event that it is to come before */
    uint32_t last_cause;  /* event that announces it */
    uint32_t last_sure;   /* what it touches for certain; FOOTPRINT_UNKNOWN: not looked up yet */
    uint64_t last_task;   /* who performs it */
    bool is_in_doubt;     /* whether something that sleeps or is planned stands for the sequence */
    bool last_is_guessed; /* it may touch something else than its footprint says */
    uint32_t path[PLANS_PATH_MAX]; /* plans, one after the other */
    uint32_t n_path;
    uint64_t members[COURSE_WORDS + 1]; /* of use to a rule only while it is called */
};

/* A new plan, in no forest; 0: there is no room. */
uint32_t plans_new(struct plans *p, const struct act *act);

/* Gives up all plans of a list and what follows them. */
void plans_drop(struct plans *p, uint32_t first);

/* Takes the first plan at an event out of its forest; the plans after it become those of the next
 * event. False: there is none. */
bool plans_take(struct plans *p, uint32_t at, struct act *act);

/* The plan that was taken last, at an event, is impossible: what follows it is tried without it. */
void plans_skip(struct plans *p, uint32_t at);

/* It was tried: nothing that follows it is new. */
void plans_forget(struct plans *p, uint32_t at);

/* What sleeps at event `at`, which is reached for the first time: what slept at the event before
 * and did not depend on it; or nothing, if `inherits` is false. */
void plans_fall_asleep(struct plans *p, const struct course *c, uint32_t at, bool inherits);

/* Of an operation some values may sleep and others not: plans those that the last event has woken.
 */
void plans_wake_partly(struct plans *p, uint32_t at);

/* Or else wakes such operations whatever they draw: some of what they lead to is tried again. */
void plans_wake_wholly(struct plans *p, uint32_t at);

/* Plans what does not sleep of one such operation. False: there is none. */
bool plans_try_awake(struct plans *p, uint32_t at);

/* A sequence that was planned ends before event `at`. It was planned when it was not known what
 * all acts touch, itself or one that was tried before it. If nothing sleeps any more, all plans
 * are dropped, because anything can come. False: something sleeps, and nothing is planned, so
 * whatever comes is equivalent to what was tried. */
bool plans_settle(struct plans *p, uint32_t at);

/* The act has been tried at this event. */
void plans_sleep(struct plans *p, uint32_t at, const struct act *act);

/* The act was performed at this event, and what follows was given up because something sleeps that
 * it has nothing to do with. It does not sleep, because not all that follows was tried. */
void plans_add_vain(struct plans *p, uint32_t at, const struct act *act);

bool plans_is_asleep(const struct plans *p, uint32_t at, uint64_t id);
bool plans_is_tried(const struct plans *p, uint32_t at, const struct act *act);

/* What is known of an act that was tried at an event in vain; NULL: it was not. */
const struct act *plans_find_vain(const struct plans *p, uint32_t at, const struct act *act);

/* Whether an operation does not sleep if it draws certain values, which others of it do. */
bool plans_is_partly_awake(const struct plans *p, uint32_t at, uint64_t id);

/* Plans that an event, which is the last one, draws other values. */
void plans_learn_draws(struct plans *p, struct course *c, uint32_t k);

/* Whether an operation was tried at an event or is planned there, with whatever values. All values
 * that it may draw are tried once one is. */
bool plans_has(const struct plans *p, const struct course *c, uint32_t at, uint64_t id);

/* Plans an act, whatever comes after it, after all else. */
void plans_add(struct plans *p, uint32_t at, const struct act *act);

#endif
