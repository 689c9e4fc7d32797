/* model.h - a synchroniser as a model of sennit/conjecture.h: one file on a server and on nodes.
 *
 * The state of the paper's section IV. The server has a value and a set of conflicts; a node has a
 * value, is stale if the server may have another one that it has not fetched, and dirty if it has
 * been written since its last upload. Hidden are uploads (UP) and downloads (DOWN).
 * SPDX-License-Identifier: MIT
 */
#ifndef SYNC_MODEL_H
#define SYNC_MODEL_H

#include <sennit/sync.h>

/* Which model: the `self` of its functions. */
struct sync_model {
    const struct sn_sync_rules *rules;
    uint32_t n_nodes;
    const struct sn_sync_names *names; /* for words; NULL: none */
};

/* One file. */
struct sync_state {
    uint64_t conflicts; /* bit v: value v */
    /* Six bits each for the value of a place, which is a node or the server, and two for what a
     * node is. If it matters, three for the age of the value: how many of the values that are
     * around were written before it. Unused places are 0. */
    uint64_t bits;
};

enum sync_hidden {
    SYNC_UP =
        0, /* variants: the node; plus n_nodes: what it uploads wins, if nobody knows who does */
    SYNC_DOWN,
};

/* Kinds of observed events are those of enum sn_sync_kind, `event` a struct sn_sync_event. */
extern const struct sn_conjecture_model sync_model;

/* What a node has in a state. */
uint32_t sync_local(const struct sync_state *state, uint32_t node);

/* Whether an event can be judged: NULL, or what is wrong with it. */
const char *sync_nonsense(uint32_t n_nodes, const struct sn_sync_event *event);

#endif
