/* leader_client.c - what the tests of the registry have in common: nodes start, and are asked.
 *
 * SPDX-License-Identifier: MIT
 */
#include "leader_client.h"

enum {
    RETRIES = 3,
};

static const uint64_t retry_ns = UINT64_C(1000000000);

void leader_client_start(struct leader_birth birth, sn_id nodes[NODES + 1])
{
    birth.starter = sn_self();
    for (birth.node = 1; birth.node <= NODES; birth.node++) {
        nodes[birth.node] = sn_spawn(&leader_process, &birth);
        sn_set_name(nodes[birth.node], "node%u", birth.node);
    }
    noise_beside();
    for (uint32_t node = 1; node <= NODES; node++)
        (void)sn_receive_event(&started_event, SN_FOREVER);
}

struct answer leader_client_ask(uint32_t node, enum request_kind kind, uint32_t name)
{
    struct request request = {.kind = kind, .name = name, .client = sn_self()};
    char process[LEADER_NAME_SIZE];

    leader_name(node, process);
    sn_send_name(process, &request_event, &request);
    return *(const struct answer *)sn_receive_event(&answer_event, SN_FOREVER)->payload;
}

uint32_t leader_client_look(uint32_t nodes, uint32_t name, bool is_expected)
{
    for (uint32_t node = 1; node <= NODES; node++) {
        bool is_there = !is_expected;

        if ((nodes >> node & 1) == 0)
            continue;
        for (int i = 0; i < RETRIES && is_there != is_expected; i++) {
            if (i > 0)
                sn_sleep_ns(retry_ns);
            (void)leader_client_ask(node, REQUEST_SYNC, name);
            is_there = leader_client_ask(node, REQUEST_LOOKUP, name).is_there != 0;
        }
        if (is_there != is_expected)
            return node;
    }
    return 0;
}
