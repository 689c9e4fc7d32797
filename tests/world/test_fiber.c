/* test_fiber.c - fibers switch and keep what is theirs. SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/fiber.h"
#include "engine/world/heap.h"

#include <errno.h>
#include <fenv.h>
#include <stdio.h>
#include <string.h>

/* What a test and its fibers share; on main's stack. */
struct shared {
    struct fiber main;
    struct fiber *fiber[2];
    int log[16];
    int count;
    uintptr_t address;
    char text[64];
};

static struct fiber *fiber_of_task(uint32_t task, void (*entry)(void *), void *argument)
{
    size_t size = 0;
    void *stack = heap_stack(task, 0, &size);

    assert_non_null(stack);
    return fiber_new(stack, size, entry, argument);
}

static void put(struct shared *s, int what)
{
    s->log[s->count++] = what;
}

static void count_to_three(void *argument)
{
    struct shared *s = argument;

    for (int i = 1; i <= 3; i++) {
        put(s, i);
        fiber_switch(s->fiber[0], &s->main);
    }
    put(s, 4);
}

static void a_fiber_runs_from_switch_to_switch_and_ends(void **state)
{
    struct shared s = {.count = 0};
    static const int expected[] = {1, -1, 2, -1, 3, -1, 4, -1};

    (void)state;
    fiber_init_self(&s.main);
    s.fiber[0] = fiber_of_task(1, count_to_three, &s);
    for (int i = 0; i < 4; i++) {
        assert_false(s.fiber[0]->has_ended);
        fiber_switch(&s.main, s.fiber[0]);
        put(&s, -1);
    }

    assert_true(s.fiber[0]->has_ended);
    assert_memory_equal(s.log, expected, sizeof(expected));
    fiber_free(s.fiber[0]);
    assert_int_equal(world_root.heap.fibers_count, 0);
}

static void pass_on(void *argument)
{
    struct shared *s = argument;

    put(s, 1);
    fiber_switch(s->fiber[0], s->fiber[1]);
    put(s, 3);
    fiber_switch(s->fiber[0], &s->main);
}

static void pass_back(void *argument)
{
    struct shared *s = argument;

    put(s, 2);
}

static void a_fiber_that_ends_returns_to_the_one_that_resumed_it(void **state)
{
    struct shared s = {.count = 0};
    static const int expected[] = {1, 2, 3};

    (void)state;
    fiber_init_self(&s.main);
    s.fiber[0] = fiber_of_task(1, pass_on, &s);
    s.fiber[1] = fiber_of_task(2, pass_back, &s);
    fiber_switch(&s.main, s.fiber[0]);

    assert_memory_equal(s.log, expected, sizeof(expected));
    fiber_free(s.fiber[0]);
    fiber_free(s.fiber[1]);
}

static void use_the_stack(void *argument)
{
    struct shared *s = argument;
    _Alignas(16) volatile long double aligned = 1.5L;

    s->address = (uintptr_t)&aligned;
    (void)snprintf(s->text, sizeof(s->text), "%.2Lf %.3f", aligned * 2, 0.125);
}

static void a_fibers_stack_is_aligned(void **state)
{
    struct shared s = {.count = 0};

    (void)state;
    fiber_init_self(&s.main);
    s.fiber[0] = fiber_of_task(1, use_the_stack, &s);
    fiber_switch(&s.main, s.fiber[0]);

    assert_int_equal(s.address % 16, 0);
    assert_string_equal(s.text, "3.00 0.125");
    fiber_free(s.fiber[0]);
}

static void round_up(void *argument)
{
    struct shared *s = argument;

    put(s, fegetround());
    (void)fesetround(FE_UPWARD);
    fiber_switch(s->fiber[0], &s->main);
    put(s, fegetround());
}

static void rounding_belongs_to_the_fiber(void **state)
{
    struct shared s = {.count = 0};

    (void)state;
    fiber_init_self(&s.main);
    (void)fesetround(FE_DOWNWARD);
    s.fiber[0] = fiber_of_task(1, round_up, &s);
    fiber_switch(&s.main, s.fiber[0]);
    put(&s, fegetround());
    (void)fesetround(FE_TONEAREST);
    fiber_switch(&s.main, s.fiber[0]);

    assert_int_equal(s.log[0], FE_DOWNWARD);
    assert_int_equal(s.log[1], FE_DOWNWARD);
    assert_int_equal(s.log[2], FE_UPWARD);
    assert_int_equal(fegetround(), FE_TONEAREST);
    fiber_free(s.fiber[0]);
}

static double mix(struct shared *s, int depth, double x)
{
    double a = x * 1.5;
    double b = x + 2.0;
    long c = depth * 3;
    long d = depth - 7;

    if (depth == 0) {
        if (s != NULL)
            fiber_switch(s->fiber[0], &s->main);
        return x;
    }
    x = mix(s, depth - 1, a - b);
    return x + a * 0.25 + b * 0.125 + (double)(c ^ d);
}

static void mix_numbers(void *argument)
{
    struct shared *s = argument;
    double result = mix(s, 40, 1.0);

    memcpy(s->text, &result, sizeof(result));
}

static void numbers_in_registers_survive_a_switch(void **state)
{
    struct shared s = {.count = 0};
    double expected = mix(NULL, 40, 1.0);
    double result = 0;

    (void)state;
    fiber_init_self(&s.main);
    s.fiber[0] = fiber_of_task(1, mix_numbers, &s);
    fiber_switch(&s.main, s.fiber[0]);
    (void)mix(NULL, 30, 5.0);
    fiber_switch(&s.main, s.fiber[0]);
    memcpy(&result, s.text, sizeof(result));

    assert_true(result == expected);
    fiber_free(s.fiber[0]);
}

/* As the C++ runtime defines it; the fibers find it by name. */
void *__cxa_get_globals(void);

void *__cxa_get_globals(void)
{
    static uint64_t globals[2];

    return globals;
}

static void catch_something(void *argument)
{
    struct shared *s = argument;
    uint64_t *globals = __cxa_get_globals();

    put(s, (int)globals[0]);
    globals[0] = 22;
    errno = EDOM;
    fiber_switch(s->fiber[0], &s->main);
    put(s, (int)globals[0]);
    put(s, errno == EDOM);
}

static void caught_exceptions_and_errno_belong_to_the_fiber(void **state)
{
    struct shared s = {.count = 0};
    uint64_t *globals = __cxa_get_globals();
    static const int expected[] = {0, 22, 1};

    (void)state;
    fiber_init_self(&s.main);
    s.fiber[0] = fiber_of_task(1, catch_something, &s);
    globals[0] = 11;
    errno = ERANGE;
    fiber_switch(&s.main, s.fiber[0]);
    assert_int_equal(errno, ERANGE);
    errno = 0;
    assert_int_equal(globals[0], 11);
    fiber_switch(&s.main, s.fiber[0]);

    assert_memory_equal(s.log, expected, sizeof(expected));
    globals[0] = 0;
    fiber_free(s.fiber[0]);
}

static void switch_back(void *argument)
{
    struct shared *s = argument;

    for (;;)
        fiber_switch(s->fiber[0], &s->main);
}

static void forgotten_fibers_leave_the_others(void **state)
{
    enum { N = 100 };
    struct fiber *fibers[N];
    struct shared s = {.count = 0};

    (void)state;
    fiber_init_self(&s.main);
    for (uint32_t i = 0; i < N; i++)
        fibers[i] = fiber_of_task(i, switch_back, &s);
    for (uint32_t i = 0; i < N; i += 2)
        fiber_free(fibers[i]);
    assert_int_equal(world_root.heap.fibers_count, N / 2);
    for (uint32_t i = 1; i < N; i += 2) {
        s.fiber[0] = fibers[i];
        fiber_switch(&s.main, fibers[i]);
        fiber_switch(&s.main, fibers[i]);
        fiber_free(fibers[i]);
    }
    assert_int_equal(world_root.heap.fibers_count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fiber_runs_from_switch_to_switch_and_ends),
        cmocka_unit_test(a_fiber_that_ends_returns_to_the_one_that_resumed_it),
        cmocka_unit_test(a_fibers_stack_is_aligned),
        cmocka_unit_test(rounding_belongs_to_the_fiber),
        cmocka_unit_test(numbers_in_registers_survive_a_switch),
        cmocka_unit_test(caught_exceptions_and_errno_belong_to_the_fiber),
        cmocka_unit_test(forgotten_fibers_leave_the_others),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
