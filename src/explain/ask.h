/* ask.h - what an explanation is made of, and what is asked about it.
 *
 * A failing trial is a set of items: values that were drawn, and orders of two operations each.
 * Whoever can run trials answers how often they fail if some of the items are brought about again
 * and everything else is left to chance. All of this folder is written against this interface and
 * knows nothing of trials. SPDX-License-Identifier: MIT
 */
#ifndef EXPLAIN_ASK_H
#define EXPLAIN_ASK_H

#include <stdbool.h>
#include <stdint.h>

enum {
    EXPLAIN_ITEMS_MAX = 4096,
    EXPLAIN_ORDERS_MAX = 8, /* a longer list explains nothing to a person */
    EXPLAIN_OVER = 1,       /* a result: the budget has ended */
    EXPLAIN_SEARCH_TRIALS = 200,
    EXPLAIN_VERIFY_TRIALS = 1000,
    EXPLAIN_AFTER_TRIALS = 100, /* continuations after a step */
};

enum item_kind {
    ITEM_ORDER,    /* the first operation before the second */
    ITEM_RELATIVE, /* the same of one that is named relative to another: all of them at once can
                    * contradict each other */
    ITEM_DRAW,     /* a value */
    ITEM_QUIET,    /* nothing goes wrong that did not, up to an operation */
};

/* Whether an item is the order of two operations, and so has a reverse. */
static inline bool item_is_order(enum item_kind kind)
{
    return kind == ITEM_ORDER || kind == ITEM_RELATIVE;
}

struct item {
    enum item_kind kind;
    uint32_t first; /* operations, numbered as whoever answers likes; of a value, unused */
    uint32_t second;
    uint64_t rank;    /* of two that do equally well the one with the higher rank is kept */
    uint32_t weakens; /* another item, plus 1: it asks for less, and is taken if that is enough */
    uint32_t since;   /* the step of the failing trial that it is about first */
    bool is_grouped;  /* one of several that are said together: «A before each of B, C, D» */
};

struct choice {
    uint32_t item;
    bool is_reversed;
};

/* Trials of one stream have the same seeds in every question; those of two streams have none in
 * common. Half of them are decided by a random walk, half by random priorities. */
enum stream {
    STREAM_SEARCH,
    STREAM_MINIMISE,
    STREAM_LABEL,
    STREAM_AFTER,
    STREAM_CORE,
    STREAM_BASE,
    STREAM_RATES,
    STREAM_CONFIRM, /* this one and the next: what was found by other continuations */
    STREAM_CONFIRM_LAST = STREAM_CONFIRM + 3,
    STREAM_VERIFY, /* this one and all that follow: each is used once, by one verification */
};

/* The first steps of the failing trial, and the values of its set-up, which trials may be asked to
 * begin with. Items are brought about after that. */
struct beginning {
    bool is_kept;
    uint64_t steps;
};

struct question {
    const struct choice *choices;
    uint32_t n_choices;
    struct beginning from;
    uint64_t stream;
    uint32_t trials;
    uint32_t misses_max; /* enough is known once more trials than this have not failed */
    /* If not NULL, for each choice: in how many trials that got stuck it could not be had. */
    uint32_t *blamed;
};

struct answer {
    uint32_t trials; /* fewer than were asked for: it is no estimate */
    uint32_t failed;
    uint32_t stuck; /* could not go on without breaking an order: they have not failed */
};

/* Every callback returns 0, EXPLAIN_OVER, or a negative SN_E*. */
struct asker {
    void *self;
    int (*ask)(void *self, const struct question *q, struct answer *out);
    /* Trials that are the failing one for so many steps, and then left to chance. */
    int (*after)(void *self, uint64_t steps, const struct question *q, struct answer *out);
};

/* Whether so many trials fail as a sufficient set of items makes them fail: 99 in 100. */
static inline bool answer_is_enough(const struct answer *a, uint32_t trials)
{
    return a->trials == trials && (uint64_t)a->failed * 100 >= (uint64_t)trials * 99;
}

/* How many trials may do otherwise while a set is looked for: fewer than when it is verified, so
 * that what chance has helped is not kept. */
static inline uint32_t answer_misses(uint32_t trials)
{
    return trials / 200;
}

static inline double answer_share(const struct answer *a)
{
    return a->trials > 0 ? (double)a->failed / a->trials : 0;
}

#endif
