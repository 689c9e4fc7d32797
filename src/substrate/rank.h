/* rank.h - an order of tasks that is the same in all schedules of one partial order.
 *
 * Tasks have numbers in the order in which they were made, and who makes two of them need not
 * conflict: whatever a step does to several must not go by their numbers, or its outcome depends on
 * steps that a search takes to be unrelated. Here those of one creator come in the order in which
 * that has made them, and creators in the order of their ids. SPDX-License-Identifier: MIT
 */
#ifndef SUBSTRATE_RANK_H
#define SUBSTRATE_RANK_H

#include "engine/trial.h"

struct ranked {
    uint64_t creator; /* its id */
    uint32_t index;   /* in order of creation */
};

/* Notes one, in a list that holds as many as a trial has tasks. */
static inline void rank_add(const struct trial *t, struct ranked *all, uint32_t *n,
                            struct ranked one)
{
    sn_check(*n < t->now.n_tasks);
    all[(*n)++] = one;
}

void rank_sort(struct ranked *all, uint32_t n);

#endif
