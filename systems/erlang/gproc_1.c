/* gproc_1.c - three nodes start, and a name is registered (gproc, uwiger).
 *
 * The test is that of the registry's authors: the name must be there, on all nodes, once the leader
 * has answered and all nodes are in step, and must be gone when it was taken away.
 *
 * SPDX-License-Identifier: MIT
 */
#include "leader.h"
#include "tests.h"

enum {
    RETRIES = 3,
    A_NAME = 1,
};

static const uint64_t retry_ns = UINT64_C(1000000000);

static bool ask(uint32_t node, enum request_kind kind)
{
    struct request request = {.kind = kind, .name = A_NAME, .client = sn_self()};
    char name[LEADER_NAME_SIZE];
    const struct sn_message *m;

    leader_name(node, name);
    sn_send_name(name, &request_event, &request);
    m = sn_receive_event(&answer_event, SN_FOREVER);
    return ((const struct answer *)m->payload)->is_there != 0;
}

static void look_everywhere(bool is_expected)
{
    for (uint32_t node = 1; node <= NODES; node++) {
        bool is_there = !is_expected;

        for (int i = 0; i < RETRIES && is_there != is_expected; i++) {
            if (i > 0)
                sn_sleep_ns(retry_ns);
            (void)ask(node, REQUEST_SYNC);
            is_there = ask(node, REQUEST_LOOKUP);
        }
        sn_assertf(is_there == is_expected, "the name is %s on node %u",
                   is_there ? "still there" : "not there", node);
    }
}

static void test(const void *payload)
{
    (void)payload;
    noise_before();
    for (uint32_t node = 1; node <= NODES; node++) {
        struct leader_birth birth = {.node = node, .starter = sn_self()};

        sn_set_name(sn_spawn(&leader_process, &birth), "node%u", node);
    }
    noise_beside();
    for (uint32_t node = 1; node <= NODES; node++)
        (void)sn_receive_event(&started_event, SN_FOREVER);
    (void)ask(1, REQUEST_REGISTER);
    look_everywhere(true);
    (void)ask(1, REQUEST_UNREGISTER);
    look_everywhere(false);
    noise_after();
}

static const struct sn_process test_process = {.name = "Test", .run = test};

void gproc_1_run(void)
{
    (void)sn_spawn(&test_process, NULL);
}
