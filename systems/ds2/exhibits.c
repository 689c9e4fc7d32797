/* exhibits.c - how the messages of each object are called and shown.
 * SPDX-License-Identifier: MIT
 */
#include "chord.h"
#include "harness.h"
#include "paxos.h"
#include "raft.h"
#include "register.h"
#include "zab.h"

#define HEAD(member_, how_) SN_FIELD(struct ds2_message, member_, how_)
#define PLAIN(name_)                                                                               \
    {                                                                                              \
        .name = (name_), .size = sizeof(struct ds2_message), .fields = plain_fields                \
    }

/* ---- The registers -------------------------------------------------------------------------- */

static const struct sn_field plain_fields[] = {
    HEAD(client, SN_UINT), HEAD(value, SN_INT), HEAD(number, SN_UINT), {0}};

static const struct sn_event register_events[REGISTER_KINDS] = {
    [DS2_READ] = PLAIN("Read"),
    [DS2_WRITE] = PLAIN("Write"),
    [DS2_WAKE] = PLAIN("Wake"),
    [REGISTER_WRITE_REPLICA] = PLAIN("WriteReplica"),
    [REGISTER_WRITE_REPLICA_ACK] = PLAIN("WriteReplicaAck"),
    [REGISTER_READ_REPLICA] = PLAIN("ReadReplica"),
    [REGISTER_READ_REPLICA_ACK] = PLAIN("ReadReplicaAck"),
};

const struct ds2_exhibit ds2_register_exhibit = {
    .object = &ds2_register, .events = register_events, .agents = 2};
const struct ds2_exhibit ds2_erroneous_exhibit = {
    .object = &ds2_erroneous, .events = register_events, .agents = 3};
const struct ds2_exhibit ds2_another_exhibit = {
    .object = &ds2_another, .events = register_events, .agents = 2};

#define KEYED(event_)                                                                              \
    {                                                                                              \
        .event = &(event_), .offset = offsetof(struct ds2_message, key), .size = sizeof(int64_t)   \
    }

/* A register is a map with one key. */
static const struct sn_key register_keys[] = {
    KEYED(register_events[DS2_READ]),
    KEYED(register_events[DS2_WRITE]),
    KEYED(register_events[REGISTER_WRITE_REPLICA]),
    KEYED(register_events[REGISTER_WRITE_REPLICA_ACK]),
    KEYED(register_events[REGISTER_READ_REPLICA]),
    KEYED(register_events[REGISTER_READ_REPLICA_ACK]),
    {0},
};

const struct sn_dependence ds2_register_dependence = {.keys = register_keys};

/* ---- Chord ---------------------------------------------------------------------------------- */

static const struct sn_field chord_fields[] = {
    HEAD(client, SN_UINT), HEAD(key, SN_INT), HEAD(value, SN_INT), HEAD(agent, SN_UINT), {0}};

#define RING(name_)                                                                                \
    {                                                                                              \
        .name = (name_), .size = sizeof(struct ds2_message), .fields = chord_fields                \
    }

static const struct sn_event chord_events[CHORD_KINDS] = {
    [DS2_READ] = RING("Request"),
    [DS2_WRITE] = RING("UploadEntry"),
    [DS2_WAKE] = RING("Wake"),
    [CHORD_UPLOAD_ENTRY_RESPONSE] = RING("UploadEntryResponse"),
    [CHORD_RESPONSE] = RING("Response"),
    [CHORD_FIND_SUCCESSOR] = RING("FindSuccessor"),
    [CHORD_SUCCESSOR_FOUND] = RING("SuccessorFound"),
    [CHORD_UPDATE_PREDECESSOR] = RING("UpdatePredecessor"),
};

/* As published, which leaves out the messages by which a node joins: they have no key. */
static const struct sn_key chord_keys[] = {
    KEYED(chord_events[DS2_READ]),
    KEYED(chord_events[DS2_WRITE]),
    KEYED(chord_events[CHORD_UPLOAD_ENTRY_RESPONSE]),
    KEYED(chord_events[CHORD_RESPONSE]),
    {0},
};

const struct sn_dependence ds2_chord_dependence = {.keys = chord_keys};

const struct ds2_exhibit ds2_chord_exhibit = {
    .object = &ds2_chord, .events = chord_events, .agents = 2, .has_keys = true};

/* ---- Multi-Paxos ---------------------------------------------------------------------------- */

static const struct sn_field paxos_fields[] = {
    HEAD(client, SN_UINT),
    HEAD(key, SN_INT),
    HEAD(value, SN_INT),
    HEAD(is_write, SN_BOOL),
    HEAD(number, SN_UINT),
    HEAD(latest, SN_UINT),
    {0},
};

#define PAXOS(name_)                                                                               \
    {                                                                                              \
        .name = (name_), .size = sizeof(struct ds2_message), .fields = paxos_fields                \
    }

static const struct sn_event paxos_events[PAXOS_KINDS] = {
    [DS2_READ] = PAXOS("Request"),        [DS2_WRITE] = PAXOS("ProposeCommand"),
    [DS2_WAKE] = PAXOS("Wake"),           [PAXOS_PROPOSE] = PAXOS("Propose"),
    [PAXOS_PREPARE] = PAXOS("Prepare"),   [PAXOS_PROMISE] = PAXOS("Promise"),
    [PAXOS_NACK] = PAXOS("Nack"),         [PAXOS_ACCEPT] = PAXOS("Accept"),
    [PAXOS_ACCEPTED] = PAXOS("Accepted"),
};

/* What depends on the number of the latest proposal, or changes it, is about all keys: it is one
 * number for all of them. */
#define ANY_KEY(event_)                                                                            \
    {                                                                                              \
        .event = &(event_), .any = true                                                            \
    }

static const struct sn_key paxos_keys[] = {
    KEYED(paxos_events[DS2_READ]),
    KEYED(paxos_events[DS2_WRITE]),
    ANY_KEY(paxos_events[PAXOS_PROPOSE]),
    ANY_KEY(paxos_events[PAXOS_PREPARE]),
    ANY_KEY(paxos_events[PAXOS_PROMISE]),
    ANY_KEY(paxos_events[PAXOS_NACK]),
    KEYED(paxos_events[PAXOS_ACCEPT]),
    KEYED(paxos_events[PAXOS_ACCEPTED]),
    {0},
};

const struct sn_dependence ds2_paxos_dependence = {.keys = paxos_keys};

const struct ds2_exhibit ds2_paxos_exhibit = {
    .object = &ds2_paxos, .events = paxos_events, .agents = 2, .has_keys = true};

/* ---- Raft and Zab --------------------------------------------------------------------------- */

static void print_entry(struct sn_text *out, const struct ds2_entry *entry)
{
    if (entry->is_write)
        sn_print(out, " %u:write(%lld)", entry->number, (long long)entry->value);
    else
        sn_print(out, " %u:read(client %u)", entry->number, entry->client);
}

static void print_log_message(struct sn_text *out, const void *payload)
{
    const struct ds2_log_message *m = payload;

    if (m->head.client != 0) {
        sn_print(out, "client=%u", m->head.client);
        if (m->head.kind == DS2_WRITE)
            sn_print(out, " value=%lld", (long long)m->head.value);
        return;
    }
    sn_print(out, "number=%u", m->head.number);
    if (m->index != 0 || m->term != 0)
        sn_print(out, " index=%u term=%u", m->index, m->term);
    if (m->committed != 0)
        sn_print(out, " committed=%u", m->committed);
    for (uint32_t i = 0; i < m->n; i++)
        print_entry(out, &m->entries[i]);
}

static void print_nothing(struct sn_text *out, const void *payload)
{
    (void)out;
    (void)payload;
}

static void print_answer(struct sn_text *out, const void *payload)
{
    const struct ds2_log_message *m = payload;

    sn_print(out, "number=%u %s index=%u", m->head.number, m->head.value != 0 ? "yes" : "no",
             m->index);
}

#define LOGGED_AS(name_, print_)                                                                   \
    {                                                                                              \
        .name = (name_), .size = sizeof(struct ds2_log_message), .print = (print_)                 \
    }
#define LOGGED(name_) LOGGED_AS(name_, print_log_message)

static const struct sn_event raft_events[RAFT_KINDS] = {
    [DS2_READ] = LOGGED("Read"),
    [DS2_WRITE] = LOGGED("Write"),
    [DS2_WAKE] = LOGGED_AS("Timeout", print_nothing),
    [RAFT_REQUEST_VOTE] = LOGGED("RequestVote"),
    [RAFT_VOTE] = LOGGED_AS("Vote", print_answer),
    [RAFT_APPEND] = LOGGED("Append"),
    [RAFT_APPEND_ANSWER] = LOGGED_AS("AppendAnswer", print_answer),
};

static const struct sn_event zab_events[ZAB_KINDS] = {
    [DS2_READ] = LOGGED("Read"),
    [DS2_WRITE] = LOGGED("Write"),
    [DS2_WAKE] = LOGGED_AS("Timeout", print_nothing),
    [ZAB_NEW_EPOCH] = LOGGED("NewEpoch"),
    [ZAB_ACK_EPOCH] = LOGGED("AckEpoch"),
    [ZAB_NEW_LEADER] = LOGGED("NewLeader"),
    [ZAB_ACK_LEADER] = LOGGED("AckLeader"),
    [ZAB_PROPOSE] = LOGGED("Propose"),
    [ZAB_ACK] = LOGGED("Ack"),
    [ZAB_COMMIT] = LOGGED("Commit"),
};

const struct ds2_exhibit ds2_raft_exhibit = {
    .object = &ds2_raft,
    .events = raft_events,
    .agents = 3,
    .has_timeouts = true,
    .has_bug = &ds2_parameters.raft_has_bug,
};

const struct ds2_exhibit ds2_zab_exhibit = {
    .object = &ds2_zab,
    .events = zab_events,
    .agents = 3,
    .has_timeouts = true,
    .has_bug = &ds2_parameters.zab_has_bug,
};
