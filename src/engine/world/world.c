/* world.c - see world.h.
 *
 * A snapshot is a list of byte ranges and a copy of each; ranges of 1 MiB and more are left to the
 * zones (zone.h). All of it lies in mappings of the world's own. world_save lists what is in use
 * now; world_restore only looks at that list, never at the memory that the trial may have scribbled
 * over. SPDX-License-Identifier: MIT
 */
#include "engine/world/world.h"

#include "engine/fiber.h"
#include "engine/world/check.h"
#include "engine/world/heap.h"
#include "engine/world/memory.h"
#include "engine/world/spans.h"
#include "engine/world/zone.h"

#include <pthread.h>
#include <sennit/test.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MARKS_MOST = 65536,
    ZERO_BLOCK = 1024, /* zeros of this length are not copied */
    ZONE_MARGIN =
        16 << 10,     /* copied at both ends of a large range: busy variables often lie there */
    STALE_GAP = 4096, /* so many zeros below a stack's live part: nothing was used below */
};

#define COPIES_BYTES ((size_t)1 << 38)
#define ENTRIES_BYTES ((size_t)1 << 32)

struct entry {
    unsigned char *start;
    size_t size;
    unsigned char *copy; /* NULL: all zeros */
};

struct mark {
    size_t entries_used; /* of the piles, before this mark */
    size_t copies_used;
    struct entry *entries;
    uint32_t entries_count;
    uint32_t fibers_count; /* the last entries are their stacks */
    uint32_t created_count;
    size_t bytes;
    struct zones_mark zones;
};

struct world {
    struct mark *marks;
    uint32_t marks_count;
    struct pile entries;
    struct pile copies;
    struct zones zones;
    struct spans spans; /* outside of the heap, in the world */
    struct spans plain; /* of those, what is copied */
    struct spans file;  /* and what is in zones: initialised variables, */
    struct spans zero;  /* and others */
    uint64_t loads;
    struct check *check;
    bool has_baseline;
    struct err note;
};

/* ---- opening -------------------------------------------------------------------------------- */

static unsigned char *page_up(unsigned char *p)
{
    return (unsigned char *)(((uintptr_t)p + ZONE_PAGE - 1) & ~(uintptr_t)(ZONE_PAGE - 1));
}

static unsigned char *page_down(unsigned char *p)
{
    return (unsigned char *)((uintptr_t)p & ~(uintptr_t)(ZONE_PAGE - 1));
}

/* Whole pages in the middle of a large range become one or two zones: what comes from the file of
 * the program, and what starts as zeros. */
static bool split_span(struct world *w, unsigned char *start, unsigned char *end)
{
    unsigned char *first = page_up(start + ZONE_MARGIN);
    unsigned char *last = page_down(end - ZONE_MARGIN);
    unsigned char *file_end = page_up(spans_file_end(start));

    if (file_end < first)
        file_end = first;
    if (file_end > last)
        file_end = last;
    return spans_add(&w->plain, start, (size_t)(first - start)) &&
           spans_add(&w->file, first, (size_t)(file_end - first)) &&
           spans_add(&w->zero, file_end, (size_t)(last - file_end)) &&
           spans_add(&w->plain, last, (size_t)(end - last));
}

static int sort_spans(struct world *w, struct err *why)
{
    bool ok = true;

    w->plain.count = 0;
    w->file.count = 0;
    w->zero.count = 0;
    for (size_t i = 0; i < w->spans.count && ok; i++) {
        const struct span *s = &w->spans.at[i];

        if (s->size < ZONE_MIN_BYTES + 2 * ZONE_MARGIN)
            ok = spans_add(&w->plain, s->start, s->size);
        else
            ok = split_span(w, s->start, s->start + s->size);
    }
    return ok ? 0 : err_set(why, SN_ENOMEM, "the program has too many variables");
}

static int collect(struct world *w, struct err *why)
{
    int rc = spans_collect(&w->spans, why);

    if (rc < 0)
        return rc;
    w->loads = spans_loads();
    return sort_spans(w, why);
}

int world_open(struct world **out, struct err *why)
{
    struct world *w;
    int rc;

    *out = NULL;
    sn_check(!world_root.heap.world_is_open);
    rc = check_process(why);
    if (rc < 0)
        return rc;
    w = memory_reserve(sizeof(*w));
    if (w == NULL)
        return err_set(why, SN_ENOMEM, "no memory for snapshots");
    w->marks = memory_reserve(MARKS_MOST * sizeof(*w->marks));
    w->check = memory_reserve(sizeof(*w->check));
    if (w->marks == NULL || w->check == NULL || !pile_init(&w->entries, ENTRIES_BYTES) ||
        !pile_init(&w->copies, COPIES_BYTES) || !spans_init(&w->spans) || !spans_init(&w->plain) ||
        !spans_init(&w->file) || !spans_init(&w->zero) || zones_init(&w->zones, &w->note) < 0) {
        world_close(w);
        return err_set(why, SN_ENOMEM, "no address space for snapshots");
    }
    rc = collect(w, why);
    if (rc == 0 && check_threads() > 1)
        rc = err_set(why, SN_ESYSTEM, "the program has %u threads already", check_threads());
    if (rc < 0) {
        world_close(w);
        return rc;
    }
    if (!world_root.heap.is_fixed && w->note.text[0] == '\0')
        (void)err_set(&w->note, 0, "the heap is not at its usual address");
    world_root.heap.owner = (uintptr_t)pthread_self();
    world_root.heap.has_guests = false;
    world_root.heap.world_is_open = true;
    *out = w;
    return 0;
}

void world_close(struct world *w)
{
    if (w == NULL)
        return;
    world_root.heap.world_is_open = false;
    if (w->zones.at != NULL)
        zones_done(&w->zones);
    spans_done(&w->zero);
    spans_done(&w->file);
    spans_done(&w->plain);
    spans_done(&w->spans);
    pile_done(&w->copies);
    pile_done(&w->entries);
    memory_release(w->check, sizeof(*w->check));
    memory_release(w->marks, MARKS_MOST * sizeof(*w->marks));
    memory_release(w, sizeof(*w));
}

const char *world_note(const struct world *w)
{
    return w->note.text;
}

size_t world_bytes(const struct world *w)
{
    return w->marks_count == 0 ? 0 : w->marks[w->marks_count - 1].bytes + w->zones.bytes_copied;
}

/* ---- saving --------------------------------------------------------------------------------- */

static bool add_zeros(struct world *w, struct mark *m, void *start, size_t size)
{
    struct entry *e = (struct entry *)(void *)(w->entries.base + w->entries.used);

    if (size == 0)
        return true;
    if (w->entries.size - w->entries.used < sizeof(*e))
        return false;
    w->entries.used += sizeof(*e);
    if (m->entries_count++ == 0)
        m->entries = e;
    *e = (struct entry){.start = start, .size = size};
    return true;
}

static bool add_copy(struct world *w, struct mark *m, void *start, size_t size)
{
    unsigned char *copy = pile_push(&w->copies, size);

    if (copy == NULL || !add_zeros(w, m, start, size))
        return false;
    if (size > 0)
        m->entries[m->entries_count - 1].copy = copy;
    memcpy(copy, start, size);
    m->bytes += size;
    return true;
}

/* Looking at zeros costs half of copying them, and most variables of libc are never used. */
static bool add_variable_span(struct world *w, struct mark *m, const struct span *span)
{
    unsigned char *end = span->start + span->size;
    unsigned char *done = span->start; /* what comes before has an entry */
    unsigned char *at = (unsigned char *)(((uintptr_t)done + 63) & ~(uintptr_t)63);

    while (at < end) {
        size_t zeros = memory_zeros(at, (size_t)(end - at));

        if (zeros >= ZERO_BLOCK) {
            if (!add_copy(w, m, done, (size_t)(at - done)) || !add_zeros(w, m, at, zeros))
                return false;
            at += zeros;
            done = at;
        }
        at += (size_t)(end - at) < ZERO_BLOCK ? (size_t)(end - at) : ZERO_BLOCK;
    }
    return add_copy(w, m, done, (size_t)(end - done));
}

static int no_memory(struct err *why)
{
    return err_set(why, SN_ENOMEM, "no address space for another snapshot");
}

static bool use_zones(struct world *w, const struct spans *spans, bool is_file)
{
    for (size_t i = 0; i < spans->count; i++) {
        size_t pages = spans->at[i].size / ZONE_PAGE;
        struct zone *z = zones_use(&w->zones, spans->at[i].start, pages, pages);

        if (z == NULL)
            return false;
        z->is_file = is_file;
    }
    return true;
}

static int add_variables(struct world *w, struct mark *m, struct err *why)
{
    for (size_t i = 0; i < w->plain.count; i++) {
        if (!add_variable_span(w, m, &w->plain.at[i]))
            return no_memory(why);
    }
    if (!use_zones(w, &w->file, true) || !use_zones(w, &w->zero, false))
        return no_memory(why);
    return 0;
}

/* One part of the heap: [start, end) is in use, `first` the start of the address space it may fill.
 */
static int add_heap_part(struct world *w, struct mark *m, unsigned char *first, size_t most,
                         struct span used)
{
    size_t bytes = (size_t)(used.start + used.size - first);

    if (used.size < ZONE_MIN_BYTES)
        return add_copy(w, m, used.start, used.size) ? 0 : SN_ENOMEM;
    if (zones_use(&w->zones, first, most / ZONE_PAGE, (bytes + ZONE_PAGE - 1) / ZONE_PAGE) == NULL)
        return SN_ENOMEM;
    return 0;
}

static int add_heap(struct world *w, struct mark *m, struct err *why)
{
    const struct heap_root *heap = &world_root.heap;
    size_t arena_bytes = (size_t)1 << heap->arena_shift;
    size_t large_bytes = (size_t)heap->state->large_pages * HEAP_PAGE;

    if (heap->state->large_pages > heap->large_pages)
        return err_set(why, SN_ESYSTEM, "the heap's list of large blocks is overwritten");
    if (!add_copy(w, m, heap->state, sizeof(*heap->state)))
        return no_memory(why);
    if (add_heap_part(w, m, heap->large, (size_t)heap->large_pages * HEAP_PAGE,
                      (struct span){.start = heap->large, .size = large_bytes}) < 0)
        return no_memory(why);
    for (uint32_t i = 0; i < heap->created_count; i++) {
        unsigned char *start = heap_start_of(heap->created[i]);
        struct heap_arena *a = heap_arena_at(start, heap->created[i]);
        struct span used = {.start = (unsigned char *)a};

        if (a->top > arena_bytes || start + a->top < (unsigned char *)(a + 1))
            return err_set(why, SN_ESYSTEM, "the heap of task %u is overwritten", heap->created[i]);
        used.size = (size_t)(start + a->top - used.start);
        if (add_heap_part(w, m, start, arena_bytes, used) < 0)
            return no_memory(why);
    }
    m->created_count = heap->created_count;
    return 0;
}

/* The live parts of the stacks, and with each the fiber's struct at its top. */
static int add_fibers(struct world *w, struct mark *m, struct err *why)
{
    const struct heap_root *heap = &world_root.heap;

    for (uint32_t i = 0; i < heap->fibers_count; i++) {
        const struct fiber *f = heap->fibers[i];
        unsigned char *sp = f->has_ended ? (unsigned char *)(uintptr_t)f : f->sp;
        unsigned char *end = f->low + f->size;

        if (sp < f->low || sp > (const unsigned char *)f || end > heap->outside)
            return err_set(why, SN_ESYSTEM, "the stack of a fiber is overwritten");
        if (!add_copy(w, m, sp, (size_t)(end - sp)))
            return no_memory(why);
    }
    m->fibers_count = heap->fibers_count;
    return 0;
}

/* Objects may have been loaded since; none that a snapshot knows may be gone. */
static int follow_loads(struct world *w, struct err *why)
{
    if (spans_loads() == w->loads)
        return 0;
    if (w->marks_count > 0)
        return err_set(why, SN_ESYSTEM,
                       "a shared object was loaded or unloaded since the last save");
    return collect(w, why);
}

static void not_on_fiber(void)
{
    const unsigned char *here = __builtin_frame_address(0);

    sn_check(here < world_root.heap.stacks || here >= world_root.heap.outside);
}

int world_save(struct world *w, uint32_t *mark, struct err *why)
{
    struct mark *m = &w->marks[w->marks_count];
    int rc;

    not_on_fiber();
    if (w->marks_count == MARKS_MOST)
        return no_memory(why);
    (void)fflush(NULL);
    rc = follow_loads(w, why);
    if (rc < 0)
        return rc;
    *m = (struct mark){.entries_used = w->entries.used, .copies_used = w->copies.used};
    rc = add_variables(w, m, why);
    if (rc == 0)
        rc = add_heap(w, m, why);
    if (rc == 0)
        rc = add_fibers(w, m, why);
    if (rc == 0 && zones_save(&w->zones, w->marks_count, &m->zones) < 0)
        rc = no_memory(why);
    if (rc < 0) {
        pile_pop(&w->entries, m->entries_used);
        pile_pop(&w->copies, m->copies_used);
        return rc;
    }
    if (!w->has_baseline)
        check_init(w->check);
    w->has_baseline = true;
    *mark = w->marks_count++;
    return 0;
}

/* ---- going back ----------------------------------------------------------------------------- */

static void pop_marks(struct world *w, uint32_t count)
{
    if (count == w->marks_count)
        return;
    pile_pop(&w->entries, w->marks[count].entries_used);
    pile_pop(&w->copies, w->marks[count].copies_used);
    w->marks_count = count;
}

/* Clears what a stack has left behind below its live part, or the next trial could read it. */
static void clear_stale(unsigned char *low, unsigned char *live)
{
    while ((size_t)(live - low) >= STALE_GAP && !memory_is_zero(live - STALE_GAP, STALE_GAP)) {
        memset(live - STALE_GAP, 0, STALE_GAP);
        live -= STALE_GAP;
    }
    if ((size_t)(live - low) < STALE_GAP)
        memset(low, 0, (size_t)(live - low));
}

static void clear_stacks(const struct mark *m)
{
    struct heap_root *heap = &world_root.heap;
    const struct entry *stacks = m->entries + (m->entries_count - m->fibers_count);
    size_t size = 0;

    for (uint32_t i = 0; i < m->fibers_count; i++) {
        uint32_t slot = heap_stack_number(stacks[i].start) - 1;
        uint64_t bit = UINT64_C(1) << (slot % 64);

        if ((heap->stack_ran[slot / 64] & bit) != 0)
            clear_stale(heap_stack_low(slot, &size), stacks[i].start);
        heap->stack_ran[slot / 64] &= ~bit;
    }
    for (uint32_t any = 0; any < HEAP_STACKS / 64 / 64; any++) {
        for (; heap->ran_any[any] != 0; heap->ran_any[any] &= heap->ran_any[any] - 1) {
            uint32_t word = any * 64 + (uint32_t)__builtin_ctzll(heap->ran_any[any]);

            for (; heap->stack_ran[word] != 0; heap->stack_ran[word] &= heap->stack_ran[word] - 1) {
                uint32_t slot = word * 64 + (uint32_t)__builtin_ctzll(heap->stack_ran[word]);
                unsigned char *low = heap_stack_low(slot, &size);

                clear_stale(low, low + size);
            }
        }
    }
}

static void put_back(const struct entry *e)
{
    if (e->copy != NULL)
        memcpy(e->start, e->copy, e->size);
    else if (!memory_is_zero(e->start, e->size))
        memset(e->start, 0, e->size);
}

void world_restore(struct world *w, uint32_t mark)
{
    struct heap_root *heap = &world_root.heap;
    const struct mark *m = &w->marks[mark];
    const struct entry *stacks = m->entries + (m->entries_count - m->fibers_count);

    not_on_fiber();
    sn_check(mark < w->marks_count);
    for (uint32_t i = 0; i < m->entries_count; i++)
        put_back(&m->entries[i]);
    zones_restore(&w->zones, mark, &m->zones);
    /* An arena that the trial made is new again. */
    while (heap->created_count > m->created_count) {
        uint32_t index = heap->created[--heap->created_count];

        heap->is_created[index / 64] &= ~(UINT64_C(1) << (index % 64));
    }
    for (uint32_t i = 0; i < m->fibers_count; i++)
        heap->fibers[i] = fiber_below(stacks[i].start + stacks[i].size);
    heap->fibers_count = m->fibers_count;
    clear_stacks(m);
    pop_marks(w, mark + 1);
}

void world_drop(struct world *w, uint32_t mark)
{
    sn_check(mark < w->marks_count);
    zones_drop(&w->zones, mark, &w->marks[mark].zones);
    pop_marks(w, mark);
}

int world_check(struct world *w, bool quick, struct err *why)
{
    if (!w->has_baseline)
        return 0;
    return quick ? check_quick(w->check, why) : check_full(w->check, why);
}
