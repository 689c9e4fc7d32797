/* sennit/wrap.h - for components that were not written for Sennit: disks that answer later, and
 * addresses for code that uses sockets.
 *
 * docs/wrapping.md is the recipe. What else it needs is elsewhere: callbacks, tasks and thread
 * pools in sennit/task.h, code in blocking style in sennit/process.h. Clocks, random numbers and
 * sockets need no header: the component calls libc, and the trial answers.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SENNIT_WRAP_H
#define SENNIT_WRAP_H

#include <sennit/environment.h>
#include <sennit/task.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* ---- Disks that answer later ---------------------------------------------------------------- */

enum sn_disk_verb {
    SN_DISK_WRITE = 1, /* as sn_disk_write, and so on */
    SN_DISK_APPEND,
    SN_DISK_TRUNCATE, /* to `offset` bytes */
    SN_DISK_RENAME,   /* to `to` */
    SN_DISK_REMOVE,
    SN_DISK_SYNC, /* file may be NULL */
    SN_DISK_READ,
};

/* An operation on the disk that is performed later. */
struct sn_disk_io {
    enum sn_disk_verb verb;
    const char *file; /* names are copied */
    const char *to;
    uint64_t offset;
    void *bytes; /* not copied: must stay until it is done */
    size_t n;
    sn_callback *done; /* gets what the function of sennit/environment.h would return */
    void *argument;
};

/* Makes a queue of such operations for the running machine or process, on its node; it is gone when
 * the node goes down. If it keeps order they are performed as they were submitted, and told so;
 * otherwise in any order, as io_uring and thread pools do. Returns the queue, a machine. */
sn_id sn_disk_queue_new(bool keeps_order);

/* Submits an operation. That it is performed is one operation of the trial; that `done` is called,
 * by the one who has made the queue, is another (see sn_post). In between, and before, the node may
 * crash. */
void sn_disk_submit(sn_id queue, const struct sn_disk_io *io);

/* ---- Addresses of nodes --------------------------------------------------------------------- */

/* Sockets of processes are the trial's (docs/sockets.md): they connect nodes. */

/* Returns the address by which other nodes reach a node, such as "10.0.0.1": that of node number n,
 * unless it was set, is the n-th of 10.0.0.0/8. SN_NO_NODE: where processes are that are on no
 * node. Owned by the trial. */
const char *sn_node_address(sn_node node);

/* Gives a node another address, as the component expects it to have. */
void sn_node_set_address(sn_node node, const char *address);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
