/* io.h - the library's struct raft_io on top of Sennit: network, disk, time and chance.
 *
 * Whatever the library asks for is reported to it later, in a step of its own, as an event loop
 * would: never before the call that asked for it has returned. What is asked of the log is done in
 * order. A snapshot of the server's own is written when all is done that was asked of the log
 * before it, and beside what is asked then; one that comes from another server takes its turn among
 * what is asked of the log, since it replaces it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef LIBRAFT_IO_H
#define LIBRAFT_IO_H

#include "past.h"
#include "storage.h"

enum disk_request_kind {
    DISK_APPEND = 0,
    DISK_TRUNCATE,
    DISK_SNAPSHOT, /* of another server */
};

struct disk_request {
    enum disk_request_kind kind;
    unsigned n; /* DISK_APPEND: entries */
    unsigned trailing;
    uint64_t index;  /* DISK_TRUNCATE */
    uint64_t digest; /* of the entries when they were handed over */
    const struct raft_entry *entries;
    const struct raft_snapshot *snapshot;
    struct raft_io_append *append;
    struct raft_io_snapshot_put *put;
};

struct send_request {
    struct raft_io_send *send;
    int status;
};

/* Requests of each kind wait in a list with room for some more. There is no bound to it: a strategy
 * may keep a disk waiting for as long as it likes. */
struct io {
    struct raft_io io; /* for the library; io.impl is this struct */
    const struct server_birth *birth;
    struct storage storage;
    uint64_t next_index;     /* of the entry that the library will append next */
    uint64_t next_prev_term; /* of the entry before that; 0: not known */
    uint64_t now_ms;
    struct packed_members
        members[INDEXES_MAX]; /* by the index of their entry; count 0: not known */
    uint64_t shown_index;     /* up to which the message that is handled shows the leader's log */
    uint64_t shown_term;      /* of that entry, if the message is a snapshot; 0: it is none */
    uint64_t agreed_term;  /* of the last leader that has shown that its log is the server's ... */
    uint64_t agreed_index; /* ... up to here */
    struct raft_configuration
        configuration; /* the server's own, if it has lent a vote (repairs.h) */
    bool has_lent_vote;
    uint64_t silent_term; /* whose leader is hidden while the server lends its vote */
    raft_id silent_id;    /* 0: none is */
    char *silent_address;
    struct disk_request *queue; /* what is asked of the log */
    uint32_t queue_count;
    uint32_t queue_room;
    struct disk_request put; /* of the server's own snapshot; put.put: NULL if there is none */
    uint32_t put_behind;     /* so many of the queue */
    struct raft_io_snapshot_get **gets;
    uint32_t get_count;
    uint32_t get_room;
    struct send_request *sends;
    uint32_t send_count;
    uint32_t send_room;
    struct raft_io_async_work **works;
    uint32_t work_count;
    uint32_t work_room;
    bool is_broken; /* the disk has failed where that cannot be reported */
    raft_io_close_cb close_cb;
    raft_io_tick_cb tick; /* NULL until the library has started */
    raft_io_recv_cb recv;
};

void io_init(struct io *io, const struct server_birth *birth);

/* Writes what has happened before the trial, behind the configuration that the library has just
 * written. To be called before the library has started; the disk must not fail then. */
void io_begin_with(struct io *io, const struct past *past,
                   const struct raft_configuration *configuration);

/* The steps. Each does one thing that the library has asked for and reports it; nothing, if there
 * is nothing to do. */
void io_log_written(struct io *io);
void io_snapshot_written(struct io *io);
void io_snapshot_read(struct io *io);
void io_sent(struct io *io);
void io_worked(struct io *io);
void io_closed(struct io *io);

/* Reports all messages as sent. */
void io_flush(struct io *io);

#endif
