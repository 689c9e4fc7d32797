/* large.h - runs of pages for blocks that no arena can serve.
 *
 * All runs, used and free, form one list in order of address; neighbours that are free are joined.
 * The pages of a free run belong to the kernel again, and a new run reads as zeros.
 * SPDX-License-Identifier: MIT
 */
#ifndef ENGINE_WORLD_LARGE_H
#define ENGINE_WORLD_LARGE_H

#include "engine/world/block.h"
#include "engine/world/heap.h"

/* Fills the first bytes of a run; the payload follows. */
struct run {
    uint32_t pages;
    uint32_t before; /* pages of the run before; 0: this is the first */
    uint32_t is_free;
    uint32_t check;
    uint64_t unused[4]; /* puts the payload on a line of the cache */
    struct block block;
};

/* NULL if there is no room; *broken is set when the list is overwritten. */
void *large_alloc(size_t size, const char **broken);

/* b is the header of a used block. Returns NULL, or what is wrong. */
const char *large_free(struct block *b);

/* Makes the run longer or shorter where it is. False: it cannot. */
bool large_resize(struct block *b, size_t size);

/* As heap_visit, for these. */
bool large_visit(void (*each)(void *self, void *block, size_t size), void *self);

size_t large_usable(const struct block *b);

#endif
