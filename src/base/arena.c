/* arena.c - see arena.h. SPDX-License-Identifier: MIT */
#include "base/arena.h"

#include "base/err.h"

#include <stdalign.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

enum {
    CHUNK_MIN = 64 * 1024,
    CHUNK_GROWTH_MAX = 16 * 1024 * 1024, /* chunks double up to here */
    PAGE = 4096, /* mappings are rounded up to it; larger pages do no harm */
};

/* At the start of each mapping. */
struct arena_chunk {
    struct arena_chunk *next;
    size_t size;  /* of the mapping, this header included */
    size_t dirty; /* bytes from the start that were handed out before the last clear */
};

static const size_t header_size =
    (sizeof(struct arena_chunk) + alignof(max_align_t) - 1) & ~(alignof(max_align_t) - 1);

static int add_chunk(struct arena *arena, size_t n);
static void *take(struct arena *arena, size_t n, size_t align);

void arena_init(struct arena *arena, size_t limit)
{
    *arena = (struct arena){.limit = limit};
}

void arena_done(struct arena *arena)
{
    struct arena_chunk *chunk = arena->chunks;

    while (chunk != NULL) {
        struct arena_chunk *next = chunk->next;

        (void)munmap(chunk, chunk->size);
        chunk = next;
    }
    arena_init(arena, arena->limit);
}

void arena_clear(struct arena *arena)
{
    struct arena_chunk *largest = arena->chunks;
    struct arena_chunk *chunk = arena->chunks;

    if (chunk == NULL)
        return;
    chunk->dirty = chunk->dirty > arena->used ? chunk->dirty : arena->used;
    for (; chunk != NULL; chunk = chunk->next) {
        if (chunk != arena->chunks)
            chunk->dirty = chunk->size;
        if (chunk->size > largest->size)
            largest = chunk;
    }
    chunk = arena->chunks;
    while (chunk != NULL) {
        struct arena_chunk *next = chunk->next;

        if (chunk != largest)
            (void)munmap(chunk, chunk->size);
        chunk = next;
    }
    largest->next = NULL;
    arena->chunks = largest;
    arena->mapped = largest->size;
    arena->used = header_size;
}

void *arena_alloc(struct arena *arena, size_t n)
{
    return take(arena, n, alignof(max_align_t));
}

void *arena_array(struct arena *arena, size_t count, size_t size)
{
    size_t n;

    if (__builtin_mul_overflow(count, size, &n))
        return NULL;
    return arena_alloc(arena, n);
}

char *arena_copy(struct arena *arena, const char *bytes, size_t n)
{
    char *copy = n == SIZE_MAX ? NULL : take(arena, n + 1, 1);

    if (copy != NULL && n > 0)
        memcpy(copy, bytes, n);
    return copy;
}

static void *take(struct arena *arena, size_t n, size_t align)
{
    struct arena_chunk *chunk = arena->chunks;
    size_t at = (arena->used + align - 1) & ~(align - 1);

    if (chunk == NULL || at > chunk->size || n > chunk->size - at) {
        if (add_chunk(arena, n) < 0)
            return NULL;
        chunk = arena->chunks;
        at = arena->used;
    }
    sn_check(at >= header_size);
    sn_check(n <= chunk->size - at);
    arena->used = at + n;
    if (at < chunk->dirty)
        memset((char *)chunk + at, 0, n < chunk->dirty - at ? n : chunk->dirty - at);
    return (char *)chunk + at;
}

/* Maps a chunk with room for n bytes. Returns 0, or -1 with the arena unchanged. */
static int add_chunk(struct arena *arena, size_t n)
{
    size_t size = arena->chunks == NULL ? CHUNK_MIN : arena->chunks->size * 2;
    size_t left = arena->limit == 0 ? SIZE_MAX : arena->limit - arena->mapped;
    size_t need;
    void *memory;

    if (n > SIZE_MAX - header_size - PAGE)
        return -1;
    need = (n + header_size + PAGE - 1) & ~(size_t)(PAGE - 1);
    if (size > CHUNK_GROWTH_MAX)
        size = CHUNK_GROWTH_MAX;
    if (size > left)
        size = left & ~(size_t)(PAGE - 1);
    if (size < need)
        size = need;
    if (size > left)
        return -1;
    memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return -1;
    *(struct arena_chunk *)memory = (struct arena_chunk){.next = arena->chunks, .size = size};
    arena->chunks = memory;
    arena->mapped += size;
    arena->used = header_size;
    return 0;
}
