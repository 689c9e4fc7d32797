/* mem.c - see mem.h. SPDX-License-Identifier: MIT */
#include "engine/mem.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

/* With a page on either side that faults, so that running off the end is noticed at once. */
#define GUARD_BYTES ((size_t)4096)

static void *reserve(void *address, size_t bytes, int flags, struct err *why)
{
    char *memory = mmap(address, bytes + 2 * GUARD_BYTES, PROT_NONE,
                        MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);

    if (memory == MAP_FAILED) {
        (void)err_set(why, -1, "cannot reserve %zu MiB of address space (%s)", bytes >> 20,
                      strerrordesc_np(errno));
        return NULL;
    }
    if (mprotect(memory + GUARD_BYTES, bytes, PROT_READ | PROT_WRITE) < 0) {
        (void)err_set(why, -1, "cannot make %zu MiB of memory writable (%s)", bytes >> 20,
                      strerrordesc_np(errno));
        (void)munmap(memory, bytes + 2 * GUARD_BYTES);
        return NULL;
    }
    return memory + GUARD_BYTES;
}

void *mem_reserve_shared(size_t bytes, struct err *why)
{
    return reserve(NULL, bytes, MAP_SHARED, why);
}

void *mem_reserve_at(void *address, size_t bytes, struct err *why)
{
    void *memory =
        reserve((char *)address - GUARD_BYTES, bytes, MAP_PRIVATE | MAP_FIXED_NOREPLACE, NULL);

    if (memory == NULL)
        memory = reserve(NULL, bytes, MAP_PRIVATE, why);
    return memory;
}

void mem_clear(void *memory, size_t bytes)
{
    volatile char *first = memory;

    /* Pages that were never touched stay so. An emulator may say yes and do nothing. */
    *first = 1;
    if (madvise(memory, bytes, MADV_REMOVE) < 0 || *first != 0)
        memset(memory, 0, bytes);
}

void mem_release(void *memory, size_t bytes)
{
    if (memory != NULL)
        (void)munmap((char *)memory - GUARD_BYTES, bytes + 2 * GUARD_BYTES);
}
