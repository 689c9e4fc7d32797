/* zone.c - see zone.h. SPDX-License-Identifier: MIT */
#include "engine/world/zone.h"

#include "engine/world/root.h"

#include <sennit/test.h>
#include <string.h>
#include <sys/mman.h>

enum {
    RUNS_MOST = 512,
    PROTECT_SINGLY = 64,
    HEAVY_LIMIT = 8,        /* restores in a row before watching ends */
    HEAVY_BIG_PAGES = 2048, /* in a zone of this size it pays up to an eighth, */
    HEAVY_BIG_SHARE = 8,
    HEAVY_SMALL_SHARE = 16, /* in a smaller one up to a sixteenth of the pages */
};

#define RECORDS_BYTES ((size_t)1 << 32)
#define PAGES_BYTES ((size_t)1 << 38)
#define SIZES_BYTES ((size_t)1 << 30)
#define TABLES_BYTES ((size_t)1 << 33)

struct zone_record {
    uint32_t zone;
    uint32_t page;
    uint32_t before;    /* the page's record in an older snapshot, plus 1 */
    uint32_t has_bytes; /* 0: all zeros */
};

/* ---- tables --------------------------------------------------------------------------------- */

static struct zone_record *record_at(const struct zones *zones, uint32_t index)
{
    return (struct zone_record *)(void *)zones->records.base + index;
}

static uint32_t records_count(const struct zones *zones)
{
    return (uint32_t)(zones->records.used / sizeof(struct zone_record));
}

static unsigned char *page_at(const struct zone *z, uint32_t page)
{
    return z->start + (size_t)page * ZONE_PAGE;
}

int zones_init(struct zones *zones, struct err *note)
{
    memset(zones, 0, sizeof(*zones));
    zones->track = (struct track){.uffd = -1, .pagemap = -1};
    zones->at = memory_reserve(ZONE_MAX * sizeof(*zones->at));
    zones->runs = memory_reserve(RUNS_MOST * sizeof(*zones->runs));
    zones->is_here = memory_reserve(ZONE_PAGE);
    if (zones->at == NULL || zones->runs == NULL || zones->is_here == NULL ||
        !pile_init(&zones->records, RECORDS_BYTES) || !pile_init(&zones->bytes, PAGES_BYTES) ||
        !pile_init(&zones->sizes, SIZES_BYTES) || !pile_init(&zones->tables, TABLES_BYTES)) {
        zones_done(zones);
        return SN_ENOMEM;
    }
    if (madvise((void *)(uintptr_t)zones->is_here, ZONE_PAGE, MADV_WIPEONFORK) != 0)
        (void)err_set(note, 0, "the kernel does not tell a forked process from its parent");
    else
        (void)track_open(&zones->track, note);
    *zones->is_here = 1;
    return 0;
}

static size_t newest_bytes(const struct zone *z)
{
    return (size_t)z->pages_most * sizeof(*z->newest);
}

static size_t dirty_bytes(const struct zone *z)
{
    return ((size_t)z->pages_most + 63) / 64 * sizeof(*z->dirty);
}

static void unwatch(struct zones *zones, struct zone *z)
{
    if (z->is_watched)
        track_remove(&zones->track, z->start, (size_t)z->pages_most * ZONE_PAGE);
    z->is_watched = false;
}

void zones_done(struct zones *zones)
{
    bool is_here = zones->is_here != NULL && *zones->is_here != 0;

    for (uint32_t i = 0; i < zones->count; i++) {
        if (is_here)
            unwatch(zones, &zones->at[i]);
    }
    track_close(&zones->track);
    pile_done(&zones->records);
    pile_done(&zones->bytes);
    pile_done(&zones->sizes);
    pile_done(&zones->tables);
    memory_release(zones->at, ZONE_MAX * sizeof(*zones->at));
    memory_release(zones->runs, RUNS_MOST * sizeof(*zones->runs));
    memory_release((void *)(uintptr_t)zones->is_here, ZONE_PAGE);
    memset(zones, 0, sizeof(*zones));
}

struct zone *zones_use(struct zones *zones, unsigned char *start, size_t pages_most, size_t pages)
{
    struct zone *z = NULL;

    for (uint32_t i = 0; i < zones->count && z == NULL; i++) {
        if (zones->at[i].start == start)
            z = &zones->at[i];
    }
    if (z == NULL) {
        if (zones->count == ZONE_MAX)
            return NULL;
        z = &zones->at[zones->count];
        *z = (struct zone){.start = start, .pages_most = (uint32_t)pages_most};
        z->newest = pile_push(&zones->tables, newest_bytes(z));
        z->dirty = pile_push(&zones->tables, dirty_bytes(z));
        if (z->newest == NULL || z->dirty == NULL)
            return NULL;
        zones->count++;
    }
    if (z->pages < pages)
        z->pages = (uint32_t)pages;
    return z;
}

/* ---- which pages may differ from the newest snapshot ---------------------------------------- */

static void set_dirty(struct zone *z, uint32_t page)
{
    uint64_t bit = UINT64_C(1) << (page % 64);

    if ((z->dirty[page / 64] & bit) == 0) {
        z->dirty[page / 64] |= bit;
        z->dirty_count++;
    }
}

static void set_all_dirty(struct zone *z)
{
    for (uint32_t p = 0; p < z->pages; p++)
        set_dirty(z, p);
}

static void clear_dirty(struct zone *z)
{
    if (z->dirty_count != 0)
        memset(z->dirty, 0,
               dirty_bytes(z) < (size_t)z->pages / 8 + 8 ? dirty_bytes(z)
                                                         : (size_t)z->pages / 8 + 8);
    z->dirty_count = 0;
}

/* The first dirty page from `page` on; z->pages if there is none. */
static uint32_t next_dirty(const struct zone *z, uint32_t page)
{
    while (page < z->pages) {
        uint64_t word = z->dirty[page / 64] >> (page % 64);

        if (word != 0) {
            page += (uint32_t)__builtin_ctzll(word);
            return page < z->pages ? page : z->pages;
        }
        page = (page / 64 + 1) * 64;
    }
    return z->pages;
}

static void add_run(struct zone *z, const struct track_run *run)
{
    uint32_t first = (uint32_t)((run->start - (uintptr_t)z->start) / ZONE_PAGE);
    uint32_t end = (uint32_t)((run->end - (uintptr_t)z->start) / ZONE_PAGE);
    bool is_gone = track_is_gone(run);

    for (uint32_t p = first; p < end && p < z->pages; p++) {
        if (!is_gone || z->newest[p] != 0)
            set_dirty(z, p);
    }
}

/* Marks what was written since the last scan that protected. */
static void scan(struct zones *zones, struct zone *z, unsigned want)
{
    unsigned char *at = z->start;
    unsigned char *end = page_at(z, z->pages);

    while (at < end) {
        unsigned char *from = at;
        long n = track_scan(&zones->track, &at, end, want, zones->runs, RUNS_MOST);

        if (n < 0 || at <= from) {
            set_all_dirty(z);
            return;
        }
        for (long i = 0; i < n; i++)
            add_run(z, &zones->runs[i]);
    }
}

/* After a fork the child has copies of the pages, but nobody watches them. */
static void adopt(struct zones *zones)
{
    struct err ignored;

    if (*zones->is_here != 0)
        return;
    *zones->is_here = 1;
    if (zones->track.uffd < 0)
        return;
    track_close(&zones->track);
    (void)track_open(&zones->track, &ignored);
    for (uint32_t i = 0; i < zones->count; i++) {
        struct zone *z = &zones->at[i];

        if (!z->is_watched)
            continue;
        set_all_dirty(z);
        z->is_watched = zones->track.uffd >= 0 &&
                        track_add(&zones->track, z->start, (size_t)z->pages_most * ZONE_PAGE);
    }
    zones->faults = 0;
}

/* Completes the dirty bits of all zones that have a snapshot. */
static void find_dirty(struct zones *zones, unsigned want)
{
    bool discarded = world_root.heap.has_discarded;
    bool asked = false;
    bool quiet = false;

    adopt(zones);
    for (uint32_t i = 0; i < zones->count; i++) {
        struct zone *z = &zones->at[i];

        if (z->since == 0)
            continue;
        if (!z->is_watched) {
            set_all_dirty(z);
            continue;
        }
        if (!asked)
            quiet = !discarded && track_faults() == zones->faults;
        asked = true;
        if (discarded)
            scan(zones, z, TRACK_WRITTEN | TRACK_GONE);
        if (!quiet)
            scan(zones, z, want);
    }
}

static void settle(struct zones *zones)
{
    world_root.heap.has_discarded = false;
    for (uint32_t i = 0; i < zones->count; i++) {
        if (zones->at[i].is_watched) {
            zones->faults = track_faults();
            return;
        }
    }
}

/* ---- save ----------------------------------------------------------------------------------- */

static bool page_equals(const struct zones *zones, uint32_t newest, const unsigned char *page)
{
    if (newest == 0 || !record_at(zones, newest - 1)->has_bytes)
        return memory_is_zero(page, ZONE_PAGE);
    return memcmp(zones->bytes.base + (size_t)(newest - 1) * ZONE_PAGE, page, ZONE_PAGE) == 0;
}

static bool add_record(struct zones *zones, struct zone *z, uint32_t page)
{
    uint32_t index = records_count(zones);
    const unsigned char *bytes = page_at(z, page);
    size_t used = zones->records.used + sizeof(struct zone_record);
    struct zone_record *r = record_at(zones, index);

    if (used > zones->records.size || (size_t)(index + 1) * ZONE_PAGE > zones->bytes.size)
        return false;
    zones->records.used = used;
    zones->bytes.used = (size_t)(index + 1) * ZONE_PAGE;
    if (zones->bytes.touched < zones->bytes.used)
        zones->bytes.touched = zones->bytes.used;
    *r = (struct zone_record){.zone = (uint32_t)(z - zones->at),
                              .page = page,
                              .before = z->newest[page],
                              .has_bytes = !memory_is_zero(bytes, ZONE_PAGE)};
    if (r->has_bytes)
        memcpy(zones->bytes.base + (size_t)index * ZONE_PAGE, bytes, ZONE_PAGE);
    z->newest[page] = index + 1;
    return true;
}

static bool save_zone(struct zones *zones, struct zone *z)
{
    for (uint32_t p = next_dirty(z, 0); p < z->pages; p = next_dirty(z, p + 1)) {
        if (page_equals(zones, z->newest[p], page_at(z, p)))
            continue;
        if (!add_record(zones, z, p))
            return false;
    }
    clear_dirty(z);
    return true;
}

/* The first snapshot of a zone holds every page that is not zeros. */
static void start_zone(struct zones *zones, struct zone *z, uint32_t index)
{
    z->since = index + 1;
    z->is_watched = zones->track.uffd >= 0 && !z->is_spoilt &&
                    track_add(&zones->track, z->start, (size_t)z->pages_most * ZONE_PAGE);
    if (z->is_watched)
        scan(zones, z, TRACK_WRITTEN | TRACK_PROTECT);
    if (!z->is_watched || z->is_file)
        set_all_dirty(z);
}

int zones_save(struct zones *zones, uint32_t index, struct zones_mark *mark)
{
    uint32_t *sizes;

    *mark = (struct zones_mark){
        .records = records_count(zones), .zones = zones->count, .sizes = zones->sizes.used};
    sizes = pile_push(&zones->sizes, zones->count * sizeof(*sizes));
    if (sizes == NULL)
        return SN_ENOMEM;
    find_dirty(zones, TRACK_WRITTEN | TRACK_PROTECT);
    for (uint32_t i = 0; i < zones->count; i++) {
        struct zone *z = &zones->at[i];

        if (z->since == 0 && z->pages > 0)
            start_zone(zones, z, index);
        sizes[i] = z->pages;
        if (!save_zone(zones, z)) {
            zones_drop(zones, index, mark);
            return SN_ENOMEM;
        }
    }
    mark->records_end = records_count(zones);
    settle(zones);
    return 0;
}

/* ---- going back ----------------------------------------------------------------------------- */

/* Takes off the records above the mark; their pages may differ from the newest snapshot now. */
static void pop_records(struct zones *zones, uint32_t keep)
{
    for (uint32_t i = records_count(zones); i-- > keep;) {
        const struct zone_record *r = record_at(zones, i);
        struct zone *z = &zones->at[r->zone];

        z->newest[r->page] = r->before;
        set_dirty(z, r->page);
    }
    zones->records.used = keep * sizeof(struct zone_record);
    pile_pop(&zones->bytes, (size_t)keep * ZONE_PAGE);
}

/* Zones whose first snapshot was mark `index` or a later one have none any more. */
static void end_zones(struct zones *zones, uint32_t index)
{
    for (uint32_t i = 0; i < zones->count; i++) {
        struct zone *z = &zones->at[i];

        if (z->since <= index)
            continue;
        clear_dirty(z);
        unwatch(zones, z);
        z->since = 0;
        z->pages = 0;
    }
}

static void put_back(struct zones *zones, struct zone *z)
{
    for (uint32_t p = next_dirty(z, 0); p < z->pages; p = next_dirty(z, p + 1)) {
        uint32_t newest = z->newest[p];
        unsigned char *page = page_at(z, p);

        if (page_equals(zones, newest, page))
            continue;
        if (newest == 0 || !record_at(zones, newest - 1)->has_bytes)
            memset(page, 0, ZONE_PAGE);
        else
            memcpy(page, zones->bytes.base + (size_t)(newest - 1) * ZONE_PAGE, ZONE_PAGE);
        zones->bytes_copied += ZONE_PAGE;
    }
}

/* Protects what was dirty again: run by run, or the whole zone if there are many. */
static void protect(struct zones *zones, struct zone *z)
{
    if (!z->is_watched)
        return;
    if (z->dirty_count > PROTECT_SINGLY) {
        scan(zones, z, TRACK_WRITTEN | TRACK_PROTECT);
        return;
    }
    for (uint32_t p = next_dirty(z, 0); p < z->pages; p = next_dirty(z, p)) {
        uint32_t first = p;

        while (p < z->pages && next_dirty(z, p) == p)
            p++;
        track_protect(&zones->track, page_at(z, first), page_at(z, p));
    }
}

/* Watching is given up where it costs more than copying. */
static void judge(struct zones *zones, struct zone *z)
{
    uint32_t share = z->pages >= HEAVY_BIG_PAGES ? HEAVY_BIG_SHARE : HEAVY_SMALL_SHARE;

    z->heavy_count = z->dirty_count > z->pages / share ? z->heavy_count + 1 : 0;
    if (z->heavy_count < HEAVY_LIMIT)
        return;
    z->is_spoilt = true;
    unwatch(zones, z);
}

void zones_restore(struct zones *zones, uint32_t index, const struct zones_mark *mark)
{
    const uint32_t *sizes;

    zones->bytes_copied = 0;
    if (zones->count == 0)
        return;
    find_dirty(zones, TRACK_WRITTEN);
    pop_records(zones, mark->records_end);
    end_zones(zones, index + 1);
    pile_pop(&zones->sizes, mark->sizes);
    sizes = pile_push(&zones->sizes, mark->zones * sizeof(*sizes));
    for (uint32_t i = 0; i < mark->zones; i++) {
        struct zone *z = &zones->at[i];
        uint32_t before = z->pages;

        if (z->since == 0)
            continue;
        z->pages = sizes[i];
        if (z->is_watched)
            judge(zones, z);
        if (z->dirty_count > 0) {
            put_back(zones, z);
            z->pages = before;
            protect(zones, z);
            clear_dirty(z);
            z->pages = sizes[i];
        }
    }
    settle(zones);
}

void zones_drop(struct zones *zones, uint32_t index, const struct zones_mark *mark)
{
    pop_records(zones, mark->records);
    end_zones(zones, index);
    pile_pop(&zones->sizes, mark->sizes);
}
