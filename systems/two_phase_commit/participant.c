/* participant.c - one of those who must agree on the outcome of a transaction.
 *
 * Rule: nothing is said before it is durable. A step whose record cannot be written does not take
 * place; whoever waits for its answer will ask again.
 *
 * SPDX-License-Identifier: MIT
 */
#include "participant.h"

#include <errno.h>

enum { QUESTIONS_MAX = 2 }; /* of those who give up */

static int recover_record(void *self, const struct wal_record *record);
static void recover_entry(struct participant *p, struct participant_entry *entry);
static void on_prepare(struct participant *p, const struct tpc_message *message);
static void on_commit(struct participant *p, uint32_t transaction);
static void on_query(struct participant *p, const struct tpc_message *message);
static bool refuse(struct participant *p, uint32_t transaction, uint32_t key);
static void decide(struct participant *p, struct participant_entry *entry, uint32_t state);
static void ask_everybody(struct participant *p, struct participant_entry *entry);
static bool is_locked(const struct participant *p, uint32_t key);
static struct participant_entry *find(struct participant *p, uint32_t transaction);
static struct participant_entry *put(struct participant *p, uint32_t transaction, uint32_t key,
                                     uint32_t state);
static int force(struct participant *p, uint32_t type, uint32_t transaction, uint32_t key);
static void send(struct participant *p, uint32_t to, uint32_t kind, uint32_t transaction);

int participant_init(struct participant *p, const struct participant_config *config,
                     const struct tpc_io *io, void *io_self)
{
    *p = (struct participant){.config = *config, .io = io, .io_self = io_self};

    int rc = wal_recover(io, io_self, recover_record, p);

    if (rc < 0)
        return rc;
    for (uint32_t i = 0; i < p->count; i++)
        recover_entry(p, &p->entries[i]);
    return 0;
}

void participant_on_message(struct participant *p, const struct tpc_message *message)
{
    struct participant_entry *entry = find(p, message->transaction);

    switch (message->kind) {
    case TPC_PREPARE:
        on_prepare(p, message);
        break;
    case TPC_COMMIT:
        on_commit(p, message->transaction);
        break;
    case TPC_ABORT:
        if (entry != NULL && entry->state == PARTICIPANT_PREPARED)
            decide(p, entry, PARTICIPANT_ABORTED);
        break;
    case TPC_QUERY:
        on_query(p, message);
        break;
    default:
        break;
    }
}

void participant_on_timer(struct participant *p, uint32_t transaction)
{
    struct participant_entry *entry = find(p, transaction);

    if (entry == NULL || entry->state != PARTICIPANT_PREPARED)
        return;
    if (p->config.give_up_in_doubt && entry->asked == QUESTIONS_MAX)
        decide(p, entry, PARTICIPANT_ABORTED);
    else
        ask_everybody(p, entry);
}

enum participant_state participant_state(const struct participant *p, uint32_t transaction)
{
    for (uint32_t i = 0; i < p->count; i++) {
        if (p->entries[i].transaction == transaction)
            return (enum participant_state)p->entries[i].state;
    }
    return PARTICIPANT_UNKNOWN;
}

/* The last record of a transaction counts: one whose sync failed may have been overruled since. */
static int recover_record(void *self, const struct wal_record *record)
{
    uint32_t state = record->type == WAL_PREPARED ? PARTICIPANT_PREPARED
                     : record->type == WAL_COMMIT ? PARTICIPANT_COMMITTED
                                                  : PARTICIPANT_ABORTED;

    return put(self, record->transaction, record->key, state) == NULL ? -ENOSPC : 0;
}

static void recover_entry(struct participant *p, struct participant_entry *entry)
{
    if (entry->state == PARTICIPANT_COMMITTED)
        p->io->decided(p->io_self, entry->transaction, TPC_COMMITTED);
    else if (entry->state == PARTICIPANT_ABORTED)
        p->io->decided(p->io_self, entry->transaction, TPC_ABORTED);
    else
        ask_everybody(p, entry);
}

static void on_prepare(struct participant *p, const struct tpc_message *message)
{
    uint32_t transaction = message->transaction;
    struct participant_entry *entry = find(p, transaction);

    if (entry != NULL && entry->state != PARTICIPANT_PREPARED && p->config.vote_again)
        entry = NULL;
    if (entry != NULL && entry->state == PARTICIPANT_COMMITTED) {
        send(p, TPC_COORDINATOR, TPC_ACK, transaction);
    } else if (entry != NULL && entry->state == PARTICIPANT_ABORTED) {
        send(p, TPC_COORDINATOR, TPC_NO, transaction);
    } else if (entry != NULL) {
        send(p, TPC_COORDINATOR, TPC_YES, transaction);
    } else if (is_locked(p, message->key)) {
        if (refuse(p, transaction, message->key))
            send(p, TPC_COORDINATOR, TPC_NO, transaction);
    } else if (p->count < TPC_TRANSACTIONS_MAX &&
               force(p, WAL_PREPARED, transaction, message->key) >= 0) {
        (void)put(p, transaction, message->key, PARTICIPANT_PREPARED);
        send(p, TPC_COORDINATOR, TPC_YES, transaction);
        p->io->start_timer(p->io_self, transaction);
    }
}

static void on_commit(struct participant *p, uint32_t transaction)
{
    struct participant_entry *entry = find(p, transaction);

    if (entry != NULL && entry->state == PARTICIPANT_PREPARED)
        decide(p, entry, PARTICIPANT_COMMITTED);
    if (entry != NULL && entry->state == PARTICIPANT_COMMITTED)
        send(p, TPC_COORDINATOR, TPC_ACK, transaction);
}

/* Another participant is in doubt. */
static void on_query(struct participant *p, const struct tpc_message *message)
{
    uint32_t transaction = message->transaction;
    const struct participant_entry *entry = find(p, transaction);

    if (entry == NULL) {
        if (p->config.forget_refusal || refuse(p, transaction, 0))
            send(p, message->from, TPC_ABORT, transaction);
    } else if (entry->state == PARTICIPANT_COMMITTED) {
        send(p, message->from, TPC_COMMIT, transaction);
    } else if (entry->state == PARTICIPANT_ABORTED) {
        send(p, message->from, TPC_ABORT, transaction);
    }
}

/* Decides to abort a transaction that it has not voted for. False: this could not be written. */
static bool refuse(struct participant *p, uint32_t transaction, uint32_t key)
{
    if (p->count == TPC_TRANSACTIONS_MAX || force(p, WAL_ABORT, transaction, key) < 0)
        return false;
    (void)put(p, transaction, key, PARTICIPANT_ABORTED);
    p->io->decided(p->io_self, transaction, TPC_ABORTED);
    return true;
}

static void decide(struct participant *p, struct participant_entry *entry, uint32_t state)
{
    uint32_t type = state == PARTICIPANT_COMMITTED ? WAL_COMMIT : WAL_ABORT;

    if (force(p, type, entry->transaction, entry->key) < 0)
        return;
    entry->state = state;
    p->io->decided(p->io_self, entry->transaction,
                   state == PARTICIPANT_COMMITTED ? TPC_COMMITTED : TPC_ABORTED);
}

static void ask_everybody(struct participant *p, struct participant_entry *entry)
{
    entry->asked++;
    for (uint32_t site = TPC_COORDINATOR; site <= p->config.participant_count; site++) {
        if (site != p->config.site)
            send(p, site, TPC_QUERY, entry->transaction);
    }
    p->io->start_timer(p->io_self, entry->transaction);
}

static bool is_locked(const struct participant *p, uint32_t key)
{
    for (uint32_t i = 0; i < p->count; i++) {
        if (p->entries[i].state == PARTICIPANT_PREPARED && p->entries[i].key == key)
            return true;
    }
    return false;
}

static struct participant_entry *find(struct participant *p, uint32_t transaction)
{
    for (uint32_t i = 0; i < p->count; i++) {
        if (p->entries[i].transaction == transaction)
            return &p->entries[i];
    }
    return NULL;
}

/* The entry of a transaction, new if there is none yet; NULL if there is no room. */
static struct participant_entry *put(struct participant *p, uint32_t transaction, uint32_t key,
                                     uint32_t state)
{
    struct participant_entry *entry = find(p, transaction);

    if (entry == NULL && p->count < TPC_TRANSACTIONS_MAX)
        entry = &p->entries[p->count++];
    if (entry != NULL)
        *entry = (struct participant_entry){.transaction = transaction, .key = key, .state = state};
    return entry;
}

static int force(struct participant *p, uint32_t type, uint32_t transaction, uint32_t key)
{
    struct wal_record record = {.type = type, .transaction = transaction, .key = key};

    if (type == WAL_PREPARED && p->config.vote_before_durable)
        return wal_append(p->io, p->io_self, record);
    return wal_force(p->io, p->io_self, record);
}

static void send(struct participant *p, uint32_t to, uint32_t kind, uint32_t transaction)
{
    struct tpc_message message = {
        .kind = kind,
        .transaction = transaction,
        .from = p->config.site,
    };

    p->io->send(p->io_self, to, &message);
}
