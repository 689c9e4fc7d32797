/* states.h - the states of a model, each kept once, and where hidden events lead from each.
 *
 * Hidden events depend on the state alone, so what follows a state is found once and remembered:
 * closing a set again and again, after every observed event, asks the model nothing new.
 * SPDX-License-Identifier: MIT
 */
#ifndef ORACLE_STATES_H
#define ORACLE_STATES_H

#include "linear/pool.h"

#include <sennit/conjecture.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STATES_NONE UINT32_MAX

/* A way to take a hidden event: a variant of it, in a part. */
struct states_step {
    uint32_t hidden;
    uint32_t variant;
    uint32_t part;
};

struct states_edge {
    uint32_t to;
    uint32_t step; /* number of the step */
};

struct states_item {
    uint64_t first; /* number of its first edge */
    uint32_t n;     /* of its edges; STATES_NONE: they have not been looked for */
    uint32_t hash;
    uint32_t mark;  /* the last set it was put into */
    uint32_t moved; /* its new number, while others are forgotten */
};

struct states {
    struct pool *pool;
    const struct sn_conjecture_model *model;
    const void *self;
    size_t part_size; /* bytes of a part of a state, rounded up so that the next one is aligned */
    size_t size;      /* bytes of a state: of all its parts if they are kept together */
    struct grown bytes;
    struct grown items; /* struct states_item, by number */
    struct grown table; /* uint32_t: number + 1, or 0; open addressing, a power of two */
    struct grown edges; /* struct states_edge */
    struct states_step *steps;
    char *scratch; /* one state */
    uint64_t n_edges;
    uint64_t limit;     /* of n */
    uint64_t forgotten; /* states that were there once */
    size_t table_size;
    uint32_t n;
    uint32_t n_steps;
    uint32_t mark;
};

/* `parts` is how many lie in one state. False: no memory. */
bool states_init(struct states *states, uint32_t parts);
void states_done(struct states *states);

/* The number of a state; STATES_NONE: over a limit. `state` is not one of those kept here. */
uint32_t states_intern(struct states *states, const void *state);

/* Forgets all states but those that states_keep was called for since states_keep_begin, and gives
 * them new numbers, which states_kept tells. Takes no memory. */
void states_keep_begin(struct states *states);
void states_keep(struct states *states, uint32_t number);
void states_keep_end(struct states *states);
uint32_t states_kept(const struct states *states, uint32_t number);

/* Finds the edges of a state if that has not been done. False: over a limit. */
bool states_expand(struct states *states, uint32_t number);

static inline struct states_item *states_item(const struct states *states, uint32_t number)
{
    return (struct states_item *)states->items.base + number;
}

/* Valid until a state is added. */
static inline void *states_at(const struct states *states, uint32_t number)
{
    return (char *)states->bytes.base + number * states->size;
}

static inline const struct states_edge *states_edges(const struct states *states, uint32_t number)
{
    return (const struct states_edge *)states->edges.base + states_item(states, number)->first;
}

/* Whether a state was not yet in the set that is being made, into which it is put. */
static inline bool states_mark(const struct states *states, uint32_t number)
{
    struct states_item *item = states_item(states, number);
    bool is_new = item->mark != states->mark;

    item->mark = states->mark;
    return is_new;
}

#endif
