/* malloc.c - the program's malloc and all its relatives, served by heap.c.
 *
 * All of them, because a block from one may be given to another. Nothing in the library refers to
 * this file by name other than through malloc itself: where another malloc comes first at link time
 * (a sanitizer's), this one is not even linked, and world_open says so. A build of the library with
 * AddressSanitizer leaves it out. SPDX-License-Identifier: MIT
 */
#include "engine/world/heap.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MALLOC_LEFT_OUT 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
    __has_feature(memory_sanitizer)
#define MALLOC_LEFT_OUT 1
#endif
#endif

#ifndef MALLOC_LEFT_OUT

#define CALLER __builtin_extract_return_addr(__builtin_return_address(0))
#define EXPORT __attribute__((visibility("default")))

static bool is_power(size_t n)
{
    return n != 0 && (n & (n - 1)) == 0;
}

EXPORT void *malloc(size_t size)
{
    return heap_alloc(size, CALLER);
}

EXPORT void free(void *p)
{
    heap_free(p, CALLER);
}

EXPORT void *calloc(size_t count, size_t size)
{
    return heap_zeroed(count, size, CALLER);
}

EXPORT void *realloc(void *p, size_t size)
{
    return heap_resize(p, size, CALLER);
}

EXPORT void *reallocarray(void *p, size_t count, size_t size)
{
    size_t bytes;

    if (__builtin_mul_overflow(count, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return heap_resize(p, bytes, CALLER);
}

EXPORT void *memalign(size_t alignment, size_t size)
{
    size_t rounded = 16;

    /* Like glibc's: an alignment that is no power of two is rounded up to one. */
    while (rounded < alignment && rounded <= SIZE_MAX / 4)
        rounded *= 2;
    return heap_aligned(rounded, size, CALLER);
}

EXPORT void *aligned_alloc(size_t alignment, size_t size)
{
    if (!is_power(alignment)) {
        errno = EINVAL;
        return NULL;
    }
    return heap_aligned(alignment, size, CALLER);
}

EXPORT int posix_memalign(void **out, size_t alignment, size_t size)
{
    int saved = errno;
    void *p;

    if (!is_power(alignment) || alignment % sizeof(void *) != 0)
        return EINVAL;
    p = heap_aligned(alignment, size, CALLER);
    errno = saved;
    if (p == NULL)
        return ENOMEM;
    *out = p;
    return 0;
}

EXPORT void *valloc(size_t size)
{
    return heap_aligned(HEAP_PAGE, size, CALLER);
}

EXPORT void *pvalloc(size_t size)
{
    if (size > PTRDIFF_MAX - HEAP_PAGE) {
        errno = ENOMEM;
        return NULL;
    }
    return heap_aligned(HEAP_PAGE, (size + HEAP_PAGE - 1) & ~(size_t)(HEAP_PAGE - 1), CALLER);
}

EXPORT size_t malloc_usable_size(void *p)
{
    return heap_usable(p);
}

/* libc's own versions would look at libc's own heap, and in a static program bring all of it along,
 * with a second malloc. */
EXPORT int malloc_trim(size_t keep)
{
    (void)keep;
    return 0;
}

EXPORT int mallopt(int what, int value)
{
    (void)what;
    (void)value;
    return 1;
}

#endif
