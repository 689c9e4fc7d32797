/* pool.c - see pool.h. SPDX-License-Identifier: MIT */
#include "linear/pool.h"

#include <string.h>
#include <sys/mman.h>

#define BLOCK_BYTES ((size_t)1 << 20)
#define PAGE_BYTES ((size_t)4096)
/* An array that is larger than this part of a block gets a mapping of its own. */
#define SMALL_BYTES (BLOCK_BYTES / 16)

struct piece {
    struct piece *next;
    size_t size;
};

static size_t round_up(size_t n, size_t to)
{
    return (n + to - 1) / to * to;
}

static void *map(struct pool *pool, size_t bytes)
{
    void *memory;

    if (bytes > pool->limit - pool->mapped)
        return NULL;
    memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                  -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    pool->mapped += bytes;
    return memory;
}

static void unmap(struct pool *pool, void *memory, size_t bytes)
{
    (void)munmap(memory, bytes);
    pool->mapped -= bytes;
}

void pool_init(struct pool *pool, size_t limit, void *memory, size_t size)
{
    *pool = (struct pool){.limit = limit < 2 * BLOCK_BYTES ? 2 * BLOCK_BYTES : limit};
    pool->blocks[0] = (struct pool_block){.base = memory, .size = size};
}

void pool_init_within(struct pool *pool, void *memory, size_t size)
{
    *pool = (struct pool){.blocks[0] = {.base = memory, .size = size}};
}

size_t pool_used(const struct pool *pool)
{
    return pool->blocks[0].used + pool->mapped;
}

void pool_done(struct pool *pool)
{
    pool_return(pool, (struct pool_mark){0});
    if (pool->blocks[1].base != NULL)
        unmap(pool, pool->blocks[1].base, BLOCK_BYTES);
    *pool = (struct pool){0};
}

static void *piece_alloc(struct pool *pool, size_t n)
{
    size_t bytes = round_up(n + 16, PAGE_BYTES);
    struct piece *piece = bytes < n ? NULL : map(pool, bytes);

    if (piece == NULL)
        return NULL;
    piece->size = bytes;
    piece->next = pool->more;
    pool->more = piece;
    return (char *)piece + 16;
}

static void *block_alloc(struct pool_block *block, size_t bytes)
{
    char *memory;

    if (block->base == NULL || bytes > block->size - block->used)
        return NULL;
    memory = block->base + block->used;
    block->used += bytes;
    return memset(memory, 0, bytes);
}

void *pool_alloc(struct pool *pool, size_t n)
{
    size_t bytes = round_up(n, 16);
    struct pool_block *large = &pool->blocks[1];
    void *memory;

    if (bytes < n)
        return NULL;
    memory = block_alloc(&pool->blocks[0], bytes);
    if (memory == NULL && large->base == NULL && bytes <= BLOCK_BYTES) {
        large->base = map(pool, BLOCK_BYTES);
        large->size = large->base == NULL ? 0 : BLOCK_BYTES;
    }
    if (memory == NULL && large->base != NULL)
        memory = block_alloc(large, bytes);
    return memory != NULL ? memory : piece_alloc(pool, n);
}

struct pool_mark pool_mark(const struct pool *pool)
{
    return (struct pool_mark){{pool->blocks[0].used, pool->blocks[1].used}, pool->more};
}

void pool_return(struct pool *pool, struct pool_mark mark)
{
    while (pool->more != mark.more) {
        struct piece *piece = pool->more;

        pool->more = piece->next;
        unmap(pool, piece, piece->size);
    }
    for (size_t i = 0; i < POOL_BLOCKS; i++)
        pool->blocks[i].used = mark.used[i];
}

static bool grow_own(struct grown *array, struct pool *pool, size_t bytes)
{
    void *memory;

    if (bytes - array->size > pool->limit - pool->mapped)
        return false;
    memory = mremap(array->base, array->size, bytes, MREMAP_MAYMOVE);
    if (memory == MAP_FAILED)
        return false;
    pool->mapped += bytes - array->size;
    array->base = memory;
    array->size = bytes;
    return true;
}

bool grown_reserve(struct grown *array, struct pool *pool, size_t n)
{
    size_t bytes = n < 2 * array->size ? 2 * array->size : n;
    void *memory;

    if (n <= array->size)
        return true;
    bytes = round_up(bytes, bytes < PAGE_BYTES ? 64 : PAGE_BYTES);
    if (bytes < n)
        return false;
    if (array->is_own)
        return grow_own(array, pool, bytes);
    array->is_own = bytes > SMALL_BYTES;
    memory = array->is_own ? map(pool, round_up(bytes, PAGE_BYTES)) : NULL;
    if (memory == NULL) {
        array->is_own = false;
        memory = pool_alloc(pool, bytes);
    }
    if (memory == NULL)
        return false;
    if (array->size > 0)
        memcpy(memory, array->base, array->size);
    array->base = memory;
    array->size = array->is_own ? round_up(bytes, PAGE_BYTES) : bytes;
    return true;
}

void grown_done(struct grown *array, struct pool *pool)
{
    if (array->is_own)
        unmap(pool, array->base, array->size);
    *array = (struct grown){0};
}
