/* grow.c - see grow.h. SPDX-License-Identifier: MIT */
#include "history/grow.h"

#include <sennit/test.h>
#include <stdint.h>
#include <sys/mman.h>

enum { FIRST = 64 * 1024 };

int grow_to(struct grow *grow, size_t n, size_t size)
{
    size_t wanted = grow->mapped == 0 ? FIRST : grow->mapped;
    size_t need;
    void *moved;

    if (__builtin_mul_overflow(n, size, &need) || need > SIZE_MAX / 4)
        return SN_ENOMEM;
    if (need <= grow->mapped)
        return 0;
    while (wanted < need)
        wanted *= 2;
    if (grow->base == NULL)
        moved = mmap(NULL, wanted, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    else
        moved = mremap(grow->base, grow->mapped, wanted, MREMAP_MAYMOVE);
    if (moved == MAP_FAILED)
        return SN_ENOMEM;
    grow->base = moved;
    grow->mapped = wanted;
    return 0;
}

void grow_done(struct grow *grow)
{
    if (grow->base != NULL)
        (void)munmap(grow->base, grow->mapped);
    *grow = (struct grow){0};
}
