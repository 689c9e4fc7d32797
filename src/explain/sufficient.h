/* sufficient.h - the few items that make trials fail, whatever else happens.
 *
 * Backward: all items together make nearly every trial fail, and as many as possible are left out.
 * Forward: one item after the other is added, the one that makes most trials fail; that is for
 * items of which not all can be had at once. Since: what a long conjunction has in common with
 * other trials is kept as it was, up to the earliest step from which a few items are enough. In any
 * case what is left is verified with seeds that no search has used, because a search keeps what did
 * well by chance. SPDX-License-Identifier: MIT
 */
#ifndef EXPLAIN_SUFFICIENT_H
#define EXPLAIN_SUFFICIENT_H

#include "explain/itemset.h"

/* A set of fewer items, and how often it makes trials fail. */
struct rung {
    uint32_t orders;
    struct answer answer;
};

struct sufficient {
    struct items chosen;
    struct items enabling;                  /* of these, orders that only keep trials from getting
                                             * stuck, if that was looked at: they do not count */
    struct beginning from;                  /* of the failing trial: trials begin with it */
    struct answer verified;                 /* by trials of its own; none: nothing was found */
    bool is_enough;                         /* nearly all of them failed */
    bool is_minimal;                        /* with any item less, fewer do */
    bool is_too_long;                       /* a set was found, which has too many orders: it was
                                             * not verified */
    struct rung ladder[EXPLAIN_ORDERS_MAX]; /* if the set is too long: what shorter ones reach */
    uint32_t n_ladder;
};

/* Both return 0 with is_enough false if there is no such set; *out is then the best they have. What
 * was found before the budget ended is in *out, too, verified or with `verified` empty. */
int sufficient_backward(struct sufficient_search *s, struct sufficient *out);
int sufficient_forward(struct sufficient_search *s, struct sufficient *out);

/* Verifies a set, which becomes smaller if it can, and one as wide that it comes from. */
int sufficient_settle(struct sufficient_search *s, const struct items *set,
                      const struct items *wide, struct sufficient *out);

/* How many of the chosen items are orders. Those that are said together count as one. */
uint32_t sufficient_orders(const struct sufficient_search *s, const struct sufficient *found);

/* Finds which of the chosen orders only keep trials from getting stuck: without such a one all that
 * do not get stuck fail as well. */
int sufficient_weigh(struct sufficient_search *s, struct sufficient *found);

/* Whether the chosen orders are few; weighs them if they are not. */
int sufficient_is_short(struct sufficient_search *s, struct sufficient *found, bool *out);

/* Fills the ladder of a set that is too long, greedily, and leaves its best part that is not. */
int sufficient_shorten(struct sufficient_search *s, struct sufficient *found);

/* A set that is enough after a step. */
struct since_set {
    uint64_t step;
    struct items set;
    struct items wide; /* that it comes from */
};

enum { SINCE_MAX = 32 };

struct since {
    uint64_t lost;                     /* after this step nothing is needed */
    struct since_set found[SINCE_MAX]; /* sets of few orders, each of an earlier step */
    uint32_t n;
};

/* Looks for the earliest step of the failing trial after which a set of few orders is enough, by
 * halving, up to the one after which it was lost. Leaves what it has if the budget ends. */
int since_find(struct sufficient_search *s, uint64_t lost, struct since *out);

/* Verifies the one of the earliest step; and, if that is too little, or what it takes beside is too
 * much, the one before, and so on. *out is not enough if that is so of all of them. */
int since_settle(struct sufficient_search *s, const struct since *since, struct sufficient *out);

#endif
