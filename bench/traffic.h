/* traffic.h - systems that only send messages around, to measure the engine with.
 *
 * The handler is written once, as an inline function over the way to send, so that the same code
 * runs under the engine and in the bare loop it is compared with. SPDX-License-Identifier: MIT
 */
#ifndef BENCH_TRAFFIC_H
#define BENCH_TRAFFIC_H

#include <stdint.h>

enum { TRAFFIC_NODES_MAX = 64 };

struct traffic_message {
    uint64_t hops;
    uint64_t value;
};

struct traffic_node {
    uint64_t seen;
    uint64_t sum;
    uint32_t number;
    uint32_t n_nodes;
};

/* Where a message goes from here: the next node in a ring, or any node that its value picks. */
static inline __attribute__((always_inline)) void
traffic_forward(struct traffic_node *node, const struct traffic_message *in, int is_gossip,
                void (*send)(uint32_t to, const struct traffic_message *message))
{
    struct traffic_message out = {in->hops + 1, in->value};
    uint32_t to = node->number + 1 == node->n_nodes ? 0 : node->number + 1;

    node->seen++;
    node->sum += in->value;
    if (is_gossip) {
        out.value = in->value * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        to = (uint32_t)((out.value >> 33) * node->n_nodes >> 31);
    }
    send(to, &out);
}

#endif
