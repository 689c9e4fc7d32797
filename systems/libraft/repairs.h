/* repairs.h - keeps what is known to be wrong with the library from happening (--repaired 1).
 *
 * A campaign finds the same few things again and again, and never what lies behind them. Each of
 * these functions does, between the library and the world, what the library should have done; where
 * the pages of docs/findings name one, the finding is gone with it. They also show that it is not
 * the harness that is wrong: nothing else of it changes.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef LIBRAFT_REPAIRS_H
#define LIBRAFT_REPAIRS_H

#include "io.h"

/* Set by --repaired. */
extern uint64_t is_repaired;

/* counted-leftovers: a server confirms what the message that it answers has shown to be the same,
 * and not whatever its log has behind that. */
void repair_confirmation(struct raft_message *message, uint64_t shown_index);

/* entries-before-snapshot: entries that a server has in its snapshot are not handed to it again. */
void repair_entries(struct append_entries *append, const struct raft_log *log);

/* counted-old-entries: a leader is not told of a majority for an entry of an earlier term, but only
 * for what comes behind it. */
void repair_count(struct raft_append_entries_result *result, const struct raft *raft);

/* leader-without-election: the last but one voter stays one. rollback-to-snapshot: where snapshots
 * are taken, members do not change. */
bool repair_refuses(const struct raft *raft, const struct request *request);

/* reply-to-nobody: a message without an addressee is not sent. */
bool repair_drops(const struct raft_message *message);

/* two-failed-writes, leak-of-install: what the disk is to do is done before a server is closed. */
void repair_close(struct io *io);

#endif
