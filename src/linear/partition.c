/* partition.c - see partition.h. SPDX-License-Identifier: MIT */
#include "linear/partition.h"

#include "linear/models/models.h"
#include "linear/sort.h"

#include <sennit/test.h>

struct sorting {
    const struct sn_model *model;
    const struct sn_operation *operations;
    struct sortable *entries;
    struct sortable *other;
};

static const struct sn_operation *op_at(const struct sorting *s, size_t i)
{
    return &s->operations[s->entries[i].index];
}

/* Whether what becomes of one value has nothing to do with the others: so it is in a set that
 * nobody reads as a whole. */
static bool is_by_value(const struct sorting *s, size_t from, size_t to)
{
    if (s->model->step != sn_model_set.step)
        return false;
    for (size_t i = from; i < to; i++) {
        if (op_at(s, i)->function == SET_READ && is_completed(op_at(s, i)))
            return false;
    }
    return true;
}

static void sort_by_object(const struct sorting *s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        s->entries[i] = (struct sortable){(uint64_t)s->operations[i].key, i};
    if (s->model->is_partitioned)
        sort_by_key(s->entries, s->other, n);
}

/* Where the operations of the object at `from` end. */
static size_t end_of_object(const struct sorting *s, size_t from, size_t n)
{
    size_t to = from + 1;

    while (to < n && (!s->model->is_partitioned || op_at(s, to)->key == op_at(s, from)->key))
        to++;
    return to;
}

static void add_object(struct partition *partition, const struct sorting *s, size_t from, size_t to)
{
    partition->starts[partition->n++] = (uint32_t)from;
    if (!is_by_value(s, from, to))
        return;
    for (size_t i = from; i < to; i++)
        s->entries[i].key = (uint64_t)op_at(s, i)->argument[0];
    sort_by_key(s->entries + from, s->other, to - from);
    for (size_t i = from + 1; i < to; i++) {
        if (s->entries[i].key != s->entries[i - 1].key)
            partition->starts[partition->n++] = (uint32_t)i;
    }
}

int partition_init(struct partition *partition, const struct sn_model *model,
                   const struct sn_operation *operations, size_t n, struct pool *pool)
{
    struct sorting s = {.model = model, .operations = operations};
    struct pool_mark mark;
    size_t to;

    *partition = (struct partition){0};
    partition->index = pool_alloc(pool, (n + 1) * sizeof(*partition->index));
    partition->starts = pool_alloc(pool, (n + 2) * sizeof(*partition->starts));
    mark = pool_mark(pool);
    s.entries = pool_alloc(pool, (n + 1) * sizeof(*s.entries));
    s.other = pool_alloc(pool, (n + 1) * sizeof(*s.other));
    if (partition->index == NULL || partition->starts == NULL || s.entries == NULL ||
        s.other == NULL)
        return SN_ENOMEM;
    sort_by_object(&s, n);
    for (size_t from = 0; from < n; from = to) {
        to = end_of_object(&s, from, n);
        add_object(partition, &s, from, to);
    }
    for (size_t i = 0; i < n; i++)
        partition->index[i] = (uint32_t)s.entries[i].index;
    partition->starts[partition->n] = (uint32_t)n;
    pool_return(pool, mark);
    return 0;
}
