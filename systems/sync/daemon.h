/* daemon.h - the daemon of a node: keeps its files and the server's the same.
 *
 * It has a database with what it knows of each file: the version of the server's that the node's
 * file is or was made from, and the stamp by which it sees whether the file has been changed since.
 * The database outlives the daemon. Nothing else does: a daemon that is started again looks at all
 * files.
 *
 * Two things must not be torn apart. A file is replaced in the same step in which it was found to
 * be unchanged, and the database then says so at once. An upload is in the database before it is
 * sent; whether it has arrived the server knows.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SYNC_DAEMON_H
#define SYNC_DAEMON_H

#include "local_files.h"

/* Of one file, in the database. */
struct daemon_entry {
    struct stamp stamp;   /* that the file had when it was last replaced or uploaded */
    uint32_t value;       /* that it had then */
    uint32_t version;     /* that it was then, or was made from */
    uint32_t revision;    /* all of this is on the node */
    uint32_t is_replaced; /* boolean: it came from the server */
    /* An upload that nothing is known of yet; serial 0: there is none. */
    struct {
        uint32_t serial;
        uint32_t value;
        struct stamp stamp;
    } upload;
    uint32_t aside; /* of a wrong daemon: what it took away for a while */
    uint32_t zero;
};

/* What a wrong daemon will put into the database later. */
struct daemon_record {
    uint32_t file;
    uint32_t session;
    struct daemon_entry entry;
};

struct daemon_io {
    void (*send)(void *self, enum sync_kind kind, const void *message); /* to the server */
    /* daemon_on_record is to be called with this at any time; only wrong ones do it. */
    void (*record)(void *self, const struct daemon_record *record);
};

/* What a user did to a file, as the file system tells it. */
struct daemon_event {
    uint32_t file;
    uint32_t value;
    uint32_t old;
    uint32_t second;
};

/* Of one file, in memory. */
struct daemon_progress {
    bool is_waiting;   /* it has asked for a turn, or has one */
    bool was_changed;  /* when it asked */
    bool is_reordered; /* of a wrong daemon: it takes the deletion of a directory for its last */
    uint32_t removed;  /* of a wrong daemon: the second in which a directory was, plus 1 */
    uint32_t known;    /* the newest revision that it has heard of */
};

/* To be treated as opaque; here so that it can be embedded. */
struct daemon {
    const struct daemon_io *io;
    void *io_self;
    const struct sync_wrong *wrong;
    struct files *files;
    uint32_t node;
    uint32_t session; /* how often it was started */
    uint32_t serial;  /* of its uploads, ever: in the database as well */
    struct daemon_entry entries[SYNC_FILES];
    struct daemon_progress progress[SYNC_FILES];
};

/* Makes an empty database. Keeps the pointers. */
void daemon_init(struct daemon *d, const struct sync_wrong *wrong, uint32_t node,
                 struct files *files, const struct daemon_io *io, void *io_self);

/* Starts it, for the first time or again. */
void daemon_start(struct daemon *d);

/* What comes from the file system and the server. Not to be called while it is dead. */
void daemon_on_change(struct daemon *d, const struct daemon_event *event);
void daemon_on_reply(struct daemon *d, const struct sync_download_reply *m);
void daemon_on_ack(struct daemon *d, const struct sync_upload_ack *m);
void daemon_on_notify(struct daemon *d, const struct sync_notify *m);
void daemon_on_record(struct daemon *d, const struct daemon_record *record);

#endif
