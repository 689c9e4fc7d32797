/* paxos.c - a map replicated by Multi-Paxos whose leader is always agent 1.
 *
 * A write is proposed by the leader, promised, and accepted by a majority; then the leader has
 * learned it, and the client is answered in the same step. A read is answered by what the leader
 * has learned. Since nobody else ever leads, acceptors need not keep what they accept, and do not.
 * As in the published program, the leader asks for acceptance again with each promise beyond the
 * majority, and a proposal that a newer one has overtaken is made again with a higher number.
 *
 * SPDX-License-Identifier: MIT
 */
#include "paxos.h"

enum { LEADER = 1, NUMBERS_MAX = 256 };

/* A proposal, as its proposer knows it. */
struct record {
    bool is_open;
    uint32_t client;
    int64_t key;
    int64_t value;
    uint32_t promises;
    uint32_t nacks;
    uint32_t accepted;
};

struct paxos_agent {
    struct ds2_place place;
    uint32_t latest; /* number of the newest proposal that it knows */
    struct record records[NUMBERS_MAX];
    int64_t learned[DS2_KEYS_MAX + 1];
};

static uint32_t quorum(const struct paxos_agent *a)
{
    return a->place.agents / 2 + 1;
}

static void send_all(const struct paxos_agent *a, struct ds2_message message)
{
    for (uint32_t to = 1; to <= a->place.agents; to++)
        ds2_send(&a->place, to, message);
}

static struct record *find(struct paxos_agent *a, const struct ds2_message *m)
{
    struct record *record = &a->records[m->number % NUMBERS_MAX];

    return record->is_open && record->client == m->client ? record : NULL;
}

/* ---- Proposing ------------------------------------------------------------------------------ */

static void propose(struct paxos_agent *a, const struct ds2_message *m, uint32_t above)
{
    struct ds2_message prepare = *m;

    if (above + 1 >= NUMBERS_MAX)
        return;
    a->latest = above + 1;
    a->records[a->latest] =
        (struct record){.is_open = true, .client = m->client, .key = m->key, .value = m->value};
    prepare.kind = PAXOS_PREPARE;
    prepare.number = a->latest;
    prepare.is_write = 1;
    send_all(a, prepare);
}

static void propose_again(struct paxos_agent *a, const struct ds2_message *m, struct record *record)
{
    record->is_open = false;
    propose(a, m, m->latest > a->latest ? m->latest : a->latest);
}

static void on_promise(struct paxos_agent *a, const struct ds2_message *m)
{
    struct ds2_message accept = *m;
    struct record *record;

    if (!m->is_write) {
        ds2_respond(&a->place, m->client, m->value);
        return;
    }
    record = find(a, m);
    if (record == NULL)
        return;
    record->promises++;
    accept.kind = PAXOS_ACCEPT;
    if (record->promises >= quorum(a))
        send_all(a, accept);
    else if (record->promises + record->nacks == a->place.agents)
        propose_again(a, m, record);
}

static void on_nack(struct paxos_agent *a, const struct ds2_message *m)
{
    struct record *record = find(a, m);

    if (record == NULL)
        return;
    record->nacks++;
    if (record->promises < quorum(a) &&
        (record->nacks >= quorum(a) || record->promises + record->nacks == a->place.agents))
        propose_again(a, m, record);
}

static void on_accepted(struct paxos_agent *a, const struct ds2_message *m)
{
    struct record *record = find(a, m);

    if (record == NULL || ++record->accepted < quorum(a))
        return;
    a->learned[record->key] = record->value;
    ds2_respond(&a->place, m->client, DS2_NOTHING);
}

/* ---- Accepting ------------------------------------------------------------------------------ */

static void on_prepare(struct paxos_agent *a, const struct ds2_message *m)
{
    struct ds2_message answer = *m;

    if (!m->is_write) {
        answer.kind = PAXOS_PROMISE;
        answer.value = a->learned[m->key];
    } else {
        if (a->latest < m->number)
            a->latest = m->number;
        answer.kind = m->number >= a->latest ? PAXOS_PROMISE : PAXOS_NACK;
        answer.latest = a->latest;
    }
    ds2_send(&a->place, m->from, answer);
}

static void pass_on(const struct paxos_agent *a, const struct ds2_message *m, uint32_t to,
                    uint32_t kind)
{
    struct ds2_message message = *m;

    message.kind = kind;
    ds2_send(&a->place, to, message);
}

static void receive(void *agent, const struct ds2_message *m)
{
    struct paxos_agent *a = agent;

    switch (m->kind) {
    case DS2_WRITE:
        pass_on(a, m, LEADER, PAXOS_PROPOSE);
        break;
    case DS2_READ:
        pass_on(a, m, LEADER, PAXOS_PREPARE);
        break;
    case PAXOS_PROPOSE:
        propose(a, m, a->latest);
        break;
    case PAXOS_PREPARE:
        on_prepare(a, m);
        break;
    case PAXOS_PROMISE:
        on_promise(a, m);
        break;
    case PAXOS_NACK:
        on_nack(a, m);
        break;
    case PAXOS_ACCEPT:
        pass_on(a, m, m->from, PAXOS_ACCEPTED);
        break;
    case PAXOS_ACCEPTED:
        on_accepted(a, m);
        break;
    default:
        break;
    }
}

static void init(void *agent)
{
    struct paxos_agent *a = agent;

    for (uint32_t i = 0; i <= DS2_KEYS_MAX; i++)
        a->learned[i] = DS2_NOTHING;
}

const struct ds2_object ds2_paxos = {
    .name = "paxos",
    .size = sizeof(struct paxos_agent),
    .message_size = sizeof(struct ds2_message),
    .init = init,
    .receive = receive,
};
