/* server.c - a server as a whole: start, entry points, roles and terms.
 *
 * SPDX-License-Identifier: MIT
 */
#include "server.h"
#include "storage.h"

#include <errno.h>

enum {
    ELECTION_MS = 150,
    HEARTBEAT_MS = 50,
    SNAPSHOT_ENTRIES = 32,
};

static bool is_complete(const struct raft_config *config, const struct raft_env *env);
static uint32_t or_default(uint32_t value, uint32_t fallback);
static bool is_for_now(struct raft *r, enum raft_message_kind kind, const struct raft_header *h);

int raft_start(struct raft *r, const struct raft_config *config, const struct raft_env *env,
               void *env_self)
{
    if (!is_complete(config, env))
        return -EINVAL;

    *r = (struct raft){
        .config = *config,
        .env = env,
        .env_self = env_self,
        .snapshot = {.members = config->members},
    };
    r->config.election_ms = or_default(config->election_ms, ELECTION_MS);
    r->config.election_spread_ms = or_default(config->election_spread_ms, ELECTION_MS);
    r->config.heartbeat_ms = or_default(config->heartbeat_ms, HEARTBEAT_MS);
    r->config.batch = or_default(config->batch, RAFT_BATCH_MAX);
    r->config.snapshot_entries = or_default(config->snapshot_entries, SNAPSHOT_ENTRIES);

    raft_storage_load(r);
    if (r->error != 0)
        return r->error;
    raft_snapshot_restore(r, RAFT_STARTED);
    for (uint32_t i = r->log.base_index + 1; i <= raft_log_last_index(&r->log); i++)
        raft_observe(r, RAFT_APPENDED, i);
    raft_election_start_timer(r);
    return 0;
}

int raft_receive(struct raft *r, enum raft_message_kind kind, const void *message)
{
    if (r->error != 0 || !is_for_now(r, kind, message))
        return r->error;
    switch (kind) {
    case RAFT_VOTE_REQUEST:
        raft_election_on_request(r, message);
        break;
    case RAFT_VOTE_REPLY:
        raft_election_on_reply(r, message);
        break;
    case RAFT_APPEND:
        raft_replication_on_append(r, message);
        break;
    case RAFT_INSTALL:
        raft_snapshot_on_install(r, message);
        break;
    case RAFT_APPEND_REPLY:
        raft_replication_on_reply(r, message);
        break;
    case RAFT_MESSAGE_KINDS:
        break;
    }
    return r->error;
}

int raft_timeout(struct raft *r, enum raft_timer timer)
{
    if (r->error != 0)
        return r->error;
    raft_storage_sync_log(r);
    if (timer == RAFT_TIMER_ELECTION && r->role != RAFT_LEADER)
        raft_election_on_timeout(r);
    if (timer == RAFT_TIMER_HEARTBEAT && r->role == RAFT_LEADER) {
        r->env->start_timer(r->env_self, RAFT_TIMER_HEARTBEAT, r->config.heartbeat_ms);
        raft_replication_broadcast(r);
        raft_membership_on_heartbeat(r);
    }
    return r->error;
}

size_t raft_message_size(enum raft_message_kind kind)
{
    static const size_t sizes[RAFT_MESSAGE_KINDS] = {
        [RAFT_VOTE_REQUEST] = sizeof(struct raft_vote_request),
        [RAFT_VOTE_REPLY] = sizeof(struct raft_vote_reply),
        [RAFT_APPEND] = sizeof(struct raft_append),
        [RAFT_INSTALL] = sizeof(struct raft_install),
        [RAFT_APPEND_REPLY] = sizeof(struct raft_append_reply),
    };

    return kind < RAFT_MESSAGE_KINDS ? sizes[kind] : 0;
}

void raft_step_down(struct raft *r, uint32_t term)
{
    bool was_leader = r->role == RAFT_LEADER;

    if (term > r->term) {
        r->term = term;
        r->vote = 0;
        raft_storage_save_term(r);
    }
    r->role = RAFT_FOLLOWER;
    r->leader = 0;
    if (!was_leader)
        return;
    r->joining = 0;
    while (r->waiting_count > 0)
        raft_request_drop(r, 0, RAFT_NOT_LEADER, NULL);
    r->env->cancel_timer(r->env_self, RAFT_TIMER_HEARTBEAT);
    raft_election_start_timer(r);
}

void raft_send(struct raft *r, uint32_t to, enum raft_message_kind kind, void *message)
{
    struct raft_header *header = message;

    header->term = r->term;
    header->from = r->config.id;
    if (r->error == 0)
        r->env->send(r->env_self, to, kind, message);
}

void raft_observe(const struct raft *r, enum raft_moment moment, uint32_t index)
{
    if (r->error == 0 && r->env->observe != NULL)
        r->env->observe(r->env_self, moment, index);
}

static bool is_complete(const struct raft_config *config, const struct raft_env *env)
{
    if (config == NULL || env == NULL)
        return false;
    if (config->id == 0 || config->id > RAFT_SERVERS_MAX || config->batch > RAFT_BATCH_MAX ||
        config->snapshot_entries > RAFT_LOG_MAX - RAFT_LOG_RESERVE)
        return false;
    return env->send != NULL && env->reply != NULL && env->write != NULL && env->truncate != NULL &&
           env->rename != NULL && env->sync != NULL && env->read != NULL && env->size != NULL &&
           env->start_timer != NULL && env->cancel_timer != NULL && env->now_ms != NULL &&
           env->random != NULL && env->apply != NULL && env->query != NULL && env->save != NULL &&
           env->restore != NULL;
}

static uint32_t or_default(uint32_t value, uint32_t fallback)
{
    return value == 0 ? fallback : value;
}

/* Brings the server into the message's term if that is newer. False if there is nothing more to do
 * with the message: answers to what was asked in an earlier term mean nothing, but whoever asks is
 * to be told of the newer one. */
static bool is_for_now(struct raft *r, enum raft_message_kind kind, const struct raft_header *h)
{
    if (kind == RAFT_VOTE_REQUEST && raft_election_is_noise(r))
        return false;
    if (h->term > r->term)
        raft_step_down(r, h->term);
    if (kind == RAFT_VOTE_REPLY || kind == RAFT_APPEND_REPLY)
        return h->term == r->term;
    return true;
}
