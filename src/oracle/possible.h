/* possible.h - the states that a part of a system may be in: closing them under hidden events, and
 * keeping those in which an observed event is possible.
 *
 * A set is a list of nodes in the order of how few hidden events lead there, since the beginning of
 * time. Of as few, those come first whose hidden events came later: more of them since the last
 * observed event, then since the one before it. Closing a set in this order (close_set) and
 * selecting in this order (possible_select) keeps it, so the first way by which a state is met is
 * the best one, nothing is ever sorted, and the first node of all is the end of the explanation
 * that sn_conjecture_explanation promises. SPDX-License-Identifier: MIT
 */
#ifndef ORACLE_POSSIBLE_H
#define ORACLE_POSSIBLE_H

#include "oracle/states.h"

#define NODE_OBSERVED UINT32_MAX /* as a step: an observed event led here */

struct node {
    uint32_t state;
    uint32_t parent;   /* number of the node before it, which is closed; of the first: itself */
    uint32_t step;     /* that led here from there */
    uint32_t distance; /* hidden events since the beginning */
};

struct possible {
    struct grown seeds;  /* struct node: the set after the last observed event */
    struct grown next;   /* the one that is being made */
    struct grown closed; /* struct node: sets that were closed, one behind the other if ways are
                          * kept; the last one belongs to the seeds if is_closed */
    struct grown events; /* size_t: numbers of the observed events of this part, if ways are kept */
    size_t n_seeds;
    size_t begin; /* of the last closed set */
    size_t end;
    size_t n_events;
    size_t cursor; /* of the explanation that is being written: a node ... */
    size_t layer;  /* ... and how many observed events came before it */
    bool is_closed;
};

struct possible_figures {
    uint64_t closures;
    uint64_t closed_states;
    uint64_t hidden_steps;
    size_t set_max;
};

/* The set with nothing but the state of that number. False: no memory. */
bool possible_init(struct possible *set, struct states *states, uint32_t state);
void possible_done(struct possible *set, struct states *states);

/* Closes the set if it is not. Forgets the sets before unless ways are kept. False: over a limit;
 * the set is not closed then. */
bool possible_close(struct possible *set, struct states *states, bool keeps_ways,
                    struct possible_figures *figures);

/* Forgets everything but the seeds, in the middle of states_keep_begin and _end, and puts the
 * new numbers of states in afterwards. Not if ways are kept. */
void possible_keep(const struct possible *set, struct states *states);
void possible_renumber(struct possible *set, const struct states *states);

/* How an observed event is asked about a state, and what it does to it. */
struct possible_event {
    const struct sn_observed *observed;
    const void *event;
    size_t offset; /* of its part in the state */
};

/* Whether an event is possible in a closed set. */
bool possible_any(const struct possible *set, const struct states *states,
                  const struct possible_event *event);

/* What is left of a closed set after an event, as the new seeds. If nothing is left (_NO) or over a
 * limit (_UNKNOWN), the set stays as it is. */
enum sn_conjectured possible_select(struct possible *set, struct states *states,
                                    const struct possible_event *event);

static inline const struct node *possible_node(const struct possible *set, size_t i)
{
    return (const struct node *)set->closed.base + i;
}

static inline const struct node *possible_seed(const struct possible *set, size_t i)
{
    return (const struct node *)set->seeds.base + i;
}

#endif
