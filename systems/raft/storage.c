/* storage.c - term, vote, log and snapshot on the disk.
 *
 * Four kinds of file. `term` is one sector, overwritten in place. `snapshot` is written beside the
 * old one and renamed. `log` has one record per entry, overwritten from the first entry that
 * differs, and is written beside the old one and renamed when a snapshot has made its beginning
 * superfluous. The snapshot is durable before the log is cut, so what a crash leaves is a snapshot
 * and a log that begins at it or earlier.
 *
 * Before a sync a crash may leave any part of what was written: half of a record, or a new record
 * before an old one that it should have replaced. A record therefore has the chain value of its
 * entry, and the log ends before the first record whose chain value does not follow from the one
 * before. Cutting it off there loses nothing that the server has answered for.
 *
 * SPDX-License-Identifier: MIT
 */
#include "storage.h"

#include <errno.h>

static const char term_file[] = "term";
static const char log_file[] = "log";
static const char log_new_file[] = "log.new";
static const char snapshot_file[] = "snapshot";
static const char snapshot_new_file[] = "snapshot.new";

struct term_record {
    uint32_t term;
    uint32_t vote;
    uint32_t check;
};

struct snapshot_record {
    struct raft_snapshot snapshot;
    uint32_t check;
};

struct log_record {
    uint32_t chain_before; /* for the first record, whose predecessor may be nowhere any more */
    uint32_t index;
    struct raft_entry entry;
    uint32_t chain;
};

enum {
    TERM_WORDS = 2, /* what the check is over */
    ENTRY_WORDS = sizeof(struct raft_entry) / sizeof(uint32_t),
    SNAPSHOT_WORDS = sizeof(struct raft_snapshot) / sizeof(uint32_t),
};

/* So that a crash leaves all of it or nothing. */
static_assert(sizeof(struct term_record) <= 512, "term and vote fit a sector");

static void load_term(struct raft *r);
static void load_snapshot(struct raft *r);
static void load_log(struct raft *r);
static void load_records(struct raft *r);
static bool load_record(struct raft *r, uint64_t offset, struct log_record *record);
static bool take_record(struct raft *r, const struct log_record *record);
static bool load_whole(struct raft *r, const char *file, void *bytes, size_t n);
static void write_records(struct raft *r, const char *file, uint32_t first_index);
static uint64_t offset_of(const struct raft *r, uint32_t index);
static void fail(struct raft *r);
static void write_file(struct raft *r, const char *file, uint64_t offset, const void *bytes,
                       size_t n);
static void truncate_file(struct raft *r, const char *file, uint64_t size);
static void sync_file(struct raft *r, const char *file);
static void replace_file(struct raft *r, const char *by, const char *file);

/* What can be read need not be durable: it may be what was written before a sync failed, and ended
 * the server but not its machine. So it is synced before anything is built on it. */
void raft_storage_load(struct raft *r)
{
    if (!r->config.bugs.trust_unsynced) {
        sync_file(r, term_file);
        sync_file(r, snapshot_file);
        sync_file(r, log_file);
    }
    load_term(r);
    load_snapshot(r);
    load_log(r);
}

void raft_storage_save_term(struct raft *r)
{
    struct term_record record = {.term = r->term, .vote = r->vote};

    record.check = raft_hash(0, &record, TERM_WORDS);
    write_file(r, term_file, 0, &record, sizeof(record));
    sync_file(r, term_file);
}

void raft_storage_save_log(struct raft *r, uint32_t first_index)
{
    if (first_index <= r->file_last)
        truncate_file(r, log_file, offset_of(r, first_index));
    write_records(r, log_file, first_index);
    r->has_unsynced = true;
    if (!r->config.bugs.ack_before_sync)
        raft_storage_sync_log(r);
}

void raft_storage_sync_log(struct raft *r)
{
    if (r->has_unsynced)
        sync_file(r, log_file);
    r->has_unsynced = false;
}

void raft_storage_save_snapshot(struct raft *r, const struct raft_snapshot *snapshot)
{
    struct snapshot_record record = {.snapshot = *snapshot};

    record.check = raft_hash(0, snapshot, SNAPSHOT_WORDS);
    write_file(r, snapshot_new_file, 0, &record, sizeof(record));
    replace_file(r, snapshot_new_file, snapshot_file);
}

void raft_storage_rewrite_log(struct raft *r)
{
    r->file_base = r->log.base_index;
    truncate_file(r, log_new_file, 0);
    write_records(r, log_new_file, r->log.base_index + 1);
    replace_file(r, log_new_file, log_file);
    r->has_unsynced = false;
}

/* No file, or one that a crash has left empty: a server that has never voted. */
static void load_term(struct raft *r)
{
    struct term_record record;

    if (!load_whole(r, term_file, &record, sizeof(record)))
        return;
    if (record.check != raft_hash(0, &record, TERM_WORDS)) {
        fail(r);
        return;
    }
    r->term = record.term;
    r->vote = record.vote;
}

/* No file: the snapshot is that of a new server, which the caller has filled in. */
static void load_snapshot(struct raft *r)
{
    struct snapshot_record record;

    if (!load_whole(r, snapshot_file, &record, sizeof(record)))
        return;
    if (record.check != raft_hash(0, &record.snapshot, SNAPSHOT_WORDS)) {
        fail(r);
        return;
    }
    r->snapshot = record.snapshot;
}

/* The file may begin before the snapshot, if a crash came before it could be cut: then its first
 * records are superfluous. If what it has at the snapshot's last index is another entry, or none,
 * all of them are: the snapshot came from a leader and took the place of the whole log. */
static void load_log(struct raft *r)
{
    uint32_t base_index = r->snapshot.last_index;

    load_records(r);
    if (r->error != 0 || r->file_base == base_index)
        return;
    if (raft_log_last_index(&r->log) >= base_index &&
        raft_log_chain(&r->log, base_index) == r->snapshot.last_chain)
        raft_log_compact(&r->log, base_index);
    else
        raft_log_reset(&r->log, &r->snapshot);
    raft_storage_rewrite_log(r);
}

/* All that the file has, and cuts off what does not belong to it. */
static void load_records(struct raft *r)
{
    struct raft_snapshot base = r->snapshot;
    struct log_record record;

    if (load_record(r, 0, &record)) {
        if (record.index > base.last_index + 1)
            fail(r); /* entries are missing that this server has answered for */
        if (record.index <= base.last_index) {
            base.last_index = record.index - 1;
            base.last_chain = record.chain_before;
        }
    }
    raft_log_reset(&r->log, &base);
    r->file_base = base.last_index;
    while (load_record(r, offset_of(r, raft_log_last_index(&r->log) + 1), &record)) {
        if (!take_record(r, &record))
            break;
    }
    r->file_last = raft_log_last_index(&r->log);

    int64_t size = r->env->size(r->env_self, log_file);

    if (size > (int64_t)offset_of(r, r->file_last + 1)) {
        truncate_file(r, log_file, offset_of(r, r->file_last + 1));
        sync_file(r, log_file);
    }
}

/* False where the file ends, or has never been written. */
static bool load_record(struct raft *r, uint64_t offset, struct log_record *record)
{
    if (r->error != 0)
        return false;

    int64_t got = r->env->read(r->env_self, log_file, offset, record, sizeof(*record));

    if (got < 0)
        fail(r);
    return got == (int64_t)sizeof(*record) && record->index != 0;
}

/* Appends what a record has, if the record follows the last entry and is whole. */
static bool take_record(struct raft *r, const struct log_record *record)
{
    uint32_t last_index = raft_log_last_index(&r->log);
    uint32_t before = raft_log_chain(&r->log, last_index);

    if (record->index != last_index + 1 ||
        record->chain != raft_hash(before, &record->entry, ENTRY_WORDS))
        return false;
    return raft_log_append(&r->log, &record->entry);
}

/* False if there is no such file, or nothing in it. */
static bool load_whole(struct raft *r, const char *file, void *bytes, size_t n)
{
    if (r->error != 0)
        return false;

    int64_t got = r->env->read(r->env_self, file, 0, bytes, n);

    if (got != 0 && got != (int64_t)n)
        fail(r);
    return got == (int64_t)n;
}

/* Writes the entries from an index on to a file that ends before them. */
static void write_records(struct raft *r, const char *file, uint32_t first_index)
{
    struct log_record records[RAFT_LOG_MAX];
    size_t n = 0;

    for (uint32_t i = first_index; i <= raft_log_last_index(&r->log); i++) {
        records[n++] = (struct log_record){
            .chain_before = raft_log_chain(&r->log, i - 1),
            .index = i,
            .entry = *raft_log_at(&r->log, i),
            .chain = raft_log_chain(&r->log, i),
        };
    }
    if (n > 0)
        write_file(r, file, offset_of(r, first_index), records, n * sizeof(records[0]));
    r->file_last = raft_log_last_index(&r->log);
}

static uint64_t offset_of(const struct raft *r, uint32_t index)
{
    return (uint64_t)(index - r->file_base - 1) * sizeof(struct log_record);
}

static void fail(struct raft *r)
{
    r->error = -EIO;
}

/* After a failure nothing more is written: what is there is what the next start finds. */
static void write_file(struct raft *r, const char *file, uint64_t offset, const void *bytes,
                       size_t n)
{
    if (r->error == 0 && r->env->write(r->env_self, file, offset, bytes, n) < 0)
        fail(r);
}

static void truncate_file(struct raft *r, const char *file, uint64_t size)
{
    if (r->error == 0 && r->env->truncate(r->env_self, file, size) < 0)
        fail(r);
}

static void sync_file(struct raft *r, const char *file)
{
    if (r->error == 0 && r->env->sync(r->env_self, file) < 0)
        fail(r);
}

/* Whatever moment a crash takes, the file is the old one or the new one. */
static void replace_file(struct raft *r, const char *by, const char *file)
{
    sync_file(r, by);
    if (r->error == 0 && r->env->rename(r->env_self, by, file) < 0)
        fail(r);
    sync_file(r, file);
}
