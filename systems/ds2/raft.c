/* raft.c - a register replicated by Raft: elections, log replication, and reads through the log.
 *
 * A small version: no agent fails, so that nothing is written to disks; there are no heartbeats but
 * the one of a new leader; terms change only by as many timeouts as the test hands out. A leader
 * commits what its own term has on a majority, and everything before it. See systems/raft for all
 * the rest.
 *
 * SPDX-License-Identifier: MIT
 */
#include "raft.h"
#include "requests.h"

#include <string.h>

enum { NOBODY = 0 };
enum role { FOLLOWER = 0, CANDIDATE, LEADER };

struct raft_agent {
    struct ds2_place place;
    enum role role;
    uint32_t term;
    uint32_t voted_for;
    uint32_t votes;  /* a set, while it is a candidate */
    uint32_t leader; /* of this term, if it is known */
    uint32_t n;
    struct ds2_entry log[DS2_LOG_MAX + 1]; /* from 1 */
    uint32_t committed;
    uint32_t applied;
    int64_t value;
    uint32_t next[DS2_AGENTS_MAX + 1];  /* a leader sends each agent what comes from here, ... */
    uint32_t match[DS2_AGENTS_MAX + 1]; /* ... and knows that it has what comes up to here */
    struct ds2_requests requests;
};

static bool is_majority(const struct raft_agent *a, uint32_t n)
{
    return n > a->place.agents / 2;
}

static void observe_term(struct raft_agent *a, uint32_t term)
{
    if (term <= a->term)
        return;
    a->term = term;
    a->role = FOLLOWER;
    a->voted_for = NOBODY;
    a->leader = NOBODY;
}

/* ---- Replication, by the leader ------------------------------------------------------------- */

static void send_append(const struct raft_agent *a, uint32_t to)
{
    uint32_t before = a->next[to] - 1;
    struct ds2_log_message append = {
        .head = {.kind = RAFT_APPEND, .number = a->term},
        .index = before,
        .term = a->log[before].number,
        .committed = a->committed,
        .n = a->n - before,
    };

    memcpy(append.entries, &a->log[before + 1], append.n * sizeof(append.entries[0]));
    ds2_send_log(&a->place, to, &append);
}

static void send_append_all(const struct raft_agent *a)
{
    for (uint32_t to = 1; to <= a->place.agents; to++) {
        if (to != a->place.agent)
            send_append(a, to);
    }
}

static void append_entry(struct raft_agent *a, const struct ds2_message *m)
{
    if (a->n == DS2_LOG_MAX)
        return;
    a->log[++a->n] = ds2_entry_of(m, a->term);
    a->match[a->place.agent] = a->n;
}

static void apply(struct raft_agent *a)
{
    while (a->applied < a->committed) {
        const struct ds2_entry *entry = &a->log[++a->applied];

        if (entry->is_write)
            a->value = entry->value;
        if (a->role == LEADER)
            ds2_respond(&a->place, entry->client, entry->is_write ? DS2_NOTHING : a->value);
    }
}

static void commit(struct raft_agent *a)
{
    for (uint32_t index = a->n; index > a->committed; index--) {
        uint32_t n = 0;

        for (uint32_t i = 1; i <= a->place.agents; i++)
            n += a->match[i] >= index;
        if (a->log[index].number == a->term && is_majority(a, n)) {
            a->committed = index;
            apply(a);
            return;
        }
    }
}

static void on_append_answer(struct raft_agent *a, const struct ds2_log_message *m)
{
    uint32_t from = m->head.from;

    observe_term(a, m->head.number);
    if (a->role != LEADER || m->head.number != a->term)
        return;
    if (m->head.value != 0) {
        if (m->index > a->match[from])
            a->match[from] = m->index;
        if (a->next[from] <= a->match[from])
            a->next[from] = a->match[from] + 1;
        commit(a);
    } else if (m->index + 1 == a->next[from] && m->index > 0) {
        a->next[from]--;
        send_append(a, from);
    }
}

/* ---- Replication, by followers -------------------------------------------------------------- */

static void answer(const struct raft_agent *a, uint32_t to, uint32_t kind, bool is_yes,
                   uint32_t index)
{
    struct ds2_log_message message = {.head = {.kind = kind, .number = a->term, .value = is_yes},
                                      .index = index};

    ds2_send_log(&a->place, to, &message);
}

/* Drops what is in the way of an entry, and takes it if it is not there. */
static void take_entry(struct raft_agent *a, uint32_t index, const struct ds2_entry *entry)
{
    if (index <= a->n && a->log[index].number == entry->number)
        return;
    a->log[index] = *entry;
    a->n = index;
}

static void on_append(struct raft_agent *a, const struct ds2_log_message *m)
{
    uint32_t last = m->index + m->n;

    observe_term(a, m->head.number);
    if (m->head.number < a->term) {
        answer(a, m->head.from, RAFT_APPEND_ANSWER, false, m->index);
        return;
    }
    a->role = FOLLOWER;
    a->leader = m->head.from;
    ds2_requests_pass_on_all(&a->requests, &a->place, a->leader);
    if (m->index > a->n || a->log[m->index].number != m->term) {
        answer(a, m->head.from, RAFT_APPEND_ANSWER, false, m->index);
        return;
    }
    for (uint32_t i = 0; i < m->n; i++)
        take_entry(a, m->index + 1 + i, &m->entries[i]);
    if (m->committed > a->committed)
        a->committed = m->committed < last ? m->committed : last;
    apply(a);
    answer(a, m->head.from, RAFT_APPEND_ANSWER, true, last);
}

/* ---- Elections ------------------------------------------------------------------------------ */

static void lead(struct raft_agent *a)
{
    a->role = LEADER;
    a->leader = a->place.agent;
    for (uint32_t i = 1; i <= a->place.agents; i++) {
        a->next[i] = a->n + 1;
        a->match[i] = 0;
    }
    a->match[a->place.agent] = a->n;
    for (uint32_t i = 0; i < a->requests.n; i++)
        append_entry(a, &a->requests.list[i]);
    a->requests.n = 0;
    send_append_all(a);
}

static void on_timeout(struct raft_agent *a)
{
    struct ds2_log_message request = {
        .head = {.kind = RAFT_REQUEST_VOTE}, .index = a->n, .term = a->log[a->n].number};

    if (a->role == LEADER)
        return;
    observe_term(a, a->term + 1);
    a->role = CANDIDATE;
    a->voted_for = a->place.agent;
    a->votes = UINT32_C(1) << a->place.agent;
    request.head.number = a->term;
    for (uint32_t to = 1; to <= a->place.agents; to++) {
        if (to != a->place.agent)
            ds2_send_log(&a->place, to, &request);
    }
}

static bool is_up_to_date(const struct raft_agent *a, const struct ds2_log_message *m)
{
    uint32_t term = a->log[a->n].number;

    return m->term > term || (m->term == term && m->index >= a->n);
}

static void on_request_vote(struct raft_agent *a, const struct ds2_log_message *m)
{
    bool is_free;
    bool is_yes;

    observe_term(a, m->head.number);
    is_free = a->voted_for == NOBODY || a->voted_for == m->head.from;
    if (a->place.has_bug && a->role == FOLLOWER)
        is_free = true; /* a second vote in the same term */
    is_yes = m->head.number == a->term && is_free && is_up_to_date(a, m);
    if (is_yes)
        a->voted_for = m->head.from;
    answer(a, m->head.from, RAFT_VOTE, is_yes, 0);
}

static void on_vote(struct raft_agent *a, const struct ds2_log_message *m)
{
    observe_term(a, m->head.number);
    if (a->role != CANDIDATE || m->head.number != a->term || m->head.value == 0)
        return;
    a->votes |= UINT32_C(1) << m->head.from;
    if (is_majority(a, (uint32_t)__builtin_popcount(a->votes)))
        lead(a);
}

/* ---- Clients -------------------------------------------------------------------------------- */

static void on_request(struct raft_agent *a, const struct ds2_message *m)
{
    if (a->role == LEADER) {
        append_entry(a, m);
        send_append_all(a);
    } else if (a->leader != NOBODY) {
        ds2_requests_pass_on(&a->place, a->leader, m);
    } else {
        ds2_requests_add(&a->requests, m);
    }
}

static void receive(void *agent, const struct ds2_message *m)
{
    const struct ds2_log_message *message = (const struct ds2_log_message *)m;
    struct raft_agent *a = agent;

    switch (m->kind) {
    case DS2_READ:
    case DS2_WRITE:
        on_request(a, m);
        break;
    case DS2_WAKE:
        on_timeout(a);
        break;
    case RAFT_REQUEST_VOTE:
        on_request_vote(a, message);
        break;
    case RAFT_VOTE:
        on_vote(a, message);
        break;
    case RAFT_APPEND:
        on_append(a, message);
        break;
    case RAFT_APPEND_ANSWER:
        on_append_answer(a, message);
        break;
    default:
        break;
    }
}

const struct ds2_object ds2_raft = {
    .name = "raft",
    .size = sizeof(struct raft_agent),
    .message_size = sizeof(struct ds2_log_message),
    .receive = receive,
};
