/* cluster.h - a few servers of libraft in one process, driven by hand. Knows nothing of Sennit.
 *
 * A second, simpler implementation of struct raft_io, so that what these programs show cannot be
 * due to the first: messages lie in a queue until the program delivers or drops them, writes until
 * it completes or fails them, time passes when it says so. Disks are memory that outlives a crash.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef STANDALONE_CLUSTER_H
#define STANDALONE_CLUSTER_H

#include <raft.h>

enum {
    CLUSTER_MAX = 5, /* servers, numbered from 1 */
    LOG_MAX = 64,
    QUEUE_MAX = 256,
};

struct stored_entry {
    raft_term term;
    unsigned short type;
    size_t length;
    unsigned char data[128];
};

struct stored_snapshot {
    raft_index index; /* 0: there is none */
    raft_term term;
    raft_index conf_index;
    unsigned n;
    raft_id ids[CLUSTER_MAX];
    int roles[CLUSTER_MAX];
    unsigned long long state;
};

/* What the disk of a server has. */
struct disk {
    raft_term term;
    raft_id vote;
    raft_index first_index; /* of the entries */
    raft_index last_index;
    struct stored_entry log[LOG_MAX]; /* by index */
    struct stored_snapshot snapshot;
};

enum write_kind { WRITE_APPEND, WRITE_TRUNCATE, WRITE_SNAPSHOT };

struct pending_write {
    enum write_kind kind;
    raft_index index;
    const struct raft_entry *entries;
    unsigned n;
    unsigned trailing;
    const struct raft_snapshot *snapshot;
    struct raft_io_append *append;
    struct raft_io_snapshot_put *put;
};

struct server {
    unsigned id;
    struct raft raft;
    struct raft_io io;
    struct raft_fsm fsm;
    unsigned long long state; /* of the state machine: all commands, as decimal digits */
    struct disk disk;
    struct pending_write writes[QUEUE_MAX];
    unsigned n_writes;
    raft_time now;
    raft_io_tick_cb tick;
    raft_io_recv_cb recv;
    raft_io_close_cb close_cb;
};

extern struct server servers[CLUSTER_MAX + 1];
extern int send_status;             /* that is reported of messages from now on: 0, sent */
extern unsigned messages_to_nobody; /* that were sent to server 0, and the address NULL */
extern long blocks;                 /* of memory that the library has and has not freed */

/* Starts servers, of which the first `voters` are the configuration. A threshold of 0: no
 * snapshots are taken. What was there before is forgotten. */
void cluster_start(unsigned n, unsigned voters, unsigned threshold);

/* Ends a server without a word, and starts it again from its disk. */
void cluster_crash(unsigned id);
void cluster_restart(unsigned id);

/* Time passes for a server, 100 ms at each tick. */
void cluster_tick(unsigned id, unsigned ticks);

/* Handles all messages from one server to another, in order; drops them instead. Returns how many
 * there were. */
unsigned cluster_deliver(unsigned from, unsigned to);
unsigned cluster_drop(unsigned from, unsigned to);

/* Handles the first one only. */
void cluster_deliver_one(unsigned from, unsigned to);

/* Ends the first of the writes that a server waits for, with this status; all of them. */
void cluster_end_write(unsigned id, int status);
void cluster_end_writes(unsigned id);

/* A leader has written what it has to, another server gets it and answers. */
void cluster_replicate(unsigned leader, unsigned to);

/* The same for several servers, given as digits, again and again while time passes. */
void cluster_replicate_all(unsigned leader, const char *to);

/* A server becomes candidate and is elected by another one. */
void cluster_elect(unsigned id, unsigned by);

/* The same by two others. Returns whether it is elected. */
bool cluster_stand(unsigned id, unsigned first, unsigned second);

/* A server is cut off for so long that it stands for election, which nobody hears of. */
void cluster_forget(unsigned id);

/* Hands a command, a digit, to a server. Returns what raft_apply does. What became of it is in
 * apply_status then: APPLY_WAITS at first. */
enum { APPLY_WAITS = -1 };
extern int apply_status[10];
int cluster_apply(unsigned id, unsigned digit);

/* Has a leader change the configuration. Returns what the library does. */
int cluster_add(unsigned id, unsigned server);
int cluster_assign(unsigned id, unsigned server, int role);
int cluster_remove(unsigned id, unsigned server);

/* Has a leader hand over to another server. Returns what the library does. */
int cluster_transfer(unsigned id, unsigned server);

/* Closes a server: the writes that it waits for are reported with this status, RAFT_CANCELED or
 * 0 if they were done all the same, and then the end. */
void cluster_close(unsigned id, int status);

/* The term of an entry of a server's log in memory; 0: it has none. */
raft_term cluster_term(unsigned id, raft_index index);

/* Says what was shown. Ends the program with 1 if the condition does not hold, when the library
 * does better than these programs say. */
void cluster_show(bool is_shown, const char *what);

/* The same, and ends the program with 0 if it holds. */
void cluster_conclude(bool is_shown, const char *what);

/* As cluster_conclude, where the condition is that `run` ends its process by a signal, and that it
 * does not if the one thing that is to blame is left out. */
void cluster_conclude_crash(void (*run)(bool is_to_blame), const char *what);

#endif
