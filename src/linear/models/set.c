/* set.c - values that are in it or not; they may be asked for one at a time or all at once.
 * SPDX-License-Identifier: MIT
 */
#include "linear/models/models.h"

/* A sum, since the order does not matter. Each value is mixed first (splitmix64), so that sums of
 * other values are as good as random. */
sn_value sn_set_value(const sn_value *values, size_t n)
{
    uint64_t sum = n * UINT64_C(0x9e3779b97f4a7c15);

    for (size_t i = 0; i < n; i++) {
        uint64_t mixed = (uint64_t)values[i] + UINT64_C(0x9e3779b97f4a7c15);

        mixed = (mixed ^ (mixed >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
        mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94d049bb133111eb);
        sum += mixed ^ (mixed >> 31);
    }
    /* Where readers put texts, too: it is never taken for a number. */
    return (sn_value)((sum >> 2) | (uint64_t)SN_VALUE_TEXTS);
}

static enum sn_step read_all(const struct row *row, const struct sn_operation *op)
{
    return !is_completed(op) || op->result == sn_set_value(row->values, row->n) ? SN_STEP_TAKEN
                                                                                : SN_STEP_REFUSED;
}

static enum sn_step step(void *state, const struct sn_operation *op, uint32_t choice)
{
    struct row *row = state;
    sn_value value = op->argument[0];
    uint64_t place = row_find(row, value);
    bool is_there = place < row->n && row->values[place] == value;
    bool outcome = op->function == SET_ADD ? !is_there : is_there;

    (void)choice;
    if (op->function == SET_READ)
        return read_all(row, op);
    if (is_completed(op) && op->result != SN_VALUE_NIL && outcome != has_succeeded(op))
        return SN_STEP_REFUSED;
    if (op->function == SET_ADD && outcome)
        row_insert(row, place, value);
    if (op->function == SET_REMOVE && outcome)
        row_remove(row, place);
    return SN_STEP_TAKEN;
}

static bool observes(const struct sn_operation *op)
{
    return !has_succeeded(op);
}

const struct sn_model sn_model_set = {
    .name = "set",
    .about = "values that are in it or not: add, remove, contains, read",
    .functions =
        (const struct sn_function[]){
            {"add", false}, {"remove", false}, {"contains", true}, {"read", true}, {0}},
    .state_size = sizeof(struct row),
    .room = row_room,
    .used = row_used,
    .step = step,
    .is_partitioned = true,
    .print = row_print,
    .observes = observes,
};
