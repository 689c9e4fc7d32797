/* extent_manager.c - keeps every extent replicated on enough extent nodes.
 *
 * One invariant makes repair dependable: every node that the extent center lists is in the node
 * map. What the center believes of a node can then always be taken back, because a node in the map
 * either sends heartbeats, and with them reports, or expires.
 *
 * SPDX-License-Identifier: MIT
 */
#include "extent_manager.h"

#include <errno.h>

static uint64_t or_default(uint64_t value, uint64_t fallback);
static uint64_t now_ms(const struct extent_manager *em);
static int repair_extent(struct extent_manager *em, struct extent *extent);
static bool find_source(const struct extent_manager *em, const struct extent *extent,
                        uint64_t *source);
static bool find_destination(const struct extent_manager *em, const struct extent *extent,
                             uint64_t *destination);

int em_init(struct extent_manager *em, const struct em_config *config, const struct extent_io *io,
            void *io_self)
{
    static const struct em_config all_default = {0};
    const struct em_config *wanted = config == NULL ? &all_default : config;

    if (io == NULL || io->send_repair == NULL || io->start_timer == NULL || io->now_ms == NULL)
        return -EINVAL;

    *em = (struct extent_manager){
        .config =
            {
                .replica_target = (size_t)or_default(wanted->replica_target, 3),
                .expiry_ms = or_default(wanted->expiry_ms, 10000),
                .expiration_period_ms = or_default(wanted->expiration_period_ms, 1000),
                .repair_period_ms = or_default(wanted->repair_period_ms, 1000),
                .repair_retry_ms = or_default(wanted->repair_retry_ms, 5000),
                .accept_reports_of_unknown_nodes = wanted->accept_reports_of_unknown_nodes,
            },
        .io = io,
        .io_self = io_self,
    };
    node_map_init(&em->nodes);
    extent_center_init(&em->center);
    io->start_timer(io_self, EM_TIMER_EXPIRATION, em->config.expiration_period_ms);
    io->start_timer(io_self, EM_TIMER_REPAIR, em->config.repair_period_ms);
    return 0;
}

void em_done(struct extent_manager *em)
{
    extent_center_done(&em->center);
    node_map_done(&em->nodes);
}

int em_on_heartbeat(struct extent_manager *em, uint64_t node)
{
    return node_map_heartbeat(&em->nodes, node, now_ms(em));
}

int em_on_sync_report(struct extent_manager *em, uint64_t node, const uint64_t *extents, size_t n)
{
    if (!node_map_has(&em->nodes, node) && !em->config.accept_reports_of_unknown_nodes)
        return 0;
    return extent_center_sync(&em->center, node, extents, n);
}

void em_on_expiration_tick(struct extent_manager *em)
{
    uint64_t node;

    while (node_map_expire_one(&em->nodes, now_ms(em), em->config.expiry_ms, &node))
        extent_center_drop_node(&em->center, node);
    em->io->start_timer(em->io_self, EM_TIMER_EXPIRATION, em->config.expiration_period_ms);
}

int em_on_repair_tick(struct extent_manager *em)
{
    int rc = 0;

    for (size_t i = 0; i < em->center.extents.n && rc == 0; i++)
        rc = repair_extent(em, id_table_at(&em->center.extents, i));
    em->io->start_timer(em->io_self, EM_TIMER_REPAIR, em->config.repair_period_ms);
    return rc;
}

bool em_knows_node(const struct extent_manager *em, uint64_t node)
{
    return node_map_has(&em->nodes, node);
}

bool em_has_replica(const struct extent_manager *em, uint64_t extent, uint64_t node)
{
    const struct extent *record = extent_center_find(&em->center, extent);

    return record != NULL && id_table_find(&record->replicas, node) != NULL;
}

size_t em_replica_count(const struct extent_manager *em, uint64_t extent)
{
    const struct extent *record = extent_center_find(&em->center, extent);

    return record == NULL ? 0 : record->replicas.n;
}

/* FNV-1a, a word at a time. */
static uint64_t digest(uint64_t hash, uint64_t word)
{
    return (hash ^ word) * UINT64_C(0x100000001b3) ^ hash >> 29;
}

static uint64_t digest_extent(uint64_t hash, const struct extent *extent, uint64_t now)
{
    hash = digest(digest(hash, extent->id), extent->replicas.n);
    for (size_t i = 0; i < extent->replicas.n; i++)
        hash = digest(hash, ((const struct replica *)id_table_at(&extent->replicas, i))->id);
    for (size_t i = 0; i < extent->repairs.n; i++) {
        const struct repair *repair = id_table_at(&extent->repairs, i);

        hash = digest(digest(hash, repair->id),
                      repair->deadline_ms > now ? repair->deadline_ms - now : 0);
    }
    return hash;
}

uint64_t em_digest(const struct extent_manager *em)
{
    uint64_t hash = digest(UINT64_C(0xcbf29ce484222325), em->nodes.nodes.n);

    for (size_t i = 0; i < em->nodes.nodes.n; i++) {
        const struct node_entry *node = id_table_at(&em->nodes.nodes, i);

        hash = digest(digest(hash, node->id), now_ms(em) - node->heartbeat_ms);
    }
    for (size_t i = 0; i < em->center.extents.n; i++)
        hash = digest_extent(hash, id_table_at(&em->center.extents, i), now_ms(em));
    return hash;
}

static uint64_t or_default(uint64_t value, uint64_t fallback)
{
    return value == 0 ? fallback : value;
}

static uint64_t now_ms(const struct extent_manager *em)
{
    return em->io->now_ms(em->io_self);
}

/* Asks for as many replicas as are missing and not under way. A request, the copy or the node may
 * get lost: then the repair is never confirmed, its time passes, and another one is begun. */
static int repair_extent(struct extent_manager *em, struct extent *extent)
{
    uint64_t deadline_ms = now_ms(em) + em->config.repair_retry_ms;
    struct em_repair repair = {.extent = extent->id};

    extent_expire_repairs(extent, now_ms(em));
    if (!find_source(em, extent, &repair.source))
        return 0;
    while (extent->replicas.n + extent->repairs.n < em->config.replica_target) {
        if (!find_destination(em, extent, &repair.destination))
            return 0;

        int rc = extent_begin_repair(extent, repair.destination, deadline_ms);

        if (rc < 0)
            return rc;
        em->io->send_repair(em->io_self, &repair);
    }
    return 0;
}

/* The replica whose node was heard of last: of all it is the least likely to have failed since. */
static bool find_source(const struct extent_manager *em, const struct extent *extent,
                        uint64_t *source)
{
    uint64_t best_ms = 0;

    for (size_t i = 0; i < extent->replicas.n; i++) {
        const struct replica *replica = id_table_at(&extent->replicas, i);
        uint64_t heartbeat_ms = node_map_last_heartbeat_ms(&em->nodes, replica->id);

        if (i > 0 && heartbeat_ms <= best_ms)
            continue;
        best_ms = heartbeat_ms;
        *source = replica->id;
    }
    return extent->replicas.n > 0;
}

/* Of the nodes that neither hold the extent nor are about to, the one heard of last. */
static bool find_destination(const struct extent_manager *em, const struct extent *extent,
                             uint64_t *destination)
{
    bool found = false;
    uint64_t best_ms = 0;

    for (size_t i = 0; i < em->nodes.nodes.n; i++) {
        const struct node_entry *node = id_table_at(&em->nodes.nodes, i);

        if (id_table_find(&extent->replicas, node->id) != NULL ||
            id_table_find(&extent->repairs, node->id) != NULL)
            continue;
        if (found && node->heartbeat_ms <= best_ms)
            continue;
        found = true;
        best_ms = node->heartbeat_ms;
        *destination = node->id;
    }
    return found;
}
