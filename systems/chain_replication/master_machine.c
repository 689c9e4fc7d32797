/* master_machine.c - the machine around the master, which also tells clients of the chain.
 *
 * SPDX-License-Identifier: MIT
 */
#include "machines.h"
#include "master.h"

struct machine {
    struct member_birth birth;
    struct master master;
};

static void io_send_state(void *self, uint32_t server, const struct chain_state *state)
{
    const struct machine *machine = self;

    sn_send(machine->birth.cluster->servers[server], &state_event, state);
}

static uint32_t io_now_ms(void *self)
{
    (void)self;
    return clock_ms();
}

static void io_changed(void *self, const struct chain *chain)
{
    (void)self;
    sn_monitor(&chain_monitor, &chain_event, chain);
}

static const struct master_io master_io = {
    .send_state = io_send_state,
    .now_ms = io_now_ms,
    .changed = io_changed,
};

static void start(void *self, const void *payload)
{
    struct machine *machine = self;
    struct master_config config = {.server_count = SERVERS, .silence_ms = SILENCE_MS};

    machine->birth = *(const struct member_birth *)payload;
    master_init(&machine->master, &config, &machine->birth.cluster->chain, &master_io, machine);
    start_tick(MASTER_TICK_MS);
}

static void on_tick(void *self, const void *payload)
{
    struct machine *machine = self;

    (void)payload;
    master_on_tick(&machine->master);
    start_tick(MASTER_TICK_MS);
}

static void on_heartbeat(void *self, const void *payload)
{
    struct machine *machine = self;

    master_on_heartbeat(&machine->master, payload);
}

static void on_where(void *self, const void *payload)
{
    const struct machine *machine = self;
    struct chain_state state = {.chain = machine->master.chain};

    (void)payload;
    sn_send(sn_sender(), &state_event, &state);
}

static const struct sn_on running_on[] = {
    {.event = &tick_event, .run = on_tick},
    {.event = &heartbeat_event, .run = on_heartbeat},
    {.event = &where_event, .run = on_where},
    {0},
};

static const struct sn_state running = {.name = "Running", .entry = start, .on = running_on};

const struct sn_machine master_machine = {
    .name = "Master",
    .size = sizeof(struct machine),
    .start = &running,
    .birth = &member_birth_event,
};
