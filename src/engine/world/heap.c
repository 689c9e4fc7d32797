/* heap.c - blocks of size classes in the arenas of the tasks. See heap.h.
 *
 * Nothing here may call anything that calls malloc, and nothing is kept outside of the region and
 * the root. SPDX-License-Identifier: MIT
 */
#include "engine/world/heap.h"

#include "engine/world/block.h"
#include "engine/world/large.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/single_threaded.h>
#include <unistd.h>

enum {
    FILL_ALLOC = 0xa5,
    WALK_MAX = 32, /* free blocks passed to keep a list in order of address */
    SMALL_STEP = 16,
    SMALL_MAX = 128,
    SMALL_CLASSES = 7,  /* 32, 48, ... 128 */
    OUTSIDE_SHIFT = 26, /* the loader's arena */
};

static const char head_overwritten[] = "the heap's free lists are overwritten";

static void *arena_alloc(size_t size, int fill, const void *caller, const char **broken);
static struct block *header_of(void *p, const char **broken);
static const char *block_free(struct block *b, const void *caller);

/* ---- locking: only when the process has threads --------------------------------------------- */

/* True if the lock was taken and must be given back. A thread that holds it already (a handler of
 * fork that allocates) passes. */
static bool lock_take(struct heap_root *heap)
{
    uintptr_t self;
    uintptr_t nobody = 0;

    if (__libc_single_threaded)
        return false;
    self = (uintptr_t)pthread_self();
    if (heap->world_is_open && self != heap->owner)
        heap->has_guests = true;
    if (atomic_load_explicit(&heap->lock, memory_order_relaxed) == self)
        return false;
    while (!atomic_compare_exchange_weak_explicit(&heap->lock, &nobody, self, memory_order_acquire,
                                                  memory_order_relaxed)) {
        nobody = 0;
        (void)sched_yield();
    }
    return true;
}

static void lock_give(struct heap_root *heap, bool taken)
{
    if (taken)
        atomic_store_explicit(&heap->lock, 0, memory_order_release);
}

/* A child must not inherit the lock from a thread that it does not have. The thread that forks
 * holds it meanwhile; in the child it has the same address. */
static void before_fork(void)
{
    (void)lock_take(&world_root.heap);
}

static void after_fork(void)
{
    struct heap_root *heap = &world_root.heap;

    if (atomic_load_explicit(&heap->lock, memory_order_relaxed) == (uintptr_t)pthread_self())
        lock_give(heap, true);
}

__attribute__((constructor)) static void watch_forks(void)
{
    (void)pthread_atfork(before_fork, after_fork, after_fork);
}

/* ---- size classes --------------------------------------------------------------------------- */

/* Of a block with its header; total is a multiple of 16 from 32 to HEAP_BLOCK_MAX. Four classes for
 * each doubling. */
static uint32_t class_of(size_t total)
{
    uint32_t log;

    if (total <= SMALL_MAX)
        return (uint32_t)(total / SMALL_STEP) - 2;
    log = 63 - (uint32_t)__builtin_clzll(total - 1);
    return SMALL_CLASSES + (log - 7) * 4 + (uint32_t)((total - 1) >> (log - 2)) - 4;
}

static size_t class_bytes(uint32_t class)
{
    uint32_t k = class - SMALL_CLASSES;

    if (class < SMALL_CLASSES)
        return (size_t)(class + 2) * SMALL_STEP;
    return (size_t)(k % 4 + 5) << (k / 4 + 5);
}

/* ---- the calls ------------------------------------------------------------------------------ */

static void *alloc(size_t size, int fill, const void *caller)
{
    struct heap_root *heap = &world_root.heap;
    const char *broken = NULL;
    void *p = NULL;
    bool taken;

    if (heap->base == NULL && !heap_init()) {
        errno = ENOMEM;
        return NULL;
    }
    taken = lock_take(heap);
    p = arena_alloc(size, fill, caller, &broken);
    lock_give(heap, taken);
    if (broken != NULL)
        heap_broken(broken);
    if (p == NULL)
        errno = ENOMEM;
    else if (heap->told != NULL)
        heap->told(p, caller);
    if (p != NULL && heap->limit != 0 && heap_extent() > heap->limit)
        heap_exhausted();
    return p;
}

void *heap_alloc(size_t size, const void *caller)
{
    uint32_t fill = world_root.heap.fill;

    return alloc(size, fill != 0 ? (int)fill - 1 : FILL_ALLOC, caller);
}

void *heap_zeroed(size_t count, size_t size, const void *caller)
{
    size_t bytes;

    if (__builtin_mul_overflow(count, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return alloc(bytes, 0, caller);
}

void *heap_aligned(size_t alignment, size_t size, const void *caller)
{
    unsigned char *p;
    uintptr_t at;

    if (alignment <= sizeof(struct block))
        return heap_alloc(size, caller);
    if (size > PTRDIFF_MAX - alignment) {
        errno = ENOMEM;
        return NULL;
    }
    p = heap_alloc(size + alignment, caller);
    if (p == NULL)
        return NULL;
    at = ((uintptr_t)p + alignment - 1) & ~(uintptr_t)(alignment - 1);
    if (at != (uintptr_t)p)
        block_set((struct block *)at - 1, BLOCK_ALIGNED, 0, at - (uintptr_t)p);
    return (void *)at;
}

void heap_free(void *p, const void *caller)
{
    struct heap_root *heap = &world_root.heap;
    const char *broken = NULL;
    struct block *b;
    int saved = errno;
    bool taken;

    if (p == NULL)
        return;
    taken = lock_take(heap);
    b = header_of(p, &broken);
    if (b != NULL)
        broken = block_free(b, caller);
    lock_give(heap, taken);
    errno = saved;
    if (broken != NULL)
        heap_broken(broken);
}

size_t heap_usable(const void *p)
{
    const char *broken = NULL;
    const unsigned char *start;
    struct block *b;

    if (p == NULL)
        return 0;
    b = header_of((void *)(uintptr_t)p, &broken);
    if (b == NULL) {
        heap_broken(broken);
        return 0;
    }
    start = (const unsigned char *)(b + 1);
    if (block_is(b, BLOCK_LARGE))
        return large_usable(b) - (size_t)((const unsigned char *)p - start);
    return class_bytes(block_class(b)) - sizeof(*b) - (size_t)((const unsigned char *)p - start);
}

/* Where it is, if the class stays the same. */
static bool resize_here(struct block *b, void *p, size_t size)
{
    size_t room;

    if (p != (void *)(b + 1))
        return false;
    if (block_is(b, BLOCK_LARGE))
        return size + sizeof(*b) > HEAP_BLOCK_MAX && large_resize(b, size);
    room = class_bytes(block_class(b)) - sizeof(*b);
    if (size > room || size < room / 2)
        return false;
    block_set(b, BLOCK_USED, block_class(b), size);
    return true;
}

void *heap_resize(void *p, size_t size, const void *caller)
{
    struct heap_root *heap = &world_root.heap;
    const char *broken = NULL;
    struct block *b;
    void *moved;
    size_t old;
    bool done;
    bool taken;

    if (p == NULL)
        return heap_alloc(size, caller);
    if (size == 0) {
        heap_free(p, caller);
        return NULL;
    }
    taken = lock_take(heap);
    b = header_of(p, &broken);
    done = b != NULL && size <= PTRDIFF_MAX && resize_here(b, p, size);
    lock_give(heap, taken);
    if (b == NULL) {
        heap_broken(broken);
        return NULL;
    }
    if (done)
        return p;
    moved = heap_alloc(size, caller);
    if (moved == NULL)
        return NULL;
    old = heap_usable(p);
    memcpy(moved, p, old < size ? old : size);
    heap_free(p, caller);
    return moved;
}

__attribute__((weak)) void heap_exhausted(void)
{
}

__attribute__((weak)) void heap_broken(const char *what)
{
    static const char before[] = "sennit: ";

    (void)!write(STDERR_FILENO, before, sizeof(before) - 1);
    (void)!write(STDERR_FILENO, what, strlen(what));
    (void)!write(STDERR_FILENO, "\n", 1);
    abort();
}

/* ---- arenas --------------------------------------------------------------------------------- */

static bool is_outside(const struct heap_root *heap, const void *p)
{
    return (const unsigned char *)p >= heap->outside &&
           (const unsigned char *)p < heap->outside + ((size_t)1 << OUTSIDE_SHIFT);
}

static bool from_loader(const struct heap_root *heap, const void *caller)
{
    return (uintptr_t)caller - heap->loader_start < heap->loader_end - heap->loader_start;
}

/* Offset of the first block. */
static uint32_t arena_first(const struct heap_arena *a, const unsigned char *start)
{
    size_t first = (size_t)((const unsigned char *)(a + 1) - start);

    first += world_root.heap.shift & (HEAP_PAGE - 1);
    return (uint32_t)((first + SMALL_STEP - 1) & ~(size_t)(SMALL_STEP - 1));
}

static void arena_init(struct heap_arena *a, const unsigned char *start)
{
    memset(a, 0, sizeof(*a));
    a->top = arena_first(a, start);
}

/* The header of an arena, made if the arena is new. Which ones exist is not written in the region,
 * where a program that goes wild could overwrite it. */
static struct heap_arena *arena_open(struct heap_root *heap, unsigned char *start)
{
    uint32_t index;
    struct heap_arena *a;

    if (start == heap->outside) {
        a = (struct heap_arena *)start;
        if (a->top == 0)
            arena_init(a, start);
        return a;
    }
    index = heap_index_of(start);
    a = heap_arena_at(start, index);
    if ((heap->is_created[index / 64] >> (index % 64) & 1) == 0) {
        arena_init(a, start);
        heap->is_created[index / 64] |= UINT64_C(1) << (index % 64);
        heap->created[heap->created_count++] = index;
    }
    return a;
}

static bool offset_is_good(uint32_t offset, size_t arena_bytes)
{
    return offset % SMALL_STEP == 0 && offset < arena_bytes;
}

/* A block of the class from this arena alone; NULL if it is full. */
static struct block *take(struct heap_arena *a, unsigned char *start, uint32_t class,
                          size_t arena_bytes, const char **broken)
{
    size_t bytes = class_bytes(class);
    uint32_t offset = a->free[class];
    struct block *b;

    if (offset != 0) {
        b = (struct block *)(start + offset);
        if (!offset_is_good(offset, arena_bytes) || !block_is(b, BLOCK_FREE) ||
            block_class(b) != class) {
            *broken = head_overwritten;
            return NULL;
        }
        a->free[class] = (uint32_t)b->value;
        return b;
    }
    if (!offset_is_good(a->top, arena_bytes + SMALL_STEP)) {
        *broken = head_overwritten;
        return NULL;
    }
    if (bytes > arena_bytes - a->top)
        return NULL;
    b = (struct block *)(start + a->top);
    a->top += (uint32_t)bytes;
    return b;
}

/* The arena that continues a full one; NULL if none is left. */
static unsigned char *continue_arena(struct heap_root *heap, struct heap_arena *a,
                                     const char **broken)
{
    if (a->more == 0) {
        if (heap->state->extensions >= HEAP_EXTENSIONS)
            return NULL;
        a->more = HEAP_TASKS + heap->state->extensions++;
    }
    if (a->more < HEAP_TASKS || a->more >= HEAP_ARENAS) {
        *broken = head_overwritten;
        return NULL;
    }
    return heap_start_of(a->more);
}

static void *arena_alloc(size_t size, int fill, const void *caller, const char **broken)
{
    struct heap_root *heap = &world_root.heap;
    size_t total = (size + sizeof(struct block) + SMALL_STEP - 1) & ~(size_t)(SMALL_STEP - 1);
    bool outside = from_loader(heap, caller);
    size_t arena_bytes = (size_t)1 << (outside ? OUTSIDE_SHIFT : heap->arena_shift);
    uintptr_t offset = (uintptr_t)(heap->task % HEAP_TASKS) << heap->arena_shift;
    unsigned char *start = outside ? heap->outside : heap->arenas + offset;
    uint32_t class;

    if (size > PTRDIFF_MAX)
        return NULL;
    if (total > HEAP_BLOCK_MAX || total > arena_bytes / 2)
        return large_alloc(size, broken);
    class = class_of(total < 2 * SMALL_STEP ? 2 * SMALL_STEP : total);
    while (start != NULL) {
        struct heap_arena *a = arena_open(heap, start);
        struct block *b = take(a, start, class, arena_bytes, broken);

        if (b != NULL) {
            block_set(b, BLOCK_USED, class, size);
            memset(b + 1, fill, class_bytes(class) - sizeof(*b));
            return b + 1;
        }
        if (*broken != NULL || outside)
            return NULL;
        start = continue_arena(heap, a, broken);
    }
    return *broken == NULL ? large_alloc(size, broken) : NULL;
}

/* ---- giving back ---------------------------------------------------------------------------- */

/* Whether a header can be read at p - 16. */
static bool is_readable(const struct heap_root *heap, const unsigned char *p)
{
    const unsigned char *large_end;

    if (heap->base == NULL || (uintptr_t)p % SMALL_STEP != 0)
        return false;
    large_end = heap->large + (size_t)heap->state->large_pages * HEAP_PAGE;
    if (p >= heap->large + sizeof(struct run) && p < large_end)
        return true;
    if (p >= heap->arenas + sizeof(struct block) && p < heap->stacks)
        return true;
    return is_outside(heap, p) && p >= heap->outside + sizeof(struct block);
}

/* The header of the block that malloc returned as p, or NULL and what is wrong with p. */
static struct block *header_of(void *p, const char **broken)
{
    const struct heap_root *heap = &world_root.heap;
    struct block *b;

    *broken = "free or realloc of a pointer that malloc did not return";
    if (!is_readable(heap, p))
        return NULL;
    b = (struct block *)p - 1;
    if (block_is(b, BLOCK_ALIGNED)) {
        if (b->value > (uintptr_t)p || !is_readable(heap, (unsigned char *)p - b->value))
            return NULL;
        b = (struct block *)((unsigned char *)p - b->value) - 1;
    }
    if (block_is(b, BLOCK_FREE)) {
        *broken = "free or realloc of a block that is free already";
        return NULL;
    }
    if (block_is(b, BLOCK_LARGE) || (block_is(b, BLOCK_USED) && block_class(b) < HEAP_CLASSES)) {
        *broken = NULL;
        return b;
    }
    if (b->check != 0 || b->info != 0)
        *broken = "free or realloc of a pointer that malloc did not return, or of a block whose "
                  "header is overwritten";
    return NULL;
}

/* Puts the block where it belongs by address, as far as WALK_MAX steps lead. */
static const char *list_insert(struct heap_arena *a, unsigned char *start, struct block *b,
                               size_t arena_bytes)
{
    uint32_t class = block_class(b);
    uint32_t offset = (uint32_t)((unsigned char *)b - start);
    uint32_t at = a->free[class];
    struct block *before = NULL;

    for (int i = 0; i < WALK_MAX && at != 0 && at < offset; i++) {
        struct block *passed = (struct block *)(start + at);

        if (!offset_is_good(at, arena_bytes) || !block_is(passed, BLOCK_FREE))
            return head_overwritten;
        before = passed;
        at = (uint32_t)passed->value;
    }
    memset(b + 1, 0, class_bytes(class) - sizeof(*b));
    block_set(b, BLOCK_FREE, class, at);
    if (before == NULL)
        a->free[class] = offset;
    else
        block_set(before, BLOCK_FREE, class, offset);
    return NULL;
}

static const char *block_free(struct block *b, const void *caller)
{
    struct heap_root *heap = &world_root.heap;
    unsigned char *start;

    if (block_is(b, BLOCK_LARGE))
        return large_free(b);
    if (is_outside(heap, b)) {
        /* What the loader allocated and libc gives back (the text of a dlerror) may be given back
         * again after a restore, because libc's pointer to it is put back. It is not reused. */
        if (heap->world_is_open && !from_loader(heap, caller))
            return NULL;
        return list_insert((struct heap_arena *)heap->outside, heap->outside, b,
                           (size_t)1 << OUTSIDE_SHIFT);
    }
    start = heap_start_of(heap_index_of(b));
    return list_insert(heap_arena_at(start, heap_index_of(b)), start, b,
                       (size_t)1 << heap->arena_shift);
}

/* ---- looking at all of it ------------------------------------------------------------------- */

static bool arena_visit(uint32_t index, void (*each)(void *self, void *block, size_t size),
                        void *self)
{
    unsigned char *start = heap_start_of(index);
    const struct heap_arena *a = heap_arena_at(start, index);
    size_t arena_bytes = (size_t)1 << world_root.heap.arena_shift;
    size_t at = arena_first(a, start);

    if (a->top > arena_bytes)
        return false;
    while (at < a->top) {
        struct block *b = (struct block *)(start + at);

        if ((!block_is(b, BLOCK_USED) && !block_is(b, BLOCK_FREE)) ||
            block_class(b) >= HEAP_CLASSES)
            return false;
        if (block_is(b, BLOCK_USED))
            each(self, b + 1, class_bytes(block_class(b)) - sizeof(*b));
        at += class_bytes(block_class(b));
    }
    return at == a->top;
}

bool heap_visit(void (*each)(void *self, void *block, size_t size), void *self)
{
    const struct heap_root *heap = &world_root.heap;

    if (!large_visit(each, self))
        return false;
    for (uint32_t word = 0; word < HEAP_ARENAS / 64; word++) {
        uint64_t bits = heap->is_created[word];

        for (; bits != 0; bits &= bits - 1) {
            if (!arena_visit(word * 64 + (uint32_t)__builtin_ctzll(bits), each, self))
                return false;
        }
    }
    return true;
}
