/* memory.c - see memory.h. SPDX-License-Identifier: MIT */
#include "engine/world/memory.h"

#include "base/err.h"

#include <link.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum {
    PILE_ALIGN = 64,
    PILE_KEEP = 64 << 20, /* bytes above `used` that stay resident */
    PILE_LEAST = 1 << 20,
    PILE_SHARE = 16, /* of a limited address space, one pile takes no more than this part */
    PAGE = 4096,
};

void *memory_reserve(size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                   -1, 0);

    return p == MAP_FAILED ? NULL : p;
}

void memory_release(void *p, size_t bytes)
{
    if (p != NULL)
        (void)munmap(p, bytes);
}

size_t memory_limit(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return SIZE_MAX;
    return (size_t)limit.rlim_cur;
}

bool pile_init(struct pile *pile, size_t most_bytes)
{
    size_t limit = memory_limit();

    for (size_t size = most_bytes; size >= PILE_LEAST; size /= 2) {
        unsigned char *p = size > limit / PILE_SHARE ? NULL : memory_reserve(size);

        if (p == NULL)
            continue;
        *pile = (struct pile){.base = p, .size = size};
        return true;
    }
    return false;
}

void pile_done(struct pile *pile)
{
    memory_release(pile->base, pile->size);
    *pile = (struct pile){.base = NULL};
}

void *pile_push(struct pile *pile, size_t bytes)
{
    size_t start = (pile->used + PILE_ALIGN - 1) & ~(size_t)(PILE_ALIGN - 1);

    if (bytes > pile->size || start > pile->size - bytes)
        return NULL;
    pile->used = start + bytes;
    if (pile->used > pile->touched)
        pile->touched = pile->used;
    return pile->base + start;
}

void pile_pop(struct pile *pile, size_t used)
{
    sn_check(used <= pile->used);
    pile->used = used;
    if (pile->touched - used > 2 * (size_t)PILE_KEEP) {
        size_t from = (used + PILE_KEEP + PAGE - 1) & ~(size_t)(PAGE - 1);

        (void)madvise(pile->base + from, pile->touched - from, MADV_DONTNEED);
        pile->touched = from;
    }
}

static const unsigned char *skip_zeros_plain(const unsigned char *at, const unsigned char *end)
{
    for (; (size_t)(end - at) >= 32; at += 32) {
        uint64_t w[4];

        memcpy(w, at, sizeof(w));
        if ((w[0] | w[1] | w[2] | w[3]) != 0)
            return at;
    }
    while (at < end && *at == 0)
        at++;
    return at;
}

#if defined(__x86_64__)

/* Twice as fast, and most of libc's variables are zeros in each restore. */
__attribute__((target("avx2"))) static const unsigned char *
skip_zeros_wide(const unsigned char *at, const unsigned char *end)
{
    for (; (size_t)(end - at) >= 128; at += 128) {
        const __m256i *w = (const __m256i *)(const void *)at;
        __m256i low = _mm256_or_si256(_mm256_loadu_si256(w), _mm256_loadu_si256(w + 1));
        __m256i high = _mm256_or_si256(_mm256_loadu_si256(w + 2), _mm256_loadu_si256(w + 3));
        __m256i all = _mm256_or_si256(low, high);

        if (!_mm256_testz_si256(all, all))
            return at;
    }
    return skip_zeros_plain(at, end);
}

#endif

size_t memory_zeros(const void *p, size_t bytes)
{
    const unsigned char *at = p;

#if defined(__x86_64__)
    if (bytes >= 128 && __builtin_cpu_supports("avx2"))
        return (size_t)(skip_zeros_wide(at, at + bytes) - at);
#endif
    return (size_t)(skip_zeros_plain(at, at + bytes) - at);
}

__attribute__((weak)) extern struct r_debug _r_debug;

uintptr_t memory_loader(void)
{
    uintptr_t base = getauxval(AT_BASE);

    /* The kernel did not load it if it was run as a command. */
    if (base == 0 && &_r_debug != NULL)
        base = _r_debug.r_ldbase;
    return base;
}

/* Valgrind recognises a sequence of instructions that does nothing elsewhere, and answers. */
static uint64_t valgrind_ask(uint64_t request, uint64_t a, uint64_t b)
{
    uint64_t question[6] = {request, a, b, 0, 0, 0};
    uint64_t answer = 0;

#if defined(__x86_64__)
    __asm__ volatile("rolq $3, %%rdi\n\trolq $13, %%rdi\n\t"
                     "rolq $61, %%rdi\n\trolq $51, %%rdi\n\t"
                     "xchgq %%rbx, %%rbx"
                     : "=d"(answer)
                     : "a"(question), "0"(answer)
                     : "cc", "memory");
#elif defined(__aarch64__)
    register uint64_t *in __asm__("x4") = question;
    register uint64_t out __asm__("x3") = answer;

    __asm__ volatile("ror x12, x12, #3\n\tror x12, x12, #13\n\t"
                     "ror x12, x12, #51\n\tror x12, x12, #61\n\t"
                     "orr x10, x10, x10"
                     : "+r"(out)
                     : "r"(in)
                     : "cc", "memory");
    answer = out;
#else
    (void)question;
#endif
    return answer;
}

bool memory_on_valgrind(void)
{
    return valgrind_ask(0x1001, 0, 0) != 0;
}

void memory_tell_stack(const void *low, const void *top)
{
    (void)valgrind_ask(0x1501, (uint64_t)(uintptr_t)low, (uint64_t)(uintptr_t)top);
}
