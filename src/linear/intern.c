/* intern.c - see intern.h. SPDX-License-Identifier: MIT */
#include "linear/intern.h"

#include <string.h>

enum { TABLE_FIRST = 64 };

void intern_init(struct intern *intern, struct pool *pool)
{
    *intern = (struct intern){.pool = pool};
}

void intern_done(struct intern *intern)
{
    grown_done(&intern->bytes, intern->pool);
    grown_done(&intern->items, intern->pool);
    grown_done(&intern->table, intern->pool);
}

static uint32_t hash_bytes(const void *piece, size_t size)
{
    const char *bytes = piece;
    uint64_t hash = size;
    uint64_t word = 0;

    for (; size >= sizeof(word); size -= sizeof(word), bytes += sizeof(word)) {
        memcpy(&word, bytes, sizeof(word));
        hash = intern_mix(hash, word);
    }
    if (size > 0) {
        word = 0;
        memcpy(&word, bytes, size);
        hash = intern_mix(hash, word);
    }
    hash = intern_mix(hash, hash >> 32);
    return (uint32_t)(hash >> 16);
}

static bool is_alike(const struct intern *intern, uint32_t number, const void *piece, size_t size)
{
    if (intern->equal != NULL)
        return intern->equal(intern_at(intern, number), piece);
    return intern_size(intern, number) == size &&
           memcmp(intern_at(intern, number), piece, size) == 0;
}

/* The place in the table of an equal piece, or where it would be. */
static size_t find(const struct intern *intern, uint32_t hash, const void *piece, size_t size)
{
    const uint32_t *table = intern->table.base;
    const struct intern_item *items = intern->items.base;
    size_t place = hash & (intern->table_size - 1);

    while (table[place] != 0) {
        uint32_t number = table[place] - 1;

        if (items[number].hash == hash && is_alike(intern, number, piece, size))
            break;
        place = (place + 1) & (intern->table_size - 1);
    }
    return place;
}

static bool grow_table(struct intern *intern)
{
    size_t size = intern->table_size == 0 ? TABLE_FIRST : 2 * intern->table_size;
    const struct intern_item *items = intern->items.base;
    uint32_t *table;

    if (!grown_reserve(&intern->table, intern->pool, size * sizeof(*table)))
        return false;
    table = intern->table.base;
    memset(table, 0, size * sizeof(*table));
    for (uint32_t i = 0; i < intern->n; i++) {
        size_t place = items[i].hash & (size - 1);

        while (table[place] != 0)
            place = (place + 1) & (size - 1);
        table[place] = i + 1;
    }
    intern->table_size = size;
    return true;
}

uint32_t intern_add(struct intern *intern, const void *piece, size_t size)
{
    uint32_t hash = intern->hash != NULL ? (uint32_t)intern_mix(0, intern->hash(piece))
                                         : hash_bytes(piece, size);
    size_t place = 0;
    struct intern_item *items;

    if (intern->table_size > 0) {
        place = find(intern, hash, piece, size);
        if (((uint32_t *)intern->table.base)[place] != 0)
            return ((uint32_t *)intern->table.base)[place] - 1;
    }
    if (intern->n >= INTERN_NONE - 1 || size > UINT32_MAX ||
        !grown_reserve(&intern->items, intern->pool, (intern->n + 1) * sizeof(*items)) ||
        !grown_reserve(&intern->bytes, intern->pool, intern->bytes_used + size + 16))
        return INTERN_NONE;
    if (2 * (size_t)intern->n >= intern->table_size) {
        if (!grow_table(intern))
            return INTERN_NONE;
        place = find(intern, hash, piece, size);
    }
    items = intern->items.base;
    items[intern->n] = (struct intern_item){intern->bytes_used, (uint32_t)size, hash};
    memcpy((char *)intern->bytes.base + intern->bytes_used, piece, size);
    intern->bytes_used += (size + 15) / 16 * 16;
    ((uint32_t *)intern->table.base)[place] = intern->n + 1;
    return intern->n++;
}
