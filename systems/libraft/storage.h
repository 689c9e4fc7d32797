/* storage.h - term, vote, log and snapshot of one server, on the disk of its node.
 *
 * What the functions write is durable when they return. A crash in the middle of one leaves what
 * was there before or what was to be there, but for an append: of that the first entries may be
 * left. They return 0 or RAFT_IOERR; then nothing may be assumed of what they were to write.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef LIBRAFT_STORAGE_H
#define LIBRAFT_STORAGE_H

#include "events.h"

/* What is on the disk, as far as it matters to those who write there. */
struct storage {
    uint64_t term;
    uint64_t vote;
    uint64_t generation;         /* of the file of the log */
    uint64_t base_index;         /* the first entry of that file comes after this one */
    uint64_t first_index;        /* earlier entries are not needed any more */
    uint64_t last_index;         /* of an entry; base_index: there is none */
    uint64_t terms[INDEXES_MAX]; /* of the entries, for oracles */
    bool has_snapshot;
    struct packed_snapshot snapshot;
};

/* Reads everything but the entries. */
int storage_open(struct storage *storage);

/* Writes term and vote. */
int storage_write_meta(struct storage *storage, uint64_t term, uint64_t vote);

/* Writes entries behind the last one. */
int storage_append(struct storage *storage, const struct raft_entry *entries, unsigned n);

/* Removes entries from this index on. */
int storage_truncate(struct storage *storage, uint64_t index);

/* Replaces the snapshot. Entries older than `trailing` before it are not needed any more; with 0
 * none of all entries is, since the snapshot comes from another server. */
int storage_put_snapshot(struct storage *storage, unsigned trailing,
                         const struct packed_snapshot *snapshot);

/* Reads an entry, which must be there. */
int storage_read(const struct storage *storage, uint64_t index, struct packed_entry *entry);

#endif
