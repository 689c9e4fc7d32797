/* walk.h - goes from trial to trial of a systematic search: the part that its strategies share.
 *
 * When a trial has ended, the rules of the strategy plan what else is to be tried from each of its
 * events (plans.h). The next trial goes back to the last event with a plan, follows it as far as it
 * goes, and takes the first operation that does not sleep after that. SPDX-License-Identifier: MIT
 */
#ifndef STRATEGY_WALK_H
#define STRATEGY_WALK_H

#include "strategy/plans.h"
#include "strategy/strategies.h"

struct walk;

/* What LiViola knows of the present step. */
struct keys {
    const struct sn_key *entry; /* of the test; NULL: it has none for this type of event */
    uint64_t key;
    uint64_t memory; /* a hash of what the step could change */
    uint32_t kind;
};

/* What one strategy does in its own way. */
struct walk_rules {
    /* A trial has ended: plans what it shows. The events from course.fresh on are new. */
    void (*learn)(struct walk *w);
    /* A trial is about to go its own way, for the first time. May be NULL. */
    void (*attach)(struct walk *w, const struct trial *t);
    bool sleeps;    /* what was tried need not be tried again until it depends on something new */
    bool has_trees; /* what is planned leads to something that does not sleep, unless in doubt */
    bool wakes_wholly; /* an operation, if some of the values that it may draw do not sleep */
    bool learns_from_abandoned; /* trials, too */
};

/* Those of wakeup trees. */
extern const struct walk_rules walk_trees;

struct walk {
    const struct walk_rules *rules; /* set by the strategy's init */
    bool is_started;
    bool is_done;
    bool is_stepping;       /* an operation was picked, and has not been seen to end */
    bool is_revisiting;     /* the next pick is `act`, and what can run there is known */
    bool is_doubtful;       /* the present act was planned when too little was known */
    bool is_exhausted_here; /* all that can run sleeps */
    bool is_impossible;     /* a plan for the present event was */
    bool is_lost;           /* this trial went on where it cannot be followed */
    bool is_learned;        /* what the last trial has shown is planned */
    bool has_left;          /* this trial went on, and others decided */
    bool has_given_up;      /* and the trial was abandoned, by this search and no other */
    bool is_restoring;      /* this trial first goes where a saved search was */
    bool is_attached;
    bool is_published;    /* the rules are those of a publication, and miss something */
    bool is_contradicted; /* the test says something that is not so */
    bool is_by_test;      /* the test says what depends on what */
    bool
        is_up_to_calls; /* there is a history, and the order of its calls and returns is left out */
    char note[160];     /* for the author of the test; "": nothing */
    struct act act;     /* that is being performed */
    uint32_t chosen;    /* its place among the candidates */
    uint32_t n_drawn;
    uint32_t drawn; /* that the step has drawn so far */
    uint64_t decision;
    uint32_t n_explored; /* events after which everything was tried that there is up to now */
    bool is_frozen[COURSE_EVENTS_MAX + 1]; /* see paper.c */
    struct keys keys;                      /* see keys.c */
    struct steps steps;
    uint32_t tried[COURSE_EVENTS_MAX + 1];      /* at each event before the present one */
    struct act restored[COURSE_EVENTS_MAX + 1]; /* what a saved search did, ... */
    uint32_t n_restored; /* ... up to the event that is to be something else */
    struct trial *t;
    struct course course;
    struct plans plans;
};

/* The callbacks of a strategy whose state is a walk; see sennit/strategy.h and engine/explore.h. */
bool walk_begin(void *self, uint64_t trial, uint64_t *keep);
void walk_loop(struct trial *t);
uint32_t walk_pick(void *self, const struct sn_pending *pending);
uint64_t walk_draw(void *self, const struct sn_draw *draw);
void walk_told(void *self, const struct sn_op *op);
void walk_end(void *self, const struct sn_trial_end *end);
bool walk_is_exhausted(const void *self);
void walk_within(const void *self, char *text, size_t size);
void walk_note(const void *self, char *text, size_t size);
double walk_progress(const void *self);
/* Makes it a search that has not begun; what init has set stays. */
void walk_reset(struct walk *w);

size_t walk_save(const void *self, void *bytes, size_t room);
int walk_load(void *self, const void *bytes, size_t n);

/* Plans what the last trial has shown, if that was not done. */
void walk_settle(struct walk *w);

/* What all strategies whose state is a walk have in common, as members of a struct sn_strategy. */
#define WALK_CALLBACKS                                                                             \
    .state_size = sizeof(struct walk), .begin = walk_begin, .pick = walk_pick, .draw = walk_draw,  \
    .told = walk_told, .end = walk_end, .is_exhausted = walk_is_exhausted, .within = walk_within,  \
    .save = walk_save, .load = walk_load, .progress = walk_progress, .progress_is_most = true

#endif
