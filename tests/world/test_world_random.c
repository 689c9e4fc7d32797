/* test_world_random.c - random programs against a model of memory that is kept outside of the
 * world.
 *
 * The program allocates, writes, resizes and frees in several tasks, steps fibers, writes to small
 * and large variables, and saves, restores and drops at random. The model knows what each byte must
 * be: every block is filled from a seed, and with each snapshot goes a copy of the whole model.
 * SPDX-License-Identifier: MIT
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/rng.h"
#include "engine/fiber.h"
#include "engine/world/heap.h"
#include "engine/world/memory.h"
#include "engine/world/world.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum {
    BLOCKS = 120,
    CELLS = 64, /* in the table */
    MARKS = 24,
    FIBERS = 6,
    STEPS = 3000,
    TABLE = 8 << 20,
    SMALL = 32 << 10,
};

static unsigned char table[TABLE];
static unsigned char small[SMALL];
static unsigned char initialised[2 << 20] = {1, 2, 3};

struct model_block {
    unsigned char *at; /* NULL: none */
    size_t size;
    uint64_t seed;
};

struct model {
    struct model_block blocks[BLOCKS];
    unsigned char table[CELLS];
    unsigned char initialised[CELLS];
    unsigned char small[CELLS];
    uint64_t steps[FIBERS];
};

/* All that must survive a restore. */
struct shadow {
    struct world *world;
    struct model now;
    struct model saved[MARKS];
    uint32_t marks;
    struct rng rng;
    struct fiber main;
    struct fiber *fibers[FIBERS];
    struct fiber *running;
    uint64_t seen; /* what the last fiber that ran had counted */
};

static struct shadow *shadow(void)
{
    return root_engine();
}

static uint32_t below(struct shadow *s, uint32_t n)
{
    return rng_below(&s->rng, n);
}

/* ---- filling and checking ------------------------------------------------------------------- */

static void fill(const struct model_block *b)
{
    struct rng rng;

    rng_init(&rng, b->seed, b->size);
    for (size_t i = 0; i < b->size; i += 8) {
        uint64_t word = rng_next(&rng);

        memcpy(b->at + i, &word, b->size - i < 8 ? b->size - i : 8);
    }
}

static bool is_intact(const struct model_block *b)
{
    struct rng rng;

    rng_init(&rng, b->seed, b->size);
    for (size_t i = 0; i < b->size; i += 8) {
        uint64_t word = rng_next(&rng);

        if (memcmp(b->at + i, &word, b->size - i < 8 ? b->size - i : 8) != 0)
            return false;
    }
    return true;
}

static size_t cell(size_t bytes, uint32_t i)
{
    return bytes / CELLS * i + i * 61 % 4096 % (bytes / CELLS);
}

static void check_all(const struct shadow *s)
{
    for (uint32_t i = 0; i < BLOCKS; i++)
        assert_true(s->now.blocks[i].at == NULL || is_intact(&s->now.blocks[i]));
    for (uint32_t i = 0; i < CELLS; i++) {
        assert_int_equal(table[cell(TABLE, i)], s->now.table[i]);
        assert_int_equal(small[cell(SMALL, i)], s->now.small[i]);
        assert_int_equal(initialised[cell(sizeof(initialised), i)], s->now.initialised[i]);
    }
}

/* ---- what the program does ------------------------------------------------------------------ */

static size_t random_size(struct shadow *s)
{
    uint32_t kind = below(s, 100);

    if (kind < 80)
        return below(s, 300);
    if (kind < 98)
        return below(s, 20000);
    return below(s, 2 << 20);
}

static void change_block(struct shadow *s)
{
    struct model_block *b = &s->now.blocks[below(s, BLOCKS)];

    heap_enter(below(s, 20));
    if (b->at == NULL) {
        b->size = random_size(s);
        b->at = malloc(b->size);
    } else if (below(s, 3) == 0) {
        free(b->at);
        b->at = NULL;
        return;
    } else if (below(s, 3) == 0) {
        b->size = random_size(s) + 1;
        b->at = realloc(b->at, b->size);
    }
    assert_non_null(b->at);
    b->seed = rng_next(&s->rng);
    fill(b);
    heap_enter(0);
}

static void change_variable(struct shadow *s)
{
    uint32_t i = below(s, CELLS);
    unsigned char value = (unsigned char)below(s, 3); /* zeros often: pages become zeros again */

    switch (below(s, 3)) {
    case 0:
        table[cell(TABLE, i)] = s->now.table[i] = value;
        break;
    case 1:
        small[cell(SMALL, i)] = s->now.small[i] = value;
        break;
    default:
        initialised[cell(sizeof(initialised), i)] = s->now.initialised[i] = value;
        break;
    }
}

static void count_down(uint64_t n, uint64_t count)
{
    struct shadow *s = shadow();

    if (n > 0) {
        count_down(n - 1, count);
        return;
    }
    s->seen = count;
    fiber_switch(s->running, &s->main);
}

static void count_steps(void *argument)
{
    uint64_t count = 0;

    (void)argument;
    for (;;) {
        count++;
        count_down(count * 7 % 50, count);
    }
}

static void step_fiber(struct shadow *s)
{
    uint32_t i = below(s, FIBERS);

    s->running = s->fibers[i];
    s->seen = 0;
    fiber_switch(&s->main, s->fibers[i]);
    assert_int_equal(s->seen, ++s->now.steps[i]);
}

/* ---- going back and forth ------------------------------------------------------------------- */

static void save(struct shadow *s)
{
    uint32_t mark = 0;
    struct err why;

    if (s->marks == MARKS)
        return;
    assert_int_equal(world_save(s->world, &mark, &why), 0);
    assert_int_equal(mark, s->marks);
    s->saved[s->marks++] = s->now;
}

static void restore(struct shadow *s)
{
    uint32_t mark;

    if (s->marks == 0)
        return;
    mark = s->marks - 1 - below(s, below(s, s->marks) + 1);
    world_restore(s->world, mark);
    s->now = s->saved[mark];
    s->marks = mark + 1;
    check_all(s);
}

static void drop(struct shadow *s)
{
    uint32_t mark;

    if (s->marks == 0)
        return;
    mark = s->marks - 1 - below(s, below(s, s->marks) + 1);
    world_drop(s->world, mark);
    s->marks = mark;
}

static void step(struct shadow *s)
{
    uint32_t kind = below(s, 1000);

    if (kind < 550)
        change_block(s);
    else if (kind < 750)
        change_variable(s);
    else if (kind < 880)
        step_fiber(s);
    else if (kind < 930)
        save(s);
    else if (kind < 990)
        restore(s);
    else if (kind < 998)
        drop(s);
    else
        check_all(s);
}

/* Without descriptors the tracking of pages cannot start. */
static int open_world(struct world **w, bool tracked, struct err *why)
{
    struct rlimit old;
    struct rlimit none;
    int rc;

    assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
    none = (struct rlimit){.rlim_cur = 3, .rlim_max = old.rlim_max};
    if (!tracked)
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    rc = world_open(w, why);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
    return rc;
}

static void start(struct shadow *s, uint64_t seed, bool tracked)
{
    struct err why;
    int rc;

    memset(s, 0, sizeof(*s));
    root_set_engine(s);
    rng_init(&s->rng, seed, 0);
    fiber_init_self(&s->main);
    for (uint32_t i = 0; i < CELLS; i++) {
        s->now.table[i] = table[cell(TABLE, i)];
        s->now.small[i] = small[cell(SMALL, i)];
        s->now.initialised[i] = initialised[cell(sizeof(initialised), i)];
    }
    for (uint32_t i = 0; i < FIBERS; i++) {
        size_t size = 0;
        void *stack = heap_stack(i, i % 2 == 0 ? 0 : 200 << 10, &size);

        s->fibers[i] = fiber_new(stack, size, count_steps, NULL);
    }
    rc = open_world(&s->world, tracked, &why);
    if (rc < 0) {
        print_message("# %s\n", why.text);
        skip();
    }
}

static void finish(struct shadow *s)
{
    check_all(s);
    world_close(s->world);
    for (uint32_t i = 0; i < BLOCKS; i++)
        free(s->now.blocks[i].at);
    for (uint32_t i = 0; i < FIBERS; i++)
        fiber_free(s->fibers[i]);
    memory_release(s, sizeof(*s));
}

static void play(uint64_t seed, bool tracked)
{
    struct shadow *s = memory_reserve(sizeof(*s));

    start(s, seed, tracked);
    for (int i = 0; i < STEPS; i++)
        step(s);
    finish(s);
}

static void random_programs_go_back_to_what_they_were(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++)
        play(seed, true);
}

static void random_programs_go_back_without_tracking(void **state)
{
    (void)state;
    play(100, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_programs_go_back_to_what_they_were),
        cmocka_unit_test(random_programs_go_back_without_tracking),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
