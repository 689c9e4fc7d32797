/* events.h - what the machines and the driver say to each other.
 *
 * The messages of daemons and server are those of protocol.h; the rest is what a user and a kernel
 * do on a node. Members have four or eight bytes and there is no padding.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SYNC_EVENTS_H
#define SYNC_EVENTS_H

#include "daemon.h"
#include <sennit/sennit.h>

/* By enum sync_kind. */
extern const struct sn_event *const sync_events[SYNC_KINDS];

extern const struct sn_event download_event, upload_event, done_event, hello_event, gone_event;
extern const struct sn_event download_reply_event, upload_ack_event, notify_event;

/* ---- From the driver to a node, which answers ----------------------------------------------- */

struct user_read {
    uint32_t file;
};

struct user_write {
    uint32_t file;
    uint32_t value; /* 0 deletes */
};

struct user_rename {
    uint32_t from;
    uint32_t to;
};

/* Answered when the file has this value; forgotten when the user asks for anything else. */
struct user_wait {
    uint32_t file;
    uint32_t value;
};

/* What a node says to everything that it is asked. */
struct answer {
    uint32_t value;      /* that is there, or was before, or is renamed */
    uint32_t old;        /* that was in the way of what is renamed */
    uint32_t is_awaited; /* boolean: it answers a wait */
    uint32_t zero;
    uint64_t conflicts;
};

extern const struct sn_event read_event;
extern const struct sn_event write_event;
extern const struct sn_event rename_event;
extern const struct sn_event wait_event;
extern const struct sn_event kill_event;
extern const struct sn_event restart_event;
extern const struct sn_event answer_event;

/* ---- Within a node -------------------------------------------------------------------------- */

extern const struct sn_event fs_event;     /* payload: struct daemon_event */
extern const struct sn_event record_event; /* payload: struct daemon_record */
extern const struct sn_event second_event; /* the clock goes on to the next second */

#endif
