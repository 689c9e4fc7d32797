/* greedy.h - a first look for an order of a short history, which takes no memory and little time.
 *
 * Trials are judged by the hundred thousand, and in nearly all of them the obvious order is right:
 * each operation takes effect when it returns, or just before the first return that needs it. Only
 * where that fails is there something to search. SPDX-License-Identifier: MIT
 */
#ifndef LINEAR_GREEDY_H
#define LINEAR_GREEDY_H

#include <sennit/history.h>

enum { GREEDY_OPERATIONS_MAX = 256 };

struct greedy {
    const struct sn_model *model;
    const struct sn_operation *operations; /* in the order of their calls */
    size_t n;
    sn_value initial;
    void *memory; /* for states, aligned for any type */
    size_t memory_size;
};

/* True: the history is linearizable. False: that is not known. */
bool greedy_is_linear(const struct greedy *greedy);

#endif
