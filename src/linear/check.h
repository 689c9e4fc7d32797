/* check.h - a check of a history, for those who take part in it. SPDX-License-Identifier: MIT */
#ifndef LINEAR_CHECK_H
#define LINEAR_CHECK_H

#include "linear/object.h"
#include "linear/partition.h"

struct exact;

/* All that a check has. */
struct check {
    const struct sn_model *model;
    const struct sn_operation *operations;
    size_t n;
    const struct sn_check_options *options;
    struct sn_check_result *result;
    struct pool pool;
    struct partition partition;
    struct object object;      /* the one that is looked at */
    const struct exact *exact; /* to be tried first; NULL: none */
    bool is_exact_only;        /* somebody asked for it by name */
    bool has_used_exact;
    bool has_searched;
};

/* Looks at the i-th object. Returns 0, or a negative SN_E* with a sentence in out->why. */
int check_object(struct check *check, uint32_t i, struct outcome *out);

/* Adds what was found about an object to the result. The first object that is not linearizable, or
 * else the first that was not decided, is the one that the result is about. */
void check_take(struct check *check, const struct outcome *out);

#endif
