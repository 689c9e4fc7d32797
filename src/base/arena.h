/* arena.h - memory that grows, is never given back piecemeal, and dies all at once.
 *
 * It comes from mappings of its own, not from malloc: the world puts libc's heap back between
 * trials, and what the library remembers must survive that. A limit bounds what a hostile input can
 * make it take. SPDX-License-Identifier: MIT
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

struct arena_chunk;

/* Zeroed is an empty arena without a limit. */
struct arena {
    struct arena_chunk *chunks; /* the newest first; it is the one that is being filled */
    size_t used;                /* bytes of the newest chunk that are taken */
    size_t mapped;              /* bytes of all mappings */
    size_t limit;               /* `mapped` stays at or below it; 0 means none */
};

void arena_init(struct arena *arena, size_t limit);

/* Gives back all memory. The arena is empty afterwards and keeps its limit. */
void arena_done(struct arena *arena);

/* Makes all memory available again, zeroed when it is handed out; keeps the largest mapping, so
 * that an arena that is filled and cleared in turn does not call the kernel. */
void arena_clear(struct arena *arena);

/* n zeroed bytes, aligned for any type; n may be 0. NULL if the limit or the machine's memory is
 * exhausted; the arena is unchanged then. */
void *arena_alloc(struct arena *arena, size_t n);

/* count * size zeroed bytes, NULL also if the product overflows. */
void *arena_array(struct arena *arena, size_t count, size_t size);

/* A copy of n bytes with a zero byte behind them, or NULL. */
char *arena_copy(struct arena *arena, const char *bytes, size_t n);

#endif
