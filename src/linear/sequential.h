/* sequential.h - looks for an order that only keeps the order within each process.
 * SPDX-License-Identifier: MIT
 */
#ifndef LINEAR_SEQUENTIAL_H
#define LINEAR_SEQUENTIAL_H

#include "linear/object.h"
#include "linear/partition.h"

/* `all` has all operations of the history. Objects cannot be looked at apart: that each of them has
 * an order does not mean that there is one for all. */
enum sn_linear sequential_check(const struct object *all, const struct partition *partition,
                                struct outcome *out);

#endif
