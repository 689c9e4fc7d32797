/* priority_queue.c - the smallest value leaves first, so the row is sorted.
 * SPDX-License-Identifier: MIT
 */
#include "linear/models/models.h"

static enum sn_step step(void *state, const struct sn_operation *op, uint32_t choice)
{
    struct row *row = state;

    (void)choice;
    return op->function == CONTAINER_TAKE ? row_take(row, 0, op)
                                          : row_put(row, row_find(row, op->argument[0]), op);
}

const struct sn_model sn_model_priority_queue = {
    .name = "priority-queue",
    .about = "the smallest first: enqueue, dequeue",
    .functions = (const struct sn_function[]){{"enqueue", false}, {"dequeue", false}, {0}},
    .state_size = sizeof(struct row),
    .room = row_room,
    .used = row_used,
    .step = step,
    .is_partitioned = true,
    .print = row_print,
    .observes = row_found_nothing,
};
