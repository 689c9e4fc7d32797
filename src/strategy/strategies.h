/* strategies.h - the table of strategies known by name. SPDX-License-Identifier: MIT */
#ifndef STRATEGY_STRATEGIES_H
#define STRATEGY_STRATEGIES_H

#include "engine/explore.h"

enum { STRATEGIES_MAX = 64 };

/* Built-in ones first, then those that the program registered. */
struct strategies {
    struct strategy_entry entries[STRATEGIES_MAX];
    uint32_t n;
};

extern const struct strategy_entry strategy_random;
extern const struct strategy_entry strategy_dfs;

void strategies_init(struct strategies *all);

/* Adds a strategy of the user's. 0, or SN_EINVAL with a sentence. */
int strategies_add(struct strategies *all, const struct sn_strategy *strategy, struct err *why);

/* Finds "name" or "name:parameters" and makes an initialised state for it, of entry->state_size
 * bytes; free it with strategies_close. 0, SN_ENOTFOUND, SN_EINVAL or SN_ENOMEM. */
int strategies_open(const struct strategies *all, const char *name, uint64_t seed,
                    const struct strategy_entry **entry, void **self, struct err *why);
void strategies_close(const struct strategy_entry *entry, void *self);

#endif
