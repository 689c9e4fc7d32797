/* heap.h - the library's memory: counted for each server, and spoilt when it is freed.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef LIBRAFT_HEAP_H
#define LIBRAFT_HEAP_H

#include <stdint.h>

/* Makes the library use this heap: once, before the first trial. */
void heap_install(void);

/* The server whose code runs from now on. */
void heap_enter(uint32_t server);

/* A server begins with nothing: what it had when it crashed is forgotten. */
void heap_begin(uint32_t server);

/* Blocks that a server has got and not given back. */
int64_t heap_blocks(uint32_t server);

#endif
