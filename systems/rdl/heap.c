/* heap.c - memory of the replicated data libraries. SPDX-License-Identifier: MIT */
#include "heap.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 4 };

void *rdl_alloc(size_t size)
{
    void *memory = calloc(1, size > 0 ? size : 1);

    if (!memory)
        abort();
    return memory;
}

char *rdl_copy(const char *text)
{
    size_t size = strlen(text) + 1;

    return memcpy(rdl_alloc(size), text, size);
}

void *rdl_grow(void *items, size_t count, size_t *capacity, size_t item_size)
{
    if (count < *capacity)
        return items;
    *capacity = *capacity > 0 ? 2 * *capacity : FIRST_CAPACITY;
    items = reallocarray(items, *capacity, item_size);
    if (!items)
        abort();
    return items;
}
