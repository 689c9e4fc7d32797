/* stack.c - see stack.h.
 *
 * libgcc can only start at its own caller. In a handler it therefore walks from there through the
 * frame that the kernel has made for the signal, and what it finds before the interrupted frame is
 * dropped. Where the program counter itself is wrong, as after a call through a null pointer, there
 * is no table for it and the walk would end there: then the context in the kernel's frame is made
 * to say for a moment what it would say if the call had just returned. SPDX-License-Identifier: MIT
 */
#include "engine/stack.h"

#include "base/rng.h"
#include "engine/world/root.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <unwind.h>

/* So many frames tell one place from another; the first may all be the library's, if it was called
 * by the code under test. */
enum { PLACE_FRAMES = 8 };

/* Where the functions are that STACK_CALLS is said of: names that the linker gives. */
extern const char __start_sennit_calls[] __attribute__((visibility("hidden")));
extern const char __stop_sennit_calls[] __attribute__((visibility("hidden")));

/* What the unwinder may die of when it follows pointers that are not. */
static const int faults[] = {SIGSEGV, SIGBUS, SIGABRT};

enum { FAULTS = sizeof(faults) / sizeof(faults[0]) };

struct registers {
    uint64_t pc;
    uint64_t sp;
    uint64_t link; /* where the address to return to is kept in a register; 0 elsewhere */
};

struct walk {
    struct stack *out;
    ucontext_t *at;        /* NULL: from the caller of stack_take */
    struct registers was;  /* what `at` says */
    struct registers from; /* the frame to begin with */
    uint64_t own_sp;       /* frames below it are our own */
    uint64_t start_sp;     /* of the first frame that was taken */
    uint64_t last_sp;
    bool has_begun;
};

/* A fault has come back here: see on_fault. */
struct escape {
    jmp_buf at;
    uintptr_t thread;
};

static void follow(struct walk *w);

/* ---- Registers ------------------------------------------------------------------------------ */

#if defined(__x86_64__)

static struct registers registers_of(const ucontext_t *at)
{
    return (struct registers){.pc = (uint64_t)at->uc_mcontext.gregs[REG_RIP],
                              .sp = (uint64_t)at->uc_mcontext.gregs[REG_RSP]};
}

static void set_registers(ucontext_t *at, const struct registers *r)
{
    at->uc_mcontext.gregs[REG_RIP] = (greg_t)r->pc;
    at->uc_mcontext.gregs[REG_RSP] = (greg_t)r->sp;
}

/* As if the function that was called at a wrong address had returned at once. */
__attribute__((no_sanitize_address)) static struct registers returned(const struct registers *r)
{
    const uint64_t *top = (const uint64_t *)(uintptr_t)r->sp;

    return (struct registers){.pc = *top, .sp = r->sp + sizeof(*top)};
}

#elif defined(__aarch64__)

static struct registers registers_of(const ucontext_t *at)
{
    return (struct registers){
        .pc = at->uc_mcontext.pc, .sp = at->uc_mcontext.sp, .link = at->uc_mcontext.regs[30]};
}

static void set_registers(ucontext_t *at, const struct registers *r)
{
    at->uc_mcontext.pc = r->pc;
    at->uc_mcontext.sp = r->sp;
}

static struct registers returned(const struct registers *r)
{
    return (struct registers){.pc = r->link, .sp = r->sp, .link = r->link};
}

#else

static struct registers registers_of(const ucontext_t *at)
{
    (void)at;
    return (struct registers){0};
}

static void set_registers(ucontext_t *at, const struct registers *r)
{
    (void)at;
    (void)r;
}

static struct registers returned(const struct registers *r)
{
    return *r;
}

#endif

/* ---- Faults --------------------------------------------------------------------------------- */

static void on_fault(int number)
{
    struct escape *escape = world_root.stack_escape;

    if (escape != NULL && escape->thread == (uintptr_t)pthread_self())
        _longjmp(escape->at, 1);
    (void)signal(number, SIG_DFL); /* another thread's, which then dies of it */
}

/* Follows the frames; a fault ends that, and what was found is kept. */
static void follow_guarded(struct walk *w)
{
    struct sigaction action = {.sa_handler = on_fault, .sa_flags = SA_ONSTACK | SA_NODEFER};
    struct sigaction before[FAULTS];
    struct escape escape = {.thread = (uintptr_t)pthread_self()};
    sigset_t mine;
    sigset_t mask;

    (void)sigemptyset(&mine);
    for (int i = 0; i < FAULTS; i++) {
        (void)sigaddset(&mine, faults[i]);
        (void)sigaction(faults[i], &action, &before[i]);
    }
    (void)pthread_sigmask(SIG_UNBLOCK, &mine, &mask);
    world_root.stack_escape = &escape;
    if (_setjmp(escape.at) == 0)
        follow(w);
    world_root.stack_escape = NULL;
    (void)pthread_sigmask(SIG_SETMASK, &mask, NULL);
    for (int i = 0; i < FAULTS; i++)
        (void)sigaction(faults[i], &before[i], NULL);
}

/* ---- Frames --------------------------------------------------------------------------------- */

/* The trial was called from here, or the stack does not go up any more. On the stack of a fiber,
 * which lies elsewhere, the walk ends by itself. */
static bool is_outside(const struct walk *w, uint64_t sp)
{
    uint64_t bottom = world_root.trial_stack;

    return sp < w->last_sp || (w->start_sp <= bottom && sp > bottom && bottom != 0);
}

static bool is_first(const struct walk *w, uint64_t pc, uint64_t sp, bool is_exact)
{
    return w->at == NULL ? sp > w->own_sp : is_exact && pc == w->from.pc;
}

static _Unwind_Reason_Code on_frame(struct _Unwind_Context *context, void *self)
{
    struct walk *w = self;
    int is_exact = 0; /* interrupted there, and did not call from there */
    uint64_t pc = _Unwind_GetIPInfo(context, &is_exact);
    uint64_t sp = _Unwind_GetCFA(context);

    if (!w->has_begun) {
        if (!is_first(w, pc, sp, is_exact != 0))
            return _URC_NO_REASON;
        w->has_begun = true;
        if (w->at != NULL)
            sp = w->from.sp; /* on aarch64 it is the address of the kernel's frame instead */
        w->start_sp = sp;
        w->last_sp = sp;
    }
    if (pc == 0 || is_outside(w, sp) || w->out->n == STACK_FRAMES_MAX)
        return _URC_END_OF_STACK;
    w->last_sp = sp;
    w->out->pc[w->out->n++] = is_exact != 0 ? pc : pc - 1;
    return _URC_NO_REASON;
}

static void walk_from(struct walk *w, const struct registers *from)
{
    w->from = *from;
    w->has_begun = false;
    (void)_Unwind_Backtrace(on_frame, w);
}

static void follow(struct walk *w)
{
    struct registers is;

    walk_from(w, &w->was);
    if (w->at == NULL || w->out->n > 1)
        return;
    is = returned(&w->was);
    set_registers(w->at, &is);
    w->out->n = 1;
    w->out->pc[0] = w->was.pc;
    walk_from(w, &is);
}

/* Never inlined: its frame divides ours from the caller's. */
__attribute__((noinline)) void stack_take(struct stack *out, const ucontext_t *at)
{
    struct walk w = {.out = out,
                     .at = (ucontext_t *)(uintptr_t)at,
                     .own_sp = (uint64_t)(uintptr_t)__builtin_frame_address(0)};

    out->n = 0;
    if (world_root.stack_escape != NULL)
        return; /* a walk was interrupted by what calls this */
    if (at != NULL)
        w.was = registers_of(at);
    follow_guarded(&w);
    if (at == NULL)
        return;
    set_registers(w.at, &w.was);
    /* The guess that a call went wrong was wrong itself if it leads nowhere. */
    if (out->n < 3 && out->pc[0] == w.was.pc)
        out->n = 1;
    if (out->n == 0)
        out->pc[out->n++] = w.was.pc;
}

static bool is_call(uint64_t pc)
{
    return pc >= (uintptr_t)__start_sennit_calls && pc < (uintptr_t)__stop_sennit_calls;
}

uint64_t stack_place(const struct stack *stack)
{
    uint64_t place = 0;

    for (uint32_t i = 0; i < stack->n && i < PLACE_FRAMES && (i == 0 || !is_call(stack->pc[i]));
         i++)
        place = mix_pair(place, stack->pc[i]);
    return place;
}

void stack_prepare(void)
{
    struct stack ignored;

    stack_take(&ignored, NULL);
}
