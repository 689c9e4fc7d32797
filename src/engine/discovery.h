/* discovery.h - how often each partial order came up, and what that tells of those that did not.
 *
 * Good (1953), after Turing: of n independent trials, f1 of which showed an order that no other of
 * them showed, the next one shows a new order with a probability of about f1 / n. That holds for
 * one way of drawing trials. So trials are counted by arm (of a strategy that is several) and by
 * mind (a strategy that learns is another one when it has): see struct explore_end. An arm that has
 * changed its mind is counted anew.
 *
 * Counts are exact, and need memory for each order. Beyond a limit nothing is said any more.
 * SPDX-License-Identifier: MIT
 */
#ifndef ENGINE_DISCOVERY_H
#define ENGINE_DISCOVERY_H

#include "engine/mem.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    DISCOVERY_ARMS_MAX = 8,
    DISCOVERY_POINTS_MAX = 64, /* of the curve */
    DISCOVERY_SLOTS_FIRST = 1 << 12,
    DISCOVERY_SLOTS_MAX = (1 << 21) >> (MEM_SAVING_SHIFT / 2),
    DISCOVERY_ORDERS_MAX = DISCOVERY_SLOTS_MAX / 2, /* that are counted, of all arms together */
    DISCOVERY_TRIALS_MIN = 100,                     /* fewer tell nothing */
};

/* The trials that were drawn in one and the same way. */
struct discovery_arm {
    uint64_t mind;
    uint64_t serial; /* of this mind, among all */
    uint64_t trials; /* 0: there is no such arm */
    uint64_t orders; /* that these showed, ... */
    uint64_t once;   /* ... those that one of them did, ... */
    uint64_t twice;  /* ... and two */
};

/* So many distinct orders after so many trials. */
struct discovery_point {
    uint64_t trials;
    uint64_t orders;
};

/* In memory that mem_reserve_shared gave; zeroed is empty. */
struct discovery {
    struct discovery_arm arms[DISCOVERY_ARMS_MAX];
    uint64_t serials;
    uint64_t kept; /* orders in the table */
    uint32_t bits; /* it has 2^bits slots; 0: none yet */
    bool is_full;  /* there were more orders than can be counted */

    struct discovery_point points[DISCOVERY_POINTS_MAX];
    uint32_t n_points;
    uint64_t stride; /* trials from one to the next */

    uint64_t slots[DISCOVERY_SLOTS_MAX];
    uint64_t spare[DISCOVERY_SLOTS_MAX / 2]; /* the table before it grew */
};

/* A trial, drawn by this arm with this mind, showed this order. Orders must be well mixed. False:
 * it is known that an earlier trial has shown it, too. */
bool discovery_add(struct discovery *d, uint32_t arm, uint64_t mind, uint64_t order);

/* How often trials of an arm, as it is now, showed an order: 0, 1, 2, or 3 for more. */
uint32_t discovery_count(const struct discovery *d, uint32_t arm, uint64_t order);

/* Adds a point to the curve, after so many trials. Returns how many there must be for the next one;
 * at first that is 1. */
uint64_t discovery_mark(struct discovery *d, uint64_t trials, uint64_t orders);

/* What an arm tells. */
enum discovery_answer {
    DISCOVERY_KNOWN = 1,
    DISCOVERY_FEW_TRIALS, /* too few */
    DISCOVERY_MOSTLY_NEW, /* almost every trial showed a new order: no more can be said */
    DISCOVERY_TOO_MANY,   /* orders */
};

struct discovery_estimate {
    enum discovery_answer answer;
    double next; /* probability that the next trial shows a new order */
    double low;  /* 95 of 100 such intervals contain it */
    double high;
    uint64_t least; /* orders that there are, at least, as far as can be estimated (Chao, 1984) */
};

/* The figures of an arm; they may also have been added up from several runs. */
struct discovery_estimate discovery_estimate(const struct discovery_arm *arm, bool is_full);

#endif
