/* reach.c - see reach.h. SPDX-License-Identifier: MIT */
#include "engine/world/reach.h"

#include "engine/fiber.h"
#include "engine/world/check.h"
#include "engine/world/heap.h"
#include "engine/world/memory.h"

#include <sennit/test.h>
#include <string.h>

enum { BLOCKS_MOST = 1 << 24 };

/* The loader's: where the stack of the process begins. */
extern void *__libc_stack_end;

int reach_init(struct reach *r, const void *stack, struct err *why)
{
    struct err cause = {""};
    int rc = check_process(&cause);

    *r = (struct reach){.stack = stack};
    if (rc < 0)
        return err_set(why, SN_EINVAL, "leaks cannot be looked for: %s", cause.text);
    r->blocks = memory_reserve(BLOCKS_MOST * sizeof(*r->blocks));
    r->queue = memory_reserve(BLOCKS_MOST * sizeof(*r->queue));
    r->old = memory_reserve(BLOCKS_MOST * sizeof(*r->old));
    if (r->blocks == NULL || r->queue == NULL || r->old == NULL || !spans_init(&r->variables)) {
        reach_done(r);
        return err_set(why, SN_ENOMEM, "there is no address space to look for leaks");
    }
    rc = spans_collect(&r->variables, why);
    if (rc < 0)
        reach_done(r);
    return rc;
}

void reach_done(struct reach *r)
{
    if (r->variables.at != NULL)
        spans_done(&r->variables);
    memory_release(r->old, BLOCKS_MOST * sizeof(*r->old));
    memory_release(r->queue, BLOCKS_MOST * sizeof(*r->queue));
    memory_release(r->blocks, BLOCKS_MOST * sizeof(*r->blocks));
    *r = (struct reach){0};
}

/* ---- Blocks --------------------------------------------------------------------------------- */

static void add_old(void *self, void *block, size_t size)
{
    struct reach *r = self;

    (void)size;
    if (r->n_old < BLOCKS_MOST)
        r->old[r->n_old++] = block;
}

void reach_begin(struct reach *r)
{
    r->n_old = 0;
    (void)heap_visit(add_old, r);
}

static void add_block(void *self, void *block, size_t size)
{
    struct reach *r = self;

    if (r->n < BLOCKS_MOST)
        r->blocks[r->n++] = (struct reach_block){.start = block, .size = size};
}

/* Both lists are in the same order. */
static void mark_old(struct reach *r)
{
    uint32_t old = 0;

    for (uint32_t i = 0; i < r->n; i++) {
        while (old < r->n_old && (const unsigned char *)r->old[old] < r->blocks[i].start)
            old++;
        r->blocks[i].is_old = old < r->n_old && r->old[old] == r->blocks[i].start;
    }
}

/* The block that a value points into; NULL: none. */
static struct reach_block *block_at(const struct reach *r, uintptr_t value)
{
    uint32_t low = 0;
    uint32_t high = r->n;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if ((uintptr_t)r->blocks[middle].start <= value)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || value - (uintptr_t)r->blocks[low - 1].start >= r->blocks[low - 1].size)
        return NULL;
    return &r->blocks[low - 1];
}

/* ---- Pointers ------------------------------------------------------------------------------- */

static void reach_block(struct reach *r, struct reach_block *block)
{
    if (block->is_reached)
        return;
    block->is_reached = true;
    r->queue[r->n_queue++] = (uint32_t)(block - r->blocks);
}

static __attribute__((no_sanitize("address"))) void look(struct reach *r, const void *start,
                                                         size_t size)
{
    uintptr_t at = ((uintptr_t)start + 7) & ~(uintptr_t)7;
    uintptr_t end = (uintptr_t)start + size;

    for (; at + sizeof(uintptr_t) <= end; at += sizeof(uintptr_t)) {
        uintptr_t value = *(const uintptr_t *)at;
        struct reach_block *block = heap_holds((const void *)value) ? block_at(r, value) : NULL;

        if (block != NULL)
            reach_block(r, block);
    }
}

void reach_from(struct reach *r, const void *start, size_t size)
{
    look(r, start, size);
    while (r->n_queue > 0) {
        const struct reach_block *block = &r->blocks[r->queue[--r->n_queue]];

        look(r, block->start, block->size);
    }
}

static void reach_from_fibers(struct reach *r)
{
    const struct heap_root *heap = &world_root.heap;

    for (uint32_t i = 0; i < heap->fibers_count; i++) {
        const struct fiber *f = heap->fibers[i];

        if (!f->has_ended)
            reach_from(r, f->sp, (size_t)(f->low + f->size - (const unsigned char *)f->sp));
    }
}

bool reach_find(struct reach *r)
{
    const struct heap_root *heap = &world_root.heap;
    const unsigned char *stack_end = __libc_stack_end;

    r->n = 0;
    r->n_queue = 0;
    if (!heap_visit(add_block, r))
        return false;
    mark_old(r);
    for (uint32_t i = 0; i < r->n; i++) {
        if (r->blocks[i].is_old)
            reach_block(r, &r->blocks[i]);
    }
    for (size_t i = 0; i < r->variables.count; i++)
        reach_from(r, r->variables.at[i].start, r->variables.at[i].size);
    reach_from(r, heap->outside, ((const struct heap_arena *)heap->outside)->top);
    if ((const unsigned char *)r->stack < stack_end)
        reach_from(r, r->stack, (size_t)(stack_end - (const unsigned char *)r->stack));
    reach_from_fibers(r);
    return true;
}
