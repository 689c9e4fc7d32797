/* listing.h - the interleavings of a recording, listed or counted. SPDX-License-Identifier: MIT */
#ifndef REMOTE_LISTING_H
#define REMOTE_LISTING_H

#include "events/rules.h"

enum listing {
    LISTING_NOTHING = 0,
    LISTING_ORDERS, /* one on a line */
    LISTING_COUNTS, /* how many each pruning leaves */
};

/* Prints to standard output. 0, SN_EINVAL or SN_EIO. */
int listing_print(const struct recording *r, const struct rules *rules, enum listing what,
                  struct err *why);

#endif
