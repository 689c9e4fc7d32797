/* fiber.c - see fiber.h. SPDX-License-Identifier: MIT */
#include "engine/fiber.h"

#include "base/err.h"
#include "engine/world/heap.h"
#include "engine/world/memory.h"

#include <errno.h>
#include <string.h>

enum {
    STACK_MIN = 4096,
    CXX_GLOBALS = 16, /* bytes: caughtExceptions, uncaughtExceptions */
};

/* Present if the program is built with AddressSanitizer, or written in C++. */
__attribute__((weak)) void __sanitizer_start_switch_fiber(void **fake_stack, const void *low,
                                                          size_t size);
__attribute__((weak)) void __sanitizer_finish_switch_fiber(void *fake_stack, const void **low,
                                                           size_t *size);
__attribute__((weak)) void __asan_unpoison_memory_region(const volatile void *start, size_t size);
__attribute__((weak)) void *__cxa_get_globals(void);

static void arrive(struct fiber *self);

/* ---- the switch ----------------------------------------------------------------------------- */

/* Starts the fiber that `to` points to, on its own stack. Never returns. */
void fiber_begin(struct fiber *self) __attribute__((noreturn, used, visibility("hidden")));

#ifndef FIBER_UCONTEXT
/* Where a new fiber starts: its struct is in a callee-saved register. */
void fiber_entry(void) __attribute__((visibility("hidden")));
#endif

#if defined(FIBER_UCONTEXT)

static void context_entry(unsigned high, unsigned low)
{
    fiber_begin((struct fiber *)(uintptr_t)((uint64_t)high << 32 | low));
}

static void context_make(struct fiber *f, unsigned char *top)
{
    uint64_t address = (uint64_t)(uintptr_t)f;

    (void)getcontext(&f->context);
    f->context.uc_stack.ss_sp = f->low;
    f->context.uc_stack.ss_size = (size_t)(top - f->low);
    f->context.uc_link = NULL;
    makecontext(&f->context, (void (*)(void))context_entry, 2, (unsigned)(address >> 32),
                (unsigned)address);
    f->sp = top;
}

static void context_swap(struct fiber *from, struct fiber *to)
{
    (void)swapcontext(&from->context, &to->context);
}

#elif defined(__x86_64__)

__asm__(".text\n"
        ".globl fiber_swap\n"
        ".hidden fiber_swap\n"
        ".type fiber_swap, @function\n"
        ".p2align 4\n"
        "fiber_swap:\n"
        ".cfi_startproc\n"
        "    endbr64\n"
        "    popq %rax\n"
        "    leaq -128(%rsp), %rsp\n"
        "    pushq %rax\n"
        "    pushq %rbp\n"
        "    pushq %rbx\n"
        "    pushq %r12\n"
        "    pushq %r13\n"
        "    pushq %r14\n"
        "    pushq %r15\n"
        "    subq $8, %rsp\n"
        "    stmxcsr (%rsp)\n"
        "    fnstcw 4(%rsp)\n"
        "    movw $0, 6(%rsp)\n"
        "    movl (%rsp), %eax\n"
        "    movzwl 4(%rsp), %ecx\n"
        "    movq %rsp, (%rdi)\n"
        "    movq %rsi, %rsp\n"
        "    cmpl (%rsp), %eax\n" /* loading what is there already costs more than to look */
        "    jne 1f\n"
        "    cmpw 4(%rsp), %cx\n"
        "    jne 1f\n"
        "2:  addq $8, %rsp\n"
        "    popq %r15\n"
        "    popq %r14\n"
        "    popq %r13\n"
        "    popq %r12\n"
        "    popq %rbx\n"
        "    popq %rbp\n"
        "    popq %rdx\n"
        "    leaq 128(%rsp), %rsp\n"
        "    jmpq *%rdx\n"
        "1:  ldmxcsr (%rsp)\n"
        "    fldcw 4(%rsp)\n"
        "    jmp 2b\n"
        ".cfi_endproc\n"
        ".size fiber_swap, . - fiber_swap\n"
        ".globl fiber_entry\n"
        ".hidden fiber_entry\n"
        ".type fiber_entry, @function\n"
        "fiber_entry:\n"
        ".cfi_startproc\n"
        ".cfi_undefined rip\n"
        "    movq %rbx, %rdi\n"
        "    call fiber_begin\n"
        "    ud2\n"
        ".cfi_endproc\n"
        ".size fiber_entry, . - fiber_entry\n");

/* As fiber_swap leaves it: control words, r15..r12, rbx, rbp, and where to return to; then 128
 * bytes that code may use below its stack, which fiber_switch_plain has to leave alone. */
static void context_make(struct fiber *f, unsigned char *top)
{
    uint64_t *frame = (uint64_t *)(void *)top - (8 + 16);
    uint32_t mxcsr;
    uint16_t cw;

    __asm__ volatile("stmxcsr %0" : "=m"(mxcsr));
    __asm__ volatile("fnstcw %0" : "=m"(cw));
    memset(frame, 0, 8 * sizeof(*frame));
    frame[0] = (uint64_t)cw << 32 | mxcsr;
    frame[5] = (uint64_t)(uintptr_t)f;
    frame[7] = (uint64_t)(uintptr_t)fiber_entry;
    f->sp = frame;
}

#else /* aarch64 */

__asm__(".text\n"
        ".globl fiber_swap\n"
        ".hidden fiber_swap\n"
        ".type fiber_swap, %function\n"
        ".p2align 4\n"
        "fiber_swap:\n"
        "    sub sp, sp, #176\n"
        "    stp x19, x20, [sp, #0]\n"
        "    stp x21, x22, [sp, #16]\n"
        "    stp x23, x24, [sp, #32]\n"
        "    stp x25, x26, [sp, #48]\n"
        "    stp x27, x28, [sp, #64]\n"
        "    stp x29, x30, [sp, #80]\n"
        "    stp d8, d9, [sp, #96]\n"
        "    stp d10, d11, [sp, #112]\n"
        "    stp d12, d13, [sp, #128]\n"
        "    stp d14, d15, [sp, #144]\n"
        "    mrs x9, fpcr\n"
        "    str x9, [sp, #160]\n"
        "    mov x9, sp\n"
        "    str x9, [x0]\n"
        "    mov sp, x1\n"
        "    ldr x9, [sp, #160]\n"
        "    msr fpcr, x9\n"
        "    ldp d14, d15, [sp, #144]\n"
        "    ldp d12, d13, [sp, #128]\n"
        "    ldp d10, d11, [sp, #112]\n"
        "    ldp d8, d9, [sp, #96]\n"
        "    ldp x29, x30, [sp, #80]\n"
        "    ldp x27, x28, [sp, #64]\n"
        "    ldp x25, x26, [sp, #48]\n"
        "    ldp x23, x24, [sp, #32]\n"
        "    ldp x21, x22, [sp, #16]\n"
        "    ldp x19, x20, [sp, #0]\n"
        "    add sp, sp, #176\n"
        "    ret\n"
        ".size fiber_swap, . - fiber_swap\n"
        ".globl fiber_entry\n"
        ".hidden fiber_entry\n"
        ".type fiber_entry, %function\n"
        "fiber_entry:\n"
        ".cfi_startproc\n"
        ".cfi_undefined x30\n"
        "    mov x0, x19\n"
        "    bl fiber_begin\n"
        "    brk #1\n"
        ".cfi_endproc\n"
        ".size fiber_entry, . - fiber_entry\n");

/* As fiber_swap leaves it: x19..x30, d8..d15, fpcr. */
static void context_make(struct fiber *f, unsigned char *top)
{
    uint64_t *frame = (uint64_t *)(void *)top - 22;
    uint64_t fpcr;

    __asm__ volatile("mrs %0, fpcr" : "=r"(fpcr));
    memset(frame, 0, 22 * sizeof(*frame));
    frame[0] = (uint64_t)(uintptr_t)f;
    frame[11] = (uint64_t)(uintptr_t)fiber_entry;
    frame[20] = fpcr;
    f->sp = frame;
}

#endif

#ifndef FIBER_UCONTEXT
static void context_swap(struct fiber *from, struct fiber *to)
{
    fiber_swap(&from->sp, to->sp);
}
#endif

/* ---- fibers --------------------------------------------------------------------------------- */

struct fiber *fiber_new(void *stack, size_t size, void (*entry)(void *argument), void *argument)
{
    struct heap_root *heap = &world_root.heap;
    struct fiber *f = fiber_below((unsigned char *)stack + size);

    sn_check(size >= STACK_MIN);
    sn_check(entry != NULL);
    /* A fiber that never returned has left the sanitizer's marks around its variables. */
    if (__asan_unpoison_memory_region != NULL)
        __asan_unpoison_memory_region(stack, size);
    memset(f, 0, (uintptr_t)stack + size - (uintptr_t)f);
    f->low = stack;
    f->size = size;
    f->entry = entry;
    f->argument = argument;
    f->slot = heap_stack_number(stack);
    context_make(f, (unsigned char *)f);
    memory_tell_stack(stack, (unsigned char *)stack + size);
    if (f->slot != 0) {
        sn_check(heap->fibers_count < HEAP_TASKS);
        f->index = heap->fibers_count++;
        heap->fibers[f->index] = f;
    }
    return f;
}

void fiber_free(struct fiber *fiber)
{
    struct heap_root *heap = &world_root.heap;
    struct fiber *last;

    if (fiber == NULL || fiber->slot == 0)
        return;
    sn_check(fiber->index < heap->fibers_count);
    sn_check(heap->fibers[fiber->index] == fiber);
    last = heap->fibers[--heap->fibers_count];
    last->index = fiber->index;
    heap->fibers[fiber->index] = last;
    fiber->slot = 0;
}

void fibers_forget(void)
{
    world_root.heap.fibers_count = 0;
}

void fiber_init_self(struct fiber *self)
{
    memset(self, 0, sizeof(*self));
}

/* So that a restore clears what the stack leaves behind below its live part. */
void fiber_note(const struct fiber *f)
{
    struct heap_root *heap = &world_root.heap;
    uint32_t slot = f->slot - 1;

    if (f->slot == 0)
        return;
    heap->stack_ran[slot / 64] |= UINT64_C(1) << (slot % 64);
    heap->ran_any[slot / 4096] |= UINT64_C(1) << (slot / 64 % 64);
}

bool fiber_is_plain(void)
{
    return __sanitizer_start_switch_fiber == NULL && __cxa_get_globals == NULL;
}

static void leave(struct fiber *from, struct fiber *to)
{
    sn_check(!to->has_ended);
    to->back = from;
    fiber_note(to);
    if (__sanitizer_start_switch_fiber != NULL)
        __sanitizer_start_switch_fiber(from->has_ended ? NULL : &from->fake_stack, to->low,
                                       to->size);
    context_swap(from, to);
}

/* Tells the sanitizer that self runs now, and learns where the stack of the other one lies if that
 * is the engine's own. */
static void arrive(struct fiber *self)
{
    const void *low = NULL;
    size_t size = 0;

    if (__sanitizer_finish_switch_fiber == NULL)
        return;
    __sanitizer_finish_switch_fiber(self->fake_stack, &low, &size);
    if (self->back != NULL && self->back->low == NULL) {
        self->back->low = (unsigned char *)(uintptr_t)low;
        self->back->size = size;
    }
}

void fiber_switch(struct fiber *from, struct fiber *to)
{
    int saved_errno = errno;
    unsigned char cxx[CXX_GLOBALS];

    if (__cxa_get_globals != NULL)
        memcpy(cxx, __cxa_get_globals(), sizeof(cxx));
    leave(from, to);
    arrive(from);
    if (__cxa_get_globals != NULL)
        memcpy(__cxa_get_globals(), cxx, sizeof(cxx));
    errno = saved_errno;
}

void fiber_begin(struct fiber *self)
{
    arrive(self);
    if (__cxa_get_globals != NULL)
        memset(__cxa_get_globals(), 0, CXX_GLOBALS);
    errno = 0;
    self->entry(self->argument);
    self->has_ended = true;
    leave(self, self->back);
    sn_check(!self->has_ended); /* it was resumed */
    __builtin_unreachable();
}
