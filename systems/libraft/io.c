/* io.c - the library's struct raft_io on top of Sennit: network, disk, time and chance.
 *
 * SPDX-License-Identifier: MIT
 */
#include "io.h"

#include "fsm.h"
#include "repairs.h"
#include "wire.h"
#include "witness.h"

#include <stdio.h>
#include <string.h>

/* A list with room for one more, which may lie elsewhere then. */
static void *with_room(void *list, uint32_t count, uint32_t *room, size_t size)
{
    if (count < *room)
        return list;

    uint32_t more = *room != 0 ? 2 * *room : 8;
    void *other = sn_alloc(more * size);

    if (count != 0)
        memcpy(other, list, count * size);
    *room = more;
    return other;
}

/* ---- Start ---------------------------------------------------------------------------------- */

static int io_method_init(struct raft_io *raft_io, raft_id id, const char *address)
{
    struct io *io = raft_io->impl;

    (void)id;
    (void)address;
    return storage_open(&io->storage);
}

/* A configuration that the library has in its log, or had. */
static void keep_members(struct io *io, uint64_t index, const void *data, size_t length)
{
    if (index < INDEXES_MAX)
        wire_read_members(&io->members[index], data, length);
}

/* Each server takes 11 bytes behind the first 9, since addresses have one letter; the last of them
 * is its role. */
static void misread(unsigned char *data, const struct packed_members *members)
{
    data[9 + 11 * members->count - 1] = RAFT_SPARE;
}

static int load_entries(struct io *io, raft_index *start_index, struct raft_entry *entries[],
                        size_t *n_entries)
{
    const struct storage *storage = &io->storage;
    uint64_t first = storage->first_index;
    size_t n = (size_t)(storage->last_index + 1 - first);
    struct packed_entry *packed = sn_alloc((n + 1) * sizeof(*packed));

    for (size_t i = 0; i < n; i++) {
        int rc = storage_read(storage, first + i, &packed[i]);

        if (rc != 0)
            return rc;
        if (packed[i].type != RAFT_CHANGE)
            continue;
        keep_members(io, first + i, packed[i].data, packed[i].length);
        if (bugs_wanted.misread_configuration)
            misread(packed[i].data, &io->members[first + i]);
    }
    *start_index = first;
    *n_entries = n;
    *entries = wire_unpack_entries(packed, n);
    return 0;
}

static void tell_found(const struct io *io)
{
    const struct storage *storage = &io->storage;
    struct voted voted = {
        .server = io->birth->id,
        .term = storage->term,
        .vote = storage->vote,
    };
    struct kept kept = {
        .server = io->birth->id,
        .index = storage->has_snapshot ? storage->snapshot.index : 0,
    };

    sn_monitor(&one_vote, &vote_found_event, &voted);
    sn_monitor(&durability, &kept_found_event, &kept);
}

static int io_method_load(struct raft_io *raft_io, raft_term *term, raft_id *voted_for,
                          struct raft_snapshot **snapshot, raft_index *start_index,
                          struct raft_entry *entries[], size_t *n_entries)
{
    struct io *io = raft_io->impl;
    const struct storage *storage = &io->storage;

    /* What has happened is told of each trial, so that a test can see that it tests something. */
    sn_classify(storage->term > 1 && storage->term > past_of(io->birth->id)->term,
                "a server starts from what it has written");
    tell_found(io);
    *term = storage->term;
    *voted_for = storage->vote;
    *snapshot = storage->has_snapshot ? wire_unpack_snapshot(&storage->snapshot) : NULL;
    if (storage->has_snapshot && storage->snapshot.conf_index < INDEXES_MAX)
        io->members[storage->snapshot.conf_index] = storage->snapshot.members;
    io->next_index = storage->last_index + 1;
    io->next_prev_term = 0;
    return load_entries(io, start_index, entries, n_entries);
}

static int io_method_start(struct raft_io *raft_io, unsigned msecs, raft_io_tick_cb tick,
                           raft_io_recv_cb recv)
{
    struct io *io = raft_io->impl;

    sn_assert(msecs == HEARTBEAT_MS);
    io->tick = tick;
    io->recv = recv;
    return 0;
}

static int io_method_bootstrap(struct raft_io *raft_io, const struct raft_configuration *conf)
{
    struct io *io = raft_io->impl;
    struct raft_entry entry = {.term = 1, .type = RAFT_CHANGE};
    int rc = raft_configuration_encode(conf, &entry.buf);

    sn_assert(rc == 0);
    if (io->storage.term != 0 || io->storage.last_index != 0)
        rc = RAFT_CANTBOOTSTRAP;
    if (rc == 0)
        rc = storage_write_meta(&io->storage, 1, 0);
    if (rc == 0)
        rc = storage_append(&io->storage, &entry, 1);
    raft_free(entry.buf.base);
    return rc;
}

static int io_method_recover(struct raft_io *raft_io, const struct raft_configuration *conf)
{
    (void)raft_io;
    (void)conf;
    return RAFT_INVALID; /* nobody asks for it */
}

/* ---- Term and vote -------------------------------------------------------------------------- */

static int io_method_set_term(struct raft_io *raft_io, raft_term term)
{
    struct io *io = raft_io->impl;

    sn_assertf(term >= io->storage.term, "server %u goes back from term %llu to term %llu",
               io->birth->id, (unsigned long long)io->storage.term, term);
    return storage_write_meta(&io->storage, term, bugs_wanted.keep_vote ? io->storage.vote : 0);
}

static void tell_voted(const struct voted *voted)
{
    sn_monitor(&one_vote, &voted_event, voted);
    sn_monitor(&majorities, &voted_event, voted);
}

static int io_method_set_vote(struct raft_io *raft_io, raft_id server_id)
{
    struct io *io = raft_io->impl;
    struct voted voted = {
        .server = io->birth->id,
        .term = io->storage.term,
        .vote = server_id,
    };
    int rc = 0;

    sn_monitor(&one_vote, &voting_event, &voted);
    if (!bugs_wanted.forget_vote)
        rc = storage_write_meta(&io->storage, io->storage.term, server_id);
    if (rc == 0)
        tell_voted(&voted); /* not before: a crash could undo it */
    return rc;
}

/* ---- Messages ------------------------------------------------------------------------------- */

static void tell_addressed(const struct io *io, const struct raft_message *message)
{
    struct addressed addressed = {
        .server = io->birth->id,
        .servers = io->birth->servers,
        .to = message->server_id,
        .address = message->server_address,
    };

    sn_monitor(&addressees, &addressed_event, &addressed);
}

/* An answer to a snapshot that does not refuse it says that the server has what is in it. */
static void tell_confirmed(const struct io *io, const struct raft_message *message)
{
    const struct raft *raft = io->io.data;
    struct confirmed confirmed = {
        .server = io->birth->id,
        .index = io->shown_index,
        .term = io->shown_term,
        .own_term = log_term(&raft->log, io->shown_index),
    };

    if (io->shown_term == 0 || message->type != RAFT_IO_APPEND_ENTRIES_RESULT ||
        message->append_entries_result.rejected != 0)
        return;
    if (raft->log.snapshot.last_index <= io->shown_index)
        sn_monitor(&durability, &confirmed_event, &confirmed);
}

/* Will report that a message has left, or has not. */
static int post_send(struct io *io, struct raft_io_send *req, int status)
{
    io->sends = with_room(io->sends, io->send_count, &io->send_room, sizeof(*io->sends));
    io->sends[io->send_count++] = (struct send_request){.send = req, .status = status};
    if (io->birth->has_late_sends != 0)
        sn_send(sn_self(), &sent_event, NULL);
    return 0;
}

/* A message for a server that is down is lost, which its sender learns; that it is lost on the way
 * it does not. */
static int io_method_send(struct raft_io *raft_io, struct raft_io_send *req,
                          const struct raft_message *message, raft_io_send_cb cb)
{
    struct io *io = raft_io->impl;
    struct raft_message copy = *message;

    if (bugs_wanted.wrong_address && message->type == RAFT_IO_TIMEOUT_NOW)
        copy.server_id = io->birth->id;
    repair_confirmation(&copy, io);
    repair_term(&copy, raft_io->data);
    req->cb = cb;
    if (repair_drops(&copy))
        return post_send(io, req, RAFT_NOCONNECTION);
    tell_addressed(io, &copy);
    tell_confirmed(io, &copy);
    wire_send(director_of_server(io->birth->id) + (sn_id)copy.server_id, &copy);
    return post_send(io, req, sn_node_is_up((sn_node)copy.server_id) ? 0 : RAFT_NOCONNECTION);
}

/* What is reported may be asked again at once: the list is taken first. */
static struct send_request take_send(struct io *io)
{
    struct send_request first = io->sends[0];

    io->send_count--;
    memmove(io->sends, io->sends + 1, io->send_count * sizeof(io->sends[0]));
    return first;
}

void io_sent(struct io *io)
{
    if (io->send_count == 0)
        return;

    struct send_request first = take_send(io);

    if (first.send->cb != NULL)
        first.send->cb(first.send, first.status);
}

void io_flush(struct io *io)
{
    if (io->birth->has_late_sends != 0)
        return;
    while (io->send_count != 0)
        io_sent(io);
}

/* ---- The log -------------------------------------------------------------------------------- */

static uint64_t digest_of(const struct raft_entry *entries, unsigned n)
{
    uint64_t hash = 0;

    for (unsigned i = 0; i < n; i++)
        hash = hash * 31 + wire_digest(&entries[i]);
    return hash;
}

static void tell_appended(struct io *io, const struct raft_entry *entry)
{
    struct appended appended = {
        .server = io->birth->id,
        .index = (uint32_t)io->next_index,
        .term = (uint32_t)entry->term,
        .prev_term = (uint32_t)io->next_prev_term,
        .digest = (uint32_t)(wire_digest(entry) ^ wire_digest(entry) >> 32),
    };

    sn_monitor(&log_matching, &appended_event, &appended);
    if (entry->type == RAFT_CHANGE)
        keep_members(io, io->next_index, entry->buf.base, entry->buf.len);
    io->next_index++;
    io->next_prev_term = entry->term;
}

static void enqueue(struct io *io, const struct disk_request *request)
{
    io->queue = with_room(io->queue, io->queue_count, &io->queue_room, sizeof(*io->queue));
    io->queue[io->queue_count++] = *request;
    sn_send(sn_self(), &log_written_event, NULL);
}

static int io_method_append(struct raft_io *raft_io, struct raft_io_append *req,
                            const struct raft_entry entries[], unsigned n, raft_io_append_cb cb)
{
    struct io *io = raft_io->impl;
    struct disk_request request = {
        .kind = DISK_APPEND,
        .append = req,
        .entries = entries,
        .n = n,
        .digest = digest_of(entries, n),
    };

    for (unsigned i = 0; i < n; i++)
        tell_appended(io, &entries[i]);
    req->cb = cb;
    enqueue(io, &request);
    return 0;
}

/* The library has dropped the entries from here on. */
static void go_on_at(struct io *io, uint64_t index)
{
    for (uint64_t i = index; i < io->next_index && i < INDEXES_MAX; i++)
        io->members[i].count = 0;
    io->next_index = index;
    io->next_prev_term = 0;
}

static int io_method_truncate(struct raft_io *raft_io, raft_index index)
{
    struct io *io = raft_io->impl;
    struct disk_request request = {.kind = DISK_TRUNCATE, .index = index};

    sn_assertf(index >= 1 && index <= io->next_index,
               "server %u truncates its log at %llu, and its next entry is %llu", io->birth->id,
               index, (unsigned long long)io->next_index);
    sn_classify(true, "a follower drops entries");
    go_on_at(io, index);
    if (!bugs_wanted.ignore_truncate)
        enqueue(io, &request);
    return 0;
}

static struct disk_request take_request(struct io *io)
{
    struct disk_request first = io->queue[0];

    io->queue_count--;
    memmove(io->queue, io->queue + 1, io->queue_count * sizeof(io->queue[0]));
    if (io->put_behind != 0 && --io->put_behind == 0)
        sn_send(sn_self(), &snapshot_written_event, NULL);
    return first;
}

static void complete(struct io *io, const struct disk_request *request, int status)
{
    if (request->append != NULL)
        request->append->cb(request->append, status);
    if (request->put != NULL)
        request->put->cb(request->put, status);
    if (bugs_wanted.call_back_twice && io->queue_count > 0 && request->append != NULL)
        request->append->cb(request->append, status);
}

static int put_snapshot(struct io *io, const struct disk_request *request)
{
    struct packed_snapshot packed;

    wire_pack_snapshot(&packed, request->snapshot);
    repair_members(io, packed.conf_index, &packed.members);

    int rc = storage_put_snapshot(&io->storage, request->trailing, &packed);
    struct kept kept = {.server = io->birth->id, .index = packed.index};

    if (rc == 0)
        sn_monitor(&durability, &kept_event, &kept);
    return rc;
}

static int perform(struct io *io, const struct disk_request *request)
{
    if (request->kind == DISK_TRUNCATE)
        return storage_truncate(&io->storage, request->index);
    if (request->kind == DISK_SNAPSHOT)
        return put_snapshot(io, request);
    sn_assertf(digest_of(request->entries, request->n) == request->digest,
               "server %u has changed entries that are being written", io->birth->id);
    if (bugs_wanted.complete_lost_write && request->n > 1)
        return 0;
    return storage_append(&io->storage, request->entries, request->n);
}

/* What was to be written behind entries that could not be is not written either. The library has
 * forgotten those entries, so the next one comes where the log on the disk ends. */
static void fail_log(struct io *io, int status)
{
    while (io->queue_count != 0) {
        struct disk_request first = take_request(io);

        complete(io, &first, status);
    }
    go_on_at(io, io->storage.last_index + 1);
}

/* The configuration of a snapshot of another server counts when that is installed, and what the log
 * had behind it is gone. */
static void replace_members(struct io *io, const struct raft_snapshot *snapshot)
{
    for (uint64_t i = snapshot->configuration_index + 1; i < INDEXES_MAX; i++)
        io->members[i].count = 0;
    if (snapshot->configuration_index < INDEXES_MAX)
        wire_pack_members(&io->members[snapshot->configuration_index], &snapshot->configuration);
}

static void swap_reports(struct disk_request *a, struct disk_request *b)
{
    struct raft_io_append *append = a->append;

    if (append != NULL && b->append != NULL) {
        a->append = b->append;
        b->append = append;
    }
}

void io_log_written(struct io *io)
{
    if (io->queue_count == 0)
        return;

    struct disk_request first = take_request(io);
    int status = perform(io, &first);

    if (bugs_wanted.report_out_of_order && io->queue_count != 0)
        swap_reports(&first, &io->queue[0]);

    sn_classify(status != 0, "a write fails");
    if (status != 0 && (first.kind != DISK_APPEND || repair_ends(io))) {
        io->is_broken = true;
        return;
    }
    sn_classify(first.kind == DISK_SNAPSHOT, "a snapshot is installed");
    if (first.kind == DISK_SNAPSHOT)
        replace_members(io, first.snapshot);
    complete(io, &first, status);
    if (first.kind == DISK_SNAPSHOT)
        repair_installed(io);
    if (status != 0 && first.kind == DISK_APPEND)
        fail_log(io, status);
}

/* ---- Snapshots ------------------------------------------------------------------------------ */

static void tell_configured(const struct io *io, const struct raft_snapshot *snapshot)
{
    struct configured configured = {
        .server = io->birth->id,
        .index = (uint32_t)snapshot->configuration_index,
        .is_snapshot = 1,
    };

    if (snapshot->configuration_index >= INDEXES_MAX)
        return;
    wire_pack_members(&configured.members, &snapshot->configuration);
    repair_members(io, snapshot->configuration_index, &configured.members);
    configured.entry = io->members[snapshot->configuration_index];
    sn_monitor(&majorities, &settled_event, &configured);
    sn_monitor(&configurations, &configured_event, &configured);
}

static int io_method_snapshot_put(struct raft_io *raft_io, unsigned trailing,
                                  struct raft_io_snapshot_put *req,
                                  const struct raft_snapshot *snapshot, raft_io_snapshot_put_cb cb)
{
    struct io *io = raft_io->impl;
    struct disk_request request = {
        .kind = DISK_SNAPSHOT,
        .put = req,
        .snapshot = snapshot,
        .trailing = trailing,
    };

    req->cb = cb;
    if (trailing == 0) {
        io->next_index = snapshot->index + 1;
        io->next_prev_term = snapshot->term;
        enqueue(io, &request);
        return 0;
    }
    sn_assertf(io->put.put == NULL, "server %u writes two snapshots at once", io->birth->id);
    tell_configured(io, snapshot);
    io->put = request;
    io->put_behind = io->queue_count;
    if (io->put_behind == 0)
        sn_send(sn_self(), &snapshot_written_event, NULL);
    return 0;
}

void io_snapshot_written(struct io *io)
{
    struct disk_request request = io->put;

    if (request.put == NULL)
        return;
    io->put.put = NULL;
    request.put->cb(request.put, put_snapshot(io, &request));
}

static int io_method_snapshot_get(struct raft_io *raft_io, struct raft_io_snapshot_get *req,
                                  raft_io_snapshot_get_cb cb)
{
    struct io *io = raft_io->impl;

    req->cb = cb;
    io->gets = with_room(io->gets, io->get_count, &io->get_room, sizeof(*io->gets));
    io->gets[io->get_count++] = req;
    sn_send(sn_self(), &snapshot_read_event, NULL);
    return 0;
}

void io_snapshot_read(struct io *io)
{
    if (io->get_count == 0)
        return;

    struct raft_io_snapshot_get *first = io->gets[0];

    io->get_count--;
    memmove(io->gets, io->gets + 1, io->get_count * sizeof(io->gets[0]));
    if (io->storage.has_snapshot)
        first->cb(first, wire_unpack_snapshot(&io->storage.snapshot), 0);
    else
        first->cb(first, NULL, RAFT_NOTFOUND);
}

/* ---- What has happened before the trial ----------------------------------------------------- */

static int write_past_entries(struct io *io, const struct past *past)
{
    uint64_t zero = 0; /* what a barrier says */
    int rc = 0;

    io->next_index = PAST_FIRST;
    io->next_prev_term = 1;
    for (uint32_t i = 0; i < past->count && rc == 0; i++) {
        struct raft_entry entry = {
            .term = past->terms[i],
            .type = RAFT_BARRIER,
            .buf = {.base = &zero, .len = sizeof(zero)},
        };

        tell_appended(io, &entry);
        rc = storage_append(&io->storage, &entry, 1);
    }
    return rc;
}

/* No command was executed. */
static int write_past_snapshot(struct io *io, const struct past *past,
                               const struct raft_configuration *configuration)
{
    struct packed_snapshot packed = {
        .index = past->snapshot + PAST_FIRST - 1,
        .term = past->terms[past->snapshot - 1],
        .conf_index = PAST_FIRST - 1,
        .length = sizeof(struct registers),
    };
    struct kept kept = {.server = io->birth->id, .index = packed.index};

    wire_pack_members(&packed.members, configuration);
    sn_monitor(&durability, &kept_event, &kept);
    return storage_put_snapshot(&io->storage, io->birth->trailing, &packed);
}

/* For people: the draws of past.c are hard to read. */
static void note_past(const struct past *past)
{
    char terms[PAST_MAX * 4 + 1] = "";
    size_t length = 0;

    for (uint32_t i = 0; i < past->count; i++)
        length += (size_t)snprintf(terms + length, sizeof(terms) - length, " %u", past->terms[i]);
    if (past->count != 0)
        sn_note("has entries from %d on of terms%s", PAST_FIRST, terms);
    if (past->snapshot != 0)
        sn_note("has a snapshot up to entry %u", past->snapshot + PAST_FIRST - 1);
}

static void tell_past_commitments(const struct io *io, const struct past *past)
{
    struct committed committed = {.server = io->birth->id};

    for (uint32_t i = 0; i < past->committed; i++) {
        committed.server_term = past->terms[past->committed - 1];
        committed.index = i + PAST_FIRST;
        committed.term = past->terms[i];
        sn_monitor(&leader_completeness, &committed_event, &committed);
    }
}

void io_begin_with(struct io *io, const struct past *past,
                   const struct raft_configuration *configuration)
{
    struct voted voted = {.server = io->birth->id, .term = past->term, .vote = past->vote};
    int rc = write_past_entries(io, past);

    if (rc == 0)
        rc = storage_write_meta(&io->storage, past->term, past->vote);
    if (rc == 0 && past->snapshot != 0)
        rc = write_past_snapshot(io, past, configuration);
    sn_assert(rc == 0);
    note_past(past);
    tell_past_commitments(io, past);
    if (past->vote != 0) {
        sn_monitor(&one_vote, &voting_event, &voted);
        tell_voted(&voted);
    }
}

/* ---- Time, chance, work --------------------------------------------------------------------- */

static raft_time io_method_time(struct raft_io *raft_io)
{
    const struct io *io = raft_io->impl;

    return io->now_ms;
}

/* Time is looked at when a heartbeat is due, so finer values would make no difference. */
static int io_method_random(struct raft_io *raft_io, int min, int max)
{
    (void)raft_io;
    if (max - min < HEARTBEAT_MS)
        return min;
    return min +
           HEARTBEAT_MS * (int)sn_choose("election timeout", (uint64_t)(max - min) / HEARTBEAT_MS);
}

static int io_method_async_work(struct raft_io *raft_io, struct raft_io_async_work *req,
                                raft_io_async_work_cb cb)
{
    struct io *io = raft_io->impl;

    req->cb = cb;
    io->works = with_room(io->works, io->work_count, &io->work_room, sizeof(*io->works));
    io->works[io->work_count++] = req;
    sn_send(sn_self(), &worked_event, NULL);
    return 0;
}

void io_worked(struct io *io)
{
    if (io->work_count == 0)
        return;

    struct raft_io_async_work *first = io->works[0];

    io->work_count--;
    memmove(io->works, io->works + 1, io->work_count * sizeof(io->works[0]));
    first->cb(first, first->work(first));
}

/* ---- End ------------------------------------------------------------------------------------ */

static void io_method_close(struct raft_io *raft_io, raft_io_close_cb cb)
{
    struct io *io = raft_io->impl;

    io->close_cb = cb;
    sn_send(sn_self(), &closed_event, NULL);
}

/* Whatever is still to be reported is reported as cancelled, and then that nothing is left. */
void io_closed(struct io *io)
{
    if (io->close_cb == NULL)
        return;
    while (io->work_count != 0)
        io_worked(io); /* which may ask for more */
    for (uint32_t i = 0; i < io->send_count; i++)
        io->sends[i].send->cb(io->sends[i].send, RAFT_CANCELED);
    io->send_count = 0;
    while (io->queue_count != 0) {
        struct disk_request first = take_request(io);

        complete(io, &first, RAFT_CANCELED);
    }
    if (io->put.put != NULL)
        io->put.put->cb(io->put.put, RAFT_CANCELED);
    io->put.put = NULL;
    for (uint32_t i = 0; i < io->get_count; i++)
        io->gets[i]->cb(io->gets[i], NULL, RAFT_CANCELED);
    io->get_count = 0;
    io->close_cb(&io->io);
}

void io_init(struct io *io, const struct server_birth *birth)
{
    *io = (struct io){.birth = birth};
    io->io = (struct raft_io){
        .version = 2,
        .impl = io,
        .init = io_method_init,
        .close = io_method_close,
        .load = io_method_load,
        .start = io_method_start,
        .bootstrap = io_method_bootstrap,
        .recover = io_method_recover,
        .set_term = io_method_set_term,
        .set_vote = io_method_set_vote,
        .send = io_method_send,
        .append = io_method_append,
        .truncate = io_method_truncate,
        .snapshot_put = io_method_snapshot_put,
        .snapshot_get = io_method_snapshot_get,
        .time = io_method_time,
        .random = io_method_random,
        .async_work = io_method_async_work,
    };
}
