/* events.c - what machines send each other, and how it is shown.
 *
 * SPDX-License-Identifier: MIT
 */
#include "events.h"

#include "fsm.h"

#include <string.h>

static const char *const tribools[] = {"unknown", "yes", "no", NULL};
static const char *const asks[] = {"write",  "read",   "barrier-read", "transfer", "add",
                                   "assign", "remove", "close",        NULL};

/* ---- Between servers ------------------------------------------------------------------------ */

static const struct sn_field request_vote_fields[] = {
    SN_FIELD(struct raft_request_vote, term, SN_UINT),
    SN_FIELD(struct raft_request_vote, candidate_id, SN_UINT),
    SN_FIELD(struct raft_request_vote, last_log_index, SN_UINT),
    SN_FIELD(struct raft_request_vote, last_log_term, SN_UINT),
    SN_FIELD(struct raft_request_vote, disrupt_leader, SN_BOOL),
    SN_FIELD(struct raft_request_vote, pre_vote, SN_BOOL),
    {0},
};

const struct sn_event request_vote_event = {
    .name = "RequestVote",
    .size = sizeof(struct raft_request_vote),
    .fields = request_vote_fields,
};

static const struct sn_field request_vote_result_fields[] = {
    SN_FIELD(struct raft_request_vote_result, term, SN_UINT),
    SN_FIELD(struct raft_request_vote_result, vote_granted, SN_BOOL),
    SN_FIELD_ENUM(struct raft_request_vote_result, pre_vote, tribools),
    {0},
};

const struct sn_event request_vote_result_event = {
    .name = "RequestVoteResult",
    .size = sizeof(struct raft_request_vote_result),
    .fields = request_vote_result_fields,
};

static const struct sn_field append_entries_result_fields[] = {
    SN_FIELD(struct raft_append_entries_result, term, SN_UINT),
    SN_FIELD(struct raft_append_entries_result, rejected, SN_UINT),
    SN_FIELD(struct raft_append_entries_result, last_log_index, SN_UINT),
    {0},
};

const struct sn_event append_entries_result_event = {
    .name = "AppendEntriesResult",
    .size = sizeof(struct raft_append_entries_result),
    .fields = append_entries_result_fields,
};

static const struct sn_field timeout_now_fields[] = {
    SN_FIELD(struct raft_timeout_now, term, SN_UINT),
    SN_FIELD(struct raft_timeout_now, last_log_index, SN_UINT),
    SN_FIELD(struct raft_timeout_now, last_log_term, SN_UINT),
    {0},
};

const struct sn_event timeout_now_event = {
    .name = "TimeoutNow",
    .size = sizeof(struct raft_timeout_now),
    .fields = timeout_now_fields,
};

static void print_entry(struct sn_text *out, uint64_t index, const struct packed_entry *entry)
{
    struct command command;

    sn_print(out, " %llu:%llu=", (unsigned long long)index, (unsigned long long)entry->term);
    if (entry->type == RAFT_BARRIER)
        sn_print(out, "barrier");
    else if (entry->type == RAFT_CHANGE)
        sn_print(out, "configuration");
    else if (entry->type == RAFT_COMMAND && entry->length == sizeof(command)) {
        memcpy(&command, entry->data, sizeof(command));
        sn_print(out, "%s-%u", asks[command.ask == ASK_WRITE ? ASK_WRITE : ASK_READ], command.id);
    } else
        sn_print(out, "type-%u", entry->type);
}

static void print_append_entries(struct sn_text *out, const void *payload)
{
    const struct append_entries *append = payload;

    sn_print(out, "term=%llu prev=%llu:%llu commit=%llu", (unsigned long long)append->term,
             (unsigned long long)append->prev_index, (unsigned long long)append->prev_term,
             (unsigned long long)append->commit);
    for (uint64_t i = 0; i < append->n; i++)
        print_entry(out, append->prev_index + 1 + i, &append->entries[i]);
}

const struct sn_event append_entries_event = {
    .name = "AppendEntries",
    .size = sizeof(struct append_entries),
    .print = print_append_entries,
};

static void print_install_snapshot(struct sn_text *out, const void *payload)
{
    const struct install_snapshot *install = payload;

    sn_print(out, "term=%llu last=%llu:%llu", (unsigned long long)install->term,
             (unsigned long long)install->snapshot.index,
             (unsigned long long)install->snapshot.term);
}

const struct sn_event install_snapshot_event = {
    .name = "InstallSnapshot",
    .size = sizeof(struct install_snapshot),
    .print = print_install_snapshot,
};

/* ---- What a server says to itself ----------------------------------------------------------- */

const struct sn_event tick_event = {.name = "Tick"};
const struct sn_event log_written_event = {.name = "LogWritten"};
const struct sn_event snapshot_written_event = {.name = "SnapshotWritten"};
const struct sn_event snapshot_read_event = {.name = "SnapshotRead"};
const struct sn_event sent_event = {.name = "Sent"};
const struct sn_event worked_event = {.name = "Worked"};
const struct sn_event closed_event = {.name = "Closed"};
const struct sn_event reopen_event = {.name = "Reopen"};

/* ---- Clients, operators, the director ------------------------------------------------------- */

static const struct sn_field request_fields[] = {
    SN_FIELD(struct request, id, SN_UINT),
    SN_FIELD_ENUM(struct request, ask, asks),
    SN_FIELD(struct request, key, SN_UINT),
    SN_FIELD(struct request, role, SN_UINT),
    {0},
};

const struct sn_event request_event = {
    .name = "Request",
    .size = sizeof(struct request),
    .fields = request_fields,
};

static const struct sn_field reply_fields[] = {
    SN_FIELD(struct reply, id, SN_UINT),     SN_FIELD(struct reply, is_refused, SN_BOOL),
    SN_FIELD(struct reply, status, SN_INT),  SN_FIELD(struct reply, value, SN_UINT),
    SN_FIELD(struct reply, leader, SN_UINT), {0},
};

const struct sn_event reply_event = {
    .name = "Reply",
    .size = sizeof(struct reply),
    .fields = reply_fields,
};

const struct sn_event finished_event = {.name = "Finished"};
const struct sn_event started_event = {.name = "Started"};
const struct sn_event shutdown_event = {.name = "Shutdown"};
const struct sn_event think_event = {.name = "Think"};
const struct sn_event retry_event = {.name = "Retry"};

/* ---- What monitors are told ----------------------------------------------------------------- */

/* Traces have what is printed here, and no bytes: padding and addresses differ from one process to
 * the next. */

static const struct sn_field applied_fields[] = {
    SN_FIELD(struct applied, server, SN_UINT),
    SN_FIELD(struct applied, command, SN_UINT),
    SN_FIELD(struct applied, count, SN_UINT),
    SN_FIELD(struct applied, digest, SN_HEX),
    {0},
};

static const struct sn_field voted_fields[] = {
    SN_FIELD(struct voted, server, SN_UINT),
    SN_FIELD(struct voted, term, SN_UINT),
    SN_FIELD(struct voted, vote, SN_UINT),
    {0},
};

static const struct sn_field stored_fields[] = {
    SN_FIELD(struct stored, server, SN_UINT),       SN_FIELD(struct stored, claimed, SN_UINT),
    SN_FIELD(struct stored, claimed_term, SN_UINT), SN_FIELD(struct stored, durable, SN_UINT),
    SN_FIELD(struct stored, durable_term, SN_UINT), {0},
};

static const struct sn_field kept_fields[] = {
    SN_FIELD(struct kept, server, SN_UINT),
    SN_FIELD(struct kept, index, SN_UINT),
    {0},
};

static const struct sn_field call_fields[] = {
    SN_FIELD(struct call, server, SN_UINT),
    SN_FIELD(struct call, id, SN_UINT),
    SN_FIELD(struct call, status, SN_INT),
    SN_FIELD(struct call, answered, SN_UINT),
    {0},
};

static const struct sn_field confirmed_fields[] = {
    SN_FIELD(struct confirmed, server, SN_UINT),
    SN_FIELD(struct confirmed, index, SN_UINT),
    SN_FIELD(struct confirmed, term, SN_UINT),
    SN_FIELD(struct confirmed, own_term, SN_UINT),
    {0},
};

static const struct sn_field ended_fields[] = {
    SN_FIELD(struct ended, server, SN_UINT),
    SN_FIELD(struct ended, blocks, SN_INT),
    {0},
};

/* Servers with their roles: {1*,2+,3-} is a voter, a standby and a spare. */
static char mark_of_role(uint32_t role)
{
    return role == RAFT_VOTER ? '*' : role == RAFT_STANDBY ? '+' : '-';
}

static void print_members(struct sn_text *out, const char *name,
                          const struct packed_members *members)
{
    sn_print(out, " %s=", name);
    for (uint32_t i = 0; i < members->count; i++)
        sn_print(out, "%c%u%c", i == 0 ? '{' : ',', members->ids[i],
                 mark_of_role(members->roles[i]));
    if (members->count != 0)
        sn_print(out, "}");
    else
        sn_print(out, "unknown");
}

static void print_won(struct sn_text *out, const void *payload)
{
    const struct won *won = payload;

    sn_print(out, "server=%u term=%llu index=%u", won->server, (unsigned long long)won->term,
             won->index);
    print_members(out, "members", &won->members);
}

static void print_configured(struct sn_text *out, const void *payload)
{
    const struct configured *configured = payload;

    sn_print(out, "server=%u index=%u", configured->server, configured->index);
    print_members(out, "members", &configured->members);
    print_members(out, "entry", &configured->entry);
}

static void print_addressed(struct sn_text *out, const void *payload)
{
    const struct addressed *addressed = payload;

    sn_print(out, "server=%u to=%llu address=%s", addressed->server,
             (unsigned long long)addressed->to,
             addressed->address != NULL ? addressed->address : "none");
}

#define EVENT_OF_FIELDS(name_, type_)                                                              \
    {                                                                                              \
        .name = name_, .size = sizeof(struct type_), .fields = type_##_fields                      \
    }
#define EVENT_PRINTED(name_, type_)                                                                \
    {                                                                                              \
        .name = name_, .size = sizeof(struct type_), .print = print_##type_                        \
    }

const struct sn_event applied_event = EVENT_OF_FIELDS("Applied", applied);
const struct sn_event restored_event = EVENT_OF_FIELDS("Restored", applied);
const struct sn_event voting_event = EVENT_OF_FIELDS("Voting", voted);
const struct sn_event voted_event = EVENT_OF_FIELDS("Voted", voted);
const struct sn_event vote_found_event = EVENT_OF_FIELDS("VoteFound", voted);
const struct sn_event won_event = EVENT_PRINTED("Won", won);
const struct sn_event settled_event = EVENT_PRINTED("Settled", configured);
const struct sn_event stored_event = EVENT_OF_FIELDS("Stored", stored);
const struct sn_event kept_event = EVENT_OF_FIELDS("Kept", kept);
const struct sn_event kept_found_event = EVENT_OF_FIELDS("KeptFound", kept);
const struct sn_event confirmed_event = EVENT_OF_FIELDS("Confirmed", confirmed);
const struct sn_event configured_event = EVENT_PRINTED("Configured", configured);
const struct sn_event accepted_event = EVENT_OF_FIELDS("Accepted", call);
const struct sn_event called_back_event = EVENT_OF_FIELDS("CalledBack", call);
const struct sn_event reborn_event = EVENT_OF_FIELDS("Reborn", call);
const struct sn_event addressed_event = EVENT_PRINTED("Addressed", addressed);
const struct sn_event ended_event = EVENT_OF_FIELDS("Ended", ended);
