/* large.c - see large.h. SPDX-License-Identifier: MIT */
#include "engine/world/large.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

static const char overwritten[] = "the heap's list of large blocks is overwritten";

static struct run *run_at(uint32_t page)
{
    return (struct run *)(world_root.heap.large + (size_t)page * HEAP_PAGE);
}

static uint32_t page_of(const struct run *r)
{
    return (uint32_t)((size_t)((const unsigned char *)r - world_root.heap.large) / HEAP_PAGE);
}

static uint32_t run_check(const struct run *r)
{
    uint64_t sizes = ((uint64_t)r->pages << 32 | r->before) ^ ((uint64_t)r->is_free << 63);

    return (uint32_t)(mix_pair(sizes, page_of(r)) >> 32);
}

static void run_set(struct run *r, uint32_t pages, uint32_t before, bool is_free)
{
    r->pages = pages;
    r->before = before;
    r->is_free = is_free;
    r->check = run_check(r);
}

static bool run_is_good(const struct run *r)
{
    uint32_t page = page_of(r);
    uint32_t end = world_root.heap.state->large_pages;

    return page < end && r->check == run_check(r) && r->pages > 0 && r->pages <= end - page &&
           r->before <= page;
}

/* The kernel takes the pages back and gives zeros when they are touched again. */
static void discard(uint32_t page, uint32_t pages)
{
    if (pages == 0)
        return;
    (void)madvise(run_at(page), (size_t)pages * HEAP_PAGE, MADV_DONTNEED);
    world_root.heap.has_discarded = true;
}

static void run_use(struct run *r, uint32_t pages, uint32_t before, size_t size)
{
    discard(page_of(r), pages);
    run_set(r, pages, before, false);
    block_set(&r->block, BLOCK_LARGE, 0, size);
}

/* The run after r, or NULL if r is the last. */
static struct run *run_next(const struct run *r)
{
    uint32_t next = page_of(r) + r->pages;

    return next < world_root.heap.state->large_pages ? run_at(next) : NULL;
}

/* Gives the end of a run that has too many pages to a free run behind it. */
static void run_cut(struct run *r, uint32_t pages)
{
    struct run *after = run_next(r);
    uint32_t rest = r->pages - pages;
    struct run *left = run_at(page_of(r) + pages);

    if (rest == 0)
        return;
    if (after != NULL)
        run_set(after, after->pages, rest, after->is_free != 0);
    discard(page_of(left), rest);
    run_set(left, rest, pages, true);
    run_set(r, pages, r->before, r->is_free != 0);
}

static uint32_t pages_for(size_t size)
{
    return (uint32_t)((size + sizeof(struct run) + HEAP_PAGE - 1) / HEAP_PAGE);
}

static bool fits(size_t size)
{
    return size < (size_t)world_root.heap.large_pages * HEAP_PAGE - sizeof(struct run);
}

void *large_alloc(size_t size, const char **broken)
{
    struct heap_state *state = world_root.heap.state;
    uint32_t pages;
    uint32_t page = 0;
    uint32_t before = 0;
    struct run *r;

    if (!fits(size))
        return NULL;
    pages = pages_for(size);
    for (; page < state->large_pages; page += r->pages) {
        r = run_at(page);
        if (!run_is_good(r)) {
            *broken = overwritten;
            return NULL;
        }
        before = r->pages;
        if (!r->is_free || r->pages < pages)
            continue;
        run_cut(r, pages);
        run_use(r, pages, r->before, size);
        return r + 1;
    }
    if (page > world_root.heap.large_pages || pages > world_root.heap.large_pages - page)
        return NULL;
    r = run_at(page);
    state->large_pages = page + pages;
    run_use(r, pages, before, size);
    return r + 1;
}

/* Takes a free run at the end off the list. */
static void drop_last(struct run *r)
{
    world_root.heap.state->large_pages = page_of(r);
    discard(page_of(r), r->pages);
}

const char *large_free(struct block *b)
{
    struct run *r = (struct run *)((unsigned char *)(b + 1) - sizeof(struct run));
    struct run *next;
    struct run *previous;

    if (!run_is_good(r))
        return overwritten;
    next = run_next(r);
    previous = r->before == 0 ? NULL : run_at(page_of(r) - r->before);
    if ((next != NULL && !run_is_good(next)) || (previous != NULL && !run_is_good(previous)))
        return overwritten;
    discard(page_of(r) + 1, r->pages - 1);
    memset(&r->block, 0, sizeof(r->block));
    if (next != NULL && next->is_free) {
        run_set(r, r->pages + next->pages, r->before, true);
        discard(page_of(next), 1);
    }
    if (previous != NULL && previous->is_free) {
        run_set(previous, previous->pages + r->pages, previous->before, true);
        discard(page_of(r), 1);
        r = previous;
    }
    run_set(r, r->pages, r->before, true);
    next = run_next(r);
    if (next == NULL)
        drop_last(r);
    else
        run_set(next, next->pages, r->pages, next->is_free != 0);
    return NULL;
}

bool large_resize(struct block *b, size_t size)
{
    struct heap_state *state = world_root.heap.state;
    struct run *r = (struct run *)((unsigned char *)(b + 1) - sizeof(struct run));
    struct run *next;
    uint32_t pages;

    if (!fits(size) || !run_is_good(r))
        return false;
    pages = pages_for(size);
    next = run_next(r);
    if (next != NULL && !run_is_good(next))
        return false;
    if (pages > r->pages && next == NULL) {
        uint32_t page = page_of(r);

        if (pages > world_root.heap.large_pages - page)
            return false;
        discard(page + r->pages, pages - r->pages);
        state->large_pages = page + pages;
        run_set(r, pages, r->before, false);
    } else if (pages > r->pages) {
        struct run *behind;

        if (!next->is_free || next->pages < pages - r->pages)
            return false;
        behind = run_next(next);
        run_set(r, r->pages + next->pages, r->before, false);
        discard(page_of(next), 1);
        if (behind != NULL)
            run_set(behind, behind->pages, r->pages, behind->is_free != 0);
        run_cut(r, pages);
    } else if (pages < r->pages / 2) {
        return false; /* a smaller block elsewhere gives more back */
    }
    block_set(b, BLOCK_LARGE, 0, size);
    return true;
}

size_t large_usable(const struct block *b)
{
    const struct run *r = (const struct run *)((const unsigned char *)(b + 1) - sizeof(struct run));

    return run_is_good(r) ? (size_t)r->pages * HEAP_PAGE - sizeof(*r) : (size_t)b->value;
}

bool large_visit(void (*each)(void *self, void *block, size_t size), void *self)
{
    const struct heap_state *state = world_root.heap.state;
    struct run *r;

    for (uint32_t page = 0; page < state->large_pages; page += r->pages) {
        r = run_at(page);
        if (!run_is_good(r))
            return false;
        if (!r->is_free)
            each(self, r + 1, (size_t)r->pages * HEAP_PAGE - sizeof(*r));
    }
    return true;
}
