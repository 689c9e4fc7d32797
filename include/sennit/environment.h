/* sennit/environment.h - what makes distributed systems hard: nodes that crash, networks that lose
 * and delay, disks that forget, clocks that disagree.
 *
 * A node is a group of machines that live and die together, with a disk and a clock. Faults are
 * operations like any other: a test says how many of each kind a trial may have, the strategy says
 * when they happen, the log and the trace hold them. docs/environment.md defines the semantics.
 *
 * Unless a comment says otherwise the functions may only be called from inside a trial, and not by
 * a monitor.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SENNIT_ENVIRONMENT_H
#define SENNIT_ENVIRONMENT_H

#include <sennit/machine.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* ---- Nodes ---------------------------------------------------------------------------------- */

/* A node of the running trial, numbered from 1 in order of creation; 0 is none. */
typedef uint32_t sn_node;

#define SN_NO_NODE ((sn_node)0)

/* A new node, up and without machines. The name is for traces (as printf); at most 63 bytes of it
 * are kept. */
sn_node sn_node_new(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Creates a machine on a node, as sn_create does. It is a resident of the node: when the node is
 * restarted after a crash the machine is born again, with the same id and name, its memory zeroed,
 * and a copy of the same payload. A machine that a resident creates with sn_create lives on the
 * same node but is no resident: a crash ends it for good. Machines created otherwise are on no
 * node: they never fail, and messages from and to them are not touched by faults. Returns the new
 * machine. */
sn_id sn_create_on(sn_node node, const struct sn_machine *type, const void *payload);

/* Where a machine is; SN_NO_NODE: on none. May be called by monitors. */
sn_node sn_node_of(sn_id machine);

/* Whether a node is running. May be called by monitors. */
bool sn_node_is_up(sn_node node);

/* The name of a node. Owned by the trial. May be called by monitors. */
const char *sn_node_name(sn_node node);

/* Faults leave this node alone (its messages may still be lost): for clients and the like. */
void sn_node_never_crash(sn_node node);

/* Ends all machines of a node: their memory, timers and received messages are gone. After a stop
 * everything that was written to its disk is durable; a crash loses, keeps or tears what was not
 * synced. What was in flight goes the way of its link (enum sn_order). A machine that does this to
 * its own node runs on to the end of its step. Nothing happens if the node is down already. */
void sn_node_stop(sn_node node);  /* stops a node in an orderly way */
void sn_node_crash(sn_node node); /* crashes a node */

/* Starts a node that is down: its residents are born again. Nothing happens if it is up. */
void sn_node_restart(sn_node node);

/* ---- Network -------------------------------------------------------------------------------- */

/* How messages on the way to a machine are kept, and what a crash does to them.
 *
 *                   order                          crash of receiver   crash of sender
 *   SN_FIFO         as sent, per pair of machines  lost                the last ones may be lost
 *   SN_UNORDERED    any                            wait for restart    nothing happens to them
 *   SN_INBOX        as sent, over all senders      lost                nothing happens to them
 */
enum sn_order {
    SN_FIFO = 0,  /* a connection */
    SN_UNORDERED, /* datagrams */
    SN_INBOX,     /* one mailbox at the receiver */
};

/* Sets the order of one link, for messages sent from now on. SN_NOBODY stands for any machine. What
 * is said last counts. The rest is as test->links says. */
void sn_link_order(sn_id from, sn_id to, enum sn_order order);

/* Cuts the network in two: no message passes between a node of `side` (bit n-1 stands for node n)
 * and one that is not, until sn_heal. Only for trials of at most 64 nodes. */
void sn_cut(uint64_t side);
void sn_heal(void); /* joins the network again */

/* ---- Faults --------------------------------------------------------------------------------- */

/* What may go wrong in a trial of a test, and how often. Only messages between machines on
 * different nodes can be lost, doubled, delayed or cut off. */
struct sn_faults {
    /* At most this many in one trial. */
    uint32_t drops;           /* a message is lost */
    uint32_t duplicates;      /* a message arrives twice */
    uint32_t delays;          /* a message (and what follows it on an ordered link) takes longer */
    uint32_t partitions;      /* the network is cut in two, any way, and heals */
    uint32_t crashes;         /* a node crashes, between two steps or in the middle of one */
    uint32_t stops;           /* a node stops in an orderly way */
    uint32_t disk_errors;     /* a disk operation fails */
    uint32_t resets;          /* a connection of sockets between nodes is reset (docs/sockets.md) */
    uint32_t short_transfers; /* a read or write of a socket moves fewer bytes than it could */

    /* Faults of a trial are spread over this many steps; 0: over the whole trial, more of them
     * early; 1: each can happen from the start, which is what systematic strategies always do. */
    uint32_t horizon;

    uint32_t max_down;     /* nodes that faults may keep down at one time; 0 means any number */
    uint64_t down_ns;      /* a node is restarted after at most this long; 0 means never */
    uint64_t partition_ns; /* a partition heals after at most this long; 0 means never */
    uint64_t delay_ns;     /* a message is delayed by at most this; 0 means one second */
    bool cut_holds;        /* what is cut off waits until the network heals, and is not lost */

    uint64_t skew_ns;   /* clocks of nodes differ from true time by at most this, ... */
    uint32_t drift_ppm; /* ... and run faster or slower by at most this many parts in a million */
};

/* ---- Disks ---------------------------------------------------------------------------------- */

/* Each node has a disk with files, found by name (1 to 63 bytes). The functions act on the disk of
 * the running machine's node; for machines on no node, and the test's run function, on one that
 * never fails or loses anything. What is written can be read back at once, but is durable only
 * after a sync. They return 0 or a number of bytes, SN_ENOTFOUND where a file must exist and does
 * not, or SN_EIO when a fault makes them fail: then nothing has been done. docs/disks.md says what
 * is left after a crash. */

enum { SN_SECTOR = 512 }; /* a write within one sector is all or nothing */

/* Writes at an offset, which may lie behind the end: the gap is filled with zeros. A file that does
 * not exist is made. No file has more than 1 GiB. */
int sn_disk_write(const char *file, uint64_t offset, const void *bytes, size_t n);

/* Writes at the end. A file that does not exist is made. */
int sn_disk_append(const char *file, const void *bytes, size_t n);

/* Cuts a file, or fills it up with zeros, to this size. A file that does not exist is made. */
int sn_disk_truncate(const char *file, uint64_t size);

/* Gives a file another name; a file that has it is replaced. After a crash the file has either its
 * old name or the new one, never both or none, and a file to be replaced is there or replaced. */
int sn_disk_rename(const char *from, const char *to);

/* Removes a file. That is durable after sn_disk_sync(NULL), or when a name given later is. */
int sn_disk_remove(const char *file);

/* Makes durable what was written to one file, and its name with all names given (and taken away)
 * before; NULL: everything. */
int sn_disk_sync(const char *file);

/* Reads up to n bytes; fewer at the end of the file, 0 behind it. */
int64_t sn_disk_read(const char *file, uint64_t offset, void *bytes, size_t n);

/* The size of a file; -1 if there is none. Never fails. */
int64_t sn_disk_size(const char *file);

/* ---- Clocks --------------------------------------------------------------------------------- */

/* Sets how the clock of a node differs from true time: by an offset, and by its speed. It is what
 * sn_now_ns, time() and clock_gettime() show the node's machines, and by what their timers run. */
void sn_node_clock(sn_node node, int64_t offset_ns, int32_t drift_ppm);

/* True virtual time since the trial began, whatever the clocks of nodes say. */
uint64_t sn_true_time_ns(void);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
