/* disk.h - the disks of nodes: how they join a trial, and what stops and crashes do to them.
 *
 * disk.c has the functions that programs call and decides what a crash leaves; files.c keeps what
 * is on the disks. docs/disks.md defines the semantics. SPDX-License-Identifier: MIT
 */
#ifndef SUBSTRATE_DISK_H
#define SUBSTRATE_DISK_H

#include "engine/trial.h"

/* Makes disks part of a trial. 0, or SN_ENOMEM. A trial begins without any: each is made when it is
 * first used, by a machine on no node perhaps before there are nodes. */
int disks_join(struct trial *t, struct err *why);
void disks_leave(struct trial *t);

/* A node stops in an orderly way: all that was written to its disk is durable. */
void disk_stop(struct trial *t, sn_node node);

/* A node crashes: draws decide what of that which was not synced is durable. Value 0 stands for
 * nothing, so that the simplest trial is the one that loses most. */
void disk_crash(struct trial *t, sn_node node);

#endif
