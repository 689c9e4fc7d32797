/* scenarios.c - who takes part in a trial. SPDX-License-Identifier: MIT */
#include "scenarios.h"

#include "../noise/noise.h"
#include "machines.h"

struct scenario {
    uint32_t servers;
    uint32_t members; /* the first of them */
    uint32_t batch;
    uint32_t snapshot_entries;
    uint32_t clients;
    uint32_t duties[CLIENTS_MAX];
    uint32_t keys;
    uint32_t operations; /* of each client */
    bool is_promised;    /* to end them all */
};

static sn_id create_server(const struct scenario *scenario, uint32_t id)
{
    bool is_member = id <= scenario->members;
    struct server_birth birth = {
        .id = id,
        .servers = scenario->servers,
        .members = is_member ? (UINT32_C(1) << scenario->members) - 1 : 0,
        .batch = scenario->batch,
        .snapshot_entries = scenario->snapshot_entries,
    };
    sn_node node = sn_node_new("server-%u", id);
    sn_id server = sn_create_on(node, &raft_server, &birth);

    sn_set_name(server, "S%u", id);
    sn_assert(node == id);
    return server;
}

/* Clients are on nodes of their own, so that a partition cuts them off too. */
static sn_id create_client(const struct scenario *scenario, uint32_t id)
{
    struct client_birth birth = {
        .id = id,
        .servers = scenario->servers,
        .duties = scenario->duties[id - 1],
        .keys = scenario->keys,
        .operations = scenario->operations,
        .is_promised = scenario->is_promised,
    };
    sn_node node = sn_node_new("client-%u", id);
    sn_id client = sn_create_on(node, &raft_client, &birth);

    sn_node_never_crash(node);
    sn_set_name(client, "C%u", id);
    return client;
}

static void run(const struct scenario *scenario)
{
    struct director_birth birth = {.servers = scenario->servers, .clients = scenario->clients};
    sn_id director = sn_create(&raft_director, &birth);

    sn_set_name(director, "Director");
    for (uint32_t id = 1; id <= scenario->servers; id++) {
        sn_id server = create_server(scenario, id);

        sn_assert(server == director + id);
    }
    for (uint32_t id = 1; id <= scenario->clients; id++) {
        sn_id client = create_client(scenario, id);

        sn_assert(client == director + scenario->servers + id);
    }
    noise_start(10 * MILLISECOND);
}

void scenario_election(void)
{
    static const struct scenario scenario = {
        .servers = 5,
        .members = 5,
        .clients = 1,
        .duties = {DUTY_WRITE},
        .keys = 1,
        .operations = 8,
    };

    run(&scenario);
}

void scenario_replication(void)
{
    static const struct scenario scenario = {
        .servers = 5,
        .members = 5,
        .batch = 1,
        .clients = 2,
        .duties = {DUTY_WRITE, DUTY_WRITE},
        .keys = 1,
        .operations = 8,
    };

    run(&scenario);
}

void scenario_trio(void)
{
    static const struct scenario scenario = {
        .servers = 3,
        .members = 3,
        .clients = 2,
        .duties = {DUTY_WRITE, DUTY_WRITE},
        .keys = 1,
        .operations = 8,
    };

    run(&scenario);
}

void scenario_snapshot(void)
{
    static const struct scenario scenario = {
        .servers = 5,
        .members = 5,
        .batch = 2,
        .snapshot_entries = 3,
        .clients = 2,
        .duties = {DUTY_WRITE, DUTY_WRITE},
        .keys = 1,
        .operations = 8,
    };

    run(&scenario);
}

void scenario_membership(void)
{
    static const struct scenario scenario = {
        .servers = 5,
        .members = 4,
        .batch = 2,
        .clients = 3,
        .duties = {DUTY_WRITE, DUTY_CHANGE, DUTY_CHANGE},
        .keys = 1,
        .operations = 6,
    };

    run(&scenario);
}

void scenario_reads(void)
{
    static const struct scenario scenario = {
        .servers = 5,
        .members = 5,
        .batch = 2,
        .clients = 2,
        .duties = {DUTY_WRITE | DUTY_READ, DUTY_WRITE | DUTY_READ},
        .keys = 1,
        .operations = 8,
    };

    run(&scenario);
}

void scenario_all(void)
{
    static const struct scenario scenario = {
        .servers = 5,
        .members = 4,
        .batch = 2,
        .snapshot_entries = 5,
        .clients = 3,
        .duties = {DUTY_WRITE | DUTY_READ, DUTY_WRITE | DUTY_READ, DUTY_CHANGE},
        .keys = 2,
        .operations = 8,
    };

    run(&scenario);
}

void scenario_commands(void)
{
    static const struct scenario scenario = {
        .servers = 5,
        .members = 5,
        .snapshot_entries = 8,
        .clients = 2,
        .duties = {DUTY_WRITE | DUTY_READ, DUTY_WRITE},
        .keys = 2,
        .operations = 5,
        .is_promised = true,
    };

    run(&scenario);
}
