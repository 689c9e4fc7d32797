/* touches.h - what a step touches beside the task that takes it, for strategies that ask which
 * steps depend on each other. Two steps do if they touch the same thing in ways that do not
 * commute. SPDX-License-Identifier: MIT
 */
#ifndef ENGINE_TOUCHES_H
#define ENGINE_TOUCHES_H

#include <sennit/strategy.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    TOUCHES_MAX = 64, /* of one step; one that touches more is taken to touch everything */
    STILLBORN_MAX = 64,
    DROPPED_MAX = 64,
};

enum touch_mode {
    TOUCH_READ = 1,
    TOUCH_WRITE,
    /* The two sides of a history: calls commute, returns commute, a call and a return do not. */
    TOUCH_CALL,
    TOUCH_RETURN,
    TOUCH_STEP, /* the object is the number of a step, and the test says what depends on it */
};

struct touch {
    uint64_t object; /* the same in every trial */
    uint64_t mode;
};

/* An operation that would be pending if the task that it is for had not halted. */
struct stillborn {
    uint64_t id;
    uint64_t task;    /* the id of the task */
    const void *what; /* this and the next as in struct sn_op */
    uint32_t from;
    uint32_t to;
    uint32_t cause;
    uint32_t number;
    uint32_t queue; /* the sender of the link in which it would wait; UINT32_MAX: in none */
};

struct touches {
    uint32_t n;
    uint32_t n_stillborn;
    uint32_t after; /* a step that this one comes after, beside those that it conflicts with */
    bool is_wild;   /* there were more than can be told */
    bool is_cut;    /* there were more of the lists below */
    struct touch all[TOUCHES_MAX];
    struct stillborn stillborn[STILLBORN_MAX];
    /* Operations that were pending, and could not run because their tasks did not take them, and
     * now never will. */
    uint32_t n_dropped;
    struct sn_op dropped[DROPPED_MAX];
};

/* Whether two touches do not commute. */
static inline bool touches_clash(const struct touch *a, const struct touch *b)
{
    if (a->object != b->object)
        return false;
    if (a->mode >= TOUCH_CALL || b->mode >= TOUCH_CALL)
        return a->mode != b->mode;
    return a->mode == TOUCH_WRITE || b->mode == TOUCH_WRITE;
}

static inline void touches_clear(struct touches *touches)
{
    touches->n = 0;
    touches->n_stillborn = 0;
    touches->n_dropped = 0;
    touches->after = 0;
    touches->is_wild = false;
    touches->is_cut = false;
}

static inline void touches_add(struct touches *touches, uint64_t object, enum touch_mode mode)
{
    if (touches->n < TOUCHES_MAX)
        touches->all[touches->n++] = (struct touch){object, mode};
    else
        touches->is_wild = true;
}

static inline void touches_add_dropped(struct touches *touches, const struct sn_op *op)
{
    if (touches->n_dropped < DROPPED_MAX)
        touches->dropped[touches->n_dropped++] = *op;
    else
        touches->is_cut = true;
}

static inline void touches_add_stillborn(struct touches *touches, const struct stillborn *added)
{
    if (touches->n_stillborn < STILLBORN_MAX)
        touches->stillborn[touches->n_stillborn++] = *added;
    else
        touches->is_cut = true;
}

#endif
