/* constraint.h - an order, or a drawn value, that trials are to respect, in words and as data.
 * SPDX-License-Identifier: MIT
 */
#ifndef ENGINE_CONSTRAINT_H
#define ENGINE_CONSTRAINT_H

#include "engine/opname.h"

enum { CONSTRAINTS_MAX = 1 << 12 };

enum constraint_kind {
    CONSTRAINT_BEFORE = 1, /* `later` is held until `first` has run */
    CONSTRAINT_DRAW,       /* the draws called `first` have this value */
};

struct constraint {
    uint32_t kind;
    uint32_t first; /* names */
    uint32_t later; /* 0 for draws */
    uint64_t value;
};

/* Plain data: can be copied, compared entry by entry, and shared with forked processes, as the
 * names can that it is about. */
struct constraints {
    const struct opnames *names;
    uint64_t from; /* steps that come first, in which nothing is held, nor values required */
    uint32_t n;
    struct constraint all[CONSTRAINTS_MAX];
};

/* Reads "A before B" or "draw LABEL of M = V" and adds it. 0, or SN_EFORMAT with a sentence that
 * names the text and what is wrong; SN_ENOMEM if there are too many. */
int constraints_read(struct constraints *c, struct opnames *names, const char *text,
                     struct err *why);

/* Adds a constraint unless it is there. False: there are too many. */
bool constraints_add(struct constraints *c, const struct constraint *added);

/* Writes a constraint as constraints_read reads it. */
void constraint_put(struct sn_text *out, const struct opnames *names,
                    const struct constraint *constraint);

#endif
