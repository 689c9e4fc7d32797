/* extent_center.c - which nodes hold which extent. SPDX-License-Identifier: MIT */
#include "extent_center.h"

#include <errno.h>

static int collect(struct id_table *ids, const uint64_t *extents, size_t n);
static void remove_unreported(struct extent_center *center, uint64_t node,
                              const struct id_table *reported);
static int add_replica(struct extent_center *center, uint64_t id, uint64_t node);
static struct extent *find_or_add(struct extent_center *center, uint64_t id);

void extent_center_init(struct extent_center *center)
{
    id_table_init(&center->extents, sizeof(struct extent));
}

void extent_center_done(struct extent_center *center)
{
    for (size_t i = 0; i < center->extents.n; i++) {
        struct extent *extent = id_table_at(&center->extents, i);

        id_table_done(&extent->repairs);
        id_table_done(&extent->replicas);
    }
    id_table_done(&center->extents);
}

int extent_center_sync(struct extent_center *center, uint64_t node, const uint64_t *extents,
                       size_t n)
{
    struct id_table reported;
    int rc;

    id_table_init(&reported, sizeof(uint64_t));
    rc = collect(&reported, extents, n);
    if (rc < 0)
        goto out;
    remove_unreported(center, node, &reported);
    for (size_t i = 0; i < n; i++) {
        rc = add_replica(center, extents[i], node);
        if (rc < 0)
            goto out;
    }
out:
    id_table_done(&reported);
    return rc;
}

void extent_center_drop_node(struct extent_center *center, uint64_t node)
{
    for (size_t i = 0; i < center->extents.n; i++) {
        struct extent *extent = id_table_at(&center->extents, i);

        (void)id_table_remove(&extent->replicas, node);
        (void)id_table_remove(&extent->repairs, node);
    }
}

const struct extent *extent_center_find(const struct extent_center *center, uint64_t extent)
{
    return id_table_find(&center->extents, extent);
}

void extent_expire_repairs(struct extent *extent, uint64_t now_ms)
{
    size_t i = 0;

    while (i < extent->repairs.n) {
        const struct repair *repair = id_table_at(&extent->repairs, i);

        if (now_ms >= repair->deadline_ms)
            (void)id_table_remove(&extent->repairs, repair->id);
        else
            i++;
    }
}

int extent_begin_repair(struct extent *extent, uint64_t node, uint64_t deadline_ms)
{
    struct repair *repair = id_table_insert(&extent->repairs, node);

    if (repair == NULL)
        return -ENOMEM;
    repair->deadline_ms = deadline_ms;
    return 0;
}

static int collect(struct id_table *ids, const uint64_t *extents, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (id_table_insert(ids, extents[i]) == NULL)
            return -ENOMEM;
    }
    return 0;
}

static void remove_unreported(struct extent_center *center, uint64_t node,
                              const struct id_table *reported)
{
    for (size_t i = 0; i < center->extents.n; i++) {
        struct extent *extent = id_table_at(&center->extents, i);

        if (id_table_find(reported, extent->id) == NULL)
            (void)id_table_remove(&extent->replicas, node);
    }
}

/* A replica that is there also ends the repair that was to bring it. */
static int add_replica(struct extent_center *center, uint64_t id, uint64_t node)
{
    struct extent *extent = find_or_add(center, id);

    if (extent == NULL || id_table_insert(&extent->replicas, node) == NULL)
        return -ENOMEM;
    (void)id_table_remove(&extent->repairs, node);
    return 0;
}

static struct extent *find_or_add(struct extent_center *center, uint64_t id)
{
    struct extent *extent = id_table_find(&center->extents, id);

    if (extent != NULL)
        return extent;
    extent = id_table_insert(&center->extents, id);
    if (extent == NULL)
        return NULL;
    id_table_init(&extent->replicas, sizeof(struct replica));
    id_table_init(&extent->repairs, sizeof(struct repair));
    return extent;
}
