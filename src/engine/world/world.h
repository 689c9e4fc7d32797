/* world.h - all memory that a trial may change: save it, and put it back.
 *
 * In the world: the heap and the fibers' stacks (heap.h), and .data, .bss and thread-local
 * variables of the program and of everything it has loaded, libc included, because a program that
 * goes back in time without its libc has a FILE whose buffer was never allocated. Not in the world:
 * the main thread's own stack, on which the engine runs; the loader; mappings that the program
 * makes; and everything in the kernel: descriptors, offsets of files, threads. world_check finds
 * those.
 *
 * Nothing moves, so pointers stay valid. Pending output of stdio is written before a save and lost
 * in a restore. SPDX-License-Identifier: MIT
 */
#ifndef ENGINE_WORLD_WORLD_H
#define ENGINE_WORLD_WORLD_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct world;

/* Once per run, after the program's own setup. Returns 0; or SN_ESYSTEM with a sentence in *why if
 * memory cannot be saved and restored here (a sanitizer or valgrind has replaced malloc, the libc
 * is unknown, there are other threads), or SN_ENOMEM. *out is NULL then. One world at a time. */
int world_open(struct world **out, struct err *why);
void world_close(struct world *w);

/* A stack of snapshots. world_save adds one and numbers it from 0. On failure nothing has changed;
 * *why has a sentence. Must not be called on a fiber's stack, nor must world_restore. */
int world_save(struct world *w, uint32_t *mark, struct err *why);

/* Puts memory back as it was at the mark and forgets the marks above it. The mark stays. */
void world_restore(struct world *w, uint32_t mark);

/* Forgets the mark and those above it. Memory stays as it is. */
void world_drop(struct world *w, uint32_t mark);

/* Before a restore: has the trial done what restoring memory does not undo? 0: no; else it is an
 * enum check_left (check.h), and *why names it. Quick takes some 50 ns and sees threads and loaded
 * objects; the full check sees descriptors and mappings as well, against the state of the first
 * save. */
int world_check(struct world *w, bool quick, struct err *why);

/* Bytes that the last restore copied, or that one to the newest mark would copy at least. */
size_t world_bytes(const struct world *w);

/* What works less well than it could here, as a sentence; "" if nothing does. Owned by the world.
 */
const char *world_note(const struct world *w);

#endif
