/* events.c - what the machines of the harness say to each other, and what the monitors are told.
 *
 * SPDX-License-Identifier: MIT
 */
#include "events.h"

#include "registers.h"

/* SN_FIELD with a name of its own. */
#define FIELD_AS(type_, member_, name_, how_)                                                      \
    {                                                                                              \
        .name = (name_), .type = (how_), .offset = (uint32_t)offsetof(type_, member_),             \
        .size = (uint32_t)sizeof(((type_ *)0)->member_)                                            \
    }

#define HEADER_FIELDS(type_)                                                                       \
    FIELD_AS(type_, header.from, "from", SN_UINT), FIELD_AS(type_, header.term, "term", SN_UINT)

/* ---- Between servers ------------------------------------------------------------------------ */

static const struct sn_field vote_request_fields[] = {
    HEADER_FIELDS(struct raft_vote_request),
    SN_FIELD(struct raft_vote_request, last_index, SN_UINT),
    SN_FIELD(struct raft_vote_request, last_term, SN_UINT),
    {0},
};

static const struct sn_field vote_reply_fields[] = {
    HEADER_FIELDS(struct raft_vote_reply),
    FIELD_AS(struct raft_vote_reply, is_granted, "granted", SN_BOOL),
    {0},
};

static const struct sn_field append_reply_fields[] = {
    HEADER_FIELDS(struct raft_append_reply),
    SN_FIELD(struct raft_append_reply, round, SN_UINT),
    FIELD_AS(struct raft_append_reply, is_success, "success", SN_BOOL),
    SN_FIELD(struct raft_append_reply, match_index, SN_UINT),
    SN_FIELD(struct raft_append_reply, conflict_index, SN_UINT),
    SN_FIELD(struct raft_append_reply, conflict_term, SN_UINT),
    {0},
};

static void print_entry(struct sn_text *out, uint32_t index, const struct raft_entry *entry)
{
    sn_print(out, " %u/%u:", index, entry->term);
    if (entry->kind == RAFT_NOOP)
        sn_print(out, "no-op");
    else if (entry->kind == RAFT_CONFIG)
        sn_print(out, "members=%#x", entry->data[0]);
    else
        sn_print(out, "r%u=%u(client %u, #%u)", entry->data[REGISTER_KEY],
                 entry->data[REGISTER_VALUE], entry->client, entry->sequence);
}

/* Entries as index/term:what. */
static void print_append(struct sn_text *out, const void *payload)
{
    const struct raft_append *append = payload;

    sn_print(out, "from=%u term=%u round=%u prev=%u/%u commit=%u entries=[", append->header.from,
             append->header.term, append->round, append->prev_index, append->prev_term,
             append->commit_index);
    for (uint32_t i = 0; i < append->count; i++)
        print_entry(out, append->prev_index + 1 + i, &append->entries[i]);
    sn_print(out, " ]");
}

static void print_install(struct sn_text *out, const void *payload)
{
    const struct raft_install *install = payload;
    const struct raft_snapshot *snapshot = &install->snapshot;
    struct registers registers;

    sn_print(out, "from=%u term=%u round=%u last=%u/%u members=%#x registers=[",
             install->header.from, install->header.term, install->round, snapshot->last_index,
             snapshot->last_term, snapshot->members);
    registers_restore(&registers, snapshot->state);
    for (uint32_t key = 0; key < REGISTERS; key++)
        sn_print(out, " %u", registers.values[key]);
    sn_print(out, " ] sessions=[");
    for (uint32_t i = 0; i < RAFT_SESSIONS_MAX && snapshot->sessions[i].client != 0; i++)
        sn_print(out, " %u#%u", snapshot->sessions[i].client, snapshot->sessions[i].sequence);
    sn_print(out, " ]");
}

/* What tells messages of one type apart: all of them begin with a header. */
static uint64_t term_key(const void *payload)
{
    const struct raft_header *p = payload;

    return p->term;
}

const struct sn_event vote_request_event = {
    .name = "VoteRequest",
    .size = sizeof(struct raft_vote_request),
    .fields = vote_request_fields,
    .key = term_key,
};

const struct sn_event vote_reply_event = {
    .name = "VoteReply",
    .size = sizeof(struct raft_vote_reply),
    .fields = vote_reply_fields,
    .key = term_key,
};

const struct sn_event append_event = {
    .name = "Append",
    .size = sizeof(struct raft_append),
    .print = print_append,
    .key = term_key,
};

const struct sn_event install_event = {
    .name = "InstallSnapshot",
    .size = sizeof(struct raft_install),
    .print = print_install,
    .key = term_key,
};

const struct sn_event append_reply_event = {
    .name = "AppendReply",
    .size = sizeof(struct raft_append_reply),
    .fields = append_reply_fields,
    .key = term_key,
};

/* ---- Between clients and servers ------------------------------------------------------------ */

static const char *const request_kinds[] = {"write", "read", "add", "remove", NULL};
static const char *const statuses[] = {"done", "not leader", "busy", "refused", NULL};

static const struct sn_field request_fields[] = {
    SN_FIELD(struct raft_request, client, SN_UINT),
    SN_FIELD(struct raft_request, sequence, SN_UINT),
    SN_FIELD_ENUM(struct raft_request, kind, request_kinds),
    SN_FIELD_ARRAY(struct raft_request, data, SN_UINT),
    {0},
};

static const struct sn_field reply_fields[] = {
    SN_FIELD(struct raft_reply, client, SN_UINT),
    SN_FIELD(struct raft_reply, sequence, SN_UINT),
    SN_FIELD_ENUM(struct raft_reply, status, statuses),
    SN_FIELD(struct raft_reply, leader, SN_UINT),
    SN_FIELD_ARRAY(struct raft_reply, result, SN_UINT),
    {0},
};

const struct sn_event request_event = {
    .name = "Request",
    .size = sizeof(struct raft_request),
    .fields = request_fields,
};

const struct sn_event reply_event = {
    .name = "Reply",
    .size = sizeof(struct raft_reply),
    .fields = reply_fields,
};

/* ---- To the director ------------------------------------------------------------------------ */

const struct sn_event started_event = {.name = "Started"};
const struct sn_event finished_event = {.name = "Finished"};

/* ---- Timers --------------------------------------------------------------------------------- */

const struct sn_event election_timeout_event = {.name = "ElectionTimeout"};
const struct sn_event heartbeat_timeout_event = {.name = "HeartbeatTimeout"};
const struct sn_event recover_event = {.name = "Recover"};
const struct sn_event think_event = {.name = "Think"};
const struct sn_event retry_event = {.name = "Retry"};

/* ---- What monitors are told ----------------------------------------------------------------- */

static const struct sn_field applied_fields[] = {
    SN_FIELD(struct applied, server, SN_UINT),
    SN_FIELD(struct applied, index, SN_UINT),
    SN_FIELD(struct applied, term, SN_UINT),
    SN_FIELD(struct applied, digest, SN_HEX),
    {0},
};

static const struct sn_field restored_fields[] = {
    SN_FIELD(struct restored, server, SN_UINT),
    SN_FIELD(struct restored, index, SN_UINT),
    SN_FIELD(struct restored, digest, SN_HEX),
    SN_FIELD(struct restored, is_start, SN_BOOL),
    {0},
};

static const struct sn_field executed_fields[] = {
    SN_FIELD(struct executed, server, SN_UINT),
    SN_FIELD(struct executed, index, SN_UINT),
    SN_FIELD(struct executed, client, SN_UINT),
    SN_FIELD(struct executed, sequence, SN_UINT),
    {0},
};

static const struct sn_field operation_fields[] = {
    SN_FIELD(struct operation, client, SN_UINT),   SN_FIELD(struct operation, key, SN_UINT),
    SN_FIELD(struct operation, is_write, SN_BOOL), SN_FIELD(struct operation, value, SN_UINT),
    SN_FIELD(struct operation, version, SN_UINT),  {0},
};

const struct sn_event applied_event = {
    .name = "Applied",
    .size = sizeof(struct applied),
    .fields = applied_fields,
};

const struct sn_event restored_event = {
    .name = "Restored",
    .size = sizeof(struct restored),
    .fields = restored_fields,
};

const struct sn_event executed_event = {
    .name = "Executed",
    .size = sizeof(struct executed),
    .fields = executed_fields,
};

const struct sn_event begun_event = {
    .name = "Begun",
    .size = sizeof(struct operation),
    .fields = operation_fields,
};

const struct sn_event ended_event = {
    .name = "Ended",
    .size = sizeof(struct operation),
    .fields = operation_fields,
};
