/* server_machine.c - the machine around a server.
 *
 * Each life of the server has a boot number, which its disk keeps. Monitors hear of what a server
 * has done before anybody else can: a node may crash at any message that it sends, and what was
 * sent by then counts.
 *
 * SPDX-License-Identifier: MIT
 */
#include "machines.h"
#include "server.h"

struct machine {
    struct member_birth birth;
    struct server server;
    uint32_t count; /* told to the monitors */
    uint32_t stable;
    bool is_synced;
};

/* ---- What monitors are told ----------------------------------------------------------------- */

static void tell_status(const struct machine *machine, const struct sn_event *event)
{
    struct server_notice notice = {
        .server = (uint32_t)machine->birth.number,
        .boot = machine->server.config.boot,
        .stable = machine->stable,
        .is_synced = machine->is_synced,
    };

    sn_monitor(&chain_monitor, event, &notice);
    if (machine->birth.cluster->has_answers_monitor)
        sn_monitor(&answers_monitor, event, &notice);
}

/* Whatever has changed since the last time. */
static void tell(struct machine *machine)
{
    const struct server *server = &machine->server;

    while (machine->count < server->count) {
        struct apply apply = {
            .server = (uint32_t)machine->birth.number,
            .boot = server->config.boot,
            .sequence = machine->count + 1,
            .update = server->history[machine->count],
        };

        machine->count++;
        sn_monitor(&chain_monitor, &apply_event, &apply);
    }
    if (machine->stable != server->stable || machine->is_synced != server->is_synced) {
        machine->stable = server->stable;
        machine->is_synced = server->is_synced;
        tell_status(machine, &status_event);
    }
}

/* ---- The world of the component ------------------------------------------------------------- */

static void boot(struct machine *machine);

static void io_send_heartbeat(void *self, const struct chain_heartbeat *heartbeat)
{
    struct machine *machine = self;

    sn_send(machine->birth.cluster->master, &heartbeat_event, heartbeat);
}

static void io_send_segment(void *self, uint32_t to, const struct chain_segment *segment)
{
    struct machine *machine = self;

    tell(machine);
    sn_send(machine->birth.cluster->servers[to], &segment_event, segment);
}

static void io_reply(void *self, uint32_t client, const struct chain_reply *reply)
{
    struct machine *machine = self;
    struct commit commit = {
        .server = (uint32_t)machine->birth.number,
        .sequence = reply->sequence,
        .update = {.client = client, .request = reply->request, .value = reply->value},
    };

    tell(machine);
    if (reply->kind == CHAIN_UPDATE)
        sn_monitor(&chain_monitor, &commit_event, &commit);
    sn_send(machine->birth.cluster->clients[client], &reply_event, reply);
}

static uint32_t io_now_ms(void *self)
{
    (void)self;
    return clock_ms();
}

static void io_start_again(void *self)
{
    sn_note("outside the chain: starts again with nothing");
    boot(self);
}

static const struct server_io server_io = {
    .send_heartbeat = io_send_heartbeat,
    .send_segment = io_send_segment,
    .reply = io_reply,
    .now_ms = io_now_ms,
    .start_again = io_start_again,
};

/* ---- The machine ---------------------------------------------------------------------------- */

/* There are no disk errors in this suite. */
static uint32_t next_boot(void)
{
    static const char *const file = "boot";
    uint32_t number = 0;
    int64_t n = sn_disk_read(file, 0, &number, sizeof(number));
    int rc;

    number = n == sizeof(number) ? number + 1 : 1;
    rc = sn_disk_write(file, 0, &number, sizeof(number));
    sn_assert(rc >= 0);
    rc = sn_disk_sync(file);
    sn_assert(rc >= 0);
    return number;
}

static void boot(struct machine *machine)
{
    struct server_config config = {
        .server = (uint32_t)machine->birth.number,
        .boot = next_boot(),
        .lease_ms = LEASE_MS,
        .skip_resend = bug_no_resend,
        .skip_ack = bug_silent_tail,
        .forget_earlier_heads = bug_applied_twice,
        .ignore_lease = bug_no_lease,
        .answer_as_old_tail = bug_old_tail,
    };
    bool is_first = config.boot == 1;

    machine->count = machine->stable = 0;
    machine->is_synced = is_first;
    machine->server.config = config;
    tell_status(machine, &born_event);
    server_init(&machine->server, &config, is_first ? &machine->birth.cluster->chain : NULL,
                &server_io, machine);
}

static void start(void *self, const void *payload)
{
    struct machine *machine = self;

    machine->birth = *(const struct member_birth *)payload;
    sn_send(machine->birth.cluster->driver, &hello_event, NULL);
    boot(machine);
    server_on_tick(&machine->server);
    start_tick(SERVER_TICK_MS);
}

static void on_tick(void *self, const void *payload)
{
    struct machine *machine = self;

    (void)payload;
    server_on_tick(&machine->server);
    start_tick(SERVER_TICK_MS);
}

static void on_state(void *self, const void *payload)
{
    struct machine *machine = self;

    server_on_state(&machine->server, payload);
    tell(machine);
}

static void on_segment(void *self, const void *payload)
{
    struct machine *machine = self;

    server_on_segment(&machine->server, payload);
    tell(machine);
}

static void on_request(void *self, const void *payload)
{
    struct machine *machine = self;

    server_on_request(&machine->server, payload);
    tell(machine);
}

static const struct sn_on running_on[] = {
    {.event = &tick_event, .run = on_tick},
    {.event = &state_event, .run = on_state},
    {.event = &segment_event, .run = on_segment},
    {.event = &request_event, .run = on_request},
    {0},
};

static const struct sn_state running = {.name = "Running", .entry = start, .on = running_on};

static const struct sn_field memory[] = {SN_FIELD(struct machine, server.chain.epoch, SN_UINT),
                                         SN_FIELD(struct machine, server.count, SN_UINT),
                                         SN_FIELD(struct machine, server.stable, SN_UINT),
                                         SN_FIELD(struct machine, server.is_synced, SN_BOOL),
                                         SN_FIELD(struct machine, server.is_down_ready, SN_BOOL),
                                         SN_FIELD(struct machine, server.lease_until_ms, SN_UINT),
                                         {0}};

const struct sn_machine server_machine = {
    .name = "Server",
    .size = sizeof(struct machine),
    .start = &running,
    .birth = &member_birth_event,
    .fields = memory,
};
