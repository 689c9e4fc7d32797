/* memory.h - memory that is no part of the world, straight from the kernel.
 *
 * The world's own tables and snapshots live here: not in the heap, not in libc.
 * SPDX-License-Identifier: MIT
 */
#ifndef ENGINE_WORLD_MEMORY_H
#define ENGINE_WORLD_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A stack of bytes in reserved address space: grows and shrinks at its end, never moves. */
struct pile {
    unsigned char *base;
    size_t size; /* address space */
    size_t used;
    size_t touched; /* highest `used` since pages were last given back */
};

/* Zeroed pages, of which only what is touched takes memory. NULL if there is no address space. */
void *memory_reserve(size_t bytes);
void memory_release(void *p, size_t bytes);

/* How much address space the process may have; SIZE_MAX if there is no limit. */
size_t memory_limit(void);

/* Reserves most_bytes, or less, down to 1 MiB, if address space is limited. */
bool pile_init(struct pile *pile, size_t most_bytes);
void pile_done(struct pile *pile);

/* Bytes at the end of the pile, at an address that is a multiple of 64; NULL if it is full. */
void *pile_push(struct pile *pile, size_t bytes);

/* Back to an earlier `used`. Much memory is given back, little is kept for the next push. */
void pile_pop(struct pile *pile, size_t used);

/* How many bytes from p on are 0; where others follow, it may be up to 127 fewer than there are. */
size_t memory_zeros(const void *p, size_t bytes);

static inline bool memory_is_zero(const void *p, size_t bytes)
{
    return memory_zeros(p, bytes) == bytes;
}

/* Address of the loader; 0 in a static program. */
uintptr_t memory_loader(void);

/* The process is run by valgrind, which replaces malloc. */
bool memory_on_valgrind(void);

/* Tells valgrind of a stack that is not the process's own. Nothing happens elsewhere. */
void memory_tell_stack(const void *low, const void *top);

#endif
