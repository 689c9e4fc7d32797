/* exact.h - algorithms that decide about special objects without searching.
 *
 * Each says whether it applies to the operations at hand; where it does, its verdict is right in
 * both directions, in time that grows little faster than the history. SPDX-License-Identifier: MIT
 */
#ifndef LINEAR_EXACT_H
#define LINEAR_EXACT_H

#include "linear/events.h"

struct exact {
    const char *name;
    bool is_slow; /* a short search is tried before */
    /* False: it does not apply, or there is no memory for it. Else `out` has the verdict. */
    bool (*check)(const struct object *object, const struct events *events, struct outcome *out);
};

extern const struct exact exact_register, exact_set, exact_counter, exact_fetch_add, exact_queue,
    exact_stack, exact_list, exact_chains;

/* The one for objects of this model; NULL: there is none. Lists whose elements can be asked for are
 * decided by them. */
const struct exact *exact_for(const struct sn_model *model, bool has_elements);

/* Verdict NO because of one operation: "NAME " and a sentence. */
void exact_refuse(const struct object *object, const struct sn_operation *op, struct outcome *out,
                  const char *sentence);

#endif
