/* heap.h - the heap of the program under test, in a region at a fixed address.
 *
 * Equal states should have equal bytes, in every trial and every process: each task has a sub-arena
 * of its own, so that what one task allocates does not depend on how far another one got; free
 * lists are in order of address; blocks are filled when they are handed out and cleared when they
 * come back. Blocks above 1 MiB come from a part shared by all tasks, start on a page of zeros, and
 * give their pages back when they are freed.
 *
 *     region: [large runs][state][arena 0][arena 1]...[stack 0][stack 1]...[the loader's arena]
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ENGINE_WORLD_HEAP_H
#define ENGINE_WORLD_HEAP_H

#include "engine/world/root.h"

enum {
    HEAP_CLASSES = 59,
    HEAP_BLOCK_MAX = 1 << 20, /* bytes of the largest class, header included */
    HEAP_PAGE = 4096,
};

/* The start of an arena. Offsets count from the arena's address; 0 means none. */
struct heap_arena {
    uint32_t top;  /* nothing above was ever handed out in this state of the world */
    uint32_t more; /* the arena that continues this one when it is full */
    uint32_t free[HEAP_CLASSES];
};

/* What all tasks share. */
struct heap_state {
    uint32_t extensions;  /* arenas used to continue others */
    uint32_t large_pages; /* of `large`, in use */
};

/* Which task's sub-arena malloc uses from now on; 0 is the program's own setup. */
static inline void heap_enter(uint32_t task)
{
    world_root.heap.task = task;
}

/* The malloc family. `caller` is the return address: what the loader allocates stays outside of the
 * world, because the loader's own data does. NULL with errno set if there is no memory. */
void *heap_alloc(size_t size, const void *caller);
void *heap_zeroed(size_t count, size_t size, const void *caller);
void *heap_aligned(size_t alignment, size_t size, const void *caller);
void *heap_resize(void *block, size_t size, const void *caller);
void heap_free(void *block, const void *caller);
size_t heap_usable(const void *block);

/* A stack of a task: its lowest usable byte, below which lies a guard page; *size receives its
 * length. It has `wanted` bytes, or as many as there can be. Each task has a wide one and a narrow
 * one. Those that are narrow lie close together: with thousands, it is the pages that describe
 * where their pages are that no cache has room for. NULL if the task's number is too high or the
 * kernel refuses. */
void *heap_stack(uint32_t task, size_t wanted, size_t *size);

/* The number of the stack that an address in the region belongs to, plus 1; 0: it is in none. */
uint32_t heap_stack_number(const void *address);

/* The lowest usable byte of the stack with a number, from 0; *size receives its length. */
unsigned char *heap_stack_low(uint32_t number, size_t *size);

/* Calls `each` with every block of the world that is in use, in order of address: what malloc
 * returned, or less for an aligned block, and its usable size. False: the heap is damaged. */
bool heap_visit(void (*each)(void *self, void *block, size_t size), void *self);

/* Reserves the region if nobody has yet. False: there is no address space. */
bool heap_init(void);

/* Called when the program frees what it must not, or has overwritten the heap's own data. The
 * default prints the sentence and aborts; it may be replaced by a strong definition. When it
 * returns, the call that found out does nothing (and returns NULL). */
void heap_broken(const char *what);

/* Called when the region has grown beyond its limit. Like heap_broken it may be replaced and need
 * not return; when it does, the block is handed out all the same. */
void heap_exhausted(void);

/* Bytes that the heap has taken, apart from the first arena of each task. */
static inline uint64_t heap_extent(void)
{
    const struct heap_root *heap = &world_root.heap;

    return (uint64_t)heap->state->large_pages * HEAP_PAGE +
           ((uint64_t)heap->state->extensions << heap->arena_shift);
}

/* Whether p lies in the part of the region that a restore puts back. */
static inline bool heap_holds(const void *p)
{
    const struct heap_root *heap = &world_root.heap;

    return (const unsigned char *)p >= heap->base && (const unsigned char *)p < heap->outside;
}

static inline struct heap_arena *heap_arena_at(unsigned char *start, uint32_t index)
{
    /* Arenas start at different lines of the cache, or sixteen of them would share one set. */
    return (struct heap_arena *)(start + (size_t)(index % 32) * 320);
}

/* How far what lies at a fixed address is moved: whole pages here, the rest within each arena. */
static inline uintptr_t heap_shift(void)
{
    return world_root.heap.shift & ~(uintptr_t)(HEAP_PAGE - 1);
}

static inline uint32_t heap_index_of(const void *p)
{
    const struct heap_root *heap = &world_root.heap;

    return (uint32_t)((size_t)((const unsigned char *)p - heap->arenas) >> heap->arena_shift);
}

static inline unsigned char *heap_start_of(uint32_t index)
{
    return world_root.heap.arenas + ((uintptr_t)index << world_root.heap.arena_shift);
}

#endif
