/* reach.h - which blocks of the heap can still be reached, by looking at all memory for what might
 * be a pointer to them.
 *
 * Everything that looks like a pointer counts as one, into the middle of a block as well, so that
 * nothing that is in use is ever taken for lost; what only seems to be pointed to is missed. Where
 * pointers can be is everything in the world (world.h), what was allocated before, the stack of
 * whoever started the run, and what the caller adds. SPDX-License-Identifier: MIT
 */
#ifndef ENGINE_WORLD_REACH_H
#define ENGINE_WORLD_REACH_H

#include "base/err.h"
#include "engine/world/spans.h"

/* The stack from the frame of this function's caller on up, whether or not this one is inlined. */
#define REACH_CALLER ((const char *)__builtin_frame_address(0) + 2 * sizeof(void *))

struct reach_block {
    const unsigned char *start;
    size_t size;
    bool is_old;
    bool is_reached;
};

struct reach {
    struct reach_block *blocks; /* sorted by address */
    uint32_t n;
    uint32_t *queue; /* reached, but not looked at yet */
    uint32_t n_queue;
    const void **old; /* in use when reach_begin was called, sorted */
    uint32_t n_old;
    struct spans variables;
    const void *stack; /* from here on up nothing changes while trials run */
};

/* From `stack` on up nothing changes on the stack until the last use: REACH_CALLER, in a function
 * whose caller does not return before. 0; SN_EINVAL with a
 * sentence if the heap is not Sennit's; or SN_ENOMEM. */
int reach_init(struct reach *r, const void *stack, struct err *why);
void reach_done(struct reach *r);

/* Blocks that are in use now are not asked for. */
void reach_begin(struct reach *r);

/* Lists the blocks and finds those that can be reached from the world. False: the heap is damaged,
 * and nothing can be said. */
bool reach_find(struct reach *r);

/* Adds what can be reached from a range of memory. */
void reach_from(struct reach *r, const void *start, size_t size);

#endif
