/* fiber.h - flows of control that are switched by hand, on stacks of the world.
 *
 * A suspended fiber is nothing but bytes on its stack, so the world can save and restore it: the
 * live part of the stack, from where it is suspended up to the top, where its struct lies.
 *
 * Per fiber: the callee-saved registers, the floating point control words, errno, and the C++
 * runtime's list of caught exceptions. All fibers run in one thread and share its thread-local
 * variables. The sanitizers are told of each switch. SPDX-License-Identifier: MIT
 */
#ifndef ENGINE_FIBER_H
#define ENGINE_FIBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if !defined(__x86_64__) && !defined(__aarch64__) && !defined(FIBER_UCONTEXT)
#define FIBER_UCONTEXT 1
#endif
#ifdef FIBER_UCONTEXT
#include <ucontext.h>
#endif

enum {
    FIBER_ALIGN = 64,
};

struct fiber {
    void *sp; /* where it is suspended */
    unsigned char
        *low; /* its stack; of the engine's own context: NULL, or what the sanitizer says */
    size_t size;
    void (*entry)(void *argument);
    void *argument;
    struct fiber *back; /* who switched to it last */
    void *fake_stack;   /* the sanitizer's */
    uint32_t index;     /* among the fibers of the region */
    uint32_t slot;      /* number of its stack in the region, plus 1; 0: it lies elsewhere */
    bool has_ended;     /* entry returned: it must not be switched to again */
#ifdef FIBER_UCONTEXT
    ucontext_t context;
#endif
};

/* The struct of the fiber whose stack ends there. */
static inline struct fiber *fiber_below(const void *stack_end)
{
    return (struct fiber *)(((uintptr_t)stack_end - sizeof(struct fiber)) &
                            ~(uintptr_t)(FIBER_ALIGN - 1));
}

/* Makes a fiber on [stack, stack + size), at least 4 KiB, whose struct lies at the top of the
 * stack. The first switch to it calls entry(argument); when entry returns, control goes back to
 * whoever switched to it last. A fiber on a stack of heap_stack is part of the world. */
struct fiber *fiber_new(void *stack, size_t size, void (*entry)(void *argument), void *argument);

/* Forgets a fiber that is not running. Its stack can be used again. */
void fiber_free(struct fiber *fiber);

/* Forgets all fibers: none of them will run again, and their stacks may be used for others. */
void fibers_forget(void);

/* The context that is running now, on the stack it has: zeroed, in memory outside of the world. */
void fiber_init_self(struct fiber *self);

/* Whether a switch is nothing but another stack and other registers: no sanitizer is to be told,
 * and there is no C++ runtime that remembers exceptions. */
bool fiber_is_plain(void);

#ifndef FIBER_UCONTEXT
/* Saves the running context on its stack, its stack pointer in *save_sp, and continues at sp. */
void fiber_swap(void **save_sp, void *sp) __attribute__((visibility("hidden")));
#endif

/* The floating point control words: MXCSR, and above it that of the x87. */
static inline uint64_t fiber_words(void)
{
#if defined(FIBER_UCONTEXT) || !defined(__x86_64__)
    return 0;
#else
    uint32_t mxcsr;
    uint16_t cw;

    __asm__ volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(mxcsr), "=m"(cw));
    return (uint64_t)cw << 32 | mxcsr;
#endif
}

#if defined(__x86_64__) && !defined(FIBER_UCONTEXT)
/* As fiber_swap in fiber.c, which says what lies where. */
#define FIBER_SWITCH                                                                               \
    "    leaq -192(%%rsp), %%rsp\n"                                                                \
    "    leaq 2f(%%rip), %%rcx\n"                                                                  \
    "    movq %%rcx, 56(%%rsp)\n"                                                                  \
    "    movq %%rbp, 48(%%rsp)\n"                                                                  \
    "    movq %%rbx, 40(%%rsp)\n"                                                                  \
    "    movq %%rax, (%%rsp)\n"                                                                    \
    "    movq %%rsp, (%0)\n"                                                                       \
    "    movq %1, %%rsp\n"                                                                         \
    "    movq 56(%%rsp), %%rdx\n"                                                                  \
    "    movq 48(%%rsp), %%rbp\n"                                                                  \
    "    movq 40(%%rsp), %%rbx\n"                                                                  \
    "    cmpq (%%rsp), %%rax\n"                                                                    \
    "    jne 1f\n"                                                                                 \
    "    leaq 192(%%rsp), %%rsp\n"                                                                 \
    "    jmpq *%%rdx\n"                                                                            \
    "1:  ldmxcsr (%%rsp)\n"                                                                        \
    "    fldcw 4(%%rsp)\n"                                                                         \
    "    leaq 192(%%rsp), %%rsp\n"                                                                 \
    "    jmpq *%%rdx\n"                                                                            \
    "2:  endbr64\n"

#define FIBER_CHANGES                                                                              \
    "rcx", "rdx", "r8", "r9", "r10", "r11", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5",        \
        "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15",      \
        "cc", "memory"
#endif

/* fiber_switch where fiber_is_plain, in a hurry: errno is the caller's to keep, and the fiber must
 * have been noted by fiber_note. `words` are what fiber_words says, which takes as long as all the
 * rest: who knows need not ask.
 *
 * There is no call: the processor takes it that a return goes where the last call came from, and is
 * wrong after a switch. */
static inline __attribute__((always_inline)) void
fiber_switch_plain(struct fiber *from, struct fiber *to, uint64_t words)
{
#if defined(FIBER_UCONTEXT)
    (void)words;
    (void)swapcontext(&from->context, &to->context);
#elif defined(__x86_64__)
    void **save_sp = &from->sp;
    void *sp = to->sp;

    __asm__ volatile(FIBER_SWITCH
                     : "+D"(save_sp), "+S"(sp), "+a"(words)
                     :
                     : "r12", "r13", "r14", "r15", FIBER_CHANGES);
#else
    (void)words;
    fiber_swap(&from->sp, to->sp);
#endif
}

/* The same, but for a loop that seldom switches and has a use for all registers that calls leave
 * alone: they are kept, above what code may use below its stack. */
static inline __attribute__((always_inline)) void
fiber_switch_keeping(struct fiber *from, struct fiber *to, uint64_t words)
{
#if defined(__x86_64__) && !defined(FIBER_UCONTEXT)
    void **save_sp = &from->sp;
    void *sp = to->sp;

    __asm__ volatile("leaq -160(%%rsp), %%rsp\n"
                     "    movq %%r12, (%%rsp)\n"
                     "    movq %%r13, 8(%%rsp)\n"
                     "    movq %%r14, 16(%%rsp)\n"
                     "    movq %%r15, 24(%%rsp)\n" FIBER_SWITCH "    movq (%%rsp), %%r12\n"
                     "    movq 8(%%rsp), %%r13\n"
                     "    movq 16(%%rsp), %%r14\n"
                     "    movq 24(%%rsp), %%r15\n"
                     "    leaq 160(%%rsp), %%rsp\n"
                     : "+D"(save_sp), "+S"(sp), "+a"(words)
                     :
                     : FIBER_CHANGES);
#else
    fiber_switch_plain(from, to, words);
#endif
}

/* This fiber is about to run: a restore must clear what it leaves behind. */
void fiber_note(const struct fiber *fiber);

/* Suspends `from`, which must be the running one, and resumes `to`. Returns when something switches
 * back to `from`. */
void fiber_switch(struct fiber *from, struct fiber *to);

#endif
