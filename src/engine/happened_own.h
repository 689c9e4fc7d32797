/* happened_own.h - what the parts of happened.c share. SPDX-License-Identifier: MIT */
#ifndef ENGINE_HAPPENED_OWN_H
#define ENGINE_HAPPENED_OWN_H

#include "engine/happened.h"
#include "engine/mem.h"
#include "engine/naming.h"
#include "engine/pasts.h"

enum {
    HAPPENED_WORDS = HAPPENED_EVENTS_MAX / 64,
    HAPPENED_NOTES_MAX = (1 << 20) >> MEM_SAVING_SHIFT,
    HAPPENED_COUNTS = 1 << 18, /* a power of two */
    HAPPENED_TOUCHED_MAX = (1 << 20) >> MEM_SAVING_SHIFT,
    HAPPENED_PAIRS_MAX = (1 << 20) >> MEM_SAVING_SHIFT,
    HAPPENED_DRAWS_MAX = 1 << 18,
};

/* An operation that was announced. */
struct note {
    const void *what;
    uint64_t id;
    uint64_t key;
    uint32_t task;
    uint32_t from;
    uint32_t cause;  /* event */
    uint32_t since;  /* the event after which it could run, plus 1, or PAST_AND_ALL; 0: not yet */
    uint32_t seen;   /* the last event before which it could */
    uint32_t number; /* 0: a copy */
    uint32_t number_of_any_key;
    uint16_t kind;
    bool has_key;
    bool is_listed;     /* an event is about it */
    bool is_task_given; /* the test had named them when it was announced */
    bool is_from_given;
};

struct counted {
    uint64_t hash;
    uint32_t n;
};

/* What an event touched, and where it waited. */
struct event {
    uint64_t mask; /* a bit for each object */
    uint32_t touched;
    uint32_t n_touched;
    uint32_t note;
    uint32_t queue;
    uint32_t after; /* the step that sent what it took */
    bool is_wild;
};

struct drawing {
    uint32_t label; /* a text */
    uint32_t task;
    uint32_t number;
    bool is_given;
};

struct happened {
    struct trial *t;
    struct opnames *names;
    struct naming *naming;    /* of its own; t->naming is another's if decisions are filtered */
    const struct naming *who; /* the one that was used */
    uint32_t n_ranges;
    struct recorder recorder;
    bool is_cut;
    uint32_t waits; /* how often time had passed at the last step */
    uint32_t n;
    uint32_t n_ran;
    uint32_t n_notes; /* from 1 on */
    uint32_t n_touched;
    uint32_t n_pairs;
    uint32_t n_draws;
    uint32_t n_tasks; /* of which the texts below are known */
    uint32_t n_counted;
    /* Of what is kept by task and by operation, so much may be in use. A trial that was not
     * finished leaves it behind, perhaps to another process. */
    uint32_t tasks_used;
    uint32_t ops_used;
    struct touches touches;
    struct announced announced;
    struct happening events[HAPPENED_EVENTS_MAX];
    struct event more[HAPPENED_EVENTS_MAX];
    uint64_t pasts[HAPPENED_EVENTS_MAX][HAPPENED_WORDS];
    uint64_t causes[HAPPENED_EVENTS_MAX][HAPPENED_WORDS];
    struct touch touched[HAPPENED_TOUCHED_MAX];
    struct note notes[HAPPENED_NOTES_MAX];
    uint32_t note_of[TRIAL_OPS_MAX];
    struct counted counts[HAPPENED_COUNTS];
    uint32_t counted[HAPPENED_COUNTS]; /* those of them that are in use */
    struct happened_pair pairs[HAPPENED_PAIRS_MAX];
    struct happened_draw draws[HAPPENED_DRAWS_MAX];
    struct drawing drawings[HAPPENED_DRAWS_MAX];
    uint32_t short_text[TRIAL_TASKS_MAX];
    uint32_t long_text[TRIAL_TASKS_MAX];
    uint32_t first_start[TRIAL_TASKS_MAX]; /* event; 0: none */
};

/* Finds out what had to come before what, once all events are there. */
void happened_order(struct happened *h);

/* Gives all events and draws their names. */
void happened_name(struct happened *h);

#endif
