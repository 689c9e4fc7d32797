/* models.h - the models that are there, for whoever knows more about them than their steps.
 * SPDX-License-Identifier: MIT
 */
#ifndef LINEAR_MODELS_MODELS_H
#define LINEAR_MODELS_MODELS_H

#include <sennit/history.h>

/* Numbers in the models' tables of functions. */
enum { REGISTER_READ, REGISTER_WRITE, REGISTER_CAS, MAP_GET, MAP_PUT, MAP_DELETE };
enum { SET_ADD, SET_REMOVE, SET_CONTAINS, SET_READ };
enum { COUNTER_INC, COUNTER_GET, COUNTER_ADD, COUNTER_READ };
enum { FETCH_ADD, FETCH_READ };
enum { CONTAINER_PUT, CONTAINER_TAKE };
enum { LIST_APPEND, LIST_GET, LIST_SIZE, LIST_READ };

static inline bool is_completed(const struct sn_operation *op)
{
    return op->ret != SN_TIME_NEVER;
}

/* A completed operation that reports success, or does not say. */
static inline bool has_succeeded(const struct sn_operation *op)
{
    return op->result != 0;
}

/* The state of models that are one value, and of those that are a row of them. */
struct row {
    uint64_t n;
    sn_value values[];
};

void value_init(void *state, sn_value initial);
void value_print(const void *state, struct sn_text *out);

/* Room for as many values as there are operations; a row's bytes in use; "[1 2 3]". */
size_t row_room(const struct sn_operation *operations, size_t n);
size_t row_used(const void *state);
void row_print(const void *state, struct sn_text *out);

/* Puts a value before the i-th one, and takes the i-th one away. */
void row_insert(struct row *row, uint64_t i, sn_value value);
void row_remove(struct row *row, uint64_t i);

/* The place of the first value that is not smaller, in a row that is sorted. */
uint64_t row_find(const struct row *row, sn_value value);

/* Steps of containers: puts the argument before the i-th value; takes the i-th value, if it is the
 * one that the operation got, or finds the row empty. */
enum sn_step row_put(struct row *row, uint64_t i, const struct sn_operation *op);
enum sn_step row_take(struct row *row, uint64_t i, const struct sn_operation *op);

/* Whether the operation took nothing because there was nothing: it got nil. */
bool row_found_nothing(const struct sn_operation *op);

#endif
