/* repairs.h - keeps what is known to be wrong with the library from happening (--finding NAME).
 *
 * A campaign finds the same few things again and again, and never what lies behind them. Each of
 * these functions does, between the library and the world, what the library should have done, or
 * keeps out of the way of what it does wrong. With `--finding none` nothing that is known can
 * happen any more, and with the name of a finding only that. That nothing is found with `none` also
 * shows that what is found otherwise is not due to the rest of the harness.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef LIBRAFT_REPAIRS_H
#define LIBRAFT_REPAIRS_H

#include "io.h"

/* A page each in docs/findings. */
enum finding {
    COUNTED_LEFTOVERS = 0,
    COUNTED_OLD_ENTRIES,
    LEADER_WITHOUT_ELECTION,
    FAILED_WRITE_REUSES_INDEX,
    FOLLOWER_KEEPS_UNWRITTEN,
    ENTRIES_BEFORE_SNAPSHOT,
    ROLLBACK_TO_SNAPSHOT,
    TWO_FAILED_WRITES,
    REPLY_TO_NOBODY,
    LEAK_OF_INSTALL,
    VOTE_FOR_TRANSFEREE,
    UNCOMMITTED_IN_SNAPSHOT,
    UNCOMMITTED_AFTER_RESTART,
    UNCOMMITTED_AFTER_INSTALL,
    CANDIDATE_MISSES_CONFIGURATION,
    NONVOTER_BLOCKS,
    PRE_VOTE_HIDES_TERM,
    SNAPSHOT_NOT_INSTALLED,
};

/* The words of --finding: all, none, and the names in the order of enum finding. Ends with NULL. */
extern const char *const finding_words[];

/* What was given; "all" at first. */
extern const char *finding_wanted;

/* To be called when finding_wanted is set. */
void repairs_prepare(void);

/* COUNTED_LEFTOVERS: a server confirms what the message that it answers has shown to be the same,
 * and not whatever its log has behind that. When a write has ended, it is what messages of that
 * term have shown, and what is committed. */
void repair_confirmation(struct raft_message *message, const struct io *io);

/* Takes note, for that, of what a message has shown that was handled: the leader of a term has an
 * entry of this index and term. */
void repair_agreement(struct io *io, uint64_t term, uint64_t index, uint64_t entry_term);

/* PRE_VOTE_HIDES_TERM: who is asked for a pre-vote in a term before its own says which one that is.
 */
void repair_term(struct raft_message *message, const struct raft *raft);

/* COUNTED_OLD_ENTRIES: a leader is not told of a majority for an entry of an earlier term, but only
 * for what comes behind it, and not before it has written that itself. */
void repair_count(struct raft_append_entries_result *result, const struct raft *raft);

/* ENTRIES_BEFORE_SNAPSHOT: entries that a server has in its snapshot are not handed to it again. */
void repair_entries(struct append_entries *append, const struct raft_log *log);

/* NONVOTER_BLOCKS: a server gets the entry that takes away its vote, and what is behind, when that
 * is committed. */
void repair_demotion(struct append_entries *append, const struct raft *raft);

/* NONVOTER_BLOCKS: while a follower is asked for its vote, and not longer, its configuration says
 * that it has one, and it does not know a leader of which it has not heard for so long that a voter
 * would stand. */
void repair_lend_vote(struct io *io, unsigned short type);
void repair_take_vote_back(struct io *io);

/* SNAPSHOT_NOT_INSTALLED: while a server is handed a snapshot, and not longer, that is of a later
 * term than its own entry there. io->shown_term is its real one. */
void repair_raise_term(const struct io *io, struct packed_snapshot *snapshot);
void repair_lower_term(struct io *io);

/* UNCOMMITTED_AFTER_RESTART: a server that has started does not take the last configuration of its
 * log for committed because it is there. */
void repair_start(struct io *io);

/* CANDIDATE_MISSES_CONFIGURATION: what a follower has to write is written before it may become
 * candidate, if a configuration is in it. */
void repair_candidacy(struct io *io);

/* UNCOMMITTED_AFTER_INSTALL: a server whose log was replaced by a snapshot has no configuration
 * that is not committed. */
void repair_installed(struct io *io);

/* ROLLBACK_TO_SNAPSHOT: a server that is about to give up a configuration because of what the
 * message says is given the one before, wherever that is. */
void repair_rollback(struct io *io, const struct append_entries *append);

/* UNCOMMITTED_IN_SNAPSHOT: what is written with a snapshot is the configuration of the entry that
 * is named there. */
void repair_members(const struct io *io, uint64_t index, struct packed_members *members);

/* LEADER_WITHOUT_ELECTION: the last but one voter stays one. NONVOTER_BLOCKS: a leader stays a
 * voter. Returns whether a request is refused. */
bool repair_refuses(const struct raft *raft, const struct request *request);

/* REPLY_TO_NOBODY: a message without an addressee is not sent. Returns whether this is one. */
bool repair_drops(const struct raft_message *message);

/* VOTE_FOR_TRANSFEREE: who has voted does not hear of another candidate of the term. Returns
 * whether that is so. */
bool repair_has_voted(const struct raft *raft, const struct raft_request_vote *request);

/* TWO_FAILED_WRITES, LEAK_OF_INSTALL: what the disk is to do is done before a server is closed. */
void repair_close(struct io *io);

/* FAILED_WRITE_REUSES_INDEX, FOLLOWER_KEEPS_UNWRITTEN, TWO_FAILED_WRITES: a server whose write has
 * failed ends. Returns whether it does. */
bool repair_ends(const struct io *io);

#endif
