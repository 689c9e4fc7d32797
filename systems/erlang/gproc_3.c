/* gproc_3.c - the leader of a registry is stopped while another node has a request (gproc, uwiger).
 *
 * Each node has a name in the registry. While the leader's node is being stopped, a client asks
 * another one to get in step with the others, which takes a leader. It must be answered, and the
 * names must be there, on the nodes that are left.
 *
 * SPDX-License-Identifier: MIT
 */
#include "leader_client.h"
#include "tests.h"

enum {
    NOISE_POINTS = 90,
};

struct victim {
    sn_id leader;
};

static const struct sn_field victim_fields[] = {
    SN_FIELD(struct victim, leader, SN_MACHINE),
    {0},
};

static const struct sn_event victim_event = {
    .name = "Birth",
    .size = sizeof(struct victim),
    .fields = victim_fields,
};

static void stop(const void *payload)
{
    sn_kill(((const struct victim *)payload)->leader, SN_SHUTDOWN);
}

static const struct sn_process stopper_process = {
    .name = "Stopper",
    .run = stop,
    .birth = &victim_event,
};

/* Returns the leader, once all nodes are in step. */
static uint32_t register_names(void)
{
    uint32_t leader;

    for (uint32_t node = 1; node <= NODES; node++)
        (void)leader_client_ask(node, REQUEST_REGISTER, node);
    leader = leader_client_ask(1, REQUEST_LEADER, 0).leader;
    for (uint32_t node = 1; node <= NODES; node++)
        (void)leader_client_ask(node, REQUEST_SYNC, 0);
    return leader;
}

static void test(const void *payload)
{
    struct leader_birth birth = {.noise_points = NOISE_POINTS, .is_calling = true};
    sn_id nodes[NODES + 1];
    struct victim victim;
    uint32_t leader;
    uint32_t rest;

    (void)payload;
    noise_before();
    leader_client_start(birth, nodes);
    leader = register_names();
    rest = ALL_NODES & ~(UINT32_C(1) << leader);
    victim.leader = nodes[leader];
    (void)sn_spawn(&stopper_process, &victim);
    (void)leader_client_ask(leader == 1 ? 2 : 1, REQUEST_SYNC, 0);
    for (uint32_t name = 1; name <= NODES; name++) {
        uint32_t node = name == leader ? 0 : leader_client_look(rest, name, true);

        sn_assertf(node == 0, "name %u is not there on node %u", name, node);
    }
    noise_after();
}

static const struct sn_process test_process = {.name = "Test", .run = test};

void gproc_3_run(void)
{
    (void)sn_spawn(&test_process, NULL);
}
