/* heap.c - the library's memory: counted for each server, and spoilt when it is freed.
 *
 * All of it comes from malloc, and so from the world, which puts it back between trials. The
 * counters are part of the world, too. What is freed is overwritten first, so that whoever goes on
 * using it does not get away with it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "heap.h"

#include "machines.h"

#include <malloc.h>
#include <raft.h>
#include <stdlib.h>
#include <string.h>

enum { SPOILT = 0xdb };

static int64_t blocks[SERVERS_MAX + 1];
static uint32_t running;

static void *count(void *p)
{
    if (p != NULL)
        blocks[running]++;
    return p;
}

static void *heap_malloc(void *data, size_t size)
{
    (void)data;
    return count(malloc(size));
}

static void heap_free(void *data, void *p)
{
    (void)data;
    if (p == NULL)
        return;
    blocks[running]--;
    memset(p, SPOILT, malloc_usable_size(p));
    free(p);
}

static void *heap_calloc(void *data, size_t n, size_t size)
{
    (void)data;
    return count(calloc(n, size));
}

static void *heap_realloc(void *data, void *p, size_t size)
{
    (void)data;
    return p == NULL ? count(realloc(NULL, size)) : realloc(p, size);
}

static void *heap_aligned_alloc(void *data, size_t alignment, size_t size)
{
    (void)data;
    return count(aligned_alloc(alignment, size));
}

static void heap_aligned_free(void *data, size_t alignment, void *p)
{
    (void)alignment;
    heap_free(data, p);
}

void heap_install(void)
{
    static struct raft_heap heap = {
        .malloc = heap_malloc,
        .free = heap_free,
        .calloc = heap_calloc,
        .realloc = heap_realloc,
        .aligned_alloc = heap_aligned_alloc,
        .aligned_free = heap_aligned_free,
    };

    raft_heap_set(&heap);
}

void heap_enter(uint32_t server)
{
    running = server;
}

void heap_begin(uint32_t server)
{
    running = server;
    blocks[server] = 0;
}

int64_t heap_blocks(uint32_t server)
{
    return blocks[server];
}
