/* possible.c - see possible.h. SPDX-License-Identifier: MIT */
#include "oracle/possible.h"

#include <string.h>

static bool put(struct grown *nodes, struct pool *pool, size_t at, struct node node)
{
    if (at >= UINT32_MAX || !grown_reserve(nodes, pool, (at + 1) * sizeof(node)))
        return false;
    ((struct node *)nodes->base)[at] = node;
    return true;
}

bool possible_init(struct possible *set, struct states *states, uint32_t state)
{
    set->n_seeds = 1;
    return put(&set->seeds, states->pool, 0, (struct node){.state = state, .step = NODE_OBSERVED});
}

void possible_done(struct possible *set, struct states *states)
{
    grown_done(&set->seeds, states->pool);
    grown_done(&set->next, states->pool);
    grown_done(&set->closed, states->pool);
    grown_done(&set->events, states->pool);
}

/* Appends what hidden events lead to from a node. */
static bool follow(struct possible *set, struct states *states, size_t from,
                   struct possible_figures *figures)
{
    struct node node = *possible_node(set, from);
    const struct states_edge *edges;
    uint32_t n;

    if (!states_expand(states, node.state))
        return false;
    edges = states_edges(states, node.state);
    n = states_item(states, node.state)->n;
    figures->hidden_steps += n;
    for (uint32_t i = 0; i < n; i++) {
        struct node child = {edges[i].to, (uint32_t)from, edges[i].step, node.distance + 1};

        if (!states_mark(states, child.state))
            continue;
        if (!put(&set->closed, states->pool, set->end, child))
            return false;
        set->end++;
    }
    return true;
}

/* Appends the seeds of a distance, from the i-th on; returns the number of the one behind them, or
 * SIZE_MAX. */
static size_t add_seeds(struct possible *set, struct states *states, size_t i, uint32_t distance)
{
    for (; i < set->n_seeds && possible_seed(set, i)->distance == distance; i++) {
        struct node seed = *possible_seed(set, i);

        if (!states_mark(states, seed.state))
            continue;
        if (!put(&set->closed, states->pool, set->end, seed))
            return SIZE_MAX;
        set->end++;
    }
    return i;
}

/* By rounds of equal distance. What hidden events lead to comes before seeds that are as far: its
 * hidden events are later. */
static bool close_set(struct possible *set, struct states *states, struct possible_figures *figures)
{
    size_t at = set->begin;
    size_t seed = 0;
    uint32_t distance = 0;

    states->mark++;
    while (at < set->end || seed < set->n_seeds) {
        size_t round_end = set->end;

        if (at == round_end)
            distance = possible_seed(set, seed)->distance;
        else
            distance++;
        for (; at < round_end; at++)
            if (!follow(set, states, at, figures))
                return false;
        seed = add_seeds(set, states, seed, distance);
        if (seed == SIZE_MAX)
            return false;
    }
    return true;
}

bool possible_close(struct possible *set, struct states *states, bool keeps_ways,
                    struct possible_figures *figures)
{
    if (set->is_closed)
        return true;
    if (!keeps_ways)
        set->end = 0;
    set->begin = set->end;
    if (!close_set(set, states, figures)) {
        set->end = set->begin;
        return false;
    }
    set->is_closed = true;
    figures->closures++;
    figures->closed_states += set->end - set->begin;
    if (set->end - set->begin > figures->set_max)
        figures->set_max = set->end - set->begin;
    return true;
}

void possible_keep(const struct possible *set, struct states *states)
{
    for (size_t i = 0; i < set->n_seeds; i++)
        states_keep(states, possible_seed(set, i)->state);
}

void possible_renumber(struct possible *set, const struct states *states)
{
    struct node *seeds = set->seeds.base;

    for (size_t i = 0; i < set->n_seeds; i++)
        seeds[i].state = states_kept(states, seeds[i].state);
    set->begin = 0;
    set->end = 0;
    set->is_closed = false;
}

static bool is_possible(const struct states *states, uint32_t state,
                        const struct possible_event *event)
{
    return event->observed->is_possible == NULL ||
           event->observed->is_possible(
               states->self, (char *)states_at(states, state) + event->offset, event->event);
}

bool possible_any(const struct possible *set, const struct states *states,
                  const struct possible_event *event)
{
    for (size_t i = set->begin; i < set->end; i++)
        if (is_possible(states, possible_node(set, i)->state, event))
            return true;
    return false;
}

/* The state that an event leads to; STATES_NONE: over a limit. */
static uint32_t take(struct states *states, uint32_t state, const struct possible_event *event)
{
    if (event->observed->effect == NULL)
        return state;
    memcpy(states->scratch, states_at(states, state), states->size);
    event->observed->effect(states->self, states->scratch + event->offset, event->event);
    return states_intern(states, states->scratch);
}

enum sn_conjectured possible_select(struct possible *set, struct states *states,
                                    const struct possible_event *event)
{
    struct grown seeds;
    size_t n = 0;

    states->mark++;
    for (size_t i = set->begin; i < set->end; i++) {
        struct node node = *possible_node(set, i);
        uint32_t to;

        if (!is_possible(states, node.state, event))
            continue;
        to = take(states, node.state, event);
        if (to == STATES_NONE)
            return SN_CONJECTURED_UNKNOWN;
        if (!states_mark(states, to))
            continue;
        if (!put(&set->next, states->pool, n,
                 (struct node){to, (uint32_t)i, NODE_OBSERVED, node.distance}))
            return SN_CONJECTURED_UNKNOWN;
        n++;
    }
    if (n == 0)
        return SN_CONJECTURED_NO;
    seeds = set->seeds;
    set->seeds = set->next;
    set->next = seeds;
    set->n_seeds = n;
    set->is_closed = false;
    return SN_CONJECTURED_YES;
}
