/* server.h - what the parts of a server call of each other. Not for its users: they have raft.h.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef RAFT_SERVER_H
#define RAFT_SERVER_H

#include "raft.h"

/* ---- server.c: roles, terms, and the way out ------------------------------------------------ */

/* Becomes a follower, in a newer term if there is one. */
void raft_step_down(struct raft *r, uint32_t term);

/* Sends a message after filling in its header. Nothing leaves a server that has failed. */
void raft_send(struct raft *r, uint32_t to, enum raft_message_kind kind, void *message);

void raft_observe(const struct raft *r, enum raft_moment moment, uint32_t index);

/* ---- election.c ----------------------------------------------------------------------------- */

void raft_election_start_timer(struct raft *r);
void raft_election_on_timeout(struct raft *r);
void raft_election_on_request(struct raft *r, const struct raft_vote_request *request);
void raft_election_on_reply(struct raft *r, const struct raft_vote_reply *reply);

/* Whether a request for votes is to be taken for noise, because there is a leader. */
bool raft_election_is_noise(const struct raft *r);

/* A message of the leader of this term has come. */
void raft_election_heard_leader(struct raft *r, uint32_t leader);

/* ---- replication.c -------------------------------------------------------------------------- */

/* Prepares a new leader to replicate. */
void raft_replication_begin(struct raft *r);

/* Takes up an entry of this term as a leader, and sends it. False if the log is full. */
bool raft_replication_propose(struct raft *r, struct raft_entry *entry);

/* Begins a round: sends everybody what they lack, or a heartbeat. */
void raft_replication_broadcast(struct raft *r);

/* Begins to send the log to one server of which nothing is known. */
void raft_replication_begin_with(struct raft *r, uint32_t server);

void raft_replication_on_append(struct raft *r, const struct raft_append *append);
void raft_replication_on_reply(struct raft *r, const struct raft_append_reply *reply);

/* Answers an append or an install: the logs are the same up to an index. */
void raft_replication_confirm(struct raft *r, const struct raft_header *to, uint32_t round,
                              uint32_t match_index);

/* ---- commitment.c --------------------------------------------------------------------------- */

/* As a leader: commits what is on enough servers. */
void raft_commitment_advance(struct raft *r);

/* Everything up to an index is committed: applies it. */
void raft_commitment_reach(struct raft *r, uint32_t index);

/* ---- session.c ------------------------------------------------------------------------------ */

/* The session of a client; NULL if it has none. */
const struct raft_session *raft_session_find(const struct raft *r, uint32_t client);

/* Executes a command, unless its session says that this has been done. */
void raft_session_execute(struct raft *r, uint32_t index, const struct raft_entry *entry);

/* ---- request.c ------------------------------------------------------------------------------ */

void raft_request_answer(struct raft *r, const struct raft_request *request,
                         enum raft_status status, const uint32_t *result);

/* Keeps a request until it can be answered. NULL, and the client is told, if there are too many. */
struct raft_waiting *raft_request_keep(struct raft *r, const struct raft_request *request);

/* Answers, with the result of its client's session, what waits for an entry. */
void raft_request_finish(struct raft *r, uint32_t index);

/* Answers one of those that wait, and forgets it. */
void raft_request_drop(struct raft *r, uint32_t i, enum raft_status status, const uint32_t *result);

/* ---- read.c --------------------------------------------------------------------------------- */

void raft_read_submit(struct raft *r, const struct raft_request *request);

/* Answers the reads that can be answered now. */
void raft_read_serve(struct raft *r);

/* ---- membership.c --------------------------------------------------------------------------- */

static inline uint32_t raft_bit(uint32_t server)
{
    return UINT32_C(1) << (server - 1);
}

/* Whether a set has more than half of the members in it. */
bool raft_membership_is_quorum(const struct raft *r, uint32_t set);

/* Who is to get the log from this leader: members and a server that joins, but not itself. */
uint32_t raft_membership_peers(const struct raft *r);

/* Finds the members anew, after the log has changed. */
void raft_membership_refresh(struct raft *r);

/* The members by the last change up to an index. */
uint32_t raft_membership_at(const struct raft *r, uint32_t index);

void raft_membership_submit(struct raft *r, const struct raft_request *request);

/* The joining server has confirmed something, or a heartbeat has gone by. */
void raft_membership_on_progress(struct raft *r);
void raft_membership_on_heartbeat(struct raft *r);

/* A change has been applied: a leader that is no member any more gives up. */
void raft_membership_on_applied(struct raft *r);

/* ---- snapshot.c ----------------------------------------------------------------------------- */

/* Takes a snapshot of what is applied, if that is worth it. */
void raft_snapshot_take(struct raft *r);

void raft_snapshot_send(struct raft *r, uint32_t to);
void raft_snapshot_on_install(struct raft *r, const struct raft_install *install);

/* Makes state machine, sessions and members those of r->snapshot. */
void raft_snapshot_restore(struct raft *r, enum raft_moment moment);

#endif
