/* pool.h - the memory of a check: arrays that grow, and pieces that live as long as an object is
 * looked at.
 *
 * All of it counts against one limit, which a hostile history cannot exceed. Small checks, of which
 * there may be one after every trial, make do with memory of the caller's and take none from the
 * system; larger ones with a mapping that is used again for each object.
 * SPDX-License-Identifier: MIT
 */
#ifndef LINEAR_POOL_H
#define LINEAR_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { POOL_BLOCKS = 2 };

struct pool {
    struct pool_block {
        char *base; /* NULL: not mapped yet */
        size_t size;
        size_t used;
    } blocks[POOL_BLOCKS]; /* the caller's, and a mapping */
    size_t mapped;         /* bytes of all mappings */
    size_t limit;          /* `mapped` stays at or below it */
    struct piece *more;    /* mappings of pieces that did not fit */
};

/* An array that grows. Zeroed is an empty one. */
struct grown {
    void *base;
    size_t size; /* bytes */
    bool is_own; /* has a mapping of its own, else it lies in the pool's blocks */
};

/* Uses `size` bytes at `memory`, aligned to 16, before anything else. */
void pool_init(struct pool *pool, size_t limit, void *memory, size_t size);
void pool_done(struct pool *pool);

/* Uses no other memory than these bytes, and never asks the system for any. */
void pool_init_within(struct pool *pool, void *memory, size_t size);

/* Bytes that are taken, from the caller's memory and from the system. */
size_t pool_used(const struct pool *pool);

/* n zeroed bytes, aligned to 16. NULL: over the limit. */
void *pool_alloc(struct pool *pool, size_t n);

/* Takes back all that pool_alloc has given since the mark was taken. */
struct pool_mark {
    size_t used[POOL_BLOCKS];
    struct piece *more;
};
struct pool_mark pool_mark(const struct pool *pool);
void pool_return(struct pool *pool, struct pool_mark mark);

/* Makes room for at least n bytes; what is new is zeroed. False: over the limit; the array is as
 * it was then. */
bool grown_reserve(struct grown *array, struct pool *pool, size_t n);
void grown_done(struct grown *array, struct pool *pool);

#endif
