/* client_machine.c - the machine around a client: updates and queries, as the strategy likes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "client.h"
#include "machines.h"

enum { REQUESTS = 5 };

struct machine {
    struct member_birth birth;
    struct client client;
    uint32_t asked;
    sn_timer timer;
};

static void tell(const struct machine *machine, const struct sn_machine *monitor,
                 const struct sn_event *event, const struct chain_reply *reply)
{
    struct client_notice notice = {
        .client = (uint32_t)machine->birth.number,
        .kind = machine->client.request.kind,
    };

    if (reply != NULL) {
        notice.sequence = reply->sequence;
        notice.value = reply->value;
    }
    sn_monitor(monitor, event, &notice);
}

static void finish(const struct machine *machine)
{
    if (machine->birth.cluster->has_answers_monitor)
        tell(machine, &answers_monitor, &client_done_event, NULL);
    sn_send(machine->birth.cluster->driver, &done_event, NULL);
    sn_halt();
}

/* Values tell who wrote them, and when. */
static void ask(struct machine *machine)
{
    if (machine->asked == REQUESTS) {
        finish(machine);
        return;
    }
    tell(machine, &order_monitor, &asked_event, NULL);
    machine->asked++;
    client_request(&machine->client, sn_maybe("query") ? CHAIN_QUERY : CHAIN_UPDATE,
                   (uint32_t)machine->birth.number * 100 + machine->asked);
    machine->timer = start_tick(CLIENT_TIMEOUT_MS);
}

static void io_send_request(void *self, uint32_t server, const struct chain_request *request)
{
    const struct machine *machine = self;

    sn_send(machine->birth.cluster->servers[server], &request_event, request);
}

static void io_ask_master(void *self)
{
    const struct machine *machine = self;

    sn_send(machine->birth.cluster->master, &where_event, NULL);
}

static void io_answered(void *self, const struct chain_reply *reply)
{
    struct machine *machine = self;

    (void)sn_timer_cancel(machine->timer);
    tell(machine, &order_monitor, &answered_event, reply);
    ask(machine);
}

static const struct client_io client_io = {
    .send_request = io_send_request,
    .ask_master = io_ask_master,
    .answered = io_answered,
};

static void start(void *self, const void *payload)
{
    struct machine *machine = self;

    machine->birth = *(const struct member_birth *)payload;
    client_init(&machine->client, (uint32_t)machine->birth.number, &machine->birth.cluster->chain,
                &client_io, machine);
    ask(machine);
}

static void on_tick(void *self, const void *payload)
{
    struct machine *machine = self;

    (void)payload;
    client_on_timeout(&machine->client);
    machine->timer = start_tick(CLIENT_TIMEOUT_MS);
}

static void on_reply(void *self, const void *payload)
{
    struct machine *machine = self;

    client_on_reply(&machine->client, payload);
}

static void on_state(void *self, const void *payload)
{
    struct machine *machine = self;

    client_on_state(&machine->client, payload);
}

static const struct sn_on running_on[] = {
    {.event = &tick_event, .run = on_tick},
    {.event = &reply_event, .run = on_reply},
    {.event = &state_event, .run = on_state},
    {0},
};

static const struct sn_state running = {.name = "Running", .entry = start, .on = running_on};

const struct sn_machine client_machine = {
    .name = "Client",
    .size = sizeof(struct machine),
    .start = &running,
    .birth = &member_birth_event,
};
