/* portfolio.h - how a portfolio divides an epoch between its arms. SPDX-License-Identifier: MIT */
#ifndef STRATEGY_PORTFOLIO_H
#define STRATEGY_PORTFOLIO_H

#include <stdint.h>

enum {
    PORTFOLIO_ARMS_MAX = 8,
    PORTFOLIO_EPOCH = 256, /* trials, between which nothing that was learned counts */
};

/* What an arm has done lately. */
struct portfolio_score {
    uint64_t trials;
    uint64_t news; /* those whose order of steps was seen for the first time */
};

/* Gives each of n arms its number of trials of the next epoch: a quarter of the epoch is shared
 * equally, so that no arm is ever given up, and the rest in proportion to
 * (news + 1) / (trials + 2). Integers only. */
void portfolio_shares(const struct portfolio_score *scores, uint32_t n, uint32_t *shares);

/* Which arm runs each trial of an epoch: evenly mixed, for what comes later finds less that is new.
 * Where two are due, `first` and those after it go first. */
void portfolio_mix(const uint32_t *shares, uint32_t n, uint32_t first,
                   uint8_t arms[PORTFOLIO_EPOCH]);

#endif
