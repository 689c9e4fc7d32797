/* brute.h - all orders of a small history, tried one after the other.
 *
 * From the definition alone: a history is linearizable if some of its unknown operations and all of
 * the others can be put into an order that respects real time and that the object allows. Nothing
 * is left out because it cannot matter, except what was tried before from the same point.
 * SPDX-License-Identifier: MIT
 */
#ifndef LINEAR_BRUTE_H
#define LINEAR_BRUTE_H

#include <sennit/history.h>

enum { BRUTE_OPERATIONS_MAX = 16, BRUTE_STATE_MAX = 1024 };

/* An object as the enumerator uses it. */
struct brute_object {
    size_t size; /* of a state, at most BRUTE_STATE_MAX */
    void (*init)(const void *self, void *state);
    enum sn_step (*step)(const void *self, void *state, const struct sn_operation *op,
                         uint32_t choice);
    const void *self;
};

enum brute_order { BRUTE_REAL_TIME, BRUTE_PROGRAM_ORDER };

bool brute_allows(const struct brute_object *object, const struct sn_operation *operations,
                  size_t n, enum brute_order order);

/* How many of its completed operations can be put in order, at most. */
size_t brute_longest(const struct brute_object *object, const struct sn_operation *operations,
                     size_t n, enum brute_order order);

/* Whether one of two operations must have taken effect before the other is called. */
bool brute_is_before(const struct sn_operation *a, const struct sn_operation *b,
                     enum brute_order order);

/* The same as brute_allows with the steps of a model. Where the model says that keys are
 * independent there is a state for each key that occurs. */
bool brute_model_allows(const struct sn_model *model, sn_value initial,
                        const struct sn_operation *operations, size_t n, enum brute_order order);

#endif
