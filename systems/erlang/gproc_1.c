/* gproc_1.c - three nodes start, and a name is registered (gproc, uwiger).
 *
 * The test is that of the registry's authors: the name must be there, on all nodes, once the leader
 * has answered and all nodes are in step, and must be gone when it was taken away.
 *
 * SPDX-License-Identifier: MIT
 */
#include "leader_client.h"
#include "tests.h"

enum {
    A_NAME = 1,
    NOISE_POINTS = 58,
};

static void look_everywhere(bool is_expected)
{
    uint32_t node = leader_client_look(ALL_NODES, A_NAME, is_expected);

    sn_assertf(node == 0, "the name is %s on node %u", is_expected ? "not there" : "still there",
               node);
}

static void test(const void *payload)
{
    sn_id nodes[NODES + 1];

    (void)payload;
    noise_before();
    leader_client_start((struct leader_birth){.noise_points = NOISE_POINTS}, nodes);
    (void)leader_client_ask(1, REQUEST_REGISTER, A_NAME);
    look_everywhere(true);
    (void)leader_client_ask(1, REQUEST_UNREGISTER, A_NAME);
    look_everywhere(false);
    noise_after();
}

static const struct sn_process test_process = {.name = "Test", .run = test};

void gproc_1_run(void)
{
    (void)sn_spawn(&test_process, NULL);
}
