/* storage.h - term, vote, log and snapshot on the disk.
 *
 * A function that fails sets r->error, which ends the server: see raft.h.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef RAFT_STORAGE_H
#define RAFT_STORAGE_H

#include "raft.h"

/* Reads everything back. What a crash has left half-written is cut off. */
void raft_storage_load(struct raft *r);

/* Makes term and vote durable. */
void raft_storage_save_term(struct raft *r);

/* Makes the entries from an index to the last one durable, and those that the file had instead
 * gone. */
void raft_storage_save_log(struct raft *r, uint32_t first_index);

/* Makes a snapshot durable, in place of the one before. */
void raft_storage_save_snapshot(struct raft *r, const struct raft_snapshot *snapshot);

/* Writes the file of the log anew, without what the log has not any more. */
void raft_storage_rewrite_log(struct raft *r);

/* Makes durable what is still to be. */
void raft_storage_sync_log(struct raft *r);

#endif
