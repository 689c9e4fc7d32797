/* container.h - what queues and stacks have in common: values that are put in once and taken out
 * once at most. SPDX-License-Identifier: MIT
 */
#ifndef LINEAR_CONTAINER_H
#define LINEAR_CONTAINER_H

#include "linear/exact.h"

/* When a value was put in and taken out. Never taken: take_call is EVENTS_NEVER, and take_ret is
 * one more. */
struct kept {
    uint64_t put_call;
    uint64_t put_ret;
    uint64_t take_call;
    uint64_t take_ret;
    const struct sn_operation *put;
    const struct sn_operation *take; /* NULL: none */
};

struct container {
    const struct object *object;
    const struct events *events;
    struct kept *values;
    size_t n;
    const struct span **empty; /* completed operations that found nothing */
    size_t n_empty;
    const struct span *
        *unknown; /* which took what is not known, or nothing; in the order of calls */
    size_t n_unknown;
};

/* Returns false if the values are not different, or there is no memory. If the verdict in `out` is
 * NO afterwards, nothing more needs to be done. */
bool container_init(struct container *container, const struct object *object,
                    const struct events *events, struct outcome *out);

/* Whether every operation that found nothing may have: at some moment while it was open nothing
 * need have been inside. Otherwise says NO. */
bool container_was_empty(const struct container *container, struct outcome *out);

#endif
