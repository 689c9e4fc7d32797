/* extent_center.h - which nodes hold a replica of which extent, as far as the manager knows.
 *
 * The nodes are the truth; their sync reports correct this view from time to time. Beside the
 * replicas it remembers which repairs are under way, so that a slow one is not asked for again at
 * every round. An extent whose last replica is gone stays known: a node that returns may have it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef EXTENT_MANAGER_EXTENT_CENTER_H
#define EXTENT_MANAGER_EXTENT_CENTER_H

#include "id_table.h"

#include <stddef.h>
#include <stdint.h>

struct replica {
    uint64_t id; /* of the node */
};

struct repair {
    uint64_t id;          /* of the node that is to receive the replica */
    uint64_t deadline_ms; /* when to give it up */
};

struct extent {
    uint64_t id;
    struct id_table replicas; /* of struct replica */
    struct id_table repairs;  /* of struct repair */
};

struct extent_center {
    struct id_table extents; /* of struct extent */
};

void extent_center_init(struct extent_center *center);
void extent_center_done(struct extent_center *center);

/* Makes the view of one node equal to what it reported: it holds these n extents, in any order, and
 * no others. 0, or -ENOMEM; the view then lies between the old and the new one, and the node's next
 * report will put it right. */
int extent_center_sync(struct extent_center *center, uint64_t node, const uint64_t *extents,
                       size_t n);

/* Forgets all replicas on a node and all repairs that were to give it one. */
void extent_center_drop_node(struct extent_center *center, uint64_t node);

/* The record of an extent, or NULL. Valid until the next report. */
const struct extent *extent_center_find(const struct extent_center *center, uint64_t extent);

/* Forgets the repairs of an extent that should have been confirmed by now. */
void extent_expire_repairs(struct extent *extent, uint64_t now_ms);

/* Remembers a repair. 0, or -ENOMEM with nothing done. */
int extent_begin_repair(struct extent *extent, uint64_t node, uint64_t deadline_ms);

#endif
