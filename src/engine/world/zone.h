/* zone.h - large parts of the world, saved and restored page by page.
 *
 * A stack of snapshots shares what did not change: a snapshot holds a record for each page that
 * differs from the snapshot below, and each page knows its newest record. Going back takes off the
 * records above the mark and copies only pages that were written since or had a record taken off. A
 * page without a record was all zeros, and takes no memory.
 *
 * Which pages were written is asked of the kernel (track.h). Where it cannot tell, or where most
 * pages are written anyway, all pages count as written. SPDX-License-Identifier: MIT
 */
#ifndef ENGINE_WORLD_ZONE_H
#define ENGINE_WORLD_ZONE_H

#include "engine/world/memory.h"
#include "engine/world/track.h"

#include <stdint.h>

enum {
    ZONE_PAGE = 4096,
    ZONE_MIN_BYTES = 1 << 20, /* less is copied as a whole: cheaper than a single page fault */
    ZONE_MAX = 32768,
};

struct zone {
    unsigned char *start;
    uint32_t pages_most; /* address space */
    uint32_t pages;      /* that matter: in use now or in a snapshot */
    uint32_t since;      /* the mark of its first snapshot, plus 1; 0: there is none */
    uint32_t dirty_count;
    uint32_t heavy_count; /* restores in a row that found most pages written */
    bool is_file;         /* a page that does not exist yet is not zeros, but in the file */
    bool is_watched;
    bool is_spoilt;   /* watching costs more than it saves */
    uint32_t *newest; /* of each page, record + 1; 0: zeros */
    uint64_t *dirty;  /* a bit for each page that may differ from the newest snapshot */
};

struct zones {
    struct zone *at;
    uint32_t count;
    struct pile records; /* struct zone_record */
    struct pile bytes;   /* a page for each record */
    struct pile sizes;   /* for each mark: `pages` of each zone */
    struct pile tables;  /* `newest` and `dirty` of the zones: no mapping is made after the first */
    struct track track;
    struct track_run *runs;
    volatile unsigned char *is_here; /* 0 in a process forked since */
    uint64_t faults;
    uint64_t bytes_copied; /* by the last restore */
};

/* What a mark keeps of the zones. */
struct zones_mark {
    uint32_t records;     /* how many there were before it, */
    uint32_t records_end; /* and with its own */
    uint32_t zones;       /* how many there were */
    size_t sizes;         /* where their sizes are */
};

/* Returns 0 or SN_ENOMEM. *note says why writes cannot be tracked; empty if they can. */
int zones_init(struct zones *zones, struct err *note);
void zones_done(struct zones *zones);

/* The zone that starts there, made if it does not exist; `pages` are in use now. The start is the
 * start of a page. NULL if there is no address space. */
struct zone *zones_use(struct zones *zones, unsigned char *start, size_t pages_most, size_t pages);

/* Saves all zones as mark number `index`. On failure, SN_ENOMEM, nothing has changed. */
int zones_save(struct zones *zones, uint32_t index, struct zones_mark *mark);

/* Puts memory back. Zones that were not in the mark are forgotten. */
void zones_restore(struct zones *zones, uint32_t index, const struct zones_mark *mark);

/* Forgets mark `index` and those above it; memory stays. */
void zones_drop(struct zones *zones, uint32_t index, const struct zones_mark *mark);

#endif
