/* node_map.h - which extent nodes are believed to be alive, and when each was last heard of.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef EXTENT_MANAGER_NODE_MAP_H
#define EXTENT_MANAGER_NODE_MAP_H

#include "id_table.h"

#include <stdbool.h>
#include <stdint.h>

struct node_entry {
    uint64_t id;
    uint64_t heartbeat_ms; /* when the last heartbeat came */
};

struct node_map {
    struct id_table nodes; /* of struct node_entry */
};

void node_map_init(struct node_map *map);
void node_map_done(struct node_map *map);

/* Records a heartbeat; a node that was not known is from now on. 0, or -ENOMEM with nothing
 * done. */
int node_map_heartbeat(struct node_map *map, uint64_t node, uint64_t now_ms);

bool node_map_has(const struct node_map *map, uint64_t node);

/* When the node was last heard of; 0, the distant past, if it is not known. */
uint64_t node_map_last_heartbeat_ms(const struct node_map *map, uint64_t node);

/* Removes one node that has been silent for at least expiry_ms and stores its id. False, and *node
 * unchanged, if there is none. */
bool node_map_expire_one(struct node_map *map, uint64_t now_ms, uint64_t expiry_ms, uint64_t *node);

#endif
