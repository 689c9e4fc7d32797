/* root.h - the library's only global: one object in pages of its own that no restore touches.
 *
 * A restore puts back .data and .bss, and a statically linked library's variables are among them,
 * so a handle kept in an ordinary global would be rolled back under the engine's feet. This object
 * has a section and whole pages to itself, which the world leaves out. SPDX-License-Identifier: MIT
 */
#ifndef ENGINE_WORLD_ROOT_H
#define ENGINE_WORLD_ROOT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    HEAP_TASKS = 16384,           /* sub-arenas that belong to tasks */
    HEAP_STACKS = 2 * HEAP_TASKS, /* a wide one and a narrow one for each */
    HEAP_EXTENSIONS = 4096,       /* further ones, for tasks that filled theirs */
    HEAP_ARENAS = HEAP_TASKS + HEAP_EXTENSIONS,
    ROOT_PAGE = 4096,
    ROOT_NEXT = 128, /* functions of libc that the library replaces and calls itself */
};

struct fiber;
struct sn_site;
struct heap_state;

/* What the heap must know before it can read its own memory, and what must not be rolled back. */
struct heap_root {
    uint32_t task; /* whose arena malloc uses now: see heap_enter */
    void (*told)(const void *block, const void *caller); /* of each new block; NULL: nobody is */
    uint64_t shift; /* added to addresses that are fixed otherwise: SENNIT_WORLD_BASE */
    uint64_t limit; /* bytes that a trial may have; 0: no limit */
    uint32_t fill;  /* 0, or a byte plus 1 that new blocks are filled with: SENNIT_HEAP_FILL */
    unsigned char *arenas;
    struct heap_state *state; /* in the world */
    unsigned char *base;      /* of the region; NULL until the first allocation */
    unsigned char *end;
    unsigned char *large;   /* page-sized runs for what no arena can serve */
    unsigned char *stacks;  /* of fibers: the wide ones, ... */
    unsigned char *narrow;  /* ... and the narrow ones */
    unsigned char *outside; /* the loader's arena, no part of the world */
    uint32_t *created;      /* arenas in use, in order of creation */
    uint64_t *is_created;   /* a bit for each arena */
    struct fiber **fibers;  /* fibers in the region */
    uint32_t created_count;
    uint32_t fibers_count;
    uint32_t arena_shift;
    uint32_t stack_shift;
    uint32_t narrow_shift;
    uint32_t stack_count; /* of each kind */
    uint32_t large_pages; /* address space of `large` */
    uintptr_t loader_start;
    uintptr_t loader_end;
    _Atomic uintptr_t lock; /* the thread that holds it; 0: nobody */
    bool is_fixed;          /* the region is where it is in every process */
    bool is_failed;         /* there is no address space for it */
    bool world_is_open;
    bool has_discarded; /* pages were given back to the kernel since the last save or restore */
    bool has_guests;    /* another thread than the engine's called malloc while a world was open */
    uintptr_t owner;    /* the engine's thread while a world is open */
    uint64_t ran_any[HEAP_STACKS / 64 / 64]; /* which words of stack_ran are not 0 */
    uint64_t stack_ran[HEAP_STACKS / 64];    /* stacks that ran since the last restore */
    uint64_t stack_ready[HEAP_STACKS / 64];  /* stacks that have been made accessible */
};

struct engine_root {
    void *engine; /* the engine's own, for whoever needs to get from nowhere to the running trial */
    /* The thread that runs a trial in this very process; 0: none does. The trial itself lies in
     * memory that a process shares with those it forks, and cannot tell. */
    _Atomic uintptr_t trial_thread;
    uintptr_t trial_stack; /* frames above this address have called the trial; 0: none runs */
    void *culprit;         /* culprit.c's: what this process is watched for; NULL: nothing */
    void *stack_escape;    /* stack.c's: where a fault of the walk through the frames leads */
    struct sn_site *sites; /* a list of all places of sn_sometimes that are loaded: sites.h */
    _Atomic(void *) next[ROOT_NEXT]; /* what the loader found: a cache */
    struct heap_root heap;
} __attribute__((aligned(ROOT_PAGE)));

#pragma GCC visibility push(hidden)
extern struct engine_root world_root;
#pragma GCC visibility pop

static inline void *root_engine(void)
{
    return world_root.engine;
}

static inline void root_set_engine(void *engine)
{
    world_root.engine = engine;
}

#endif
