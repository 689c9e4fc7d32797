/* ddmin.h - makes a list smaller as long as it keeps a property: delta debugging.
 *
 * Candidates are the list without one range of it: all of it, halves, quarters, down to single
 * entries. Whoever tests them is handed several at a time, may test them at the same time, and says
 * which is the first that has the property: so the result does not depend on how many are tested at
 * once. At the end no single entry can be left out, whatever the property is (unless testing was
 * stopped). After Zeller and Hildebrandt, "Simplifying and isolating failure-inducing input"; only
 * complements are tested, since what a subset would save is saved by the complements, too.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef BASE_DDMIN_H
#define BASE_DDMIN_H

#include <stdbool.h>
#include <stdint.h>

enum { DDMIN_WIDTH_MAX = 64 }; /* candidates that are handed over at a time */

/* Entries of the list, from one on and below another. */
struct ddmin_range {
    uint32_t from;
    uint32_t to;
};

/* Candidates that lack the property, by what is in them: none is tested twice. The slots, a power
 * of two of them, are the caller's, and zeroed at first; when they are nearly full nothing is added
 * any more. */
struct ddmin_memory {
    uint64_t *slots;
    uint32_t n_slots;
    uint32_t used;
};

/* Whether a content, which is not 0, is there; and adds one. */
bool ddmin_memory_has(const struct ddmin_memory *memory, uint64_t content);
void ddmin_memory_add(struct ddmin_memory *memory, uint64_t content);

#define DDMIN_STOP UINT32_MAX

struct ddmin {
    uint64_t *entries; /* a number for the content of each, equal only for equal ones */
    uint32_t n;
    uint64_t rest;               /* stands for all that a test depends on beside the entries */
    struct ddmin_memory *memory; /* NULL: candidates may be tested again */
    uint32_t width;              /* candidates to hand over at a time, from 1 */
    /* The candidates are the list without each of these ranges. Returns which is the first that
     * has the property, n if none has, DDMIN_STOP if no more is to be tested. */
    uint32_t (*test)(void *self, const struct ddmin_range *without, uint32_t n);
    /* The list is to be replaced by the one without this range, which has the property: `entries`
     * and `n` must become that, or anything smaller that has the property, too. Of the candidates
     * that were handed over last it was number `taken`. */
    void (*take)(void *self, struct ddmin *d, struct ddmin_range without);
    void *self;

    uint32_t taken;
    uint64_t tests;   /* candidates tested, as if one by one; results only ... */
    bool is_stopped;  /* ... of ddmin_run */
    uint64_t inverse; /* its own */
};

/* True: the list has become smaller. */
bool ddmin_run(struct ddmin *d);

/* Leaves a range out of a list of entries: what most users want `take` to do. */
void ddmin_leave_out(struct ddmin *d, struct ddmin_range without);

#endif
