/* zab.c - a register replicated by Zab, ZooKeeper's atomic broadcast.
 *
 * An agent that times out wants to lead. Discovery: it proposes an epoch newer than any that it has
 * accepted, and a majority that accepts it sends its histories. Synchronisation: it takes the best
 * of them, by the epoch in which it was made and then by its length, and hands it to the others;
 * once a majority has it, it is committed. Broadcast: what clients want is proposed, acknowledged
 * by a majority, and committed, in order.
 *
 * A small version: no agent fails, and nothing is written to disks. The new epoch is a guess, not
 * asked for; a majority that knows a newer one does not accept it, and the next timeout guesses
 * better. Zab relies on channels that keep the order of messages. Here they do not, so followers
 * keep proposals that come too early, and Ack tells how far a history goes. Reads are proposed as
 * writes are.
 *
 * SPDX-License-Identifier: MIT
 */
#include "zab.h"
#include "requests.h"

#include <string.h>

enum { NOBODY = 0 };
enum phase { FOLLOWING = 0, DISCOVERY, SYNCHRONISATION, BROADCAST };

struct zab_agent {
    struct ds2_place place;
    enum phase phase;
    uint32_t accepted; /* the newest epoch that it has promised to follow */
    uint32_t current;  /* the epoch of its history */
    uint32_t leader;   /* of the accepted epoch, if it is known to lead */
    uint32_t n;
    struct ds2_entry history[DS2_LOG_MAX + 1]; /* from 1 */
    struct ds2_entry early[DS2_LOG_MAX + 1];   /* proposals of the accepted epoch, by place */
    uint32_t committed;
    uint32_t applied;
    int64_t value;
    struct ds2_requests requests;

    /* Of who leads, or wants to. */
    uint32_t followers;                  /* a set: who has accepted its epoch */
    uint32_t synchronised;               /* a set: who has the history it began with */
    uint32_t length[DS2_AGENTS_MAX + 1]; /* of each history of its epoch; 0: not there yet */
    uint32_t best_epoch;                 /* of the best history that it was sent */
    uint32_t best_n;
    struct ds2_entry best[DS2_LOG_MAX + 1];
};

static uint32_t bit(uint32_t agent)
{
    return UINT32_C(1) << agent;
}

static bool is_majority(const struct zab_agent *a, uint32_t set)
{
    return (uint32_t)__builtin_popcount(set) > a->place.agents / 2;
}

static bool is_leading(const struct zab_agent *a)
{
    return a->phase != FOLLOWING;
}

static void send(const struct zab_agent *a, uint32_t to, uint32_t kind, uint32_t index)
{
    struct ds2_log_message message = {
        .head = {.kind = kind, .number = a->accepted}, .index = index, .committed = a->committed};

    ds2_send_log(&a->place, to, &message);
}

static void send_followers(const struct zab_agent *a, struct ds2_log_message *message)
{
    for (uint32_t to = 1; to <= a->place.agents; to++) {
        if (to != a->place.agent && (a->followers & bit(to)) != 0)
            ds2_send_log(&a->place, to, message);
    }
}

static void apply(struct zab_agent *a)
{
    while (a->applied < a->committed && a->applied < a->n) {
        const struct ds2_entry *entry = &a->history[++a->applied];

        if (entry->is_write)
            a->value = entry->value;
        if (is_leading(a))
            ds2_respond(&a->place, entry->client, entry->is_write ? DS2_NOTHING : a->value);
    }
}

/* ---- Discovery ------------------------------------------------------------------------------ */

static void accept_epoch(struct zab_agent *a, uint32_t epoch)
{
    a->accepted = epoch;
    a->leader = NOBODY;
    a->phase = FOLLOWING;
    memset(a->early, 0, sizeof(a->early));
}

static void on_timeout(struct zab_agent *a)
{
    if (a->phase == BROADCAST)
        return;
    accept_epoch(a, a->accepted + 1);
    a->phase = DISCOVERY;
    a->best_epoch = a->current;
    a->best_n = a->n;
    memcpy(a->best, a->history, sizeof(a->best));
    a->followers = a->synchronised = bit(a->place.agent);
    memset(a->length, 0, sizeof(a->length));
    for (uint32_t to = 1; to <= a->place.agents; to++) {
        if (to != a->place.agent)
            send(a, to, ZAB_NEW_EPOCH, 0);
    }
}

static void on_new_epoch(struct zab_agent *a, const struct ds2_log_message *m)
{
    struct ds2_log_message ack = {
        .head = {.kind = ZAB_ACK_EPOCH, .number = m->head.number}, .term = a->current, .n = a->n};

    if (m->head.number <= a->accepted)
        return;
    accept_epoch(a, m->head.number);
    memcpy(ack.entries, a->history + 1, a->n * sizeof(ack.entries[0]));
    ds2_send_log(&a->place, m->head.from, &ack);
}

static void send_history(const struct zab_agent *a, uint32_t to)
{
    struct ds2_log_message message = {.head = {.kind = ZAB_NEW_LEADER, .number = a->accepted},
                                      .n = a->n};

    memcpy(message.entries, a->history + 1, a->n * sizeof(message.entries[0]));
    ds2_send_log(&a->place, to, &message);
}

/* Remembers the history of another agent if it is better than the best so far, the own one at
 * first. */
static void consider(struct zab_agent *a, const struct ds2_log_message *m)
{
    if (a->place.has_bug)
        return; /* the own one is good enough */
    if (m->term < a->best_epoch || (m->term == a->best_epoch && m->n <= a->best_n))
        return;
    a->best_epoch = m->term;
    a->best_n = m->n;
    memcpy(a->best + 1, m->entries, m->n * sizeof(m->entries[0]));
}

/* Makes the best history the own one, and that of all followers. */
static void synchronise(struct zab_agent *a)
{
    a->phase = SYNCHRONISATION;
    a->current = a->accepted;
    a->n = a->best_n;
    memcpy(a->history, a->best, sizeof(a->history));
    a->length[a->place.agent] = a->n;
    for (uint32_t to = 1; to <= a->place.agents; to++) {
        if (to != a->place.agent && (a->followers & bit(to)) != 0)
            send_history(a, to);
    }
}

static void on_ack_epoch(struct zab_agent *a, const struct ds2_log_message *m)
{
    if (!is_leading(a) || m->head.number != a->accepted)
        return;
    a->followers |= bit(m->head.from);
    if (a->phase != DISCOVERY) {
        send_history(a, m->head.from); /* with all that was proposed since */
        return;
    }
    consider(a, m);
    if (is_majority(a, a->followers))
        synchronise(a);
}

/* ---- Following ------------------------------------------------------------------------------ */

/* Takes what came early and fits now. */
static void catch_up(struct zab_agent *a)
{
    while (a->n < DS2_LOG_MAX && a->early[a->n + 1].client != 0) {
        a->history[a->n + 1] = a->early[a->n + 1];
        a->n++;
    }
    apply(a);
}

static void on_new_leader(struct zab_agent *a, const struct ds2_log_message *m)
{
    if (m->head.number != a->accepted || is_leading(a))
        return;
    a->current = a->accepted;
    a->leader = m->head.from;
    a->n = m->n;
    memcpy(a->history + 1, m->entries, m->n * sizeof(m->entries[0]));
    catch_up(a);
    send(a, m->head.from, ZAB_ACK_LEADER, a->n);
    ds2_requests_pass_on_all(&a->requests, &a->place, a->leader);
}

static void on_propose(struct zab_agent *a, const struct ds2_log_message *m)
{
    if (m->head.number != a->accepted || is_leading(a))
        return;
    a->early[m->index] = m->entries[0];
    if (a->current != a->accepted)
        return; /* its history is still to come, and will be acknowledged with this */
    catch_up(a);
    send(a, m->head.from, ZAB_ACK, a->n);
}

static void on_commit(struct zab_agent *a, const struct ds2_log_message *m)
{
    if (m->head.number != a->accepted || is_leading(a))
        return;
    if (m->committed > a->committed)
        a->committed = m->committed;
    if (a->current == a->accepted)
        apply(a);
}

/* ---- Leading -------------------------------------------------------------------------------- */

static void propose(struct zab_agent *a, const struct ds2_message *m)
{
    struct ds2_log_message message = {.head = {.kind = ZAB_PROPOSE, .number = a->accepted}, .n = 1};

    if (a->n == DS2_LOG_MAX)
        return;
    a->history[++a->n] = ds2_entry_of(m, a->accepted);
    a->length[a->place.agent] = a->n;
    message.index = a->n;
    message.entries[0] = a->history[a->n];
    send_followers(a, &message);
}

static void commit(struct zab_agent *a)
{
    struct ds2_log_message message = {.head = {.kind = ZAB_COMMIT, .number = a->accepted}};

    for (uint32_t index = a->n; index > a->committed; index--) {
        uint32_t set = 0;

        for (uint32_t i = 1; i <= a->place.agents; i++)
            set |= a->length[i] >= index ? bit(i) : 0;
        if (!is_majority(a, set))
            continue;
        a->committed = index;
        apply(a);
        message.committed = index;
        send_followers(a, &message);
        return;
    }
}

static void on_ack(struct zab_agent *a, const struct ds2_log_message *m)
{
    if (!is_leading(a) || m->head.number != a->accepted)
        return;
    if (m->index > a->length[m->head.from])
        a->length[m->head.from] = m->index;
    a->synchronised |= bit(m->head.from); /* no Ack without the history */
    if (a->phase == SYNCHRONISATION && is_majority(a, a->synchronised)) {
        a->phase = BROADCAST;
        a->leader = a->place.agent;
        for (uint32_t i = 0; i < a->requests.n; i++)
            propose(a, &a->requests.list[i]);
        a->requests.n = 0;
    }
    if (a->phase == BROADCAST)
        commit(a);
}

/* ---- Clients -------------------------------------------------------------------------------- */

static void on_request(struct zab_agent *a, const struct ds2_message *m)
{
    if (a->phase == BROADCAST)
        propose(a, m);
    else if (a->leader != NOBODY)
        ds2_requests_pass_on(&a->place, a->leader, m);
    else
        ds2_requests_add(&a->requests, m);
}

static void receive(void *agent, const struct ds2_message *m)
{
    static void (*const handlers[ZAB_KINDS])(struct zab_agent *, const struct ds2_log_message *) = {
        [ZAB_NEW_EPOCH] = on_new_epoch,   [ZAB_ACK_EPOCH] = on_ack_epoch,
        [ZAB_NEW_LEADER] = on_new_leader, [ZAB_ACK_LEADER] = on_ack,
        [ZAB_PROPOSE] = on_propose,       [ZAB_ACK] = on_ack,
        [ZAB_COMMIT] = on_commit,
    };

    if (m->kind == DS2_READ || m->kind == DS2_WRITE)
        on_request(agent, m);
    else if (m->kind == DS2_WAKE)
        on_timeout(agent);
    else if (m->kind < ZAB_KINDS)
        handlers[m->kind](agent, (const struct ds2_log_message *)m);
}

const struct ds2_object ds2_zab = {
    .name = "zab",
    .size = sizeof(struct zab_agent),
    .message_size = sizeof(struct ds2_log_message),
    .receive = receive,
};
