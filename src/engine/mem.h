/* mem.h - the engine's own memory: mappings that no trial can reach through its own objects.
 *
 * The engine keeps nothing in libc, in the heap or in globals, because those belong to the world
 * and are rolled back. It reserves address space generously instead and lets the kernel provide
 * pages as they are touched, so that nothing ever moves or grows. SPDX-License-Identifier: MIT
 */
#ifndef ENGINE_MEM_H
#define ENGINE_MEM_H

#include "base/err.h"

#include <stddef.h>

/* How generous reservations are: each is at most its full size shifted right by this. Emulators,
 * under which other processors than x86-64 are tested, pay for address space with memory. */
#if defined(__x86_64__)
enum { MEM_SAVING_SHIFT = 0 };
#else
enum { MEM_SAVING_SHIFT = 5 };
#endif

/* Zeroed pages shared with forked children, so that a trial run in a child leaves its log, its
 * verdict and the strategy's state to the parent. NULL with a sentence in *why. */
void *mem_reserve_shared(size_t bytes, struct err *why);

/* Zeroed private pages at a fixed address, so that pointers into them are the same in every
 * process; elsewhere if that address is taken. NULL with a sentence in *why. */
void *mem_reserve_at(void *address, size_t bytes, struct err *why);

/* Makes memory that mem_reserve_shared has given, all of it, zeroed again, for everybody. */
void mem_clear(void *memory, size_t bytes);

void mem_release(void *memory, size_t bytes);

#endif
