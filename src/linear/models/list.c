/* list.c - a list that only grows: append, and looking at it. SPDX-License-Identifier: MIT */
#include "linear/models/models.h"

sn_value sn_list_value(const sn_value *values, size_t n)
{
    uint64_t hash = n * UINT64_C(0x9e3779b97f4a7c15);

    for (size_t i = 0; i < n; i++) {
        hash = (hash ^ (uint64_t)values[i]) * UINT64_C(0xd6e8feb86659fd93);
        hash ^= hash >> 32;
    }
    /* Where readers put texts, too: it is never taken for a number. */
    return (sn_value)((hash >> 2) | (uint64_t)SN_VALUE_TEXTS);
}

static sn_value look(const struct row *row, const struct sn_operation *op)
{
    bool is_there = op->argument[0] >= 0 && (uint64_t)op->argument[0] < row->n;

    if (op->function == LIST_SIZE)
        return (sn_value)row->n;
    if (op->function == LIST_READ)
        return sn_list_value(row->values, row->n);
    return is_there ? row->values[op->argument[0]] : SN_VALUE_NIL;
}

static enum sn_step step(void *state, const struct sn_operation *op, uint32_t choice)
{
    struct row *row = state;

    (void)choice;
    if (op->function != LIST_APPEND)
        return !is_completed(op) || op->result == look(row, op) ? SN_STEP_TAKEN : SN_STEP_REFUSED;
    if (is_completed(op) && op->result != SN_VALUE_NIL && op->result != (sn_value)row->n)
        return SN_STEP_REFUSED;
    row_insert(row, row->n, op->argument[0]);
    return SN_STEP_TAKEN;
}

/* Whoever appends and is told the place is refused elsewhere. */
static enum sn_role role(const struct sn_operation *op)
{
    if (op->function == LIST_APPEND)
        return is_completed(op) && op->result != SN_VALUE_NIL ? SN_ROLE_OTHER : SN_ROLE_EXTENDS;
    return op->function == LIST_READ ? SN_ROLE_SHOWS : SN_ROLE_OTHER;
}

const struct sn_model sn_model_list = {
    .name = "list",
    .about = "a list that only grows: append, get, size, read",
    .functions =
        (const struct sn_function[]){
            {"append", false}, {"get", true}, {"size", true}, {"read", true}, {0}},
    .state_size = sizeof(struct row),
    .room = row_room,
    .used = row_used,
    .step = step,
    .is_partitioned = true,
    .print = row_print,
    .role = role,
};
