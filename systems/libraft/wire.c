/* wire.c - messages, entries and snapshots of the library as bytes without pointers, and back.
 *
 * What a message points to belongs to its sender and is valid until it is reported as sent, so all
 * of it is copied; on the other side a receiver owns the message's entries, their batch, and the
 * parts of a snapshot.
 *
 * SPDX-License-Identifier: MIT
 */
#include "wire.h"

#include <string.h>

const struct sn_event *const wire_events[RAFT_IO_TIMEOUT_NOW + 1] = {
    [RAFT_IO_APPEND_ENTRIES] = &append_entries_event,
    [RAFT_IO_APPEND_ENTRIES_RESULT] = &append_entries_result_event,
    [RAFT_IO_REQUEST_VOTE] = &request_vote_event,
    [RAFT_IO_REQUEST_VOTE_RESULT] = &request_vote_result_event,
    [RAFT_IO_INSTALL_SNAPSHOT] = &install_snapshot_event,
    [RAFT_IO_TIMEOUT_NOW] = &timeout_now_event,
};

const char *wire_address(uint64_t id)
{
    static const char *const addresses[SERVERS_MAX + 1] = {"0", "1", "2", "3", "4", "5"};

    return addresses[id];
}

static void pack_entry(struct packed_entry *packed, const struct raft_entry *entry)
{
    sn_assertf(entry->buf.len <= DATA_MAX, "an entry has %zu bytes", entry->buf.len);
    packed->term = entry->term;
    packed->type = entry->type;
    packed->length = (uint32_t)entry->buf.len;
    if (entry->buf.len != 0)
        memcpy(packed->data, entry->buf.base, entry->buf.len);
}

void wire_pack_members(struct packed_members *packed,
                       const struct raft_configuration *configuration)
{
    sn_assert(configuration->n <= SERVERS_MAX);
    *packed = (struct packed_members){.count = configuration->n};
    for (unsigned i = 0; i < configuration->n; i++) {
        packed->ids[i] = (uint32_t)configuration->servers[i].id;
        packed->roles[i] = (uint32_t)configuration->servers[i].role;
    }
}

void wire_unpack_members(struct raft_configuration *configuration,
                         const struct packed_members *packed)
{
    raft_configuration_init(configuration);
    for (unsigned i = 0; i < packed->count; i++) {
        int rc = raft_configuration_add(configuration, packed->ids[i], wire_address(packed->ids[i]),
                                        (int)packed->roles[i]);

        sn_assert(rc == 0);
    }
}

static uint64_t take_number(const unsigned char **at)
{
    uint64_t number;

    memcpy(&number, *at, sizeof(number));
    *at += sizeof(number);
    return number;
}

/* A byte with the version, the number of servers, and of each its id, its address, which ends with
 * a 0, and a byte with its role. */
void wire_read_members(struct packed_members *packed, const void *data, size_t length)
{
    const unsigned char *at = data;
    const unsigned char *end = at + length;

    *packed = (struct packed_members){0};
    sn_assert(length > sizeof(uint64_t) && *at++ == 1);

    uint64_t count = take_number(&at);

    sn_assert(count <= SERVERS_MAX);
    while (packed->count < count) {
        sn_assert(end - at > (ptrdiff_t)sizeof(uint64_t));
        packed->ids[packed->count] = (uint32_t)take_number(&at);
        at += strnlen((const char *)at, (size_t)(end - at)) + 1;
        sn_assert(at < end);
        packed->roles[packed->count++] = *at++;
    }
}

static void send_entries(sn_id to, const struct raft_append_entries *append)
{
    struct append_entries payload = {
        .term = append->term,
        .prev_index = append->prev_log_index,
        .prev_term = append->prev_log_term,
        .commit = append->leader_commit,
        .n = append->n_entries,
    };

    if (append->n_entries != 0) {
        struct packed_entry *entries = sn_alloc(append->n_entries * sizeof(*entries));

        for (unsigned i = 0; i < append->n_entries; i++)
            pack_entry(&entries[i], &append->entries[i]);
        payload.entries = entries;
    }
    sn_send(to, &append_entries_event, &payload);
}

static void send_snapshot(sn_id to, const struct raft_install_snapshot *install)
{
    struct install_snapshot payload = {
        .term = install->term,
        .snapshot = {.index = install->last_index,
                     .term = install->last_term,
                     .conf_index = install->conf_index,
                     .length = (uint32_t)install->data.len},
    };

    sn_assert(install->data.len <= DATA_MAX);
    wire_pack_members(&payload.snapshot.members, &install->conf);
    memcpy(payload.snapshot.state, install->data.base, install->data.len);
    sn_send(to, &install_snapshot_event, &payload);
}

void wire_send(sn_id to, const struct raft_message *message)
{
    if (message->type == RAFT_IO_APPEND_ENTRIES)
        send_entries(to, &message->append_entries);
    else if (message->type == RAFT_IO_INSTALL_SNAPSHOT)
        send_snapshot(to, &message->install_snapshot);
    else
        sn_send(to, wire_events[message->type], &message->request_vote); /* any of the union */
}

struct raft_entry *wire_unpack_entries(const struct packed_entry *packed, size_t n)
{
    if (n == 0)
        return NULL;

    struct raft_entry *entries = raft_malloc(n * sizeof(*entries));
    unsigned char *batch = raft_malloc(n * DATA_MAX);

    for (size_t i = 0; i < n; i++) {
        entries[i] = (struct raft_entry){
            .term = packed[i].term,
            .type = (unsigned short)packed[i].type,
            .buf = {.base = batch + i * DATA_MAX, .len = packed[i].length},
            .batch = batch,
        };
        memcpy(entries[i].buf.base, packed[i].data, packed[i].length);
        if (bugs_wanted.garble_barrier && packed[i].type == RAFT_BARRIER)
            memset(entries[i].buf.base, (int)(i + 1), packed[i].length);
    }
    return entries;
}

static void receive_entries(struct raft_append_entries *append,
                            const struct append_entries *payload)
{
    *append = (struct raft_append_entries){
        .term = payload->term,
        .prev_log_index = payload->prev_index,
        .prev_log_term = payload->prev_term,
        .leader_commit = payload->commit,
        .entries = wire_unpack_entries(payload->entries, payload->n),
        .n_entries = (unsigned)payload->n,
    };
}

static void receive_snapshot(struct raft_install_snapshot *install,
                             const struct install_snapshot *payload)
{
    *install = (struct raft_install_snapshot){
        .term = payload->term,
        .last_index = payload->snapshot.index,
        .last_term = payload->snapshot.term,
        .conf_index = payload->snapshot.conf_index,
        .data = {.base = raft_malloc(payload->snapshot.length), .len = payload->snapshot.length},
    };
    memcpy(install->data.base, payload->snapshot.state, payload->snapshot.length);
    wire_unpack_members(&install->conf, &payload->snapshot.members);
}

void wire_receive(struct raft_message *message, unsigned short type, uint32_t from,
                  const void *payload)
{
    *message = (struct raft_message){
        .type = type,
        .server_id = from,
        .server_address = wire_address(from),
    };
    if (type == RAFT_IO_APPEND_ENTRIES)
        receive_entries(&message->append_entries, payload);
    else if (type == RAFT_IO_INSTALL_SNAPSHOT)
        receive_snapshot(&message->install_snapshot, payload);
    else
        memcpy(&message->request_vote, payload, wire_events[type]->size);
}

void wire_pack_snapshot(struct packed_snapshot *packed, const struct raft_snapshot *snapshot)
{
    *packed = (struct packed_snapshot){
        .index = snapshot->index,
        .term = snapshot->term,
        .conf_index = snapshot->configuration_index,
    };
    wire_pack_members(&packed->members, &snapshot->configuration);
    for (unsigned i = 0; i < snapshot->n_bufs; i++) {
        sn_assert(packed->length + snapshot->bufs[i].len <= DATA_MAX);
        memcpy(packed->state + packed->length, snapshot->bufs[i].base, snapshot->bufs[i].len);
        packed->length += (uint32_t)snapshot->bufs[i].len;
    }
}

struct raft_snapshot *wire_unpack_snapshot(const struct packed_snapshot *packed)
{
    struct raft_snapshot *snapshot = raft_malloc(sizeof(*snapshot));

    *snapshot = (struct raft_snapshot){
        .index = packed->index,
        .term = packed->term,
        .configuration_index = packed->conf_index,
        .bufs = raft_malloc(sizeof(*snapshot->bufs)),
        .n_bufs = 1,
    };
    snapshot->bufs[0].len = packed->length;
    snapshot->bufs[0].base = raft_malloc(packed->length);
    memcpy(snapshot->bufs[0].base, packed->state, packed->length);
    wire_unpack_members(&snapshot->configuration, &packed->members);
    return snapshot;
}

uint64_t wire_digest(const struct raft_entry *entry)
{
    uint64_t hash = entry->term * 31 + entry->type;
    const unsigned char *bytes = entry->buf.base;

    for (size_t i = 0; i < entry->buf.len; i++)
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    return hash;
}
