/* heap.h - open operations, of which the one that returns first is taken first.
 * SPDX-License-Identifier: MIT
 */
#ifndef LINEAR_HEAP_H
#define LINEAR_HEAP_H

#include "linear/events.h"

#define HEAP_NONE UINT32_MAX

struct heap {
    const struct span *spans;
    uint32_t *entries; /* numbers of spans */
    size_t n;
};

static inline bool heap_is_before(const struct heap *heap, uint32_t a, uint32_t b)
{
    return heap->spans[a].ret < heap->spans[b].ret;
}

static inline void heap_push(struct heap *heap, uint32_t span)
{
    size_t i = heap->n++;

    while (i > 0 && heap_is_before(heap, span, heap->entries[(i - 1) / 2])) {
        heap->entries[i] = heap->entries[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    heap->entries[i] = span;
}

/* HEAP_NONE: it is empty. */
static inline uint32_t heap_pop(struct heap *heap)
{
    uint32_t first = heap->n > 0 ? heap->entries[0] : HEAP_NONE;
    uint32_t last;
    size_t i = 0;

    if (heap->n == 0)
        return first;
    last = heap->entries[--heap->n];
    for (;;) {
        size_t child = 2 * i + 1;

        if (child + 1 < heap->n &&
            heap_is_before(heap, heap->entries[child + 1], heap->entries[child]))
            child++;
        if (child >= heap->n || !heap_is_before(heap, heap->entries[child], last))
            break;
        heap->entries[i] = heap->entries[child];
        i = child;
    }
    heap->entries[i] = last;
    return first;
}

#endif
