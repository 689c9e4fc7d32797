/* pieces.h - a search that is divided, saved and taken up again at random moments.
 *
 * The strategy `pieces` runs a search of odpor:revisit piece by piece: now and then the piece gives
 * away half of what is left, and now and then it is saved and another one is loaded in its place.
 * SPDX-License-Identifier: MIT
 */
#ifndef BRUTE_PIECES_H
#define BRUTE_PIECES_H

#include <stdbool.h>
#include <stdint.h>

struct pieces_totals {
    uint64_t n_splits;
    uint64_t n_saves;
    uint64_t n_unfinished; /* searches with a piece whose progress was not all at its end */
};

/* Makes the strategy known. */
void pieces_register(void);

/* From the next run on: what it does, one time in so many each; 0: never. */
void pieces_want(uint32_t split_one_in, uint32_t save_one_in);

/* What has happened since then. */
const struct pieces_totals *pieces_done(void);

#endif
