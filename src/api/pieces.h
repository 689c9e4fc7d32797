/* pieces.h - a systematic search that is divided among workers.
 *
 * Pieces stand in a row: what a piece gives away when it is divided comes right after what it
 * keeps, so all trials of a piece come after those of the pieces before it, and the row is always
 * the search as one worker would do it. The parent takes trials off in this order, and so numbers,
 * counts and the first failure do not depend on how many workers there are, or on when a piece was
 * divided. Only the parent knows of the row: workers are given a piece, and called when it is to be
 * divided. SPDX-License-Identifier: MIT
 */
#ifndef API_PIECES_H
#define API_PIECES_H

#include "api/piece.h"
#include "engine/mem.h"

enum {
    PIECES_MAX = 1024,
    PIECES_SPARE = 8, /* beside two for each worker: those that are too far ahead */
    PIECES_BEGINNING_BYTES = 64 << 20 >> MEM_SAVING_SHIFT,
};

struct workers;

struct pieces {
    struct piece *all[PIECES_MAX];
    uint32_t n;
    struct piece *first; /* of the row; NULL: there is none left */
    uint64_t taken;      /* trials, by the client */
    uint64_t limit;      /* so many are wanted */
    bool can_split;
    int rc;               /* SN_E* with the workers' sentence: the search cannot go on */
    bool is_incomplete;   /* a piece ended, and had not tried everything */
    char within[64];      /* what a piece that ended was limited to */
    uint64_t left[LEFTS]; /* by pieces that are over */
    bool is_saved;        /* the state of the first piece was kept anew */
};

/* Whether what is to be done can be divided among workers; there is one at least. */
bool pieces_can_split(const struct workers *ws);

/* The row begins with a piece that is the whole search. 0, or SN_E*. */
int pieces_open(struct workers *ws, struct err *why);
void pieces_close(struct workers *ws);

/* Appends a piece that was saved, of which so many trials were counted. 0, or SN_E*. */
int pieces_load(struct workers *ws, const unsigned char *bytes, size_t n, uint64_t skip,
                struct err *why);

/* Forgets the row. */
void pieces_clear(struct workers *ws);

/* Takes what has ended, in order. False: no more is wanted, or nothing is left. */
bool pieces_take(struct workers *ws);

/* The run was stopped, and no worker runs: takes all that has ended, although there are gaps. */
void pieces_take_all(struct workers *ws);

/* Gives work to the workers that wait. */
void pieces_assign(struct workers *ws);

/* Has the worker of the first piece wait when it can, to keep the state there: where a trial takes
 * too long to end when the run does, or the run itself is killed, what came after it is run again.
 * Trials of other pieces are not taken before those of the first one: they have no later state that
 * would lose none. */
void pieces_call_to_save(struct workers *ws);

/* Nothing more is wanted. */
void pieces_stop(struct workers *ws);

/* The part of the search that is done, between 0 and 1, and with how many trials; 0: it cannot be
 * told. While it runs that is how it was a moment ago. */
double pieces_progress(struct workers *ws, uint64_t *trials);

/* Trials that were left for this reason: all of them, or, to be saved, without those that will be
 * left again by who goes on with the states that pieces_save saves. */
uint64_t pieces_left(const struct workers *ws, enum explore_left why, bool is_to_save);

/* What is left of a piece after `*skip` trials, as bytes that pieces_load understands; the size,
 * which may be more than room. 0: it cannot be saved. While somebody runs the piece that is the
 * state that was kept last, with the trials that were taken since. */
size_t pieces_save(const struct workers *ws, const struct piece *p, unsigned char *bytes,
                   size_t room, uint64_t *skip);

#endif
