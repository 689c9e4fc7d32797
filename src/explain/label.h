/* label.h - what each item of a sufficient set is for: what happens without it, and with it the
 * other way round. SPDX-License-Identifier: MIT
 */
#ifndef EXPLAIN_LABEL_H
#define EXPLAIN_LABEL_H

#include "explain/sufficient.h"

enum label {
    LABEL_NEEDED,   /* fewer trials fail without it: no more than that can be said */
    LABEL_DECISIVE, /* the other way round hardly any trial fails */
    LABEL_SET_UP,   /* without it others of the set cannot be had */
    LABEL_HELPING,  /* without it nearly as many fail */
    LABEL_ENABLING, /* without it all fail that do not get stuck: it lets the others come about */
};

struct labelled {
    uint32_t item;
    enum label label;
    struct answer dropped; /* the set without it */
    struct answer flipped; /* the set with it the other way round; empty for a value */
};

/* Whether what happens without an order says that it is for nothing but that. */
bool label_is_enabling(const struct answer *dropped);

/* Labels every item of a set, which has `found->chosen.n` of them, in order, but for those
 * that are said together. */
int label_all(const struct sufficient_search *s, const struct sufficient *found,
              struct labelled *out);

#endif
