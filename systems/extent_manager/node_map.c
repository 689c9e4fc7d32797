/* node_map.c - which extent nodes are believed to be alive. SPDX-License-Identifier: MIT */
#include "node_map.h"

#include <errno.h>

void node_map_init(struct node_map *map)
{
    id_table_init(&map->nodes, sizeof(struct node_entry));
}

void node_map_done(struct node_map *map)
{
    id_table_done(&map->nodes);
}

int node_map_heartbeat(struct node_map *map, uint64_t node, uint64_t now_ms)
{
    struct node_entry *entry = id_table_insert(&map->nodes, node);

    if (entry == NULL)
        return -ENOMEM;
    entry->heartbeat_ms = now_ms;
    return 0;
}

bool node_map_has(const struct node_map *map, uint64_t node)
{
    return id_table_find(&map->nodes, node) != NULL;
}

uint64_t node_map_last_heartbeat_ms(const struct node_map *map, uint64_t node)
{
    const struct node_entry *entry = id_table_find(&map->nodes, node);

    return entry == NULL ? 0 : entry->heartbeat_ms;
}

bool node_map_expire_one(struct node_map *map, uint64_t now_ms, uint64_t expiry_ms, uint64_t *node)
{
    for (size_t i = 0; i < map->nodes.n; i++) {
        const struct node_entry *entry = id_table_at(&map->nodes, i);

        /* A clock that was set back must not make every node look silent for ages. */
        if (now_ms < entry->heartbeat_ms || now_ms - entry->heartbeat_ms < expiry_ms)
            continue;
        *node = entry->id;
        return id_table_remove(&map->nodes, entry->id);
    }
    return false;
}
