/* races.h - which steps of a trial could have come the other way round, by vector clocks.
 *
 * Yuan and Yang, "Effective concurrency testing for distributed systems" (ASPLOS 2020), the
 * analysis of conflicts. A step depends on the one that announced it, on the one that took from its
 * queue last, on the one that sent what it takes, on the start of its task, and on all before the
 * last moment at which nothing but time could pass. It meets earlier steps that touched what it
 * touches, in ways that do not commute. It races with those of them that do not come before
 * anything it depends on. What it met comes before it from then on, as it was observed.
 * SPDX-License-Identifier: MIT
 */
#ifndef STRATEGY_RACES_H
#define STRATEGY_RACES_H

#include "engine/touches.h"

#include <stddef.h>

enum {
    RACES_EVENTS_MAX = 1 << 16, /* of a trial; later ones are not looked at */
    RACES_TOUCHES_MAX = 1 << 18,
    RACES_OBJECTS_MAX = 1 << 14,
    RACES_SLOTS = RACES_OBJECTS_MAX * 2,
    RACES_CLOCKS_MAX = 1 << 22, /* numbers in all clocks */
    RACES_WALK_MAX = 1 << 12,   /* earlier touches of an object that are looked at */
};

/* A step of the trial. */
struct race_event {
    uint32_t task;      /* below n_tasks; each task is a thing that its own steps write */
    uint32_t cause;     /* the event that announced it, from 1; 0: none of these */
    uint32_t previous;  /* the event that took from its queue last; 0: none */
    uint32_t after;     /* the event that sent what it takes; 0: none */
    uint32_t touches;   /* its touches begin here, and end where those of the next one begin */
    uint32_t signature; /* the user's own */
    bool is_start; /* its task begins, or begins again: what follows in it cannot come earlier */
    bool is_late;  /* time had to pass before it: all events so far come before it */
    bool is_wild;  /* it touches everything */
    bool raced;    /* found out by races_find, ... */
    bool is_blind; /* ... and so is whether it met too much to say that it has not */
};

/* Events are numbered from 1; the touches of event n end where those of n + 1 begin. */
struct races {
    uint32_t n_tasks;
    uint32_t n;
    uint32_t n_touches;
    bool is_full; /* there was more than could be looked at */
    uint64_t n_pairs;
    /* Told of each pair that raced, the earlier one first, where somebody wants to know. */
    void (*found)(void *self, uint32_t earlier, uint32_t later);
    void *self;
    struct race_event events[RACES_EVENTS_MAX + 2];
    struct touch touches[RACES_TOUCHES_MAX];
    uint64_t tasks[RACES_EVENTS_MAX]; /* their ids as objects */

    /* races_find's own. */
    uint32_t width;                        /* of a clock */
    uint32_t n_objects;                    /* beside tasks */
    uint32_t index[RACES_EVENTS_MAX + 1];  /* of events in their tasks, from 1 */
    uint32_t count[RACES_EVENTS_MAX];      /* events of a task so far, ... */
    uint32_t offset[RACES_EVENTS_MAX + 1]; /* ... and where they begin in what follows */
    uint32_t event_at[RACES_EVENTS_MAX + 1];
    uint32_t start[RACES_EVENTS_MAX];    /* of a task: its last event that is one; 0: it has none */
    int32_t cover[RACES_EVENTS_MAX + 2]; /* how many more races reach from here on than before */
    struct race_slot {
        uint64_t object; /* 0: none is here */
        uint32_t task;   /* the task that it is, plus 1; 0: it is none */
        uint32_t last;   /* its last touch, plus 1, by another event than a task's own, ... */
        uint32_t change; /* ... and the last of these that does not only read */
    } slots[RACES_SLOTS];
    uint32_t used[RACES_OBJECTS_MAX + RACES_EVENTS_MAX];
    uint32_t n_used;
    uint32_t before[RACES_TOUCHES_MAX]; /* the touch of the same object before it, plus 1, ... */
    uint32_t change[RACES_TOUCHES_MAX]; /* ... and the last that does not only read */
    uint32_t event_of[RACES_TOUCHES_MAX];
    uint32_t wild[RACES_EVENTS_MAX];
    uint32_t n_wild;
    _Alignas(64) uint32_t clocks[RACES_CLOCKS_MAX];
};

/* Forgets the events, for a trial whose tasks come to be known by their events. */
void races_clear(struct races *r);

/* Finds out which events raced: those that are part of a pair. */
void races_find(struct races *r);

#endif
