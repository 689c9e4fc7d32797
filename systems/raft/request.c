/* request.c - what clients ask a leader, and the answers it owes them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "server.h"

#include <string.h>

static void forget(struct raft *r, uint32_t i);
static bool is_waiting(const struct raft *r, const struct raft_request *request);
static void submit_write(struct raft *r, const struct raft_request *request);

int raft_request(struct raft *r, const struct raft_request *request)
{
    if (r->error != 0)
        return r->error;
    if (r->role != RAFT_LEADER) {
        raft_request_answer(r, request, RAFT_NOT_LEADER, NULL);
        return r->error;
    }
    if (is_waiting(r, request))
        return r->error;
    switch ((enum raft_request_kind)request->kind) {
    case RAFT_WRITE:
        submit_write(r, request);
        break;
    case RAFT_READ:
        raft_read_submit(r, request);
        break;
    case RAFT_ADD:
    case RAFT_REMOVE:
        raft_membership_submit(r, request);
        break;
    }
    return r->error;
}

void raft_request_answer(struct raft *r, const struct raft_request *request,
                         enum raft_status status, const uint32_t *result)
{
    struct raft_reply reply = {
        .client = request->client,
        .sequence = request->sequence,
        .status = status,
        .leader = r->leader,
    };

    if (result != NULL)
        memcpy(reply.result, result, sizeof(reply.result));
    if (r->error == 0)
        r->env->reply(r->env_self, &reply);
}

/* What the client has asked before is forgotten: it has given that up. */
struct raft_waiting *raft_request_keep(struct raft *r, const struct raft_request *request)
{
    for (uint32_t i = 0; i < r->waiting_count; i++) {
        if (r->waiting[i].request.client == request->client) {
            forget(r, i);
            break;
        }
    }
    if (r->waiting_count == RAFT_WAITING_MAX) {
        raft_request_answer(r, request, RAFT_BUSY, NULL);
        return NULL;
    }

    struct raft_waiting *waiting = &r->waiting[r->waiting_count++];

    *waiting = (struct raft_waiting){.request = *request};
    return waiting;
}

void raft_request_finish(struct raft *r, uint32_t index)
{
    for (uint32_t i = 0; i < r->waiting_count; i++) {
        const struct raft_waiting *waiting = &r->waiting[i];
        const struct raft_session *session = NULL;

        if (waiting->index != index || waiting->request.kind == RAFT_READ)
            continue;
        if (waiting->request.kind == RAFT_WRITE)
            session = raft_session_find(r, waiting->request.client);
        raft_request_drop(r, i, RAFT_DONE, session == NULL ? NULL : session->result);
        return;
    }
}

void raft_request_drop(struct raft *r, uint32_t i, enum raft_status status, const uint32_t *result)
{
    struct raft_request request = r->waiting[i].request;

    forget(r, i);
    raft_request_answer(r, &request, status, result);
}

static void forget(struct raft *r, uint32_t i)
{
    r->waiting_count--;
    memmove(&r->waiting[i], &r->waiting[i + 1], (r->waiting_count - i) * sizeof(r->waiting[0]));
}

/* Whether the request is a repetition of one that will be answered. */
static bool is_waiting(const struct raft *r, const struct raft_request *request)
{
    for (uint32_t i = 0; i < r->waiting_count; i++) {
        if (r->waiting[i].request.client == request->client &&
            r->waiting[i].request.sequence == request->sequence)
            return true;
    }
    return false;
}

static void submit_write(struct raft *r, const struct raft_request *request)
{
    const struct raft_session *session = raft_session_find(r, request->client);
    struct raft_entry entry = {
        .kind = RAFT_COMMAND,
        .client = request->client,
        .sequence = request->sequence,
    };

    if (session != NULL && request->sequence <= session->sequence) {
        if (request->sequence == session->sequence)
            raft_request_answer(r, request, RAFT_DONE, session->result);
        return;
    }
    if (r->log.count >= RAFT_LOG_MAX - RAFT_LOG_RESERVE) {
        raft_request_answer(r, request, RAFT_BUSY, NULL);
        return;
    }

    struct raft_waiting *waiting = raft_request_keep(r, request);

    if (waiting == NULL)
        return;
    waiting->index = raft_log_last_index(&r->log) + 1;
    memcpy(entry.data, request->data, sizeof(entry.data));
    raft_replication_propose(r, &entry);
}
