/* queue.c - values leave in the order in which they came. SPDX-License-Identifier: MIT */
#include "linear/models/models.h"

static enum sn_step step(void *state, const struct sn_operation *op, uint32_t choice)
{
    struct row *row = state;

    (void)choice;
    return op->function == CONTAINER_TAKE ? row_take(row, 0, op) : row_put(row, row->n, op);
}

const struct sn_model sn_model_queue = {
    .name = "queue",
    .about = "first in, first out: enqueue, dequeue",
    .functions = (const struct sn_function[]){{"enqueue", false}, {"dequeue", false}, {0}},
    .state_size = sizeof(struct row),
    .room = row_room,
    .used = row_used,
    .step = step,
    .is_partitioned = true,
    .print = row_print,
    .observes = row_found_nothing,
};
