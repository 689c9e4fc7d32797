/* footprints.h - what steps touch, each set of touches kept once, and the values that steps draw.
 *
 * A strategy that plans ahead says of an operation what it will touch and which values it is to
 * draw. Both are numbers here, so that plans are small and compared at once.
 * SPDX-License-Identifier: MIT
 */
#ifndef STRATEGY_FOOTPRINTS_H
#define STRATEGY_FOOTPRINTS_H

#include "engine/touches.h"
#include "strategy/steps.h"

#include <stddef.h>

enum {
    FOOTPRINTS_MAX = 1 << 18,
    FOOTPRINTS_TOUCHES_MAX = 1 << 20,
    FOOTPRINTS_SLOTS = 2 * FOOTPRINTS_MAX,
    FOOTPRINTS_RECENT = 256,
    FOOTPRINTS_PAIRS = 256, /* of the first so many it is kept which of them conflict */
    DRAWN_MAX = 1 << 20,
    DRAWN_SLOTS = 2 * DRAWN_MAX,
};

/* The footprint of what may touch everything; a zeroed table has it. */
#define FOOTPRINT_WILD UINT32_C(0)

/* The same, because it is not known what is touched. */
#define FOOTPRINT_UNKNOWN UINT32_C(1)

struct footprint {
    uint64_t mask; /* a bit for each object, at a place that follows from it */
    uint32_t begin;
    uint32_t n;
};

struct footprints {
    uint32_t n; /* beside those two */
    uint32_t n_touches;
    const struct steps *steps; /* by which the test says what depends on what; NULL: touches do */
    struct footprint all[FOOTPRINTS_MAX + 2];
    struct touch touches[FOOTPRINTS_TOUCHES_MAX];
    uint32_t slots[FOOTPRINTS_SLOTS];
    uint32_t recent[FOOTPRINTS_RECENT]; /* some that were asked for: see find_recent */
    bool pairs[FOOTPRINTS_PAIRS][FOOTPRINTS_PAIRS];
};

/* The number of a footprint. Where there is no more room, the wild one. */
uint32_t footprints_get(struct footprints *f, const struct touch *touches, uint32_t n);

/* Of a footprint what was touched first, up to something by which it conflicts with another one. */
uint32_t footprints_until(struct footprints *f, uint32_t of, uint32_t other);

bool footprints_conflict_slowly(const struct footprints *f, uint32_t a, uint32_t b);

/* Whether steps that touch this and that depend on each other. */
static inline bool footprints_conflict(const struct footprints *f, uint32_t a, uint32_t b)
{
    if (a <= FOOTPRINT_UNKNOWN || b <= FOOTPRINT_UNKNOWN)
        return true;
    if (a < FOOTPRINTS_PAIRS && b < FOOTPRINTS_PAIRS)
        return f->pairs[a][b];
    if ((f->all[a].mask & f->all[b].mask) == 0)
        return false;
    return footprints_conflict_slowly(f, a, b);
}

/* The values that a step draws, one after the other, without the zeros at their end: 0 is nothing
 * but zeros. A longer row is a shorter one and one value more, which is not 0. */
struct drawn {
    uint32_t before; /* the shorter row */
    uint32_t place;  /* of the value, from 0 */
    uint64_t value;
};

struct drawns {
    uint32_t n; /* beside the row of zeros */
    struct drawn all[DRAWN_MAX + 1];
    uint32_t slots[DRAWN_SLOTS];
};

/* The number of a row; UINT32_MAX: there is no more room. */
uint32_t drawn_get(struct drawns *d, uint32_t before, uint32_t place, uint64_t value);

/* The value at a place of a row. */
static inline uint64_t drawn_at(const struct drawns *d, uint32_t row, uint32_t place)
{
    while (row != 0 && d->all[row].place > place)
        row = d->all[row].before;
    return row != 0 && d->all[row].place == place ? d->all[row].value : 0;
}

#endif
