/* protocol.h - what daemons and server say to each other, and the ways in which they may be wrong.
 *
 * The server has one file of each name and lets one daemon at a time work on it. A daemon that has
 * something to do asks (Download). When its turn comes it is told what the server has
 * (DownloadReply), and ends the turn: it has put that in place of its own file (Done), or its own
 * file was changed and is sent instead (Upload, answered by UploadAck). The others are told that
 * there is something new (Notify). So what a daemon reads or replaces on its node, and what the
 * server has, are compared at one moment, and nobody can come in between.
 *
 * Nothing here knows of Sennit. All members of messages have four or eight bytes, and there is no
 * padding.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SYNC_PROTOCOL_H
#define SYNC_PROTOCOL_H

#include <stdbool.h>
#include <stdint.h>

enum {
    SYNC_NODES = 5,         /* at most */
    SYNC_FILES = 8,         /* at most */
    SYNC_FIRST_VERSION = 1, /* of a file that has never been there */
    SYNC_DIRECTORY = 63,    /* contents are numbers: 0 is no file, this is a directory */
};

/* ---- Messages ------------------------------------------------------------------------------- */

enum sync_kind {
    SYNC_DOWNLOAD = 0,   /* from a daemon to the server, as the next three */
    SYNC_UPLOAD,         /* ends a turn */
    SYNC_DONE,           /* ends a turn */
    SYNC_HELLO,          /* it was started: what has it missed? */
    SYNC_GONE,           /* from a daemon's kernel: it is dead, its connection closed */
    SYNC_DOWNLOAD_REPLY, /* from the server to a daemon, as the next two; begins a turn */
    SYNC_UPLOAD_ACK,
    SYNC_NOTIFY,
    SYNC_KINDS,
};

struct sync_download {
    uint32_t node;
    uint32_t file;
    uint32_t session; /* how often the daemon was started: answers to an earlier life are void */
};

struct sync_download_reply {
    uint32_t file;
    uint32_t session;
    uint32_t value;
    uint32_t version;      /* changes with the value */
    uint32_t revision;     /* changes with the value and the conflict files */
    uint32_t last_serial;  /* of the last upload that came from this node ... */
    uint32_t last_version; /* ... and what became of it, as in struct sync_upload_ack */
    uint32_t zero;
    uint64_t conflicts; /* bit v: value v is in a conflict file */
};

struct sync_upload {
    uint32_t node;
    uint32_t file;
    uint32_t session;
    uint32_t value;
    uint32_t base;   /* the version that it was made from */
    uint32_t serial; /* of the node's uploads, from 1 */
};

struct sync_upload_ack {
    uint32_t file;
    uint32_t session;
    uint32_t serial;
    uint32_t version; /* that the server has now, and the node, too; 0: the server keeps its own */
    uint32_t revision;
};

struct sync_notify {
    uint32_t file;
    uint32_t revision;
};

struct sync_done {
    uint32_t node;
    uint32_t file;
};

/* Of Hello and Gone. */
struct sync_node {
    uint32_t node;
};

/* ---- Ways to be wrong ----------------------------------------------------------------------- */

/* All false: correct. The first six are what was seen of Dropbox and ownCloud, the others leave out
 * one of the things that a correct synchroniser has to do. */
struct sync_wrong {
    bool apply_old_delete;
    bool reupload_after_delete;
    bool delete_vs_metadata_update;
    bool mtime_size_check;
    bool directory_reorder;
    bool upload_mtime_check;

    bool no_turns;
    bool replace_unseen;
    bool drop_conflict;
    bool same_is_conflict;
    bool delete_beats_write;
    bool compare_contents;
    bool deaf_while_uploading;
    bool no_rescan;
    bool forget_upload;
};

#endif
