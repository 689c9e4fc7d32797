/* region.c - the address space of the heap and of the fibers' stacks.
 *
 * One mapping, private and without reserve, at an address that is free in every process we have
 * met, so that a pointer means the same in each of them. Smaller layouts follow for a limited
 * address space, and for valgrind, which is slow with a large one. SPDX-License-Identifier: MIT
 */
#include "engine/world/heap.h"
#include "engine/world/memory.h"

#include <elf.h>
#include <link.h>
#include <stdlib.h>
#include <sys/mman.h>

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

struct layout {
    uint32_t arena_shift;
    uint32_t stack_shift;
    uint32_t narrow_shift; /* 0: there are no narrow stacks */
    uint32_t stack_count;
    uint32_t large_pages;
};

static const struct layout layouts[] = {
    {.arena_shift = 26,
     .stack_shift = 20,
     .narrow_shift = 17,
     .stack_count = HEAP_TASKS,
     .large_pages = 1U << 28},
    {.arena_shift = 22,
     .stack_shift = 18,
     .narrow_shift = 17,
     .stack_count = HEAP_TASKS,
     .large_pages = 1U << 24},
    {.arena_shift = 16, .stack_shift = 18, .stack_count = 2048, .large_pages = 1U << 20},
    {.arena_shift = 14, .stack_shift = 18, .stack_count = 512, .large_pages = 1U << 17},
};

enum {
    LAYOUTS = sizeof(layouts) / sizeof(layouts[0]),
    LAYOUT_SMALLEST = LAYOUTS - 1,
#if defined(__x86_64__)
    LAYOUT_FIRST = 0,
#else
    /* The world is not known to work here, and emulators need memory for address space. */
    LAYOUT_FIRST = 2,
#endif
    STATE_BYTES = 1 << 16, /* keeps the first arena aligned well enough */
    OUTSIDE_BYTES = 1 << 26,
    TABLES_BYTES = 1 << 20, /* created, is_created, fibers */
};

static const uintptr_t addresses[] = {0x520000000000, 0x540000000000, 0x2a0000000000, 0x2000000000,
                                      0x1000000000};

static size_t narrow_bytes(const struct layout *l)
{
    return l->narrow_shift != 0 ? (size_t)l->stack_count << l->narrow_shift : 0;
}

static size_t layout_bytes(const struct layout *l)
{
    return (size_t)l->large_pages * HEAP_PAGE + STATE_BYTES +
           ((size_t)HEAP_ARENAS << l->arena_shift) + ((size_t)l->stack_count << l->stack_shift) +
           narrow_bytes(l) + OUTSIDE_BYTES + TABLES_BYTES;
}

static unsigned char *map_at(uintptr_t address, size_t bytes)
{
    int fixed = address != 0 ? MAP_FIXED_NOREPLACE : 0;
    unsigned char *p = mmap((void *)address, bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | fixed, -1, 0);

    if (p == MAP_FAILED)
        return NULL;
    if (address != 0 && p != (unsigned char *)address) {
        /* Kernels before 4.17 take the flag for a hint. */
        (void)munmap(p, bytes);
        return NULL;
    }
    return p;
}

/* Present in a program that is built with ThreadSanitizer, which allows mappings in few places. */
__attribute__((weak)) void __tsan_init(void);

static unsigned char *find_place(const struct layout **layout)
{
    bool is_free = __tsan_init == NULL;
    uint32_t first = memory_on_valgrind() ? LAYOUT_SMALLEST : LAYOUT_FIRST;

    *layout = &layouts[LAYOUT_SMALLEST];
    for (uint32_t l = first; is_free && l < LAYOUTS; l++) {
        *layout = &layouts[l];
        /* The program itself and the snapshots need some as well. */
        if (layout_bytes(*layout) > memory_limit() / 2)
            continue;
        for (size_t a = 0; a < sizeof(addresses) / sizeof(addresses[0]); a++) {
            unsigned char *p = map_at(addresses[a] + heap_shift(), layout_bytes(*layout));

            if (p != NULL)
                return p;
        }
    }
    return map_at(0, layout_bytes(*layout));
}

/* The loader's code: allocations from there are not the program's. Static programs have none. */
static void find_loader(struct heap_root *heap)
{
    uintptr_t base = memory_loader();
    const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)base;
    const ElfW(Phdr) * segments;

    if (base == 0)
        return;
    segments = (const ElfW(Phdr) *)(base + header->e_phoff);
    for (uint32_t i = 0; i < header->e_phnum; i++) {
        const ElfW(Phdr) *s = &segments[i];

        if (s->p_type != PT_LOAD || (s->p_flags & PF_X) == 0)
            continue;
        heap->loader_start = base + s->p_vaddr;
        heap->loader_end = heap->loader_start + s->p_memsz;
    }
}

/* What a program must not depend on can be asked for: other addresses and other contents of blocks
 * that were never written. This may run before libc has set itself up, which then has no
 * environment yet. */
static void read_wishes(struct heap_root *heap)
{
    const char *base = getenv("SENNIT_WORLD_BASE");
    const char *fill = getenv("SENNIT_HEAP_FILL");

    if (base != NULL)
        heap->shift = strtoull(base, NULL, 16) & 0xfffffffff0;
    if (fill != NULL && fill[0] != '\0')
        heap->fill = (uint32_t)(strtoul(fill, NULL, 16) & 0xff) + 1;
}

bool heap_init(void)
{
    struct heap_root *heap = &world_root.heap;
    const struct layout *layout = NULL;
    unsigned char *p;

    if (heap->base != NULL)
        return true;
    if (heap->is_failed)
        return false;
    read_wishes(heap);
    p = find_place(&layout);
    if (p == NULL) {
        heap->is_failed = true;
        return false;
    }
    heap->is_fixed = p == (unsigned char *)(addresses[0] + heap_shift());
    heap->arena_shift = layout->arena_shift;
    heap->stack_shift = layout->stack_shift;
    heap->narrow_shift = layout->narrow_shift;
    heap->stack_count = layout->stack_count;
    heap->large_pages = layout->large_pages;
    heap->large = p;
    heap->state = (struct heap_state *)(p + (size_t)layout->large_pages * HEAP_PAGE);
    heap->arenas = (unsigned char *)heap->state + STATE_BYTES;
    heap->stacks = heap->arenas + ((size_t)HEAP_ARENAS << layout->arena_shift);
    heap->narrow = heap->stacks + ((size_t)layout->stack_count << layout->stack_shift);
    heap->outside = heap->narrow + narrow_bytes(layout);
    heap->created = (uint32_t *)(heap->outside + OUTSIDE_BYTES);
    heap->is_created = (uint64_t *)(heap->created + HEAP_ARENAS);
    heap->fibers = (struct fiber **)(heap->is_created + HEAP_ARENAS / 64);
    heap->end = p + layout_bytes(layout);
    /* A huge page for the first byte of each small arena would cost more than the trial. */
    (void)madvise(p, layout_bytes(layout), MADV_NOHUGEPAGE);
    (void)mprotect(heap->stacks, (size_t)(heap->outside - heap->stacks), PROT_NONE);
    find_loader(heap);
    heap->base = p;
    heap_enter(0);
    return true;
}

/* Before main, in case the first to need the region is no call of malloc: compilers know that
 * malloc leaves other people's variables alone, and may read the root before it. */
__attribute__((constructor)) static void init_early(void)
{
    (void)heap_init();
}

uint32_t heap_stack_number(const void *address)
{
    const struct heap_root *heap = &world_root.heap;
    const unsigned char *p = address;

    if (heap->base == NULL || p < heap->stacks || p >= heap->outside)
        return 0;
    if (p < heap->narrow)
        return (uint32_t)((size_t)(p - heap->stacks) >> heap->stack_shift) + 1;
    return HEAP_TASKS + (uint32_t)((size_t)(p - heap->narrow) >> heap->narrow_shift) + 1;
}

unsigned char *heap_stack_low(uint32_t number, size_t *size)
{
    const struct heap_root *heap = &world_root.heap;
    bool is_narrow = number >= HEAP_TASKS;
    uint32_t shift = is_narrow ? heap->narrow_shift : heap->stack_shift;
    unsigned char *first = is_narrow ? heap->narrow : heap->stacks;

    *size = ((size_t)1 << shift) - HEAP_PAGE;
    return first + ((size_t)(number % HEAP_TASKS) << shift) + HEAP_PAGE;
}

void *heap_stack(uint32_t task, size_t wanted, size_t *size)
{
    struct heap_root *heap = &world_root.heap;
    unsigned char *low;
    uint32_t number = task;

    if (!heap_init() || task >= heap->stack_count)
        return NULL;
    if (heap->narrow_shift != 0 && wanted <= ((size_t)1 << heap->narrow_shift) - HEAP_PAGE)
        number += HEAP_TASKS;
    low = heap_stack_low(number, size);
    if ((heap->stack_ready[number / 64] >> (number % 64) & 1) == 0) {
        if (mprotect(low, *size, PROT_READ | PROT_WRITE) != 0)
            return NULL;
        heap->stack_ready[number / 64] |= UINT64_C(1) << (number % 64);
    }
    return low;
}
