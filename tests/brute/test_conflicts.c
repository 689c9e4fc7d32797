/* test_conflicts.c - the pairs of steps that conflict analysis finds are those that a brute-force
 * search for paths finds, in random trials: test_conflicts [TRIALS]
 *
 * A trial is made up as a list of steps. What comes before what is an explicit graph here, in which
 * paths are searched; the analysis has clocks instead. SPDX-License-Identifier: MIT
 */
#include "engine/mem.h"
#include "strategy/races.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { STEPS_MAX = 40, TASKS_MAX = 6, OBJECTS = 3, QUEUES = 8 };

static struct races *races;
static uint64_t n_trials = 20000;
static uint64_t state;

static uint32_t below(uint32_t n)
{
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (uint32_t)((state >> 33) % n);
}

static uint64_t object_id(uint32_t i)
{
    return i < TASKS_MAX ? 1000 + i : 7 * i;
}

/* ---- A random trial ------------------------------------------------------------------------- */

/* How it is made: which things there are at all. */
struct world {
    uint32_t n_tasks;
    bool has_touches;
    bool touches_tasks;
    bool has_queues;
    bool has_mail;
    bool has_time;
    bool has_wild;
    bool has_starts;
};

static void add_touch(uint32_t object, uint64_t mode)
{
    races->touches[races->n_touches++] = (struct touch){object_id(object), mode};
}

static void add_step(const struct world *w, uint32_t *queues)
{
    uint32_t n = ++races->n;
    struct race_event *e = &races->events[n];
    uint32_t queue = below(QUEUES);

    *e = (struct race_event){.task = below(w->n_tasks), .touches = races->n_touches};
    e->cause = below(4) > 0 ? below(n) : 0;
    e->after = w->has_mail && below(3) == 0 ? below(n) : 0;
    e->is_start = w->has_starts && below(8) == 0;
    if (w->has_queues && below(2) == 0) {
        e->previous = queues[queue];
        queues[queue] = n;
        /* All of a queue go to one task. */
        if (e->previous != 0)
            e->task = races->events[e->previous].task;
    }
    e->is_late = w->has_time && below(12) == 0;
    e->is_wild = w->has_wild && below(10) == 0;
    for (uint32_t i = below(3); w->has_touches && i > 0; i--)
        add_touch(TASKS_MAX + below(OBJECTS),
                  below(3) > 0 ? TOUCH_READ + below(2) : TOUCH_CALL + below(2));
    if (w->touches_tasks && below(4) == 0)
        add_touch(below(w->n_tasks), below(3) == 0 ? TOUCH_READ : TOUCH_WRITE);
    races->events[n + 1].touches = races->n_touches;
}

static void make_trial(uint64_t seed)
{
    uint32_t queues[QUEUES] = {0};
    struct world w;
    uint32_t steps;

    state = seed * UINT64_C(0x9e3779b97f4a7c15);
    (void)below(2);
    w = (struct world){.n_tasks = 1 + below(TASKS_MAX),
                       .has_touches = below(2) == 0,
                       .touches_tasks = below(2) == 0,
                       .has_queues = below(2) == 0,
                       .has_mail = below(2) == 0,
                       .has_time = below(2) == 0,
                       .has_wild = below(4) == 0,
                       .has_starts = below(2) == 0};
    races_clear(races);
    races->n_tasks = w.n_tasks;
    for (uint32_t i = 0; i < w.n_tasks; i++)
        races->tasks[i] = object_id(i);
    steps = 1 + below(STEPS_MAX);
    for (uint32_t i = 0; i < steps; i++)
        add_step(&w, queues);
}

/* ---- The same by paths ---------------------------------------------------------------------- */

static bool is_before[STEPS_MAX + 1][STEPS_MAX + 1]; /* an edge of the graph */
static bool expected[STEPS_MAX + 1][STEPS_MAX + 1];
static bool found[STEPS_MAX + 1][STEPS_MAX + 1];

/* Whether there is a path from one step to a later one. */
static bool leads_to(uint32_t from, uint32_t to)
{
    bool seen[STEPS_MAX + 1] = {false};

    seen[from] = true;
    for (uint32_t i = from; i < to; i++) {
        for (uint32_t k = i + 1; seen[i] && k <= to; k++)
            seen[k] |= is_before[i][k];
    }
    return seen[to];
}

static bool clashes(const struct touch *a, const struct touch *b)
{
    bool is_side = a->mode >= TOUCH_CALL || b->mode >= TOUCH_CALL;

    if (a->object != b->object)
        return false;
    return is_side ? a->mode != b->mode : a->mode == TOUCH_WRITE || b->mode == TOUCH_WRITE;
}

/* What a step touches, its task included. */
static uint32_t touches_of(uint32_t step, struct touch *all)
{
    const struct race_event *e = &races->events[step];
    uint32_t n = 0;

    all[n++] = (struct touch){object_id(e->task), TOUCH_WRITE};
    for (uint32_t i = e->touches; i < races->events[step + 1].touches; i++)
        all[n++] = races->touches[i];
    return n;
}

static bool are_dependent(uint32_t a, uint32_t b)
{
    struct touch of_a[8];
    struct touch of_b[8];
    uint32_t n_a = touches_of(a, of_a);
    uint32_t n_b = touches_of(b, of_b);

    if (races->events[a].is_wild || races->events[b].is_wild)
        return true;
    for (uint32_t i = 0; i < n_a; i++) {
        for (uint32_t k = 0; k < n_b; k++) {
            if (clashes(&of_a[i], &of_b[k]))
                return true;
        }
    }
    return false;
}

/* Whether a step was a start of the task of a later one. */
static bool is_start_of(uint32_t step, uint32_t later)
{
    return races->events[step].task == races->events[later].task && races->events[step].is_start;
}

static void depend(uint32_t step)
{
    const struct race_event *e = &races->events[step];

    for (uint32_t i = 1; i < step; i++) {
        is_before[i][step] =
            i == e->cause || i == e->previous || i == e->after || is_start_of(i, step);
        for (uint32_t k = i + 1; k <= step; k++)
            is_before[i][step] |= races->events[k].is_late;
    }
}

static void find_by_paths(void)
{
    memset(is_before, 0, sizeof(is_before));
    memset(expected, 0, sizeof(expected));
    for (uint32_t step = 1; step <= races->n; step++) {
        depend(step);
        for (uint32_t i = 1; i < step; i++)
            expected[i][step] = are_dependent(i, step) && !leads_to(i, step);
        for (uint32_t i = 1; i < step; i++)
            is_before[i][step] |= are_dependent(i, step);
    }
}

/* ---- Comparing ------------------------------------------------------------------------------ */

static void on_found(void *self, uint32_t earlier, uint32_t later)
{
    (void)self;
    found[earlier][later] = true;
}

static void compare(uint64_t seed)
{
    make_trial(seed);
    memset(found, 0, sizeof(found));
    races_find(races);
    find_by_paths();
    for (uint32_t a = 1; a <= races->n; a++) {
        bool raced = false;

        for (uint32_t b = 1; b <= races->n; b++) {
            raced |= expected[a][b] || expected[b][a];
            if (found[a][b] != expected[a][b])
                fail_msg("trial %llu: steps %u and %u", (unsigned long long)seed, a, b);
        }
        if (raced != races->events[a].raced)
            fail_msg("trial %llu: step %u", (unsigned long long)seed, a);
    }
}

static void clocks_find_the_pairs_that_paths_find(void **unused)
{
    uint64_t n_pairs = 0;

    (void)unused;
    for (uint64_t seed = 0; seed < n_trials; seed++) {
        compare(seed);
        n_pairs += races->n_pairs;
    }
    assert_true(n_pairs > n_trials);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clocks_find_the_pairs_that_paths_find),
    };
    struct err why = {""};

    races = mem_reserve_shared(sizeof(*races), &why);
    if (races == NULL)
        return 99;
    races->found = on_found;
    if (argc > 1)
        n_trials = strtoull(argv[1], NULL, 10);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
