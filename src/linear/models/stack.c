/* stack.c - the value that came last leaves first. SPDX-License-Identifier: MIT */
#include "linear/models/models.h"

static enum sn_step step(void *state, const struct sn_operation *op, uint32_t choice)
{
    struct row *row = state;

    (void)choice;
    return op->function == CONTAINER_TAKE ? row_take(row, row->n == 0 ? 0 : row->n - 1, op)
                                          : row_put(row, row->n, op);
}

const struct sn_model sn_model_stack = {
    .name = "stack",
    .about = "last in, first out: push, pop",
    .functions = (const struct sn_function[]){{"push", false}, {"pop", false}, {0}},
    .state_size = sizeof(struct row),
    .room = row_room,
    .used = row_used,
    .step = step,
    .is_partitioned = true,
    .print = row_print,
    .observes = row_found_nothing,
};
