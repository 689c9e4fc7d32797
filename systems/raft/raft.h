/* raft.h - one server of a replicated state machine (Ongaro and Ousterhout, "In Search of an
 * Understandable Consensus Algorithm", 2014; Ongaro's thesis for membership, sessions and reads).
 *
 * Elections, replication, persistence, snapshots, membership changes by one server at a time,
 * commands that are executed exactly once, and linearizable reads through the leader. The server
 * owns no socket, disk, timer, clock or random number: it reaches all of them through struct
 * raft_env, and whoever owns them calls the entry points below, from one thread.
 *
 * A disk that fails ends the server. From the first failed operation on it sends nothing, applies
 * nothing and every entry point returns -EIO: what it holds in memory may differ from what is on
 * its disk, and only a new start from the disk can tell. So no function here has to undo anything.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef RAFT_H
#define RAFT_H

#include "log.h"
#include "types.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- The world ------------------------------------------------------------------------------ */

enum raft_timer {
    RAFT_TIMER_ELECTION,
    RAFT_TIMER_HEARTBEAT,
    RAFT_TIMERS,
};

/* What an observer may want to know of. */
enum raft_moment {
    RAFT_ELECTED,   /* this server leads its term */
    RAFT_APPENDED,  /* the entry at the index is in its log, durably */
    RAFT_COMMITTED, /* it knows that everything up to the index is committed */
    RAFT_APPLIED,   /* it has dealt with the entry at the index, of whatever kind */
    RAFT_STARTED,   /* it has just been started, its state machine is as of the index */
    RAFT_RESTORED,  /* a leader has sent it a snapshot: its state machine is as of the index */
};

/* What a server needs of the world; all entries but observe are required. Disk operations return 0,
 * or a number of bytes, or something negative if nothing could be done. What was written is safe
 * from a crash after a sync of its file, and before that may be there, or not, or in part; but a
 * write within the first 512 bytes of a file is there or is not, and a file that was renamed has
 * one of the two names. A file that does not exist is one without bytes. */
struct raft_env {
    /* The message has raft_message_size(kind) bytes. It may get lost, be doubled or be late. */
    void (*send)(void *self, uint32_t to, enum raft_message_kind kind, const void *message);
    void (*reply)(void *self, const struct raft_reply *reply);

    int (*write)(void *self, const char *file, uint64_t offset, const void *bytes, size_t n);
    int (*truncate)(void *self, const char *file, uint64_t size); /* makes the file if need be */
    int (*rename)(void *self, const char *from, const char *to);  /* replaces `to` */
    int (*sync)(void *self, const char *file); /* of a file that does not exist: 0 */
    int64_t (*read)(void *self, const char *file, uint64_t offset, void *bytes, size_t n);
    int64_t (*size)(void *self, const char *file);

    /* Calls raft_timeout once, after delay_ms; a timer of this kind that runs is forgotten. */
    void (*start_timer)(void *self, enum raft_timer timer, uint32_t delay_ms);
    void (*cancel_timer)(void *self, enum raft_timer timer);
    uint64_t (*now_ms)(void *self);             /* a clock that starts anywhere */
    uint32_t (*random)(void *self, uint32_t n); /* anything in 0 .. n-1 */

    /* The state machine, which must do the same for the same commands on every server. */
    void (*apply)(void *self, uint32_t index, const struct raft_entry *entry, uint32_t *result);
    void (*query)(void *self, const uint32_t *data, uint32_t *result);
    void (*save)(void *self, uint32_t *state);
    void (*restore)(void *self, const uint32_t *state);

    void (*observe)(void *self, enum raft_moment moment, uint32_t index); /* may be NULL */
};

/* Each of these makes the server wrong in a way that has happened to people; README.md tells the
 * stories. All of them are false in a server that is to be relied on. */
struct raft_bugs {
    bool forget_vote;
    bool one_shot_candidate;
    bool compare_lengths;
    bool truncate_always;
    bool commit_unverified;
    bool count_old_term;
    bool double_apply;
    bool stale_read;
    bool early_read;
    bool ack_before_sync;
    bool trust_unsynced;
    bool stale_snapshot;
    bool snapshot_forgets_sessions;
    bool overlapping_changes;
};

struct raft_config {
    uint32_t id;      /* of this server */
    uint32_t members; /* of the cluster when it was founded; 0: this server is to be added later */

    uint32_t election_ms;        /* an election timeout is at least this, ... */
    uint32_t election_spread_ms; /* ... and less than this longer; 0 means 150 for both */
    uint32_t heartbeat_ms;       /* 0 means 50 */
    uint32_t batch;              /* entries in one message; 0 means RAFT_BATCH_MAX */
    uint32_t snapshot_entries;   /* applied entries that make a snapshot worth it; 0 means 32 */
    struct raft_bugs bugs;
};

/* ---- The server ----------------------------------------------------------------------------- */

enum raft_role {
    RAFT_FOLLOWER,
    RAFT_CANDIDATE,
    RAFT_LEADER,
};

/* What a leader knows of another server. */
struct raft_progress {
    uint32_t next_index;  /* the next entry to send */
    uint32_t match_index; /* up to here its log is the leader's */
    uint32_t acked_round; /* the last round of heartbeats that it answered */
};

/* A request that a leader has not answered yet. */
struct raft_waiting {
    struct raft_request request;
    uint32_t index; /* writes, changes: of the entry; reads: what must be applied; 0: not known */
    uint32_t round; /* reads: what a majority must have answered */
};

/* To be treated as opaque, but for looking; here so that it can be embedded. */
struct raft {
    struct raft_config config;
    const struct raft_env *env;
    void *env_self;
    int error; /* not 0: the disk has failed, and with it the server */

    /* Also on the disk. */
    uint32_t term;
    uint32_t vote; /* for whom in this term; 0: for nobody */
    struct raft_log log;
    struct raft_snapshot snapshot; /* what lies before the log */
    uint32_t file_base;            /* the log's file begins behind this index ... */
    uint32_t file_last;            /* ... and ends with this one */
    bool has_unsynced;             /* the log's file was written to, and not synced since */

    enum raft_role role;
    uint32_t leader;          /* of this term; 0: not known */
    uint64_t leader_heard_ms; /* when, if is_leader_alive */
    bool is_leader_alive;     /* it was heard of, and no timeout has passed since */
    uint32_t commit_index;
    uint32_t applied_index;
    struct raft_session sessions[RAFT_SESSIONS_MAX];
    uint32_t members;       /* by the last change in the log, committed or not */
    uint32_t members_index; /* of that change; at most the snapshot's index: in the snapshot */

    uint32_t votes; /* a candidate's: who gave it */

    /* A leader's. */
    struct raft_progress progress[RAFT_SERVERS_MAX + 1];
    uint32_t round;         /* of heartbeats, the last one */
    uint32_t start_index;   /* of the no-op that its term begins with */
    uint32_t joining;       /* a server that gets the log before it becomes a member; 0: none */
    uint32_t joining_goal;  /* once it has got so far */
    uint32_t joining_beats; /* for how long it may still try */
    struct raft_waiting waiting[RAFT_WAITING_MAX];
    uint32_t waiting_count;
};

/* Makes a server of what is on its disk, a new one if nothing is. Env and env_self are kept. 0,
 * -EINVAL if something required is missing, or -EIO. */
int raft_start(struct raft *r, const struct raft_config *config, const struct raft_env *env,
               void *env_self);

/* Entry points: a message came, a client asks, a timer has run out. 0, or -EIO. */
int raft_receive(struct raft *r, enum raft_message_kind kind, const void *message);
int raft_request(struct raft *r, const struct raft_request *request);
int raft_timeout(struct raft *r, enum raft_timer timer);

size_t raft_message_size(enum raft_message_kind kind);

#endif
