/* block.h - the header before each block of the heap.
 *
 * 16 bytes with a check word that depends on the address and on the rest of the header, so that a
 * block freed twice, a pointer that malloc never returned and an overwritten header are told from a
 * good one. SPDX-License-Identifier: MIT
 */
#ifndef ENGINE_WORLD_BLOCK_H
#define ENGINE_WORLD_BLOCK_H

#include "base/rng.h"

#include <stdbool.h>
#include <stdint.h>

enum block_kind {
    BLOCK_USED = 1, /* value: the size that was asked for */
    BLOCK_FREE,     /* value: offset in the arena of the next free block of the class */
    BLOCK_ALIGNED,  /* stands before an aligned address inside of a block; value: distance back */
    BLOCK_LARGE,    /* payload of a run; value: the size that was asked for */
};

struct block {
    uint32_t check;
    uint32_t info; /* kind, and class << 8 */
    uint64_t value;
};

static inline uint32_t block_check(const struct block *b)
{
    uint64_t x = (uint64_t)(uintptr_t)b ^ ((uint64_t)b->info << 48) ^ (b->value << 20);

    return (uint32_t)(mix64(x) >> 32);
}

static inline void block_set(struct block *b, enum block_kind kind, uint32_t class, uint64_t value)
{
    b->info = (uint32_t)kind | class << 8;
    b->value = value;
    b->check = block_check(b);
}

static inline bool block_is(const struct block *b, enum block_kind kind)
{
    return (b->info & 0xff) == (uint32_t)kind && b->check == block_check(b);
}

static inline uint32_t block_class(const struct block *b)
{
    return b->info >> 8;
}

#endif
