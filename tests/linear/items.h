/* items.h - the operations of a history as the rules look at them.
 * SPDX-License-Identifier: MIT
 */
#ifndef LINEAR_ITEMS_H
#define LINEAR_ITEMS_H

#include "random.h"

#define NEVER UINT64_MAX

/* Times are doubled and returns get the odd ones, so that no call and return are equal; 0 is before
 * everything. */
struct item {
    uint32_t role; /* number in the object's table of functions */
    sn_value value;
    sn_value second; /* argument */
    sn_value result;
    uint64_t call;
    uint64_t ret; /* NEVER: unknown */
};

struct items {
    bool has_keys; /* it is about several objects */
    size_t n;
    struct item list[SAMPLE_OPERATIONS_MAX];
};

static inline uint32_t role_of(const struct sample *history, const struct sn_operation *op)
{
    return (uint32_t)(plain_function_of(history->object, history->model, op) -
                      history->object->functions);
}

static inline struct items items_of(const struct sample *history)
{
    struct items items = {.n = history->n};

    for (size_t i = 0; i < history->n; i++) {
        const struct sn_operation *op = &history->operations[i];

        items.has_keys |= op->key != history->operations[0].key;
        items.list[i] = (struct item){.role = role_of(history, op),
                                      .value = op->argument[0],
                                      .second = op->argument[1],
                                      .result = op->result,
                                      .call = 2 * op->call + 2,
                                      .ret = op->ret == SN_TIME_NEVER ? NEVER : 2 * op->ret + 3};
    }
    return items;
}

/* Takes out the i-th one. */
static inline void items_drop(struct items *items, size_t i)
{
    items->list[i] = items->list[--items->n];
}

#endif
