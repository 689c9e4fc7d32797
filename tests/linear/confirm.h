/* confirm.h - whether a core is what it claims to be, by brute force.
 * SPDX-License-Identifier: MIT
 */
#ifndef LINEAR_CONFIRM_H
#define LINEAR_CONFIRM_H

#include "reductions.h"

#include "linear/core.h"

enum flaw {
    FLAW_NONE,
    FLAW_FOREIGN,     /* it has an operation that is not in the history, or twice, or that is said
                       * to have returned although nobody knows */
    FLAW_DROPPED,     /* no reduction that is allowed leaves out all that is missing */
    FLAW_LEGAL,       /* there is an order of it */
    FLAW_NOT_MINIMAL, /* a reduction that is allowed leaves it illegal */
    FLAW_ORDER,       /* the order that it tells is not one that the object allows */
    FLAW_SHORT,       /* there is a longer one */
    FLAW_STATE,       /* it leaves another state */
    FLAW_CANDIDATE,   /* what could come next is not told, is not next, is not refused, or would not
                       * have this result */
    FLAWS
};

/* The operations of the core. */
enum flaw confirm_core(const struct sample *h, const struct core *core, enum brute_order order);

/* What it tells of them: the longest order and what follows it. */
enum flaw confirm_explanation(const struct sample *h, const struct core *core,
                              enum brute_order order);

/* Whether the operations of its key are legal until the operation `stuck` returns, and not then. */
bool confirm_stuck(const struct sample *h, size_t stuck);

#endif
