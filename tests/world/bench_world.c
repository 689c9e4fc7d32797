/* bench_world.c - what saving and restoring costs. Prints name<TAB>value<TAB>unit.
 *
 * The best of many rounds, because the machine may be busy; between two restores the trial touches
 * what is said in the name.
 * SPDX-License-Identifier: MIT
 */
#include "engine/fiber.h"
#include "engine/world/heap.h"
#include "engine/world/memory.h"
#include "engine/world/world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    ROUNDS = 51,
    TASKS = 16,
    PAGE = 4096,
#ifdef BENCH_LARGE
    TABLE = 64 << 20,
#else
    TABLE = PAGE,
#endif
};

static volatile unsigned char table[TABLE];

/* Outside of the world: these must survive the restores. */
struct bench {
    struct world *world;
    struct fiber main;
    struct fiber *fibers[TASKS];
    double rounds[ROUNDS];
};

static double now_ns(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void report(struct bench *b, const char *name, const char *unit)
{
    double best = b->rounds[0];

    for (int r = 1; r < ROUNDS; r++)
        best = b->rounds[r] < best ? b->rounds[r] : best;
    printf("%s\t%.0f\t%s\n", name, best, unit);
    (void)fflush(stdout);
}

static uint32_t save(struct bench *b)
{
    uint32_t mark = 0;
    struct err why;

    if (world_save(b->world, &mark, &why) < 0) {
        fprintf(stderr, "%s\n", why.text);
        exit(1);
    }
    return mark;
}

/* A restore after `touch`, the time of which is not counted. */
static void bench_restore(struct bench *b, const char *name, int times, void (*touch)(void))
{
    uint32_t mark = save(b);

    for (int r = -3; r < ROUNDS; r++) {
        double sum = 0;

        for (int i = 0; i < times; i++) {
            double start;

            if (touch != NULL)
                touch();
            start = now_ns();
            world_restore(b->world, mark);
            sum += now_ns() - start;
        }
        if (r >= 0)
            b->rounds[r] = sum / times;
    }
    world_drop(b->world, mark);
    report(b, name, "ns");
}

/* A whole trial: what the writes cost is counted as well. */
static void bench_cycle(struct bench *b, const char *name, int times, void (*touch)(void))
{
    uint32_t mark = save(b);

    for (int r = -3; r < ROUNDS; r++) {
        double start = now_ns();

        for (int i = 0; i < times; i++) {
            touch();
            world_restore(b->world, mark);
        }
        if (r >= 0)
            b->rounds[r] = (now_ns() - start) / times;
    }
    world_drop(b->world, mark);
    report(b, name, "ns");
}

static void bench_save(struct bench *b, const char *name)
{
    for (int r = -3; r < ROUNDS; r++) {
        double start = now_ns();

        for (int i = 0; i < 100; i++)
            world_drop(b->world, save(b));
        if (r >= 0)
            b->rounds[r] = (now_ns() - start) / 100;
    }
    report(b, name, "ns");
}

static void touch_tasks(void)
{
    for (uint32_t t = 1; t <= TASKS; t++) {
        heap_enter(t);
        memset(malloc(40), 1, 40);
    }
    heap_enter(0);
}

static void touch_one_page(void)
{
    table[TABLE / 2] = 1;
}

static void touch_16_pages(void)
{
    for (size_t i = 0; i < 16; i++)
        table[i * (TABLE / 16) + TABLE / 32] = 1;
}

static void touch_an_eighth(void)
{
    for (size_t i = TABLE / 4; i < TABLE / 4 + TABLE / 8; i += PAGE)
        table[i] = 1;
}

static void yield_for_ever(void *argument)
{
    struct bench *b = root_engine();

    (void)argument;
    for (;;)
        fiber_switch(b->fibers[0], &b->main);
}

static void bench_malloc(struct bench *b)
{
    for (int r = 0; r < ROUNDS; r++) {
        double start = now_ns();

        for (int i = 0; i < 10000; i++) {
            void *volatile p = malloc((size_t)(16 + i % 64));

            free(p);
        }
        b->rounds[r] = (now_ns() - start) / 10000;
    }
    report(b, "malloc_free", "ns");
}

static void bench_switch(struct bench *b)
{
    size_t size = 0;
    void *stack = heap_stack(1, 0, &size);

    fiber_init_self(&b->main);
    b->fibers[0] = fiber_new(stack, size, yield_for_ever, NULL);
    for (int r = 0; r < ROUNDS; r++) {
        double start = now_ns();

        for (int i = 0; i < 10000; i++)
            fiber_switch(&b->main, b->fibers[0]);
        b->rounds[r] = (now_ns() - start) / 20000;
    }
    report(b, "fiber_switch", "ns");
    fiber_free(b->fibers[0]);
}

static void bench_check(struct bench *b)
{
    uint32_t mark = save(b);
    struct err why;

    for (int quick = 0; quick < 2; quick++) {
        for (int r = 0; r < ROUNDS; r++) {
            double start = now_ns();

            for (int i = 0; i < 20; i++)
                (void)world_check(b->world, quick != 0, &why);
            b->rounds[r] = (now_ns() - start) / 20;
        }
        report(b, quick ? "check_quick" : "check_full", "ns");
    }
    world_drop(b->world, mark);
}

static void bench_large(struct bench *b)
{
    bench_cycle(b, "trial_touching_1_page_of_64MiB_zeros", 100, touch_one_page);
    bench_cycle(b, "trial_touching_16_pages_of_64MiB_zeros", 100, touch_16_pages);
    bench_restore(b, "restore_with_64MiB_zeros_untouched", 1000, NULL);
    for (size_t i = 0; i < TABLE; i += 64)
        table[i] = 3;
    bench_restore(b, "restore_with_64MiB_in_use_untouched", 1000, NULL);
    bench_cycle(b, "trial_touching_1_page_of_64MiB_in_use", 100, touch_one_page);
    bench_cycle(b, "trial_touching_16_pages_of_64MiB_in_use", 100, touch_16_pages);
    bench_cycle(b, "trial_touching_8MiB_of_64MiB_in_use", 1, touch_an_eighth);
}

static void bench_small(struct bench *b)
{
    bench_save(b, "save_16_small_tasks");
    bench_restore(b, "restore_16_small_tasks", 100, touch_tasks);
    bench_restore(b, "restore_16_small_tasks_untouched", 1000, NULL);
    (void)save(b);
    printf("bytes_16_small_tasks\t%zu\tbytes\n", world_bytes(b->world));
    world_drop(b->world, 0);
    bench_check(b);
}

int main(void)
{
    struct bench *b = memory_reserve(sizeof(*b));
    struct err why;

    root_set_engine(b);
    if (TABLE == PAGE) {
        bench_malloc(b);
        bench_switch(b);
    }
    for (uint32_t t = 1; t <= TASKS; t++) {
        heap_enter(t);
        for (size_t i = 0; i < 10; i++)
            memset(malloc(20 + 10 * i), 1, 20 + 10 * i);
    }
    heap_enter(0);
    if (world_open(&b->world, &why) < 0) {
        fprintf(stderr, "%s\n", why.text);
        return 77;
    }
    if (TABLE > PAGE)
        bench_large(b);
    else
        bench_small(b);
    return 0;
}
