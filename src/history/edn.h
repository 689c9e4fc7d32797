/* edn.h - a reader of EDN that takes its bytes as they come.
 *
 * One form after the other is brought into memory, never the whole file. It reads what EDN
 * defines: nil, booleans, numbers, characters, strings, symbols, keywords, lists, vectors, maps,
 * sets, tagged forms, comments and #_; and numbers of Clojure that its printer may leave in
 * exceptions (0x1f, 36rZZ). Size and depth of a form are bounded, and it does not recurse.
 * SPDX-License-Identifier: MIT
 */
#ifndef HISTORY_EDN_H
#define HISTORY_EDN_H

#include "base/arena.h"
#include "base/err.h"
#include "history/form.h"
#include "history/grow.h"
#include "history/source.h"

struct edn_frame {
    struct form *form;
    struct form *last;
    unsigned char closing; /* 0: a tagged form, which ends with its one member */
    size_t discards;       /* forms to come that #_ takes away */
};

struct edn {
    struct source *source;
    struct arena *arena; /* of forms; the caller clears it */
    struct err *why;
    struct edn_frame frames[FORM_DEPTH_MAX];
    size_t depth;
    size_t discards; /* outside of all */
    size_t bytes;    /* of the form that is being read */
    struct grow token;
    size_t n_token;
    uint64_t line; /* of the token */
    bool may_open; /* a vector or list outside of all is opened, not read: EDN_OPENED */
};

enum edn_what {
    EDN_END = 0,
    EDN_FORM,
    EDN_OPENED, /* edn->token is what closes it */
    EDN_CLOSED, /* something that was not open here */
};

/* Borrows everything. */
void edn_init(struct edn *edn, struct source *source, struct arena *arena, struct err *why);
void edn_done(struct edn *edn);

/* Reads on up to the end of the next form, which goes to *out. Returns one of edn_what; with
 * EDN_OPENED and EDN_CLOSED *bracket is the bracket that closes. Or SN_EFORMAT, SN_EIO, SN_ENOMEM
 * with a sentence. */
int edn_next(struct edn *edn, const struct form **out, int *bracket);

#endif
