/* coordinator.c - decides transactions in two phases, with presumed abort.
 *
 * The protocol is that of C. Mohan, B. Lindsay, R. Obermarck: Transaction Management in the R*
 * Distributed Database Management System, ACM TODS 11(4), 1986, for a flat tree of processes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "coordinator.h"

#include <errno.h>

enum {
    RETRIES_MAX = 1,     /* of the question, before a missing answer means no */
    BEGUN_MAX = 255,     /* transactions of one epoch */
    TRANSACTION_BITS = 8 /* of an id; the rest is the epoch */
};

static int recover_record(void *self, const struct wal_record *record);
static void begin_commit(struct coordinator *c, struct coordinator_entry *entry);
static void announce_commit(struct coordinator *c, struct coordinator_entry *entry);
static void abort_transaction(struct coordinator *c, struct coordinator_entry *entry);
static void on_ack(struct coordinator *c, struct coordinator_entry *entry, uint32_t from);
static void on_query(struct coordinator *c, const struct coordinator_entry *entry,
                     const struct tpc_message *query);
static struct coordinator_entry *find(struct coordinator *c, uint32_t transaction);
static struct coordinator_entry *find_or_add(struct coordinator *c, uint32_t transaction);
static void send(struct coordinator *c, uint32_t to, uint32_t kind, uint32_t transaction,
                 uint32_t key);
static void send_to_set(struct coordinator *c, uint32_t set, uint32_t kind,
                        const struct coordinator_entry *entry);
static uint32_t everybody(const struct coordinator *c);

int coordinator_init(struct coordinator *c, const struct coordinator_config *config,
                     const struct tpc_io *io, void *io_self)
{
    *c = (struct coordinator){.config = *config, .io = io, .io_self = io_self};

    int rc = wal_recover(io, io_self, recover_record, c);

    if (rc < 0)
        return rc;
    c->epoch++;
    rc = wal_force(io, io_self, (struct wal_record){.type = WAL_EPOCH, .transaction = c->epoch});
    if (rc < 0)
        return rc;
    for (size_t i = 0; i < TPC_TRANSACTIONS_MAX; i++) {
        if (c->entries[i].state != COORDINATOR_COMMITTED)
            continue;
        announce_commit(c, &c->entries[i]);
        io->start_timer(io_self, c->entries[i].transaction);
    }
    return 0;
}

int coordinator_begin(struct coordinator *c, uint32_t key, uint32_t *transaction)
{
    struct coordinator_entry *entry;

    if (c->begun == BEGUN_MAX)
        return -ENOSPC;
    *transaction = c->epoch << TRANSACTION_BITS | (c->begun + 1);
    entry = find_or_add(c, *transaction);
    if (entry == NULL)
        return -ENOSPC;
    c->begun++;
    entry->state = COORDINATOR_VOTING;
    entry->key = key;
    send_to_set(c, everybody(c), TPC_PREPARE, entry);
    c->io->start_timer(c->io_self, *transaction);
    return 0;
}

void coordinator_on_message(struct coordinator *c, const struct tpc_message *message)
{
    struct coordinator_entry *entry = find(c, message->transaction);

    if (message->from == TPC_COORDINATOR || message->from > c->config.participant_count)
        return;
    switch (message->kind) {
    case TPC_YES:
        if (entry == NULL || entry->state == COORDINATOR_COMMITTED) {
            on_query(c, entry, message);
        } else {
            entry->yes |= UINT32_C(1) << message->from;
            if (entry->state == COORDINATOR_VOTING && entry->yes == everybody(c))
                begin_commit(c, entry);
        }
        break;
    case TPC_NO:
        if (entry != NULL && entry->state == COORDINATOR_VOTING)
            abort_transaction(c, entry);
        break;
    case TPC_ACK:
        if (entry != NULL && entry->state == COORDINATOR_COMMITTED)
            on_ack(c, entry, message->from);
        break;
    case TPC_QUERY:
        on_query(c, entry, message);
        break;
    default:
        break;
    }
}

/* A lost question or vote is asked for again; then silence means no. A lost commit is repeated
 * until all have acknowledged it. One timer runs per transaction for as long as it is open. */
void coordinator_on_timer(struct coordinator *c, uint32_t transaction)
{
    struct coordinator_entry *entry = find(c, transaction);

    if (entry == NULL)
        return;
    if (entry->state == COORDINATOR_VOTING && entry->retries == RETRIES_MAX) {
        abort_transaction(c, entry);
        return;
    }
    if (entry->state == COORDINATOR_VOTING) {
        entry->retries++;
        send_to_set(c, everybody(c) & ~entry->yes, TPC_PREPARE, entry);
    } else if (entry->state == COORDINATOR_DECIDING) {
        begin_commit(c, entry);
    } else {
        send_to_set(c, everybody(c) & ~entry->acked, TPC_COMMIT, entry);
    }
    c->io->start_timer(c->io_self, transaction);
}

static int recover_record(void *self, const struct wal_record *record)
{
    struct coordinator *c = self;
    struct coordinator_entry *entry;

    switch (record->type) {
    case WAL_EPOCH:
        c->epoch = record->transaction;
        return 0;
    case WAL_COMMIT:
        entry = find_or_add(c, record->transaction);
        if (entry == NULL)
            return -ENOSPC;
        entry->state = COORDINATOR_COMMITTED;
        entry->key = record->key;
        entry->yes = everybody(c);
        return 0;
    case WAL_END:
        entry = find(c, record->transaction);
        if (entry != NULL)
            entry->state = COORDINATOR_FREE;
        return 0;
    default:
        return 0;
    }
}

/* Once the commit record is on its way to the disk there is no way back: it may be found there
 * after a crash even if the disk has reported an error. */
static void begin_commit(struct coordinator *c, struct coordinator_entry *entry)
{
    struct wal_record record = {
        .type = WAL_COMMIT,
        .transaction = entry->transaction,
        .key = entry->key,
    };
    int rc;

    entry->state = COORDINATOR_DECIDING;
    if (c->config.tell_before_durable)
        rc = wal_append(c->io, c->io_self, record);
    else
        rc = wal_force(c->io, c->io_self, record);
    if (rc < 0)
        return; /* the timer tries again */
    entry->state = COORDINATOR_COMMITTED;
    announce_commit(c, entry);
}

static void announce_commit(struct coordinator *c, struct coordinator_entry *entry)
{
    c->io->decided(c->io_self, entry->transaction, TPC_COMMITTED);
    send_to_set(c, everybody(c) & ~entry->acked, TPC_COMMIT, entry);
}

static void abort_transaction(struct coordinator *c, struct coordinator_entry *entry)
{
    entry->state = COORDINATOR_FREE;
    c->io->decided(c->io_self, entry->transaction, TPC_ABORTED);
    send_to_set(c, everybody(c), TPC_ABORT, entry);
}

/* With the last acknowledgement the transaction can be forgotten: nobody will ask again. The end
 * record need not be durable. Without it the participants are told, and acknowledge, once more. */
static void on_ack(struct coordinator *c, struct coordinator_entry *entry, uint32_t from)
{
    struct wal_record record = {.type = WAL_END, .transaction = entry->transaction};
    bool is_over;

    entry->acked |= UINT32_C(1) << from;
    entry->acks++;
    is_over = entry->acked == everybody(c);
    if (c->config.count_acks)
        is_over = entry->acks == c->config.participant_count;
    if (!is_over)
        return;
    entry->state = COORDINATOR_FREE;
    (void)wal_append(c->io, c->io_self, record);
}

static void on_query(struct coordinator *c, const struct coordinator_entry *entry,
                     const struct tpc_message *query)
{
    if (entry == NULL)
        send(c, query->from, TPC_ABORT, query->transaction, 0);
    else if (entry->state == COORDINATOR_COMMITTED)
        send(c, query->from, TPC_COMMIT, query->transaction, entry->key);
}

static struct coordinator_entry *find(struct coordinator *c, uint32_t transaction)
{
    for (size_t i = 0; i < TPC_TRANSACTIONS_MAX; i++) {
        struct coordinator_entry *entry = &c->entries[i];

        if (entry->state != COORDINATOR_FREE && entry->transaction == transaction)
            return entry;
    }
    return NULL;
}

static struct coordinator_entry *find_or_add(struct coordinator *c, uint32_t transaction)
{
    struct coordinator_entry *entry = find(c, transaction);

    for (size_t i = 0; i < TPC_TRANSACTIONS_MAX && entry == NULL; i++) {
        if (c->entries[i].state != COORDINATOR_FREE)
            continue;
        entry = &c->entries[i];
        *entry = (struct coordinator_entry){.transaction = transaction};
    }
    return entry;
}

static void send(struct coordinator *c, uint32_t to, uint32_t kind, uint32_t transaction,
                 uint32_t key)
{
    struct tpc_message message = {
        .kind = kind,
        .transaction = transaction,
        .from = TPC_COORDINATOR,
        .key = key,
    };

    c->io->send(c->io_self, to, &message);
}

static void send_to_set(struct coordinator *c, uint32_t set, uint32_t kind,
                        const struct coordinator_entry *entry)
{
    for (uint32_t to = 1; to <= c->config.participant_count; to++) {
        if (set >> to & 1)
            send(c, to, kind, entry->transaction, entry->key);
    }
}

/* The set of all participants: bit n stands for site n. */
static uint32_t everybody(const struct coordinator *c)
{
    return ((UINT32_C(1) << c->config.participant_count) - 1) << 1;
}
