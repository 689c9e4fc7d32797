/* claims_fiber.c - fibers come back, and so does what a crash left behind on one.
 * SPDX-License-Identifier: MIT
 */
#include "claims.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

struct counting {
    int steps;
    int sum;
};

static int deep(struct counting *c, int depth)
{
    volatile int local = depth * 3;

    if (depth == 0) {
        shim_yield();
        return 1;
    }
    c->sum += deep(c, depth - 1);
    return local / 3;
}

static void count_and_yield(void *argument)
{
    struct counting *c = argument;
    int mine = 0;

    for (;;) {
        c->steps = ++mine;
        (void)deep(c, 10);
    }
}

static const char *a_fiber_suspended_in_a_function_goes_on_from_there_each_time(void)
{
    struct counting *c = escape(calloc(1, sizeof(*c)));
    void *f = shim_fiber(3, count_and_yield, c);
    uint32_t m;
    int sum;

    shim_resume(f);
    shim_resume(f);
    sum = c->sum;
    m = shim_save();
    for (int i = 0; i < 3; i++) {
        HOLDS(c->steps == 2);
        HOLDS(c->sum == sum);
        shim_resume(f);
        shim_resume(f);
        HOLDS(c->steps == 4);
        HOLDS(c->sum == 3 * sum);
        shim_restore(m);
    }
    return NULL;
}

static const char *a_fiber_made_in_a_trial_is_forgotten(void)
{
    struct counting *c = escape(calloc(1, sizeof(*c)));
    uint32_t m = shim_save();

    for (int i = 0; i < 3; i++) {
        void *f = shim_fiber(4, count_and_yield, c);

        shim_resume(f);
        HOLDS(c->steps == 1);
        shim_restore(m);
        HOLDS(c->steps == 0);
    }
    return NULL;
}

static int compare_and_yield(const void *a, const void *b)
{
    shim_yield();
    return *(const int *)a - *(const int *)b;
}

static void sort_numbers(void *argument)
{
    qsort(argument, 300, sizeof(int), compare_and_yield);
}

static bool is_sorted(const int *numbers)
{
    for (int i = 0; i < 300; i++) {
        if (numbers[i] != i)
            return false;
    }
    return true;
}

static const char *a_fiber_yields_inside_of_qsort(void)
{
    int *numbers = malloc(300 * sizeof(*numbers));
    void *f;
    uint32_t m;

    for (int i = 0; i < 300; i++)
        numbers[i] = (i * 7 + 5) % 300;
    f = shim_fiber(5, sort_numbers, numbers);
    for (int i = 0; i < 500; i++)
        shim_resume(f);
    m = shim_save();
    for (int i = 0; i < 3; i++) {
        HOLDS(!is_sorted(numbers));
        while (shim_resume(f))
            continue;
        HOLDS(is_sorted(numbers));
        shim_restore(m);
    }
    return NULL;
}

static void touch_errno(void *argument)
{
    errno = *(int *)argument;
    shim_yield();
    *(int *)argument = -errno;
}

static const char *errno_belongs_to_the_fiber(void)
{
    int *a = malloc(sizeof(*a));
    int *b = malloc(sizeof(*b));
    void *fa = shim_fiber(6, touch_errno, a);
    void *fb = shim_fiber(7, touch_errno, b);

    *a = ENOENT;
    *b = EBADF;
    errno = EAGAIN;
    shim_resume(fa);
    shim_resume(fb);
    shim_resume(fa);
    shim_resume(fb);

    HOLDS(errno == EAGAIN);
    HOLDS(*a == -ENOENT);
    HOLDS(*b == -EBADF);
    return NULL;
}

/* ---- what the trial should not have done ---------------------------------------------------- */

static sigjmp_buf *way_out; /* set before each save, so it is the same after the restore */

static void on_fault(int signal)
{
    (void)signal;
    siglongjmp(*way_out, 1);
}

static void crash(void *argument)
{
    escape(strdup("x"));
    *(volatile int *)argument = 1;
}

__attribute__((noinline)) static int recurse(volatile char *above)
{
    volatile char space[1000];

    space[0] = above == NULL ? 0 : above[0];
    if (space[0] == 77)
        return 0; /* never */
    return recurse(space) + space[0];
}

static void overflow(void *argument)
{
    (void)argument;
    (void)recurse(NULL);
}

static const char *survive(void (*bad)(void *), sigjmp_buf *jump, void *alternative)
{
    stack_t stack = {.ss_sp = alternative, .ss_size = 65536};
    stack_t old_stack;
    struct sigaction action = {.sa_handler = on_fault, .sa_flags = SA_ONSTACK};
    struct sigaction old;
    struct counting *c = escape(calloc(1, sizeof(*c)));
    uint32_t m;

    HOLDS(sigaltstack(&stack, &old_stack) == 0);
    HOLDS(sigaction(SIGSEGV, &action, &old) == 0);
    way_out = jump;
    m = shim_save();
    for (volatile int i = 0; i < 5; i++) {
        void *f = shim_fiber(8, bad, NULL);

        if (sigsetjmp(*way_out, 1) == 0) {
            shim_resume(f);
            return "it did not crash";
        }
        shim_gone();
        shim_restore(m);
        f = shim_fiber(8, count_and_yield, c);
        shim_resume(f);
        HOLDS(c->steps == 1);
        shim_restore(m);
    }
    HOLDS(sigaction(SIGSEGV, &old, NULL) == 0);
    HOLDS(sigaltstack(&old_stack, NULL) == 0);
    return NULL;
}

static const char *a_crash_is_undone(void)
{
    sigjmp_buf jump;
    char alternative[65536];

    return survive(crash, &jump, alternative);
}

static const char *a_stack_overflow_is_undone(void)
{
    sigjmp_buf jump;
    char alternative[65536];

    return survive(overflow, &jump, alternative);
}

/* ---- the same in every trial -------------------------------------------------------------------
 */

__attribute__((noinline)) static uint64_t read_stack(bool dirty)
{
    volatile unsigned char buffer[3000];
    uint64_t h = 0;

    /* Uninitialised on purpose: this is the claim. The compiler is told otherwise. */
    __asm__ volatile("" : "=m"(buffer));
    h = hash_bytes(buffer, sizeof(buffer));
    for (size_t i = 0; dirty && i < sizeof(buffer); i++)
        buffer[i] = (unsigned char)(i * 13 + h);
    escape(buffer);
    return h;
}

static void read_and_dirty_stack(void *argument)
{
    uint64_t *h = argument;

    h[0] = read_stack(true);
    h[1] = read_stack(true);
    shim_yield();
    h[2] = read_stack(true);
}

static const char *uninitialised_stack_is_the_same_in_each_trial(void)
{
    uint64_t *h = escape(calloc(3, sizeof(*h)));
    uint64_t first[3];
    uint32_t m = shim_save();

    for (int i = 0; i < 4; i++) {
        void *f = shim_fiber(10, read_and_dirty_stack, h);

        shim_resume(f);
        shim_resume(f);
        if (i == 0)
            memcpy(first, h, sizeof(first));
        HOLDS(memcmp(first, h, sizeof(first)) == 0);
        HOLDS(h[0] != h[1]);
        shim_restore(m);
    }
    return NULL;
}

const struct claim claims_fiber[] = {
    ENTRY(a_fiber_suspended_in_a_function_goes_on_from_there_each_time),
    ENTRY(a_fiber_made_in_a_trial_is_forgotten),
    ENTRY(a_fiber_yields_inside_of_qsort),
    ENTRY(errno_belongs_to_the_fiber),
    ENTRY(a_crash_is_undone),
    ENTRY(a_stack_overflow_is_undone),
    ENTRY(uninitialised_stack_is_the_same_in_each_trial),
    {NULL, NULL},
};
