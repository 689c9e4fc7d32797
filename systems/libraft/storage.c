/* storage.c - term, vote, log and snapshot of one server, on the disk of its node.
 *
 * Three files: "meta" is one sector, written in place. The log is a file of records of one size.
 * The snapshot is one sector too, and names the file of the log, so that both change at once where
 * a snapshot takes the place of a log: by renaming.
 *
 * SPDX-License-Identifier: MIT
 */
#include "storage.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum {
    RECORD_SIZE = 128,    /* four to a sector */
    RECORDS_AT_ONCE = 16, /* in one write */
    NAME_SIZE = 16,
};

struct meta {
    uint64_t term;
    uint64_t vote;
};

struct record {
    uint64_t index;
    struct packed_entry entry;
};

struct snapshot_file {
    uint64_t generation;
    uint64_t base_index;
    uint64_t first_index;
    struct packed_snapshot snapshot;
};

static_assert(sizeof(struct record) <= RECORD_SIZE, "a record fits");
static_assert(SN_SECTOR % RECORD_SIZE == 0, "no record is torn");
static_assert(sizeof(struct snapshot_file) <= SN_SECTOR, "a snapshot is written whole");

static void note_term(struct storage *storage, uint64_t index, uint64_t term)
{
    if (index < INDEXES_MAX)
        storage->terms[index] = term;
}

static int status(int64_t rc)
{
    return rc < 0 ? RAFT_IOERR : 0;
}

static void log_name(const struct storage *storage, char *name)
{
    (void)snprintf(name, NAME_SIZE, "log%u", (unsigned)storage->generation);
}

static uint64_t offset_of(const struct storage *storage, uint64_t index)
{
    return (index - storage->base_index - 1) * RECORD_SIZE;
}

static int read_record(const struct storage *storage, uint64_t index, struct record *record)
{
    char name[NAME_SIZE];
    int64_t n;

    log_name(storage, name);
    memset(record, 0, sizeof(*record));
    n = sn_disk_read(name, offset_of(storage, index), record, sizeof(*record));
    return n == SN_ENOTFOUND ? 0 : status(n);
}

/* Makes the file end behind the last entry: a crash may have left others there, which would become
 * part of the log when it has grown up to them. */
static int cut_log(const struct storage *storage)
{
    char name[NAME_SIZE];
    uint64_t size = offset_of(storage, storage->last_index + 1);

    log_name(storage, name);
    if (sn_disk_size(name) <= (int64_t)size)
        return 0;
    if (sn_disk_truncate(name, size) < 0)
        return RAFT_IOERR;
    return status(sn_disk_sync(name));
}

/* Finds the last entry. */
static int scan_log(struct storage *storage)
{
    struct record record;

    for (storage->last_index = storage->base_index;; storage->last_index++) {
        int rc = read_record(storage, storage->last_index + 1, &record);

        if (rc != 0)
            return rc;
        if (record.index != storage->last_index + 1)
            return cut_log(storage);
        note_term(storage, record.index, record.entry.term);
    }
}

static int write_snapshot(const struct storage *storage, const struct packed_snapshot *snapshot)
{
    struct snapshot_file file = {
        .generation = storage->generation,
        .base_index = storage->base_index,
        .first_index = storage->first_index,
        .snapshot = *snapshot,
    };

    if (sn_disk_write("snapshot.new", 0, &file, sizeof(file)) < 0 ||
        sn_disk_sync("snapshot.new") < 0 || sn_disk_rename("snapshot.new", "snapshot") < 0)
        return RAFT_IOERR;
    return status(sn_disk_sync("snapshot"));
}

/* Begins a new log behind the snapshot: what the old one has is of no use. */
static void begin_log(struct storage *storage, uint64_t index)
{
    storage->generation++;
    storage->base_index = index;
    storage->first_index = index + 1;
    storage->last_index = index;
}

int storage_open(struct storage *storage)
{
    struct meta meta = {0};
    struct snapshot_file file = {0};

    /* A process that a failed sync has ended leaves what can be read, but is not durable. */
    if (sn_disk_sync(NULL) < 0)
        return RAFT_IOERR;

    int64_t n = sn_disk_read("meta", 0, &meta, sizeof(meta));

    if (n < 0 && n != SN_ENOTFOUND)
        return RAFT_IOERR;
    *storage = (struct storage){.term = meta.term, .vote = meta.vote, .first_index = 1};
    n = sn_disk_read("snapshot", 0, &file, sizeof(file));
    if (n < 0 && n != SN_ENOTFOUND)
        return RAFT_IOERR;
    if (n > 0) {
        storage->generation = file.generation;
        storage->base_index = file.base_index;
        storage->first_index = file.first_index;
        storage->has_snapshot = true;
        storage->snapshot = file.snapshot;
    }

    int rc = scan_log(storage);

    /* The entries up to the snapshot were never written: it was taken of what others have. */
    if (rc == 0 && storage->has_snapshot && storage->last_index < storage->snapshot.index) {
        begin_log(storage, storage->snapshot.index);
        rc = write_snapshot(storage, &storage->snapshot);
    }
    return rc;
}

int storage_write_meta(struct storage *storage, uint64_t term, uint64_t vote)
{
    struct meta meta = {.term = term, .vote = vote};

    storage->term = term;
    storage->vote = vote;
    if (bugs_wanted.forget_term && term != 1)
        return 0;
    if (sn_disk_write("meta", 0, &meta, sizeof(meta)) < 0)
        return RAFT_IOERR;
    return status(sn_disk_sync("meta"));
}

static int write_records(const struct storage *storage, uint64_t index,
                         const struct raft_entry *entries, unsigned n)
{
    unsigned char bytes[RECORDS_AT_ONCE * RECORD_SIZE] = {0};
    char name[NAME_SIZE];

    for (unsigned i = 0; i < n; i++) {
        struct record record = {
            .index = index + i,
            .entry = {.term = entries[i].term,
                      .type = entries[i].type,
                      .length = (uint32_t)entries[i].buf.len},
        };

        sn_assertf(entries[i].buf.len <= DATA_MAX, "an entry has %zu bytes", entries[i].buf.len);
        memcpy(record.entry.data, entries[i].buf.base, entries[i].buf.len);
        memcpy(bytes + (size_t)i * RECORD_SIZE, &record, sizeof(record));
    }
    log_name(storage, name);
    return sn_disk_write(name, offset_of(storage, index), bytes, (size_t)n * RECORD_SIZE);
}

int storage_append(struct storage *storage, const struct raft_entry *entries, unsigned n)
{
    char name[NAME_SIZE];
    int rc = 0;

    for (unsigned done = 0; done < n; done += RECORDS_AT_ONCE) {
        unsigned some = n - done < RECORDS_AT_ONCE ? n - done : (unsigned)RECORDS_AT_ONCE;

        if (write_records(storage, storage->last_index + 1 + done, entries + done, some) < 0)
            return RAFT_IOERR;
    }
    log_name(storage, name);
    if (!bugs_wanted.skip_sync || n > 1 || entries[0].type != RAFT_BARRIER)
        rc = sn_disk_sync(name);
    if (rc < 0)
        return RAFT_IOERR;
    for (unsigned i = 0; i < n; i++)
        note_term(storage, ++storage->last_index, entries[i].term);
    return 0;
}

int storage_truncate(struct storage *storage, uint64_t index)
{
    if (index > storage->last_index)
        return 0;
    storage->last_index = index - 1;
    return cut_log(storage);
}

int storage_put_snapshot(struct storage *storage, unsigned trailing,
                         const struct packed_snapshot *snapshot)
{
    if (trailing == 0)
        begin_log(storage, snapshot->index);
    else if (snapshot->index > trailing && snapshot->index - trailing + 1 > storage->first_index)
        storage->first_index = snapshot->index - trailing + 1;
    storage->has_snapshot = true;
    storage->snapshot = *snapshot;
    if (bugs_wanted.lose_snapshot && trailing == 0)
        return 0;
    if (bugs_wanted.lose_own_snapshot && trailing != 0)
        return 0;
    return write_snapshot(storage, snapshot);
}

int storage_read(const struct storage *storage, uint64_t index, struct packed_entry *entry)
{
    struct record record;
    int rc = read_record(storage, index, &record);

    sn_assert(rc != 0 || record.index == index);
    *entry = record.entry;
    return rc;
}
