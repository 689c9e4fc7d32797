/* register.c - one value that is read and written. SPDX-License-Identifier: MIT */
#include "linear/models/models.h"

static enum sn_step step(void *state, const struct sn_operation *op, uint32_t choice)
{
    sn_value *value = state;

    (void)choice;
    if (op->function == REGISTER_WRITE) {
        *value = op->argument[0];
        return SN_STEP_TAKEN;
    }
    return !is_completed(op) || op->result == *value ? SN_STEP_TAKEN : SN_STEP_REFUSED;
}

static bool hides(const struct sn_operation *earlier, const struct sn_operation *later)
{
    return earlier->function == REGISTER_WRITE && later->function == REGISTER_WRITE;
}

const struct sn_model sn_model_register = {
    .name = "register",
    .about = "one value: read, write",
    .functions = (const struct sn_function[]){{"read", true}, {"write", false}, {0}},
    .state_size = sizeof(sn_value),
    .init = value_init,
    .step = step,
    .is_partitioned = true,
    .print = value_print,
    .hides = hides,
};
