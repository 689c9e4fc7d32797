/* stack.h - who called whom: the addresses of the frames of the running thread.
 *
 * Taken where a trial ends badly, often in a handler of the signal that ended it: on another stack,
 * with a heap, a stack or a program counter that may be anything. The frames are found by the
 * unwind tables that every program carries, through libgcc's unwinder, since frame pointers are
 * left out by default. A fault on the way ends the walk, not the process. Nothing is symbolised
 * here: report/symbols.h does that, in a process that is well. SPDX-License-Identifier: MIT
 */
#ifndef ENGINE_STACK_H
#define ENGINE_STACK_H

#include <stdint.h>
#include <ucontext.h>

enum { STACK_FRAMES_MAX = 64 };

struct stack {
    uint32_t n;
    /* The innermost first. Of a frame that has called another one: an address inside of the call,
     * not the one after it, which may belong to another line or function. */
    uint64_t pc[STACK_FRAMES_MAX];
};

/* Loads and initialises what stack_take needs. Before anything is saved of the program's memory:
 * what is loaded later counts as the trial's doing. */
void stack_prepare(void);

/* Where this thread is (`at` is NULL: at the call of this function), up to and without the frames
 * that have called the trial. In a handler of a signal `at` is its third argument; it is as before
 * when this returns, but is changed meanwhile. What cannot be followed is left out: at least one
 * frame is there if `at` is given. Calls nothing that may not be called in a handler, and needs
 * about 8 KiB of stack. */
void stack_take(struct stack *out, const ucontext_t *at);

/* For functions of the library that call the code under test, and whose frames are where a stack
 * stops to tell where that was: how the engine came to make the call differs from strategy to
 * strategy, and from the first trial of a process to the next. They are never inlined, and say
 * STACK_CALLED after a call that is the last thing they do: it must not replace their frame. */
#define STACK_CALLS __attribute__((noinline, section("sennit_calls")))
#define STACK_CALLED() __asm__ volatile("")

/* The same for functions that do nothing else. Where gcc says that the arguments of the call can be
 * found gdb finds nothing, and complains in every line of a stack: so it is to say nothing. */
#ifdef __clang__
#define STACK_ONLY_CALLS STACK_CALLS
#else
#define STACK_ONLY_CALLS STACK_CALLS __attribute__((optimize("no-var-tracking")))
#endif

/* A number for where it was: the same of two stacks whose innermost frames are, up to the call of
 * the code under test. Both must be of one program at the same addresses. 0: it is empty. */
uint64_t stack_place(const struct stack *stack);

#endif
