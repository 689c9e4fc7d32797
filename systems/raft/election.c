/* election.c - how a server becomes the leader of a term. SPDX-License-Identifier: MIT */
#include "server.h"
#include "storage.h"

static bool is_up_to_date(const struct raft *r, const struct raft_vote_request *request);
static void become_leader_if_elected(struct raft *r);

void raft_election_start_timer(struct raft *r)
{
    uint32_t extra_ms = r->env->random(r->env_self, r->config.election_spread_ms);

    r->env->start_timer(r->env_self, RAFT_TIMER_ELECTION, r->config.election_ms + extra_ms);
}

/* A server that is no member by what it knows has nobody to be elected by, and a full log has no
 * place for a leader's first entry. Both wait for a leader. */
void raft_election_on_timeout(struct raft *r)
{
    struct raft_vote_request request = {
        .last_index = raft_log_last_index(&r->log),
        .last_term = raft_log_last_term(&r->log),
    };

    r->is_leader_alive = false;
    if (!r->config.bugs.one_shot_candidate)
        raft_election_start_timer(r);
    if ((r->members & raft_bit(r->config.id)) == 0 || r->log.count == RAFT_LOG_MAX)
        return;
    r->role = RAFT_CANDIDATE;
    r->leader = 0;
    r->term++;
    r->vote = r->config.id;
    r->votes = raft_bit(r->config.id);
    raft_storage_save_term(r);
    for (uint32_t server = 1; server <= RAFT_SERVERS_MAX; server++) {
        if ((r->members & raft_bit(server)) != 0 && server != r->config.id)
            raft_send(r, server, RAFT_VOTE_REQUEST, &request);
    }
    become_leader_if_elected(r);
}

void raft_election_on_request(struct raft *r, const struct raft_vote_request *request)
{
    struct raft_vote_reply reply = {.is_granted = 0};
    uint32_t candidate = request->header.from;

    if (request->header.term == r->term && (r->vote == 0 || r->vote == candidate) &&
        is_up_to_date(r, request)) {
        r->vote = candidate;
        if (!r->config.bugs.forget_vote)
            raft_storage_save_term(r);
        reply.is_granted = 1;
        raft_election_start_timer(r);
    }
    raft_send(r, candidate, RAFT_VOTE_REPLY, &reply);
}

void raft_election_on_reply(struct raft *r, const struct raft_vote_reply *reply)
{
    if (r->role != RAFT_CANDIDATE || reply->is_granted == 0)
        return;
    r->votes |= raft_bit(reply->header.from);
    become_leader_if_elected(r);
}

/* While there is a leader, whoever asks for votes has missed something: it is not a member any
 * more, or was cut off. Its term would only depose the leader (section 4.2.3 of the thesis). The
 * clock is not trusted alone: once this server's own timeout has passed there is no leader. */
bool raft_election_is_noise(const struct raft *r)
{
    if (r->role == RAFT_LEADER)
        return true;
    return r->is_leader_alive &&
           r->env->now_ms(r->env_self) - r->leader_heard_ms < r->config.election_ms;
}

void raft_election_heard_leader(struct raft *r, uint32_t leader)
{
    r->role = RAFT_FOLLOWER;
    r->leader = leader;
    r->is_leader_alive = true;
    r->leader_heard_ms = r->env->now_ms(r->env_self);
    raft_election_start_timer(r);
}

/* Whether the candidate's log has everything that is committed, as far as this server can tell. */
static bool is_up_to_date(const struct raft *r, const struct raft_vote_request *request)
{
    uint32_t last_term = raft_log_last_term(&r->log);

    if (request->last_term != last_term)
        return request->last_term > last_term;
    return request->last_index >= raft_log_last_index(&r->log);
}

static void become_leader_if_elected(struct raft *r)
{
    if (!raft_membership_is_quorum(r, r->votes))
        return;
    r->role = RAFT_LEADER;
    r->leader = r->config.id;
    raft_observe(r, RAFT_ELECTED, raft_log_last_index(&r->log));
    r->env->cancel_timer(r->env_self, RAFT_TIMER_ELECTION);
    r->env->start_timer(r->env_self, RAFT_TIMER_HEARTBEAT, r->config.heartbeat_ms);
    raft_replication_begin(r);
}
