/* wal.h - the write-ahead log of a site: records of fixed size, each with a check sum.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWO_PHASE_COMMIT_WAL_H
#define TWO_PHASE_COMMIT_WAL_H

#include "protocol.h"

enum wal_type {
    WAL_EPOCH = 1, /* coordinator: a new life; `transaction` is its number */
    WAL_COMMIT,    /* coordinator: decided; participant: decided and applied */
    WAL_END,       /* coordinator: every participant has the decision in its log */
    WAL_PREPARED,  /* participant: has promised to commit if told so */
    WAL_ABORT,     /* participant: will never commit */
};

struct wal_record {
    uint32_t check; /* filled in by the log */
    uint32_t type;  /* enum wal_type */
    uint32_t transaction;
    uint32_t key;
};

/* Appends a record. It may be lost in a crash. 0 or the error of the disk. */
int wal_append(const struct tpc_io *io, void *io_self, struct wal_record record);

/* Appends a record and waits until it is durable. On an error it may be so or not: then the caller
 * may try again (a record that is there twice does no harm), but must not act as if it were not. */
int wal_force(const struct tpc_io *io, void *io_self, struct wal_record record);

/* Calls `each` for the records of the log in order, up to the first that a crash has damaged, and
 * cuts off the rest. 0, the error of the disk, or that of `each`, which ends the reading. */
int wal_recover(const struct tpc_io *io, void *io_self,
                int (*each)(void *self, const struct wal_record *record), void *self);

#endif
