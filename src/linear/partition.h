/* partition.h - sorts a history into objects that are independent of each other.
 * SPDX-License-Identifier: MIT
 */
#ifndef LINEAR_PARTITION_H
#define LINEAR_PARTITION_H

#include "linear/pool.h"

#include <sennit/history.h>

struct partition {
    uint32_t *index;  /* numbers of operations, those of an object side by side, in their order */
    uint32_t *starts; /* where each object begins; one more than there are objects */
    uint32_t n;       /* objects */
};

/* Lives in the pool. Returns 0 or SN_ENOMEM. */
int partition_init(struct partition *partition, const struct sn_model *model,
                   const struct sn_operation *operations, size_t n, struct pool *pool);

#endif
