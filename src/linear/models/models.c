/* models.c - the table of models, and what several of them have in common.
 * SPDX-License-Identifier: MIT
 */
#include "linear/models/models.h"

#include <string.h>

static const struct sn_model *const models[] = {
    &sn_model_register, &sn_model_cas_register, &sn_model_map,   &sn_model_set,
    &sn_model_counter,  &sn_model_fetch_add,    &sn_model_queue, &sn_model_priority_queue,
    &sn_model_stack,    &sn_model_mutex,        &sn_model_lease, &sn_model_list,
};

const struct sn_model *sn_model_at(size_t i)
{
    return i < sizeof(models) / sizeof(models[0]) ? models[i] : NULL;
}

const struct sn_model *sn_model_find(const char *name)
{
    for (size_t i = 0; sn_model_at(i) != NULL; i++) {
        if (strcmp(sn_model_at(i)->name, name) == 0)
            return sn_model_at(i);
    }
    return NULL;
}

static void print_value(sn_value value, struct sn_text *out)
{
    if (value == SN_VALUE_NIL)
        sn_print(out, "nil");
    else
        sn_print(out, "%lld", (long long)value);
}

void value_init(void *state, sn_value initial)
{
    memcpy(state, &initial, sizeof(initial));
}

void value_print(const void *state, struct sn_text *out)
{
    print_value(*(const sn_value *)state, out);
}

size_t row_room(const struct sn_operation *operations, size_t n)
{
    (void)operations;
    return n * sizeof(sn_value);
}

size_t row_used(const void *state)
{
    const struct row *row = state;

    return sizeof(*row) + row->n * sizeof(row->values[0]);
}

void row_print(const void *state, struct sn_text *out)
{
    const struct row *row = state;

    sn_print(out, "[");
    for (uint64_t i = 0; i < row->n; i++) {
        if (i > 0)
            sn_print(out, " ");
        print_value(row->values[i], out);
    }
    sn_print(out, "]");
}

void row_insert(struct row *row, uint64_t i, sn_value value)
{
    memmove(&row->values[i + 1], &row->values[i], (row->n - i) * sizeof(value));
    row->values[i] = value;
    row->n++;
}

void row_remove(struct row *row, uint64_t i)
{
    row->n--;
    memmove(&row->values[i], &row->values[i + 1], (row->n - i) * sizeof(row->values[0]));
}

uint64_t row_find(const struct row *row, sn_value value)
{
    uint64_t low = 0;
    uint64_t high = row->n;

    while (low < high) {
        uint64_t middle = low + (high - low) / 2;

        if (row->values[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Nil stands for an empty container, so it cannot be put into one. */
enum sn_step row_put(struct row *row, uint64_t i, const struct sn_operation *op)
{
    if (op->argument[0] == SN_VALUE_NIL)
        return SN_STEP_REFUSED;
    row_insert(row, i, op->argument[0]);
    return SN_STEP_TAKEN;
}

enum sn_step row_take(struct row *row, uint64_t i, const struct sn_operation *op)
{
    sn_value value = row->n == 0 ? SN_VALUE_NIL : row->values[i];

    if (is_completed(op) && op->result != value)
        return SN_STEP_REFUSED;
    if (row->n > 0)
        row_remove(row, i);
    return SN_STEP_TAKEN;
}

bool row_found_nothing(const struct sn_operation *op)
{
    return op->function == CONTAINER_TAKE && op->result == SN_VALUE_NIL;
}
