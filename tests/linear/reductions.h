/* reductions.h - the ways to make a history smaller once more, written apart from the library.
 *
 * Those that are allowed never make a legal history illegal; so a violation that is left when they
 * were applied to an illegal one was in it from the beginning. The others are mistakes that can be
 * made. SPDX-License-Identifier: MIT
 */
#ifndef LINEAR_REDUCTIONS_H
#define LINEAR_REDUCTIONS_H

#include "random.h"

enum reduction {
    REDUCTION_RELAX,    /* the operation may have happened or not, and its result is not known */
    REDUCTION_OBSERVER, /* the operation never changes the object: it is dropped */
    REDUCTION_VALUE,    /* all that is about the same value of the same key is dropped */
    REDUCTION_KEY,      /* all that is about the same key is dropped, if there are others */
    REDUCTION_CUT,    /* what was called after its return is dropped, what returned then relaxed */
    REDUCTION_TAIL,   /* an unknown operation that can only come after all others is dropped */
    REDUCTION_DELETE, /* the operation is dropped, whatever it is */
    REDUCTIONS
};

/* Whether a history like this may be made smaller like this. */
bool reduction_is_allowed(const struct sample *h, enum reduction how, enum brute_order order);

/* Applies it to the i-th operation. False: it is not about this operation, or changes nothing. */
bool reduction_apply(const struct sample *h, enum reduction how, enum brute_order order, size_t i,
                     struct sample *out);

/* Forgets what is known of an operation. */
void reduction_relax(struct sn_operation *op);

bool reduction_is_observer(const struct sample *h, const struct sn_operation *op);

/* Whether two operations are about the same value of the same key. */
bool reduction_is_same_value(const struct sample *h, const struct sn_operation *a,
                             const struct sn_operation *b);

/* Whether an operation can only take effect after all that is known to have returned. */
bool reduction_is_tail(const struct sample *h, const struct sn_operation *op,
                       enum brute_order order);

#endif
