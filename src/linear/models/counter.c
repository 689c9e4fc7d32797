/* counter.c - a number that grows by one, or by any amount; it starts with 0 unless told otherwise.
 * SPDX-License-Identifier: MIT
 */
#include "linear/models/models.h"

#include <string.h>

static sn_value sum(sn_value a, sn_value b)
{
    return (sn_value)((uint64_t)a + (uint64_t)b);
}

static enum sn_step step(void *state, const struct sn_operation *op, uint32_t choice)
{
    sn_value *count = state;
    bool is_plain = op->function == COUNTER_INC || op->argument[0] == SN_VALUE_NIL;

    (void)choice;
    if (op->function == COUNTER_INC || op->function == COUNTER_ADD) {
        *count = sum(*count, is_plain ? 1 : op->argument[0]);
        return SN_STEP_TAKEN;
    }
    return !is_completed(op) || op->result == *count ? SN_STEP_TAKEN : SN_STEP_REFUSED;
}

static enum sn_step fetch_step(void *state, const struct sn_operation *op, uint32_t choice)
{
    sn_value *count = state;

    (void)choice;
    if (is_completed(op) && op->result != *count)
        return SN_STEP_REFUSED;
    if (op->function == FETCH_ADD)
        *count = sum(*count, op->argument[0] == SN_VALUE_NIL ? 1 : op->argument[0]);
    return SN_STEP_TAKEN;
}

static void init(void *state, sn_value initial)
{
    value_init(state, initial == SN_VALUE_NIL ? 0 : initial);
}

const struct sn_model sn_model_counter = {
    .name = "counter",
    .about = "a number: inc, get; add, read",
    .functions =
        (const struct sn_function[]){
            {"inc", false}, {"get", true}, {"add", false}, {"read", true}, {0}},
    .state_size = sizeof(sn_value),
    .init = init,
    .step = step,
    .is_partitioned = true,
    .print = value_print,
};

const struct sn_model sn_model_fetch_add = {
    .name = "fetch-add",
    .about = "a number: fetch-add, which tells what it was before; read",
    .functions = (const struct sn_function[]){{"fetch-add", false}, {"read", true}, {0}},
    .state_size = sizeof(sn_value),
    .init = init,
    .step = fetch_step,
    .is_partitioned = true,
    .print = value_print,
};
