/* repairs.c - keeps what is known to be wrong with the library from happening (--finding NAME).
 *
 * SPDX-License-Identifier: MIT
 */
#include "repairs.h"

#include "wire.h"
#include "witness.h"

#include <string.h>

enum { FINDINGS = SNAPSHOT_NOT_INSTALLED + 1, FIRST_NAME = 2 };

const char *const finding_words[] = {
    "all",
    "none",
    "counted-leftovers",
    "counted-old-entries",
    "leader-without-election",
    "failed-write-reuses-index",
    "follower-keeps-unwritten",
    "entries-before-snapshot",
    "rollback-to-snapshot",
    "two-failed-writes",
    "reply-to-nobody",
    "leak-of-install",
    "vote-for-transferee",
    "uncommitted-in-snapshot",
    "uncommitted-after-restart",
    "uncommitted-after-install",
    "candidate-misses-configuration",
    "nonvoter-blocks",
    "pre-vote-hides-term",
    "snapshot-not-installed",
    NULL,
};

const char *finding_wanted = "all";

static bool is_repaired[FINDINGS];

void repairs_prepare(void)
{
    for (size_t i = 0; i < FINDINGS; i++)
        is_repaired[i] = strcmp(finding_wanted, "all") != 0 &&
                         strcmp(finding_wanted, finding_words[FIRST_NAME + i]) != 0;
}

void repair_confirmation(struct raft_message *message, const struct io *io)
{
    struct raft_append_entries_result *result = &message->append_entries_result;
    const struct raft *raft = io->io.data;
    uint64_t shown_index = io->shown_index;

    if (!is_repaired[COUNTED_LEFTOVERS] || message->type != RAFT_IO_APPEND_ENTRIES_RESULT ||
        result->rejected != 0)
        return;
    if (shown_index == 0) {
        /* A write has ended, of a message of whatever leader. */
        shown_index = io->agreed_term == raft->current_term ? io->agreed_index : 0;
        if (shown_index < raft->commit_index)
            shown_index = raft->commit_index;
    }
    if (result->last_log_index > shown_index)
        result->last_log_index = shown_index;
}

void repair_agreement(struct io *io, uint64_t term, uint64_t index, uint64_t entry_term)
{
    const struct raft *raft = io->io.data;

    if (raft->state != RAFT_FOLLOWER || raft->current_term != term ||
        log_term(&raft->log, index) != entry_term)
        return;
    if (io->agreed_term == term && io->agreed_index >= index)
        return;
    io->agreed_term = term;
    io->agreed_index = index;
}

void repair_term(struct raft_message *message, const struct raft *raft)
{
    struct raft_request_vote_result *result = &message->request_vote_result;

    if (is_repaired[PRE_VOTE_HIDES_TERM] && message->type == RAFT_IO_REQUEST_VOTE_RESULT &&
        !result->vote_granted && result->term < raft->current_term)
        result->term = raft->current_term;
}

/* Whether a leader has entries of earlier terms that are not committed, and has written none of its
 * own: it counts up to where it has written, whatever is confirmed. */
static bool has_written_old_entries_only(const struct raft *raft)
{
    return log_term(&raft->log, raft->commit_index + 1) < raft->current_term &&
           log_term(&raft->log, raft->last_stored) < raft->current_term;
}

void repair_count(struct raft_append_entries_result *result, const struct raft *raft)
{
    if (!is_repaired[COUNTED_OLD_ENTRIES] || raft->state != RAFT_LEADER || result->rejected != 0 ||
        (log_term(&raft->log, result->last_log_index) >= raft->current_term &&
         !has_written_old_entries_only(raft)))
        return;
    if (result->last_log_index > raft->commit_index)
        result->last_log_index = raft->commit_index;
}

void repair_entries(struct append_entries *append, const struct raft_log *log)
{
    uint64_t index = log->snapshot.last_index;
    uint64_t known = index - append->prev_index; /* of the entries */

    if (!is_repaired[ENTRIES_BEFORE_SNAPSHOT] || append->prev_index >= index || append->n == 0)
        return;
    known = known < append->n ? known : append->n;
    append->entries += known;
    append->n -= known;
    append->prev_index = index;
    append->prev_term = log->snapshot.last_term;
}

static bool is_voter(const struct packed_members *members, raft_id id)
{
    for (uint32_t i = 0; i < members->count; i++) {
        if (members->ids[i] == id)
            return members->roles[i] == RAFT_VOTER;
    }
    return false;
}

void repair_demotion(struct append_entries *append, const struct raft *raft)
{
    struct packed_members members;

    wire_pack_members(&members, &raft->configuration);
    if (!is_repaired[NONVOTER_BLOCKS] || !is_voter(&members, raft->id))
        return;
    for (uint64_t i = 0; i < append->n; i++) {
        const struct packed_entry *entry = &append->entries[i];

        if (entry->type != RAFT_CHANGE || append->prev_index + 1 + i <= append->commit)
            continue;
        wire_read_members(&members, entry->data, entry->length);
        if (!is_voter(&members, raft->id))
            append->n = i;
    }
}

/* A voter that has not heard of its leader for so long stands, and knows none then. */
static void hide_silent_leader(struct io *io)
{
    struct raft *raft = io->io.data;

    if (io->now_ms - raft->election_timer_start < raft->follower_state.randomized_election_timeout)
        return;
    io->silent_term = raft->current_term;
    io->silent_id = raft->follower_state.current_leader.id;
    io->silent_address = raft->follower_state.current_leader.address;
    raft->follower_state.current_leader.id = 0;
    raft->follower_state.current_leader.address = NULL;
}

static void show_silent_leader(struct io *io)
{
    struct raft *raft = io->io.data;

    if (io->silent_id == 0)
        return;
    if (raft->state == RAFT_FOLLOWER && raft->current_term == io->silent_term) {
        raft->follower_state.current_leader.id = io->silent_id;
        raft->follower_state.current_leader.address = io->silent_address;
    } else {
        raft_free(io->silent_address);
    }
    io->silent_id = 0;
}

void repair_lend_vote(struct io *io, unsigned short type)
{
    struct raft *raft = io->io.data;
    struct packed_members members;
    uint32_t i = 0;

    wire_pack_members(&members, &raft->configuration);
    if (!is_repaired[NONVOTER_BLOCKS] || type != RAFT_IO_REQUEST_VOTE ||
        raft->state != RAFT_FOLLOWER || is_voter(&members, raft->id))
        return;
    while (i < members.count && members.ids[i] != raft->id)
        i++;
    if (i == members.count) {
        sn_assert(members.count++ < SERVERS_MAX);
        members.ids[i] = (uint32_t)raft->id;
    }
    members.roles[i] = RAFT_VOTER;
    io->configuration = raft->configuration;
    io->has_lent_vote = true;
    wire_unpack_members(&raft->configuration, &members);
    hide_silent_leader(io);
}

void repair_take_vote_back(struct io *io)
{
    struct raft *raft = io->io.data;

    if (!io->has_lent_vote)
        return;
    io->has_lent_vote = false;
    raft_configuration_close(&raft->configuration);
    raft->configuration = io->configuration;
    show_silent_leader(io);
}

void repair_raise_term(const struct io *io, struct packed_snapshot *snapshot)
{
    const struct raft *raft = io->io.data;
    uint64_t own_term = log_term(&raft->log, snapshot->index);

    if (is_repaired[SNAPSHOT_NOT_INSTALLED] && raft->log.snapshot.last_index < snapshot->index &&
        own_term > snapshot->term)
        snapshot->term = own_term + 1;
}

/* If the library has taken the snapshot, it is the last thing that waits for the disk. */
void repair_lower_term(struct io *io)
{
    struct raft *raft = io->io.data;

    if (io->shown_term == 0 || raft->log.snapshot.last_index != io->shown_index ||
        raft->log.snapshot.last_term == io->shown_term)
        return;

    sn_assert(io->queue_count != 0);

    /* The library's, as all of this is. */
    struct raft_snapshot *snapshot =
        (struct raft_snapshot *)io->queue[io->queue_count - 1].snapshot;

    sn_assert(snapshot != NULL && snapshot->index == io->shown_index);
    raft->log.snapshot.last_term = io->shown_term;
    snapshot->term = io->shown_term;
    io->next_prev_term = io->shown_term;
}

/* The index from which on a server will drop its entries because of a message; 0: it will not. */
static uint64_t conflict_index(const struct raft *raft, const struct append_entries *append)
{
    uint64_t prev_term = log_term(&raft->log, append->prev_index);

    if (append->term < raft->current_term || prev_term != append->prev_term)
        return 0;
    for (uint64_t i = 0; i < append->n; i++) {
        uint64_t index = append->prev_index + 1 + i;
        uint64_t term = log_term(&raft->log, index);

        if (term != append->entries[i].term)
            return term == 0 ? 0 : index;
    }
    return 0;
}

/* The index of the last configuration before one. */
static uint64_t configuration_before(const struct io *io, uint64_t index)
{
    if (index > INDEXES_MAX)
        index = INDEXES_MAX;
    do
        index--;
    while (index != 0 && io->members[index].count == 0);
    return index;
}

/* Of which entry the configuration of a server is, which may be committed or not. */
static void set_configuration_index(struct io *io, uint64_t index)
{
    struct raft *raft = io->io.data;
    bool is_committed = index <= raft->commit_index;

    raft->configuration_index = is_committed ? index : configuration_before(io, index);
    raft->configuration_uncommitted_index = is_committed ? 0 : index;
}

void repair_start(struct io *io)
{
    const struct raft *raft = io->io.data;

    if (is_repaired[UNCOMMITTED_AFTER_RESTART])
        set_configuration_index(io, raft->configuration_index);
}

static bool writes_configuration(const struct io *io)
{
    for (uint32_t i = 0; i < io->queue_count; i++) {
        for (unsigned j = 0; j < io->queue[i].n; j++) {
            if (io->queue[i].entries[j].type == RAFT_CHANGE)
                return true;
        }
    }
    return false;
}

void repair_candidacy(struct io *io)
{
    const struct raft *raft = io->io.data;

    if (!is_repaired[CANDIDATE_MISSES_CONFIGURATION] || raft->state != RAFT_FOLLOWER)
        return;
    while (!io->is_broken && writes_configuration(io))
        io_log_written(io);
}

void repair_installed(struct io *io)
{
    struct raft *raft = io->io.data;

    if (is_repaired[UNCOMMITTED_AFTER_INSTALL])
        raft->configuration_uncommitted_index = 0;
}

void repair_rollback(struct io *io, const struct append_entries *append)
{
    struct raft *raft = io->io.data;
    uint64_t conflict = conflict_index(raft, append);

    if (!is_repaired[ROLLBACK_TO_SNAPSHOT] || conflict == 0 ||
        raft->configuration_uncommitted_index < conflict)
        return;

    uint64_t index = configuration_before(io, conflict);

    sn_assert(io->members[index].count != 0);
    raft_configuration_close(&raft->configuration);
    wire_unpack_members(&raft->configuration, &io->members[index]);
    set_configuration_index(io, index);
}

void repair_members(const struct io *io, uint64_t index, struct packed_members *members)
{
    if (is_repaired[UNCOMMITTED_IN_SNAPSHOT] && index < INDEXES_MAX &&
        io->members[index].count != 0)
        *members = io->members[index];
}

/* Voters but for one server. */
static unsigned count_others(const struct raft_configuration *configuration, uint32_t id)
{
    unsigned others = 0;

    for (unsigned i = 0; i < configuration->n; i++)
        others +=
            configuration->servers[i].role == RAFT_VOTER && configuration->servers[i].id != id;
    return others;
}

bool repair_refuses(const struct raft *raft, const struct request *request)
{
    bool is_promotion = request->ask == ASK_ASSIGN && request->role == RAFT_VOTER;

    if (request->ask <= ASK_ADD || is_promotion)
        return false;
    return (is_repaired[NONVOTER_BLOCKS] && request->key == raft->id) ||
           (is_repaired[LEADER_WITHOUT_ELECTION] &&
            count_others(&raft->configuration, request->key) < 2);
}

bool repair_drops(const struct raft_message *message)
{
    return is_repaired[REPLY_TO_NOBODY] && message->server_id == 0;
}

bool repair_has_voted(const struct raft *raft, const struct raft_request_vote *request)
{
    return is_repaired[VOTE_FOR_TRANSFEREE] && raft->current_term == request->term &&
           raft->voted_for != 0 && raft->voted_for != request->candidate_id && !request->pre_vote;
}

void repair_close(struct io *io)
{
    bool is_installing = false;

    for (uint32_t i = 0; i < io->queue_count; i++)
        is_installing = is_installing || io->queue[i].kind == DISK_SNAPSHOT;
    if (is_repaired[is_installing ? LEAK_OF_INSTALL : TWO_FAILED_WRITES]) {
        while (io->queue_count != 0)
            io_log_written(io);
    }
}

bool repair_ends(const struct io *io)
{
    const struct raft *raft = io->io.data;
    bool leads = raft->state == RAFT_LEADER;

    return (is_repaired[TWO_FAILED_WRITES] && io->queue_count != 0) ||
           is_repaired[leads ? FAILED_WRITE_REUSES_INDEX : FOLLOWER_KEEPS_UNWRITTEN];
}
