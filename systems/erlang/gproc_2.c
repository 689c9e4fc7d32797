/* gproc_2.c - a name is registered for a process on another node, which may not have joined yet
 * (gproc, uwiger).
 *
 * A process on node 1 registers a name for one on another node. Once it was told that this is done,
 * the name must be there, on all nodes; also after it was registered once more, and until it is
 * taken away.
 *
 * SPDX-License-Identifier: MIT
 */
#include "leader_client.h"
#include "tests.h"

enum {
    HERE = 1,
    THERE = 2, /* the node of the process, and so its name */
    NOISE_POINTS = 90,
};

static void look_everywhere(bool is_expected)
{
    uint32_t node = leader_client_look(ALL_NODES, THERE, is_expected);

    sn_assertf(node == 0, "the name is %s on node %u", is_expected ? "not there" : "still there",
               node);
}

static void test(const void *payload)
{
    struct leader_birth birth = {.noise_points = NOISE_POINTS, .is_calling = true};
    sn_id nodes[NODES + 1];

    (void)payload;
    noise_before();
    leader_client_start(birth, nodes);
    (void)leader_client_ask(HERE, REQUEST_REGISTER, THERE);
    look_everywhere(true);
    (void)leader_client_ask(HERE, REQUEST_REGISTER, THERE);
    look_everywhere(true);
    (void)leader_client_ask(HERE, REQUEST_UNREGISTER, THERE);
    look_everywhere(false);
    noise_after();
}

static const struct sn_process test_process = {.name = "Test", .run = test};

void gproc_2_run(void)
{
    (void)sn_spawn(&test_process, NULL);
}
