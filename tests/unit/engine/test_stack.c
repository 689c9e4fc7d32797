/* test_stack.c - frames are found in whatever state a thread is. The code is optimised and has no
 * frame pointers: see meson.build. SPDX-License-Identifier: MIT
 */
#include "engine/fiber.h"
#include "engine/stack.h"
#include "engine/world/root.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#define NOINLINE __attribute__((noinline))
#define RETURNS_TO ((uint64_t)(uintptr_t)__builtin_return_address(0))

enum { ALTERNATE = 65536, FIBER_STACK = 65536, PAGE = 4096 };

/* What the code under test knows of its own frames, and what was found. */
static struct {
    uint64_t middle; /* where its callee returns to */
    uint64_t outer;
    uint64_t pc; /* of the interrupted instruction */
    struct stack stack;
    int signal;
    size_t smashed; /* bytes above the saved frame pointer */
    sigjmp_buf back;
    unsigned char *no_access;
    unsigned char alternate[ALTERNATE];
} seen;

/* ---- Catching ------------------------------------------------------------------------------- */

static void on_signal(int number, siginfo_t *info, void *context)
{
    (void)info;
    seen.signal = number;
    stack_take(&seen.stack, context);
    siglongjmp(seen.back, 1);
}

/* Runs what dies, and comes back with the stack of where it did. */
static void catch (void (*dies)(void))
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGABRT, SIGILL};
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_ONSTACK | SA_SIGINFO};
    struct sigaction before[4];
    stack_t alternate = {.ss_sp = seen.alternate, .ss_size = sizeof(seen.alternate)};
    stack_t stack_before;

    seen.signal = 0;
    assert_int_equal(sigaltstack(&alternate, &stack_before), 0);
    for (int i = 0; i < 4; i++)
        assert_int_equal(sigaction(signals[i], &action, &before[i]), 0);
    if (sigsetjmp(seen.back, 1) == 0)
        dies();
    for (int i = 0; i < 4; i++)
        (void)sigaction(signals[i], &before[i], NULL);
    (void)sigaltstack(&stack_before, NULL);
}

/* ---- Code that is walked -------------------------------------------------------------------- */

static volatile int sink;

NOINLINE static void inner(void (*last)(void))
{
    seen.middle = RETURNS_TO;
    last();
    sink++;
}

NOINLINE static void middle(void (*last)(void))
{
    seen.outer = RETURNS_TO;
    inner(last);
    sink++;
}

NOINLINE static void outer(void (*last)(void))
{
    middle(last);
    sink++;
}

static void take(void)
{
    stack_take(&seen.stack, NULL);
    sink++;
}

NOINLINE static void touch(void)
{
    sink = *(volatile unsigned char *)seen.no_access;
}

static void crash(void)
{
    outer(touch);
}

static void call_nothing(void)
{
    void (*volatile nothing)(void) = NULL;

    outer(nothing);
}

static void call_data(void)
{
    void (*volatile data)(void) = (void (*)(void))(uintptr_t)&seen.signal;

    outer(data);
}

static void give_up(void)
{
    outer(abort);
}

/* Frames of unknown size are found by a register that is saved in the frame below. */
NOINLINE __attribute__((no_sanitize("address", "undefined"))) static void smash(size_t n)
{
    volatile unsigned char *room = __builtin_alloca(n);
    volatile unsigned char *frame = __builtin_frame_address(0);

    for (size_t i = 0; i < n; i++)
        room[i] = 0x41;
    for (size_t i = 0; i < seen.smashed; i++)
        frame[i] = 0x41;
    sink = *(volatile unsigned char *)seen.no_access;
    sink = room[n / 2];
}

NOINLINE static void with_room(size_t n)
{
    volatile unsigned char *room = __builtin_alloca(n);

    room[0] = 1;
    smash(n);
    sink = room[n / 2];
}

static void smash_stack(void)
{
    unsigned char below[1024]; /* what is overwritten is nobody else's */

    memset(below, 1, sizeof(below));
    with_room((size_t)sink % 2 + 64);
    sink = below[sink % 1024];
}

NOINLINE static int recurse(int n)
{
    volatile char frame[128];

    if (n < 0)
        return sink;
    frame[n % 128] = 1;
    return recurse(n + 1) + frame[(n + 1) % 128];
}

/* ---- Fibers --------------------------------------------------------------------------------- */

static struct fiber self;

static void take_in_fiber(void *unused)
{
    (void)unused;
    outer(take);
}

static void overflow_in_fiber(void *unused)
{
    (void)unused;
    sink = recurse(0);
}

/* On a stack that was never used: what is left of an abandoned one is no matter. */
static void run_fiber(void (*entry)(void *unused))
{
    unsigned char *stack =
        mmap(NULL, FIBER_STACK + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct fiber *fiber;

    assert_ptr_not_equal(stack, MAP_FAILED);
    assert_int_equal(mprotect(stack, PAGE, PROT_NONE), 0);
    fiber = fiber_new(stack + PAGE, FIBER_STACK, entry, NULL);
    fiber_init_self(&self);
    fiber_switch(&self, fiber);
    fiber_free(fiber);
}

static void overflow(void)
{
    run_fiber(overflow_in_fiber);
}

/* ---- Claims --------------------------------------------------------------------------------- */

static int set_up(void **state)
{
    (void)state;
    stack_prepare();
    seen.no_access = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return seen.no_access == MAP_FAILED ? -1 : 0;
}

static void the_frames_of_the_caller_come_first(void **state)
{
    (void)state;

    outer(take);

    assert_true(seen.stack.n > 3);
    assert_true(seen.stack.pc[2] == seen.middle - 1);
    assert_true(seen.stack.pc[3] == seen.outer - 1);
}

static void a_crash_shows_where_it_was_and_who_called(void **state)
{
    (void)state;

    catch (crash);

    assert_int_equal(seen.signal, SIGSEGV);
    assert_true(seen.stack.n > 3);
    assert_true(seen.stack.pc[0] - (uint64_t)(uintptr_t)touch < 256);
    assert_true(seen.stack.pc[2] == seen.middle - 1);
    assert_true(seen.stack.pc[3] == seen.outer - 1);
}

static void a_call_through_a_null_pointer_shows_the_caller(void **state)
{
    (void)state;

    catch (call_nothing);

    assert_int_equal(seen.signal, SIGSEGV);
    assert_true(seen.stack.n > 3);
    assert_true(seen.stack.pc[0] == 0);
    assert_true(seen.stack.pc[2] == seen.middle - 1);
    assert_true(seen.stack.pc[3] == seen.outer - 1);
}

static void a_call_into_data_shows_the_caller(void **state)
{
    (void)state;

    catch (call_data);

    assert_true(seen.stack.n > 3);
    assert_true(seen.stack.pc[0] == (uint64_t)(uintptr_t)&seen.signal);
    assert_true(seen.stack.pc[2] == seen.middle - 1);
    assert_true(seen.stack.pc[3] == seen.outer - 1);
}

static void abort_shows_who_called_it(void **state)
{
    uint32_t i = 0;

    (void)state;

    catch (give_up);

    assert_int_equal(seen.signal, SIGABRT);
    while (i < seen.stack.n && seen.stack.pc[i] != seen.middle - 1)
        i++;
    assert_true(i + 1 < seen.stack.n);
    assert_true(seen.stack.pc[i + 1] == seen.outer - 1);
}

static void a_smashed_stack_ends_the_walk_and_not_the_process(void **state)
{
    (void)state;

    seen.smashed = 512;

    catch (smash_stack);

    assert_int_equal(seen.signal, SIGSEGV);
    assert_true(seen.stack.n >= 1);
    assert_true(seen.stack.pc[0] - (uint64_t)(uintptr_t)smash < 1024);
}

static void a_fault_of_the_walk_itself_ends_only_the_walk(void **state)
{
    (void)state;
    seen.smashed = 8; /* the caller is known, but not where its frame is */

    catch (smash_stack);

    assert_int_equal(seen.signal, SIGSEGV);
    assert_true(seen.stack.n >= 1);
    assert_true(seen.stack.pc[0] - (uint64_t)(uintptr_t)smash < 1024);
}

static void the_context_is_as_before(void **state)
{
    ucontext_t at;
    ucontext_t was;

    (void)state;
    memset(&at, 0, sizeof(at));
    assert_int_equal(getcontext(&at), 0);
    was = at;

    stack_take(&seen.stack, &at);

    assert_memory_equal(&at.uc_mcontext, &was.uc_mcontext, sizeof(at.uc_mcontext));
}

static void the_overflow_of_a_fiber_shows_the_innermost_frames(void **state)
{
    (void)state;

    catch (overflow);

    assert_int_equal(seen.signal, SIGSEGV);
    assert_int_equal(seen.stack.n, STACK_FRAMES_MAX);
    assert_true(seen.stack.pc[1] == seen.stack.pc[STACK_FRAMES_MAX - 1]);
}

static void the_walk_in_a_fiber_ends_where_the_fiber_began(void **state)
{
    (void)state;

    run_fiber(take_in_fiber);

    assert_true(seen.stack.pc[3] == seen.outer - 1);
    assert_in_range(seen.stack.n, 6, 8); /* then: outer's caller, and two of the fiber's own */
}

NOINLINE static void as_a_trial(void (*body)(void (*last)(void)))
{
    world_root.trial_stack = (uintptr_t)__builtin_frame_address(0);
    body(take);
    world_root.trial_stack = 0;
}

static void frames_that_called_the_trial_are_left_out(void **state)
{
    (void)state;

    as_a_trial(outer);

    assert_true(seen.stack.pc[3] == seen.outer - 1);
    assert_in_range(seen.stack.n, 5, 6);
}

/* ---- Places --------------------------------------------------------------------------------- */

STACK_CALLS static void call(void (*run)(void (*last)(void)))
{
    run(take);
    STACK_CALLED();
}

NOINLINE static void call_quickly(void (*run)(void (*last)(void)))
{
    call(run);
    sink++;
}

NOINLINE static void call_slowly(void (*run)(void (*last)(void)))
{
    call_quickly(run);
    sink++;
}

static void the_place_is_the_same_however_the_code_under_test_was_called(void **state)
{
    uint64_t places[2];

    (void)state;

    call_quickly(outer);
    places[0] = stack_place(&seen.stack);
    call_slowly(outer);
    places[1] = stack_place(&seen.stack);

    assert_true(places[0] != 0);
    assert_true(places[0] == places[1]);
}

static void the_place_is_another_if_the_code_under_test_was_elsewhere(void **state)
{
    uint64_t places[2];

    (void)state;

    call_quickly(outer);
    places[0] = stack_place(&seen.stack);
    call_quickly(middle);
    places[1] = stack_place(&seen.stack);

    assert_true(places[0] != places[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_frames_of_the_caller_come_first),
        cmocka_unit_test(a_crash_shows_where_it_was_and_who_called),
        cmocka_unit_test(a_call_through_a_null_pointer_shows_the_caller),
        cmocka_unit_test(a_call_into_data_shows_the_caller),
        cmocka_unit_test(abort_shows_who_called_it),
        cmocka_unit_test(a_smashed_stack_ends_the_walk_and_not_the_process),
        cmocka_unit_test(a_fault_of_the_walk_itself_ends_only_the_walk),
        cmocka_unit_test(the_context_is_as_before),
        cmocka_unit_test(the_overflow_of_a_fiber_shows_the_innermost_frames),
        cmocka_unit_test(the_walk_in_a_fiber_ends_where_the_fiber_began),
        cmocka_unit_test(frames_that_called_the_trial_are_left_out),
        cmocka_unit_test(the_place_is_the_same_however_the_code_under_test_was_called),
        cmocka_unit_test(the_place_is_another_if_the_code_under_test_was_elsewhere),
    };

    return cmocka_run_group_tests(tests, set_up, NULL);
}
