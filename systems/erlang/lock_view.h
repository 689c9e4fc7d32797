/* lock_view.h - what an agent knows of queues for locks, and what follows from it.
 *
 * Agents hear of queues from the server, if they are in them, and from each other, whether they are
 * or not: who holds locks that others wait for must learn of a circle to break it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ERLANG_LOCK_VIEW_H
#define ERLANG_LOCK_VIEW_H

#include "lock_table.h"

struct lock_view {
    uint32_t self;
    struct lock_entry known[LOCKS]; /* count == 0: nothing is known */
    bool is_wanted[LOCKS];
    bool is_surrendered[LOCKS]; /* and the server has not said so yet: what it says is old */
};

/* Who must give way, and which lock: of the agents in a circle the one with the greatest number. */
struct lock_victim {
    uint32_t agent;
    uint32_t lock;
    bool in_circle[LOCKS];
};

/* Takes in what is said of a queue, by a surrender of `surrendered_by` (0: of nobody). False: it is
 * not news. */
bool lock_view_learn(struct lock_view *view, const struct lock_entry *entry,
                     uint32_t surrendered_by);

void lock_view_forget(struct lock_view *view, uint32_t lock);

/* Whether the agent holds all that it wants. */
bool lock_view_has_all(const struct lock_view *view);

/* Finds a circle of agents that wait for each other. */
bool lock_view_find_victim(const struct lock_view *view, struct lock_victim *victim);

#endif
