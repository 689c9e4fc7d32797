/* strategies.h - the table of strategies known by name. SPDX-License-Identifier: MIT */
#ifndef STRATEGY_STRATEGIES_H
#define STRATEGY_STRATEGIES_H

#include "engine/explore.h"

enum {
    STRATEGIES_MAX = 64,
    DELAYS_MAX = 1000000, /* of delay:D, delay:D:cache and delay:D:coin */
};

/* Built-in ones first, then those that the program registered. */
struct strategies {
    struct strategy_entry entries[STRATEGIES_MAX];
    uint32_t n;
};

extern const struct strategy_entry strategy_random;
extern const struct strategy_entry strategy_pos;
extern const struct strategy_entry strategy_posr;
extern const struct strategy_entry strategy_pct;
extern const struct strategy_entry strategy_pctcp;
extern const struct strategy_entry strategy_random_ca;
extern const struct strategy_entry strategy_pos_ca;
extern const struct strategy_entry strategy_posr_ca;
extern const struct strategy_entry strategy_pct_ca;
extern const struct strategy_entry strategy_tapct;
extern const struct strategy_entry strategy_urw;
extern const struct strategy_entry strategy_surw;
extern const struct strategy_entry strategy_ql;
extern const struct strategy_entry strategy_fest;
extern const struct strategy_entry strategy_sr;
extern const struct strategy_entry strategy_dfs;
extern const struct strategy_entry strategy_delay;
extern const struct strategy_entry strategy_coin;        /* delay:D:coin */
extern const struct strategy_entry strategy_delay_cache; /* delay:D:cache */
extern const struct strategy_entry strategy_fair;
extern const struct strategy_entry strategy_portfolio;
extern const struct strategy_entry strategy_odpor; /* odpor:trees */
extern const struct strategy_entry strategy_optimal;
extern const struct strategy_entry strategy_dpor;
extern const struct strategy_entry strategy_transdpor;
extern const struct strategy_entry strategy_ired;
extern const struct strategy_entry strategy_liviola;
extern const struct strategy_entry strategy_oldest;
extern const struct strategy_entry strategy_script;

void strategies_init(struct strategies *all);

/* Adds one that another layer has. */
void strategies_add_entry(struct strategies *all, const struct strategy_entry *entry);

/* Adds a strategy of the user's. 0, or SN_EINVAL with a sentence. */
int strategies_add(struct strategies *all, const struct sn_strategy *strategy, struct err *why);

/* Finds "name" or "name:parameters" and makes an initialised state for it, of entry->state_size
 * bytes; the phase, whatever lay there before, lasts to the end of the trial. 0, SN_ENOTFOUND,
 * SN_EINVAL or SN_ENOMEM; strategies_close is due in any case. */
int strategies_open_one(const struct strategies *all, const char *name, uint64_t seed,
                        struct explore_phase *phase, struct err *why);

/* Makes the state, which may have been used, what it was when it was opened by this name: it stays
 * where it is. 0, or SN_E*. */
int strategies_renew(const char *name, uint64_t seed, struct explore_phase *phase, struct err *why);

/* The same for a composition, "A@100,B@200,C": A decides below step 100, B below 200, C the rest.
 * There is room for EXPLORE_PHASES_MAX phases. */
int strategies_open(const struct strategies *all, const char *text, uint64_t seed,
                    struct explore_phase *phases, uint32_t *n_phases, struct err *why);
void strategies_close(struct explore_phase *phases, uint32_t n_phases);

#endif
