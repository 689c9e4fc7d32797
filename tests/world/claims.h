/* claims.h - tests that run in any way of linking, without a test library.
 *
 * A claim is a function that returns NULL, or what did not hold. It may keep what it needs across a
 * restore in its own variables: main's stack is not in the world. SPDX-License-Identifier: MIT
 */
#ifndef TESTS_WORLD_CLAIMS_H
#define TESTS_WORLD_CLAIMS_H

#include "shim.h"

struct claim {
    const char *name;
    const char *(*holds)(void);
};

extern const struct claim claims_program[];
extern const struct claim claims_fiber[];
extern const struct claim claims_libc[];
extern const struct claim claims_large[];
extern const struct claim claims_check[];

#define TEXT_OF_(x) #x
#define TEXT_OF(x) TEXT_OF_(x)

#define HOLDS(cond)                                                                                \
    do {                                                                                           \
        if (!(cond))                                                                               \
            return __FILE__ ":" TEXT_OF(__LINE__) ": " #cond;                                      \
    } while (0)

/* To be returned where a claim means nothing, with the reason. */
#define SKIP_MARK "SKIP "
#define SKIP(reason) (SKIP_MARK reason)

/* clang-format off */
#define ENTRY(claim_) {.name = #claim_, .holds = claim_}
/* clang-format on */

/* Returns p, of which the compiler now knows nothing: neither whether the memory is ever read, nor
 * that a call cannot change it, nor that it was freed. */
static inline void *escape(const volatile void *p)
{
    __asm__ volatile("" : "+r"(p) : : "memory");
    return (void *)(uintptr_t)p;
}

/* FNV-1a. */
static inline uint64_t hash_bytes(const volatile unsigned char *p, size_t n)
{
    uint64_t h = 14695981039346656037U;

    for (size_t i = 0; i < n; i++)
        h = (h ^ p[i]) * 1099511628211U;
    return h;
}

#endif
