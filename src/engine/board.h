/* board.h - where the processes that share the trials of a run write down how they ended.
 *
 * Trials are dealt in their order, a few at a time, to whoever asks. Each that is over gets a place
 * on the board, and the parent takes them off in order: what it counts does not depend on who ran
 * what, or when. The board is a ring; who is too far ahead waits. SPDX-License-Identifier: MIT
 */
#ifndef ENGINE_BOARD_H
#define ENGINE_BOARD_H

#include "engine/explore.h"

#include <stdatomic.h>

enum {
    BOARD_TRIALS = 1 << 15,  /* on the board at a time, ... */
    BOARD_LESSONS = 1 << 12, /* ... and if they teach something */
    BOARD_CHUNK = 16,        /* dealt at a time */
    /* Trials in a row keep the bytes of their lessons in one area. Of the first area that is not
     * taken off, and of the last one that has begun, some places may be in use. */
    BOARD_AREA_TRIALS = EPOCH_TRIALS,
    BOARD_AREAS = BOARD_LESSONS / BOARD_AREA_TRIALS + 1,
};

struct board_entry {
    _Atomic uint32_t mark; /* the low half of the number of the trial that is there, plus 1 */
    uint16_t worker;       /* who ran it */
    uint8_t verdict;       /* enum sn_verdict */
    bool nondeterministic : 1;
    uint8_t surveyed; /* 0: it was not looked at; otherwise 1 more than its rank there */
    uint64_t kind;    /* of its failure, if it has one */
    struct explore_end end;
};

/* Most lessons are short, so in each area they lie side by side: one page has many of them. */
struct board_area {
    _Atomic uint64_t used;
    unsigned char bytes[BOARD_AREA_TRIALS * SN_LESSON_MAX];
};

/* In memory that all share; zeroed is empty. */
struct board_lessons {
    struct lesson places[BOARD_LESSONS];
    struct board_area areas[BOARD_AREAS];
};

/* In memory that all share; zeroed is empty. */
struct board {
    _Atomic uint64_t next;    /* the first trial that was not dealt */
    _Atomic uint64_t limit;   /* trials from here on are not wanted */
    _Atomic uint64_t taken;   /* trials below were taken off by all who are told of them */
    _Atomic uint32_t bell;    /* rung for the parent */
    _Atomic uint32_t room;    /* rung when the parent has made room */
    _Atomic uint32_t waiting; /* workers that wait for the trials of others */
    uint64_t shard;           /* of every `shards` chunks, which one is ours */
    uint64_t shards;
    struct board_lessons *lessons; /* NULL: trials teach nothing */
    struct board_entry entries[BOARD_TRIALS];
};

/* The next trials to run, [*from, *to). False: there are none. Before the first one is run,
 * board_wait_for_room is due. Who is told of trials must have learned all that it can then: those
 * who wait for room may have to wait for that. */
bool board_deal(struct board *b, uint64_t *from, uint64_t *to);

/* No trial from this one on is wanted any more. */
void board_limit(struct board *b, uint64_t trial);

static inline bool board_is_wanted(const struct board *b, uint64_t trial)
{
    return trial < atomic_load_explicit(&b->limit, memory_order_relaxed);
}

/* Waits until there is room for trials below this one. False: they are not wanted any more. */
bool board_wait_for_room(struct board *b, uint64_t to);

/* The entry of a trial, to be filled and then put up. */
static inline struct board_entry *board_entry(struct board *b, uint64_t trial)
{
    return &b->entries[trial % BOARD_TRIALS];
}

void board_put(struct board *b, uint64_t trial);

/* Writes down what a trial has taught, before it is put up; NULL: it taught nothing, because the
 * process that ran it is gone. */
void board_teach(struct board *b, uint64_t trial, const struct lesson *lesson);

/* The same, of a trial that is on the board; NULL: trials teach nothing. */
static inline const struct lesson *board_lesson(const struct board *b, uint64_t trial)
{
    return b->lessons != NULL ? &b->lessons->places[trial % BOARD_LESSONS] : NULL;
}

/* Whether a trial is over and on the board. */
static inline bool board_has(struct board *b, uint64_t trial)
{
    return atomic_load_explicit(&board_entry(b, trial)->mark, memory_order_acquire) ==
           (uint32_t)trial + 1;
}

/* Waits until a trial is over. False: nobody wants it any more. */
bool board_wait_for(struct board *b, uint64_t trial);

/* The next trial of this shard after one. */
uint64_t board_after(const struct board *b, uint64_t trial);

/* Sleeps while a word has this value, and not for long: who would change it may die. */
void board_sleep(_Atomic uint32_t *word, uint32_t value);
void board_wake(_Atomic uint32_t *word);

/* For the parent: something has happened, or a time has passed. */
void board_ring(struct board *b);
void board_listen(struct board *b, uint32_t bell, uint32_t milliseconds);

/* For the parent: all trials below this one were taken off, by everybody. */
void board_taken(struct board *b, uint64_t trial);

#endif
