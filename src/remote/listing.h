/* listing.h - the interleavings of a recording, listed or counted. SPDX-License-Identifier: MIT */
#ifndef REMOTE_LISTING_H
#define REMOTE_LISTING_H

#include "events/rules.h"

enum listing {
    LISTING_NOTHING = 0,
    LISTING_ORDERS, /* one on a line */
    LISTING_COUNTS, /* how many each pruning leaves */
    LISTING_WALK,   /* how long it takes to come to each of them, up to so many */
};

/* Prints to standard output; at most `most` interleavings are walked over. 0, SN_EINVAL or SN_EIO.
 */
int listing_print(const struct recording *r, const struct rules *rules, enum listing what,
                  uint64_t most, struct err *why);

#endif
