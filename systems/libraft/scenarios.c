/* scenarios.c - who takes part in the tests. SPDX-License-Identifier: MIT */
#include "scenarios.h"

#include "machines.h"
#include "past.h"

enum { ANY_OPERATION = DUTY_WRITE | DUTY_READ | DUTY_BARRIER_READ };

struct scenario {
    struct server_birth server; /* for all of them, but for the id */
    uint32_t clients;
    uint32_t operations; /* of each client */
    uint32_t operators;
    uint32_t tasks;  /* of operators, a set */
    uint32_t orders; /* of each operator */
    uint32_t spared; /* the first so many servers, which operators leave alone */
    bool has_past;   /* logs differ from the start */
};

static void create_server(const struct scenario *scenario, sn_id director, uint32_t id)
{
    struct server_birth birth = scenario->server;
    sn_node node = sn_node_new("server-%u", id);

    birth.id = id;
    if (id > birth.members)
        birth.members = 0;

    sn_id server = sn_create_on(node, &libraft_server, &birth);

    sn_set_name(server, "S%u", id);
    sn_assert(node == id && server == director + id);
}

static void create_client(const struct scenario *scenario, sn_id director, uint32_t id)
{
    bool is_operator = id > scenario->clients;
    struct client_birth birth = {
        .id = id,
        .servers = scenario->server.servers,
        .duties = is_operator ? scenario->tasks : (uint32_t)ANY_OPERATION,
        .operations = is_operator ? scenario->orders : scenario->operations,
        .is_impatient = scenario->server.is_impatient,
        .spared = scenario->spared,
    };
    sn_id client = sn_create(is_operator ? &libraft_operator : &libraft_client, &birth);

    sn_set_name(client, "%c%u", is_operator ? 'O' : 'C', id);
    sn_assert(client == director + birth.servers + id);
}

/* For people: draws are hard to read. */
static void note_past(uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        const struct past_leader *did = past_leader(i);

        sn_note("server %u led term %u, wrote %u, and got all it had to %u other%s", did->id,
                did->term, did->written, did->count, did->count == 1 ? "" : "s");
    }
}

static void run(const struct scenario *scenario)
{
    struct director_birth birth = {
        .servers = scenario->server.servers,
        .clients = scenario->clients + scenario->operators,
    };

    sn_id director = sn_create(&libraft_director, &birth);

    sn_set_name(director, "Director");
    if (scenario->has_past)
        note_past(past_draw());
    for (uint32_t id = 1; id <= birth.servers; id++)
        create_server(scenario, director, id);
    for (uint32_t id = 1; id <= birth.clients; id++)
        create_client(scenario, director, id);
}

static const struct scenario trio = {
    .server = {.servers = 3, .members = 3},
    .clients = 2,
    .operations = 4,
};

void scenario_trio(void)
{
    run(&trio);
}

void scenario_quintet(void)
{
    struct scenario scenario = trio;

    scenario.server.servers = 5;
    scenario.server.members = 5;
    run(&scenario);
}

void scenario_late_sends(void)
{
    struct scenario scenario = trio;

    scenario.server.has_late_sends = 1;
    run(&scenario);
}

void scenario_pre_vote(void)
{
    struct scenario scenario = trio;

    scenario.server.pre_vote = 1;
    run(&scenario);
}

void scenario_impatient(void)
{
    struct scenario scenario = trio;

    scenario.server.is_impatient = 1;
    run(&scenario);
}

static const struct scenario snapshots = {
    .server = {.servers = 3, .members = 3, .threshold = 3, .trailing = 1},
    .clients = 2,
    .operations = 6,
};

void scenario_snapshots(void)
{
    run(&snapshots);
}

void scenario_async_snapshots(void)
{
    struct scenario scenario = snapshots;

    scenario.server.has_async_work = 1;
    run(&scenario);
}

/* Without a past it takes hundreds of steps until the logs of five servers differ like this. A
 * snapshot that ends early hits more logs that differ there. */
void scenario_diverged(void)
{
    struct scenario scenario = snapshots;

    scenario.server.servers = PAST_SERVERS;
    scenario.server.members = PAST_SERVERS;
    scenario.server.threshold = PAST_SNAPSHOT + 1; /* with the configuration */
    scenario.has_past = true;
    run(&scenario);
}

void scenario_transfer(void)
{
    struct scenario scenario = trio;

    scenario.operators = 1;
    scenario.tasks = TASK_TRANSFER;
    scenario.orders = 5;
    run(&scenario);
}

void scenario_membership(void)
{
    struct scenario scenario = trio;

    scenario.server.servers = 5;
    scenario.operators = 2;
    scenario.tasks = TASK_ADD | TASK_ASSIGN | TASK_REMOVE;
    scenario.orders = 6;
    run(&scenario);
}

void scenario_changing_snapshots(void)
{
    struct scenario scenario = snapshots;

    scenario.server.servers = 4;
    scenario.operators = 1;
    scenario.tasks = TASK_ADD | TASK_ASSIGN | TASK_REMOVE;
    scenario.orders = 6;
    run(&scenario);
}

/* Two of five servers come and go. Whoever takes three of them for all can be elected by two, while
 * the other three are a majority of all. */
void scenario_coming_and_going(void)
{
    struct scenario scenario = snapshots;

    scenario.server.servers = 5;
    scenario.server.members = 4;
    scenario.operations = 10;
    scenario.operators = 1;
    scenario.tasks = TASK_ADD | TASK_ASSIGN | TASK_REMOVE;
    scenario.orders = 10;
    scenario.spared = 3;
    run(&scenario);
}

void scenario_closing(void)
{
    struct scenario scenario = trio;

    scenario.operators = 1;
    scenario.tasks = TASK_CLOSE;
    scenario.orders = 4;
    run(&scenario);
}

void scenario_all(void)
{
    struct scenario scenario = snapshots;

    scenario.server.servers = 5;
    scenario.operators = 2;
    scenario.tasks = TASK_TRANSFER | TASK_ADD | TASK_ASSIGN | TASK_REMOVE | TASK_CLOSE;
    scenario.orders = 5;
    run(&scenario);
}
