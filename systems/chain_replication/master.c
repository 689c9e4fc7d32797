/* master.c - decides which servers form the chain. SPDX-License-Identifier: MIT */
#include "master.h"

static void reconsider(struct master *m);
static bool is_alive(const struct master *m, uint32_t server, uint32_t boot);
static bool is_member(const struct chain *chain, uint32_t server);
static void append_one(const struct master *m, struct chain *chain);
static void send_state(struct master *m, uint32_t server, uint32_t time_ms);

void master_init(struct master *m, const struct master_config *config, const struct chain *chain,
                 const struct master_io *io, void *io_self)
{
    *m = (struct master){.config = *config, .io = io, .io_self = io_self, .chain = *chain};
    for (uint32_t i = 0; i < chain->count; i++) {
        m->records[chain->servers[i]] = (struct master_record){
            .boot = chain->boots[i],
            .heard_ms = io->now_ms(io_self),
            .is_synced = true,
        };
    }
    io->changed(io_self, &m->chain);
}

/* A server of a new life has lost all it had, and its old life can do no harm any more. */
void master_on_heartbeat(struct master *m, const struct chain_heartbeat *heartbeat)
{
    struct master_record *record = &m->records[heartbeat->server];

    if (heartbeat->boot < record->boot)
        return;
    if (heartbeat->boot > record->boot)
        *record = (struct master_record){.boot = heartbeat->boot};
    record->heard_ms = m->io->now_ms(m->io_self);
    record->is_synced = record->is_synced || heartbeat->is_synced;
    reconsider(m);
    send_state(m, heartbeat->server, heartbeat->time_ms);
}

void master_on_tick(struct master *m)
{
    reconsider(m);
}

/* Puts the chain right: without those who have failed, and with one who waits to come in. */
static void reconsider(struct master *m)
{
    struct chain next = {.epoch = m->chain.epoch + 1};
    bool has_synced = false;

    for (uint32_t i = 0; i < m->chain.count; i++) {
        uint32_t server = m->chain.servers[i];
        uint32_t boot = m->chain.boots[i];

        if (!is_alive(m, server, boot))
            continue;
        next.servers[next.count] = server;
        next.boots[next.count++] = boot;
        has_synced = has_synced || m->records[server].is_synced;
    }
    if (!has_synced)
        return;

    bool is_shorter = next.count < m->chain.count;

    append_one(m, &next);
    if (!is_shorter && next.count == m->chain.count)
        return;
    for (uint32_t i = 0; i < m->chain.count; i++) {
        struct master_record *record = &m->records[m->chain.servers[i]];

        if (record->boot == m->chain.boots[i] && !is_member(&next, m->chain.servers[i]))
            record->was_removed = true;
    }
    m->chain = next;
    m->io->changed(m->io_self, &m->chain);
    for (uint32_t i = 0; i < m->chain.count; i++)
        send_state(m, m->chain.servers[i], 0);
}

static bool is_alive(const struct master *m, uint32_t server, uint32_t boot)
{
    const struct master_record *record = &m->records[server];

    return record->boot == boot &&
           m->io->now_ms(m->io_self) - record->heard_ms < m->config.silence_ms;
}

static bool is_member(const struct chain *chain, uint32_t server)
{
    for (uint32_t i = 0; i < chain->count; i++) {
        if (chain->servers[i] == server)
            return true;
    }
    return false;
}

/* Appends a server that has come up, if there is one and the tail can bring it up to date. One that
 * was in the chain before, in the same life, has data that is no longer true. */
static void append_one(const struct master *m, struct chain *chain)
{
    if (!m->records[chain->servers[chain->count - 1]].is_synced)
        return;
    for (uint32_t server = 1; server <= m->config.server_count; server++) {
        const struct master_record *record = &m->records[server];

        if (record->boot == 0 || record->was_removed || is_member(chain, server) ||
            !is_alive(m, server, record->boot))
            continue;
        chain->servers[chain->count] = server;
        chain->boots[chain->count++] = record->boot;
        return;
    }
}

static void send_state(struct master *m, uint32_t server, uint32_t time_ms)
{
    struct chain_state state = {
        .boot = m->records[server].boot,
        .time_ms = time_ms,
        .chain = m->chain,
    };

    m->io->send_state(m->io_self, server, &state);
}
