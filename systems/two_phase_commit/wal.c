/* wal.c - the write-ahead log of a site.
 *
 * A crash may lose any of the writes that were not synced, so the first bad record need not be the
 * last one of the file. All behind it were written after the last sync: nobody was told of them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "wal.h"

static uint32_t check_of(const struct wal_record *record)
{
    const uint32_t words[] = {record->type, record->transaction, record->key};
    uint32_t check = UINT32_C(2166136261);

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        check = (check ^ words[i]) * UINT32_C(16777619);
    return check;
}

int wal_append(const struct tpc_io *io, void *io_self, struct wal_record record)
{
    record.check = check_of(&record);
    return io->append(io_self, &record, sizeof(record));
}

int wal_force(const struct tpc_io *io, void *io_self, struct wal_record record)
{
    int rc = wal_append(io, io_self, record);

    if (rc < 0)
        return rc;
    return io->sync(io_self);
}

int wal_recover(const struct tpc_io *io, void *io_self,
                int (*each)(void *self, const struct wal_record *record), void *self)
{
    struct wal_record record = {0};
    uint64_t offset = 0;

    for (;;) {
        int64_t n = io->read(io_self, offset, &record, sizeof(record));

        if (n < 0)
            return (int)n;
        if (n < (int64_t)sizeof(record) || record.check != check_of(&record))
            break;

        int rc = each(self, &record);

        if (rc < 0)
            return rc;
        offset += sizeof(record);
    }

    int rc = io->truncate(io_self, offset);

    return rc < 0 ? rc : io->sync(io_self);
}
