/* server_machine.c - the machine around one server of the library.
 *
 * It is thin: events become calls of the library, and what the library asks for becomes events
 * (io.c). What it lets an observer see goes to the monitors (witness.c).
 *
 * SPDX-License-Identifier: MIT
 */
#include "events.h"
#include "fsm.h"
#include "heap.h"
#include "io.h"
#include "repairs.h"
#include "wire.h"
#include "witness.h"

#include <stdlib.h>
#include <string.h>

enum {
    REOPEN_MS = 200,
    FIRST_TERM = 2, /* with an election: a configuration begins term 1 */
};

struct server {
    struct server_birth birth;
    struct raft raft;
    struct io io;
    struct machine machine;
    struct witness witness;
    uint64_t ticks;
    uint64_t waits; /* timers that were not ticks */
    bool is_over;   /* closed, for good */
};

/* A request that the library has accepted. It outlives a crash of the server, as memory of the
 * trial does, but nobody knows it then. */
struct pending {
    struct server *server;
    struct request request;
    union {
        struct raft_apply apply;
        struct raft_barrier barrier;
        struct raft_change change;
        struct raft_transfer transfer;
    };
};

static const struct sn_state running;
static const struct sn_state closed;

static void close_server(struct server *server);

/* ---- Steps ---------------------------------------------------------------------------------- */

static void begin_step(struct server *server)
{
    heap_enter(server->birth.id);
    server->io.now_ms =
        server->birth.is_impatient != 0 ? server->ticks * HEARTBEAT_MS : sn_now_ns() / MILLISECOND;
}

static bool is_closing(const struct server *server)
{
    return server->io.close_cb != NULL;
}

/* A process that cannot go on because of its disk ends, and is started again. One whose library
 * says that it is out of order closes it first. */
static void end_step(struct server *server)
{
    io_flush(&server->io);
    witness_look(&server->witness, &server->raft, &server->io);
    if (server->io.is_broken)
        sn_goto(&closed);
    else if (raft_state(&server->raft) == RAFT_UNAVAILABLE)
        close_server(server);
}

/* ---- Start ---------------------------------------------------------------------------------- */

static void bootstrap(struct server *server)
{
    struct raft_configuration configuration;
    int rc = 0;

    if (server->birth.members == 0 || server->io.storage.term != 0)
        return;
    raft_configuration_init(&configuration);
    for (uint32_t id = 1; id <= server->birth.members && rc == 0; id++)
        rc = raft_configuration_add(&configuration, id, wire_address(id), RAFT_VOTER);
    sn_assert(rc == 0);
    rc = raft_bootstrap(&server->raft, &configuration);
    sn_assertf(rc == 0 || rc == RAFT_IOERR, "raft_bootstrap: %s", raft_strerror(rc));
    if (rc == 0 && past_of(server->birth.id)->term != 0)
        io_begin_with(&server->io, past_of(server->birth.id), &configuration);
    raft_configuration_close(&configuration);
}

static void start_timer(void)
{
    sn_timer_start(&tick_event, HEARTBEAT_MS * MILLISECOND, NULL);
}

/* Whether a timer is one that makes no tick. */
static bool is_patient(struct server *server)
{
    return server->birth.is_impatient != 0 && server->ticks >= IMPATIENT_TICKS &&
           ++server->waits % PATIENCE != 0;
}

static void set_up(struct server *server)
{
    struct raft *raft = &server->raft;

    raft_set_heartbeat_timeout(raft, HEARTBEAT_MS);
    raft_set_election_timeout(raft, ELECTION_MS);
    raft_set_install_snapshot_timeout(raft, ELECTION_MS);
    raft_set_pre_vote(raft, server->birth.pre_vote != 0);
    if (server->birth.threshold != 0) {
        raft_set_snapshot_threshold(raft, server->birth.threshold);
        raft_set_snapshot_trailing(raft, server->birth.trailing);
    }
}

static void start(struct server *server)
{
    struct call call = {.server = server->birth.id};

    heap_begin(server->birth.id);
    sn_monitor(&callbacks, &reborn_event, &call);
    io_init(&server->io, &server->birth);
    machine_init(&server->machine, server->birth.id, server->birth.has_async_work != 0);
    begin_step(server);

    int rc = raft_init(&server->raft, &server->io.io, &server->machine.fsm, server->birth.id,
                       wire_address(server->birth.id));

    if (rc == 0) {
        server->raft.data = server;
        set_up(server);
        bootstrap(server);
        rc = raft_start(&server->raft);
    }
    if (rc == RAFT_IOERR) {
        sn_goto(&closed);
        return;
    }
    sn_assertf(rc == 0, "the server cannot be started: %s", raft_strerror(rc));
    repair_start(&server->io);
    witness_begin(&server->witness, &server->raft);
    start_timer();
    end_step(server);
}

static void on_birth(void *self, const void *payload)
{
    struct server *server = self;

    server->birth = *(const struct server_birth *)payload;
    sn_link_order(sn_self(), sn_self(), SN_UNORDERED);
    sn_send(director_of_server(server->birth.id), &started_event, NULL);
    start(server);
}

/* ---- What the library has asked for --------------------------------------------------------- */

static void on_tick(void *self, const void *payload)
{
    struct server *server = self;

    (void)payload;
    if (is_closing(server))
        return;
    if (is_patient(server)) {
        start_timer();
        return;
    }
    server->ticks++;
    begin_step(server);
    repair_candidacy(&server->io);
    if (!server->io.is_broken)
        server->io.tick(&server->io.io);
    start_timer();
    end_step(server);
}

/* Reports one thing to the library. */
static void report(struct server *server, void (*done)(struct io *io))
{
    begin_step(server);
    done(&server->io);
    end_step(server);
}

static void on_log_written(void *self, const void *payload)
{
    (void)payload;
    report(self, io_log_written);
}

static void on_snapshot_written(void *self, const void *payload)
{
    (void)payload;
    report(self, io_snapshot_written);
}

static void on_snapshot_read(void *self, const void *payload)
{
    (void)payload;
    report(self, io_snapshot_read);
}

static void on_sent(void *self, const void *payload)
{
    (void)payload;
    report(self, io_sent);
}

static void on_worked(void *self, const void *payload)
{
    (void)payload;
    report(self, io_worked);
}

/* ---- Messages ------------------------------------------------------------------------------- */

static void receive(struct server *server, unsigned short type, const void *payload)
{
    struct raft_message message;

    if (is_closing(server) || (bugs_wanted.deaf_server && type == RAFT_IO_APPEND_ENTRIES_RESULT))
        return;
    begin_step(server);
    wire_receive(&message, type, sn_sender() - director_of_server(server->birth.id), payload);
    repair_lend_vote(&server->io, type);
    server->io.recv(&server->io.io, &message);
    repair_take_vote_back(&server->io);
    repair_lower_term(&server->io);
    if (bugs_wanted.deliver_twice && type == RAFT_IO_APPEND_ENTRIES)
        server->io.recv(&server->io.io, &message);
    if (bugs_wanted.keep_buffers && type == RAFT_IO_APPEND_ENTRIES)
        (void)raft_malloc(1);
    if (bugs_wanted.count_vote_twice && type == RAFT_IO_REQUEST_VOTE_RESULT &&
        server->raft.current_term == FIRST_TERM) {
        message.server_id = message.server_id % server->birth.servers + 1;
        server->io.recv(&server->io.io, &message);
    }
    end_step(server);
}

static void on_request_vote(void *self, const void *payload)
{
    const struct server *server = self;

    if (is_closing(server) || !repair_has_voted(&server->raft, payload))
        receive(self, RAFT_IO_REQUEST_VOTE, payload);
}

static void on_request_vote_result(void *self, const void *payload)
{
    receive(self, RAFT_IO_REQUEST_VOTE_RESULT, payload);
}

static void on_append_entries(void *self, const void *payload)
{
    struct server *server = self;
    struct append_entries append = *(const struct append_entries *)payload;

    if (is_closing(server))
        return;
    begin_step(server);
    repair_demotion(&append, &server->raft);
    repair_entries(&append, &server->raft.log);
    repair_rollback(&server->io, &append);
    server->io.shown_index = append.prev_index + append.n;
    receive(self, RAFT_IO_APPEND_ENTRIES, &append);
    server->io.shown_index = 0;
    repair_agreement(&server->io, append.term, append.prev_index + append.n,
                     append.n != 0 ? append.entries[append.n - 1].term : append.prev_term);
}

static void on_append_entries_result(void *self, const void *payload)
{
    const struct server *server = self;
    struct raft_append_entries_result result = *(const struct raft_append_entries_result *)payload;

    if (!is_closing(server))
        repair_count(&result, &server->raft);
    receive(self, RAFT_IO_APPEND_ENTRIES_RESULT, &result);
}

static void on_install_snapshot(void *self, const void *payload)
{
    struct server *server = self;
    struct install_snapshot install = *(const struct install_snapshot *)payload;

    if (is_closing(server))
        return;
    server->io.shown_index = install.snapshot.index;
    server->io.shown_term = install.snapshot.term;
    repair_raise_term(&server->io, &install.snapshot);
    if (bugs_wanted.backdate_snapshot &&
        server->raft.log.snapshot.last_index < install.snapshot.index &&
        log_term(&server->raft.log, install.snapshot.index) == install.snapshot.term)
        server->io.shown_term = --install.snapshot.term;
    receive(self, RAFT_IO_INSTALL_SNAPSHOT, &install);
    repair_agreement(&server->io, install.term, install.snapshot.index, server->io.shown_term);
    server->io.shown_index = 0;
    server->io.shown_term = 0;
}

static void on_timeout_now(void *self, const void *payload)
{
    struct server *server = self;

    begin_step(server);
    if (!is_closing(server))
        repair_candidacy(&server->io);
    receive(self, RAFT_IO_TIMEOUT_NOW, payload);
}

/* ---- Requests of clients and operators ------------------------------------------------------ */

static void reply(struct server *server, const struct request *request, struct reply reply)
{
    const char *address;
    raft_id leader = 0;

    if (!is_closing(server))
        raft_leader(&server->raft, &leader, &address);
    reply.id = request->id;
    reply.leader = (uint32_t)leader;
    sn_send(request->client, &reply_event, &reply);
}

/* The library says what became of a request. */
static void answer(struct pending *pending, int status, const struct result *result)
{
    struct server *server = pending->server;
    struct call call = {
        .server = server->birth.id,
        .id = pending->request.id,
        .status = status,
        .answered = result != NULL ? result->command : 0,
    };

    if (bugs_wanted.forget_answer && status == RAFT_LEADERSHIPLOST)
        return;
    sn_monitor(&callbacks, &called_back_event, &call);
    reply(server, &pending->request,
          (struct reply){.status = status, .value = result != NULL ? result->value : 0});
}

static void on_applied(struct raft_apply *req, int status, void *result)
{
    answer(req->data, status, status == 0 ? result : NULL);
}

/* All commands before the barrier are executed: the state is fresh. */
static void on_barrier(struct raft_barrier *req, int status)
{
    struct pending *pending = req->data;
    struct result result = {
        .command = pending->request.id,
        .value = pending->server->machine.registers.values[pending->request.key],
    };

    answer(pending, status, status == 0 ? &result : NULL);
}

static void on_changed(struct raft_change *req, int status)
{
    const struct pending *pending = req->data;

    if (status == 0)
        sn_classify(true, pending->request.ask == ASK_ADD      ? "a server is added"
                          : pending->request.ask == ASK_ASSIGN ? "a server gets another role"
                                                               : "a server is removed");
    answer(req->data, status, NULL);
}

static void on_transferred(struct raft_transfer *req)
{
    const struct pending *pending = req->data;

    sn_classify(raft_state(&pending->server->raft) != RAFT_LEADER, "leadership is transferred");
    answer(req->data, 0, NULL);
}

static void on_applied_again(struct raft_apply *req, int status, void *result)
{
    (void)req;
    (void)status;
    (void)result;
}

static int apply(struct server *server, struct pending *pending)
{
    struct command command = {
        .id = pending->request.id,
        .ask = (uint16_t)pending->request.ask,
        .key = (uint16_t)pending->request.key,
    };
    struct raft_buffer buf = {.base = raft_malloc(sizeof(command)), .len = sizeof(command)};

    memcpy(buf.base, &command, sizeof(command));

    int rc = raft_apply(&server->raft, &pending->apply, &buf, 1, on_applied);

    if (rc != 0)
        raft_free(buf.base);
    else if (bugs_wanted.submit_twice) {
        buf.base = raft_malloc(sizeof(command));
        memcpy(buf.base, &command, sizeof(command));
        (void)raft_apply(&server->raft, sn_alloc(sizeof(struct raft_apply)), &buf, 1,
                         on_applied_again);
    }
    return rc;
}

static int ask_barrier(struct raft *raft, struct pending *pending)
{
    if (bugs_wanted.ask_twice) {
        struct raft_barrier *other = sn_alloc(sizeof(*other));

        other->data = pending;
        (void)raft_barrier(raft, other, on_barrier);
    }
    return raft_barrier(raft, &pending->barrier, on_barrier);
}

static int submit(struct server *server, struct pending *pending)
{
    const struct request *request = &pending->request;
    struct raft *raft = &server->raft;

    switch ((enum ask)request->ask) {
    case ASK_WRITE:
    case ASK_READ:
        pending->apply.data = pending;
        return apply(server, pending);
    case ASK_BARRIER_READ:
        pending->barrier.data = pending;
        return ask_barrier(raft, pending);
    case ASK_TRANSFER:
        pending->transfer.data = pending;
        return raft_transfer(raft, &pending->transfer, request->key, on_transferred);
    case ASK_ADD:
        pending->change.data = pending;
        return raft_add(raft, &pending->change, request->key, wire_address(request->key),
                        on_changed);
    case ASK_ASSIGN:
        pending->change.data = pending;
        return raft_assign(raft, &pending->change, request->key, (int)request->role, on_changed);
    case ASK_REMOVE:
        pending->change.data = pending;
        return raft_remove(raft, &pending->change, request->key, on_changed);
    case ASK_CLOSE:
        break;
    }
    return RAFT_INVALID;
}

/* The library has freed all that it had. Its process is started again unless the trial is over. */
static void on_raft_closed(struct raft *raft)
{
    struct server *server = raft->data;
    struct ended ended = {.server = server->birth.id, .blocks = heap_blocks(server->birth.id)};

    sn_monitor(&no_leak, &ended_event, &ended);
    sn_monitor(&callbacks, &ended_event, &ended);
    sn_goto(&closed);
}

static void close_server(struct server *server)
{
    if (is_closing(server))
        return;
    begin_step(server);
    repair_close(&server->io);
    if (server->io.is_broken) {
        sn_goto(&closed);
        return;
    }
    sn_note("is closed");
    raft_close(&server->raft, on_raft_closed);
}

static bool read_locally(struct server *server, const struct request *request)
{
    if (!bugs_wanted.local_read || request->ask != ASK_BARRIER_READ ||
        raft_state(&server->raft) != RAFT_LEADER)
        return false;
    reply(server, request, (struct reply){.value = server->machine.registers.values[request->key]});
    return true;
}

static void on_request(void *self, const void *payload)
{
    struct server *server = self;
    const struct request *request = payload;

    if (is_closing(server))
        return;
    if (request->ask == ASK_CLOSE) {
        reply(server, request, (struct reply){0});
        close_server(server);
        return;
    }
    if (read_locally(server, request))
        return;

    struct pending *pending = sn_alloc(sizeof(*pending));
    struct call call = {.server = server->birth.id, .id = request->id};

    pending->server = server;
    pending->request = *request;
    begin_step(server);
    sn_monitor(&callbacks, &accepted_event, &call);

    int rc = repair_refuses(&server->raft, request) ? RAFT_BADROLE : submit(server, pending);

    if (rc != 0) {
        call.status = rc;
        sn_monitor(&callbacks, &called_back_event, &call);
        reply(server, request, (struct reply){.is_refused = 1, .status = rc});
    }
    end_step(server);
}

/* ---- End ------------------------------------------------------------------------------------ */

static void on_closed(void *self, const void *payload)
{
    struct server *server = self;

    (void)payload;
    sn_classify(!server->is_over, "a server is closed and comes back");
    begin_step(server);
    io_closed(&server->io);
}

static void on_shutdown(void *self, const void *payload)
{
    struct server *server = self;

    (void)payload;
    server->is_over = true;
    close_server(server);
}

static void enter_closed(void *self, const void *payload)
{
    const struct server *server = self;

    (void)payload;
    if (!server->is_over)
        sn_timer_start(&reopen_event, REOPEN_MS * MILLISECOND, NULL);
}

static void on_reopen(void *self, const void *payload)
{
    const struct server *server = self;

    (void)payload;
    if (!server->is_over)
        sn_goto(&running);
}

static void reopen(void *self, const void *payload)
{
    struct server *server = self;
    struct server_birth birth = server->birth;

    (void)payload;
    *server = (struct server){.birth = birth};
    sn_send(director_of_server(birth.id), &started_event, NULL);
    start(server);
}

static void on_late_shutdown(void *self, const void *payload)
{
    struct server *server = self;

    (void)payload;
    server->is_over = true;
}

static const struct sn_on running_on[] = {
    {.event = &append_entries_event, .run = on_append_entries},
    {.event = &append_entries_result_event, .run = on_append_entries_result},
    {.event = &tick_event, .run = on_tick},
    {.event = &log_written_event, .run = on_log_written},
    {.event = &request_vote_event, .run = on_request_vote},
    {.event = &request_vote_result_event, .run = on_request_vote_result},
    {.event = &request_event, .run = on_request},
    {.event = &install_snapshot_event, .run = on_install_snapshot},
    {.event = &timeout_now_event, .run = on_timeout_now},
    {.event = &snapshot_written_event, .run = on_snapshot_written},
    {.event = &snapshot_read_event, .run = on_snapshot_read},
    {.event = &sent_event, .run = on_sent},
    {.event = &worked_event, .run = on_worked},
    {.event = &closed_event, .run = on_closed},
    {.event = &shutdown_event, .run = on_shutdown},
    {.event = &reopen_event, .ignore = true},
    {0},
};

static const struct sn_on closed_on[] = {
    {.event = &reopen_event, .run = on_reopen},
    {.event = &shutdown_event, .run = on_late_shutdown},
    {.event = &sn_any, .ignore = true},
    {0},
};

static const struct sn_state born = {.name = "Born", .entry = on_birth, .on = running_on};
static const struct sn_state running = {.name = "Running", .entry = reopen, .on = running_on};
static const struct sn_state closed = {.name = "Closed", .entry = enter_closed, .on = closed_on};

static const struct sn_field birth_fields[] = {
    SN_FIELD(struct server_birth, id, SN_UINT),
    SN_FIELD(struct server_birth, members, SN_UINT),
    SN_FIELD(struct server_birth, threshold, SN_UINT),
    SN_FIELD(struct server_birth, trailing, SN_UINT),
    SN_FIELD(struct server_birth, pre_vote, SN_BOOL),
    {0},
};

static const struct sn_event birth_event = {
    .name = "ServerBirth",
    .size = sizeof(struct server_birth),
    .fields = birth_fields,
};

const struct sn_machine libraft_server = {
    .name = "Server",
    .size = sizeof(struct server),
    .start = &born,
    .birth = &birth_event,
};
