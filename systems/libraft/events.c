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

const struct sn_event applied_event = {.name = "Applied", .size = sizeof(struct applied)};
const struct sn_event restored_event = {.name = "Restored", .size = sizeof(struct applied)};
const struct sn_event voting_event = {.name = "Voting", .size = sizeof(struct voted)};
const struct sn_event voted_event = {.name = "Voted", .size = sizeof(struct voted)};
const struct sn_event vote_found_event = {.name = "VoteFound", .size = sizeof(struct voted)};
const struct sn_event won_event = {.name = "Won", .size = sizeof(struct won)};
const struct sn_event settled_event = {.name = "Settled", .size = sizeof(struct configured)};
const struct sn_event stored_event = {.name = "Stored", .size = sizeof(struct stored)};
const struct sn_event kept_event = {.name = "Kept", .size = sizeof(struct kept)};
const struct sn_event kept_found_event = {.name = "KeptFound", .size = sizeof(struct kept)};
const struct sn_event configured_event = {.name = "Configured", .size = sizeof(struct configured)};
const struct sn_event accepted_event = {.name = "Accepted", .size = sizeof(struct call)};
const struct sn_event called_back_event = {.name = "CalledBack", .size = sizeof(struct call)};
const struct sn_event reborn_event = {.name = "Reborn", .size = sizeof(struct call)};
const struct sn_event addressed_event = {.name = "Addressed", .size = sizeof(struct addressed)};
const struct sn_event ended_event = {.name = "Ended", .size = sizeof(struct ended)};
