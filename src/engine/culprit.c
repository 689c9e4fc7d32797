/* culprit.c - see culprit.h.
 *
 * A call that is handed over comes as a signal (SIGSYS), whose handler makes the call itself, by an
 * instruction that the filter lets pass, and puts the result where the program expects it. A
 * program that has blocked the signal would be killed, and glibc blocks all of them while it starts
 * a thread: so the mask of signals is handed over as well, and never gets to hold this one.
 * SPDX-License-Identifier: MIT
 */
#include "engine/culprit.h"

#include "engine/world/root.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define OWN_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OWN_ARCH AUDIT_ARCH_AARCH64
#endif

#ifdef OWN_ARCH

/* What a system call can do. */
enum effect {
    OPENS = 1, /* returns a descriptor */
    OPENS_TWO, /* writes two of them to where an argument points */
    CLOSES,
    REPLACES, /* the descriptor that it returns, which may have been open */
    CONTROLS, /* fcntl: some of it returns a descriptor */
    READS,
    MAPS,
    UNMAPS,
    STARTS,
    MASKS, /* signals */
};

struct call {
    long number;
    enum effect effect;
};

static const struct call calls[] = {
#ifdef SYS_open
    {SYS_open, OPENS},           {SYS_creat, OPENS},
    {SYS_pipe, OPENS_TWO},       {SYS_dup2, REPLACES},
    {SYS_accept, OPENS},         {SYS_eventfd, OPENS},
    {SYS_epoll_create, OPENS},   {SYS_signalfd, OPENS},
    {SYS_inotify_init, OPENS},
#endif
    {SYS_openat, OPENS},         {SYS_openat2, OPENS},
    {SYS_socket, OPENS},         {SYS_socketpair, OPENS_TWO},
    {SYS_pipe2, OPENS_TWO},      {SYS_dup, OPENS},
    {SYS_dup3, REPLACES},        {SYS_fcntl, CONTROLS},
    {SYS_accept4, OPENS},        {SYS_eventfd2, OPENS},
    {SYS_epoll_create1, OPENS},  {SYS_timerfd_create, OPENS},
    {SYS_signalfd4, OPENS},      {SYS_inotify_init1, OPENS},
    {SYS_memfd_create, OPENS},   {SYS_userfaultfd, OPENS},
    {SYS_close, CLOSES},         {SYS_read, READS},
    {SYS_readv, READS},          {SYS_lseek, READS},
    {SYS_getdents64, READS},     {SYS_mmap, MAPS},
    {SYS_mremap, MAPS},          {SYS_munmap, UNMAPS},
    {SYS_clone, STARTS},         {SYS_clone3, STARTS},
    {SYS_rt_sigprocmask, MASKS},
};

enum { N_CALLS = sizeof(calls) / sizeof(calls[0]) };

/* ---- Making calls --------------------------------------------------------------------------- */

/* A call with its arguments, as the kernel hands it over. */
struct made {
    long number;
    long arg[6];
};

/* The filter lets pass what is called from here. */
long culprit_call(const struct made *made) __attribute__((visibility("hidden")));
extern const char culprit_called[] __attribute__((visibility("hidden")));

#if defined(__x86_64__)

__asm__(".text\n"
        ".globl culprit_call\n"
        ".hidden culprit_call\n"
        ".type culprit_call, @function\n"
        ".globl culprit_called\n"
        ".hidden culprit_called\n"
        "culprit_call:\n"
        ".cfi_startproc\n"
        "    endbr64\n"
        "    movq %rdi, %r11\n"
        "    movq (%r11), %rax\n"
        "    movq 8(%r11), %rdi\n"
        "    movq 16(%r11), %rsi\n"
        "    movq 24(%r11), %rdx\n"
        "    movq 32(%r11), %r10\n"
        "    movq 40(%r11), %r8\n"
        "    movq 48(%r11), %r9\n"
        "    syscall\n"
        "culprit_called:\n"
        "    ret\n"
        ".cfi_endproc\n"
        ".size culprit_call, . - culprit_call\n");

static struct made made_of(const ucontext_t *at)
{
    const greg_t *r = at->uc_mcontext.gregs;

    return (struct made){r[REG_RAX],
                         {r[REG_RDI], r[REG_RSI], r[REG_RDX], r[REG_R10], r[REG_R8], r[REG_R9]}};
}

static void give(ucontext_t *at, long result)
{
    at->uc_mcontext.gregs[REG_RAX] = result;
}

#else

__asm__(".text\n"
        ".globl culprit_call\n"
        ".hidden culprit_call\n"
        ".type culprit_call, %function\n"
        ".globl culprit_called\n"
        ".hidden culprit_called\n"
        "culprit_call:\n"
        ".cfi_startproc\n"
        "    mov x9, x0\n"
        "    ldr x8, [x9]\n"
        "    ldp x0, x1, [x9, #8]\n"
        "    ldp x2, x3, [x9, #24]\n"
        "    ldp x4, x5, [x9, #40]\n"
        "    svc #0\n"
        "culprit_called:\n"
        "    ret\n"
        ".cfi_endproc\n"
        ".size culprit_call, . - culprit_call\n");

static struct made made_of(const ucontext_t *at)
{
    const unsigned long long *r = at->uc_mcontext.regs;

    return (struct made){(long)r[8],
                         {(long)r[0], (long)r[1], (long)r[2], (long)r[3], (long)r[4], (long)r[5]}};
}

static void give(ucontext_t *at, long result)
{
    at->uc_mcontext.regs[0] = (unsigned long long)result;
}

#endif

static long call(long number, long a, long b)
{
    return culprit_call(&(struct made){number, {a, b}});
}

/* ---- What is left --------------------------------------------------------------------------- */

/* Found, and the first of its kind. */
static void accuse(struct culprit *c, enum check_left left, const ucontext_t *at)
{
    if (c->left == left && c->stack.n == 0)
        stack_take(&c->stack, at);
}

/* Whether the trial has not opened it itself. If it was closed, it still is: the process is the one
 * in which the trial ran before. */
static bool is_old(const struct culprit *c, long fd)
{
    return fd >= 0 && fd < CHECK_FDS_MOST && c->fds[fd].n == 0;
}

static void note_fd(struct culprit *c, long fd, const ucontext_t *at)
{
    if (fd >= 0 && fd < CHECK_FDS_MOST)
        stack_take(&c->fds[fd], at);
}

/* As check.c does: a file or a directory that is only read has an offset that stays. */
static bool has_offset(long fd)
{
    struct stat st;
    long flags = call(SYS_fcntl, fd, F_GETFL);

    return flags >= 0 && (flags & O_ACCMODE) == O_RDONLY && fstat((int)fd, &st) == 0 &&
           (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode));
}

static void note_map(struct culprit *c, uintptr_t start, size_t bytes, const ucontext_t *at)
{
    const struct heap_root *heap = &world_root.heap;

    if (start >= (uintptr_t)heap->base && start < (uintptr_t)heap->end)
        return; /* the world's */
    for (int i = 0; i < CULPRIT_MAPS; i++) {
        struct culprit_map *map = &c->maps[i];

        if (map->start != 0)
            continue;
        map->start = start;
        map->bytes = bytes;
        stack_take(&map->stack, at);
        return;
    }
}

static void forget_maps(struct culprit *c, uintptr_t start, size_t bytes)
{
    for (int i = 0; i < CULPRIT_MAPS; i++) {
        if (c->maps[i].start >= start && c->maps[i].start < start + bytes)
            c->maps[i].start = 0;
    }
}

/* ---- Calls that are handed over ------------------------------------------------------------- */

static enum effect effect_of(long number)
{
    for (int i = 0; i < N_CALLS; i++) {
        if (calls[i].number == number)
            return calls[i].effect;
    }
    return 0;
}

/* What is to be seen before the call is made. */
static void look_before(struct culprit *c, enum effect effect, const struct made *made,
                        const ucontext_t *at)
{
    if (effect == CLOSES && is_old(c, made->arg[0]))
        accuse(c, CHECK_CLOSED, at);
    else if (effect == REPLACES && is_old(c, made->arg[1]))
        accuse(c, CHECK_CLOSED, at);
    else if (effect == READS && is_old(c, made->arg[0]) && has_offset(made->arg[0]))
        accuse(c, CHECK_MOVED, at);
    else if (effect == STARTS)
        accuse(c, CHECK_THREAD, at);
}

/* What is to be seen after it, if it succeeded. */
static void look_after(struct culprit *c, enum effect effect, const struct made *made, long result,
                       const ucontext_t *at)
{
    bool opens = effect == OPENS || effect == REPLACES;
    const int *two;

    if (effect == CONTROLS)
        opens = made->arg[1] == F_DUPFD || made->arg[1] == F_DUPFD_CLOEXEC;
    if (opens) {
        note_fd(c, result, at);
    } else if (effect == OPENS_TWO) {
        two = (const int *)(uintptr_t)made->arg[made->number == SYS_socketpair ? 3 : 0];
        note_fd(c, two[0], at);
        note_fd(c, two[1], at);
    } else if (effect == CLOSES && made->arg[0] >= 0 && made->arg[0] < CHECK_FDS_MOST) {
        c->fds[made->arg[0]].n = 0;
    } else if (effect == UNMAPS || made->number == SYS_mremap) {
        forget_maps(c, (uintptr_t)made->arg[0], (size_t)made->arg[1]);
    }
    if (effect == MAPS)
        note_map(c, (uintptr_t)result, (size_t)made->arg[made->number == SYS_mremap ? 2 : 1], at);
}

/* The mask is what the kernel will put back when the handler returns. Without this signal. */
static long mask(const struct made *made, ucontext_t *at)
{
    const uint64_t *set = (const uint64_t *)(uintptr_t)made->arg[1];
    uint64_t *old = (uint64_t *)(uintptr_t)made->arg[2];
    uint64_t now;
    uint64_t given = 0;

    memcpy(&now, &at->uc_sigmask, sizeof(now));
    if (set != NULL)
        memcpy(&given, set, sizeof(given));
    if (old != NULL)
        memcpy(old, &now, sizeof(now));
    if (set == NULL)
        return 0;
    if (made->arg[0] == SIG_BLOCK)
        now |= given;
    else if (made->arg[0] == SIG_UNBLOCK)
        now &= ~given;
    else if (made->arg[0] == SIG_SETMASK)
        now = given;
    else
        return -EINVAL;
    now &= ~(UINT64_C(1) << (SIGSYS - 1));
    memcpy(&at->uc_sigmask, &now, sizeof(now));
    return 0;
}

static void on_call(int number, siginfo_t *info, void *context)
{
    struct culprit *c = world_root.culprit;
    ucontext_t *at = context;
    struct made made = made_of(at);
    enum effect effect = effect_of(made.number);
    int saved = errno;
    long result = 0;

    (void)number;
    (void)info;
    if (effect == MASKS) {
        give(at, mask(&made, at));
        return;
    }
    if (c->is_watching)
        look_before(c, effect, &made, at);
    if (effect == STARTS && made.number == SYS_clone3)
        result = -ENOSYS; /* then libc tries the other one */
    else if (effect == STARTS)
        result = -EAGAIN; /* a thread cannot be started for somebody else */
    else
        result = culprit_call(&made);
    if (c->is_watching && result >= 0)
        look_after(c, effect, &made, result, at);
    give(at, result);
    errno = saved;
}

/* ---- The filter ----------------------------------------------------------------------------- */

#define LOAD(field_)                                                                               \
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offsetof(struct seccomp_data, field_))
#define LOAD_HIGH(field_)                                                                          \
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offsetof(struct seccomp_data, field_) + 4)
#define IF(value_, yes_, no_) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value_), (yes_), (no_))
#define IF_ANY(bits_, yes_, no_) BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (bits_), (yes_), (no_))
#define RETURN(what_) BPF_STMT(BPF_RET | BPF_K, (what_))

enum { FILTER_HEAD = 14, FILTER_MOST = FILTER_HEAD + N_CALLS * 2 + 1 };

static void install(void)
{
    uintptr_t passes = (uintptr_t)culprit_called;
    struct sock_filter filter[FILTER_MOST] = {
        LOAD(arch),
        IF(OWN_ARCH, 1, 0),
        RETURN(SECCOMP_RET_ALLOW),
        LOAD(instruction_pointer),
        IF((uint32_t)passes, 0, 3),
        LOAD_HIGH(instruction_pointer),
        IF((uint32_t)(passes >> 32), 0, 1),
        RETURN(SECCOMP_RET_ALLOW),
        LOAD(nr),
        IF(SYS_clone, 0, 4), /* a thread, or another process? */
        LOAD(args[0]),
        IF_ANY(CLONE_THREAD, 0, 1),
        RETURN(SECCOMP_RET_TRAP),
        RETURN(SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.filter = filter};
    unsigned short n = FILTER_HEAD;

    for (int i = 0; i < N_CALLS; i++) {
        if (calls[i].number == SYS_clone)
            continue;
        filter[n++] = (struct sock_filter)IF((uint32_t)calls[i].number, 0, 1);
        filter[n++] = (struct sock_filter)RETURN(SECCOMP_RET_TRAP);
    }
    filter[n++] = (struct sock_filter)RETURN(SECCOMP_RET_ALLOW);
    program.len = n;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)
        (void)prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

void culprit_watch(struct culprit *c)
{
    struct sigaction action = {.sa_sigaction = on_call,
                               .sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK};
    sigset_t mine;

    world_root.culprit = c;
    (void)sigaction(SIGSYS, &action, NULL);
    (void)sigemptyset(&mine);
    (void)sigaddset(&mine, SIGSYS);
    (void)sigprocmask(SIG_UNBLOCK, &mine, NULL);
    (void)alarm(CULPRIT_SECONDS);
    c->is_watching = true;
    install();
}

#else

void culprit_watch(struct culprit *c)
{
    c->is_watching = true;
}

#endif

void culprit_find(struct culprit *c)
{
    c->is_watching = false;
    for (int i = 0; c->left == CHECK_OPENED && c->stack.n == 0 && i < CHECK_FDS_MOST; i++) {
        if (c->fds[i].n > 0)
            c->stack = c->fds[i];
    }
    for (int i = 0; c->left == CHECK_MAPPED && c->stack.n == 0 && i < CULPRIT_MAPS; i++) {
        if (c->maps[i].start != 0)
            c->stack = c->maps[i].stack;
    }
    modules_record(&c->modules);
}
