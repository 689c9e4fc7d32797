/* evidence_monitor.c - a detector's opinion rests on what has happened in the round that is on.
 *
 * Who has answered in a round was alive at some moment since the round began: an answer is worth
 * nothing otherwise. And nobody is suspected who was not given the whole timeout to answer.
 *
 * SPDX-License-Identifier: MIT
 */
#include "machines.h"

struct monitor {
    uint32_t alive_since_round[NODES_END]; /* of each node's round: a set of nodes */
};

static void on_born(void *self, const void *payload)
{
    struct monitor *monitor = self;
    const struct notice *notice = payload;

    for (uint32_t node = 1; node <= NODES; node++)
        monitor->alive_since_round[node] |= UINT32_C(1) << notice->node;
}

static void on_round(void *self, const void *payload)
{
    struct monitor *monitor = self;
    const struct notice *notice = payload;
    uint32_t alive = 0;

    for (uint32_t node = 1; node <= NODES; node++) {
        if (sn_node_is_up(node))
            alive |= UINT32_C(1) << node;
    }
    monitor->alive_since_round[notice->node] = alive;
}

static void on_answer(void *self, const void *payload)
{
    const struct monitor *monitor = self;
    const struct notice *notice = payload;

    sn_assertf(monitor->alive_since_round[notice->node] >> notice->peer & 1,
               "to node %u, node %u has answered in this round, but it has been down since before",
               notice->node, notice->peer);
}

static void on_suspicion(void *self, const void *payload)
{
    const struct suspicion *suspicion = payload;

    (void)self;
    sn_assertf(suspicion->waited_ms >= suspicion->timeout_ms,
               "node %u suspects node %u after %u ms, not %u", suspicion->node, suspicion->peer,
               suspicion->waited_ms, suspicion->timeout_ms);
}

static const struct sn_on watching_on[] = {
    {.event = &born_event, .run = on_born},
    {.event = &round_event, .run = on_round},
    {.event = &answer_event, .run = on_answer},
    {.event = &suspicion_event, .run = on_suspicion},
    {0},
};

static const struct sn_state watching = {.name = "Watching", .on = watching_on};

const struct sn_machine evidence_monitor = {
    .name = "Evidence",
    .size = sizeof(struct monitor),
    .start = &watching,
};
