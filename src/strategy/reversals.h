/* reversals.h - what the course of a trial shows to be possible in another order.
 *
 * Of two events in a race the later one could have come first. So could an operation that was
 * disabled before it ran, or that its task did not take. SPDX-License-Identifier: MIT
 */
#ifndef STRATEGY_REVERSALS_H
#define STRATEGY_REVERSALS_H

#include "strategy/plans.h"

/* An act can come before event `at`, and after those events between it and `until` that do not
 * depend on it. */
struct reversal {
    uint32_t at;
    uint32_t until;
    uint32_t cause; /* the event that announces the act */
    uint64_t task;  /* who performs it */
    struct act act;
    bool is_fault;
    bool has_run;     /* the act is that of event `until`; otherwise it was not performed */
    bool is_doubtful; /* it may prove to be impossible */
    /* For the rule, which finds here what it noted when it was told of this for the last time; 0 if
     * it was not. NULL: nothing can be noted. */
    uint32_t *cover;
};

/* What a strategy makes of a reversal. */
struct reversal_rule {
    void (*plan)(struct plans *p, struct course *c, const struct reversal *reversal);
    /* What comes after an act matters, too: it is told of each reversal again in every trial. */
    bool takes_all;
};

/* Tells a rule of all reversals that the events of a course show, or that the fresh ones do. */
void reversals_learn(struct plans *p, struct course *c, const struct reversal_rule *rule);

#endif
