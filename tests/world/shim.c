/* shim.c - see shim.h. What it keeps must survive restores, so it keeps it behind the engine's slot
 * of the root. SPDX-License-Identifier: MIT
 */
#include "shim.h"

#include "engine/fiber.h"
#include "engine/world/heap.h"
#include "engine/world/memory.h"
#include "engine/world/world.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct shim {
    struct world *world;
    struct fiber main;
    struct fiber *running;
    struct err why;
};

static struct shim *shim(void)
{
    if (root_engine() == NULL)
        root_set_engine(memory_reserve(sizeof(struct shim)));
    return root_engine();
}

const char *shim_open(void)
{
    struct shim *s = shim();

    fiber_init_self(&s->main);
    return world_open(&s->world, &s->why) == 0 ? NULL : s->why.text;
}

void shim_close(void)
{
    world_close(shim()->world);
    heap_enter(0);
}

uint32_t shim_save(void)
{
    struct shim *s = shim();
    uint32_t mark = 0;

    if (world_save(s->world, &mark, &s->why) < 0) {
        (void)!write(STDERR_FILENO, s->why.text, strlen(s->why.text));
        abort();
    }
    return mark;
}

void shim_restore(uint32_t mark)
{
    world_restore(shim()->world, mark);
}

void shim_drop(uint32_t mark)
{
    world_drop(shim()->world, mark);
}

const char *shim_check(bool quick)
{
    struct shim *s = shim();

    return world_check(s->world, quick, &s->why) == 0 ? NULL : s->why.text;
}

size_t shim_bytes(void)
{
    return world_bytes(shim()->world);
}

const char *shim_note(void)
{
    return world_note(shim()->world);
}

void shim_enter(uint32_t task)
{
    heap_enter(task);
}

void *shim_fiber(uint32_t task, void (*entry)(void *argument), void *argument)
{
    size_t size = 0;
    void *stack = heap_stack(task, 0, &size);

    return stack == NULL ? NULL : fiber_new(stack, size, entry, argument);
}

bool shim_resume(void *fiber)
{
    struct shim *s = shim();
    struct fiber *f = fiber;

    s->running = f;
    fiber_switch(&s->main, f);
    s->running = NULL;
    return !f->has_ended;
}

void shim_yield(void)
{
    struct shim *s = shim();

    fiber_switch(s->running, &s->main);
}

void shim_gone(void)
{
    shim()->running = NULL;
}

bool shim_in_region(const void *p)
{
    return heap_holds(p);
}

uint64_t shim_hash(uint32_t task)
{
    const unsigned char *start = heap_start_of(task);
    const struct heap_arena *a = heap_arena_at(heap_start_of(task), task);
    uint64_t h = 14695981039346656037U;

    for (const unsigned char *p = (const unsigned char *)a; p < start + a->top; p++)
        h = (h ^ *p) * 1099511628211U;
    return h;
}
