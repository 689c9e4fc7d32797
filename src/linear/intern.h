/* intern.h - gives equal pieces of bytes the same small number: states, and sets of operations.
 * SPDX-License-Identifier: MIT
 */
#ifndef LINEAR_INTERN_H
#define LINEAR_INTERN_H

#include "linear/pool.h"

#define INTERN_NONE UINT32_MAX

struct intern {
    struct pool *pool;
    struct grown bytes;
    struct grown items; /* struct intern_item, by number */
    struct grown table; /* uint32_t: number + 1, or 0; open addressing, a power of two */
    size_t bytes_used;
    size_t table_size;
    uint32_t n;
    /* Whether two pieces are alike, and their hash; NULL: by their bytes. */
    bool (*equal)(const void *a, const void *b);
    uint64_t (*hash)(const void *piece);
};

struct intern_item {
    uint64_t offset;
    uint32_t size;
    uint32_t hash;
};

/* Set equal and hash afterwards if wanted. */
void intern_init(struct intern *intern, struct pool *pool);
void intern_done(struct intern *intern);

/* The number of these bytes; INTERN_NONE: no memory. */
uint32_t intern_add(struct intern *intern, const void *piece, size_t size);

/* Whose address is valid until something is added. Aligned to 16. */
static inline void *intern_at(const struct intern *intern, uint32_t number)
{
    const struct intern_item *items = intern->items.base;

    return (char *)intern->bytes.base + items[number].offset;
}

static inline size_t intern_size(const struct intern *intern, uint32_t number)
{
    return ((const struct intern_item *)intern->items.base)[number].size;
}

static inline uint64_t intern_mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ (hash >> 29);
}

#endif
